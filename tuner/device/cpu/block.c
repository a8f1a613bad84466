#include <math.h>

#include "tuner/base/clock.h"
#include "tuner/device/cpu/launch.h"

static void run_timed(struct device *device, const struct prepared *prepared, double *elapsed_ns)
{
    int64_t start_ns = clock_now_ns();
    device->shown_copy = 0;
    run_once(device, prepared);
    device->busy_until_ns = clock_now_ns();
    *elapsed_ns = (double)(device->busy_until_ns - start_ns);
    float_modes_reset();
}

enum status cpu_run(struct device *device, const struct launch_plan *plan, double *elapsed_ns,
                    struct error *error)
{
    struct prepared prepared;
    enum status status = prepare(device, plan, &prepared, error);
    if (status != STATUS_OK)
        return status;
    device->timed_slot = -1;
    set_vectors(device, plan, ARGUMENT_OUTPUT, POISON);
    set_vectors(device, plan, ARGUMENT_SCRATCH, 0);
    restore_updates(device, plan);
    note_updates(device, plan, 1);
    guard_vectors(device, plan);
    turn_bands(device, plan);
    run_timed(device, &prepared, elapsed_ns);
    return STATUS_OK;
}

enum status cpu_run_again(struct device *device, const struct launch_plan *plan,
                          struct error *error)
{
    struct prepared prepared;
    double ignored_ns = 0;
    enum status status = prepare(device, plan, &prepared, error);
    if (status != STATUS_OK)
        return status;
    set_vectors(device, plan, ARGUMENT_OUTPUT, POISON);
    restore_updates(device, plan);
    note_updates(device, plan, 1);
    turn_bands(device, plan);
    run_timed(device, &prepared, &ignored_ns);
    return STATUS_OK;
}

enum status cpu_run_on(struct device *device, const struct launch_plan *plan, struct error *error)
{
    struct prepared prepared;
    double ignored_ns = 0;
    enum status status = prepare(device, plan, &prepared, error);
    if (status == STATUS_OK)
        run_timed(device, &prepared, &ignored_ns);
    return status;
}

void cpu_drop_slots(struct device *device)
{
    device->timed_slot = -1;
}

/* Whether the copies are so much that none of one is left in the caches when its turn comes again.
 */
static bool streams_by(const struct device *device, const struct launch_plan *plan)
{
    double caches = 0, copies = 0;
    for (int i = 0; i < device->machine.cores; i++)
        if (machine_cache_leader(&device->machine, i) == i)
            caches += (double)machine_flush_bytes(&device->machine, i) / 2;
    for (size_t i = 0; i < plan->argument_count; i++)
        if (argument_rotates(&plan->arguments[i]))
            copies += (double)device->shelves[i].bound->count *
                      (double)argument_bytes(&plan->arguments[i]);
    return copies >= STREAM_CACHES * caches;
}

/* The caches as the mode wants them; *copy: the first run's, or -1 when inputs do not rotate. */
static enum status bring_caches(struct device *device, const struct block *block,
                                const struct prepared *prepared, int64_t *copy, struct error *error)
{
    *copy = device->copies > 1 ? (int64_t)(block->draw & 1) : 0;
    note_updates(device, block->plan, block->mode == L2_HOT ? 1 : block->runs + (uint32_t)*copy);
    if (block->mode == L2_HOT) {
        *copy = -1;
        run_once(device, prepared);
        run_once(device, prepared);
        return STATUS_OK;
    }
    if (block->mode == L2_STREAM && streams_by(device, block->plan)) {
        note_updates(device, block->plan, UINT32_MAX);
        *copy = device->streamed;
        device->streamed += block->runs;
        return STATUS_OK;
    }
    return flush_caches(device, (uint32_t)*copy, block->runs, block->mode == L2_DIRTY, error);
}

static void run_block(struct device *device, struct prepared *prepared, uint32_t runs, int64_t copy)
{
    uint32_t next = copy >= 0 ? (uint32_t)copy % device->copies : 0;
    device->first_copy = next;
    for (uint32_t run = 0; run < runs; run++) {
        if (copy >= 0)
            rotate(prepared, next);
        next = next + 1 < device->copies ? next + 1 : 0;
        run_once(device, prepared);
    }
}

enum status ready_block(struct device *device, const struct block *block, struct prepared *prepared,
                        struct error *error)
{
    if (block->runs < 1)
        return error_set(error, STATUS_INTERNAL, "cpu: a block of no runs");
    enum status status = prepare(device, block->plan, prepared, error);
    if (status == STATUS_OK)
        status = warm_up_again(device, error);
    if (status == STATUS_OK && !block->prepared)
        set_vectors(device, block->plan, ARGUMENT_OUTPUT, POISON);
    if (status == STATUS_OK && (!block->prepared || device->timed_slot != block->slot))
        set_vectors(device, block->plan, ARGUMENT_SCRATCH, 0);
    device->timed_slot = status == STATUS_OK ? (int64_t)block->slot : -1;
    return status;
}

/* Nothing is kept for a slot: preparing takes a microsecond. */
enum status cpu_time_block(struct device *device, const struct block *block, double *elapsed_ns,
                           struct error *error)
{
    struct prepared prepared;
    int64_t copy = 0;
    enum status status = ready_block(device, block, &prepared, error);
    if (status == STATUS_OK)
        status = bring_caches(device, block, &prepared, &copy, error);
    if (status != STATUS_OK)
        return status;
    int64_t start_ns = clock_now_ns();
    run_block(device, &prepared, block->runs, copy);
    device->busy_until_ns = clock_now_ns();
    float_modes_reset();
    double block_ns =
        (double)(device->busy_until_ns - start_ns) - device->calibration.empty_pair_ns;
    /* What is shorter than the timer can tell is given as the least that it can. */
    *elapsed_ns = fmax(block_ns, device->calibration.tick_ns) / block->runs;
    return STATUS_OK;
}
