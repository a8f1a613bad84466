/* A plan made ready to run, run, and timed many times in a row. */
#include <dlfcn.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "tuner/base/clock.h"
#include "tuner/base/hash.h"
#include "tuner/base/random.h"
#include "tuner/device/cpu/device.h"
#include "tuner/device/functions.h"

/* Declared as in kernels/README.md. */
struct tune_block {
    long long index;
    long long count;
    int thread;
    int threads;
};

typedef void block_function(const struct tune_block *block, void *const *arguments);

struct prepared_launch {
    block_function *kernel;
    struct host_function function; /* in place of the kernel */
    int64_t blocks;
    int threads;
    uint32_t repeats;
    enum schedule schedule;
    const struct launch *launch;
    void *arguments[ARGUMENTS_MAX];
};

/* Functions found, arguments laid out. Holds pointers into itself: not to be copied. */
struct prepared {
    size_t count;
    struct prepared_launch launches[LAUNCHES_MAX];
    _Alignas(
        8) unsigned char values[ARGUMENTS_MAX][VALUE_BYTES_MAX]; /* values of scalars and structs */
    const struct launch_plan *plan;
    /* Places of inputs in the launches, which take another copy each run. */
    size_t rotated_count;
    struct {
        void **place;
        const struct vector *vector;
    } rotated[LAUNCHES_MAX * ARGUMENTS_MAX];
};

/* ---- preparing ---- */

/* Lets structs point to the vectors' copies for a run. */
static void point_structs(const struct device *device, struct prepared *prepared, uint32_t run)
{
    const struct launch_plan *plan = prepared->plan;
    for (size_t i = 0; i < plan->argument_count; i++)
        for (size_t j = 0; j < plan->argument_count && argument_is_bound(&plan->arguments[i]); j++)
            if (plan->arguments[j].field_count > 0) {
                const struct vector *vector = device->shelves[i].bound;
                const uint32_t copy =
                    argument_rotates(&plan->arguments[i]) ? run % vector->count : 0;
                argument_point(&plan->arguments[j], i, (uintptr_t)vector_data(vector, copy),
                               prepared->values[j]);
            }
}

/* Prepares a launch: finds its kernel or host function, and lays out the arguments. */
static enum status prepare_launch(const struct device *device, const struct launch_plan *plan,
                                  const struct launch *launch, struct prepared *out,
                                  struct prepared_launch *to, struct error *error)
{
    const int size = pool_size(device->pool);
    to->launch = launch;
    to->threads = (int)launch->threads;
    to->schedule = launch->schedule;
    to->repeats = launch_repeats(launch);
    to->blocks = launch->grid[0];
    to->kernel = NULL;
    if (launch->threads < 1 || launch->threads > (uint32_t)size)
        return error_set(error, STATUS_LAUNCH_FAILED,
                         "%s: %u threads requested, but this process may use 1 to %d (constrain "
                         "the experiment by 'threads <= cores')",
                         launch->kernel, launch->threads, size);
    if (__builtin_mul_overflow(to->blocks, (int64_t)launch->grid[1], &to->blocks) ||
        __builtin_mul_overflow(to->blocks, (int64_t)launch->grid[2], &to->blocks) || to->blocks < 1)
        return error_set(error, STATUS_LAUNCH_FAILED,
                         "%s: a grid of %u x %u x %u blocks is not between 1 and 2^63",
                         launch->kernel, launch->grid[0], launch->grid[1], launch->grid[2]);
    if (device->current == 0)
        return error_set(error, STATUS_INTERNAL, "cpu: no binary is loaded");
    const struct binary *binary = &device->binaries[device->current - 1];
    if (launch->is_function) {
        TRY(host_function_find(binary->handle, launch->kernel, &to->function, error));
        TRY(host_function_fits(&to->function, plan, launch, launch->argument_count, false, error));
    } else {
        void *symbol = dlsym(binary->handle, launch->kernel);
        if (!symbol)
            return error_set(error, STATUS_LAUNCH_FAILED,
                             "the kernel's source defines no function '%s' (%s)", launch->kernel,
                             binary->path);
        memcpy(&to->kernel, &symbol, sizeof symbol);
    }
    for (size_t k = 0; k < launch->argument_count; k++) {
        const uint8_t index = launch->arguments[k];
        const struct vector *vector = device->shelves[index].bound;
        if (!role_is_vector(plan->arguments[index].role)) {
            to->arguments[k] = out->values[index];
            continue;
        }
        to->arguments[k] = vector_data(vector, 0);
        if (argument_rotates(&plan->arguments[index])) {
            out->rotated[out->rotated_count].place = &to->arguments[k];
            out->rotated[out->rotated_count++].vector = vector;
        }
    }
    return STATUS_OK;
}

/* Prepares the plan bound last. Takes a microsecond. */
static enum status prepare(struct device *device, const struct launch_plan *plan,
                           struct prepared *out, struct error *error)
{
    bool bound = plan->argument_count == device->argument_count;
    for (size_t i = 0; bound && i < plan->argument_count; i++)
        bound = !argument_is_bound(&plan->arguments[i]) || device->shelves[i].bound;
    for (size_t i = 0; bound && i < plan->launch_count; i++)
        for (size_t j = 0; j < plan->launches[i].argument_count; j++)
            bound = bound && plan->launches[i].arguments[j] < plan->argument_count &&
                    !plan->arguments[plan->launches[i].arguments[j]].symbol;
    if (!bound)
        return error_set(error, STATUS_INTERNAL, "cpu: the plan is not bound");
    out->count = plan->launch_count;
    out->rotated_count = 0;
    out->plan = plan;
    for (size_t i = 0; i < plan->argument_count; i++) {
        size_t bytes = 0;
        if (!role_is_vector(plan->arguments[i].role))
            TRY(argument_pack(&plan->arguments[i], out->values[i], &bytes, error));
    }
    point_structs(device, out, 0);
    for (size_t i = 0; i < plan->launch_count; i++)
        TRY(prepare_launch(device, plan, &plan->launches[i], out, &out->launches[i], error));
    return STATUS_OK;
}

/* A launch while running. */
struct running {
    _Alignas(64) atomic_llong next; /* block to be taken */
    _Alignas(64) const struct prepared_launch *launch;
    struct device *device;
    void *const *arguments;
};

static void run_static(void *context, int thread, int threads)
{
    const struct running *running = context;
    const struct prepared_launch *launch = running->launch;
    struct tune_block block = {.count = launch->blocks, .thread = thread, .threads = threads};
    /* Equal runs, the first `extra` one longer; no product that could overflow. */
    int64_t each = launch->blocks / threads, extra = launch->blocks % threads;
    int64_t start = each * thread + (thread < extra ? thread : extra);
    int64_t end = start + each + (thread < extra);
    for (block.index = start; block.index < end; block.index++)
        launch->kernel(&block, running->arguments);
}

static void run_queued(void *context, int thread, int threads)
{
    struct running *running = context;
    const struct prepared_launch *launch = running->launch;
    struct tune_block block = {.count = launch->blocks, .thread = thread, .threads = threads};
    for (;;) {
        block.index = atomic_fetch_add_explicit(&running->next, 1, memory_order_relaxed);
        if (block.index >= launch->blocks)
            return;
        launch->kernel(&block, running->arguments);
    }
}

/* Calls a host function; the first failure of a run is kept for check_calls. */
static void run_function(void *context, int thread, int threads)
{
    const struct running *running = context;
    const long long result = running->launch->function.call(running->arguments, NULL);
    (void)thread, (void)threads;
    if (result != 0 && running->device->failed_result == 0) {
        running->device->failed_result = result;
        running->device->failed = running->launch->launch;
    }
}

static void run_once(struct device *device, const struct prepared *prepared)
{
    for (size_t i = 0; i < prepared->count; i++) {
        const struct prepared_launch *launch = &prepared->launches[i];
        bool queued = launch->schedule == SCHEDULE_QUEUED;
        void *swapped[ARGUMENTS_MAX];
        /* The arguments of every second repeat. */
        for (size_t j = 0; j < launch->launch->argument_count; j++)
            for (size_t k = 0; k < launch->launch->argument_count; k++)
                if (launch->launch->arguments[k] == launch_argument(launch->launch, j, 1))
                    swapped[j] = launch->arguments[k];
        for (uint32_t repeat = 0; repeat < launch->repeats; repeat++) {
            struct running running = {.next = 0,
                                      .launch = launch,
                                      .device = device,
                                      .arguments = repeat % 2 ? swapped : launch->arguments};
            pool_run(device->pool, launch->threads,
                     !launch->kernel ? run_function
                     : queued        ? run_queued
                                     : run_static,
                     &running);
        }
    }
}

/* Directs all inputs to the copies of this run. */
static void rotate(const struct device *device, struct prepared *prepared, uint32_t run)
{
    point_structs(device, prepared, run);
    for (size_t i = 0; i < prepared->rotated_count; i++) {
        const struct vector *vector = prepared->rotated[i].vector;
        *prepared->rotated[i].place = vector_data(vector, run % vector->count);
    }
}

/* Lets host functions run on all processors of the process: they start threads of their own. */
static void begin_calls(struct device *device, const struct launch_plan *plan)
{
    double earlier_ns = 0;
    device->failed_result = 0;
    if (!plan_is_of_functions(plan))
        return;
    pool_let_roam(device->pool, true);
    (void)functions_told(device->binaries[device->current - 1].handle, &earlier_ns);
}

/* Reverses begin_calls, and returns the first failure of a call. *elapsed_ns becomes the time of
 * functions that measure themselves. */
static enum status end_calls(struct device *device, const struct launch_plan *plan, uint32_t runs,
                             double *elapsed_ns, struct error *error)
{
    if (!plan_is_of_functions(plan))
        return STATUS_OK;
    void *object = device->binaries[device->current - 1].handle;
    double told_ns = 0;
    pool_let_roam(device->pool, false);
    if (functions_told(object, &told_ns))
        *elapsed_ns = fmax(told_ns, device->calibration.tick_ns) / runs;
    return device->failed_result == 0
               ? STATUS_OK
               : host_function_failed(object, device->failed, device->failed_result, error);
}

/* ---- runs and blocks ---- */

enum status cpu_run(struct device *device, const struct launch_plan *plan, enum run_start start,
                    double *elapsed_ns, struct error *error)
{
    struct prepared prepared;
    TRY(prepare(device, plan, &prepared, error));
    if (start == RUN_FIRST)
        device->timed_slot = -1;
    if (start != RUN_ON)
        begin_run(device, plan, start);
    carry_variables(device, false);
    begin_calls(device, plan);
    int64_t start_ns = clock_now_ns();
    device->shown_copy = 0;
    run_once(device, &prepared);
    device->busy_until_ns = clock_now_ns();
    *elapsed_ns = (double)(device->busy_until_ns - start_ns);
    float_modes_reset();
    carry_variables(device, true);
    return end_calls(device, plan, 1, elapsed_ns, error);
}

void cpu_drop_slots(struct device *device)
{
    device->timed_slot = -1;
}

/* Brings the caches into the mode's state; *copy: the first run's, or -1 when inputs do not rotate.
 */
static enum status bring_caches(struct device *device, const struct block *block,
                                const struct prepared *prepared, int64_t *copy, struct error *error)
{
    *copy = device->copies > 1 ? (int64_t)(random_at(block->draw, 0) & 1) : 0;
    note_updates(device, block->plan, block->mode == L2_HOT ? 1 : block->runs + (uint32_t)*copy);
    if (block->mode == L2_HOT) {
        *copy = -1;
        begin_calls(device, block->plan);
        double warm_ns = 0;
        run_once(device, prepared);
        run_once(device, prepared);
        return end_calls(device, block->plan, 2, &warm_ns, error);
    }
    if (block->mode == L2_STREAM) {
        const struct launch_plan *plan = block->plan;
        double caches = 0, copies = 0;
        for (int i = 0; i < device->machine.cores; i++)
            if (machine_cache_leader(&device->machine, i) == i)
                caches += (double)machine_flush_bytes(&device->machine, i) / 2;
        for (size_t i = 0; i < plan->argument_count; i++)
            if (argument_rotates(&plan->arguments[i]))
                copies += (double)device->shelves[i].bound->count *
                          (double)argument_bytes(&plan->arguments[i]);
        if (copies >= STREAM_CACHES * caches) { /* none of one copy is left by the next turn */
            note_updates(device, plan, UINT32_MAX);
            *copy = device->streamed;
            device->streamed += block->runs;
            return STATUS_OK;
        }
    }
    return flush_caches(device, (uint32_t)*copy, block->runs, block->mode == L2_DIRTY, error);
}

/* Makes a block ready: device warm, plan prepared, scratch left by the plan's own runs or zeroed.
 */
static enum status ready_block(struct device *device, const struct block *block,
                               struct prepared *prepared, struct error *error)
{
    if (block->runs < 1)
        return error_set(error, STATUS_INTERNAL, "cpu: a block of no runs");
    const bool is_same_slot = device->timed_slot == block->slot;
    device->timed_slot = -1;
    TRY(prepare(device, block->plan, prepared, error));
    TRY(warm_up_again(device, error));
    if (!block->prepared)
        set_vectors(device, block->plan, ARGUMENT_OUTPUT, POISON);
    if (!block->prepared || !is_same_slot)
        set_vectors(device, block->plan, ARGUMENT_SCRATCH, 0);
    carry_variables(device, false);
    device->timed_slot = (int64_t)block->slot;
    return STATUS_OK;
}

/* Measures a block. Slots keep no state, as preparing takes a microsecond. There is no queue: only
 * ISSUE_EAGER differs, where each run is timed by itself and has to wake its threads. */
enum status cpu_time_block(struct device *device, const struct block *block, double *elapsed_ns,
                           struct error *error)
{
    struct prepared prepared;
    int64_t copy = 0;
    const bool is_eager = block->issue == ISSUE_EAGER;
    TRY(ready_block(device, block, &prepared, error));
    TRY(bring_caches(device, block, &prepared, &copy, error));
    begin_calls(device, block->plan);
    int64_t start_ns = clock_now_ns();
    int64_t asleep_ns = 0;
    uint32_t next = copy >= 0 ? (uint32_t)copy % device->copies : 0;
    device->first_copy = next;
    for (uint32_t run = 0; run < block->runs; run++) {
        if (copy >= 0)
            rotate(device, &prepared, next);
        next = next + 1 < device->copies ? next + 1 : 0;
        if (is_eager) {
            const int64_t before_ns = clock_now_ns();
            /* As between calls of a program: the threads of earlier runs sleep. */
            const struct timespec look = {.tv_nsec = 50000};
            enum { LOOKS = 40 };
            for (int i = 0; i < LOOKS && pool_awake(device->pool) > 1; i++)
                (void)nanosleep(&look, NULL);
            asleep_ns += clock_now_ns() - before_ns;
        }
        run_once(device, &prepared);
    }
    device->busy_until_ns = clock_now_ns();
    float_modes_reset();
    carry_variables(device, true);
    double block_ns = (double)(device->busy_until_ns - start_ns - asleep_ns) -
                      device->calibration.empty_pair_ns * (is_eager ? 1 + block->runs : 1);
    /* A time below the timer's tick is given as the tick. */
    *elapsed_ns = fmax(block_ns, device->calibration.tick_ns) / block->runs;
    return end_calls(device, block->plan, block->runs, elapsed_ns, error);
}

/* ---- results of a block's last run ---- */

static uint32_t copy_of(const struct device *device, const struct block *block, uint32_t run)
{
    return block->mode == L2_HOT ? 0 : (device->first_copy + run) % device->copies;
}

enum status cpu_results(struct device *device, const struct block *block, uint64_t outputs,
                        struct run_result *out, uint32_t *count, struct error *error)
{
    const struct launch_plan *plan = block->plan;
    const uint32_t copy = copy_of(device, block, block->runs - 1);
    *count = 1;
    *out = (struct run_result){.run = block->runs - 1, .varied = device->varied && copy % 2 == 1};
    if (plan->argument_count != device->argument_count)
        return error_set(error, STATUS_INTERNAL, "cpu: the plan is not bound");
    for (size_t i = 0; i < plan->argument_count; i++) {
        const bool is_update = plan->arguments[i].role == ARGUMENT_UPDATE;
        const bool rotates = is_update && !device->shelves[i].variable;
        if (!(outputs >> i & 1))
            continue;
        if (is_update && (block->mode == L2_HOT || block->runs > (rotates ? device->copies : 1)))
            *count = 0; /* several runs changed the copies */
        out->sum = hash_u64(vector_data(device->shelves[i].bound, rotates ? copy : 0),
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

/* ---- energy ---- */

enum {
    LOOK_NS = 100 * 1000,          /* the counter moves about once a millisecond */
    STEP_PATIENCE_NS = 1000000000, /* a counter at rest for this long does not step at all */
};

/* Between two looks at the counter. */
struct watch {
    int64_t now_ns;
    double energy_j, runs;
    uint32_t copy;
};

/* Runs until the counter steps, and gives the step's size. */
static enum status run_to_step(struct device *device, struct prepared *prepared,
                               struct watch *watch, double *step_j, struct error *error)
{
    double before_j = watch->energy_j;
    int64_t start_ns = clock_now_ns();
    for (;;) {
        int64_t look_ns = clock_now_ns() + LOOK_NS;
        do {
            rotate(device, prepared, watch->copy++);
            run_once(device, prepared);
            watch->runs++;
            watch->now_ns = clock_now_ns();
        } while (watch->now_ns < look_ns);
        TRY(sensors_energy(&device->sensors, &watch->energy_j, error));
        *step_j = watch->energy_j - before_j;
        if (*step_j > 0)
            return STATUS_OK;
        if (watch->now_ns - start_ns > STEP_PATIENCE_NS)
            return error_set(error, STATUS_UNAVAILABLE,
                             "cpu: the processors' energy counter stands still, as in some "
                             "virtual machines: measure time only");
    }
}

enum status cpu_measure_energy(struct device *device, const struct block *block, double window_ms,
                               struct energy *out, struct error *error)
{
    struct prepared prepared;
    *out = (struct energy){0};
    TRY(ready_block(device, block, &prepared, error));
    note_updates(device, block->plan, UINT32_MAX);
    begin_calls(device, block->plan);
    struct watch watch = {0};
    double step_j = 0;
    enum status status = sensors_energy(&device->sensors, &watch.energy_j, error);
    if (status == STATUS_OK)
        status = run_to_step(device, &prepared, &watch, &step_j, error);
    struct watch first = watch;
    double least_j = INFINITY;
    do {
        if (status == STATUS_OK)
            status = run_to_step(device, &prepared, &watch, &step_j, error);
        least_j = fmin(least_j, step_j);
    } while (status == STATUS_OK && (double)(watch.now_ns - first.now_ns) < window_ms * 1e6);
    device->busy_until_ns = clock_now_ns();
    float_modes_reset();
    if (status == STATUS_OK)
        *out = (struct energy){.window_ns = (double)(watch.now_ns - first.now_ns),
                               .energy_j = watch.energy_j - first.energy_j,
                               .runs = watch.runs - first.runs,
                               .resolution_j = least_j};
    struct error failure = {0};
    double told_ns = 0;
    const enum status ended = end_calls(device, block->plan, block->runs, &told_ns, &failure);
    if (status == STATUS_OK && ended != STATUS_OK)
        *error = failure;
    return status == STATUS_OK ? ended : status;
}
