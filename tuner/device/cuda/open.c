#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tuner/base/clock.h"
#include "tuner/base/random.h"
#include "tuner/base/text.h"
#include "tuner/device/cuda/measure.h"

static int attribute(const struct device *device, CUdevice_attribute which)
{
    int value = 0;
    if (device->driver->cuDeviceGetAttribute(&value, which, device->handle) != CUDA_SUCCESS)
        return 0;
    return value;
}

static enum status read_limits(struct device *device, struct error *error)
{
    device->sm_count = attribute(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    device->max_threads_per_sm =
        attribute(device, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
    device->warp_size = attribute(device, CU_DEVICE_ATTRIBUTE_WARP_SIZE);
    device->shared_default = attribute(device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
    device->limits =
        (struct launch_limits){.grid = {attribute(device, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X),
                                        attribute(device, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y),
                                        attribute(device, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)},
                               .block = {attribute(device, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X),
                                         attribute(device, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y),
                                         attribute(device, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)},
                               .sm_count = device->sm_count};
    device->l2_bytes = (size_t)attribute(device, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
    int major = attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
    int minor = attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    device->compute_major = major;
    if (device->sm_count < 1 || device->warp_size < 1 || device->max_threads_per_sm < 1 || !major)
        return error_set(error, STATUS_UNAVAILABLE,
                         "cuda:%d: the driver does not report the device's limits: update it",
                         device->index);
    if (!string_format(device->architecture, sizeof device->architecture, "sm_%d%d", major, minor))
        return error_set(error, STATUS_INTERNAL, "compute capability %d.%d", major, minor);
    return STATUS_OK;
}

/* Context that cuda_reserve left for cuda_open; NULL: none. */
static CUcontext reserved;
static CUdevice reserved_on;

static enum status open_context(struct device *device, struct error *error)
{
    static const char making[] = "cuda:%d: making its stream";
    const struct cuda_driver *cuda = device->driver;
    CUcontext context = device->handle == reserved_on ? reserved : NULL;
    CUresult result = CUDA_SUCCESS;
    if (context)
        reserved = NULL;
    else
        result = cuda->cuDevicePrimaryCtxRetain(&context, device->handle);
    if (result == CUDA_ERROR_DEVICE_UNAVAILABLE)
        return error_set(error, STATUS_UNAVAILABLE,
                         "cuda:%d is in use by another process in exclusive mode, or closed to "
                         "computing: see 'nvidia-smi -q -d COMPUTE'",
                         device->index);
    TRY(cuda_error(device, result, error, "cuda:%d: opening its context", device->index));
    device->context = context;
    CUDA_TRY(cuCtxSetCurrent(context), making, device->index);
    CUDA_TRY(cuStreamCreate(&device->stream, CU_STREAM_NON_BLOCKING), making, device->index);
    CUDA_TRY(cuEventCreate(&device->begin, CU_EVENT_DEFAULT), making, device->index);
    CUDA_TRY(cuEventCreate(&device->end, CU_EVENT_DEFAULT), making, device->index);
    return STATUS_OK;
}

static enum status open_parts(struct device *device, int64_t opened_ns, struct error *error)
{
    static const char sharing[] = "cuda:%d: memory shared with the host",
                      emptying[] = "cuda:%d: %zu bytes to empty the L2 cache with";
    struct gate *gate = &device->gate;
    char pci_address[32] = "";
    void *words = NULL;
    TRY(cuda_handle(device->driver, device->index, &device->handle, error));
    if (device->driver->cuDeviceGetPCIBusId(pci_address, sizeof pci_address, device->handle) ==
        CUDA_SUCCESS) {
        /* Without NVML the device's state stays unknown, which is no error. */
        char reason[160];
        if (cuda_nvml_open(&device->nvml, reason, sizeof reason) &&
            !cuda_nvml_find(&device->nvml, pci_address))
            cuda_nvml_close(&device->nvml);
    }
    TRY(read_limits(device, error));
    TRY(open_context(device, error));
    if (attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE) == CU_COMPUTEMODE_DEFAULT)
        device->calibration.reserved_ns = clock_now_ns() - opened_ns;
    /* The places of code and data change a kernel's time by some tenths of a percent; places differ
     * between programs, but hardly between processes that do alike. So allocations are scattered by
     * blocks of random sizes, as far as memory permits. */
    size_t free_bytes = 0;
    size_t total = 0;
    device->placing = (struct random){.seed = (uint64_t)clock_now_ns() ^ (uint64_t)getpid() << 40};
    if (device->driver->cuMemGetInfo(&free_bytes, &total) == CUDA_SUCCESS) {
        for (size_t i = 0; i < CUDA_PADS; i++) {
            size_t most = i % 2 == 0 ? 32768 : free_bytes / 8192;
            size_t pad = (size_t)random_below(&device->placing, most + 1);
            if (pad > 0 && device->driver->cuMemAlloc(&device->pads[i], pad) != CUDA_SUCCESS)
                device->pads[i] = 0;
        }
    }
    CUDA_TRY(cuMemHostAlloc(&words, 4096, CU_MEMHOSTALLOC_DEVICEMAP), sharing, device->index);
    memset(words, 0, 4096);
    gate->open = words;
    CUDA_TRY(cuMemHostGetDevicePointer(&gate->open_on_device, words, 0), sharing, device->index);
    /* In a separate cache line, so that writing one does not disturb reading the other. */
    gate->seen = gate->open + 64;
    gate->seen_on_device = gate->open_on_device + 64 * sizeof(uint32_t);
    TRY(cuda_harness_load(device, error));
    const size_t bytes = 2 * (device->l2_bytes ? device->l2_bytes : (size_t)32 << 20);
    device->flush_bytes = bytes;
    CUDA_TRY(cuMemAlloc(&device->flush, bytes), emptying, device->index, bytes);
    CUDA_TRY(cuMemAlloc(&device->sink, 4096), emptying, device->index, bytes);
    CUDA_TRY(cuMemAlloc(&device->sums, SUMS_MAX * sizeof(uint64_t)), emptying, device->index,
             bytes);
    CUDA_TRY(cuMemsetD8Async(device->sink, 0, 4096, device->stream), emptying, device->index,
             bytes);
    CUDA_TRY(cuMemsetD8Async(device->flush, 0, bytes, device->stream), emptying, device->index,
             bytes);
    CUDA_TRY(cuStreamSynchronize(device->stream), emptying, device->index, bytes);
    struct conditions unused;
    cuda_sensors(device, &unused); /* the first look takes some ms, the next ones do not */
    if (device->warm_up.window_ms == 0)
        return STATUS_OK;
    TRY(cuda_warm_up(device, error));
    return cuda_calibrate(device, error);
}

/* Reserves the context, if more than half of the memory stays free beside this one. */
enum status cuda_reserve(int index, struct error *error)
{
    CUdevice handle = 0;
    CUcontext context = NULL;
    int mode = CU_COMPUTEMODE_DEFAULT;
    size_t free_bytes = 0;
    size_t total_bytes = 0;
    const struct cuda_driver *cuda = cuda_driver(error);
    if (!cuda || !cuda_compiler(error))
        return error->status;
    TRY(cuda_handle(cuda, index, &handle, error));
    if (cuda->cuDeviceGetAttribute(&mode, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, handle) !=
            CUDA_SUCCESS ||
        mode != CU_COMPUTEMODE_DEFAULT)
        return error_set(error, STATUS_UNAVAILABLE, "cuda:%d is for one process at a time", index);
    if (cuda->cuDevicePrimaryCtxRetain(&context, handle) != CUDA_SUCCESS)
        return error_set(error, STATUS_UNAVAILABLE, "cuda:%d: opening its context", index);
    if (cuda->cuCtxSetCurrent(context) == CUDA_SUCCESS &&
        cuda->cuMemGetInfo(&free_bytes, &total_bytes) == CUDA_SUCCESS &&
        free_bytes > total_bytes / 2) {
        reserved = context;
        reserved_on = handle;
        return STATUS_OK;
    }
    (void)cuda->cuCtxSetCurrent(NULL);
    (void)cuda->cuDevicePrimaryCtxRelease(handle);
    return error_set(error, STATUS_UNAVAILABLE, "cuda:%d has %zu of %zu bytes free", index,
                     free_bytes, total_bytes);
}

enum status cuda_open(int index, const struct warm_up *warm_up, struct device **out,
                      struct calibration *calibration, struct error *error)
{
    *out = NULL;
    const int64_t opened_ns = clock_now_ns();
    const struct cuda_driver *driver = cuda_driver(error);
    if (!driver)
        return error->status;
    if (!cuda_compiler(error))
        return error->status;
    struct device *device = calloc(1, sizeof *device);
    TRY_MEMORY(device);
    device->driver = driver;
    device->index = index;
    device->warm_up = *warm_up;
    device->scratch_slot = NO_SLOT;
    enum status status = open_parts(device, opened_ns, error);
    if (status != STATUS_OK) {
        cuda_close(device);
        return status;
    }
    if (calibration)
        *calibration = device->calibration;
    *out = device;
    return STATUS_OK;
}

/* Closes the device. After a fatal error each of these calls fails at once, and the process will
 * end anyway. */
void cuda_close(struct device *device)
{
    if (!device)
        return;
    const struct cuda_driver *cuda = device->driver;
    if (device->context) {
        cuda_drop_slots(device);
        cuda_modules_free(device);
        cuda_free_vectors(device);
        cuda_free_looked(device);
        cuda_drop_residents(device);
        if (device->checking.findings)
            (void)cuda->cuMemFree(device->checking.findings);
        for (size_t i = 0; i < ELEMENT_TYPE_COUNT; i++)
            if (device->checks[i].module)
                (void)cuda->cuModuleUnload(device->checks[i].module);
        if (device->fill.module)
            (void)cuda->cuModuleUnload(device->fill.module);
        for (size_t i = 0; i < CUDA_PADS; i++)
            if (device->pads[i])
                (void)cuda->cuMemFree(device->pads[i]);
        if (device->flush)
            (void)cuda->cuMemFree(device->flush);
        if (device->sink)
            (void)cuda->cuMemFree(device->sink);
        if (device->sums)
            (void)cuda->cuMemFree(device->sums);
        if (device->harness.module)
            (void)cuda->cuModuleUnload(device->harness.module);
        if (device->gate.open)
            (void)cuda->cuMemFreeHost((void *)(uintptr_t)device->gate.open);
        if (device->begin)
            (void)cuda->cuEventDestroy(device->begin);
        if (device->end)
            (void)cuda->cuEventDestroy(device->end);
        if (device->stream)
            (void)cuda->cuStreamDestroy(device->stream);
        (void)cuda->cuCtxSetCurrent(NULL);
        (void)cuda->cuDevicePrimaryCtxRelease(device->handle);
    }
    cuda_nvml_close(&device->nvml);
    free(device);
}
