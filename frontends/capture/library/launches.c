/* Launches as they are counted: shapes, and both ends of each launch. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "frontends/capture/library/recorder.h"

static bool is_shape(const struct cap_shape *row, const struct launch_facts *launch)
{
    return memcmp(row->grid, launch->grid, sizeof row->grid) == 0 &&
           memcmp(row->block, launch->block, sizeof row->block) == 0 &&
           memcmp(row->cluster, launch->cluster, sizeof row->cluster) == 0 &&
           row->shared_bytes == launch->shared_bytes;
}

static struct shape *make_shape(struct kernel *kernel, const struct launch_facts *launch)
{
    const struct driver *driver = driver_get();
    CUdevice device = 0;
    struct cap_shape row = {
        .kernel = kernel->row->id,
        .is_rest = kernel->shape_count + 1 == CAP_SHAPES_MAX,
        .shared_bytes = launch->shared_bytes,
        .blocks_sm = -1,
        .bytes = launch_bytes(kernel, launch),
    };
    const uint64_t threads = (uint64_t)launch->block[0] * launch->block[1] * launch->block[2];
    memcpy(row.grid, launch->grid, sizeof row.grid);
    memcpy(row.block, launch->block, sizeof row.block);
    memcpy(row.cluster, launch->cluster, sizeof row.cluster);
    if (driver->current_device && driver->current_device(&device) == CUDA_SUCCESS)
        recorder_device(device);
    row.device = (uint32_t)device;
    if (!driver->occupancy || !kernel->function || threads == 0 || threads > 1024 ||
        driver->occupancy(&row.blocks_sm, kernel->function, (int)threads, row.shared_bytes) !=
            CUDA_SUCCESS)
        row.blocks_sm = -1;
    struct shape *shape = kernel->row == &kernel->spare ? NULL : calloc(1, sizeof *shape);
    if (shape)
        shape->row = cap_table_add(&recorder.table, CAP_SHAPE, &row, sizeof row, NULL, 0);
    if (shape && shape->row) {
        kernel->shape_count++;
        return shape;
    }
    free(shape);
    return NULL;
}

static struct shape *find_shape(struct kernel *kernel, const struct launch_facts *launch)
{
    struct shape *_Atomic *at = &kernel->shapes;
    struct shape *shape = NULL;
    while ((shape = atomic_load_explicit(at, memory_order_acquire))) {
        if (shape->row->is_rest || is_shape(shape->row, launch))
            return shape;
        at = &shape->next;
    }
    (void)pthread_mutex_lock(&recorder.lock);
    while ((shape = atomic_load(at)) && !shape->row->is_rest && !is_shape(shape->row, launch))
        at = &shape->next;
    if (!shape) {
        shape = make_shape(kernel, launch);
        atomic_store_explicit(at, shape, memory_order_release);
    }
    (void)pthread_mutex_unlock(&recorder.lock);
    return shape;
}

void recorder_before(const struct launch_facts *launch, struct seen *seen)
{
    const int error_number = errno;
    *seen = (struct seen){0};
    if (!launch->function || !recorder_begins())
        return;
    seen->kernel = recorder_kernel(launch->function);
    if (!seen->kernel || recorder.settings.applies) {
        errno = error_number;
        return;
    }
    seen->shape = find_shape(seen->kernel, launch);
    const uint64_t sequence = atomic_fetch_add(&recorder.sequence, 1);
    const uint64_t kernel_sequence =
        __atomic_fetch_add(&seen->kernel->row->launches, 1, __ATOMIC_RELAXED);
    if (seen->shape)
        (void)__atomic_fetch_add(&seen->shape->row->launches, 1, __ATOMIC_RELAXED);
    if (seen->kernel->is_wanted)
        seen->kept = keep_before(seen->kernel, launch, sequence, kernel_sequence);
    if (recorder.settings.times && !seen->kept)
        seen->timing = time_before(launch);
    errno = error_number;
}

void recorder_after(const struct launch_facts *launch, struct seen *seen, CUresult result)
{
    const int error_number = errno;
    if (seen->timing)
        time_after(seen->timing, launch, seen->kernel->row, seen->shape ? seen->shape->row : NULL,
                   result);
    if (seen->kept)
        keep_after(seen->kept, launch, result);
    if (seen->kernel && atomic_load_explicit(&recorder.capturing, memory_order_relaxed) > 0 &&
        launch_is_capturing(launch))
        (void)__atomic_fetch_add(&seen->kernel->row->graph_nodes, 1, __ATOMIC_RELAXED);
    errno = error_number;
}

void recorder_node(const void *any_node, bool has_kern)
{
    const CUDA_KERNEL_NODE_PARAMS *node = any_node;
    const struct launch_facts launch = {
        .function = has_kern && !node->func ? (CUfunction)(void *)node->kern : node->func,
        .entry = CAP_GRAPH_NODE,
        .grid = {node->gridDimX, node->gridDimY, node->gridDimZ},
        .block = {node->blockDimX, node->blockDimY, node->blockDimZ},
        .shared_bytes = node->sharedMemBytes,
        .parameters = node->kernelParams,
        .extra = node->extra,
    };
    struct seen seen;
    recorder_before(&launch, &seen);
    if (seen.kernel && recorder.settings.applies)
        apply_node(seen.kernel);
    if (seen.kernel)
        (void)__atomic_fetch_add(&seen.kernel->row->graph_nodes, 1, __ATOMIC_RELAXED);
    recorder_after(&launch, &seen, CUDA_SUCCESS);
}
