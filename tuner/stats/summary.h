/* Summaries of timings, as plain numbers. */
#ifndef TUNE_STATS_SUMMARY_H
#define TUNE_STATS_SUMMARY_H

#include <stddef.h>
#include <stdint.h>

struct summary {
    size_t count;
    double median; /* NaN when count is 0, as are those below */
    double mad;    /* median of |x - median|, unscaled */
    double minimum;
    double maximum;
};

/* Summarises `values`, which are sorted in place. */
struct summary summarize(double *values, size_t count);

/* Returns the runs of a timed block: enough that the block lasts `block_ns` and the timer's tick is
 * under 0.1 % of it (tick / (sqrt(6) * 0.001), the standard deviation of a difference of two
 * uniform roundings), at most `most`, at least 1. `run_ns` is a first estimate of one run's time.
 */
uint32_t block_runs(double run_ns, double tick_ns, double block_ns, uint32_t most);

#endif
