#include <math.h>

#include "tuner/base/array.h"
#include "tuner/base/clock.h"
#include "tuner/device/cpu/device.h"

/* The anchor: every core reads uncached memory and computes, PASSES times; the median excludes
 * moments that the system lent to other work. */
enum {
    PASSES = 5,
    READ_BYTES = 2 << 20, /* a core and pass: about 100 us and more */
    STEPS = 80 * 1000,    /* steps of the computation: about as long */
};

static char *piece_of(const struct device *device, int thread, int threads, size_t *piece)
{
    size_t bytes = flush_bytes(&device->machine, thread);
    *piece = bytes / (size_t)threads < READ_BYTES ? bytes / (size_t)threads : READ_BYTES;
    size_t at = (device->anchor_at + (size_t)thread * *piece) % (bytes - *piece + 1);
    return device->flush[thread] + at / 64 * 64;
}

static void evict_piece(void *context, int thread, int threads)
{
    size_t piece = 0;
    char *data = piece_of(context, thread, threads, &piece);
    flush_lines(data, piece, 0, 1);
}

static void one_pass(void *context, int thread, int threads)
{
    size_t piece = 0;
    const char *data = piece_of(context, thread, threads, &piece);
    read_through(data, piece);
    uint64_t x = 0x9e3779b97f4a7c15U + (uint64_t)thread;
    double real = 1;
    for (int i = 0; i < STEPS; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        real = real * 0.999 + 0.25;
    }
    volatile double sink = real + (double)(x & 1);
    (void)sink;
}

static double timed_anchor(struct device *device)
{
    double times[PASSES];
    int cores = device->machine.cores;
    for (int i = 0; i < PASSES; i++) {
        if (device->machine.flushes_by_line)
            pool_run(device->pool, cores, evict_piece, device);
        int64_t start_ns = clock_now_ns();
        pool_run(device->pool, cores, one_pass, device);
        times[i] = (double)(clock_now_ns() - start_ns);
        device->anchor_at += (size_t)cores * READ_BYTES;
    }
    device->busy_until_ns = clock_now_ns();
    reals_sort(times, PASSES);
    return reals_median(times, PASSES);
}

static int running_threads(void *context)
{
    return pool_awake(((struct device *)context)->pool);
}

void cpu_conditions(struct device *device, struct conditions *out)
{
    sensors_read(&device->sensors, running_threads, device, out);
}

/* Keeps the cores busy for a window (warm_window). */
static enum status window(struct device *device, double *anchor_ns, double *clock_mhz,
                          struct error *error)
{
    const int64_t end_ns = clock_now_ns() + (int64_t)(device->warm_up.window_ms * 1e6);
    struct conditions now;
    (void)error;
    *anchor_ns = INFINITY;
    do
        *anchor_ns = fmin(*anchor_ns, timed_anchor(device));
    while (clock_now_ns() < end_ns);
    if (clock_mhz) {
        cpu_conditions(device, &now);
        *clock_mhz = now.sm_clock_mhz;
    }
    return STATUS_OK;
}

enum status warm_up(struct device *device, struct error *error)
{
    TRY(flush_make(device, error));
    return device_warm_up(device, &device->warm_up, window, error);
}

enum status warm_up_again(struct device *device, struct error *error)
{
    const double pause_ms = (double)(clock_now_ns() - device->busy_until_ns) / 1e6;
    double ignored_ns = 0;
    TRY(flush_make(device, error));
    return device->warm_up.pause_ms > 0 && pause_ms > device->warm_up.pause_ms
               ? window(device, &ignored_ns, NULL, error)
               : STATUS_OK;
}

enum status cpu_anchor(struct device *device, double *elapsed_ns, struct error *error)
{
    TRY(warm_up_again(device, error));
    *elapsed_ns = timed_anchor(device);
    return STATUS_OK;
}

/* ---- the timer ---- */

enum {
    CLOCK_READS = 2001,
    GAP_SAMPLES = 101,
    FEW_LAUNCHES = 2,
    MANY_LAUNCHES = 18,
    GAP_PATIENCE_NS = 50 * 1000 * 1000,
    /* more threads than processors take long */
};

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

void calibrate(struct device *device)
{
    /* The tick is the least step seen of the clock; the empty pair is the median of two reads in a
     * row. */
    double steps[CLOCK_READS];
    for (size_t i = 0; i < CLOCK_READS; i++) {
        int64_t start_ns = clock_now_ns();
        steps[i] = (double)(clock_now_ns() - start_ns);
    }
    reals_sort(steps, CLOCK_READS);
    size_t first = 0;
    while (first + 1 < CLOCK_READS && steps[first] <= 0)
        first++;
    device->calibration.tick_ns = steps[first] > 0 ? steps[first] : 1;
    device->calibration.empty_pair_ns = reals_median(steps, CLOCK_READS);
    /* The cost of one more empty launch over all cores: waking these, and waiting for the last. */
    double gaps[GAP_SAMPLES];
    size_t count = 0;
    int64_t end_ns = clock_now_ns() + GAP_PATIENCE_NS;
    while (count < GAP_SAMPLES && (count == 0 || clock_now_ns() < end_ns)) {
        double few_ns = timed_launches(device, FEW_LAUNCHES);
        gaps[count++] =
            (timed_launches(device, MANY_LAUNCHES) - few_ns) / (MANY_LAUNCHES - FEW_LAUNCHES);
    }
    reals_sort(gaps, count);
    device->calibration.node_gap_ns = fmax(gaps[count / 2], 0);
    device->busy_until_ns = clock_now_ns();
}
