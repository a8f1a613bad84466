/* The anchor, and the warm-up that waits for a steady anchor. */
#include <math.h>

#include "tuner/base/clock.h"
#include "tuner/device/cuda/measure.h"

/* Passes over a buffer of twice the L2: 0.4 to 4 ms on today's devices. On an H200 half of all
 * times of 16 passes lie within 0.2 % of the median, of 4 passes within 0.5 %. */
enum { PASSES = 16 };

static CUresult submit_passes(struct device *device, void *context)
{
    (void)context;
    for (int i = 0; i < PASSES; i++)
        CUDA_PASS(cuda_pass(device, device->harness.anchor));
    return CUDA_SUCCESS;
}

/* Measures passes behind an untimed one, so that the earlier contents of the L2 do not matter. */
static enum status timed_passes(struct device *device, double *elapsed_ns, struct error *error)
{
    const CUresult result = cuda_pass(device, device->harness.anchor);
    TRY(cuda_error(device, result, error, "the anchor"));
    return cuda_time_gated(device, submit_passes, NULL, "the anchor", elapsed_ns, error);
}

/* Keeps the device busy for a window (warm_window). */
static enum status window(struct device *device, double *anchor_ns, double *clock_mhz,
                          struct error *error)
{
    const int64_t end_ns = clock_now_ns() + (int64_t)(device->warm_up.window_ms * 1e6);
    *anchor_ns = INFINITY;
    do {
        double elapsed_ns = 0;
        TRY(timed_passes(device, &elapsed_ns, error));
        *anchor_ns = fmin(*anchor_ns, elapsed_ns);
    } while (clock_now_ns() < end_ns);
    if (clock_mhz)
        *clock_mhz = cuda_sm_clock(device); /* before the device has time to idle */
    return STATUS_OK;
}

enum status cuda_warm_up(struct device *device, struct error *error)
{
    return device_warm_up(device, &device->warm_up, window, error);
}

enum status cuda_warm_again(struct device *device, struct error *error)
{
    const double idle_ms = (double)(clock_now_ns() - device->busy_until_ns) * 1e-6;
    double ignored_ns = 0;
    return idle_ms <= device->warm_up.pause_ms ? STATUS_OK
                                               : window(device, &ignored_ns, NULL, error);
}

enum status cuda_anchor(struct device *device, double *elapsed_ns, struct error *error)
{
    TRY(cuda_warm_again(device, error));
    TRY(timed_passes(device, elapsed_ns, error));
    *elapsed_ns =
        fmax(*elapsed_ns - device->calibration.empty_pair_ns, device->calibration.tick_ns);
    return STATUS_OK;
}
