/* Guard bands: bytes before and behind the memory that a kernel may write, which reveal writes out
 * of bounds. */
#include "tuner/base/pack.h"
#include "tuner/base/text.h"
#include "tuner/device/bands.h"
#include "tuner/device/cuda/measure.h"

static CUdeviceptr guard_address(const struct vector *vector, bool behind)
{
    CUdeviceptr start = cuda_vector_start(vector);
    return behind ? start + vector->bytes : start - GUARD_BYTES;
}

/* Tells whether the argument has bands: inputs only while being checked; memory around a variable
 * is the binary's. */
static bool has_bands(const struct device *device, const struct argument *argument)
{
    return argument_is_bound(argument) && !argument_is_variable(argument) &&
           (argument->role != ARGUMENT_INPUT || device->banded);
}

static enum status write_band(struct device *device, const struct argument *argument,
                              struct vector *vector, int behind, struct error *error)
{
    const CUdeviceptr address = guard_address(vector, behind);
    for (size_t k = 0; argument->role != ARGUMENT_INPUT && k < GUARD_BYTES; k++)
        vector->band[behind][k] = guard_byte(address + k);
    const CUresult result = device->driver->cuMemcpyHtoDAsync(address, vector->band[behind],
                                                              GUARD_BYTES, device->stream);
    return cuda_error(device, result, error, "writing the guard bands of '%s'", argument->name);
}

enum status cuda_turn_bands(struct device *device, const struct launch_plan *plan,
                            struct error *error)
{
    enum status status = STATUS_OK;
    device->turn++;
    for (size_t i = 0; i < plan->argument_count; i++) {
        const struct argument *argument = &plan->arguments[i];
        if (argument->role != ARGUMENT_INPUT || !has_bands(device, argument))
            continue;
        for (int behind = 0; status == STATUS_OK && behind < 2; behind++) {
            band_fill(device->vectors[i].band[behind], GUARD_BYTES, argument->type, device->turn);
            status = write_band(device, argument, &device->vectors[i], behind, error);
        }
    }
    return status;
}

enum status cuda_write_guards(struct device *device, const struct launch_plan *plan,
                              struct error *error)
{
    enum status status = cuda_turn_bands(device, plan, error);
    for (size_t i = 0; i < plan->argument_count; i++)
        for (int behind = 0; behind < 2 && plan->arguments[i].role != ARGUMENT_INPUT; behind++)
            if (status == STATUS_OK && has_bands(device, &plan->arguments[i]))
                status =
                    write_band(device, &plan->arguments[i], &device->vectors[i], behind, error);
    return status;
}

enum status cuda_guards_intact(struct device *device, const struct launch_plan *plan, bool *intact,
                               char *detail, size_t detail_bytes, struct error *error)
{
    *intact = true;
    if (plan->argument_count != device->argument_count)
        return error_set(error, STATUS_INTERNAL, "the plan is not the one that was bound");
    for (size_t i = 0; *intact && i < plan->argument_count; i++)
        for (int side = 0; *intact && side < 2; side++) {
            const struct argument *argument = &plan->arguments[i];
            const struct vector *vector = &device->vectors[i];
            unsigned char band[GUARD_BYTES];
            int written = 0, nearest = 0;
            if (!has_bands(device, argument))
                continue;
            const CUresult result =
                cuda_fetch(device, band, guard_address(vector, side), sizeof band);
            TRY(cuda_error(device, result, error, "reading the guard bands"));
            for (int k = 0; k < GUARD_BYTES; k++) {
                const int distance = side ? k : GUARD_BYTES - 1 - k;
                if (band[k] == vector->band[side][k])
                    continue;
                if (written == 0 || distance < nearest)
                    nearest = distance;
                written++;
            }
            *intact = written == 0;
            if (!*intact)
                (void)string_format(detail, detail_bytes,
                                    "it wrote outside of '%s': %s %s it, the nearest %s from it",
                                    argument->name, count_text((uint64_t)written, "byte").text,
                                    side ? "behind" : "before",
                                    count_text((uint64_t)nearest, "byte").text);
        }
    return STATUS_OK;
}
