#include <math.h>

#include "tuner/base/clock.h"
#include "tuner/device/cuda/internal.h"

enum { REPEATS = 8, BLOCK = 1024 };

static const int64_t default_bytes = INT64_C(8) << 30;
static const int64_t least_bytes = 1 << 20;
static const size_t pinned_bytes_most = 256 << 20;

enum transfer {
    HOST_TO_DEVICE,
    DEVICE_TO_HOST,
    COPY,
    READ,
    WRITE,
    FILL,
};

static const char *const transfer_names[] = {
    [HOST_TO_DEVICE] = "copying to the device",
    [DEVICE_TO_HOST] = "copying from the device",
    [COPY] = "copying on the device",
    [READ] = "reading",
    [WRITE] = "writing",
    [FILL] = "filling",
};

struct buffers {
    CUdeviceptr a;
    CUdeviceptr b;
    size_t bytes;
    void *pinned;
    size_t pinned_bytes;
};

/* A kernel's grid: blocks per SM. The best of a few is the ceiling. */
static const uint32_t grids[] = {2, 4, 8, 16, 32};

static CUresult submit(struct device *device, struct buffers *buffers, enum transfer transfer,
                       uint32_t blocks_per_sm)
{
    const struct cuda_driver *cuda = device->driver;
    unsigned long long words = buffers->bytes / 16;
    uint32_t grid = (uint32_t)device->sm_count * blocks_per_sm;
    void *to_read[] = {&buffers->a, &words, &device->sink};
    void *to_write[] = {&buffers->a, &words};
    switch (transfer) {
    case HOST_TO_DEVICE:
        return cuda->cuMemcpyHtoDAsync(buffers->b, buffers->pinned, buffers->pinned_bytes,
                                       device->stream);
    case DEVICE_TO_HOST:
        return cuda->cuMemcpyDtoHAsync(buffers->pinned, buffers->a, buffers->pinned_bytes,
                                       device->stream);
    case COPY:
        return cuda->cuMemcpyDtoDAsync(buffers->b, buffers->a, buffers->bytes, device->stream);
    case READ:
        return cuda_launch(device, device->harness.read, grid, BLOCK, to_read);
    case WRITE:
        return cuda_launch(device, device->harness.write, grid, BLOCK, to_write);
    case FILL:
        return cuda->cuMemsetD8Async(buffers->b, 0x5a, buffers->bytes, device->stream);
    }
    return CUDA_ERROR_INVALID_VALUE;
}

/* Raises *gbs to the best of a few; the first is not timed. */
static enum status measure(struct device *device, struct buffers *buffers, enum transfer transfer,
                           uint32_t blocks_per_sm, double bytes_moved, double *gbs,
                           struct error *error)
{
    const struct cuda_driver *cuda = device->driver;
    CUresult result = submit(device, buffers, transfer, blocks_per_sm);
    for (int i = 0; i < REPEATS && result == CUDA_SUCCESS; i++) {
        float elapsed_ms = 0;
        result = cuda->cuEventRecord(device->begin, device->stream);
        if (result == CUDA_SUCCESS)
            result = submit(device, buffers, transfer, blocks_per_sm);
        if (result == CUDA_SUCCESS)
            result = cuda->cuEventRecord(device->end, device->stream);
        if (result == CUDA_SUCCESS)
            result = cuda->cuEventSynchronize(device->end);
        if (result == CUDA_SUCCESS)
            result = cuda->cuEventElapsedTime(&elapsed_ms, device->begin, device->end);
        if (result == CUDA_SUCCESS && elapsed_ms > 0)
            *gbs = fmax(*gbs, bytes_moved / ((double)elapsed_ms * 1e6));
    }
    if (result != CUDA_SUCCESS)
        return cuda_error(device, result, error, "measuring bandwidth: %s",
                          transfer_names[transfer]);
    return STATUS_OK;
}

static enum status measure_kernel(struct device *device, struct buffers *buffers,
                                  enum transfer transfer, double *gbs, struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof grids / sizeof *grids && status == STATUS_OK; i++)
        status = measure(device, buffers, transfer, grids[i], (double)buffers->bytes, gbs, error);
    return status;
}

/* Writing comes first: what it writes is then read and copied. */
static enum status measure_all(struct device *device, struct buffers *buffers,
                               struct bandwidth *out, struct error *error)
{
    double bytes = (double)buffers->bytes;
    double pinned = (double)buffers->pinned_bytes;
    enum status status = measure_kernel(device, buffers, WRITE, &out->write_gbs, error);
    if (status == STATUS_OK)
        status = measure(device, buffers, FILL, 0, bytes, &out->write_gbs, error);
    if (status == STATUS_OK)
        status = measure_kernel(device, buffers, READ, &out->read_gbs, error);
    if (status == STATUS_OK)
        status = measure(device, buffers, COPY, 0, 2 * bytes, &out->copy_gbs, error);
    if (status == STATUS_OK)
        status =
            measure(device, buffers, DEVICE_TO_HOST, 0, pinned, &out->device_to_host_gbs, error);
    if (status == STATUS_OK)
        status =
            measure(device, buffers, HOST_TO_DEVICE, 0, pinned, &out->host_to_device_gbs, error);
    return status;
}

static void free_buffers(struct device *device, struct buffers *buffers)
{
    const struct cuda_driver *cuda = device->driver;
    if (buffers->a)
        (void)cuda->cuMemFree(buffers->a);
    if (buffers->b)
        (void)cuda->cuMemFree(buffers->b);
    if (buffers->pinned)
        (void)cuda->cuMemFreeHost(buffers->pinned);
    *buffers = (struct buffers){.bytes = buffers->bytes};
}

/* All three, or none. */
static CUresult allocate(struct device *device, struct buffers *buffers)
{
    const struct cuda_driver *cuda = device->driver;
    buffers->pinned_bytes = buffers->bytes < pinned_bytes_most ? buffers->bytes : pinned_bytes_most;
    CUresult result = cuda->cuMemAlloc(&buffers->a, buffers->bytes);
    if (result != CUDA_SUCCESS)
        buffers->a = 0;
    else
        result = cuda->cuMemAlloc(&buffers->b, buffers->bytes);
    if (result != CUDA_SUCCESS)
        buffers->b = 0;
    else
        result = cuda->cuMemHostAlloc(&buffers->pinned, buffers->pinned_bytes, 0);
    if (result != CUDA_SUCCESS) {
        buffers->pinned = NULL;
        free_buffers(device, buffers);
    }
    return result;
}

static enum status make_buffers(struct device *device, int64_t bytes, struct buffers *buffers,
                                struct error *error)
{
    const struct cuda_driver *cuda = device->driver;
    size_t free_bytes = 0;
    size_t total = 0;
    CUresult result = cuda->cuMemGetInfo(&free_bytes, &total);
    if (result != CUDA_SUCCESS)
        return cuda_error(device, result, error, "free memory");
    int64_t share = (int64_t)(free_bytes / 8 * 3); /* two of them in three quarters */
    int64_t wanted = bytes > 0 ? bytes : default_bytes;
    wanted = (wanted < share ? wanted : share) / least_bytes * least_bytes;
    if (wanted < least_bytes)
        return error_set(error, bytes > 0 && bytes < least_bytes ? STATUS_USAGE : STATUS_NO_MEMORY,
                         "measuring bandwidth needs two buffers of at least %lld bytes",
                         (long long)least_bytes);
    buffers->bytes = (size_t)wanted;
    result = allocate(device, buffers);
    /* Free memory may be in pieces, or another process was faster. */
    while (result == CUDA_ERROR_OUT_OF_MEMORY && buffers->bytes / 2 >= (size_t)least_bytes) {
        buffers->bytes /= 2;
        result = allocate(device, buffers);
    }
    if (result != CUDA_SUCCESS)
        return cuda_error(device, result, error, "measuring bandwidth: buffers of %zu bytes",
                          buffers->bytes);
    return STATUS_OK;
}

enum status cuda_bandwidth(struct device *device, int64_t bytes, struct bandwidth *out,
                           struct error *error)
{
    struct buffers buffers = {0};
    *out = (struct bandwidth){0};
    enum status status = make_buffers(device, bytes, &buffers, error);
    if (status == STATUS_OK)
        status = cuda_warm_again(device, error);
    if (status == STATUS_OK)
        status = measure_all(device, &buffers, out, error);
    out->bytes = (int64_t)buffers.bytes;
    free_buffers(device, &buffers);
    device->busy_until_ns = clock_now_ns();
    return status;
}
