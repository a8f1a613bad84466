/* nvbench's end: its documented defaults (10 samples, 0.5 s of GPU time, noise of 0.5 %), and its
 * second criterion, that the noise itself has settled. */
#include <math.h>

#include "bench/protocol/bench.h"

enum { SAMPLES_MIN = 10, SPREAD_MIN = 5, SETTLED_MIN = 64, SETTLED_EVERY = 16 };
static const double max_noise = 0.005;
static const double settled_noise = 0.05;

void stdrel_add(struct stdrel *stdrel, double elapsed_ns)
{
    stdrel->samples++;
    stdrel->total_ns += elapsed_ns;
    const double difference = elapsed_ns - stdrel->mean_ns;
    stdrel->mean_ns += difference / (double)stdrel->samples;
    stdrel->squares += difference * (elapsed_ns - stdrel->mean_ns);
    if (stdrel->samples < SPREAD_MIN)
        return;
    const double deviation = sqrt(stdrel->squares / (double)(stdrel->samples - 1));
    stdrel->noise[stdrel->noises++ % STDREL_WINDOW] = deviation / stdrel->mean_ns;
}

static bool noise_is_settled(const struct stdrel *stdrel, double now)
{
    const size_t count = stdrel->noises < STDREL_WINDOW ? stdrel->noises : STDREL_WINDOW;
    double squares = 0;
    if (count <= SETTLED_MIN || stdrel->samples % SETTLED_EVERY != 0)
        return false;
    for (size_t i = 0; i < count; i++)
        squares += (stdrel->noise[i] - now) * (stdrel->noise[i] - now);
    return sqrt(squares / (double)(count - 1)) < settled_noise * now;
}

bool stdrel_finished(const struct stdrel *stdrel, double min_time_s)
{
    if (stdrel->samples < SAMPLES_MIN || stdrel->total_ns <= min_time_s * 1e9)
        return false;
    const double now = stdrel->noise[(stdrel->noises - 1) % STDREL_WINDOW];
    return now < max_noise || noise_is_settled(stdrel, now);
}
