/* Runs: a plan once, for checks, and many times back to back as a block, which is timed: a graph,
 * or launches one by one. */
#include <math.h>

#include "tuner/base/clock.h"
#include "tuner/base/text.h"
#include "tuner/device/gpu/gpu.h"

/* ---- binding ---- */

enum status gpu_bind(struct device *device, const struct launch_plan *plan,
                     const void *const *inputs, uint32_t copies, const struct patch *patches,
                     struct error *error)
{
    device->banded = copies < 1;
    device->uploads = false;
    if (copies < 1)
        copies = 1;
    enum status status = gpu_bind_vectors(device, plan, inputs, copies, error);
    if (status == STATUS_NO_MEMORY) {
        /* Leftovers of other problems take the memory. */
        gpu_drop_slots(device);
        gpu_drop_residents(device);
        gpu_free_vectors(device);
        status = gpu_bind_vectors(device, plan, inputs, copies, error);
    }
    if (status == STATUS_NO_MEMORY)
        gpu_free_vectors(device);
    if (device->uploads)
        device->busy_until_ns = clock_now_ns();
    return status == STATUS_OK && patches ? gpu_patch(device, plan, patches, error) : status;
}

/* ---- one run ---- */

static enum status wait_for_run(struct device *device, const struct launch_plan *plan,
                                double *elapsed_ns, struct error *error)
{
    char text[ERROR_TEXT_BYTES / 2];
    double read_ns = 0;
    int result = device->driver->record_event(device, 1);
    if (result == GPU_DONE)
        result = device->driver->wait(device);
    if (result == GPU_DONE)
        result = device->driver->elapsed(device, &read_ns);
    device->busy_until_ns = clock_now_ns();
    if (result != GPU_DONE) {
        gpu_plan_text(plan, text, sizeof text);
        return gpu_error(device, result, error, "%s", text);
    }
    *elapsed_ns = fmax(read_ns - device->calibration.empty_pair_ns, device->calibration.tick_ns);
    return STATUS_OK;
}

/* Copies data that kernels find outside of vectors: in surfaces and variables. */
static enum status carry(struct device *device, const struct launch_plan *plan, bool back,
                         struct error *error)
{
    TRY(device->driver->carry(device, plan, back, error));
    for (size_t i = 0; i < device->argument_count; i++) {
        const struct vector *vector = &device->vectors[i];
        const gpu_address start = gpu_vector_start(vector);
        if (!vector->variable)
            continue;
        const int result = device->driver->copy(device, back ? start : vector->variable,
                                                back ? vector->variable : start, vector->bytes);
        if (result != GPU_DONE)
            return gpu_error(device, result, error, "copying variable '%s'%s",
                             plan->arguments[i].symbol, back ? " back" : "");
    }
    return STATUS_OK;
}

enum status gpu_run(struct device *device, const struct launch_plan *plan, enum run_start start,
                    double *elapsed_ns, struct error *error)
{
    TRY(device->driver->prepare(device, plan, error));
    if (start != RUN_ON) {
        TRY(gpu_fill(device, plan, ARGUMENT_OUTPUT, POISON, false, error));
        TRY(gpu_restore(device, plan, error));
        TRY(start == RUN_FIRST ? gpu_write_guards(device, plan, error)
                               : gpu_turn_bands(device, plan, error));
    }
    if (start == RUN_FIRST)
        TRY(gpu_fill(device, plan, ARGUMENT_SCRATCH, 0, false, error));
    /* The scratch then differs from that of a slot's blocks. */
    device->scratch_slot = NO_SLOT;
    for (size_t i = 0; i < device->argument_count; i++)
        device->vectors[i].shown = 0; /* checked runs write to the shown place */
    gpu_note_runs(device, plan, 0, 1);
    TRY(carry(device, plan, false, error));
    int result = device->driver->record_event(device, 0);
    if (result != GPU_DONE)
        return gpu_error(device, result, error, "starting the timer");
    TRY(device->driver->submit(device, error));
    TRY(wait_for_run(device, plan, elapsed_ns, error));
    return carry(device, plan, true, error);
}

/* ---- graphs of blocks, one a slot. A graph holds the addresses and kernels of its building; a
 * graph whose memory or binary moved is built again. ---- */

static void drop(struct device *device, struct block_graph *graph)
{
    if (graph->graph)
        device->driver->destroy_graph(device, graph->graph);
    device->node_count -= graph->nodes;
    *graph = (struct block_graph){.graph = NULL};
}

void gpu_drop_slots(struct device *device)
{
    for (size_t i = 0; i < DEVICE_SLOTS; i++)
        drop(device, &device->slots[i]);
    device->scratch_slot = NO_SLOT;
}

void gpu_drop_code(struct device *device, uint64_t code)
{
    for (size_t i = 0; i < DEVICE_SLOTS; i++)
        if (device->slots[i].code == code)
            drop(device, &device->slots[i]);
}

/* Drops the least recently used graphs. */
static void make_room(struct device *device, size_t nodes)
{
    while (device->node_count > 0 && device->node_count + nodes > NODES_MAX) {
        struct block_graph *oldest = NULL;
        for (size_t i = 0; i < DEVICE_SLOTS; i++) {
            struct block_graph *graph = &device->slots[i];
            if (graph->graph && (!oldest || graph->used < oldest->used))
                oldest = graph;
        }
        drop(device, oldest);
    }
}

/* Returns the slot's graph for this block, kept or newly built (*fresh). */
static enum status slot_graph(struct device *device, const struct block *block, void **out,
                              bool *fresh, struct error *error)
{
    struct block_graph *graph = &device->slots[block->slot];
    if (!block->prepared)
        gpu_wander(device, block->draw);
    uint64_t layout = gpu_layout(device);
    *fresh = !block->prepared || graph->runs != block->runs || graph->mode != block->mode ||
             graph->issue != block->issue || graph->code != device->code || graph->layout != layout;
    *out = graph->graph;
    graph->used = ++device->slot_clock;
    if (!*fresh)
        return STATUS_OK;
    const bool is_graph = block->issue == ISSUE_GRAPH;
    size_t nodes = is_graph ? block->runs * plan_launches(block->plan) : 0;
    drop(device, graph);
    make_room(device, nodes);
    *out = NULL;
    enum status status =
        is_graph ? device->driver->build_graph(device, block, out, error) : STATUS_OK;
    if (status == STATUS_NO_MEMORY) {
        /* Graphs of other slots take the memory, and can be built again. */
        gpu_drop_slots(device);
        gpu_drop_residents(device);
        status = device->driver->build_graph(device, block, out, error);
    }
    if (status == STATUS_UNAVAILABLE && plan_is_of_functions(block->plan)) {
        (void)string_format(device->remark, sizeof device->remark,
                            "timed on the stream, with the host's time, not as a graph: %.900s",
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

/* Tells whether a block reads so much that the next one finds none of its data in the L2. */
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

static enum status flush(struct device *device, bool dirty, struct error *error)
{
    int result = device->driver->flush(device, dirty);
    return result == GPU_DONE ? STATUS_OK
                              : gpu_error(device, result, error, "emptying the L2 cache%s",
                                          dirty ? " by writing" : "");
}

/* Brings the cache into the state that the mode requires before each block. */
static enum status set_cache(struct device *device, const struct block *block, struct error *error)
{
    switch (block->mode) {
    case L2_COLD:
        return flush(device, false, error);
    case L2_HOT: {
        TRY(device->driver->prepare(device, block->plan, error));
        for (int i = 0; i < HOT_RUNS; i++)
            TRY(device->driver->submit(device, error));
        return STATUS_OK;
    }
    case L2_STREAM:
        return streams(device, block) ? STATUS_OK : flush(device, false, error);
    case L2_DIRTY:
        return flush(device, true, error);
    }
    return error_set(error, STATUS_INTERNAL, "no cache mode %d", (int)block->mode);
}

/* Issues the block's runs: as its graph, else one by one. */
static enum status issue_runs(struct device *device, const struct block *block, void *graph,
                              int *result, struct error *error)
{
    if (graph)
        *result = device->driver->launch_graph(device, graph);
    for (uint32_t run = 0; !graph && run < block->runs; run++) {
        if (block->mode != L2_HOT)
            TRY(device->driver->rotate(device, block->plan, run, error));
        TRY(device->driver->submit(device, error));
    }
    return STATUS_OK;
}

bool gpu_take_remark(struct device *device, char *out, size_t bytes)
{
    const bool is_there = device->remark[0] != '\0';
    (void)string_format(out, bytes, "%s", device->remark);
    device->remark[0] = '\0';
    return is_there;
}

/* Times runs that begin on an idle device as soon as the first is issued, without a gate. */
static enum status timed_eager(struct device *device, const struct block *block, double *block_ns,
                               int *result, struct error *error)
{
    const struct gpu_driver *driver = device->driver;
    *result = driver->wait(device);
    if (*result == GPU_DONE)
        *result = driver->record_event(device, 0);
    if (*result != GPU_DONE)
        return STATUS_OK;
    TRY(issue_runs(device, block, NULL, result, error));
    *result = driver->record_event(device, 1);
    if (*result == GPU_DONE)
        *result = driver->wait_event(device, 1);
    if (*result == GPU_DONE)
        *result = driver->elapsed(device, block_ns);
    return STATUS_OK;
}

static enum status timed_runs(struct device *device, const struct block *block, void *graph,
                              double *block_ns, bool *late, struct error *error)
{
    char text[ERROR_TEXT_BYTES / 2];
    int result = GPU_DONE;
    TRY(set_cache(device, block, error));
    if (!graph)
        TRY(device->driver->prepare(device, block->plan, error));
    enum status status = STATUS_OK;
    /* A host function may wait for the stream, which a closed gate would hold for ever. */
    if (block->issue == ISSUE_EAGER || (!graph && plan_is_of_functions(block->plan))) {
        status = timed_eager(device, block, block_ns, &result, error);
    } else {
        result = device->driver->gate_begin(device);
        if (result == GPU_DONE)
            status = issue_runs(device, block, graph, &result, error);
        result = device->driver->gate_end(device, result, block_ns, late);
        *block_ns -= device->calibration.empty_pair_ns;
    }
    device->busy_until_ns = clock_now_ns();
    if (block->mode != L2_HOT)
        gpu_settle(device, block->runs - 1); /* the last run's output is read */
    if (status != STATUS_OK)
        return status;
    if (result == GPU_DONE)
        return carry(device, block->plan, true, error);
    gpu_plan_text(block->plan, text, sizeof text);
    return gpu_error(device, result, error, "%s", text);
}

/* Prepares memory for a block. Scratch of another plan holds no valid tickets; uploads, copies and
 * other plans leave more dirty lines in the L2 than one pass may push out. */
static enum status set_memory(struct device *device, const struct block *block, bool fresh,
                              struct error *error)
{
    bool strange = fresh || device->scratch_slot == NO_SLOT;
    if (!strange && device->scratch_slot == (int64_t)block->slot)
        return STATUS_OK;
    device->scratch_slot = NO_SLOT;
    TRY(gpu_fill(device, block->plan, ARGUMENT_SCRATCH, 0, true, error));
    if (block->mode != L2_HOT && (strange || block->mode == L2_STREAM))
        TRY(flush(device, false, error));
    device->scratch_slot = block->slot;
    return STATUS_OK;
}

enum status gpu_block_ready(struct device *device, const struct block *block, void **out,
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
        gpu_note_runs(device, block->plan, 0, 1);
    else
        gpu_note_runs(device, block->plan, device->first, block->runs);
    if (status == STATUS_OK && fresh)
        status = gpu_fill(device, block->plan, ARGUMENT_OUTPUT, POISON, true, error);
    if (status == STATUS_OK)
        status = set_memory(device, block, fresh, error);
    if (status == STATUS_OK)
        status = carry(device, block->plan, false, error);
    return status == STATUS_OK ? gpu_warm_again(device, error) : status;
}

enum status gpu_time_block(struct device *device, const struct block *block, double *elapsed_ns,
                           struct error *error)
{
    void *graph = NULL;
    enum status status = gpu_block_ready(device, block, &graph, error);
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
    return status == STATUS_OK ? gpu_too_busy(error) : status;
}
