/* What the runs of a block left behind: small outputs have a place for each run, as far as places
 * go, others what the last run left. */
#include "tuner/device/cuda/internal.h"

/* Of what is read and written, which lies in the copies, so much is looked at. */
static const size_t updates_most = 1 << 20;

/* How many of the last runs of the block left something of an output that is still there. */
static uint32_t runs_kept(const struct device *device, const struct block *block,
                          const struct argument *argument, const struct vector *vector)
{
    if (argument->role != ARGUMENT_UPDATE)
        return block->mode == L2_HOT ? 1 : vector->places;
    if (block->mode == L2_HOT || block->runs > device->copies || device->repeated)
        return 0;
    size_t most = vector->bytes > 0 ? updates_most / vector->bytes : BLOCK_RUNS_MAX;
    return most < 1 ? 1 : most > BLOCK_RUNS_MAX ? BLOCK_RUNS_MAX : (uint32_t)most;
}

/* Of one output, added to what others came to. */
static enum status add_sums(struct device *device, const struct block *block, size_t index,
                            struct run_result *out, uint32_t count, struct error *error)
{
    uint64_t sums[BLOCK_RUNS_MAX] = {0};
    const struct vector *vector = &device->vectors[index];
    bool is_update = block->plan->arguments[index].role == ARGUMENT_UPDATE;
    uint32_t all = is_update ? device->copies : vector->places;
    CUdeviceptr start = cuda_vector_start(vector) - vector->wander;
    size_t stride = is_update ? vector->stride : vector->place_bytes;
    uint32_t first = (block->runs - count + device->first) % all;
    enum status status =
        block->mode == L2_HOT
            ? cuda_sums(device, cuda_vector_start(vector), 0, vector->bytes, 1, sums, error)
            : cuda_sums_in_turn(device, start, stride, vector->bytes, all, first, count, sums,
                                error);
    for (uint32_t i = 0; status == STATUS_OK && i < count; i++)
        out[i].sum = hash_u64(&sums[i], sizeof sums[i], out[i].sum + index);
    return status;
}

enum status cuda_results(struct device *device, const struct block *block, uint32_t outputs,
                         struct run_result *out, uint32_t *count, struct error *error)
{
    const struct launch_plan *plan = block->plan;
    enum status status = STATUS_OK;
    *count = block->runs < BLOCK_RUNS_MAX ? block->runs : BLOCK_RUNS_MAX;
    if (plan->argument_count != device->argument_count)
        return error_set(error, STATUS_INTERNAL, "the plan is not the one that was bound");
    for (size_t i = 0; i < plan->argument_count; i++) {
        if (!(outputs >> i & 1))
            continue;
        uint32_t kept = runs_kept(device, block, &plan->arguments[i], &device->vectors[i]);
        *count = kept < *count ? kept : *count;
    }
    for (uint32_t i = 0; i < *count; i++) {
        uint32_t run = block->runs - *count + i;
        uint32_t copy = device->copies > 0 ? (run + device->first) % device->copies : 0;
        bool varied = device->varied && block->mode != L2_HOT && copy % 2 == 1;
        out[i] = (struct run_result){.run = run, .varied = varied};
    }
    for (size_t i = 0; status == STATUS_OK && *count > 0 && i < plan->argument_count; i++)
        if (outputs >> i & 1)
            status = add_sums(device, block, i, out, *count, error);
    return status;
}

enum status cuda_show(struct device *device, const struct block *block, uint32_t run,
                      struct error *error)
{
    (void)error;
    if (block->mode == L2_HOT)
        return STATUS_OK;
    cuda_settle(device, run);
    for (size_t i = 0; i < block->plan->argument_count; i++)
        if (block->plan->arguments[i].role == ARGUMENT_UPDATE && device->copies > 0)
            device->vectors[i].shown =
                (run + device->first) % device->copies * device->vectors[i].stride;
    return STATUS_OK;
}

void cuda_show_first(struct device *device)
{
    for (size_t i = 0; i < device->argument_count; i++)
        device->vectors[i].shown = 0;
}
