/* The driver behind tuner/device/gpu: memory, launches, graphs, events on one stream. */
#include <string.h>

#include "tuner/base/text.h"
#include "tuner/device/cuda/textures.h"

/* ---- memory ---- */

static int allocate(struct device *device, size_t bytes, gpu_address *out)
{
    CUdeviceptr address = 0;
    const CUresult result = cuda_of(device)->driver->cuMemAlloc(&address, bytes);
    *out = address;
    return (int)result;
}

static void release(struct device *device, gpu_address address)
{
    (void)cuda_of(device)->driver->cuMemFree(address);
}

static int free_bytes(struct device *device, size_t *out)
{
    size_t total = 0;
    return (int)cuda_of(device)->driver->cuMemGetInfo(out, &total);
}

static int allocate_pinned(struct device *device, size_t bytes, void **out)
{
    return (int)cuda_of(device)->driver->cuMemHostAlloc(out, bytes, 0);
}

static void release_pinned(struct device *device, void *memory)
{
    (void)cuda_of(device)->driver->cuMemFreeHost(memory);
}

static int copy_in(struct device *device, gpu_address to, const void *from, size_t bytes)
{
    const struct cuda *cuda = cuda_of(device);
    return (int)cuda->driver->cuMemcpyHtoDAsync(to, from, bytes, cuda->stream);
}

static int copy_out(struct device *device, void *to, gpu_address from, size_t bytes)
{
    const struct cuda *cuda = cuda_of(device);
    return (int)cuda->driver->cuMemcpyDtoHAsync(to, from, bytes, cuda->stream);
}

static int copy(struct device *device, gpu_address to, gpu_address from, size_t bytes)
{
    const struct cuda *cuda = cuda_of(device);
    return (int)cuda->driver->cuMemcpyDtoDAsync(to, from, bytes, cuda->stream);
}

static int fill(struct device *device, gpu_address to, unsigned char byte, size_t bytes)
{
    const struct cuda *cuda = cuda_of(device);
    return (int)cuda->driver->cuMemsetD8Async(to, byte, bytes, cuda->stream);
}

static int wait(struct device *device)
{
    return (int)cuda_of(device)->driver->cuStreamSynchronize(cuda_of(device)->stream);
}

/* ---- the harness's kernels ---- */

enum { SUM_THREADS = 256, SUM_BLOCKS_PER_SM = 8 };

static int add_sums(struct device *device, gpu_address first, uint64_t stride, uint64_t bytes,
                    uint32_t count)
{
    const struct cuda *cuda = cuda_of(device);
    void *arguments[] = {&first, &stride, &bytes, &device->sums};
    const uint64_t blocks = bytes / 16 / SUM_THREADS + 1;
    const uint64_t most = (uint64_t)device->sm_count * SUM_BLOCKS_PER_SM / count + 1;
    return (int)cuda->driver->cuLaunchKernel(cuda->harness.sum,
                                             (uint32_t)(blocks < most ? blocks : most), count, 1,
                                             SUM_THREADS, 1, 1, 0, cuda->stream, arguments, NULL);
}

static int patch(struct device *device, gpu_address first, uint64_t stride, uint32_t copies,
                 uint64_t width, uint64_t count, gpu_address at, gpu_address values)
{
    void *arguments[] = {&first, &stride, &width, &count, &at, &values};
    return (int)cuda_launch(device, cuda_of(device)->harness.patch, copies / 2,
                            sizeof((struct patch *)NULL)->values, arguments);
}

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

static CUresult submit(struct device *device, const struct prepared_launch *prepared,
                       uint32_t repeat)
{
    const struct launch *launch = prepared->launch;
    const struct cuda_driver *driver = cuda_of(device)->driver;
    CUlaunchAttribute attributes[ATTRIBUTES_MAX];
    unsigned count = attributes_of(launch, attributes);
    if (launch->dependent) { /* in a graph an edge says so */
        attributes[count].id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
        attributes[count++].value.programmaticStreamSerializationAllowed = 1;
    }
    if (count == 0)
        return driver->cuLaunchKernel(
            prepared->kernel->function, launch->grid[0], launch->grid[1], launch->grid[2],
            launch->block[0], launch->block[1], launch->block[2], launch->shared_bytes,
            cuda_of(device)->stream, (void **)(uintptr_t)prepared->arguments[repeat % 2], NULL);
    const CUlaunchConfig config = {LAUNCH_SHAPE(launch), .hStream = cuda_of(device)->stream,
                                   .attrs = attributes, .numAttrs = count};
    return driver->cuLaunchKernelEx(&config, prepared->kernel->function,
                                    (void **)(uintptr_t)prepared->arguments[repeat % 2], NULL);
}

static enum status prepare(struct device *device, const struct launch_plan *plan,
                           struct error *error)
{
    return cuda_prepare(device, plan, &cuda_of(device)->prepared, error);
}

static enum status rotate_prepared(struct device *device, const struct launch_plan *plan,
                                   uint32_t run, struct error *error)
{
    return cuda_rotate(device, plan, run, &cuda_of(device)->prepared, error);
}

/* Calls a host function: a vector's value is its address, other values are passed by pointer. */
static enum status call_function(struct device *device, const struct prepared_plan *prepared,
                                 const struct prepared_launch *launch, uint32_t repeat,
                                 struct error *error)
{
    const struct cuda *cuda = cuda_of(device);
    void *arguments[ARGUMENTS_MAX];
    for (size_t i = 0; i < launch->launch->argument_count; i++) {
        const struct argument *argument =
            &prepared->plan->arguments[launch_argument(launch->launch, i, repeat)];
        arguments[i] = launch->arguments[repeat % 2][i];
        if (role_is_vector(argument->role) && argument->texture.width == 0)
            memcpy(&arguments[i], arguments[i], sizeof arguments[i]);
    }
    const long long result = launch->function.call(arguments, cuda->stream);
    if (result == 0)
        return STATUS_OK;
    /* An error of the device says more. */
    const CUresult state = cuda->is_capturing ? CUDA_SUCCESS : cuda->driver->cuCtxSynchronize();
    return state != CUDA_SUCCESS
               ? cuda_error(device, state, error, "function %.160s", launch->launch->kernel)
               : host_function_failed(cuda->current->object, launch->launch, result, error);
}

static enum status submit_prepared(struct device *device, struct error *error)
{
    const struct prepared_plan *prepared = &cuda_of(device)->prepared;
    for (size_t i = 0; i < prepared->launch_count; i++) {
        const struct prepared_launch *launch = &prepared->launches[i];
        for (uint32_t repeat = 0; repeat < launch_repeats(launch->launch); repeat++) {
            if (launch->launch->is_function) {
                TRY(call_function(device, prepared, launch, repeat, error));
                continue;
            }
            CUresult result = submit(device, launch, repeat);
            if (result == CUDA_SUCCESS)
                continue;
            char text[256];
            gpu_launch_text(launch->launch, text, sizeof text);
            return cuda_error(device, result, error, "%s", text);
        }
    }
    return STATUS_OK;
}

/* ---- graphs ---- */

CUresult cuda_graph_append(struct device *device, CUgraph graph, CUgraphNode *last,
                           const CUDA_KERNEL_NODE_PARAMS *node, bool dependent)
{
    const struct cuda_edge edge = {.from_port = CUDA_PORT_PROGRAMMATIC,
                                   .type = CUDA_EDGE_PROGRAMMATIC};
    CUgraphNode before = *last;
    bool programmatic = before && dependent;
    bool follows = before && !dependent;
    CUresult result = cuda_of(device)->driver->cuGraphAddKernelNode(
        last, graph, follows ? &before : NULL, follows ? 1 : 0, node);
    if (result == CUDA_SUCCESS && programmatic)
        result = cuda_of(device)->driver->add_edges(graph, &before, last, &edge, 1);
    return result;
}

CUresult cuda_graph_finish(struct device *device, CUgraph graph, CUgraphExec *out)
{
    const struct cuda_driver *cuda = cuda_of(device)->driver;
    CUresult result = cuda->cuGraphInstantiateWithFlags(out, graph, 0);
    if (result != CUDA_SUCCESS) {
        *out = NULL;
        return result;
    }
    result = cuda->cuGraphUpload(*out, cuda_of(device)->stream);
    if (result != CUDA_SUCCESS) {
        (void)cuda->cuGraphExecDestroy(*out);
        *out = NULL;
    }
    return result;
}

static CUresult append_launch(struct device *device, const struct launch *launch, CUgraph graph,
                              CUgraphNode *last, const CUDA_KERNEL_NODE_PARAMS *node)
{
    CUlaunchAttribute attributes[ATTRIBUTES_MAX];
    const unsigned count = attributes_of(launch, attributes);
    CUresult result = cuda_graph_append(device, graph, last, node, launch->dependent);
    for (unsigned i = 0; i < count && result == CUDA_SUCCESS; i++)
        result = cuda_of(device)->driver->cuGraphKernelNodeSetAttribute(*last, attributes[i].id,
                                                                        &attributes[i].value);
    return result;
}

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
            CUresult result = CUDA_SUCCESS;
            for (uint32_t repeat = 0; repeat < launch_repeats(launch) && result == CUDA_SUCCESS;
                 repeat++) {
                node.kernelParams = (void **)(uintptr_t)prepared.launches[i].arguments[repeat % 2];
                result = append_launch(device, launch, graph, &last, &node);
            }
            if (result != CUDA_SUCCESS) {
                char text[256];
                gpu_launch_text(launch, text, sizeof text);
                return cuda_error(device, result, error, "%s in a graph", text);
            }
        }
    }
    return STATUS_OK;
}

/* Calls the functions once before they are captured, unless they were called already: their first
 * call makes handles and loads kernels, which no graph can hold. */
static enum status call_first(struct device *device, const struct launch_plan *plan,
                              struct error *error)
{
    struct cuda *cuda = cuda_of(device);
    if (cuda->current->is_called)
        return STATUS_OK;
    gpu_note_runs(device, plan, 0, 1);
    TRY(submit_prepared(device, error));
    const CUresult result = cuda->driver->cuStreamSynchronize(cuda->stream);
    if (result != CUDA_SUCCESS)
        return cuda_error(device, result, error, "function %.160s", plan->launches[0].kernel);
    cuda->current->is_called = true;
    return gpu_restore(device, plan, error);
}

/* Captures the calls of host functions. STATUS_UNAVAILABLE, with the reason, where they cannot be:
 * their runs are then issued on the stream. */
static enum status capture_runs(struct device *device, const struct block *block, CUgraph *out,
                                struct error *error)
{
    struct cuda *cuda = cuda_of(device);
    enum status status = cuda_prepare(device, block->plan, &cuda->prepared, error);
    if (status == STATUS_OK)
        status = call_first(device, block->plan, error);
    if (status != STATUS_OK)
        return status;
    if (!cuda->driver->cuStreamBeginCapture || !cuda->driver->cuStreamEndCapture)
        return error_set(error, STATUS_UNAVAILABLE, "the driver captures no streams");
    CUresult result =
        cuda->driver->cuStreamBeginCapture(cuda->stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
    cuda->is_capturing = true;
    for (uint32_t run = 0; result == CUDA_SUCCESS && status == STATUS_OK && run < block->runs;
         run++) {
        if (block->mode != L2_HOT)
            status = cuda_rotate(device, block->plan, run, &cuda->prepared, error);
        if (status == STATUS_OK)
            status = submit_prepared(device, error);
    }
    cuda->is_capturing = false;
    if (result == CUDA_SUCCESS)
        result = cuda->driver->cuStreamEndCapture(cuda->stream, out);
    if (status == STATUS_OK && result == CUDA_SUCCESS && *out)
        return STATUS_OK;
    functions_forget_error(cuda->current->object);
    if (status == STATUS_OK)
        (void)cuda_error(NULL, result, error, "capturing %.160s", block->plan->launches[0].kernel);
    return error->status = STATUS_UNAVAILABLE;
}

static enum status build_graph(struct device *device, const struct block *block, void **out,
                               struct error *error)
{
    CUgraph graph = NULL;
    enum status status = STATUS_OK;
    CUresult result = CUDA_SUCCESS;
    if (plan_is_of_functions(block->plan)) {
        status = capture_runs(device, block, &graph, error);
    } else {
        result = cuda_of(device)->driver->cuGraphCreate(&graph, 0);
        if (result != CUDA_SUCCESS)
            return cuda_error(device, result, error, "making a graph");
        status = add_runs(device, block, graph, error);
    }
    if (status == STATUS_OK) {
        CUgraphExec exec = NULL;
        result = cuda_graph_finish(device, graph, &exec);
        *out = exec;
        if (result != CUDA_SUCCESS) {
            char text[ERROR_TEXT_BYTES / 2];
            gpu_plan_text(block->plan, text, sizeof text);
            status = cuda_error(device, result, error, "%s as a graph", text);
        }
    }
    if (graph)
        (void)cuda_of(device)->driver->cuGraphDestroy(graph);
    return status;
}

static void destroy_graph(struct device *device, void *graph)
{
    (void)cuda_of(device)->driver->cuGraphExecDestroy(graph);
}

static int launch_graph(struct device *device, void *graph)
{
    return (int)cuda_of(device)->driver->cuGraphLaunch(graph, cuda_of(device)->stream);
}

/* ---- events ---- */

static CUevent event_of(const struct device *device, int event)
{
    return event == 0 ? cuda_of(device)->begin : cuda_of(device)->end;
}

static int record_event(struct device *device, int event)
{
    const struct cuda *cuda = cuda_of(device);
    return (int)cuda->driver->cuEventRecord(event_of(device, event), cuda->stream);
}

static int query_event(struct device *device, int event)
{
    const CUresult result = cuda_of(device)->driver->cuEventQuery(event_of(device, event));
    return result == CUDA_ERROR_NOT_READY ? GPU_NOT_READY : (int)result;
}

static int wait_event(struct device *device, int event)
{
    return (int)cuda_of(device)->driver->cuEventSynchronize(event_of(device, event));
}

static int elapsed(struct device *device, double *elapsed_ns)
{
    const struct cuda *cuda = cuda_of(device);
    float elapsed_ms = 0;
    const CUresult result = cuda->driver->cuEventElapsedTime(&elapsed_ms, cuda->begin, cuda->end);
    *elapsed_ns = (double)elapsed_ms * 1e6;
    return (int)result;
}

const struct gpu_driver cuda_gpu_driver = {
    .fail = cuda_fail,
    .allocate = allocate,
    .release = release,
    .free_bytes = free_bytes,
    .allocate_pinned = allocate_pinned,
    .release_pinned = release_pinned,
    .copy_in = copy_in,
    .copy_out = copy_out,
    .copy = copy,
    .fill = fill,
    .generates = cuda_generates,
    .generate = cuda_generate,
    .wait = wait,
    .carry = cuda_carry,
    .find_variable = cuda_find_variable,
    .set_symbol = cuda_set_symbol,
    .add_sums = add_sums,
    .patch = patch,
    .compare = cuda_compare,
    .prepare = prepare,
    .rotate = rotate_prepared,
    .submit = submit_prepared,
    .build_graph = build_graph,
    .destroy_graph = destroy_graph,
    .launch_graph = launch_graph,
    .flush = cuda_flush,
    .anchor_pass = cuda_anchor_pass,
    .gate_begin = cuda_gate_begin,
    .gate_end = cuda_gate_end,
    .record_event = record_event,
    .query_event = query_event,
    .wait_event = wait_event,
    .elapsed = elapsed,
    .clock_mhz = cuda_sm_clock,
    .read_energy = cuda_read_energy,
};
