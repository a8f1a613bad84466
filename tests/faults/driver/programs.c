/* Driver functions that programs use and tune does not: functions by cuGetProcAddress, libraries,
 * per-thread default streams, capture of streams, memory of other kinds; and those that a recorder
 * of such a program uses. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/faults/driver/standin.h"

#ifndef STANDIN_OLD

/* ---- memory ---- */

struct allocation {
    struct allocation *next;
    char *start;
    size_t bytes;
    CUmemorytype type;
    bool is_managed;
};
static struct allocation *allocations;

void allocation_add(void *start, size_t bytes, CUmemorytype type, bool is_managed)
{
    struct allocation *allocation = malloc(sizeof *allocation);
    if (!allocation)
        return;
    standin_lock();
    *allocation = (struct allocation){allocations, start, bytes, type, is_managed};
    allocations = allocation;
    standin_unlock();
}

void allocation_remove(const void *start)
{
    standin_lock();
    for (struct allocation **at = &allocations; *at; at = &(*at)->next)
        if ((*at)->start == start) {
            struct allocation *gone = *at;
            *at = gone->next;
            free(gone);
            break;
        }
    standin_unlock();
}

static bool find_allocation(CUdeviceptr address, struct allocation *out)
{
    bool found = false;
    standin_lock();
    for (const struct allocation *at = allocations; at && !found; at = at->next) {
        found = address - (CUdeviceptr)(uintptr_t)at->start < at->bytes;
        if (found)
            *out = *at;
    }
    standin_unlock();
    return found;
}

CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute *attributes, void **out,
                                CUdeviceptr address)
{
    struct allocation at = {0};
    const bool found = find_allocation(address, &at);
    for (unsigned i = 0; i < count; i++)
        switch (attributes[i]) {
        case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
            *(CUmemorytype *)out[i] = found ? at.type : (CUmemorytype)0;
            break;
        case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
            *(CUdeviceptr *)out[i] = (CUdeviceptr)(uintptr_t)at.start;
            break;
        case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
            *(size_t *)out[i] = at.bytes;
            break;
        case CU_POINTER_ATTRIBUTE_IS_MANAGED:
            *(bool *)out[i] = at.is_managed;
            break;
        case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
            *(int *)out[i] = found ? 0 : -2;
            break;
        case CU_POINTER_ATTRIBUTE_HOST_POINTER:
            *(void **)out[i] =
                found && at.type == CU_MEMORYTYPE_HOST ? (void *)(uintptr_t)address : NULL;
            break;
        default:
            return CUDA_ERROR_INVALID_VALUE;
        }
    return enter(__func__);
}

CUresult cuMemAllocManaged(CUdeviceptr *out, size_t bytes, unsigned flags)
{
    (void)flags;
    CUresult result = cuMemAlloc(out, bytes);
    if (result == CUDA_SUCCESS) {
        allocation_remove((void *)(uintptr_t)*out);
        allocation_add((void *)(uintptr_t)*out, bytes, CU_MEMORYTYPE_DEVICE, true);
    }
    return result;
}

CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes)
{
    return cuMemcpyHtoDAsync(to, from, bytes, NULL);
}

CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes)
{
    return cuMemcpyDtoHAsync(to, from, bytes, NULL);
}

/* ---- contexts and functions ---- */

CUresult cuCtxGetCurrent(CUcontext *out)
{
    *out = NULL;
    return enter(__func__);
}

CUresult cuFuncGetName(const char **out, CUfunction function)
{
    *out = function->kernel->name;
    return enter(__func__);
}

CUresult cuFuncGetModule(CUmodule *out, CUfunction function)
{
    *out = function->module;
    return enter(__func__);
}

/* Loads a library: a module; a kernel of it has another handle than its function. */
CUresult cuLibraryLoadData(CUlibrary *out, const void *data, CUjit_option *jit, void **jit_values,
                           unsigned jit_count, CUlibraryOption *options, void **values,
                           unsigned count)
{
    CUmodule module = NULL;
    (void)jit, (void)jit_values, (void)jit_count, (void)options, (void)values, (void)count;
    CUresult result = cuModuleLoadData(&module, data);
    *out = (CUlibrary)(void *)module;
    return result;
}

CUresult cuLibraryUnload(CUlibrary library)
{
    return cuModuleUnload((CUmodule)(void *)library);
}

CUresult cuLibraryGetKernel(CUkernel *out, CUlibrary library, const char *name)
{
    CUfunction function = NULL;
    CUresult result = cuModuleGetFunction(&function, (CUmodule)(void *)library, name);
    *out = (CUkernel)(void *)function;
    return result;
}

CUresult cuKernelGetFunction(CUfunction *out, CUkernel kernel)
{
    struct CUfunc_st *copy = malloc(sizeof *copy);
    if (!copy)
        return CUDA_ERROR_OUT_OF_MEMORY;
    memcpy(copy, kernel, sizeof *copy);
    *out = copy;
    return enter(__func__);
}

CUresult cuKernelGetName(const char **out, CUkernel kernel)
{
    return cuFuncGetName(out, (CUfunction)(void *)kernel);
}

CUresult cuLibraryGetGlobal(CUdeviceptr *out, size_t *bytes, CUlibrary library, const char *name)
{
    return cuModuleGetGlobal(out, bytes, (CUmodule)(void *)library, name);
}

/* ---- streams ---- */

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
    static _Thread_local CUstreamCaptureMode own = CU_STREAM_CAPTURE_MODE_GLOBAL;
    const CUstreamCaptureMode before = own;
    own = *mode;
    *mode = before;
    return enter(__func__);
}

CUresult cuLaunchKernel_ptsz(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                             unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                             CUstream stream, void **arguments, void **extra)
{
    return cuLaunchKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared,
                          stream, arguments, extra);
}

CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig *config, CUfunction function, void **arguments,
                               void **extra)
{
    return cuLaunchKernelEx(config, function, arguments, extra);
}

CUresult cuEventRecord_ptsz(CUevent event, CUstream stream)
{
    return cuEventRecord(event, stream);
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                                   unsigned grid_z, unsigned block_x, unsigned block_y,
                                   unsigned block_z, unsigned shared, CUstream stream,
                                   void **arguments)
{
    return cuLaunchKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared,
                          stream, arguments, NULL);
}

/* ---- functions by name ---- */

CUresult cuGetProcAddress(const char *name, void **out, int version, cuuint64_t flags,
                          CUdriverProcAddressQueryResult *status)
{
    static const char *const ends[] = {"_v2_ptsz", "_ptsz", "_v2", ""};
    char symbol[256];
    void *library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    const size_t first = (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0 ? 0 : 2;
    (void)version;
    *out = NULL;
    for (size_t i = first; i < sizeof ends / sizeof *ends && !*out && library; i++) {
        (void)snprintf(symbol, sizeof symbol, "%s%s", name, ends[i]);
        *out = dlsym(library, symbol);
    }
    if (status)
        *status = *out ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return *out ? enter_bare(__func__) : CUDA_ERROR_NOT_FOUND;
}
#endif
