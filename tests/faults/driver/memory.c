/* Device memory is host memory: an address on the device is one on the host. */
#include <stdlib.h>
#include <string.h>

#include "tests/faults/driver/standin.h"

/* In front of each allocation. */
enum { HEADER_BYTES = 512 };
/* Bandwidths of copies on the device, and between it and the host. */
static const double device_gbs = 1500;
static const double host_gbs = 50;

static uint64_t used_bytes;

static CUresult enter_for_bytes(const char *call, size_t bytes)
{
    struct subject subject = {.bytes = bytes};
    return enter_with(call, &subject, 1);
}

static void *at(CUdeviceptr address)
{
    return (void *)(uintptr_t)address;
}

static size_t channel_bytes(CUarray_format format)
{
    switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT8:
        return 1;
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_HALF:
        return 2;
    default:
        return 4;
    }
}

/* Notes an allocation; bytes 0: freed. */
static void note_allocation(void *start, size_t bytes, CUmemorytype type)
{
#ifdef STANDIN_OLD
    (void)start, (void)bytes, (void)type;
#else
    if (bytes > 0)
        allocation_add(start, bytes, type, false);
    else
        allocation_remove(start);
#endif
}

CUresult cuMemGetInfo(size_t *free_bytes, size_t *total)
{
    CUresult result = enter(__func__);
    *total = device_memory_bytes();
    *free_bytes = *total - used_bytes;
    return result;
}

CUresult cuMemAlloc(CUdeviceptr *out, size_t bytes)
{
    CUresult result = enter_for_bytes(__func__, bytes);
    if (result != CUDA_SUCCESS)
        return result;
    if (bytes == 0)
        return CUDA_ERROR_INVALID_VALUE;
    standin_lock();
    const bool fits = bytes <= device_memory_bytes() - used_bytes;
    standin_unlock();
    if (!fits)
        return CUDA_ERROR_OUT_OF_MEMORY;
    size_t whole = (bytes + 2 * HEADER_BYTES - 1) / HEADER_BYTES * HEADER_BYTES;
    char *memory = aligned_alloc(HEADER_BYTES, whole);
    if (!memory)
        return CUDA_ERROR_OUT_OF_MEMORY;
    memcpy(memory, &bytes, sizeof bytes);
    standin_lock();
    used_bytes += bytes;
    standin_unlock();
    *out = (CUdeviceptr)(uintptr_t)(memory + HEADER_BYTES);
    note_allocation(at(*out), bytes, CU_MEMORYTYPE_DEVICE);
    return CUDA_SUCCESS;
}

CUresult cuMemFree(CUdeviceptr address)
{
    size_t bytes = 0;
    char *memory = (char *)at(address) - HEADER_BYTES;
    memcpy(&bytes, memory, sizeof bytes);
    standin_lock();
    used_bytes -= bytes;
    standin_unlock();
    note_allocation(at(address), 0, CU_MEMORYTYPE_DEVICE);
    free(memory);
    return enter(__func__);
}

CUresult cuMemHostAlloc(void **out, size_t bytes, unsigned flags)
{
    (void)flags;
    CUresult result = enter_for_bytes(__func__, bytes);
    if (result != CUDA_SUCCESS)
        return result;
    *out = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    if (*out)
        note_allocation(*out, bytes, CU_MEMORYTYPE_HOST);
    return *out ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuMemHostGetDevicePointer(CUdeviceptr *out, void *memory, unsigned flags)
{
    (void)flags;
    *out = (CUdeviceptr)(uintptr_t)memory;
    return enter(__func__);
}

CUresult cuMemFreeHost(void *memory)
{
    note_allocation(memory, 0, CU_MEMORYTYPE_HOST);
    free(memory);
    return enter(__func__);
}

static CUresult copy(const char *call, void *to, const void *from, size_t bytes, double gbs)
{
    CUresult result = enter_for_bytes(call, bytes);
    if (result != CUDA_SUCCESS)
        return result;
    memmove(to, from, bytes);
    queue_add_time(1500 + (double)bytes / gbs);
    return CUDA_SUCCESS;
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream stream)
{
    (void)stream;
    return copy(__func__, at(to), from, bytes, host_gbs);
}

CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    (void)stream;
    return copy(__func__, to, at(from), bytes, host_gbs);
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    (void)stream;
    return copy(__func__, at(to), at(from), bytes, device_gbs);
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char byte, size_t count, CUstream stream)
{
    (void)stream;
    CUresult result = enter_for_bytes(__func__, count);
    if (result != CUDA_SUCCESS)
        return result;
    memset(at(to), byte, count);
    queue_add_time(1500 + (double)count / device_gbs);
    return CUDA_SUCCESS;
}

/* Creates a texture; its handle is its description. */
CUresult cuTexObjectCreate(CUtexObject *out, const CUDA_RESOURCE_DESC *resource,
                           const CUDA_TEXTURE_DESC *reading, const CUDA_RESOURCE_VIEW_DESC *view)
{
    CUresult result = enter("cuTexObjectCreate");
    const CUdeviceptr address = resource->resType == CU_RESOURCE_TYPE_PITCH2D
                                    ? resource->res.pitch2D.devPtr
                                    : resource->res.linear.devPtr;
    (void)reading;
    (void)view;
    if (result == CUDA_SUCCESS && address % 512 != 0)
        return CUDA_ERROR_INVALID_VALUE;
    CUDA_RESOURCE_DESC *held = malloc(sizeof *held);
    if (!held)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *held = *resource;
    *out = (CUtexObject)(uintptr_t)held;
    return result;
}

CUresult cuTexObjectDestroy(CUtexObject object)
{
    free((void *)(uintptr_t)object);
    return enter("cuTexObjectDestroy");
}

/* Creates an array with consecutive rows; a surface's handle is the array's. */
CUresult cuArray3DCreate(CUarray *out, const CUDA_ARRAY3D_DESCRIPTOR *form)
{
    const size_t rows = form->Height > 0 ? form->Height : 1;
    const size_t row_bytes = form->Width * form->NumChannels * channel_bytes(form->Format);
    CUresult result = enter("cuArray3DCreate");
    if (result != CUDA_SUCCESS)
        return result;
    if (!(form->Flags & CUDA_ARRAY3D_SURFACE_LDST) || form->Depth > 0)
        return CUDA_ERROR_INVALID_VALUE;
    struct CUarray_st *array = calloc(1, sizeof *array + rows * row_bytes);
    if (!array)
        return CUDA_ERROR_OUT_OF_MEMORY;
    array->row_bytes = row_bytes;
    array->rows = rows;
    *out = array;
    return result;
}

CUresult cuArrayDestroy(CUarray array)
{
    free(array);
    return enter("cuArrayDestroy");
}

CUresult cuSurfObjectCreate(CUsurfObject *out, const CUDA_RESOURCE_DESC *resource)
{
    *out = (CUsurfObject)(uintptr_t)resource->res.array.hArray;
    return resource->resType == CU_RESOURCE_TYPE_ARRAY ? enter("cuSurfObjectCreate")
                                                       : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuSurfObjectDestroy(CUsurfObject object)
{
    (void)object;
    return enter("cuSurfObjectDestroy");
}

/* Copies whole rows between an array and memory. */
CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *copy, CUstream stream)
{
    const bool back = copy->srcMemoryType == CU_MEMORYTYPE_ARRAY;
    struct CUarray_st *array = back ? copy->srcArray : copy->dstArray;
    const size_t pitch = back ? copy->dstPitch : copy->srcPitch;
    CUresult result = enter_for_bytes("cuMemcpy2DAsync", copy->WidthInBytes * copy->Height);
    if (result != CUDA_SUCCESS)
        return result;
    if (copy->WidthInBytes != array->row_bytes || copy->Height != array->rows)
        return CUDA_ERROR_INVALID_VALUE;
    (void)stream;
    for (size_t y = 0; y < array->rows; y++) {
        unsigned char *row = array->bytes + y * array->row_bytes;
        if (back)
            memcpy((char *)at(copy->dstDevice) + y * pitch, row, array->row_bytes);
        else
            memcpy(row, (const char *)at(copy->srcDevice) + y * pitch, array->row_bytes);
    }
    queue_add_time(1500 + (double)(array->row_bytes * array->rows) / device_gbs);
    return result;
}
