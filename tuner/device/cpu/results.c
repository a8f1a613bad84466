/* What the last run of a block left behind. */
#include "tuner/base/hash.h"
#include "tuner/device/cpu/device.h"

static uint32_t copy_of(const struct device *device, const struct block *block, uint32_t run)
{
    return block->mode == L2_HOT ? 0 : (device->first_copy + run) % device->copies;
}

enum status cpu_results(struct device *device, const struct block *block, uint32_t outputs,
                        struct run_result *out, uint32_t *count, struct error *error)
{
    const struct launch_plan *plan = block->plan;
    const uint32_t copy = copy_of(device, block, block->runs - 1);
    *count = 1;
    *out = (struct run_result){.run = block->runs - 1, .varied = device->varied && copy % 2 == 1};
    if (plan->argument_count != device->argument_count)
        return error_set(error, STATUS_INTERNAL, "cpu: the plan is not bound");
    for (size_t i = 0; i < plan->argument_count; i++) {
        bool is_update = plan->arguments[i].role == ARGUMENT_UPDATE;
        if (!(outputs >> i & 1))
            continue;
        if (is_update && (block->mode == L2_HOT || block->runs > device->copies))
            *count = 0; /* they were changed more than once */
        out->sum = hash_u64(vector_data(device->shelves[i].bound, is_update ? copy : 0),
                            argument_bytes(&plan->arguments[i]), out->sum + i);
    }
    return STATUS_OK;
}

enum status cpu_show(struct device *device, const struct block *block, uint32_t run,
                     struct error *error)
{
    (void)error;
    device->shown_copy = copy_of(device, block, run);
    return STATUS_OK;
}
