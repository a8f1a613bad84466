#include <math.h>

#include "tuner/base/clock.h"
#include "tuner/device/cuda/internal.h"

enum { GATE_TRIES = 3, HOT_RUNS = 2 };

void cuda_drop_graph(struct device *device)
{
    if (device->graph.exec)
        (void)device->driver->cuGraphExecDestroy(device->graph.exec);
    device->graph = (struct block_graph){0};
}

/* Appends one run to the chain of nodes that ends in *last (NULL: none yet). */
static enum status add_run(struct device *device, const struct prepared_plan *prepared,
                           CUgraph graph, CUgraphNode *last, struct error *error)
{
    for (size_t i = 0; i < prepared->launch_count; i++) {
        const struct launch *launch = prepared->launches[i].launch;
        CUDA_KERNEL_NODE_PARAMS node = {
            .func = prepared->launches[i].kernel->function,
            .gridDimX = launch->grid[0],
            .gridDimY = launch->grid[1],
            .gridDimZ = launch->grid[2],
            .blockDimX = launch->block[0],
            .blockDimY = launch->block[1],
            .blockDimZ = launch->block[2],
            .sharedMemBytes = launch->shared_bytes,
            .kernelParams = (void **)(uintptr_t)prepared->launches[i].arguments,
        };
        CUgraphNode before = *last;
        CUresult result = device->driver->cuGraphAddKernelNode(last, graph, before ? &before : NULL,
                                                               before ? 1 : 0, &node);
        if (result != CUDA_SUCCESS) {
            char text[256];
            cuda_launch_text(launch, text, sizeof text);
            return cuda_error(device, result, error, "%s in a graph", text);
        }
    }
    return STATUS_OK;
}

static enum status add_runs(struct device *device, const struct launch_plan *plan, uint32_t runs,
                            enum l2_mode mode, CUgraph graph, struct error *error)
{
    struct prepared_plan prepared;
    CUgraphNode last = NULL;
    enum status status = cuda_prepare(device, plan, &prepared, error);
    for (uint32_t run = 0; run < runs && status == STATUS_OK; run++) {
        if (mode == L2_COLD)
            cuda_rotate(device, plan, run, &prepared);
        status = add_run(device, &prepared, graph, &last, error);
    }
    return status;
}

static enum status instantiate(struct device *device, const struct launch_plan *plan, CUgraph graph,
                               struct error *error)
{
    const struct cuda_driver *cuda = device->driver;
    char text[ERROR_TEXT_BYTES / 2];
    CUresult result = cuda->cuGraphInstantiateWithFlags(&device->graph.exec, graph, 0);
    if (result != CUDA_SUCCESS)
        device->graph.exec = NULL;
    else
        result = cuda->cuGraphUpload(device->graph.exec, device->stream);
    if (result == CUDA_SUCCESS)
        return STATUS_OK;
    cuda_plan_text(plan, text, sizeof text);
    return cuda_error(device, result, error, "%s as a graph", text);
}

static enum status build_graph(struct device *device, const struct launch_plan *plan, uint32_t runs,
                               enum l2_mode mode, struct error *error)
{
    CUgraph graph = NULL;
    cuda_drop_graph(device);
    CUresult result = device->driver->cuGraphCreate(&graph, 0);
    if (result != CUDA_SUCCESS)
        return cuda_error(device, result, error, "making a graph");
    enum status status = add_runs(device, plan, runs, mode, graph, error);
    if (status == STATUS_OK)
        status = instantiate(device, plan, graph, error);
    (void)device->driver->cuGraphDestroy(graph);
    if (status != STATUS_OK)
        cuda_drop_graph(device);
    device->graph.runs = runs;
    device->graph.mode = mode;
    return status;
}

/* Cold: the L2 full of clean lines of another buffer. Hot: as two runs leave it. */
static enum status set_cache(struct device *device, const struct launch_plan *plan,
                             enum l2_mode mode, struct error *error)
{
    struct prepared_plan prepared;
    if (mode == L2_COLD)
        return cuda_harness_flush(device, error);
    enum status status = cuda_prepare(device, plan, &prepared, error);
    for (int i = 0; i < HOT_RUNS && status == STATUS_OK; i++)
        status = cuda_submit(device, &prepared, error);
    return status;
}

static enum status timed_graph(struct device *device, const struct launch_plan *plan,
                               enum l2_mode mode, double *block_ns, bool *again,
                               struct error *error)
{
    char text[ERROR_TEXT_BYTES / 2];
    enum status status = set_cache(device, plan, mode, error);
    if (status != STATUS_OK)
        return status;
    CUresult result = cuda_gate_begin(device);
    if (result == CUDA_SUCCESS)
        result = device->driver->cuGraphLaunch(device->graph.exec, device->stream);
    result = cuda_gate_end(device, result, block_ns, again);
    device->busy_until_ns = clock_now_ns();
    if (result == CUDA_SUCCESS)
        return STATUS_OK;
    cuda_plan_text(plan, text, sizeof text);
    return cuda_error(device, result, error, "%s", text);
}

static enum status make_ready(struct device *device, const struct launch_plan *plan, uint32_t runs,
                              enum l2_mode mode, bool prepared, struct error *error)
{
    const struct block_graph *graph = &device->graph;
    enum status status = STATUS_OK;
    if (!prepared || !graph->exec || graph->runs != runs || graph->mode != mode) {
        status = build_graph(device, plan, runs, mode, error);
        /* What another plan left there is no ticket of this one. */
        if (status == STATUS_OK)
            status = cuda_zero_scratch(device, plan, error);
        /* Uploads and copies left dirty lines, more than one pass may push out. */
        if (status == STATUS_OK && mode == L2_COLD)
            status = cuda_harness_flush(device, error);
    }
    return status == STATUS_OK ? cuda_warm_again(device, error) : status;
}

enum status cuda_time_block(struct device *device, const struct launch_plan *plan, uint32_t runs,
                            enum l2_mode mode, bool prepared, double *elapsed_ns,
                            struct error *error)
{
    if (runs < 1 || runs > RUNS_MAX)
        return error_set(error, STATUS_INTERNAL, "a block of %u runs: 1 to %d", runs, RUNS_MAX);
    enum status status = make_ready(device, plan, runs, mode, prepared, error);
    for (int tries = 0; tries < GATE_TRIES && status == STATUS_OK; tries++) {
        double block_ns = 0;
        bool again = false;
        status = timed_graph(device, plan, mode, &block_ns, &again, error);
        if (status != STATUS_OK || again)
            continue;
        *elapsed_ns =
            fmax(block_ns - device->calibration.empty_pair_ns, device->calibration.tick_ns) / runs;
        return STATUS_OK;
    }
    if (status != STATUS_OK)
        return status;
    return error_set(error, STATUS_TIMED_OUT,
                     "this process was stopped for over 2 s, %d times in a row: the machine is too "
                     "busy to measure on",
                     GATE_TRIES);
}
