/* Sees a program's calls where LD_PRELOAD does not work: the driver loads this library
 * (CUDA_INJECTION64_PATH), and CUPTI calls it before and after each driver function. Launches
 * cannot be changed this way. CUPTI belongs to the toolkit and is searched for on the program's
 * machine. */
#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cupti_callbacks.h>
#include <cupti_driver_cbid.h>
#include <generated_cuda_meta.h>

#include "frontends/capture/library/front.h"
#include "frontends/capture/library/recorder.h"

anything look_up(void *library, const char *symbol)
{
    anything function = NULL;
    void *found = dlsym(library, symbol);
    memcpy(&function, &found, sizeof found);
    return function;
}

void *driver_library(void)
{
    static void *_Atomic library;
    void *found = atomic_load(&library);
    if (!found) {
        found = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
        atomic_store(&library, found);
    }
    return found;
}

/* True while the recorder itself calls the driver; CUPTI reports these calls too, and they are
 * ignored. */
static _Thread_local bool is_ours;

/* ---- launches ---- */

static bool take_launch(CUpti_CallbackId id, const void *params, struct launch_facts *out)
{
    const cuLaunchKernel_params *plain = params;
    const cuLaunchKernelEx_params *ex = params;
    switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz:
        *out = (struct launch_facts){
            .function = plain->f,
            .entry = CAP_LAUNCH_KERNEL,
            .grid = {plain->gridDimX, plain->gridDimY, plain->gridDimZ},
            .block = {plain->blockDimX, plain->blockDimY, plain->blockDimZ},
            .shared_bytes = plain->sharedMemBytes,
            .stream = plain->hStream,
            .parameters = plain->kernelParams,
        };
        if (id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel ||
            id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz)
            out->extra = plain->extra;
        else /* all but the last parameter are alike */
            out->entry = CAP_LAUNCH_COOPERATIVE;
        break;
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz:
        if (!ex->config)
            return false;
        launch_of_config(ex->config, ex->f, ex->kernelParams, ex->extra, out);
        break;
    default:
        return false;
    }
    out->is_per_thread = id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz ||
                         id == CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz ||
                         id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz;
    return true;
}
_Static_assert(offsetof(cuLaunchKernel_params, kernelParams) ==
                   offsetof(cuLaunchCooperativeKernel_params, kernelParams),
               "these are read as each other");

/* ---- all else ---- */

static void add_variable(const void *owner, const char *name, const CUdeviceptr *address,
                         const size_t *bytes)
{
    if (address && bytes)
        recorder_variable(owner, name, *address, *bytes);
}

/* Calls as rows: `p` has the arguments, in CUPTI's structure for the function. */
#define ROWS_BEFORE(X)                                                                             \
    X(cuModuleUnload, recorder_unloaded(p->hmod))                                                  \
    X(cuLibraryUnload, recorder_unloaded(p->library))                                              \
    X(cuCtxDestroy_v2, ((void)p, recorder_context_goes()))                                         \
    X(cuDevicePrimaryCtxRelease, ((void)p, recorder_context_goes()))                               \
    X(cuDevicePrimaryCtxRelease_v2, ((void)p, recorder_context_goes()))                            \
    X(cuDevicePrimaryCtxReset, ((void)p, recorder_context_goes()))                                 \
    X(cuDevicePrimaryCtxReset_v2, ((void)p, recorder_context_goes()))                              \
    X(cuTexObjectDestroy, recorder_texture(p->texObject, false))                                   \
    X(cuSurfObjectDestroy, recorder_texture(p->surfObject, false))                                 \
    X(cuGraphLaunch, ((void)p, recorder_note(CAP_NOTE_GRAPH)))                                     \
    X(cuGraphLaunch_ptsz, ((void)p, recorder_note(CAP_NOTE_GRAPH)))                                \
    X(cuLaunchCooperativeKernelMultiDevice, ((void)p, recorder_note(CAP_NOTE_MULTI_DEVICE)))
#define ROWS_OF_IMAGES(X)                                                                          \
    X(cuModuleLoad, recorder_loaded(*p->module, image_of_file(p->fname)))                          \
    X(cuModuleLoadData, recorder_loaded(*p->module, image_of_memory(p->image)))                    \
    X(cuModuleLoadDataEx, recorder_loaded(*p->module, image_of_memory(p->image)))                  \
    X(cuModuleLoadFatBinary, recorder_loaded(*p->module, image_of_memory(p->fatCubin)))            \
    X(cuModuleGetFunction, recorder_handle(*p->hfunc, p->hmod, p->name, false))                    \
    X(cuModuleGetGlobal_v2, add_variable(p->hmod, p->name, p->dptr, p->bytes))                     \
    X(cuLibraryLoadData, recorder_loaded(*p->library, image_of_memory(p->code)))                   \
    X(cuLibraryLoadFromFile, recorder_loaded(*p->library, image_of_file(p->fileName)))             \
    X(cuLibraryGetKernel, recorder_handle(*p->pKernel, p->library, p->name, true))                 \
    X(cuLibraryGetModule, recorder_module_of(*p->pMod, p->library))                                \
    X(cuKernelGetFunction, recorder_function_of(*p->pFunc, p->kernel))                             \
    X(cuLibraryGetGlobal, add_variable(p->library, p->name, p->dptr, p->bytes))                    \
    X(cuLibraryGetManaged, add_variable(p->library, p->name, p->dptr, p->bytes))
#define ROWS_AFTER(X)                                                                              \
    X(cuTexObjectCreate, recorder_texture(*p->pTexObject, true))                                   \
    X(cuSurfObjectCreate, recorder_texture(*p->pSurfObject, true))                                 \
    X(cuGraphAddKernelNode, recorder_node(p->nodeParams, false))                                   \
    X(cuGraphAddKernelNode_v2, recorder_node(p->nodeParams, true))                                 \
    X(cuStreamBeginCapture, ((void)p, capturing(1)))                                               \
    X(cuStreamBeginCapture_ptsz, ((void)p, capturing(1)))                                          \
    X(cuStreamBeginCapture_v2, ((void)p, capturing(1)))                                            \
    X(cuStreamBeginCapture_v2_ptsz, ((void)p, capturing(1)))                                       \
    X(cuStreamBeginCaptureToGraph, ((void)p, capturing(1)))                                        \
    X(cuStreamBeginCaptureToGraph_ptsz, ((void)p, capturing(1)))                                   \
    X(cuStreamEndCapture, ((void)p, capturing(-1)))                                                \
    X(cuStreamEndCapture_ptsz, ((void)p, capturing(-1)))
#define LAUNCHES(X)                                                                                \
    X(cuLaunchKernel, )                                                                            \
    X(cuLaunchKernel_ptsz, )                                                                       \
    X(cuLaunchKernelEx, )                                                                          \
    X(cuLaunchKernelEx_ptsz, )                                                                     \
    X(cuLaunchCooperativeKernel, )                                                                 \
    X(cuLaunchCooperativeKernel_ptsz, )

static void capturing(int by)
{
    (void)atomic_fetch_add(&recorder.capturing, by);
}

#define ROW_CASE(function, call)                                                                   \
    case CUPTI_DRIVER_TRACE_CBID_##function: {                                                     \
        const function##_params *p = params;                                                       \
        call;                                                                                      \
        break;                                                                                     \
    }

static void before(CUpti_CallbackId id, const void *params)
{
    switch (id) {
        ROWS_BEFORE(ROW_CASE)
    default:
        break;
    }
}

static void after_images(CUpti_CallbackId id, const void *params)
{
    switch (id) {
        ROWS_OF_IMAGES(ROW_CASE)
    default:
        break;
    }
}

static void after(CUpti_CallbackId id, const void *params)
{
    switch (id) {
        ROWS_AFTER(ROW_CASE)
    default:
        after_images(id, params);
        break;
    }
}

/* Returns true if the call is complete. A failed stream capture has ended, too. */
static bool has_ended(CUpti_CallbackId id, CUresult result)
{
    return result == CUDA_SUCCESS || ((id == CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture ||
                                       id == CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture_ptsz) &&
                                      (result == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED ||
                                       result == CUDA_ERROR_STREAM_CAPTURE_UNJOINED));
}

static void CUPTIAPI on_callback(void *data, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                                 const void *call_data)
{
    const CUpti_CallbackData *call = call_data;
    struct launch_facts launch;
    (void)data;
    if (domain != CUPTI_CB_DOMAIN_DRIVER_API || is_ours)
        return;
    is_ours = true;
    const bool is_launch = take_launch(id, call->functionParams, &launch);
    struct seen *seen = NULL; /* lives until the launch's end */
    if (call->callbackSite == CUPTI_API_ENTER && is_launch) {
        seen = calloc(1, sizeof *seen);
        *call->correlationData = (uint64_t)(uintptr_t)seen;
        if (seen)
            recorder_before(&launch, seen);
    } else if (call->callbackSite == CUPTI_API_ENTER) {
        before(id, call->functionParams);
    } else {
        const CUresult result = *(const CUresult *)call->functionReturnValue;
        if (is_launch)
            seen = (struct seen *)(uintptr_t)*call->correlationData;
        if (seen)
            recorder_after(&launch, seen, result);
        free(seen);
        if (!is_launch && has_ended(id, result))
            after(id, call->functionParams);
    }
    is_ours = false;
}

/* ---- the beginning ---- */

/* Finds a CUPTI function: in the named library, the program's own, or the toolkit's. */
static anything find_in_cupti(const char *symbol)
{
    static const char *const places[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so",
                                         "/usr/local/cuda/lib64/libcupti.so",
                                         "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so"};
    const char *named = getenv("TUNE_CUPTI_LIBRARY");
    void *library = named && *named ? dlopen(named, RTLD_NOW) : NULL;
    if (named && *named)
        return library ? look_up(library, symbol) : NULL;
    anything function = look_up(RTLD_DEFAULT, symbol);
    for (size_t i = 0; i < sizeof places / sizeof *places && !function; i++) {
        library = dlopen(places[i], RTLD_NOW);
        function = library ? look_up(library, symbol) : NULL;
    }
    return function;
}

static const char *subscribe(void)
{
    static const CUpti_CallbackId ids[] = {
#define ROW_ID(function, call) CUPTI_DRIVER_TRACE_CBID_##function,
        LAUNCHES(ROW_ID) ROWS_BEFORE(ROW_ID) ROWS_OF_IMAGES(ROW_ID) ROWS_AFTER(ROW_ID)
#undef ROW_ID
    };
    CUptiResult(CUPTIAPI * begin)(CUpti_SubscriberHandle *, CUpti_CallbackFunc, void *);
    CUptiResult(CUPTIAPI * enable)(uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain,
                                   CUpti_CallbackId);
    CUpti_SubscriberHandle subscriber = NULL;
    const anything functions[] = {find_in_cupti("cuptiSubscribe"),
                                  find_in_cupti("cuptiEnableCallback")};
    if (!functions[0] || !functions[1])
        return "libcupti.so was not found: TUNE_CUPTI_LIBRARY names it";
    memcpy(&begin, &functions[0], sizeof begin);
    memcpy(&enable, &functions[1], sizeof enable);
    if (begin(&subscriber, on_callback, NULL) != CUPTI_SUCCESS)
        return "CUPTI refused: another tool has it, or it is for another driver";
    /* An older one lacks some. */
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        (void)enable(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, ids[i]);
    return NULL;
}

/* Entry point called by the driver in cuInit. */
__attribute__((visibility("default"))) int InitializeInjection(void);
int InitializeInjection(void)
{
    is_ours = true;
    const char *why = subscribe();
    is_ours = false;
    if (why)
        fprintf(stderr, "tune capture: nothing is recorded: %s\n", why);
    return 1;
}
