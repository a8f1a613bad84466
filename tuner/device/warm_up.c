#include <math.h>

#include "tuner/base/clock.h"
#include "tuner/device/device.h"

enum { STILL_WINDOWS = 3 }; /* in a row in which neither anchor nor clock moved */

enum status device_warm_up(struct device *device, const struct warm_up *how, warm_window *window,
                           struct error *error)
{
    const int64_t start_ns = clock_now_ns();
    double before[2] = {0}, now[2] = {0}; /* anchor and clock; an unknown one does not move */
    for (int still = 0;;) {
        TRY(window(device, &now[0], &now[1], error));
        const bool moved = fabs(now[0] - before[0]) >= how->settled * now[0] ||
                           fabs(now[1] - before[1]) >= how->settled * now[1];
        still = moved ? 0 : still + 1;
        before[0] = now[0];
        before[1] = now[1];
        const double spent_ms = (double)(clock_now_ns() - start_ns) / 1e6;
        if ((still >= STILL_WINDOWS && spent_ms >= how->least_ms) || spent_ms >= how->most_ms)
            return STATUS_OK;
    }
}
