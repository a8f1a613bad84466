/* Guard bands: bytes before and behind what a kernel may write, that show whether it kept to it. */
#include "tuner/base/text.h"
#include "tuner/device/cuda/internal.h"

enum { GUARD_BYTE = 0xc3 };

static CUdeviceptr guard_address(const struct vector *vector, bool behind)
{
    CUdeviceptr start = cuda_vector_start(vector);
    return behind ? start + vector->bytes : start - GUARD_BYTES;
}

enum status cuda_write_guards(struct device *device, const struct launch_plan *plan,
                              struct error *error)
{
    for (size_t i = 0; i < plan->argument_count; i++) {
        for (int behind = 0; behind < 2 && argument_is_written(&plan->arguments[i]); behind++) {
            CUresult result =
                device->driver->cuMemsetD8Async(guard_address(&device->vectors[i], behind),
                                                GUARD_BYTE, GUARD_BYTES, device->stream);
            if (result != CUDA_SUCCESS)
                return cuda_error(device, result, error, "writing the guard bands of '%s'",
                                  plan->arguments[i].name);
        }
    }
    return STATUS_OK;
}

/* True when the band is whole; else says how many bytes of it are not, and which is the one nearest
 * to the vector. */
static bool is_whole(const unsigned char band[GUARD_BYTES], const struct argument *argument,
                     bool behind, char *detail, size_t detail_bytes)
{
    int written = 0;
    int nearest = 0;
    for (int i = 0; i < GUARD_BYTES; i++) {
        int distance = behind ? i : GUARD_BYTES - 1 - i;
        if (band[i] == GUARD_BYTE)
            continue;
        if (written == 0 || distance < nearest)
            nearest = distance;
        written++;
    }
    if (written > 0)
        (void)string_format(
            detail, detail_bytes,
            "it wrote outside of '%s': %d bytes %s it, the nearest %d bytes from it",
            argument->name, written, behind ? "behind" : "before", nearest);
    return written == 0;
}

enum status cuda_guards(struct device *device, const struct launch_plan *plan, bool *intact,
                        char *detail, size_t detail_bytes, struct error *error)
{
    unsigned char bands[ARGUMENTS_MAX][2][GUARD_BYTES] = {0};
    const struct cuda_driver *cuda = device->driver;
    CUresult result = CUDA_SUCCESS;
    *intact = true;
    if (plan->argument_count != device->argument_count)
        return error_set(error, STATUS_INTERNAL, "the plan is not the one that was bound");
    for (size_t i = 0; i < plan->argument_count; i++)
        for (int side = 0; side < 2 && argument_is_written(&plan->arguments[i]); side++)
            if (result == CUDA_SUCCESS)
                result = cuda->cuMemcpyDtoHAsync(bands[i][side],
                                                 guard_address(&device->vectors[i], side),
                                                 GUARD_BYTES, device->stream);
    if (result == CUDA_SUCCESS)
        result = cuda->cuStreamSynchronize(device->stream);
    if (result != CUDA_SUCCESS)
        return cuda_error(device, result, error, "reading the guard bands");
    for (size_t i = 0; i < plan->argument_count && *intact; i++)
        for (int side = 0; side < 2 && argument_is_written(&plan->arguments[i]) && *intact; side++)
            *intact = is_whole(bands[i][side], &plan->arguments[i], side, detail, detail_bytes);
    return STATUS_OK;
}
