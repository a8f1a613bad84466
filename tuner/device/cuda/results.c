/* Results of runs, as sums of memory that are made on the device. */
#include "tuner/base/hash.h"
#include "tuner/base/pack.h"
#include "tuner/base/text.h"
#include "tuner/device/cuda/measure.h"

/* Sums `count` of `all` that take turns, from `first` on and on from 0. */
static enum status sums_in_turn(struct device *device, CUdeviceptr start, size_t stride,
                                size_t bytes, uint32_t all, uint32_t first, uint32_t count,
                                uint64_t *out, struct error *error)
{
    uint32_t straight = first + count > all ? all - first : count;
    TRY(cuda_sums(device, start + first * stride, stride, bytes, straight, out, error));
    if (straight < count)
        TRY(cuda_sums(device, start, stride, bytes, count - straight, out + straight, error));
    return STATUS_OK;
}

enum status cuda_inputs_intact(struct device *device, const struct launch_plan *plan, bool *intact,
                               bool *worn, char *detail, size_t detail_bytes, struct error *error)
{
    uint64_t sums[SUMS_MAX] = {0};
    *intact = true;
    *worn = false;
    if (plan->argument_count != device->argument_count)
        return error_set(error, STATUS_INTERNAL, "the plan is not the one that was bound");
    for (size_t i = 0; i < plan->argument_count; i++) {
        struct vector *vector = &device->vectors[i];
        const struct argument *argument = &plan->arguments[i];
        bool same = true;
        if (argument->role != ARGUMENT_INPUT || !argument_is_bound(argument) || vector->used == 0 ||
            vector->bytes == 0)
            continue;
        /* The copies that runs got. */
        const uint32_t used = vector->used;
        vector->used = 0;
        TRY(sums_in_turn(device, cuda_vector_start(vector), vector->stride, vector->bytes,
                         vector->copies, vector->used_first, used, sums, error));
        for (uint32_t k = 0; k < used; k++) {
            const uint32_t copy = (vector->used_first + k) % vector->copies;
            const bool patched = copy < vector->patched && copy % 2 == 1;
            same = same && sums[k] == (patched ? vector->patched_sum : vector->sum);
        }
        if (same)
            continue;
        vector->uploaded = 0; /* given anew by the next binding */
        vector->filled = 0;
        if (*intact)
            (void)string_format(detail, detail_bytes, "it writes its input: '%s' is changed",
                                argument->name);
        *intact = false;
    }
    return STATUS_OK;
}

/* ---- runs of a block: small outputs have a place for each run, as far as places go; other outputs
 * hold the last run's result ---- */

/* Limit of bytes read of updates, which lie in the copies. */
static const size_t updates_most = 1 << 20;

enum status cuda_results(struct device *device, const struct block *block, uint64_t outputs,
                         struct run_result *out, uint32_t *count, struct error *error)
{
    const struct launch_plan *plan = block->plan;
    *count = block->runs < BLOCK_RUNS_MAX ? block->runs : BLOCK_RUNS_MAX;
    if (plan->argument_count != device->argument_count)
        return error_set(error, STATUS_INTERNAL, "the plan is not the one that was bound");
    for (size_t i = 0; i < plan->argument_count; i++) {
        const struct vector *vector = &device->vectors[i];
        if (!(outputs >> i & 1))
            continue;
        /* The last runs whose output still exists. */
        size_t kept = block->mode == L2_HOT ? 1 : vector->places;
        if (plan->arguments[i].role == ARGUMENT_UPDATE) {
            kept = vector->bytes > 0 ? updates_most / vector->bytes : BLOCK_RUNS_MAX;
            kept = kept < 1 ? 1 : kept;
            if (block->mode == L2_HOT || block->runs > vector->copies || device->repeated)
                kept = 0;
        }
        *count = kept < *count ? (uint32_t)kept : *count;
    }
    for (uint32_t i = 0; i < *count; i++) {
        uint32_t run = block->runs - *count + i;
        uint32_t copy = device->copies > 0 ? (run + device->first) % device->copies : 0;
        bool varied = device->varied && block->mode != L2_HOT && copy % 2 == 1;
        out[i] = (struct run_result){.run = run, .varied = varied};
    }
    for (size_t i = 0; *count > 0 && i < plan->argument_count; i++) {
        if (!(outputs >> i & 1))
            continue;
        uint64_t sums[BLOCK_RUNS_MAX] = {0};
        const struct vector *vector = &device->vectors[i];
        const bool is_update = plan->arguments[i].role == ARGUMENT_UPDATE;
        const uint32_t all = is_update ? vector->copies : vector->places;
        const CUdeviceptr start = cuda_vector_start(vector);
        TRY(block->mode == L2_HOT
                ? cuda_sums(device, start, 0, vector->bytes, 1, sums, error)
                : sums_in_turn(device, start - vector->wander,
                               is_update ? vector->stride : vector->place_bytes, vector->bytes, all,
                               (block->runs - *count + device->first) % all, *count, sums, error));
        for (uint32_t k = 0; k < *count; k++)
            out[k].sum = hash_u64(&sums[k], sizeof sums[k], out[k].sum + i);
    }
    return STATUS_OK;
}

enum status cuda_show(struct device *device, const struct block *block, uint32_t run,
                      struct error *error)
{
    (void)error;
    if (block->mode == L2_HOT)
        return STATUS_OK;
    cuda_settle(device, run);
    for (size_t i = 0; i < block->plan->argument_count; i++) {
        struct vector *vector = &device->vectors[i];
        if (block->plan->arguments[i].role == ARGUMENT_UPDATE && vector->copies > 0)
            vector->shown = (run + device->first) % vector->copies * vector->stride;
    }
    return STATUS_OK;
}
