#include <math.h>

#include "tuner/base/clock.h"
#include "tuner/device/cuda/internal.h"

enum { HOT_RUNS = 2 };

/* Whether a block reads so much that its next one finds nothing of it in the L2. */
static bool streams(const struct device *device, const struct block *block)
{
    size_t bytes = 0;
    for (size_t i = 0; i < block->plan->argument_count; i++) {
        const struct vector *vector = &device->vectors[i];
        if (argument_rotates(&block->plan->arguments[i]))
            bytes += vector->bytes * (block->runs < vector->copies ? block->runs : vector->copies);
    }
    return bytes >= STREAM_CACHES * (device->flush_bytes / 2);
}

static enum status heat(struct device *device, const struct launch_plan *plan, struct error *error)
{
    struct prepared_plan prepared;
    enum status status = cuda_prepare(device, plan, &prepared, error);
    for (int i = 0; i < HOT_RUNS && status == STATUS_OK; i++)
        status = cuda_submit(device, &prepared, error);
    return status;
}

/* What lies in front of each block. */
static enum status set_cache(struct device *device, const struct block *block, struct error *error)
{
    switch (block->mode) {
    case L2_COLD:
        return cuda_flush(device, error);
    case L2_HOT:
        return heat(device, block->plan, error);
    case L2_STREAM:
        return streams(device, block) ? STATUS_OK : cuda_flush(device, error);
    case L2_DIRTY:
        return cuda_flush_dirty(device, error);
    }
    return error_set(error, STATUS_INTERNAL, "no cache mode %d", (int)block->mode);
}

static enum status timed_graph(struct device *device, const struct block *block, CUgraphExec graph,
                               double *block_ns, bool *again, struct error *error)
{
    char text[ERROR_TEXT_BYTES / 2];
    enum status status = set_cache(device, block, error);
    if (status != STATUS_OK)
        return status;
    CUresult result = cuda_gate_begin(device);
    if (result == CUDA_SUCCESS)
        result = device->driver->cuGraphLaunch(graph, device->stream);
    result = cuda_gate_end(device, result, block_ns, again);
    device->busy_until_ns = clock_now_ns();
    if (block->mode != L2_HOT)
        cuda_settle(device, block->runs - 1); /* what is read now is what it left behind */
    if (result == CUDA_SUCCESS)
        return STATUS_OK;
    cuda_plan_text(block->plan, text, sizeof text);
    return cuda_error(device, result, error, "%s", text);
}

/* What another plan left in the scratch is no ticket of this one; what uploads, copies and other
 * plans left in the L2 are dirty lines, more than one pass may push out. */
static enum status set_memory(struct device *device, const struct block *block, bool fresh,
                              struct error *error)
{
    bool strange = fresh || device->scratch_slot == NO_SLOT;
    if (!strange && device->scratch_slot == (int64_t)block->slot)
        return STATUS_OK;
    device->scratch_slot = NO_SLOT;
    enum status status = cuda_fill_places(device, block->plan, ARGUMENT_SCRATCH, 0, error);
    if (status == STATUS_OK && block->mode != L2_HOT && (strange || block->mode == L2_STREAM))
        status = cuda_flush(device, error);
    if (status == STATUS_OK)
        device->scratch_slot = block->slot;
    return status;
}

enum status cuda_block_ready(struct device *device, const struct block *block, CUgraphExec *out,
                             struct error *error)
{
    bool fresh = false;
    if (block->runs < 1 || block->runs > BLOCK_RUNS_MAX)
        return error_set(error, STATUS_INTERNAL, "a block of %u runs: 1 to %d", block->runs,
                         BLOCK_RUNS_MAX);
    if (block->slot >= DEVICE_SLOTS)
        return error_set(error, STATUS_INTERNAL, "slot %u of %d", block->slot, DEVICE_SLOTS);
    enum status status = cuda_slot_graph(device, block, out, &fresh, error);
    cuda_note_updates(device, block->plan);
    if (block->mode == L2_HOT)
        cuda_note_inputs(device, block->plan, 0, 1);
    else
        cuda_note_inputs(device, block->plan, device->first, block->runs);
    if (status == STATUS_OK && fresh)
        status = cuda_fill_places(device, block->plan, ARGUMENT_OUTPUT, POISON, error);
    if (status == STATUS_OK)
        status = set_memory(device, block, fresh, error);
    return status == STATUS_OK ? cuda_warm_again(device, error) : status;
}

enum status cuda_time_block(struct device *device, const struct block *block, double *elapsed_ns,
                            struct error *error)
{
    CUgraphExec graph = NULL;
    enum status status = cuda_block_ready(device, block, &graph, error);
    for (int tries = 0; tries < GATE_TRIES && status == STATUS_OK; tries++) {
        double block_ns = 0;
        bool again = false;
        device->repeated = tries > 0;
        status = timed_graph(device, block, graph, &block_ns, &again, error);
        if (status != STATUS_OK || again)
            continue;
        *elapsed_ns =
            fmax(block_ns - device->calibration.empty_pair_ns, device->calibration.tick_ns) /
            block->runs;
        return STATUS_OK;
    }
    return status == STATUS_OK ? cuda_too_busy(error) : status;
}
