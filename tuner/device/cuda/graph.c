/* The graphs of blocks, one a slot. A graph holds addresses and kernels as they were when it was
 * built; one that memory or modules have moved away from is built again. */
#include "tuner/device/cuda/internal.h"

static void drop(struct device *device, struct block_graph *graph)
{
    if (graph->exec)
        (void)device->driver->cuGraphExecDestroy(graph->exec);
    device->node_count -= graph->nodes;
    *graph = (struct block_graph){.exec = NULL};
}

void cuda_drop_slots(struct device *device)
{
    for (size_t i = 0; i < DEVICE_SLOTS; i++)
        drop(device, &device->slots[i]);
    device->scratch_slot = NO_SLOT;
}

void cuda_drop_module_slots(struct device *device, uint64_t serial)
{
    for (size_t i = 0; i < DEVICE_SLOTS; i++)
        if (device->slots[i].module == serial)
            drop(device, &device->slots[i]);
}

CUresult cuda_graph_append(struct device *device, CUgraph graph, CUgraphNode *last,
                           const CUDA_KERNEL_NODE_PARAMS *node, bool dependent)
{
    const struct cuda_edge edge = {.from_port = CUDA_PORT_PROGRAMMATIC,
                                   .type = CUDA_EDGE_PROGRAMMATIC};
    CUgraphNode before = *last;
    bool programmatic = before && dependent;
    bool follows = before && !dependent;
    CUresult result = device->driver->cuGraphAddKernelNode(last, graph, follows ? &before : NULL,
                                                           follows ? 1 : 0, node);
    if (result == CUDA_SUCCESS && programmatic)
        result = device->driver->add_edges(graph, &before, last, &edge, 1);
    return result;
}

CUresult cuda_graph_finish(struct device *device, CUgraph graph, CUgraphExec *out)
{
    const struct cuda_driver *cuda = device->driver;
    CUresult result = cuda->cuGraphInstantiateWithFlags(out, graph, 0);
    if (result != CUDA_SUCCESS) {
        *out = NULL;
        return result;
    }
    result = cuda->cuGraphUpload(*out, device->stream);
    if (result != CUDA_SUCCESS) {
        (void)cuda->cuGraphExecDestroy(*out);
        *out = NULL;
    }
    return result;
}

/* Appends one run of the plan. */
static enum status add_run(struct device *device, const struct prepared_plan *prepared,
                           CUgraph graph, CUgraphNode *last, struct error *error)
{
    for (size_t i = 0; i < prepared->launch_count; i++) {
        const struct launch *launch = prepared->launches[i].launch;
        const CUDA_KERNEL_NODE_PARAMS node = {
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
        CUresult result = CUDA_SUCCESS;
        for (uint32_t repeat = 0; repeat < launch_repeats(launch) && result == CUDA_SUCCESS;
             repeat++)
            result = cuda_graph_append(device, graph, last, &node, launch->dependent);
        if (result != CUDA_SUCCESS) {
            char text[256];
            cuda_launch_text(launch, text, sizeof text);
            return cuda_error(device, result, error, "%s in a graph", text);
        }
    }
    return STATUS_OK;
}

static enum status add_runs(struct device *device, const struct block *block, CUgraph graph,
                            struct error *error)
{
    struct prepared_plan prepared;
    CUgraphNode last = NULL;
    enum status status = cuda_prepare(device, block->plan, &prepared, error);
    for (uint32_t run = 0; run < block->runs && status == STATUS_OK; run++) {
        if (block->mode != L2_HOT)
            cuda_rotate(device, block->plan, run, &prepared);
        status = add_run(device, &prepared, graph, &last, error);
    }
    return status;
}

static enum status build(struct device *device, const struct block *block, CUgraphExec *out,
                         struct error *error)
{
    CUgraph graph = NULL;
    CUresult result = device->driver->cuGraphCreate(&graph, 0);
    if (result != CUDA_SUCCESS)
        return cuda_error(device, result, error, "making a graph");
    enum status status = add_runs(device, block, graph, error);
    if (status == STATUS_OK) {
        result = cuda_graph_finish(device, graph, out);
        if (result != CUDA_SUCCESS) {
            char text[ERROR_TEXT_BYTES / 2];
            cuda_plan_text(block->plan, text, sizeof text);
            status = cuda_error(device, result, error, "%s as a graph", text);
        }
    }
    (void)device->driver->cuGraphDestroy(graph);
    return status;
}

/* Those used longest ago go. */
static void make_room(struct device *device, size_t nodes)
{
    while (device->node_count > 0 && device->node_count + nodes > NODES_MAX) {
        struct block_graph *oldest = NULL;
        for (size_t i = 0; i < DEVICE_SLOTS; i++) {
            struct block_graph *graph = &device->slots[i];
            if (graph->exec && (!oldest || graph->used < oldest->used))
                oldest = graph;
        }
        drop(device, oldest);
    }
}

enum status cuda_slot_graph(struct device *device, const struct block *block, CUgraphExec *out,
                            bool *fresh, struct error *error)
{
    struct block_graph *graph = &device->slots[block->slot];
    uint64_t module = device->current ? device->current->serial : 0;
    if (!block->prepared)
        cuda_wander(device, block->draw);
    uint64_t layout = cuda_layout(device);
    *fresh = !block->prepared || !graph->exec || graph->runs != block->runs ||
             graph->mode != block->mode || graph->module != module || graph->layout != layout;
    *out = graph->exec;
    graph->used = ++device->slot_clock;
    if (!*fresh)
        return STATUS_OK;
    size_t nodes = block->runs * plan_launches(block->plan);
    drop(device, graph);
    make_room(device, nodes);
    enum status status = build(device, block, out, error);
    if (status == STATUS_NO_MEMORY) {
        /* What other slots keep is in the way, and can be built again. */
        cuda_drop_slots(device);
        status = build(device, block, out, error);
    }
    if (status != STATUS_OK)
        return status;
    *graph = (struct block_graph){.exec = *out,
                                  .runs = block->runs,
                                  .mode = block->mode,
                                  .module = module,
                                  .layout = layout,
                                  .nodes = nodes,
                                  .used = device->slot_clock};
    device->node_count += nodes;
    return STATUS_OK;
}
