#include <dlfcn.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "tuner/base/clock.h"
#include "tuner/device/cpu/device.h"

/* As kernels/README.md has it. */
struct tune_block {
    long long index;
    long long count;
    int thread;
    int threads;
};
typedef void block_function(const struct tune_block *block, void *const *arguments);

struct prepared_launch {
    block_function *kernel;
    int64_t blocks;
    int threads;
    enum schedule schedule;
    void *arguments[ARGUMENTS_MAX];
};

/* A plan ready to run: functions found, arguments laid out. */
struct prepared {
    size_t count;
    struct prepared_launch launches[LAUNCHES_MAX];
    uint64_t scalars[ARGUMENTS_MAX];
    /* Places of inputs in the launches, which take another copy each run. */
    size_t rotated_count;
    struct {
        void **place;
        const struct vector *vector;
    } rotated[LAUNCHES_MAX * ARGUMENTS_MAX];
};

static int64_t to_integer(struct value value)
{
    return value.kind == VALUE_REAL ? (int64_t)value.real : value.integer;
}

static double to_real(struct value value)
{
    double real = 0;
    (void)value_number(value, &real);
    return real;
}

/* The value in its declared type at the start of 8 bytes, whatever the byte order. */
static uint64_t encode_scalar(const struct argument *argument)
{
    uint64_t out = 0;
    int64_t integer = to_integer(argument->scalar);
    double real = to_real(argument->scalar);
    float single = (float)real;
    int8_t narrow8 = (int8_t)integer;
    int16_t narrow16 = (int16_t)integer;
    int32_t narrow32 = (int32_t)integer;
    const void *from = &integer;
    if (argument->type == ELEMENT_F32)
        from = &single;
    else if (argument->type == ELEMENT_F64)
        from = &real;
    else if (element_bytes(argument->type) == 1)
        from = &narrow8;
    else if (element_bytes(argument->type) == 2)
        from = &narrow16;
    else if (element_bytes(argument->type) == 4)
        from = &narrow32;
    memcpy(&out, from, element_bytes(argument->type));
    return out;
}

static enum status find_kernel(const struct device *device, const char *name, block_function **out,
                               struct error *error)
{
    if (device->current == 0)
        return error_set(error, STATUS_INTERNAL, "cpu: no binary is loaded");
    const struct binary *binary = &device->binaries[device->current - 1];
    void *symbol = dlsym(binary->handle, name);
    if (!symbol)
        return error_set(error, STATUS_LAUNCH_FAILED,
                         "the kernel's source defines no function '%s' (%s)", name, binary->path);
    memcpy(out, &symbol, sizeof symbol);
    return STATUS_OK;
}

static enum status count_blocks(const struct launch *launch, int64_t *out, struct error *error)
{
    int64_t blocks = launch->grid[0];
    if (__builtin_mul_overflow(blocks, (int64_t)launch->grid[1], &blocks) ||
        __builtin_mul_overflow(blocks, (int64_t)launch->grid[2], &blocks) || blocks < 1)
        return error_set(error, STATUS_LAUNCH_FAILED,
                         "%s: a grid of %u x %u x %u blocks is not between 1 and 2^63",
                         launch->kernel, launch->grid[0], launch->grid[1], launch->grid[2]);
    *out = blocks;
    return STATUS_OK;
}

static enum status check_threads(const struct device *device, const struct launch *launch,
                                 struct error *error)
{
    int size = pool_size(device->pool);
    if (launch->threads < 1 || launch->threads > (uint32_t)size)
        return error_set(error, STATUS_LAUNCH_FAILED,
                         "%s: %u threads asked for, but this process may use 1 to %d (constrain "
                         "the experiment by 'threads <= cores')",
                         launch->kernel, launch->threads, size);
    return STATUS_OK;
}

static void lay_out_arguments(struct device *device, const struct launch_plan *plan,
                              const struct launch *launch, struct prepared *prepared,
                              struct prepared_launch *out)
{
    for (size_t i = 0; i < launch->argument_count; i++) {
        uint8_t index = launch->arguments[i];
        const struct vector *vector = &device->vectors[index];
        if (plan->arguments[index].role == ARGUMENT_SCALAR) {
            out->arguments[i] = &prepared->scalars[index];
            continue;
        }
        out->arguments[i] = vector->copies[0];
        if (plan->arguments[index].role == ARGUMENT_INPUT) {
            prepared->rotated[prepared->rotated_count].place = &out->arguments[i];
            prepared->rotated[prepared->rotated_count++].vector = vector;
        }
    }
}

static enum status check_bound(const struct device *device, const struct launch_plan *plan,
                               struct error *error)
{
    bool bound = plan->argument_count == device->argument_count;
    for (size_t i = 0; bound && i < plan->argument_count; i++)
        bound = plan->arguments[i].role == ARGUMENT_SCALAR || device->vectors[i].count > 0;
    for (size_t i = 0; bound && i < plan->launch_count; i++)
        for (size_t j = 0; j < plan->launches[i].argument_count; j++)
            bound = bound && plan->launches[i].arguments[j] < plan->argument_count;
    return bound ? STATUS_OK : error_set(error, STATUS_INTERNAL, "cpu: the plan is not bound");
}

static enum status prepare(struct device *device, const struct launch_plan *plan,
                           struct prepared *out, struct error *error)
{
    enum status status = check_bound(device, plan, error);
    out->count = plan->launch_count;
    out->rotated_count = 0;
    for (size_t i = 0; status == STATUS_OK && i < plan->argument_count; i++)
        out->scalars[i] = encode_scalar(&plan->arguments[i]);
    for (size_t i = 0; status == STATUS_OK && i < plan->launch_count; i++) {
        const struct launch *launch = &plan->launches[i];
        struct prepared_launch *to = &out->launches[i];
        to->threads = (int)launch->threads;
        to->schedule = launch->schedule;
        status = check_threads(device, launch, error);
        if (status == STATUS_OK)
            status = count_blocks(launch, &to->blocks, error);
        if (status == STATUS_OK)
            status = find_kernel(device, launch->kernel, &to->kernel, error);
        if (status == STATUS_OK)
            lay_out_arguments(device, plan, launch, out, to);
    }
    return status;
}

/* One launch while it runs. */
struct running {
    _Alignas(64) atomic_llong next; /* block to be taken */
    _Alignas(64) const struct prepared_launch *launch;
};

static void run_static(void *context, int thread, int threads)
{
    const struct prepared_launch *launch = ((struct running *)context)->launch;
    struct tune_block block = {.count = launch->blocks, .thread = thread, .threads = threads};
    /* Equal runs, the first `extra` one longer; no product that could overflow. */
    int64_t each = launch->blocks / threads, extra = launch->blocks % threads;
    int64_t start = each * thread + (thread < extra ? thread : extra);
    int64_t end = start + each + (thread < extra);
    for (block.index = start; block.index < end; block.index++)
        launch->kernel(&block, launch->arguments);
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
        launch->kernel(&block, launch->arguments);
    }
}

static void run_once(struct device *device, const struct prepared *prepared)
{
    for (size_t i = 0; i < prepared->count; i++) {
        const struct prepared_launch *launch = &prepared->launches[i];
        struct running running = {.next = 0, .launch = launch};
        bool queued = launch->schedule == SCHEDULE_QUEUED;
        pool_run(device->pool, launch->threads, queued ? run_queued : run_static, &running);
    }
}

static void rotate(struct prepared *prepared, uint32_t run)
{
    for (size_t i = 0; i < prepared->rotated_count; i++) {
        const struct vector *vector = prepared->rotated[i].vector;
        *prepared->rotated[i].place = vector->copies[run % vector->count];
    }
}

static int most_threads(const struct launch_plan *plan, int limit)
{
    uint32_t most = 1;
    for (size_t i = 0; i < plan->launch_count; i++)
        most = plan->launches[i].threads > most ? plan->launches[i].threads : most;
    return most < (uint32_t)limit ? (int)most : limit;
}

enum status cpu_bind(struct device *device, const struct launch_plan *plan,
                     const void *const *inputs, uint32_t copies, struct error *error)
{
    struct placement placement = {
        .pool = device->pool,
        .threads = most_threads(plan, pool_size(device->pool)),
        .many_nodes = device->machine.numa_nodes > 1,
        .bytes_max = (size_t)device->machine.memory_bytes / 4,
    };
    enum status status = STATUS_OK;
    device->argument_count = 0;
    for (size_t i = 0; status == STATUS_OK && i < plan->argument_count; i++) {
        const struct argument *argument = &plan->arguments[i];
        size_t bytes = (size_t)argument->count * element_bytes(argument->type);
        if (argument->role == ARGUMENT_INPUT)
            status =
                vector_upload(&device->vectors[i], &placement, argument, inputs[i], copies, error);
        else if (argument->role != ARGUMENT_SCALAR)
            status = vector_reserve(&device->vectors[i], &placement, bytes, error);
    }
    if (status == STATUS_OK)
        device->argument_count = plan->argument_count;
    return status;
}

enum status cpu_run(struct device *device, const struct launch_plan *plan, double *elapsed_ns,
                    struct error *error)
{
    struct prepared prepared;
    enum status status = prepare(device, plan, &prepared, error);
    if (status != STATUS_OK)
        return status;
    int threads = most_threads(plan, pool_size(device->pool));
    for (size_t i = 0; i < plan->argument_count; i++) {
        const struct argument *argument = &plan->arguments[i];
        size_t bytes = (size_t)argument->count * element_bytes(argument->type);
        if (argument->role == ARGUMENT_OUTPUT || argument->role == ARGUMENT_SCRATCH)
            fill_together(device->pool, threads, device->vectors[i].copies[0], NULL,
                          argument->role == ARGUMENT_OUTPUT ? 0xa5 : 0, bytes);
    }
    int64_t start_ns = clock_now_ns();
    run_once(device, &prepared);
    *elapsed_ns = (double)(clock_now_ns() - start_ns);
    return STATUS_OK;
}

enum status cpu_time_block(struct device *device, const struct launch_plan *plan, uint32_t runs,
                           enum l2_mode mode, bool was_prepared, double *elapsed_ns,
                           struct error *error)
{
    struct prepared prepared;
    (void)was_prepared; /* preparing takes a microsecond */
    if (runs < 1)
        return error_set(error, STATUS_INTERNAL, "cpu: a block of no runs");
    enum status status = prepare(device, plan, &prepared, error);
    if (status == STATUS_OK && mode == L2_COLD)
        status = flush_caches(device, error);
    if (status != STATUS_OK)
        return status;
    for (int i = 0; mode == L2_HOT && i < 2; i++)
        run_once(device, &prepared);
    int64_t start_ns = clock_now_ns();
    for (uint32_t run = 0; run < runs; run++) {
        if (mode == L2_COLD)
            rotate(&prepared, run);
        run_once(device, &prepared);
    }
    double block_ns = (double)(clock_now_ns() - start_ns) - device->calibration.empty_pair_ns;
    /* What is shorter than the timer can tell is given as the least that it can. */
    *elapsed_ns = fmax(block_ns, device->calibration.tick_ns) / runs;
    return STATUS_OK;
}

enum status cpu_read(struct device *device, size_t index, void *out, size_t bytes,
                     struct error *error)
{
    if (index >= device->argument_count || device->vectors[index].count == 0 ||
        bytes > device->vectors[index].bytes)
        return error_set(error, STATUS_INTERNAL, "cpu: argument %zu has no %zu bytes to be read",
                         index, bytes);
    memcpy(out, device->vectors[index].copies[0], bytes);
    return STATUS_OK;
}
