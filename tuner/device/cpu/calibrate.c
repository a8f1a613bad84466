#include <math.h>

#include "tuner/base/clock.h"
#include "tuner/base/reals.h"
#include "tuner/device/cpu/device.h"

enum {
    CLOCK_READS = 2001,
    GAP_SAMPLES = 101,
    FEW_LAUNCHES = 2,
    MANY_LAUNCHES = 18,
    GAP_PATIENCE_NS = 50 * 1000 * 1000,
    /* more threads than processors take long */
};

/* The tick is the least step that the clock was seen to make; the empty pair the median of what it
 * reads around nothing. */
static void calibrate_clock(struct calibration *out)
{
    double steps[CLOCK_READS];
    for (size_t i = 0; i < CLOCK_READS; i++) {
        int64_t start_ns = clock_now_ns();
        steps[i] = (double)(clock_now_ns() - start_ns);
    }
    reals_sort(steps, CLOCK_READS);
    size_t first = 0;
    while (first + 1 < CLOCK_READS && steps[first] <= 0)
        first++;
    out->tick_ns = steps[first] > 0 ? steps[first] : 1;
    out->empty_pair_ns = reals_median(steps, CLOCK_READS);
}

static void do_nothing(void *context, int thread, int threads)
{
    (void)context, (void)thread, (void)threads;
}

static double timed_launches(struct device *device, int launches)
{
    int64_t start_ns = clock_now_ns();
    for (int i = 0; i < launches; i++)
        pool_run(device->pool, device->machine.cores, do_nothing, NULL);
    return (double)(clock_now_ns() - start_ns);
}

/* What one more launch of nothing over all cores costs: waking them, and waiting for the last. */
static double launch_gap_ns(struct device *device)
{
    double gaps[GAP_SAMPLES];
    size_t count = 0;
    int64_t end_ns = clock_now_ns() + GAP_PATIENCE_NS;
    while (count < GAP_SAMPLES && (count == 0 || clock_now_ns() < end_ns)) {
        double few_ns = timed_launches(device, FEW_LAUNCHES);
        gaps[count++] =
            (timed_launches(device, MANY_LAUNCHES) - few_ns) / (MANY_LAUNCHES - FEW_LAUNCHES);
    }
    reals_sort(gaps, count);
    return fmax(gaps[count / 2], 0);
}

void calibrate(struct device *device)
{
    calibrate_clock(&device->calibration);
    device->calibration.node_gap_ns = launch_gap_ns(device);
    device->busy_until_ns = clock_now_ns();
}
