#include <math.h>

#include "tuner/base/clock.h"
#include "tuner/device/cpu/launch.h"

enum {
    LOOK_NS = 100 * 1000,          /* the counter moves about once a millisecond */
    STEP_PATIENCE_NS = 1000000000, /* one that has not moved for so long will not */
};

/* Between two looks at the counter. */
struct watch {
    int64_t now_ns;
    double energy_j, runs;
    uint32_t copy;
};

/* Runs until the counter makes a step, and gives its size. */
static enum status run_to_step(struct device *device, struct prepared *prepared,
                               struct watch *watch, double *step_j, struct error *error)
{
    double before_j = watch->energy_j;
    int64_t start_ns = clock_now_ns();
    for (;;) {
        int64_t look_ns = clock_now_ns() + LOOK_NS;
        do {
            rotate(prepared, watch->copy++);
            run_once(device, prepared);
            watch->runs++;
            watch->now_ns = clock_now_ns();
        } while (watch->now_ns < look_ns);
        enum status status = sensors_energy(&device->sensors, &watch->energy_j, error);
        if (status != STATUS_OK)
            return status;
        *step_j = watch->energy_j - before_j;
        if (*step_j > 0)
            return STATUS_OK;
        if (watch->now_ns - start_ns > STEP_PATIENCE_NS)
            return error_set(error, STATUS_UNAVAILABLE,
                             "cpu: the processors' energy counter stands still, as in some "
                             "virtual machines: measure time only");
    }
}

static enum status measure_between_steps(struct device *device, struct prepared *prepared,
                                         double window_ms, struct energy *out, struct error *error)
{
    struct watch watch = {0};
    double step_j = 0;
    enum status status = sensors_energy(&device->sensors, &watch.energy_j, error);
    if (status == STATUS_OK)
        status = run_to_step(device, prepared, &watch, &step_j, error);
    struct watch first = watch;
    double least_j = INFINITY;
    do {
        if (status == STATUS_OK)
            status = run_to_step(device, prepared, &watch, &step_j, error);
        least_j = fmin(least_j, step_j);
    } while (status == STATUS_OK && (double)(watch.now_ns - first.now_ns) < window_ms * 1e6);
    device->busy_until_ns = clock_now_ns();
    float_modes_reset();
    if (status == STATUS_OK)
        *out = (struct energy){.window_ns = (double)(watch.now_ns - first.now_ns),
                               .energy_j = watch.energy_j - first.energy_j,
                               .runs = watch.runs - first.runs,
                               .resolution_j = least_j};
    return status;
}

enum status cpu_measure_energy(struct device *device, const struct block *block, double window_ms,
                               struct energy *out, struct error *error)
{
    struct prepared prepared;
    *out = (struct energy){0};
    enum status status = ready_block(device, block, &prepared, error);
    if (status == STATUS_OK)
        note_updates(device, block->plan, UINT32_MAX);
    if (status == STATUS_OK)
        status = measure_between_steps(device, &prepared, window_ms, out, error);
    return status;
}
