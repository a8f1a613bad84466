/* Comparison of outputs with expected elements on the device. Expected elements are copied there
 * once, and stay as long as memory permits. */
#include <stdlib.h>

#include "tuner/base/compare_lane.h"
#include "tuner/device/cuda/measure.h"

/* Part of the free memory: a quarter. */
enum { RESIDENT_SHARE = 4 };

static void release(struct device *device, struct resident *resident)
{
    if (resident->address)
        (void)device->driver->cuMemFree(resident->address);
    *resident = (struct resident){0};
}

void cuda_drop_residents(struct device *device)
{
    for (size_t i = 0; i < RESIDENTS_MAX; i++)
        release(device, &device->checking.residents[i]);
}

/* Finds the resident of this serial number, else the least recently used place. */
static struct resident *resident_of(struct device *device, uint64_t serial)
{
    struct resident *oldest = &device->checking.residents[0];
    for (size_t i = 0; i < RESIDENTS_MAX; i++) {
        struct resident *resident = &device->checking.residents[i];
        if (resident->serial == serial)
            return resident;
        if (resident->used < oldest->used)
            oldest = resident;
    }
    release(device, oldest);
    return oldest;
}

/* Returns the expected elements in the resident's memory: numbers, then magnitudes. */
static struct expected_output placed(const struct resident *resident,
                                     const struct expected_output *expected, uint64_t count)
{
    struct expected_output out = *expected;
    const struct expected_output *form = expected->differs ? &expected->differs->base : expected;
    const double *at = (const double *)(uintptr_t)resident->address; /* the device's */
    out.elements = form->reals ? NULL : (const void *)at;
    out.reals = form->reals ? at : NULL;
    out.magnitudes = form->magnitudes ? at + count : NULL;
    out.differs = NULL;
    return out;
}

/* Allocates a resident's memory, unless present. */
static enum status make_room(struct device *device, struct resident *resident, size_t bytes,
                             struct error *error)
{
    size_t free_bytes = 0;
    if (resident->address)
        return STATUS_OK;
    CUresult result = cuda_free_bytes(device, &free_bytes);
    if (result == CUDA_SUCCESS && bytes > free_bytes / RESIDENT_SHARE) {
        cuda_drop_residents(device); /* including those of other problems */
        result = cuda_free_bytes(device, &free_bytes);
    }
    if (result == CUDA_SUCCESS && bytes <= free_bytes / RESIDENT_SHARE)
        (void)cuda_allocate(device, bytes, &resident->address);
    resident->bytes = bytes;
    return resident->address ? STATUS_OK
                             : error_set(error, STATUS_NO_MEMORY, "no room on the device");
}

static size_t part_bytes(const struct expected_output *expected, enum element_type type,
                         uint64_t count)
{
    return count * (expected->reals ? sizeof(double) : element_bytes(type));
}

static const char copying[] = "copying expected results to the device";

static enum status upload(struct device *device, struct resident *resident,
                          const struct expected_output *expected, enum element_type type,
                          uint64_t count, struct error *error)
{
    const size_t part = part_bytes(expected, type, count);
    const void *parts[] = {expected->reals ? (const void *)expected->reals : expected->elements,
                           expected->magnitudes};
    const size_t part_count = expected->magnitudes ? 2 : 1;
    resident->serial = 0;
    TRY(make_room(device, resident, part * part_count, error));
    for (size_t i = 0; i < part_count; i++)
        CUDA_TRY(cuMemcpyHtoDAsync(resident->address + i * part, parts[i], part, device->stream),
                 "%s", copying);
    CUDA_TRY(cuStreamSynchronize(device->stream), "%s", copying);
    resident->serial = expected->serial;
    resident->summed = false;
    device->scratch_slot = NO_SLOT; /* the copy fills the L2 */
    device->busy_until_ns = clock_now_ns();
    return STATUS_OK;
}

/* Writes elements over those of a vector. */
static CUresult replace(struct device *device, CUdeviceptr vector, size_t width, CUdeviceptr room,
                        const struct expected_difference *differs, const void *values)
{
    const CUdeviceptr at = room, from = room + differs->count * sizeof *differs->at;
    CUDA_PASS(device->driver->cuMemcpyHtoDAsync(
        at, differs->at, differs->count * sizeof *differs->at, device->stream));
    CUDA_PASS(
        device->driver->cuMemcpyHtoDAsync(from, values, differs->count * width, device->stream));
    return cuda_replace(device, vector, 0, 2, width, differs->count, at, from);
}

/* Makes expected elements that differ in a few places as a copy of a resident base. The later sum
 * tells whether the base was intact. */
static enum status derive(struct device *device, struct resident *resident,
                          const struct resident *base, const struct expected_output *expected,
                          enum element_type type, uint64_t count, struct error *error)
{
    const struct expected_difference *differs = expected->differs;
    const struct expected_output *instead = &differs->instead;
    const size_t part = part_bytes(&differs->base, type, count);
    const size_t width = part_bytes(instead, type, 1);
    const size_t bytes = part * (differs->base.magnitudes ? 2 : 1);
    CUdeviceptr room = 0;
    resident->serial = 0;
    TRY(make_room(device, resident, bytes, error));
    if (base->serial != differs->base.serial || /* the base was evicted for this one */
        cuda_allocate(device, differs->count * 2 * sizeof *differs->at, &room) != CUDA_SUCCESS)
        return error_set(error, STATUS_NO_MEMORY, "no room on the device");
    CUresult result =
        device->driver->cuMemcpyDtoDAsync(resident->address, base->address, bytes, device->stream);
    if (result == CUDA_SUCCESS)
        result = replace(device, resident->address, width, room, differs,
                         instead->reals ? (const void *)instead->reals : instead->elements);
    if (result == CUDA_SUCCESS && instead->magnitudes)
        result =
            replace(device, resident->address + part, width, room, differs, instead->magnitudes);
    if (result == CUDA_SUCCESS)
        result = device->driver->cuStreamSynchronize(device->stream);
    (void)device->driver->cuMemFree(room);
    TRY(cuda_error(device, result, error, "computing expected results on the device"));
    resident->serial = expected->serial;
    resident->summed = true;
    resident->sum = base->sum;
    for (uint64_t i = 0; i < differs->count; i++)
        resident->sum += expected_sum_at(instead, type, i, differs->at[i]) -
                         expected_sum(&differs->base, type, differs->at[i]);
    device->scratch_slot = NO_SLOT;
    return STATUS_OK;
}

/* Compares output and expectation in one pass; chunks are joined in order. */
static enum status look_through(struct device *device, enum element_type type,
                                const struct comparing *what, struct findings *out,
                                struct error *error)
{
    const uint64_t chunks = compare_chunks(what->count);
    void *room = NULL;
    const size_t bytes = chunks * sizeof *out;
    if (device->checking.findings_bytes < bytes) {
        if (device->checking.findings)
            (void)device->driver->cuMemFree(device->checking.findings);
        device->checking.findings_bytes = 0;
        if (cuda_allocate(device, bytes, &device->checking.findings) != CUDA_SUCCESS)
            return error_set(error, STATUS_NO_MEMORY, "no room on the device");
        device->checking.findings_bytes = bytes;
    }
    TRY(cuda_looked_room(device, chunks * sizeof *out, &room, error));
    TRY(cuda_compare_chunks(device, type, what, chunks, device->checking.findings, error));
    const CUresult result =
        cuda_fetch(device, room, device->checking.findings, chunks * sizeof *out);
    device->busy_until_ns = clock_now_ns();
    TRY(cuda_error(device, result, error, "comparing an output with the expected results"));
    const struct findings *found = room;
    *out = findings_none();
    for (uint64_t i = 0; i < chunks; i++)
        findings_join(out, &found[i]);
    return STATUS_OK;
}

/* Brings expected elements to the device, after the base that these differ from; `anew`: even if
 * present. */
static enum status settle(struct device *device, struct resident *resident, enum element_type type,
                          const struct comparing *what, bool anew, struct error *error)
{
    const struct expected_output *expected = &what->expected;
    if (!expected->differs)
        return upload(device, resident, expected, type, what->count, error);
    const struct expected_output *whole = &expected->differs->base;
    resident->used = ++device->checking.clock;
    struct resident *base = resident_of(device, whole->serial);
    enum status status = STATUS_OK;
    if (base->serial != whole->serial || anew) {
        struct comparing there = *what;
        struct findings found = {0};
        status = upload(device, base, whole, type, what->count, error);
        there.expected = placed(base, whole, what->count);
        if (status == STATUS_OK)
            status = look_through(device, type, &there, &found, error);
        base->sum = found.sum;
        base->summed = status == STATUS_OK;
    }
    base->used = ++device->checking.clock;
    return status == STATUS_OK ? derive(device, resident, base, expected, type, what->count, error)
                               : status;
}

/* Compares an output. The resident's sums come from the first pass after the copy, when only our
 * kernels have run. Expected elements that no longer match these sums were overwritten: they are
 * copied again before the comparison. */
enum status cuda_compare(struct device *device, size_t index, enum element_type type,
                         const struct comparing *what, struct findings *out, uint64_t got_raw[2],
                         struct error *error)
{
    const struct vector *vector = &device->vectors[index];
    if (index >= device->argument_count || what->count * element_bytes(type) > vector->bytes)
        return error_set(error, STATUS_INTERNAL, "argument %zu has no such elements", index);
    if (what->count == 0 || what->expected.serial == 0)
        return error_set(error, STATUS_NO_MEMORY, "nothing to be kept on the device");
    struct resident *resident = resident_of(device, what->expected.serial);
    struct comparing sought = *what, there = *what;
    sought.got = there.got = (const void *)(uintptr_t)(cuda_vector_start(vector) + vector->shown);
    bool held = false;
    for (int tries = 0; tries < 2 && !held; tries++) {
        enum status status = STATUS_OK;
        if (resident->serial != what->expected.serial || tries > 0)
            status = settle(device, resident, type, &sought, tries > 0, error);
        if (status == STATUS_OK) {
            there.expected = placed(resident, &what->expected, what->count);
            status = look_through(device, type, &there, out, error);
        }
        if (status != STATUS_OK)
            return status;
        resident->used = ++device->checking.clock;
        held = !resident->summed || resident->sum == out->sum;
        resident->sum = out->sum;
        resident->summed = true;
    }
    const uint64_t at[2] = {out->first, out->largest};
    const size_t size = element_bytes(type);
    CUresult result = CUDA_SUCCESS;
    const bool reads = out->wrong > 0 || what->tolerance.total > 0;
    for (size_t i = 0; reads && i < 2 && result == CUDA_SUCCESS; i++) {
        got_raw[i] = 0;
        if (at[i] != COMPARE_NONE)
            result = cuda_fetch(device, &got_raw[i],
                                (CUdeviceptr)(uintptr_t)there.got + at[i] * size, size);
    }
    return cuda_error(device, result, error, "reading two elements");
}
