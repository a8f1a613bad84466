#include <math.h>
#include <stdlib.h>

#include "tuner/base/clock.h"
#include "tuner/device/cuda/internal.h"

enum { PAIRS = 101, TICK_SAMPLES = 256, TRIES = 20 };

static const int64_t window_ns = INT64_C(50000000);
static const int64_t warm_up_least_ns = INT64_C(300000000);
static const int64_t warm_up_most_ns = INT64_C(3000000000);
static const int64_t pause_ns = INT64_C(20000000);
static const double settled = 0.005; /* relative change of the anchor's time between windows */

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The time of one pass over the flush buffer: the anchor of the warm-up. */
static enum status timed_flush(struct device *device, double *elapsed_ns, struct error *error)
{
    const struct cuda_driver *cuda = device->driver;
    float elapsed_ms = 0;
    CUresult result = cuda->cuEventRecord(device->begin, device->stream);
    enum status status = STATUS_OK;
    if (result == CUDA_SUCCESS)
        status = cuda_harness_flush(device, error);
    if (status != STATUS_OK)
        return status;
    if (result == CUDA_SUCCESS)
        result = cuda->cuEventRecord(device->end, device->stream);
    if (result == CUDA_SUCCESS)
        result = cuda->cuEventSynchronize(device->end);
    if (result == CUDA_SUCCESS)
        result = cuda->cuEventElapsedTime(&elapsed_ms, device->begin, device->end);
    if (result != CUDA_SUCCESS)
        return cuda_error(device, result, error, "warming up");
    *elapsed_ns = (double)elapsed_ms * 1e6;
    return STATUS_OK;
}

/* Keeps the device busy for a window; gives the anchor's shortest time in it. */
static enum status window(struct device *device, double *anchor_ns, struct error *error)
{
    int64_t end = clock_now_ns() + window_ns;
    *anchor_ns = INFINITY;
    do {
        double elapsed_ns = 0;
        enum status status = timed_flush(device, &elapsed_ns, error);
        if (status != STATUS_OK)
            return status;
        *anchor_ns = fmin(*anchor_ns, elapsed_ns);
    } while (clock_now_ns() < end);
    device->busy_until_ns = clock_now_ns();
    return STATUS_OK;
}

enum status cuda_warm_up(struct device *device, struct error *error)
{
    int64_t start = clock_now_ns();
    double before = 0;
    int still = 0; /* windows in a row in which the anchor did not move */
    for (;;) {
        double anchor = 0;
        enum status status = window(device, &anchor, error);
        if (status != STATUS_OK)
            return status;
        still = fabs(anchor - before) < settled * anchor ? still + 1 : 0;
        before = anchor;
        int64_t spent = clock_now_ns() - start;
        if ((still >= 3 && spent >= warm_up_least_ns) || spent >= warm_up_most_ns)
            return STATUS_OK;
    }
}

enum status cuda_warm_again(struct device *device, struct error *error)
{
    double anchor = 0;
    if (clock_now_ns() - device->busy_until_ns <= pause_ns)
        return STATUS_OK;
    return window(device, &anchor, error);
}

/* The time read around `kernels` empty kernels behind the gate. */
static enum status timed_empty(struct device *device, int kernels, double *elapsed_ns,
                               struct error *error)
{
    for (int tries = 0; tries < TRIES; tries++) {
        bool again = false;
        CUresult result = cuda_gate_begin(device);
        for (int i = 0; i < kernels && result == CUDA_SUCCESS; i++)
            result = cuda_launch(device, device->harness.empty, 1, 32, NULL);
        result = cuda_gate_end(device, result, elapsed_ns, &again);
        if (result != CUDA_SUCCESS)
            return cuda_error(device, result, error, "calibrating the timer");
        if (!again)
            return STATUS_OK;
    }
    return error_set(error, STATUS_TIMED_OUT,
                     "calibrating the timer: this process was stopped for over 2 s again and "
                     "again: the machine is too busy to measure on");
}

/* The timer counts in ticks: times of unlike lengths lie a whole number of them apart. */
static double smallest_step(double *times, size_t count)
{
    double tick = INFINITY;
    qsort(times, count, sizeof *times, by_size);
    for (size_t i = 1; i < count; i++) {
        double step = times[i] - times[i - 1];
        if (step >= 0.5 && step < tick)
            tick = step;
    }
    return isfinite(tick) ? tick : 0;
}

enum status cuda_calibrate(struct device *device, struct error *error)
{
    double pairs[PAIRS];
    double times[TICK_SAMPLES];
    enum status status = STATUS_OK;
    for (size_t i = 0; i < PAIRS && status == STATUS_OK; i++)
        status = timed_empty(device, 0, &pairs[i], error);
    for (size_t i = 0; i < TICK_SAMPLES && status == STATUS_OK; i++)
        status = timed_empty(device, (int)(i % 8), &times[i], error);
    if (status != STATUS_OK)
        return status;
    qsort(pairs, PAIRS, sizeof *pairs, by_size);
    device->calibration.empty_pair_ns = pairs[PAIRS / 2];
    device->calibration.tick_ns = smallest_step(times, TICK_SAMPLES);
    device->busy_until_ns = clock_now_ns();
    return STATUS_OK;
}
