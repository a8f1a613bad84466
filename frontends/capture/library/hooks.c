/* Sees an unchanged program's calls through LD_PRELOAD. Programs reach the driver's functions by
 * the linker (hooks have equal names), by dlsym (the recorder's comes first), or by
 * cuGetProcAddress, whose answers are replaced; both CUDA runtimes, static and shared, use the
 * latter two. */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "frontends/capture/library/recorder.h"
#include "frontends/capture/library/settings.h"

/* One function that is heard of. */
struct hook {
    const char *symbol; /* name in the driver's library */
    const char *name;   /* name for cuGetProcAddress */
    int since;          /* the least version that this one is given for */
    bool is_per_thread; /* for default streams of threads */
    anything ours;
    anything _Atomic next;   /* function that the program would call without the hook */
    anything _Atomic driver; /* the driver's own */
};

/* Depth of calls from hooks. A hook is entered again if another preloaded library's function,
 * called by a hook, looks up its next function; then the driver's is next. */
static _Thread_local int depth;

/* Returns the function that a hook calls in the end; NULL: the program has no driver. */
static anything next_of(struct hook *hook)
{
    anything next = atomic_load_explicit(&hook->next, memory_order_acquire);
    if (next && depth == 0)
        return next;
    anything driver = atomic_load_explicit(&hook->driver, memory_order_acquire);
    if (!driver && driver_library()) {
        driver = look_up(driver_library(), hook->symbol);
        atomic_store_explicit(&hook->driver, driver, memory_order_release);
    }
    return driver ? driver : next;
}

enum hook_number {
#define HOOKS(X)                                                                                   \
    X(cuGetProcAddress, cuGetProcAddress, 0, false)                                                \
    X(cuGetProcAddress_v2, cuGetProcAddress, 12000, false)                                         \
    X(cuGetProcAddress_v2_ptsz, cuGetProcAddress, 12000, true)                                     \
    X(cuLaunchKernel, cuLaunchKernel, 0, false)                                                    \
    X(cuLaunchKernel_ptsz, cuLaunchKernel, 0, true)                                                \
    X(cuLaunchKernelEx, cuLaunchKernelEx, 0, false)                                                \
    X(cuLaunchKernelEx_ptsz, cuLaunchKernelEx, 0, true)                                            \
    X(cuLaunchCooperativeKernel, cuLaunchCooperativeKernel, 0, false)                              \
    X(cuLaunchCooperativeKernel_ptsz, cuLaunchCooperativeKernel, 0, true)                          \
    X(cuLaunchCooperativeKernelMultiDevice, cuLaunchCooperativeKernelMultiDevice, 0, false)        \
    X(cuGraphAddKernelNode, cuGraphAddKernelNode, 0, false)                                        \
    X(cuGraphAddKernelNode_v2, cuGraphAddKernelNode, 12000, false)                                 \
    X(cuGraphAddNode, cuGraphAddNode, 0, false)                                                    \
    X(cuGraphAddNode_v2, cuGraphAddNode, 12030, false)                                             \
    X(cuGraphLaunch, cuGraphLaunch, 0, false)                                                      \
    X(cuGraphLaunch_ptsz, cuGraphLaunch, 0, true)                                                  \
    X(cuStreamBeginCapture, cuStreamBeginCapture, 0, false)                                        \
    X(cuStreamBeginCapture_ptsz, cuStreamBeginCapture, 0, true)                                    \
    X(cuStreamBeginCapture_v2, cuStreamBeginCapture, 10010, false)                                 \
    X(cuStreamBeginCapture_v2_ptsz, cuStreamBeginCapture, 10010, true)                             \
    X(cuStreamBeginCaptureToGraph, cuStreamBeginCaptureToGraph, 0, false)                          \
    X(cuStreamBeginCaptureToGraph_ptsz, cuStreamBeginCaptureToGraph, 0, true)                      \
    X(cuStreamEndCapture, cuStreamEndCapture, 0, false)                                            \
    X(cuStreamEndCapture_ptsz, cuStreamEndCapture, 0, true)                                        \
    X(cuModuleLoad, cuModuleLoad, 0, false)                                                        \
    X(cuModuleLoadData, cuModuleLoadData, 0, false)                                                \
    X(cuModuleLoadDataEx, cuModuleLoadDataEx, 0, false)                                            \
    X(cuModuleLoadFatBinary, cuModuleLoadFatBinary, 0, false)                                      \
    X(cuModuleUnload, cuModuleUnload, 0, false)                                                    \
    X(cuModuleGetFunction, cuModuleGetFunction, 0, false)                                          \
    X(cuModuleGetGlobal_v2, cuModuleGetGlobal, 3020, false)                                        \
    X(cuLibraryLoadData, cuLibraryLoadData, 0, false)                                              \
    X(cuLibraryLoadFromFile, cuLibraryLoadFromFile, 0, false)                                      \
    X(cuLibraryUnload, cuLibraryUnload, 0, false)                                                  \
    X(cuLibraryGetKernel, cuLibraryGetKernel, 0, false)                                            \
    X(cuLibraryEnumerateKernels, cuLibraryEnumerateKernels, 0, false)                              \
    X(cuLibraryGetGlobal, cuLibraryGetGlobal, 0, false)                                            \
    X(cuLibraryGetManaged, cuLibraryGetManaged, 0, false)                                          \
    X(cuLibraryGetModule, cuLibraryGetModule, 0, false)                                            \
    X(cuKernelGetFunction, cuKernelGetFunction, 0, false)                                          \
    X(cuCtxDestroy_v2, cuCtxDestroy, 4000, false)                                                  \
    X(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease, 0, false)                              \
    X(cuDevicePrimaryCtxRelease_v2, cuDevicePrimaryCtxRelease, 11000, false)                       \
    X(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset, 0, false)                                  \
    X(cuDevicePrimaryCtxReset_v2, cuDevicePrimaryCtxReset, 11000, false)                           \
    X(cuTexObjectCreate, cuTexObjectCreate, 0, false)                                              \
    X(cuTexObjectDestroy, cuTexObjectDestroy, 0, false)                                            \
    X(cuSurfObjectCreate, cuSurfObjectCreate, 0, false)                                            \
    X(cuSurfObjectDestroy, cuSurfObjectDestroy, 0, false)
#define HOOK_NUMBER(symbol, name, since, is_per_thread) NUMBER_##symbol,
    HOOKS(HOOK_NUMBER)
#undef HOOK_NUMBER
        HOOK_COUNT
};
static struct hook hooks[HOOK_COUNT + 1]; /* the last has no symbol */

/* First step of every hook: `next` is the function to call; calls made by `next` go to the driver's
 * own. */
#define NEXT_OF(number, next)                                                                      \
    do {                                                                                           \
        const anything function_ = next_of(&hooks[number]);                                        \
        if (!function_)                                                                            \
            return CUDA_ERROR_NOT_FOUND;                                                           \
        memcpy(&(next), &function_, sizeof function_);                                             \
    } while (0)
#define CALLED(result, call)                                                                       \
    do {                                                                                           \
        depth++;                                                                                   \
        (result) = (call);                                                                         \
        depth--;                                                                                   \
    } while (0)
/* A hook with the driver's name, visible to the program's linker. */
#define OURS_NAMED(ours, name, parameters)                                                         \
    __attribute__((visibility("default"))) CUresult ours parameters __asm__(name);                 \
    CUresult ours parameters
#define OURS(symbol, ...) OURS_NAMED(ours_##symbol, #symbol, (__VA_ARGS__))
/* One function under two names: for the legacy stream and for per-thread streams. */
#define OURS_OF_STREAMS(symbol, body, parameters, arguments)                                       \
    OURS_NAMED(ours_##symbol, #symbol, parameters)                                                 \
    {                                                                                              \
        return body(NUMBER_##symbol, false, UNPACKED arguments);                                   \
    }                                                                                              \
    OURS_NAMED(ours_##symbol##_ptsz, #symbol "_ptsz", parameters)                                  \
    {                                                                                              \
        return body(NUMBER_##symbol##_ptsz, true, UNPACKED arguments);                             \
    }
#define UNPACKED(...) __VA_ARGS__
/* Hooks that pass their arguments on and report the program's own calls: `before` for each, `after`
 * for successful ones. */
#define PASSING(ours, name, number, parameters, arguments, before, after)                          \
    OURS_NAMED(ours, name, parameters)                                                             \
    {                                                                                              \
        __typeof__(ours) *next;                                                                    \
        CUresult result;                                                                           \
        NEXT_OF(number, next);                                                                     \
        if (depth == 0)                                                                            \
            before;                                                                                \
        CALLED(result, next arguments);                                                            \
        if (result == CUDA_SUCCESS && depth == 0)                                                  \
            after;                                                                                 \
        return result;                                                                             \
    }
#define HOOK_BEFORE(symbol, parameters, arguments, before)                                         \
    PASSING(ours_##symbol, #symbol, NUMBER_##symbol, parameters, arguments, before, (void)0)
#define HOOK_AFTER(symbol, parameters, arguments, after)                                           \
    PASSING(ours_##symbol, #symbol, NUMBER_##symbol, parameters, arguments, (void)0, after)
#define HOOK_OF_STREAMS(symbol, parameters, arguments, before, after)                              \
    PASSING(ours_##symbol, #symbol, NUMBER_##symbol, parameters, arguments, before, after)         \
    PASSING(ours_##symbol##_ptsz, #symbol "_ptsz", NUMBER_##symbol##_ptsz, parameters, arguments,  \
            before, after)

/* ---- launches ---- */

/* Makes the tuned launch through the program's entry point, except for a new cluster, which needs
 * cuLaunchKernelEx. `config` is NULL for other entry points. */
static CUresult launch_tuned(enum hook_number number, const struct launch_facts *launch,
                             const CUlaunchConfig *config, const struct apply_launch *to)
{
    CUresult(CUDAAPI * next)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                             unsigned, CUstream, void **, void **);
    CUresult(CUDAAPI * next_ex)(const CUlaunchConfig *, CUfunction, void **, void **);
    CUresult result;
    struct applied_config made;
    const uint32_t *grid = to->grid, *block = to->block;
    if (!apply_config(launch, config, to, &made))
        return CUDA_ERROR_NOT_SUPPORTED;
    if (!config && made.is.numAttrs == 0) {
        NEXT_OF(number, next);
        CALLED(result,
               next(launch->function, grid[0], grid[1], grid[2], block[0], block[1], block[2],
                    to->shared_bytes, launch->stream, launch->parameters, launch->extra));
        return result;
    }
    if (!config)
        number = launch->is_per_thread ? NUMBER_cuLaunchKernelEx_ptsz : NUMBER_cuLaunchKernelEx;
    NEXT_OF(number, next_ex);
    CALLED(result, next_ex(&made.is, launch->function, launch->parameters, launch->extra));
    return result;
}

/* Makes the launch of tuned.conf in place of the program's. Returns false if there is none. */
static bool launched_tuned(enum hook_number number, const struct launch_facts *launch,
                           const CUlaunchConfig *config, const struct seen *seen)
{
    struct applied applied;
    return seen->kernel && recorder.settings.applies &&
           apply_before(seen->kernel, launch, &applied) &&
           apply_after(&applied, launch_tuned(number, launch, config, applied.to));
}

static CUresult launched(enum hook_number number, const struct launch_facts *launch)
{
    CUresult(CUDAAPI * next)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                             unsigned, CUstream, void **, void **);
    CUresult result;
    struct seen seen = {0};
    const unsigned *grid = launch->grid, *block = launch->block;
    const bool is_outer = depth == 0;
    NEXT_OF(number, next);
    if (is_outer)
        recorder_before(launch, &seen);
    if (is_outer && launched_tuned(number, launch, NULL, &seen))
        return CUDA_SUCCESS;
    CALLED(result, next(launch->function, grid[0], grid[1], grid[2], block[0], block[1], block[2],
                        launch->shared_bytes, launch->stream, launch->parameters, launch->extra));
    if (is_outer)
        recorder_after(launch, &seen, result);
    return result;
}
#define OURS_TO_LAUNCH(symbol, entry_, per_thread, extra_, more)                                   \
    OURS(symbol, CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,           \
         unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared, CUstream stream,   \
         void **parameters more)                                                                   \
    {                                                                                              \
        const struct launch_facts launch = {.function = function,                                  \
                                            .entry = (entry_),                                     \
                                            .grid = {grid_x, grid_y, grid_z},                      \
                                            .block = {block_x, block_y, block_z},                  \
                                            .shared_bytes = shared,                                \
                                            .stream = stream,                                      \
                                            .is_per_thread = (per_thread),                         \
                                            .parameters = parameters,                              \
                                            .extra = (extra_)};                                    \
        return launched(NUMBER_##symbol, &launch);                                                 \
    }
/* Cooperative launches lack the last parameter. */
#define WITH_EXTRA , void **extra
OURS_TO_LAUNCH(cuLaunchKernel, CAP_LAUNCH_KERNEL, false, extra, WITH_EXTRA)
OURS_TO_LAUNCH(cuLaunchKernel_ptsz, CAP_LAUNCH_KERNEL, true, extra, WITH_EXTRA)
OURS_TO_LAUNCH(cuLaunchCooperativeKernel, CAP_LAUNCH_COOPERATIVE, false, NULL, )
OURS_TO_LAUNCH(cuLaunchCooperativeKernel_ptsz, CAP_LAUNCH_COOPERATIVE, true, NULL, )

static CUresult launched_ex(enum hook_number number, bool is_per_thread,
                            const CUlaunchConfig *config, CUfunction function, void **parameters,
                            void **extra)
{
    CUresult(CUDAAPI * next)(const CUlaunchConfig *, CUfunction, void **, void **);
    CUresult result;
    NEXT_OF(number, next);
    if (depth > 0 || !config)
        return next(config, function, parameters, extra);
    struct launch_facts launch;
    launch_of_config(config, function, parameters, extra, &launch);
    launch.is_per_thread = is_per_thread;
    struct seen seen;
    recorder_before(&launch, &seen);
    if (launched_tuned(number, &launch, config, &seen))
        return CUDA_SUCCESS;
    CALLED(result, next(config, function, parameters, extra));
    recorder_after(&launch, &seen, result);
    return result;
}
OURS_OF_STREAMS(cuLaunchKernelEx, launched_ex,
                (const CUlaunchConfig *config, CUfunction function, void **parameters,
                 void **extra),
                (config, function, parameters, extra))

HOOK_BEFORE(cuLaunchCooperativeKernelMultiDevice, (void *launches, unsigned count, unsigned flags),
            (launches, count, flags), recorder_note(CAP_NOTE_MULTI_DEVICE))

/* ---- graphs ---- */

HOOK_AFTER(cuGraphAddKernelNode,
           (CUgraphNode * out, CUgraph graph, const CUgraphNode *before, size_t before_count,
            const CUDA_KERNEL_NODE_PARAMS *node),
           (out, graph, before, before_count, node), recorder_node(node, false))
HOOK_AFTER(cuGraphAddKernelNode_v2,
           (CUgraphNode * out, CUgraph graph, const CUgraphNode *before, size_t before_count,
            const CUDA_KERNEL_NODE_PARAMS *node),
           (out, graph, before, before_count, node), recorder_node(node, true))

/* Records a node that is a kernel. */
static void any_node_added(const CUgraphNodeParams *node)
{
    if (node->type == CU_GRAPH_NODE_TYPE_KERNEL)
        recorder_node(&node->kernel, true);
}
HOOK_AFTER(cuGraphAddNode,
           (CUgraphNode * out, CUgraph graph, const CUgraphNode *before, size_t before_count,
            CUgraphNodeParams *node),
           (out, graph, before, before_count, node), any_node_added(node))
HOOK_AFTER(cuGraphAddNode_v2,
           (CUgraphNode * out, CUgraph graph, const CUgraphNode *before, const void *edges,
            size_t before_count, CUgraphNodeParams *node),
           (out, graph, before, edges, before_count, node), any_node_added(node))

HOOK_OF_STREAMS(cuGraphLaunch, (CUgraphExec graph, CUstream stream), (graph, stream),
                recorder_note(CAP_NOTE_GRAPH), (void)0)

static void count_capturing(int by)
{
    (void)atomic_fetch_add(&recorder.capturing, by);
}
/* The older version has no mode; the argument in its place is not read. */
HOOK_OF_STREAMS(cuStreamBeginCapture, (CUstream stream, CUstreamCaptureMode mode), (stream, mode),
                (void)0, count_capturing(1))
HOOK_OF_STREAMS(cuStreamBeginCapture_v2, (CUstream stream, CUstreamCaptureMode mode),
                (stream, mode), (void)0, count_capturing(1))
HOOK_OF_STREAMS(cuStreamBeginCaptureToGraph,
                (CUstream stream, CUgraph graph, const CUgraphNode *before, const void *edges,
                 size_t count, CUstreamCaptureMode mode),
                (stream, graph, before, edges, count, mode), (void)0, count_capturing(1))

/* Reports the end of a capture, a failed one included. */
static CUresult capture_ended(enum hook_number number, bool is_per_thread, CUstream stream,
                              CUgraph *out)
{
    CUresult(CUDAAPI * next)(CUstream, CUgraph *);
    CUresult result;
    (void)is_per_thread;
    NEXT_OF(number, next);
    CALLED(result, next(stream, out));
    if (depth == 0 && (result == CUDA_SUCCESS || result == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED ||
                       result == CUDA_ERROR_STREAM_CAPTURE_UNJOINED))
        count_capturing(-1);
    return result;
}
OURS_OF_STREAMS(cuStreamEndCapture, capture_ended, (CUstream stream, CUgraph *out), (stream, out))

/* ---- images ---- */

HOOK_AFTER(cuModuleLoad, (CUmodule * out, const char *path), (out, path),
           recorder_loaded(*out, image_of_file(path)))
HOOK_AFTER(cuModuleLoadData, (CUmodule * out, const void *data), (out, data),
           recorder_loaded(*out, image_of_memory(data)))
HOOK_AFTER(cuModuleLoadFatBinary, (CUmodule * out, const void *data), (out, data),
           recorder_loaded(*out, image_of_memory(data)))
HOOK_AFTER(cuModuleLoadDataEx,
           (CUmodule * out, const void *data, unsigned count, CUjit_option *options, void **values),
           (out, data, count, options, values), recorder_loaded(*out, image_of_memory(data)))
HOOK_BEFORE(cuModuleUnload, (CUmodule module), (module), recorder_unloaded(module))
HOOK_AFTER(cuModuleGetFunction, (CUfunction * out, CUmodule module, const char *name),
           (out, module, name), recorder_handle(*out, module, name, false))

OURS(cuModuleGetGlobal_v2, CUdeviceptr *out, size_t *bytes, CUmodule module, const char *name)
{
    CUresult(CUDAAPI * next)(CUdeviceptr *, size_t *, CUmodule, const char *);
    CUdeviceptr address = 0;
    size_t size = 0;
    CUresult result;
    NEXT_OF(NUMBER_cuModuleGetGlobal_v2, next);
    CALLED(result, next(out, bytes, module, name));
    if (result != CUDA_SUCCESS || depth > 0)
        return result;
    if (out && bytes) {
        address = *out;
        size = *bytes;
    } else if (next(&address, &size, module, name) != CUDA_SUCCESS) {
        return result;
    }
    recorder_variable(module, name, address, size);
    return result;
}

HOOK_AFTER(cuLibraryLoadData,
           (CUlibrary * out, const void *data, CUjit_option *jit, void **jit_values,
            unsigned jit_count, CUlibraryOption *options, void **values, unsigned count),
           (out, data, jit, jit_values, jit_count, options, values, count),
           recorder_loaded(*out, image_of_memory(data)))
HOOK_AFTER(cuLibraryLoadFromFile,
           (CUlibrary * out, const char *path, CUjit_option *jit, void **jit_values,
            unsigned jit_count, CUlibraryOption *options, void **values, unsigned count),
           (out, path, jit, jit_values, jit_count, options, values, count),
           recorder_loaded(*out, image_of_file(path)))
HOOK_BEFORE(cuLibraryUnload, (CUlibrary library), (library), recorder_unloaded(library))
HOOK_AFTER(cuLibraryGetKernel, (CUkernel * out, CUlibrary library, const char *name),
           (out, library, name), recorder_handle(*out, library, name, true))

OURS(cuLibraryEnumerateKernels, CUkernel *out, unsigned count, CUlibrary library)
{
    CUresult(CUDAAPI * next)(CUkernel *, unsigned, CUlibrary);
    CUresult result;
    NEXT_OF(NUMBER_cuLibraryEnumerateKernels, next);
    for (unsigned i = 0; out && i < count; i++)
        out[i] = NULL;
    CALLED(result, next(out, count, library));
    for (unsigned i = 0; out && i < count && result == CUDA_SUCCESS && depth == 0; i++)
        recorder_handle(out[i], library, NULL, true);
    return result;
}

/* Records a variable; the program may ask for the address or the size alone. */
static void library_variable(CUresult(CUDAAPI *next)(CUdeviceptr *, size_t *, CUlibrary,
                                                     const char *),
                             CUlibrary library, const char *name)
{
    CUdeviceptr address = 0;
    size_t size = 0;
    if (next(&address, &size, library, name) == CUDA_SUCCESS)
        recorder_variable(library, name, address, size);
}
HOOK_AFTER(cuLibraryGetGlobal,
           (CUdeviceptr * out, size_t *bytes, CUlibrary library, const char *name),
           (out, bytes, library, name), library_variable(next, library, name))
HOOK_AFTER(cuLibraryGetManaged,
           (CUdeviceptr * out, size_t *bytes, CUlibrary library, const char *name),
           (out, bytes, library, name), library_variable(next, library, name))
HOOK_AFTER(cuLibraryGetModule, (CUmodule * out, CUlibrary library), (out, library),
           recorder_module_of(*out, library))
HOOK_AFTER(cuKernelGetFunction, (CUfunction * out, CUkernel kernel), (out, kernel),
           recorder_function_of(*out, kernel))

/* ---- contexts ---- */

HOOK_BEFORE(cuCtxDestroy_v2, (CUcontext context), (context), recorder_context_goes())
/* The last release ends the context. */
HOOK_BEFORE(cuDevicePrimaryCtxRelease, (CUdevice device), (device), recorder_context_goes())
HOOK_BEFORE(cuDevicePrimaryCtxRelease_v2, (CUdevice device), (device), recorder_context_goes())
HOOK_BEFORE(cuDevicePrimaryCtxReset, (CUdevice device), (device), recorder_context_goes())
HOOK_BEFORE(cuDevicePrimaryCtxReset_v2, (CUdevice device), (device), recorder_context_goes())

/* ---- textures ---- */

HOOK_AFTER(cuTexObjectCreate,
           (uint64_t * out, const void *resource, const void *reading, const void *view),
           (out, resource, reading, view), recorder_texture(*out, true))
HOOK_BEFORE(cuTexObjectDestroy, (uint64_t object), (object), recorder_texture(object, false))
HOOK_AFTER(cuSurfObjectCreate, (uint64_t * out, const void *resource), (out, resource),
           recorder_texture(*out, true))
HOOK_BEFORE(cuSurfObjectDestroy, (uint64_t object), (object), recorder_texture(object, false))

/* ---- placing hooks ---- */

static void keep_next(struct hook *hook, anything found)
{
    anything none = NULL;
    if (found && found != hook->ours)
        (void)atomic_compare_exchange_strong(&hook->next, &none, found);
}

/* Replaces a result of cuGetProcAddress by the hook, which calls the replaced function. */
static void replace(const char *name, int version, cuuint64_t flags, void **function)
{
    const bool is_per_thread = (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0;
    struct hook *best = NULL;
    anything found = NULL;
    if (!function || !*function)
        return;
    for (size_t i = 0; hooks[i].symbol; i++)
        if (strcmp(hooks[i].name, name) == 0 && hooks[i].since <= version &&
            (!best ||
             (hooks[i].is_per_thread == is_per_thread) > (best->is_per_thread == is_per_thread) ||
             ((hooks[i].is_per_thread == is_per_thread) == (best->is_per_thread == is_per_thread) &&
              hooks[i].since > best->since)))
            best = &hooks[i];
    if (!best)
        return;
    memcpy(&found, function, sizeof found);
    keep_next(best, found);
    memcpy(function, &best->ours, sizeof best->ours);
}

OURS(cuGetProcAddress, const char *name, void **function, int version, cuuint64_t flags)
{
    CUresult(CUDAAPI * next)(const char *, void **, int, cuuint64_t);
    CUresult result;
    NEXT_OF(NUMBER_cuGetProcAddress, next);
    CALLED(result, next(name, function, version, flags));
    if (result == CUDA_SUCCESS && depth == 0 && name)
        replace(name, version, flags, function);
    return result;
}

static CUresult address_given(enum hook_number number, cuuint64_t added_flags, const char *name,
                              void **function, int version, cuuint64_t flags,
                              CUdriverProcAddressQueryResult *status)
{
    CUresult(CUDAAPI * next)(const char *, void **, int, cuuint64_t,
                             CUdriverProcAddressQueryResult *);
    CUresult result;
    NEXT_OF(number, next);
    CALLED(result, next(name, function, version, flags, status));
    if (result == CUDA_SUCCESS && depth == 0 && name)
        replace(name, version, flags == 0 ? added_flags : flags, function);
    return result;
}
OURS(cuGetProcAddress_v2, const char *name, void **function, int version, cuuint64_t flags,
     CUdriverProcAddressQueryResult *status)
{
    return address_given(NUMBER_cuGetProcAddress_v2, 0, name, function, version, flags, status);
}
OURS(cuGetProcAddress_v2_ptsz, const char *name, void **function, int version, cuuint64_t flags,
     CUdriverProcAddressQueryResult *status)
{
    return address_given(NUMBER_cuGetProcAddress_v2_ptsz,
                         CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, name, function, version,
                         flags, status);
}

static struct hook hooks[HOOK_COUNT + 1] = {
#define HOOK_ROW(symbol_, name_, since_, per_thread)                                               \
    {.symbol = #symbol_,                                                                           \
     .name = #name_,                                                                               \
     .since = (since_),                                                                            \
     .is_per_thread = (per_thread),                                                                \
     .ours = (anything)ours_##symbol_},
    HOOKS(HOOK_ROW)
#undef HOOK_ROW
};

/* ---- dlsym and dlopen ---- */

/* Called by dlsym below. Returns NULL if the program's own dlsym shall answer. Preloaded libraries
 * that search for the next symbol get the next one. */
__attribute__((visibility("hidden"), used)) void *tune_capture_dlsym(void *library,
                                                                     const char *symbol)
{
    find_next();
    if (!symbol || symbol[0] != 'c' || symbol[1] != 'u' || library == RTLD_NEXT ||
        library == RTLD_DEFAULT)
        return NULL;
    const int error_number = errno;
    void *function = NULL;
    struct hook *hook = hooks;
    while (hook->symbol && strcmp(hook->symbol, symbol) != 0)
        hook++;
    const anything found = hook->symbol && depth == 0 ? look_up(library, symbol) : NULL;
    if (found) {
        keep_next(hook, found);
        memcpy(&function, &hook->ours, sizeof hook->ours);
    }
    errno = error_number;
    return function;
}

/* Called by dlopen below, which then goes on. */
__attribute__((visibility("hidden"), used)) void *tune_capture_dlopen(const char *path, int flags)
{
    find_next();
    if ((flags & RTLD_DEEPBIND) != 0 && atomic_load(&recorder.is_on) >= 0 &&
        getenv(CAP_FOLDER_VARIABLE))
        recorder_note(CAP_NOTE_DEEPBIND);
    (void)path;
    return NULL;
}

/* dlsym and dlopen depend on their caller (RTLD_NEXT, $ORIGIN), so the recorder's must not be
 * between: each asks tune_capture_*, then jumps on with the caller's return address. */
#if defined(__x86_64__)
#define IN_FRONT(function, handler, next)                                                          \
    __asm__(".text\n.globl " #function "\n.type " #function ",@function\n" #function ":\n"         \
            ".cfi_startproc\n"                                                                     \
            "endbr64\n"                                                                            \
            "pushq %rdi\n.cfi_adjust_cfa_offset 8\n"                                               \
            "pushq %rsi\n.cfi_adjust_cfa_offset 8\n"                                               \
            "subq $8, %rsp\n.cfi_adjust_cfa_offset 8\n"                                            \
            "call " #handler "\n"                                                                  \
            "addq $8, %rsp\n.cfi_adjust_cfa_offset -8\n"                                           \
            "popq %rsi\n.cfi_adjust_cfa_offset -8\n"                                               \
            "popq %rdi\n.cfi_adjust_cfa_offset -8\n"                                               \
            "testq %rax, %rax\n"                                                                   \
            "je 1f\n"                                                                              \
            "ret\n"                                                                                \
            "1: jmp *" #next "(%rip)\n"                                                            \
            ".cfi_endproc\n.size " #function ", .-" #function "\n")
#elif defined(__aarch64__)
#define IN_FRONT(function, handler, next)                                                          \
    __asm__(                                                                                       \
        ".text\n.globl " #function "\n.type " #function ",%function\n" #function ":\n"             \
        ".cfi_startproc\n"                                                                         \
        "stp x29, x30, [sp, #-32]!\n.cfi_adjust_cfa_offset 32\n.cfi_offset 29, -32\n.cfi_offset "  \
        "30, -24\n"                                                                                \
        "stp x0, x1, [sp, #16]\n"                                                                  \
        "bl " #handler "\n"                                                                        \
        "mov x16, x0\n"                                                                            \
        "ldp x0, x1, [sp, #16]\n"                                                                  \
        "ldp x29, x30, [sp], #32\n.cfi_adjust_cfa_offset -32\n.cfi_restore 29\n.cfi_restore 30\n"  \
        "cbz x16, 1f\n"                                                                            \
        "mov x0, x16\n"                                                                            \
        "ret\n"                                                                                    \
        "1: adrp x16, " #next "\n"                                                                 \
        "ldr x16, [x16, #:lo12:" #next "]\n"                                                       \
        "br x16\n"                                                                                 \
        ".cfi_endproc\n.size " #function ", .-" #function "\n")
#else /* only programs that link the driver are heard of */
#define IN_FRONT(function, handler, next) _Static_assert(1, "")
#endif
IN_FRONT(dlsym, tune_capture_dlsym, tune_capture_next_dlsym);
IN_FRONT(dlopen, tune_capture_dlopen, tune_capture_next_dlopen);
