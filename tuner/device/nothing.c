#include "tuner/device/nothing.h"

enum status nothing_vary(struct device *device, const struct launch_plan *plan,
                         const struct patch *patches, struct error *error)
{
    (void)device, (void)plan, (void)patches, (void)error;
    return STATUS_OK;
}

enum status nothing_run(struct device *device, const struct launch_plan *plan, struct error *error)
{
    (void)device, (void)plan, (void)error;
    return STATUS_OK;
}

enum status nothing_results(struct device *device, const struct block *block, uint64_t outputs,
                            struct run_result *out, uint32_t *count, struct error *error)
{
    (void)device, (void)block, (void)outputs, (void)out, (void)error;
    *count = 0;
    return STATUS_OK;
}

static enum status no_results(struct error *error)
{
    return error_set(error, STATUS_INTERNAL, "this device computes nothing");
}

enum status nothing_show(struct device *device, const struct block *block, uint32_t run,
                         struct error *error)
{
    (void)device, (void)block, (void)run;
    return no_results(error);
}

enum status nothing_read(struct device *device, size_t index, void *out, size_t bytes,
                         struct error *error)
{
    (void)device, (void)index, (void)out, (void)bytes;
    return no_results(error);
}

enum status nothing_look(struct device *device, size_t index, const void **out, size_t bytes,
                         struct error *error)
{
    (void)device, (void)index, (void)out, (void)bytes;
    return no_results(error);
}

void nothing_drop_slots(struct device *device)
{
    (void)device;
}
