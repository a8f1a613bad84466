/* A replacement of CUPTI, and of the driver that loads the library of CUDA_INJECTION64_PATH:
 * preloaded before the stand-in driver, it calls subscribers before and after some of its
 * functions. */
#include <cuda.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cupti_callbacks.h>
#include <cupti_driver_cbid.h>
#include <generated_cuda_meta.h>

static CUpti_CallbackFunc heard;
static void *heard_data;
static bool is_enabled[CUPTI_DRIVER_TRACE_CBID_SIZE];

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle *subscriber, CUpti_CallbackFunc callback,
                           void *data)
{
    if (getenv("STANDIN_CUPTI_REFUSES"))
        return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
    heard = callback;
    heard_data = data;
    *subscriber = NULL;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle subscriber,
                                CUpti_CallbackDomain domain, CUpti_CallbackId id)
{
    (void)subscriber;
    if (domain != CUPTI_CB_DOMAIN_DRIVER_API || id >= CUPTI_DRIVER_TRACE_CBID_SIZE)
        return CUPTI_ERROR_INVALID_PARAMETER;
    is_enabled[id] = enable != 0;
    return CUPTI_SUCCESS;
}

static void call_back(CUpti_CallbackId id, CUpti_ApiCallbackSite site, const void *params,
                      CUresult *result, uint64_t *correlation)
{
    CUpti_CallbackData call = {.callbackSite = site,
                               .functionParams = params,
                               .functionReturnValue = result,
                               .correlationData = correlation};
    if (heard && is_enabled[id])
        heard(heard_data, CUPTI_CB_DOMAIN_DRIVER_API, id, &call);
}

static void find(const char *symbol, void *next)
{
    void *found = dlsym(RTLD_NEXT, symbol);
    memcpy(next, &found, sizeof found);
}

#define UNPACKED(...) __VA_ARGS__
#define HEARD(symbol, parameters, given)                                                           \
    CUresult symbol parameters                                                                     \
    {                                                                                              \
        CUresult(*next) parameters = NULL;                                                         \
        const symbol##_params params = {UNPACKED given};                                           \
        uint64_t correlation = 0;                                                                  \
        CUresult result = CUDA_SUCCESS;                                                            \
        find(#symbol, &next);                                                                      \
        call_back(CUPTI_DRIVER_TRACE_CBID_##symbol, CUPTI_API_ENTER, &params, &result,             \
                  &correlation);                                                                   \
        result = next given;                                                                       \
        call_back(CUPTI_DRIVER_TRACE_CBID_##symbol, CUPTI_API_EXIT, &params, &result,              \
                  &correlation);                                                                   \
        return result;                                                                             \
    }

HEARD(cuModuleLoadData, (CUmodule * module, const void *image), (module, image))
HEARD(cuModuleGetFunction, (CUfunction * hfunc, CUmodule hmod, const char *name),
      (hfunc, hmod, name))
HEARD(cuModuleGetGlobal_v2, (CUdeviceptr * dptr, size_t *bytes, CUmodule hmod, const char *name),
      (dptr, bytes, hmod, name))
HEARD(cuModuleUnload, (CUmodule hmod), (hmod))
HEARD(cuLaunchKernel,
      (CUfunction f, unsigned gridDimX, unsigned gridDimY, unsigned gridDimZ, unsigned blockDimX,
       unsigned blockDimY, unsigned blockDimZ, unsigned sharedMemBytes, CUstream hStream,
       void **kernelParams, void **extra),
      (f, gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes, hStream,
       kernelParams, extra))
HEARD(cuLaunchKernelEx,
      (const CUlaunchConfig *config, CUfunction f, void **kernelParams, void **extra),
      (config, f, kernelParams, extra))
HEARD(cuStreamBeginCapture_v2, (CUstream hStream, CUstreamCaptureMode mode), (hStream, mode))
HEARD(cuStreamEndCapture, (CUstream hStream, CUgraph *phGraph), (hStream, phGraph))
HEARD(cuGraphLaunch, (CUgraphExec hGraphExec, CUstream hStream), (hGraphExec, hStream))

CUresult cuInit(unsigned Flags)
{
    CUresult (*next)(unsigned) = NULL;
    int (*begin)(void) = NULL;
    const char *path = getenv("CUDA_INJECTION64_PATH");
    void *library = path ? dlopen(path, RTLD_NOW) : NULL;
    void *found = library ? dlsym(library, "InitializeInjection") : NULL;
    memcpy(&begin, &found, sizeof found);
    if (path && (!begin || begin() != 1))
        abort();
    find("cuInit", &next);
    return next(Flags);
}
