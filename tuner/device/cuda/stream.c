/* Launches of plans, one by one and as graphs. */
#include <string.h>

#include "tuner/device/cuda/measure.h"

/* ---- launches ---- */

enum { ATTRIBUTES_MAX = 3 };

/* Members that CUlaunchConfig and CUDA_KERNEL_NODE_PARAMS have alike. */
#define LAUNCH_SHAPE(launch)                                                                       \
    .gridDimX = (launch)->grid[0], .gridDimY = (launch)->grid[1], .gridDimZ = (launch)->grid[2],   \
    .blockDimX = (launch)->block[0], .blockDimY = (launch)->block[1],                              \
    .blockDimZ = (launch)->block[2], .sharedMemBytes = (launch)->shared_bytes

/* Collects a launch's attributes, besides the grid, for graphs and the stream; returns their
 * number. */
static unsigned attributes_of(const struct launch *launch, CUlaunchAttribute out[ATTRIBUTES_MAX])
{
    unsigned count = 0;
    memset(out, 0, ATTRIBUTES_MAX * sizeof *out);
    if (launch_cluster_blocks(launch) > 1) {
        CUlaunchAttribute *cluster = &out[count++];
        cluster->id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
        cluster->value.clusterDim.x = launch->cluster[0] > 1 ? launch->cluster[0] : 1;
        cluster->value.clusterDim.y = launch->cluster[1] > 1 ? launch->cluster[1] : 1;
        cluster->value.clusterDim.z = launch->cluster[2] > 1 ? launch->cluster[2] : 1;
    }
    if (launch->cooperative) {
        out[count].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
        out[count++].value.cooperative = 1;
    }
    return count;
}

static CUresult submit_launch(struct device *device, const struct prepared_launch *prepared,
                              uint32_t repeat)
{
    const struct launch *launch = prepared->launch;
    const struct cuda_driver *driver = device->driver;
    CUlaunchAttribute attributes[ATTRIBUTES_MAX];
    unsigned count = attributes_of(launch, attributes);
    if (launch->dependent) { /* in a graph an edge says so */
        attributes[count].id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
        attributes[count++].value.programmaticStreamSerializationAllowed = 1;
    }
    if (count == 0)
        return driver->cuLaunchKernel(prepared->kernel->function, launch->grid[0], launch->grid[1],
                                      launch->grid[2], launch->block[0], launch->block[1],
                                      launch->block[2], launch->shared_bytes, device->stream,
                                      (void **)(uintptr_t)prepared->arguments[repeat % 2], NULL);
    const CUlaunchConfig config = {LAUNCH_SHAPE(launch), .hStream = device->stream,
                                   .attrs = attributes, .numAttrs = count};
    return driver->cuLaunchKernelEx(&config, prepared->kernel->function,
                                    (void **)(uintptr_t)prepared->arguments[repeat % 2], NULL);
}

/* Calls a host function: a vector's value is its address, other values are passed by pointer. */
static enum status call_function(struct device *device, const struct prepared_plan *prepared,
                                 const struct prepared_launch *launch, uint32_t repeat,
                                 struct error *error)
{
    void *arguments[ARGUMENTS_MAX];
    for (size_t i = 0; i < launch->launch->argument_count; i++) {
        const struct argument *argument =
            &prepared->plan->arguments[launch_argument(launch->launch, i, repeat)];
        arguments[i] = launch->arguments[repeat % 2][i];
        if (role_is_vector(argument->role) && argument->texture.width == 0)
            memcpy(&arguments[i], arguments[i], sizeof arguments[i]);
    }
    const long long result = launch->function.call(arguments, device->stream);
    if (result == 0)
        return STATUS_OK;
    /* An error of the device says more. */
    const CUresult state = device->is_capturing ? CUDA_SUCCESS : device->driver->cuCtxSynchronize();
    return state != CUDA_SUCCESS
               ? cuda_error(device, state, error, "function %.160s", launch->launch->kernel)
               : host_function_failed(device->current->object, launch->launch, result, error);
}

enum status cuda_submit(struct device *device, struct error *error)
{
    const struct prepared_plan *prepared = &device->prepared;
    for (size_t i = 0; i < prepared->launch_count; i++) {
        const struct prepared_launch *launch = &prepared->launches[i];
        for (uint32_t repeat = 0; repeat < launch_repeats(launch->launch); repeat++) {
            if (launch->launch->is_function) {
                TRY(call_function(device, prepared, launch, repeat, error));
                continue;
            }
            CUresult result = submit_launch(device, launch, repeat);
            if (result == CUDA_SUCCESS)
                continue;
            char text[256];
            cuda_launch_text(launch->launch, text, sizeof text);
            return cuda_error(device, result, error, "%s", text);
        }
    }
    return STATUS_OK;
}

/* ---- graphs ---- */

static enum status add_runs(struct device *device, const struct block *block, CUgraph graph,
                            struct error *error)
{
    struct prepared_plan prepared;
    CUgraphNode last = NULL;
    TRY(cuda_prepare(device, block->plan, &prepared, error));
    for (uint32_t run = 0; run < block->runs; run++) {
        if (block->mode != L2_HOT)
            TRY(cuda_rotate(device, block->plan, run, &prepared, error));
        for (size_t i = 0; i < prepared.launch_count; i++) {
            const struct launch *launch = prepared.launches[i].launch;
            CUDA_KERNEL_NODE_PARAMS node = {.func = prepared.launches[i].kernel->function,
                                            LAUNCH_SHAPE(launch)};
            CUlaunchAttribute attributes[ATTRIBUTES_MAX];
            const unsigned count = attributes_of(launch, attributes);
            CUresult result = CUDA_SUCCESS;
            for (uint32_t repeat = 0; repeat < launch_repeats(launch) && result == CUDA_SUCCESS;
                 repeat++) {
                node.kernelParams = (void **)(uintptr_t)prepared.launches[i].arguments[repeat % 2];
                result = cuda_graph_append(device, graph, &last, &node, launch->dependent);
                for (unsigned k = 0; k < count && result == CUDA_SUCCESS; k++)
                    result = device->driver->cuGraphKernelNodeSetAttribute(last, attributes[k].id,
                                                                           &attributes[k].value);
            }
            if (result != CUDA_SUCCESS) {
                char text[256];
                cuda_launch_text(launch, text, sizeof text);
                return cuda_error(device, result, error, "%s in a graph", text);
            }
        }
    }
    return STATUS_OK;
}

/* Captures the calls of host functions. STATUS_UNAVAILABLE, with the reason, where they cannot be:
 * their runs are then issued on the stream. */
static enum status capture_runs(struct device *device, const struct block *block, CUgraph *out,
                                struct error *error)
{
    const char *name = block->plan->launches[0].kernel;
    enum status status = STATUS_OK;
    TRY(cuda_prepare(device, block->plan, &device->prepared, error));
    if (!device->current->is_called) {
        /* The first call makes handles and loads kernels, which no graph can hold. */
        cuda_note_runs(device, block->plan, 0, 1);
        TRY(cuda_submit(device, error));
        CUDA_TRY(cuStreamSynchronize(device->stream), "function %.160s", name);
        device->current->is_called = true;
        TRY(cuda_restore(device, block->plan, error));
    }
    double elapsed_ns = 0;
    if (functions_told(device->current->object, &elapsed_ns))
        return error_set(error, STATUS_UNAVAILABLE, "%.160s measures itself", name);
    if (!device->driver->cuStreamBeginCapture || !device->driver->cuStreamEndCapture)
        return error_set(error, STATUS_UNAVAILABLE, "the driver captures no streams");
    CUresult result =
        device->driver->cuStreamBeginCapture(device->stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
    device->is_capturing = true;
    for (uint32_t run = 0; result == CUDA_SUCCESS && status == STATUS_OK && run < block->runs;
         run++) {
        if (block->mode != L2_HOT)
            status = cuda_rotate(device, block->plan, run, &device->prepared, error);
        if (status == STATUS_OK)
            status = cuda_submit(device, error);
    }
    device->is_capturing = false;
    if (result == CUDA_SUCCESS)
        result = device->driver->cuStreamEndCapture(device->stream, out);
    if (status == STATUS_OK && result == CUDA_SUCCESS && *out)
        return STATUS_OK;
    functions_forget_error(device->current->object);
    if (status == STATUS_OK)
        (void)cuda_error(NULL, result, error, "capturing %.160s", name);
    return error->status = STATUS_UNAVAILABLE;
}

enum status cuda_build_graph(struct device *device, const struct block *block, CUgraphExec *out,
                             struct error *error)
{
    CUgraph graph = NULL;
    enum status status = STATUS_OK;
    if (plan_is_of_functions(block->plan)) {
        status = capture_runs(device, block, &graph, error);
    } else {
        CUDA_TRY(cuGraphCreate(&graph, 0), "making a graph");
        status = add_runs(device, block, graph, error);
    }
    if (status == STATUS_OK) {
        const CUresult result = cuda_graph_finish(device, graph, out);
        if (result != CUDA_SUCCESS) {
            char text[ERROR_TEXT_BYTES / 2];
            cuda_plan_text(block->plan, text, sizeof text);
            status = cuda_error(device, result, error, "%s as a graph", text);
        }
    }
    if (graph)
        (void)device->driver->cuGraphDestroy(graph);
    return status;
}
