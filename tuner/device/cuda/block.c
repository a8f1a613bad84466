/* Runs: a plan once, for checks, and many times back to back as a block, which is timed: a graph,
 * or launches one by one. */
#include <math.h>

#include "tuner/base/clock.h"
#include "tuner/base/hash.h"
#include "tuner/base/random.h"
#include "tuner/base/text.h"
#include "tuner/device/cuda/measure.h"

/* ---- binding ---- */

enum status cuda_bind(struct device *device, const struct launch_plan *plan,
                      const void *const *inputs, uint32_t copies, const struct patch *patches,
                      struct error *error)
{
    device->banded = copies < 1;
    device->uploads = false;
    if (copies < 1)
        copies = 1;
    enum status status = cuda_bind_vectors(device, plan, inputs, copies, error);
    if (status == STATUS_NO_MEMORY) {
        /* Leftovers of other problems take the memory. */
        cuda_drop_graphs(device);
        cuda_drop_residents(device);
        cuda_free_vectors(device);
        status = cuda_bind_vectors(device, plan, inputs, copies, error);
    }
    if (status == STATUS_NO_MEMORY)
        cuda_free_vectors(device);
    if (device->uploads)
        device->busy_until_ns = clock_now_ns();
    return status == STATUS_OK && patches ? cuda_patch(device, plan, patches, error) : status;
}

/* ---- one run ---- */

/* As functions_told, of the current binary. */
static bool tell_time(const struct device *device, double *elapsed_ns)
{
    return device->current && functions_told(device->current->object, elapsed_ns);
}

/* Copies data that kernels find outside of vectors: in surfaces and variables. */
static enum status carry(struct device *device, const struct launch_plan *plan, bool back,
                         struct error *error)
{
    TRY(cuda_carry(device, plan, back, error));
    for (size_t i = 0; i < device->argument_count; i++) {
        const struct vector *vector = &device->vectors[i];
        const CUdeviceptr start = cuda_vector_start(vector);
        if (!vector->variable)
            continue;
        CUDA_TRY(cuMemcpyDtoDAsync(back ? start : vector->variable, back ? vector->variable : start,
                                   vector->bytes, device->stream),
                 "copying variable '%s'%s", plan->arguments[i].symbol, back ? " back" : "");
    }
    return STATUS_OK;
}

enum status cuda_run(struct device *device, const struct launch_plan *plan, enum run_start start,
                     double *elapsed_ns, struct error *error)
{
    TRY(cuda_prepare(device, plan, &device->prepared, error));
    if (start != RUN_ON) {
        TRY(cuda_fill(device, plan, ARGUMENT_OUTPUT, POISON, false, error));
        TRY(cuda_restore(device, plan, error));
        TRY(start == RUN_FIRST ? cuda_write_guards(device, plan, error)
                               : cuda_turn_bands(device, plan, error));
    }
    if (start == RUN_FIRST)
        TRY(cuda_fill(device, plan, ARGUMENT_SCRATCH, 0, false, error));
    /* The scratch then differs from that of a slot's blocks. */
    device->scratch_slot = NO_SLOT;
    for (size_t i = 0; i < device->argument_count; i++)
        device->vectors[i].shown = 0; /* checked runs write to the shown place */
    cuda_note_runs(device, plan, 0, 1);
    TRY(carry(device, plan, false, error));
    (void)tell_time(device, elapsed_ns); /* of calls before this one */
    if (start != RUN_ON)
        TRY(cuda_error(device, cuda_spoil_shared(device), error, "filling shared memory"));
    CUDA_TRY(cuEventRecord(device->begin, device->stream), "starting the timer");
    TRY(cuda_submit(device, error));
    double read_ns = 0;
    CUresult result = device->driver->cuEventRecord(device->end, device->stream);
    if (result == CUDA_SUCCESS)
        result = device->driver->cuStreamSynchronize(device->stream);
    if (result == CUDA_SUCCESS)
        result = cuda_elapsed(device, &read_ns);
    device->busy_until_ns = clock_now_ns();
    if (result != CUDA_SUCCESS) {
        char text[ERROR_TEXT_BYTES / 2];
        cuda_plan_text(plan, text, sizeof text);
        return cuda_error(device, result, error, "%s", text);
    }
    read_ns -= device->calibration.empty_pair_ns;
    (void)tell_time(device, &read_ns);
    *elapsed_ns = fmax(read_ns, device->calibration.tick_ns);
    return carry(device, plan, true, error);
}

/* Returns the slot's graph for this block, kept or newly built (*fresh). */
static enum status slot_graph(struct device *device, const struct block *block, CUgraphExec *out,
                              bool *fresh, struct error *error)
{
    struct block_graph *graph = &device->slots[block->slot];
    /* Small outputs, scratch and inputs move to other places. The distance from an SM to a line of
     * the L2 depends on the address: a partial result or a ticket in a fixed place, or inputs on
     * few pages, make a small kernel differ by a percent between processes. Over many places that
     * evens out. */
    if (!block->prepared)
        device->first = (uint32_t)(random_at(device->placing.seed, block->draw) >> 34);
    uint64_t places[ARGUMENTS_MAX][3];
    for (size_t i = 0; i < device->argument_count; i++) {
        const struct vector *vector = &device->vectors[i];
        places[i][0] = cuda_vector_start(vector) - vector->wander;
        places[i][1] = vector->stride;
        places[i][2] = vector->copies;
    }
    const uint64_t layout = hash_u64(places, device->argument_count * sizeof *places, 0);
    *fresh = !block->prepared || graph->runs != block->runs || graph->mode != block->mode ||
             graph->issue != block->issue || graph->code != device->code || graph->layout != layout;
    *out = graph->graph;
    graph->used = ++device->slot_clock;
    if (!*fresh)
        return STATUS_OK;
    const bool is_graph = block->issue == ISSUE_GRAPH;
    size_t nodes = is_graph ? block->runs * plan_launches(block->plan) : 0;
    cuda_drop_graph(device, graph);
    cuda_make_room(device, nodes);
    *out = NULL;
    enum status status = is_graph ? cuda_build_graph(device, block, out, error) : STATUS_OK;
    if (status == STATUS_NO_MEMORY) {
        /* Graphs of other slots take the memory, and can be built again. */
        cuda_drop_graphs(device);
        cuda_drop_residents(device);
        status = cuda_build_graph(device, block, out, error);
    }
    if (status == STATUS_UNAVAILABLE && plan_is_of_functions(block->plan)) {
        double elapsed_ns = 0;
        (void)string_format(
            device->remark, sizeof device->remark,
            tell_time(device, &elapsed_ns)
                ? "%.900s: timed by its own word, not as a graph"
                : "timed on the stream, with the host's time, not as a graph: %.900s",
            error->text);
        error_clear(error);
        *out = NULL;
        status = STATUS_OK;
    }
    if (status != STATUS_OK)
        return status;
    *graph = (struct block_graph){.graph = *out,
                                  .runs = block->runs,
                                  .mode = block->mode,
                                  .issue = block->issue,
                                  .code = device->code,
                                  .layout = layout,
                                  .nodes = *out ? nodes : 0,
                                  .used = device->slot_clock};
    device->node_count += graph->nodes;
    return STATUS_OK;
}

/* ---- blocks ---- */

enum { HOT_RUNS = 2 };

static enum status flush(struct device *device, bool dirty, struct error *error)
{
    CUresult result = cuda_flush(device, dirty);
    return cuda_error(device, result, error, "emptying the L2 cache%s", dirty ? " by writing" : "");
}

/* Brings the cache into the state that the mode requires before each block. */
static enum status set_cache(struct device *device, const struct block *block, struct error *error)
{
    size_t streamed = 0;
    if (block->mode == L2_HOT) {
        TRY(cuda_prepare(device, block->plan, &device->prepared, error));
        for (int i = 0; i < HOT_RUNS; i++)
            TRY(cuda_submit(device, error));
        return STATUS_OK;
    }
    for (size_t i = 0; block->mode == L2_STREAM && i < block->plan->argument_count; i++) {
        const struct vector *vector = &device->vectors[i];
        if (argument_rotates(&block->plan->arguments[i]))
            streamed +=
                vector->bytes * (block->runs < vector->copies ? block->runs : vector->copies);
    }
    /* A block that reads so much leaves none of its data for the next one. */
    if (block->mode == L2_STREAM && streamed >= STREAM_CACHES * (device->flush_bytes / 2))
        return STATUS_OK;
    return flush(device, block->mode == L2_DIRTY, error);
}

/* Issues the block's runs: as its graph, else one by one. */
static enum status issue_runs(struct device *device, const struct block *block, CUgraphExec graph,
                              CUresult *result, struct error *error)
{
    if (graph)
        *result = device->driver->cuGraphLaunch(graph, device->stream);
    for (uint32_t run = 0; !graph && run < block->runs; run++) {
        if (block->mode != L2_HOT)
            TRY(cuda_rotate(device, block->plan, run, &device->prepared, error));
        TRY(cuda_submit(device, error));
    }
    return STATUS_OK;
}

bool cuda_take_remark(struct device *device, char *out, size_t bytes)
{
    const bool is_there = device->remark[0] != '\0';
    (void)string_format(out, bytes, "%s", device->remark);
    device->remark[0] = '\0';
    return is_there;
}

/* Times runs that begin on an idle device as soon as the first is issued, without a gate. */
static enum status timed_eager(struct device *device, const struct block *block, double *block_ns,
                               CUresult *result, struct error *error)
{
    const struct cuda_driver *driver = device->driver;
    (void)tell_time(device, block_ns); /* of calls before this block */
    *result = driver->cuStreamSynchronize(device->stream);
    if (*result == CUDA_SUCCESS)
        *result = driver->cuEventRecord(device->begin, device->stream);
    if (*result != CUDA_SUCCESS)
        return STATUS_OK;
    TRY(issue_runs(device, block, NULL, result, error));
    *result = driver->cuEventRecord(device->end, device->stream);
    if (*result == CUDA_SUCCESS)
        *result = driver->cuEventSynchronize(device->end);
    if (*result == CUDA_SUCCESS)
        *result = cuda_elapsed(device, block_ns);
    (void)tell_time(device, block_ns);
    return STATUS_OK;
}

static enum status timed_runs(struct device *device, const struct block *block, CUgraphExec graph,
                              double *block_ns, bool *late, struct error *error)
{
    char text[ERROR_TEXT_BYTES / 2];
    CUresult result = CUDA_SUCCESS;
    TRY(set_cache(device, block, error));
    if (!graph)
        TRY(cuda_prepare(device, block->plan, &device->prepared, error));
    enum status status = STATUS_OK;
    /* A host function may wait for the stream, which a closed gate would hold for ever. */
    if (block->issue == ISSUE_EAGER || (!graph && plan_is_of_functions(block->plan))) {
        status = timed_eager(device, block, block_ns, &result, error);
    } else {
        result = cuda_gate_begin(device);
        if (result == CUDA_SUCCESS)
            status = issue_runs(device, block, graph, &result, error);
        result = cuda_gate_end(device, result, block_ns, late);
        *block_ns -= device->calibration.empty_pair_ns;
    }
    device->busy_until_ns = clock_now_ns();
    if (block->mode != L2_HOT)
        cuda_settle(device, block->runs - 1); /* the last run's output is read */
    if (status != STATUS_OK)
        return status;
    if (result == CUDA_SUCCESS)
        return carry(device, block->plan, true, error);
    cuda_plan_text(block->plan, text, sizeof text);
    return cuda_error(device, result, error, "%s", text);
}

enum status cuda_block_ready(struct device *device, const struct block *block, CUgraphExec *out,
                             struct error *error)
{
    bool fresh = false;
    if (block->runs < 1 || block->runs > BLOCK_RUNS_MAX)
        return error_set(error, STATUS_INTERNAL, "a block of %u runs: 1 to %d", block->runs,
                         BLOCK_RUNS_MAX);
    if (block->issue == ISSUE_STREAM && !plan_is_of_functions(block->plan) &&
        block->runs * plan_launches(block->plan) > QUEUED_MAX)
        return error_set(error, STATUS_LAUNCH_FAILED,
                         "%llu launches in a row: a stream holds %d behind the gate; "
                         "use --as graph or --as eager",
                         (unsigned long long)(block->runs * plan_launches(block->plan)),
                         QUEUED_MAX);
    if (block->slot >= DEVICE_SLOTS)
        return error_set(error, STATUS_INTERNAL, "slot %u of %d", block->slot, DEVICE_SLOTS);
    enum status status = slot_graph(device, block, out, &fresh, error);
    if (block->mode == L2_HOT)
        cuda_note_runs(device, block->plan, 0, 1);
    else
        cuda_note_runs(device, block->plan, device->first, block->runs);
    TRY(status);
    if (fresh)
        TRY(cuda_fill(device, block->plan, ARGUMENT_OUTPUT, POISON, true, error));
    /* Scratch of another plan holds no valid tickets; uploads, copies and other plans leave more
     * dirty lines in the L2 than one pass may push out. */
    const bool strange = fresh || device->scratch_slot == NO_SLOT;
    if (strange || device->scratch_slot != (int64_t)block->slot) {
        device->scratch_slot = NO_SLOT;
        TRY(cuda_fill(device, block->plan, ARGUMENT_SCRATCH, 0, true, error));
        if (block->mode != L2_HOT && (strange || block->mode == L2_STREAM))
            TRY(flush(device, false, error));
        device->scratch_slot = block->slot;
    }
    TRY(carry(device, block->plan, false, error));
    return cuda_warm_again(device, error);
}

enum status cuda_time_block(struct device *device, const struct block *block, double *elapsed_ns,
                            struct error *error)
{
    CUgraphExec graph = NULL;
    enum status status = cuda_block_ready(device, block, &graph, error);
    for (int tries = 0; tries < GATE_TRIES && status == STATUS_OK; tries++) {
        double block_ns = 0;
        bool late = false;
        device->repeated = tries > 0;
        status = timed_runs(device, block, graph, &block_ns, &late, error);
        if (status != STATUS_OK || late)
            continue;
        *elapsed_ns = fmax(block_ns, device->calibration.tick_ns) / block->runs;
        return STATUS_OK;
    }
    return status == STATUS_OK ? cuda_too_busy(error) : status;
}
