// A CUDA runtime whose device is the emulation of kernels' threads: memory of the host, no
// clusters. Launches end before the next call.
#include <cuda_runtime.h>

#include "tests/calls/emulated_runtime.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

emulated_device emulated = {"Emulated", 8, 3};
unsigned int launched_grid, launched_block;
int memory_sets;

namespace
{

void launch(const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared)
{
    static uint64_t seed;
    launched_grid = grid.x;
    launched_block = block.x;
    simt::launch launch = {grid.x, block.x, {}, ++seed, 1 + (unsigned int)(seed % 4)};
    launch.dynamic_shared = shared;
    launch.in_order = true;
    const std::string wrong =
        simt::run(launch, [&] { ((void (*)(void **))(uintptr_t)kernel)(arguments); });
    if (!wrong.empty()) {
        std::printf("FAILED a kernel: %s\n", wrong.c_str());
        std::exit(1);
    }
}

} // namespace

extern "C" {
cudaError_t cudaGetDevice(int *device)
{
    *device = 0;
    return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int *count)
{
    *count = 1;
    return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int *, cudaDeviceAttr, int)
{
    return cudaErrorInvalidValue;
}
#undef cudaGetDeviceProperties
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *out, int)
{
    std::memset(out, 0, sizeof *out);
    std::snprintf(out->name, sizeof out->name, "%s", emulated.name);
    out->major = emulated.major;
    out->multiProcessorCount = emulated.sm_count;
    out->sharedMemPerBlockOptin = 48 * 1024;
    out->maxThreadsPerBlock = 1024;
    out->regsPerMultiprocessor = 65536;
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
    std::memset(out, 0, sizeof *out);
    out->ptxVersion = emulated.major * 10;
    out->maxThreadsPerBlock = 1024;
    return cudaSuccess;
}
cudaError_t cudaFuncSetAttribute(const void *, cudaFuncAttribute, int)
{
    return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *, int, size_t)
{
    *blocks = 2;
    return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *, const cudaLaunchConfig_t *)
{
    *clusters = 0;
    return cudaSuccess;
}
cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                             size_t shared, cudaStream_t)
{
    launch(kernel, grid, block, arguments, shared);
    return cudaSuccess;
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *kernel,
                                void **arguments)
{
    launch(kernel, config->gridDim, config->blockDim, arguments, config->dynamicSmemBytes);
    return cudaSuccess;
}
cudaError_t cudaGetSymbolAddress(void **address, const void *symbol)
{
    *address = const_cast<void *>(symbol);
    return cudaSuccess;
}
cudaError_t cudaMalloc(void **memory, size_t bytes)
{
    *memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
    return cudaSuccess;
}
cudaError_t cudaFree(void *memory)
{
    std::free(memory);
    return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void *memory, int value, size_t bytes, cudaStream_t)
{
    memory_sets++;
    std::memset(memory, value, bytes);
    return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind, cudaStream_t)
{
    std::memcpy(to, from, bytes);
    return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t)
{
    return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize()
{
    return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int)
{
    *stream = nullptr;
    return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t)
{
    return cudaSuccess;
}
const char *cudaGetErrorString(cudaError_t)
{
    return "an error of the emulated runtime";
}
}
