/* Graphs: one a slot, and that of the timer. A slot's graph holds the addresses and kernels of its
 * building; a graph whose memory or binary moved is built again. */
#include "tuner/device/cuda/internal.h"

/* Most nodes of all graphs; a node takes about 7 kB on the host and 3 kB on the device. */
enum { NODES_MAX = 1 << 17 };

CUresult cuda_graph_append(struct device *device, CUgraph graph, CUgraphNode *last,
                           const CUDA_KERNEL_NODE_PARAMS *node, bool dependent)
{
    const struct cuda_edge edge = {.from_port = CUDA_PORT_PROGRAMMATIC,
                                   .type = CUDA_EDGE_PROGRAMMATIC};
    CUgraphNode before = *last;
    bool programmatic = before && dependent;
    bool follows = before && !dependent;
    CUDA_PASS(device->driver->cuGraphAddKernelNode(last, graph, follows ? &before : NULL,
                                                   follows ? 1 : 0, node));
    return programmatic ? device->driver->add_edges(graph, &before, last, &edge, 1) : CUDA_SUCCESS;
}

CUresult cuda_graph_finish(struct device *device, CUgraph graph, CUgraphExec *out)
{
    const struct cuda_driver *cuda = device->driver;
    CUgraphExec made = NULL;
    *out = NULL;
    CUDA_PASS(cuda->cuGraphInstantiateWithFlags(&made, graph, 0));
    const CUresult result = cuda->cuGraphUpload(made, device->stream);
    if (result == CUDA_SUCCESS)
        *out = made;
    else
        (void)cuda->cuGraphExecDestroy(made);
    return result;
}

void cuda_drop_graph(struct device *device, struct block_graph *graph)
{
    if (graph->graph)
        (void)device->driver->cuGraphExecDestroy(graph->graph);
    device->node_count -= graph->nodes;
    *graph = (struct block_graph){.graph = NULL};
}

void cuda_drop_graphs(struct device *device)
{
    for (size_t i = 0; i < DEVICE_SLOTS; i++)
        cuda_drop_graph(device, &device->slots[i]);
    device->scratch_slot = NO_SLOT;
}

void cuda_make_room(struct device *device, size_t nodes)
{
    while (device->node_count > 0 && device->node_count + nodes > NODES_MAX) {
        struct block_graph *oldest = NULL;
        for (size_t i = 0; i < DEVICE_SLOTS; i++) {
            struct block_graph *graph = &device->slots[i];
            if (graph->graph && (!oldest || graph->used < oldest->used))
                oldest = graph;
        }
        cuda_drop_graph(device, oldest);
    }
}
