#include "tests/calls/fake_runtime.h"

#include <cstdio>
#include <cstring>

#include <cuda_runtime_api.h>

machine machines[3];
int current;
std::vector<launched> launches;
int shared_allowed = 48 * 1024;
int failing;
int memsets, questions;
bool has_few_arguments;

extern "C" {
cudaError_t cudaGetDevice(int *device)
{
    *device = current;
    return (cudaError_t)failing;
}
cudaError_t cudaDeviceGetAttribute(int *out, cudaDeviceAttr question, int device)
{
    const machine &of = machines[device];
    switch (question) {
    case cudaDevAttrComputeCapabilityMajor:
        *out = of.major;
        break;
    case cudaDevAttrComputeCapabilityMinor:
        *out = of.minor;
        break;
    case cudaDevAttrMultiProcessorCount:
        *out = of.sm_count;
        break;
    case cudaDevAttrMaxThreadsPerBlock:
        *out = 1024;
        break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        *out = 227 * 1024;
        break;
    case cudaDevAttrMaxRegistersPerMultiprocessor:
        *out = 65536;
        break;
    case cudaDevAttrMemoryClockRate:
        *out = 2619000;
        break;
    case cudaDevAttrGlobalMemoryBusWidth:
        *out = 6144;
        break;
    default:
        return cudaErrorInvalidValue;
    }
    return (cudaError_t)failing;
}
cudaError_t cudaDriverGetVersion(int *version)
{
    *version = 13010;
    return (cudaError_t)failing;
}
#undef cudaGetDeviceProperties
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *out, int device)
{
    questions++;
    std::memset(out, 0, sizeof *out);
    std::snprintf(out->name, sizeof out->name, "%s", machines[device].name);
    out->major = machines[device].major;
    out->minor = machines[device].minor;
    out->multiProcessorCount = machines[device].sm_count;
    out->sharedMemPerBlockOptin = 227 * 1024;
    out->maxThreadsPerBlock = 1024;
    out->regsPerMultiprocessor = 65536;
    out->totalGlobalMem = (size_t)141 << 30;
    return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties_v2(cudaDeviceProp *out, int device)
{
    return cudaGetDeviceProperties(out, device);
}
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *)
{
    return cudaSuccess;
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *out, const void *)
{
    questions++;
    std::memset(out, 0, sizeof *out);
    out->ptxVersion = machines[current].ptx_version;
    out->maxThreadsPerBlock = 1024;
    out->maxDynamicSharedSizeBytes = shared_allowed;
    return (cudaError_t)failing;
}
cudaError_t cudaFuncSetAttribute(const void *, cudaFuncAttribute attribute, int value)
{
    questions++;
    if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize)
        shared_allowed = value;
    return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *, int block,
                                                          size_t)
{
    questions++;
    *blocks = 2048 / block;
    return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *, const cudaLaunchConfig_t *)
{
    questions++;
    *clusters = machines[current].clusters;
    return cudaSuccess;
}
cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                             size_t shared, cudaStream_t)
{
    launches.push_back({kernel, grid.x, block.x, shared, false,
                        has_few_arguments ? 0 : *(long long *)arguments[4], grid.y, grid.z, block.y,
                        block.z, false, 0, has_few_arguments ? nullptr : *(void **)arguments[3]});
    return (cudaError_t)failing;
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *kernel,
                                void **arguments)
{
    launched launch = {kernel,
                       config->gridDim.x,
                       config->blockDim.x,
                       config->dynamicSmemBytes,
                       false,
                       has_few_arguments ? 0 : *(long long *)arguments[4],
                       config->gridDim.y,
                       config->gridDim.z,
                       config->blockDim.y,
                       config->blockDim.z,
                       false,
                       0,
                       nullptr};
    for (unsigned int i = 0; i < config->numAttrs; i++) {
        const cudaLaunchAttributeValue &value = config->attrs[i].val;
        switch (config->attrs[i].id) {
        case cudaLaunchAttributeProgrammaticStreamSerialization:
            launch.dependent = value.programmaticStreamSerializationAllowed == 1;
            break;
        case cudaLaunchAttributeCooperative:
            launch.cooperative = value.cooperative == 1;
            break;
        case cudaLaunchAttributeClusterDimension:
            launch.cluster = value.clusterDim.x * value.clusterDim.y * value.clusterDim.z;
            break;
        default:
            return cudaErrorInvalidValue;
        }
    }
    launches.push_back(launch);
    return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void *, int, size_t, cudaStream_t)
{
    memsets++;
    return cudaSuccess;
}
#undef cudaGetSymbolAddress
cudaError_t cudaGetSymbolAddress(void **address, const void *symbol)
{
    questions++;
    *address = (void *)symbol;
    return cudaSuccess;
}
// What nvcc's own code calls when the program starts, or would to launch by <<< >>>.
void **__cudaRegisterFatBinary(void *)
{
    static void *handle;
    return &handle;
}
void __cudaRegisterFatBinaryEnd(void **)
{
}
void __cudaUnregisterFatBinary(void **)
{
}
char __cudaInitModule(void **)
{
    return 0;
}
void __cudaRegisterFunction(void **, const char *, char *, const char *, int, uint3 *, uint3 *,
                            dim3 *, dim3 *, int *)
{
}
void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int)
{
}
unsigned int __cudaPushCallConfiguration(dim3, dim3, size_t, struct CUstream_st *)
{
    return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3 *, dim3 *, size_t *, void *)
{
    return cudaSuccess;
}
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *function)
{
    *kernel = (cudaKernel_t)function;
    return cudaSuccess;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void **, size_t, cudaStream_t)
{
    return cudaSuccess;
}
}
