/* Places and contents of vectors on the device. */
#include <stdlib.h>

#include "tuner/base/hash.h"
#include "tuner/base/pack.h"
#include "tuner/device/cuda/measure.h"

/* Vectors without an offset begin at a multiple of this, as cuMemAlloc's do: kernels may load 16
 * bytes or more. The gap before an output holds a guard band. */
static const size_t alignment = 256;
static const size_t granule = 2 << 20;

/* Outputs and scratch up to this size have several places. */
static const size_t wandering_most = 1 << 17;
static const size_t places_bytes = 1 << 20;
enum { PLACES_MAX = 256 };

enum { SUM_THREADS = 256, SUM_BLOCKS_PER_SM = 8 };

CUresult cuda_allocate(struct device *device, size_t bytes, CUdeviceptr *out)
{
    const CUresult result = device->driver->cuMemAlloc(out, bytes);
    if (result != CUDA_SUCCESS)
        *out = 0;
    return result;
}

CUresult cuda_free_bytes(struct device *device, size_t *out)
{
    size_t total = 0;
    return device->driver->cuMemGetInfo(out, &total);
}

CUresult cuda_fetch(struct device *device, void *to, CUdeviceptr from, size_t bytes)
{
    CUDA_PASS(device->driver->cuMemcpyDtoHAsync(to, from, bytes, device->stream));
    return device->driver->cuStreamSynchronize(device->stream);
}

static size_t round_up(size_t value, size_t multiple)
{
    return (value + multiple - 1) / multiple * multiple;
}

static void forget(struct vector *vector)
{
    vector->host = NULL;
    vector->uploaded = 0;
    vector->copy_bytes = 0;
    vector->filled = 0;
    vector->copies = 0;
    vector->stride = 0;
    vector->changed = false;
    vector->summed = SIZE_MAX;
    vector->used = 0;
    vector->patched = 0;
}

static void free_vector(struct device *device, struct vector *vector)
{
    if (vector->base)
        (void)device->driver->cuMemFree(vector->base);
    *vector = (struct vector){0};
}

void cuda_free_vectors(struct device *device)
{
    for (size_t i = 0; i < ARGUMENTS_MAX; i++)
        free_vector(device, &device->vectors[i]);
    device->argument_count = 0;
}

/* Tells whether the argument has bands: inputs only while being checked, since copies otherwise lie
 * as close together as possible. */
static bool has_bands(const struct device *device, const struct argument *argument)
{
    return argument->role != ARGUMENT_INPUT || device->banded;
}

/* Returns the bytes before a copy's data, and those of a copy with guard bands. */
static size_t front_of(const struct device *device, const struct argument *argument)
{
    return argument->offset_bytes + (has_bands(device, argument) ? GUARD_BYTES : 0);
}

static size_t guarded_bytes(const struct argument *argument)
{
    return GUARD_BYTES + argument->offset_bytes + argument_bytes(argument) + GUARD_BYTES;
}

/* Returns the distance between copies; not 0 even for an empty input, so that each copy has an
 * address. */
static size_t stride_of(const struct device *device, const struct argument *argument)
{
    size_t bytes = has_bands(device, argument) ? guarded_bytes(argument)
                                               : argument->offset_bytes + argument_bytes(argument);
    /* Textures begin at multiples of twice that on every device so far. */
    return round_up(bytes ? bytes : 1, argument->texture.width ? 2 * alignment : alignment);
}

/* Returns the number of copies that no run gets: one in front of an update's copies, from which
 * these are restored. */
static uint32_t kept_copies(const struct argument *argument)
{
    return argument->role == ARGUMENT_UPDATE ? 1 : 0;
}

/* Returns the distance between places, which is shorter than a band: bands are written around the
 * checked place, while the others hold no results. */
static size_t place_bytes_of(const struct argument *argument)
{
    return round_up(argument->offset_bytes + argument_bytes(argument) + 3 * alignment, alignment);
}

void cuda_settle(struct device *device, uint32_t run)
{
    for (size_t i = 0; i < device->argument_count; i++) {
        struct vector *vector = &device->vectors[i];
        if (vector->places < 2)
            continue;
        vector->offset -= vector->wander;
        vector->wander = (run + device->first) % vector->places * vector->place_bytes;
        vector->offset += vector->wander;
    }
}

/* Returns the number of copies that fit into half of the memory that is free or already ours. */
static uint32_t affordable_copies(struct device *device, const struct launch_plan *plan,
                                  uint32_t copies)
{
    size_t one_of_each = 0;
    size_t others = 0;
    size_t held = 0;
    bool grows = false;
    for (size_t i = 0; i < plan->argument_count; i++) {
        const struct argument *argument = &plan->arguments[i];
        const size_t twice = argument->texture.is_surface ? 2 : 1; /* each copy has an array */
        held += device->vectors[i].capacity;
        if (!argument_is_bound(argument))
            continue;
        others += kept_copies(argument) * stride_of(device, argument);
        if (!argument_rotates(argument) || argument->symbol) {
            others += twice * guarded_bytes(argument);
            continue;
        }
        one_of_each += twice * stride_of(device, argument);
        grows |= stride_of(device, argument) > device->vectors[i].capacity / copies;
    }
    size_t free_bytes = 0;
    if (!grows || cuda_free_bytes(device, &free_bytes) != CUDA_SUCCESS)
        return copies;
    size_t budget = (free_bytes + held) / 2;
    size_t most = budget > others ? (budget - others) / one_of_each : 0;
    if (most < 1)
        return 1;
    return most < copies ? (uint32_t)most : copies;
}

/* Returns the place of copy 0, the source of the others. */
static CUdeviceptr first_copy(const struct device *device, const struct vector *vector,
                              const struct argument *argument)
{
    return vector->base + front_of(device, argument);
}

static bool is_made_here(const struct argument *argument)
{
    return fill_is_arithmetic(argument->fill) && argument->variant == 0 && argument->few == 0 &&
           argument->ends == 0 && argument_is_bound(argument);
}

bool cuda_generates(struct device *device, const struct argument *argument, struct error *why)
{
    return is_made_here(argument) && cuda_can_generate(device, why);
}

static enum status give_from_host(struct device *device, CUdeviceptr to,
                                  const struct argument *argument, const void *host, size_t bytes,
                                  struct error *error)
{
    CUDA_TRY(cuMemcpyHtoDAsync(to, host, bytes, device->stream), "uploading '%s'", argument->name);
    return STATUS_OK;
}

/* Writes an argument's data, uploaded or generated on the device. A failed generation is replaced
 * by this process once; from then on the host must upload (cuda_generates). */
static enum status give(struct device *device, CUdeviceptr to, const struct argument *argument,
                        const struct vector *vector, struct error *error)
{
    const struct filling filling = filling_of(argument);
    if (vector->host)
        return give_from_host(device, to, argument, vector->host, vector->bytes, error);
    enum status status = cuda_generate(device, to, &filling, (uint64_t)argument->count, error);
    if (status != STATUS_UNAVAILABLE)
        return status == STATUS_OK ? STATUS_OK : error_prefix(error, "making '%s'", argument->name);
    error_clear(error);
    void *made = malloc(vector->bytes);
    TRY_MEMORY(made);
    fill_vector(made, argument, 0, (uint64_t)argument->count);
    status = give_from_host(device, to, argument, made, vector->bytes, error);
    if (status == STATUS_OK) {
        CUresult result = device->driver->cuStreamSynchronize(
            device->stream); /* the copy reads host memory until then */
        if (result != CUDA_SUCCESS)
            status = cuda_error(device, result, error, "uploading '%s'", argument->name);
    }
    free(made);
    return status;
}

/* Makes copies, each pass doubling the number. */
static enum status make_copies(struct device *device, struct vector *vector,
                               const struct argument *argument, uint32_t copies,
                               struct error *error)
{
    const size_t stride = stride_of(device, argument);
    const uint32_t all = copies + kept_copies(argument);
    if (vector->stride != stride || vector->copy_bytes < vector->bytes || vector->filled < 1 ||
        vector->changed || (vector->patched > 0 && vector->filled < all)) {
        vector->filled = 1;
        vector->patched = 0;
    }
    vector->changed = false;
    vector->stride = stride;
    vector->copies = copies;
    if (vector->filled == 1)
        vector->copy_bytes = vector->bytes;
    /* Copies of a shorter part, and bands, overwrite the rest of the upload. */
    size_t kept = device->banded ? vector->bytes : stride - front_of(device, argument);
    if ((all > 1 || device->banded) && vector->uploaded > kept)
        vector->uploaded = kept;
    while (vector->filled < all) {
        device->scratch_slot = NO_SLOT;
        device->uploads = true;
        uint32_t unfilled = all - vector->filled;
        uint32_t part = unfilled < vector->filled ? unfilled : vector->filled;
        CUresult result = device->driver->cuMemcpyDtoDAsync(
            vector->base + vector->filled * stride, vector->base, part * stride, device->stream);
        if (result != CUDA_SUCCESS) {
            forget(vector);
            return cuda_error(device, result, error, "copying '%s' on the device", argument->name);
        }
        vector->filled += part;
    }
    return STATUS_OK;
}

enum status cuda_sums(struct device *device, CUdeviceptr first, size_t stride, size_t bytes,
                      uint32_t count, uint64_t *out, struct error *error)
{
    if (count > SUMS_MAX)
        return error_set(error, STATUS_INTERNAL, "sums of %u vectors", count);
    void *arguments[] = {&first, &stride, &bytes, &device->sums};
    const uint64_t blocks = bytes / 16 / SUM_THREADS + 1;
    const uint64_t most = (uint64_t)device->sm_count * SUM_BLOCKS_PER_SM / count + 1;
    CUresult result =
        device->driver->cuMemsetD8Async(device->sums, 0, count * sizeof *out, device->stream);
    if (result == CUDA_SUCCESS)
        result = device->driver->cuLaunchKernel(
            device->harness.sum, (uint32_t)(blocks < most ? blocks : most), count, 1, SUM_THREADS,
            1, 1, 0, device->stream, arguments, NULL);
    if (result == CUDA_SUCCESS)
        result = cuda_fetch(device, out, device->sums, count * sizeof *out);
    return cuda_error(device, result, error, "adding up the content of memory");
}

static enum status bind_vector(struct device *device, const struct argument *argument,
                               struct vector *vector, const void *host, uint32_t copies,
                               struct error *error)
{
    bool rotates = argument_rotates(argument);
    const bool wanders =
        !rotates && !vector->stays &&
        (argument->role == ARGUMENT_OUTPUT || argument->role == ARGUMENT_SCRATCH) &&
        !argument->texture.is_surface && !argument->symbol &&
        place_bytes_of(argument) <= wandering_most;
    const size_t fitting = wanders ? places_bytes / place_bytes_of(argument) : 1;
    const uint32_t places = fitting > PLACES_MAX ? PLACES_MAX : (uint32_t)fitting;
    copies = argument->symbol || vector->stays ? 1 : copies;
    if (argument->count < 0 || (rotates && argument->count > 0 && !host && !is_made_here(argument)))
        return error_set(error, STATUS_INTERNAL, "argument '%s' has no data", argument->name);
    const size_t room = rotates ? stride_of(device, argument) * (copies + kept_copies(argument))
                                : (places - 1) * place_bytes_of(argument) + guarded_bytes(argument);
    if (room > vector->capacity) {
        /* Room to spare, unless large, so that the next configuration fits, too. */
        const size_t spare = vector->capacity > 0 && room < (size_t)1 << 28 ? room / 2 : 0;
        const size_t wanted = round_up(room + spare, room > granule / 2 ? granule : 4096);
        device->scratch_slot = NO_SLOT;
        free_vector(device, vector);
        const CUresult result = cuda_allocate(device, wanted, &vector->base);
        TRY(cuda_error(device, result, error, "%zu bytes of device memory for '%s'", wanted,
                       argument->name));
        vector->capacity = wanted;
    }
    const size_t offset =
        front_of(device, argument) + kept_copies(argument) * stride_of(device, argument);
    vector->places = places;
    vector->place_bytes = place_bytes_of(argument);
    vector->wander = 0;
    vector->shown = 0;
    vector->bytes = argument_bytes(argument);
    if (!rotates || vector->offset != offset)
        forget(vector);
    vector->offset = offset;
    if (!rotates)
        return STATUS_OK;
    const bool is_there = vector->host == host && vector->contents == argument_contents(argument) &&
                          vector->uploaded >= vector->bytes &&
                          (vector->summed == vector->bytes ||
                           (vector->used == 0 && argument->role == ARGUMENT_INPUT));
    if (vector->bytes > 0 && !is_there) {
        forget(vector);
        device->scratch_slot = NO_SLOT; /* the copy fills the L2 */
        device->uploads = true;
        vector->host = host;
        TRY(give(device, first_copy(device, vector, argument), argument, vector, error));
        vector->contents = argument_contents(argument);
        vector->uploaded = vector->bytes;
    }
    TRY(make_copies(device, vector, argument, copies, error));
    if (vector->summed == vector->bytes)
        return STATUS_OK;
    /* The vector now equals `host`: later checks of inputs and restored updates use this sum. */
    const enum status status = cuda_sums(device, first_copy(device, vector, argument), 0,
                                         vector->bytes, 1, &vector->sum, error);
    vector->summed = status == STATUS_OK ? vector->bytes : SIZE_MAX;
    vector->used = 0;
    return status;
}

enum status cuda_bind_vectors(struct device *device, const struct launch_plan *plan,
                              const void *const *inputs, uint32_t copies, struct error *error)
{
    device->argument_count = 0;
    device->varied = false;
    const uint32_t affordable = affordable_copies(device, plan, copies);
    for (size_t i = 0; i < plan->argument_count; i++) {
        const struct argument *argument = &plan->arguments[i];
        struct vector *vector = &device->vectors[i];
        vector->stays = argument_stays(plan, i);
        if (argument_is_bound(argument))
            TRY(bind_vector(device, argument, vector, inputs[i], affordable, error));
        else if (argument->symbol && !argument_is_variable_of_places(argument))
            TRY(cuda_set_symbol(device, argument, inputs[i], error));
        vector->variable = 0; /* behind the vector's own memory, which begins without */
        if (argument_is_variable(argument))
            TRY(cuda_find_variable(device, argument, &vector->variable, error));
    }
    CUDA_TRY(cuStreamSynchronize(device->stream), "uploading the inputs");
    device->argument_count = plan->argument_count;
    device->copies = affordable;
    return STATUS_OK;
}

CUresult cuda_replace(struct device *device, CUdeviceptr first, uint64_t stride, uint32_t copies,
                      uint64_t width, uint64_t count, CUdeviceptr at, CUdeviceptr values)
{
    void *arguments[] = {&first, &stride, &width, &count, &at, &values};
    return cuda_launch(device, device->harness.patch, copies / 2,
                       sizeof((struct patch *)NULL)->values, arguments);
}

enum status cuda_patch(struct device *device, const struct launch_plan *plan,
                       const struct patch *patches, struct error *error)
{
    device->varied = false;
    for (size_t i = 0; i < plan->argument_count; i++) {
        struct vector *vector = &device->vectors[i];
        const struct argument *argument = &plan->arguments[i];
        const struct patch *patch = &patches[i];
        if (argument->role != ARGUMENT_INPUT || !argument_rotates(argument) || vector->copies < 2 ||
            (patch->count == 0 && vector->patched == 0))
            continue;
        device->varied |= patch->count > 0;
        uint64_t id = hash_u64(patch->at, sizeof patch->at, patch->count);
        id = hash_u64(patch->values, sizeof patch->values, id);
        if (vector->patched >= vector->copies && vector->patch == id)
            continue;
        if (vector->patched > 0) /* a different patch needs unpatched copies first */
            vector->filled = 0;
        vector->patched = 0;
        TRY(make_copies(device, vector, argument, vector->copies, error));
        if (patch->count == 0)
            continue;
        const CUdeviceptr at = device->sums, values = at + sizeof patch->at;
        const CUdeviceptr start = cuda_vector_start(vector);
        CUresult result =
            device->driver->cuMemcpyHtoDAsync(at, patch->at, sizeof patch->at, device->stream);
        if (result == CUDA_SUCCESS)
            result = device->driver->cuMemcpyHtoDAsync(values, patch->values, sizeof patch->values,
                                                       device->stream);
        if (result == CUDA_SUCCESS)
            result = cuda_replace(device, start, vector->stride, vector->copies,
                                  element_bytes(argument->type), patch->count, at, values);
        TRY(cuda_error(device, result, error, "patching copies of '%s'", argument->name));
        vector->patched = vector->copies;
        vector->patch = id;
        device->scratch_slot = NO_SLOT;
        TRY(cuda_sums(device, start + vector->stride, 0, vector->bytes, 1, &vector->patched_sum,
                      error));
    }
    return STATUS_OK;
}

enum status cuda_fill(struct device *device, const struct launch_plan *plan,
                      enum argument_role role, unsigned char byte, bool everywhere,
                      struct error *error)
{
    for (size_t i = 0; i < plan->argument_count; i++) {
        const struct vector *vector = &device->vectors[i];
        if (plan->arguments[i].role != role || vector->bytes == 0)
            continue;
        const bool all = everywhere && vector->places > 1;
        const CUdeviceptr start = cuda_vector_start(vector) - (everywhere ? vector->wander : 0);
        const size_t bytes = all ? vector->places * vector->place_bytes : vector->bytes;
        CUDA_TRY(cuMemsetD8Async(start, byte, bytes, device->stream), "filling argument '%s'",
                 plan->arguments[i].name);
    }
    return STATUS_OK;
}

/* Restores updates from the copies that no run gets; where kernels wrote even there, the data is
 * uploaded again. */
enum status cuda_restore(struct device *device, const struct launch_plan *plan, struct error *error)
{
    static const size_t copied_least = 1 << 20; /* less is given as quickly */
    for (size_t i = 0; i < plan->argument_count; i++) {
        const struct argument *argument = &plan->arguments[i];
        struct vector *vector = &device->vectors[i];
        const CUdeviceptr start = cuda_vector_start(vector);
        if (argument->role != ARGUMENT_UPDATE || vector->bytes == 0)
            continue;
        if (vector->bytes >= copied_least && vector->summed == vector->bytes) {
            const CUdeviceptr kept = first_copy(device, vector, argument);
            uint64_t sum = 0;
            CUDA_TRY(cuMemcpyDtoDAsync(start, kept, vector->bytes, device->stream),
                     "restoring '%s'", argument->name);
            TRY(cuda_sums(device, start, 0, vector->bytes, 1, &sum, error));
            if (sum == vector->sum)
                continue;
            vector->filled = 1; /* the source of the copies */
            TRY(give(device, kept, argument, vector, error));
        }
        TRY(give(device, start, argument, vector, error));
    }
    return STATUS_OK;
}

void cuda_note_runs(struct device *device, const struct launch_plan *plan, uint32_t first,
                    uint32_t runs)
{
    for (size_t i = 0; i < plan->argument_count; i++) {
        struct vector *vector = &device->vectors[i];
        vector->changed |= plan->arguments[i].role == ARGUMENT_UPDATE;
        if (plan->arguments[i].role != ARGUMENT_INPUT || !argument_is_bound(&plan->arguments[i]))
            continue;
        uint32_t copies = vector->copies > 0 ? vector->copies : 1;
        uint32_t start = first % copies;
        uint32_t count = runs < copies ? runs : copies;
        if (vector->used > 0 && (start != vector->used_first || count < vector->used)) {
            start = 0; /* the range would miss some of the copies used before */
            count = copies;
        }
        vector->used_first = start;
        vector->used = count;
    }
}

enum status cuda_read(struct device *device, size_t index, void *out, size_t bytes,
                      struct error *error)
{
    if (index >= device->argument_count || bytes > device->vectors[index].bytes)
        return error_set(error, STATUS_INTERNAL, "argument %zu has no %zu bytes to read", index,
                         bytes);
    if (bytes == 0)
        return STATUS_OK;
    const struct vector *vector = &device->vectors[index];
    const CUresult result =
        cuda_fetch(device, out, cuda_vector_start(vector) + vector->shown, bytes);
    return cuda_error(device, result, error, "reading argument %zu", index);
}

/* ---- reading a vector on the host ---- */

/* Larger vectors are read through ordinary memory, so that the host does not lose pinned memory for
 * good. */
static const size_t pinned_most = (size_t)512 << 20;

void cuda_free_looked(struct device *device)
{
    if (device->looked_is_pinned)
        (void)device->driver->cuMemFreeHost(device->looked);
    else
        free(device->looked);
    device->looked = NULL;
    device->looked_bytes = 0;
    device->looked_is_pinned = false;
}

enum status cuda_looked_room(struct device *device, size_t bytes, void **out, struct error *error)
{
    if (!device->looked || bytes > device->looked_bytes) {
        cuda_free_looked(device);
        const size_t wanted = (bytes / granule + 1) * granule;
        device->looked_is_pinned =
            wanted <= pinned_most &&
            device->driver->cuMemHostAlloc(&device->looked, wanted, 0) == CUDA_SUCCESS;
        if (!device->looked_is_pinned)
            device->looked = malloc(wanted);
        TRY_MEMORY(device->looked);
        device->looked_bytes = wanted;
    }
    *out = device->looked;
    return STATUS_OK;
}

enum status cuda_look(struct device *device, size_t index, const void **out, size_t bytes,
                      struct error *error)
{
    void *room = NULL;
    TRY(cuda_looked_room(device, bytes, &room, error));
    *out = room;
    return cuda_read(device, index, room, bytes, error);
}
