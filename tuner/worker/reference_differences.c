/* Compact forms of reference results: equal magnitudes stored once, and a result for slightly
 * different inputs stored as a patch. */
#include <stdlib.h>
#include <string.h>

#include "tuner/base/element_bits.h"
#include "tuner/worker/measure.h"
#include "tuner/worker/reference.h"

/* Largest patch, in elements, and as a share of all elements. */
enum { DIFFERING_MAX = 1 << 16, DIFFERING_SHARE = 16 };
/* Elements compared at once. */
enum { PIECE = 1024 };

/* Returns the number of stored elements; front_bytes: the size of the leading indices. */
static uint64_t stored_count(const struct reference_result *result)
{
    return result->differing > 0 ? result->differing : result->count;
}

static size_t front_bytes(const struct reference_result *result)
{
    return result->differing * sizeof(uint64_t);
}

size_t reference_bytes(const struct reference_result *result)
{
    return front_bytes(result) +
           expected_bytes(result->type, stored_count(result), result->magnitudes && !result->flat);
}

struct expected_output reference_elements(const struct reference_result *result)
{
    struct expected_output out =
        expected_in((const char *)result->room + front_bytes(result), result->type,
                    stored_count(result), result->magnitudes && !result->flat);
    if (result->flat)
        out.scale = result->magnitude;
    return out;
}

void reference_flatten(struct reference_result *result)
{
    const double *magnitudes = reference_elements(result).magnitudes;
    uint64_t i = 1;
    if (!magnitudes || result->count == 0)
        return;
    const uint64_t first = element_raw(magnitudes, ELEMENT_F64, 0);
    while (i < result->count && element_raw(magnitudes, ELEMENT_F64, i) == first)
        i++;
    if (i < result->count)
        return;
    result->magnitude = magnitudes[0];
    result->flat = true;
}

/* An array of numbers, one per element: elements, or magnitudes. */
struct row {
    const unsigned char *from; /* from the result */
    const unsigned char *base;
    size_t width;
};

static size_t rows_of(const struct expected_output *result, const struct expected_output *base,
                      enum element_type type, struct row rows[2])
{
    rows[0] = result->reals ? (struct row){(const void *)result->reals, (const void *)base->reals,
                                           sizeof(double)}
                            : (struct row){result->elements, base->elements, element_bytes(type)};
    rows[1] = (struct row){(const void *)result->magnitudes, (const void *)base->magnitudes,
                           sizeof(double)};
    return result->magnitudes ? 2 : 1;
}

static bool is_same(const struct row *rows, size_t row_count, uint64_t first, uint64_t count)
{
    bool same = true;
    for (size_t r = 0; same && r < row_count; r++)
        same = memcmp(rows[r].from + first * rows[r].width, rows[r].base + first * rows[r].width,
                      count * rows[r].width) == 0;
    return same;
}

/* Finds the elements that differ; false: too many, or none. */
static bool find(const struct reference_result *result, const struct row *rows, size_t row_count,
                 uint64_t *indices, uint64_t *found)
{
    const uint64_t share = result->count / DIFFERING_SHARE;
    const uint64_t most = share < DIFFERING_MAX ? share : DIFFERING_MAX;
    *found = 0;
    for (uint64_t first = 0; first < result->count; first += PIECE) {
        const uint64_t rest = result->count - first;
        const uint64_t end = first + (rest < PIECE ? rest : PIECE);
        if (is_same(rows, row_count, first, end - first))
            continue;
        for (uint64_t i = first; i < end; i++) {
            if (is_same(rows, row_count, i, 1))
                continue;
            if (*found == most)
                return false;
            indices[(*found)++] = i;
        }
    }
    return *found > 0;
}

void reference_make_patch(struct reference_result *result, const struct expected_output *base)
{
    const struct expected_output whole = reference_elements(result);
    struct row rows[2];
    const size_t row_count = rows_of(&whole, base, result->type, rows);
    uint64_t *indices = malloc(DIFFERING_MAX * sizeof *indices);
    struct reference_result kept = *result;
    const bool comparable =
        !base->differs && !base->magnitudes == !whole.magnitudes &&
        element_raw(&base->scale, ELEMENT_F64, 0) == element_raw(&whole.scale, ELEMENT_F64, 0);
    if (!indices || !comparable || !find(result, rows, row_count, indices, &kept.differing) ||
        !(kept.room = malloc(reference_bytes(&kept)))) {
        free(indices);
        return;
    }
    unsigned char *end = kept.room;
    memcpy(end, indices, front_bytes(&kept));
    end += front_bytes(&kept);
    for (size_t r = 0; r < row_count; r++)
        for (uint64_t i = 0; i < kept.differing; i++, end += rows[r].width)
            memcpy(end, rows[r].from + indices[i] * rows[r].width, rows[r].width);
    free(indices);
    free(result->room);
    *result = kept;
}

enum status reference_complete(const struct reference_result *result,
                               const struct expected_output *base, void **room,
                               struct expected_output *out, struct error *error)
{
    const struct expected_output patch = reference_elements(result);
    const uint64_t *indices = result->room;
    struct reference_result whole = *result;
    struct row rows[2];
    const size_t row_count = rows_of(&patch, base, result->type, rows);
    whole.differing = 0;
    unsigned char *to = whole.room = host_room(reference_bytes(&whole));
    TRY_MEMORY(to);
    for (size_t r = 0; r < row_count; to += result->count * rows[r].width, r++) {
        memcpy(to, rows[r].base, result->count * rows[r].width);
        for (uint64_t i = 0; i < result->differing; i++)
            memcpy(to + indices[i] * rows[r].width, rows[r].from + i * rows[r].width,
                   rows[r].width);
    }
    *room = whole.room;
    *out = reference_elements(&whole);
    return STATUS_OK;
}
