/* Memory behind a launch's parameters. */
#include <string.h>

#include "frontends/capture/library/recorder.h"

static CUpointer_attribute attributes[] = {
    CU_POINTER_ATTRIBUTE_MEMORY_TYPE,    CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
    CU_POINTER_ATTRIBUTE_RANGE_SIZE,     CU_POINTER_ATTRIBUTE_IS_MANAGED,
    CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, CU_POINTER_ATTRIBUTE_HOST_POINTER,
};

bool memory_find(uint64_t address, struct range *out)
{
    const struct driver *driver = driver_get();
    CUmemorytype type = (CUmemorytype)0;
    CUdeviceptr start = 0;
    size_t bytes = 0;
    unsigned is_managed = 0; /* drivers write one byte or all */
    int device = 0;
    void *host = NULL;
    void *answers[] = {&type, &start, &bytes, &is_managed, &device, &host};
    /* Small numbers, and bit patterns that are no address: most words of a launch. */
    if (!driver->pointer_attributes || address < 65536 || address >> 57 != 0)
        return false;
    /* The first three attributes locate the allocation; enough if a driver refuses the others. */
    if ((driver->pointer_attributes(sizeof attributes / sizeof *attributes, attributes, answers,
                                    (CUdeviceptr)address) != CUDA_SUCCESS &&
         driver->pointer_attributes(3, attributes, answers, (CUdeviceptr)address) !=
             CUDA_SUCCESS) ||
        (type != CU_MEMORYTYPE_DEVICE && type != CU_MEMORYTYPE_HOST &&
         type != CU_MEMORYTYPE_UNIFIED) ||
        bytes == 0 || address < start || address - start >= bytes)
        return false;
    *out = (struct range){
        .address = start,
        .bytes = bytes,
        .memory = is_managed                   ? CAP_MEMORY_MANAGED
                  : type == CU_MEMORYTYPE_HOST ? CAP_MEMORY_HOST
                                               : CAP_MEMORY_DEVICE,
        .device = device < 0 ? 0 : (uint32_t)device,
    };
    /* The host pointer belongs to `address`, not to the start. */
    if (out->memory == CAP_MEMORY_HOST)
        out->host = host ? (const char *)host - (address - start) : NULL;
    return true;
}

void launch_of_config(const CUlaunchConfig *config, CUfunction function, void **parameters,
                      void **extra, struct launch_facts *out)
{
    *out = (struct launch_facts){
        .function = function,
        .entry = CAP_LAUNCH_KERNEL_EX,
        .grid = {config->gridDimX, config->gridDimY, config->gridDimZ},
        .block = {config->blockDimX, config->blockDimY, config->blockDimZ},
        .shared_bytes = config->sharedMemBytes,
        .stream = config->hStream,
        .parameters = parameters,
        .extra = extra,
        .attributes = config->attrs,
        .attribute_count = config->attrs ? config->numAttrs : 0,
    };
    for (unsigned i = 0; i < out->attribute_count; i++) {
        const CUlaunchAttributeValue *value = &out->attributes[i].value;
        if (out->attributes[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
            memcpy(out->cluster, &value->clusterDim, sizeof out->cluster);
        else if (out->attributes[i].id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE && value->cooperative)
            out->entry = CAP_LAUNCH_COOPERATIVE;
    }
}

bool launch_is_capturing(const struct launch_facts *launch)
{
    const struct driver *driver = driver_get();
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    CUresult(CUDAAPI * ask)(CUstream, CUstreamCaptureStatus *) =
        launch->is_per_thread && driver->is_capturing_ptsz ? driver->is_capturing_ptsz
                                                           : driver->is_capturing;
    /* The legacy stream is never captured, and a query during another stream's capture is an error.
     */
    if (!ask || atomic_load(&recorder.capturing) == 0 ||
        (!launch->stream && !launch->is_per_thread))
        return false;
    return ask(launch->stream, &status) == CUDA_SUCCESS && status != CU_STREAM_CAPTURE_STATUS_NONE;
}

CUresult launch_event(const struct launch_facts *launch, CUevent event)
{
    const struct driver *driver = driver_get();
    CUresult(CUDAAPI * record)(CUevent, CUstream) =
        launch->is_per_thread && driver->event_record_ptsz ? driver->event_record_ptsz
                                                           : driver->event_record;
    return record ? record(event, launch->stream) : CUDA_ERROR_NOT_FOUND;
}

bool launch_block(const struct kernel *kernel, const struct launch_facts *launch, uint8_t *block,
                  uint32_t *bytes)
{
    *bytes = 0;
    if (launch->extra && !launch->parameters) {
        const void *data = NULL;
        size_t size = 0;
        for (void **item = launch->extra; *item != CU_LAUNCH_PARAM_END; item += 2) {
            if (*item == CU_LAUNCH_PARAM_BUFFER_POINTER)
                data = item[1];
            else if (*item == CU_LAUNCH_PARAM_BUFFER_SIZE)
                memcpy(&size, item[1], sizeof size);
            else
                return false;
        }
        if (!data || size > CAP_PARAMETER_BYTES_MAX)
            return false;
        memcpy(block, data, size);
        *bytes = (uint32_t)size;
        return true;
    }
    if (!kernel->is_layout_known || (kernel->parameter_count > 0 && !launch->parameters))
        return false;
    memset(block, 0, kernel->parameter_bytes);
    for (uint32_t i = 0; i < kernel->parameter_count; i++)
        memcpy(block + kernel->parameters[i].offset, launch->parameters[i],
               kernel->parameters[i].bytes);
    *bytes = kernel->parameter_bytes;
    return true;
}

uint64_t launch_bytes(const struct kernel *kernel, const struct launch_facts *launch)
{
    enum { RANGES_MAX = 64 };
    uint8_t block[CAP_PARAMETER_BYTES_MAX];
    struct range found[RANGES_MAX];
    uint32_t bytes = 0, count = 0;
    uint64_t sum = 0;
    if (!launch_block(kernel, launch, block, &bytes))
        return 0;
    for (uint32_t at = 0; at + sizeof(uint64_t) <= bytes && count < RANGES_MAX;
         at += sizeof(uint64_t)) {
        uint64_t word;
        bool is_known = false;
        memcpy(&word, block + at, sizeof word);
        if (!memory_find(word, &found[count]))
            continue;
        for (uint32_t i = 0; i < count; i++)
            is_known |= found[i].address == found[count].address;
        if (!is_known)
            sum += found[count++].bytes;
    }
    return sum;
}
