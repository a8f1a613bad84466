#include "tuner/device/cpu/launch.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

/* As kernels/README.md has it. */
struct tune_block {
    long long index;
    long long count;
    int thread;
    int threads;
};

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
        const struct vector *vector = device->shelves[index].bound;
        if (!role_is_vector(plan->arguments[index].role)) {
            out->arguments[i] = prepared->values[index];
            continue;
        }
        out->arguments[i] = vector_data(vector, 0);
        if (argument_rotates(&plan->arguments[index])) {
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
        bound = !argument_is_bound(&plan->arguments[i]) || device->shelves[i].bound;
    for (size_t i = 0; bound && i < plan->launch_count; i++)
        for (size_t j = 0; j < plan->launches[i].argument_count; j++)
            bound = bound && plan->launches[i].arguments[j] < plan->argument_count &&
                    !plan->arguments[plan->launches[i].arguments[j]].symbol;
    return bound ? STATUS_OK : error_set(error, STATUS_INTERNAL, "cpu: the plan is not bound");
}

enum status prepare(struct device *device, const struct launch_plan *plan, struct prepared *out,
                    struct error *error)
{
    enum status status = check_bound(device, plan, error);
    out->count = plan->launch_count;
    out->rotated_count = 0;
    for (size_t i = 0; status == STATUS_OK && i < plan->argument_count; i++) {
        size_t bytes = 0;
        if (!role_is_vector(plan->arguments[i].role))
            status = argument_pack(&plan->arguments[i], out->values[i], &bytes, error);
    }
    for (size_t i = 0; status == STATUS_OK && i < plan->launch_count; i++) {
        const struct launch *launch = &plan->launches[i];
        struct prepared_launch *to = &out->launches[i];
        to->threads = (int)launch->threads;
        to->schedule = launch->schedule;
        to->repeats = launch_repeats(launch);
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

void run_once(struct device *device, const struct prepared *prepared)
{
    for (size_t i = 0; i < prepared->count; i++) {
        const struct prepared_launch *launch = &prepared->launches[i];
        bool queued = launch->schedule == SCHEDULE_QUEUED;
        for (uint32_t repeat = 0; repeat < launch->repeats; repeat++) {
            struct running running = {.next = 0, .launch = launch};
            pool_run(device->pool, launch->threads, queued ? run_queued : run_static, &running);
        }
    }
}

void rotate(struct prepared *prepared, uint32_t run)
{
    for (size_t i = 0; i < prepared->rotated_count; i++) {
        const struct vector *vector = prepared->rotated[i].vector;
        *prepared->rotated[i].place = vector_data(vector, run % vector->count);
    }
}
