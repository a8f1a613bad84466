/* Modules, functions, launches and graphs. */
#include <stdlib.h>
#include <string.h>

#include "tests/faults/driver/standin.h"

struct node {
    struct CUfunc_st *function;
    struct call call;
    unsigned shared;
    char edge; /* edge to the node before, as in standin_edges */
    _Alignas(8) unsigned char values[ARGUMENTS_MAX][ARGUMENT_BYTES_MAX];
    void *arguments[ARGUMENTS_MAX];
};
/* From one node of a graph to the next. */
static const double node_gap_ns = 500;

enum { EDGES_MAX = 4096 };
static struct CUgraph_st *filling; /* graph that received the last node */
static char edges[EDGES_MAX];
static char stream_edges[EDGES_MAX];

struct CUgraph_st {
    struct node *nodes;
    size_t count;
    size_t capacity;
};
struct CUgraphExec_st {
    struct CUgraph_st graph;
};

CUresult cuModuleLoadData(CUmodule *out, const void *data)
{
    struct CUmod_st *module = calloc(1, sizeof *module);
    if (!module)
        return CUDA_ERROR_OUT_OF_MEMORY;
    bool good = image_read(data, &module->image);
    struct subject subject = {.image = &module->image};
    CUresult result = enter_with(__func__, &subject, 1);
    if (result == CUDA_SUCCESS && !good)
        result = CUDA_ERROR_INVALID_IMAGE;
    if (result == CUDA_SUCCESS)
        *out = module;
    else
        free(module);
    return result;
}

/* Unloads a module; its functions are never freed: they are small, and the process is short. */
CUresult cuModuleUnload(CUmodule module)
{
    const struct subject subject = {.image = &module->image};
    return enter_with(__func__, &subject, 1);
}

CUresult cuModuleGetFunction(CUfunction *out, CUmodule module, const char *name)
{
    const struct host_kernel *kernel = host_kernel_find(name);
    struct subject subject = {.kernel = name, .image = &module->image};
    CUresult result = enter_with(__func__, &subject, 1);
    if (result != CUDA_SUCCESS)
        return result;
    if (!kernel)
        return CUDA_ERROR_NOT_FOUND;
    struct CUfunc_st *function = calloc(1, sizeof *function);
    if (!function)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *function = (struct CUfunc_st){.module = module, .kernel = kernel, .shared_most = SHARED_BYTES};
    *out = function;
    return CUDA_SUCCESS;
}

CUresult cuModuleGetGlobal(CUdeviceptr *out, size_t *bytes, CUmodule module, const char *name)
{
    struct subject subject = {.image = &module->image};
    CUresult result = enter_with("cuModuleGetGlobal", &subject, 1);
    int index = host_variable_find(name, bytes);
    if (result != CUDA_SUCCESS)
        return result;
    if (index < 0)
        return CUDA_ERROR_NOT_FOUND;
    *out = (CUdeviceptr)(uintptr_t)module->variables[index];
    return CUDA_SUCCESS;
}

#ifndef STANDIN_OLD
/* Parameters lie one behind the other, each at a multiple of 4. */
CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *bytes)
{
    const struct host_kernel *kernel = function->kernel;
    struct subject subject = subject_of(function, NULL, 0);
    CUresult result = enter_with(__func__, &subject, 1);
    if (result != CUDA_SUCCESS)
        return result;
    if (index >= kernel->argument_count)
        return CUDA_ERROR_INVALID_VALUE;
    *offset = 0;
    for (size_t i = 0; i < index; i++)
        *offset += kernel->argument_bytes[i];
    *bytes = kernel->argument_bytes[index];
    return CUDA_SUCCESS;
}
#endif

static int threads_most(CUfunction function)
{
    return (int)image_number(&function->module->image, "BLOCK", 1024);
}

/* 0: none. */
static int cluster_of(CUfunction function)
{
    return (int)image_number(&function->module->image, "CLUSTER", 0);
}

CUresult cuFuncGetAttribute(int *out, CUfunction_attribute attribute, CUfunction function)
{
    const struct image *image = &function->module->image;
    struct subject subject = subject_of(function, NULL, 0);
    CUresult result = enter_with(__func__, &subject, 1);
    long in_flight = image_number(image, "LOADS", 1) * image_number(image, "VECTOR", 1);
    *out = 0;
    if (attribute == CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH)
        *out = cluster_of(function);
    else if (attribute == CU_FUNC_ATTRIBUTE_NUM_REGS)
        *out = (int)(16 + in_flight);
    else if (attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
        *out = threads_most(function);
    else if (attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
        *out = function->shared_most;
    else if (attribute == CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)
        *out = strcmp(function->kernel->name, "sum") == 0 ? 1024
               : image_number(image, "SHUFFLE", 1)        ? 128
                                                          : 4 * threads_most(function);
    return result;
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value)
{
    struct subject subject = subject_of(function, NULL, 0);
    CUresult result = enter_with(__func__, &subject, 1);
    if (result == CUDA_SUCCESS && attribute == CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED)
        function->large_clusters = value != 0;
    if (result != CUDA_SUCCESS || attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
        return result;
    if (value > SHARED_OPTIN_BYTES)
        return CUDA_ERROR_INVALID_VALUE;
    function->shared_most = value;
    return result;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *out, CUfunction function, int block,
                                                     size_t shared)
{
    struct subject subject = subject_of(function, NULL, 0);
    (void)shared;
    *out = block > 0 ? 2048 / block : 0;
    *out = *out > 32 ? 32 : *out;
    return enter_with(__func__, &subject, 1);
}

CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction function,
                                          CUoccupancyB2DSize shared_for, size_t shared, int limit)
{
    struct subject subject = subject_of(function, NULL, 0);
    (void)shared_for;
    (void)shared;
    (void)limit;
    *block = threads_most(function);
    *grid = 2048 / *block * current_model()->sm_count;
    return enter_with(__func__, &subject, 1);
}

/* Returns the error of a launch that a device refuses at once. */
static CUresult check(CUfunction function, const struct call *call)
{
    uint64_t threads = call_threads(call);
    if (call_blocks(call) == 0 || threads == 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (threads > 1024 || call->shared > (unsigned)function->shared_most)
        return CUDA_ERROR_INVALID_VALUE;
    const unsigned cluster = call->cluster > 0 ? call->cluster : (unsigned)cluster_of(function);
    if (cluster > 0 && call->grid[0] % cluster != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (cluster > (function->large_clusters ? 16 : 8))
        return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    if (call->cooperative &&
        call_blocks(call) > 2048 / threads * (uint64_t)current_model()->sm_count)
        return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
    return threads > (uint64_t)threads_most(function) ? CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES
                                                      : CUDA_SUCCESS;
}

static CUresult launch(CUfunction function, const struct call *call, const char *name, char edge)
{
    struct subject subject = subject_of(function, call, call->shared);
    CUresult result = enter_with(name, &subject, 1);
    if (result == CUDA_SUCCESS)
        result = check(function, call);
    if (result != CUDA_SUCCESS)
        return result;
    standin_lock();
    const size_t count = strlen(stream_edges);
    if (count + 1 == EDGES_MAX)
        memset(stream_edges, 0, sizeof stream_edges);
    else
        stream_edges[count] = edge;
    standin_unlock();
    return queue_run(function, call, call->shared, false);
}

#ifndef STANDIN_OLD
/* Adds a launch into a captured stream: a node behind the last. */
static CUresult add_captured(CUgraph graph, CUfunction function, const struct call *call)
{
    CUgraphNode node = NULL, last = (CUgraphNode)(uintptr_t)graph->count;
    const CUDA_KERNEL_NODE_PARAMS parameters = {
        .func = function,
        .gridDimX = call->grid[0],
        .gridDimY = call->grid[1],
        .gridDimZ = call->grid[2],
        .blockDimX = call->block[0],
        .blockDimY = call->block[1],
        .blockDimZ = call->block[2],
        .sharedMemBytes = call->shared,
        .kernelParams = (void **)(uintptr_t)call->arguments,
    };
    return cuGraphAddKernelNode(&node, graph, &last, graph->count > 0 ? 1 : 0, &parameters);
}
#endif

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                        CUstream stream, void **arguments, void **extra)
{
    struct call call = {.image = &function->module->image,
                        .grid = {grid_x, grid_y, grid_z},
                        .block = {block_x, block_y, block_z},
                        .shared = shared,
                        .arguments = arguments};
    void *unpacked[ARGUMENTS_MAX];
    if (extra && !arguments) { /* one block, with a parameter behind the other */
        char *at = extra[1];
        for (size_t i = 0; i < function->kernel->argument_count; i++) {
            unpacked[i] = at;
            at += function->kernel->argument_bytes[i];
        }
        call.arguments = unpacked;
    }
#ifdef STANDIN_OLD
    (void)stream;
#else
    CUgraph graph = stream_graph(stream);
    if (graph)
        return add_captured(graph, function, &call);
#endif
    return launch(function, &call, __func__, '-');
}

CUresult cuGraphCreate(CUgraph *out, unsigned flags)
{
    (void)flags;
    CUresult result = enter(__func__);
    if (result != CUDA_SUCCESS)
        return result;
    *out = calloc(1, sizeof **out);
    return *out ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuGraphDestroy(CUgraph graph)
{
    free(graph->nodes);
    free(graph);
    return enter(__func__);
}

static bool make_room(CUgraph graph)
{
    if (graph->count < graph->capacity)
        return true;
    size_t capacity = graph->capacity > 0 ? 2 * graph->capacity : 64;
    struct node *nodes = realloc(graph->nodes, capacity * sizeof *nodes);
    if (!nodes)
        return false;
    graph->nodes = nodes;
    graph->capacity = capacity;
    return true;
}

/* Returns the handle of the n-th node, from 1. */
static CUgraphNode node_handle(size_t number)
{
    return (CUgraphNode)(uintptr_t)number;
}

CUresult cuGraphAddKernelNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *before,
                              size_t before_count, const CUDA_KERNEL_NODE_PARAMS *parameters)
{
    struct CUfunc_st *function = parameters->func;
    struct node node = {
        .function = function,
        .call = {.image = &function->module->image,
                 .grid = {parameters->gridDimX, parameters->gridDimY, parameters->gridDimZ},
                 .block = {parameters->blockDimX, parameters->blockDimY, parameters->blockDimZ},
                 .shared = parameters->sharedMemBytes},
        .shared = parameters->sharedMemBytes,
    };
    struct subject subject = subject_of(function, &node.call, node.shared);
    CUresult result = enter_with(__func__, &subject, 1);
    if (result == CUDA_SUCCESS)
        result = check(function, &node.call);
    if (before_count > 1 || (before_count == 1 && *before != node_handle(graph->count)))
        script_fail("a node of a graph behind another one than the last");
    if (result != CUDA_SUCCESS)
        return result;
    if (!make_room(graph))
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < function->kernel->argument_count; i++)
        memcpy(node.values[i], parameters->kernelParams[i], function->kernel->argument_bytes[i]);
    node.edge = before_count == 1 ? '-' : '.';
    graph->nodes[graph->count++] = node;
    *out = node_handle(graph->count);
    filling = graph;
    return CUDA_SUCCESS;
}

#ifndef STANDIN_OLD
static void take_attribute(struct call *call, CUlaunchAttributeID id,
                           const CUlaunchAttributeValue *value)
{
    if (id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
        call->dependent = value->programmaticStreamSerializationAllowed;
    else if (id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
        call->cooperative = value->cooperative;
    else if (id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
        call->cluster = value->clusterDim.x * value->clusterDim.y * value->clusterDim.z;
    else
        script_fail("an attribute of a launch that is not known");
}

CUresult cuGraphKernelNodeSetAttribute(CUgraphNode node, CUkernelNodeAttrID attribute,
                                       const CUkernelNodeAttrValue *value)
{
    CUresult result = enter("cuGraphKernelNodeSetAttribute");
    if (!filling || node != node_handle(filling->count))
        script_fail("an attribute of another node than the last");
    if (result == CUDA_SUCCESS)
        take_attribute(&filling->nodes[filling->count - 1].call, attribute, value);
    return result;
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **arguments,
                          void **extra)
{
    struct call call = {.image = &function->module->image,
                        .grid = {config->gridDimX, config->gridDimY, config->gridDimZ},
                        .block = {config->blockDimX, config->blockDimY, config->blockDimZ},
                        .shared = config->sharedMemBytes,
                        .arguments = arguments};
    (void)extra;
    for (unsigned i = 0; i < config->numAttrs; i++)
        take_attribute(&call, config->attrs[i].id, &config->attrs[i].value);
    return launch(function, &call, __func__, call.dependent ? '>' : '-');
}

/* Counts clusters: all SMs except a group that is too small for a cluster of 16. */
CUresult cuOccupancyMaxActiveClusters(int *out, CUfunction function, const CUlaunchConfig *config)
{
    struct subject subject = subject_of(function, NULL, 0);
    int blocks = 2048 / (int)config->blockDimX;
    struct call requested = {.cluster = (unsigned)cluster_of(function)};
    for (unsigned i = 0; i < config->numAttrs; i++)
        take_attribute(&requested, config->attrs[i].id, &config->attrs[i].value);
    *out = (current_model()->sm_count - 4) * blocks / (int)requested.cluster;
    return enter_with(__func__, &subject, 1);
}

CUresult cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                   const CUgraphEdgeData *data, size_t count)
{
    CUresult result = enter("cuGraphAddDependencies");
    for (size_t i = 0; i < count && result == CUDA_SUCCESS; i++) {
        bool programmatic = data && data[i].type == CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC &&
                            data[i].from_port == CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC;
        if (from[i] != node_handle(graph->count - 1) || to[i] != node_handle(graph->count))
            script_fail("an edge that is not to the node before");
        graph->nodes[graph->count - 1].edge = programmatic ? '>' : '-';
        graph->nodes[graph->count - 1].call.dependent = programmatic;
    }
    return result;
}
#endif

const char *standin_edges(void)
{
    return edges;
}

const char *standin_stream_edges(void)
{
    return stream_edges;
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *out, CUgraph graph, unsigned long long flags)
{
    (void)flags;
    CUresult result = enter(__func__);
    if (result != CUDA_SUCCESS)
        return result;
    for (size_t i = 0; i < graph->count; i++) {
        result = check(graph->nodes[i].function, &graph->nodes[i].call);
        if (result != CUDA_SUCCESS)
            return result;
    }
    struct CUgraphExec_st *made = calloc(1, sizeof *made);
    struct node *nodes = calloc(graph->count + 1, sizeof *nodes);
    if (!made || !nodes) {
        free(made);
        free(nodes);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (graph->count > 0)
        memcpy(nodes, graph->nodes, graph->count * sizeof *nodes);
    made->graph = (struct CUgraph_st){nodes, graph->count, graph->count};
    memset(edges, 0, sizeof edges);
    for (size_t i = 0; i < graph->count && i + 1 < EDGES_MAX; i++)
        edges[i] = nodes[i].edge;
    *out = made;
    return CUDA_SUCCESS;
}

CUresult cuGraphExecDestroy(CUgraphExec made)
{
    free(made->graph.nodes);
    free(made);
    return enter(__func__);
}

CUresult cuGraphUpload(CUgraphExec made, CUstream stream)
{
    (void)made;
    (void)stream;
    return enter(__func__);
}

CUresult cuGraphLaunch(CUgraphExec made, CUstream stream)
{
    CUresult result = enter(__func__);
    (void)stream;
    for (size_t i = 0; i < made->graph.count && result == CUDA_SUCCESS; i++) {
        struct node *node = &made->graph.nodes[i];
        for (size_t j = 0; j < ARGUMENTS_MAX; j++)
            node->arguments[j] = node->values[j];
        node->call.arguments = node->arguments;
        if (i > 0)
            queue_add_time(node_gap_ns);
        result = queue_run(node->function, &node->call, node->shared, true);
    }
    return result;
}
