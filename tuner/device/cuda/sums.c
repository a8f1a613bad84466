/* Numbers that stand for what memory of the device holds, made there. */
#include <string.h>

#include "tuner/base/text.h"
#include "tuner/device/cuda/internal.h"

enum { SUM_THREADS = 256, SUM_BLOCKS_PER_SM = 8 };

static CUresult launch_sum(struct device *device, CUdeviceptr first, uint64_t stride,
                           uint64_t bytes, uint32_t count)
{
    void *arguments[] = {&first, &stride, &bytes, &device->sums};
    uint64_t blocks = bytes / 16 / SUM_THREADS + 1;
    uint64_t most = (uint64_t)device->sm_count * SUM_BLOCKS_PER_SM / count + 1;
    return device->driver->cuLaunchKernel(device->harness.sum,
                                          (uint32_t)(blocks < most ? blocks : most), count, 1,
                                          SUM_THREADS, 1, 1, 0, device->stream, arguments, NULL);
}

enum status cuda_sums(struct device *device, CUdeviceptr first, size_t stride, size_t bytes,
                      uint32_t count, uint64_t *out, struct error *error)
{
    const struct cuda_driver *cuda = device->driver;
    if (count > SUMS_MAX)
        return error_set(error, STATUS_INTERNAL, "sums of %u vectors", count);
    CUresult result = cuda->cuMemsetD8Async(device->sums, 0, count * sizeof *out, device->stream);
    if (result == CUDA_SUCCESS)
        result = launch_sum(device, first, stride, bytes, count);
    if (result == CUDA_SUCCESS)
        result = cuda->cuMemcpyDtoHAsync(out, device->sums, count * sizeof *out, device->stream);
    if (result == CUDA_SUCCESS)
        result = cuda->cuStreamSynchronize(device->stream);
    return result == CUDA_SUCCESS
               ? STATUS_OK
               : cuda_error(device, result, error, "adding up what memory holds");
}

enum status cuda_sum_input(struct device *device, struct vector *vector, CUdeviceptr copy,
                           struct error *error)
{
    enum status status = cuda_sums(device, copy, 0, vector->bytes, 1, &vector->sum, error);
    vector->summed = status == STATUS_OK ? vector->bytes : SIZE_MAX;
    vector->used = 0;
    return status;
}

enum status cuda_sums_in_turn(struct device *device, CUdeviceptr start, size_t stride, size_t bytes,
                              uint32_t all, uint32_t first, uint32_t count, uint64_t *out,
                              struct error *error)
{
    uint32_t straight = first + count > all ? all - first : count;
    enum status status =
        cuda_sums(device, start + first * stride, stride, bytes, straight, out, error);
    if (status == STATUS_OK && straight < count)
        status = cuda_sums(device, start, stride, bytes, count - straight, out + straight, error);
    return status;
}

/* Of the copies that runs were given. */
static enum status compare(struct device *device, struct vector *vector, bool *same,
                           struct error *error)
{
    uint64_t sums[SUMS_MAX] = {0};
    enum status status =
        cuda_sums_in_turn(device, cuda_vector_start(vector), vector->stride, vector->bytes,
                          vector->copies, vector->used_first, vector->used, sums, error);
    *same = true;
    for (uint32_t i = 0; status == STATUS_OK && i < vector->used; i++) {
        uint32_t copy = (vector->used_first + i) % vector->copies;
        bool patched = copy < vector->patched && copy % 2 == 1;
        *same = *same && sums[i] == (patched ? vector->patched_sum : vector->sum);
    }
    vector->used = 0;
    return status;
}

enum status cuda_intact(struct device *device, const struct launch_plan *plan, bool *intact,
                        bool *worn, char *detail, size_t detail_bytes, struct error *error)
{
    enum status status = STATUS_OK;
    *intact = true;
    *worn = false;
    if (plan->argument_count != device->argument_count)
        return error_set(error, STATUS_INTERNAL, "the plan is not the one that was bound");
    for (size_t i = 0; status == STATUS_OK && i < plan->argument_count; i++) {
        struct vector *vector = &device->vectors[i];
        const struct argument *argument = &plan->arguments[i];
        bool same = true;
        if (argument->role != ARGUMENT_INPUT || !argument_is_bound(argument) || vector->used == 0 ||
            vector->bytes == 0)
            continue;
        status = compare(device, vector, &same, error);
        if (status != STATUS_OK || same)
            continue;
        vector->host = NULL; /* uploaded anew by the next binding */
        vector->filled = 0;
        if (*intact)
            (void)string_format(detail, detail_bytes, "it writes its input: '%s' is changed",
                                argument->name);
        *intact = false;
    }
    return status;
}
