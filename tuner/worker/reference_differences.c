/* Compact forms of reference results: equal magnitudes stored once, and a result for slightly
 * different inputs stored as a patch. */
#include <stdlib.h>
#include <string.h>

#include "tuner/base/element_bits.h"
#include "tuner/worker/measure.h"
#include "tuner/worker/reference.h"

/* Largest patch, in elements, and as a share of all elements. */
enum { DIFFERING_MOST = 1 << 16, DIFFERING_SHARE = 16 };
/* Elements compared at once. */
enum { PIECE = 1024 };

/* Returns the number of stored elements; front_bytes: the size of the leading indices. */
static uint64_t kept_count(const struct said *said)
{
    return said->differing > 0 ? said->differing : said->count;
}

static size_t front_bytes(const struct said *said)
{
    return said->differing * sizeof(uint64_t);
}

size_t said_bytes(const struct said *said)
{
    return front_bytes(said) +
           expected_bytes(said->type, kept_count(said), said->magnitudes && !said->flat);
}

struct expected_output said_elements(const struct said *said)
{
    struct expected_output out =
        expected_in((const char *)said->room + front_bytes(said), said->type, kept_count(said),
                    said->magnitudes && !said->flat);
    if (said->flat)
        out.scale = said->magnitude;
    return out;
}

void said_flatten(struct said *said)
{
    const double *magnitudes = said_elements(said).magnitudes;
    uint64_t i = 1;
    if (!magnitudes || said->count == 0)
        return;
    const uint64_t first = element_raw(magnitudes, ELEMENT_F64, 0);
    while (i < said->count && element_raw(magnitudes, ELEMENT_F64, i) == first)
        i++;
    if (i < said->count)
        return;
    said->magnitude = magnitudes[0];
    said->flat = true;
}

/* An array of numbers, one per element: elements, or magnitudes. */
struct row {
    const unsigned char *from; /* from the result */
    const unsigned char *base;
    size_t width;
};

static size_t rows_of(const struct expected_output *said, const struct expected_output *base,
                      enum element_type type, struct row rows[2])
{
    rows[0] = said->reals ? (struct row){(const void *)said->reals, (const void *)base->reals,
                                         sizeof(double)}
                          : (struct row){said->elements, base->elements, element_bytes(type)};
    rows[1] = (struct row){(const void *)said->magnitudes, (const void *)base->magnitudes,
                           sizeof(double)};
    return said->magnitudes ? 2 : 1;
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
static bool find(const struct said *said, const struct row *rows, size_t row_count, uint64_t *at,
                 uint64_t *found)
{
    const uint64_t share = said->count / DIFFERING_SHARE;
    const uint64_t most = share < DIFFERING_MOST ? share : DIFFERING_MOST;
    *found = 0;
    for (uint64_t first = 0; first < said->count; first += PIECE) {
        const uint64_t rest = said->count - first;
        const uint64_t end = first + (rest < PIECE ? rest : PIECE);
        if (is_same(rows, row_count, first, end - first))
            continue;
        for (uint64_t i = first; i < end; i++) {
            if (is_same(rows, row_count, i, 1))
                continue;
            if (*found == most)
                return false;
            at[(*found)++] = i;
        }
    }
    return *found > 0;
}

void said_differ(struct said *said, const struct expected_output *base)
{
    const struct expected_output whole = said_elements(said);
    struct row rows[2];
    const size_t row_count = rows_of(&whole, base, said->type, rows);
    uint64_t *at = malloc(DIFFERING_MOST * sizeof *at);
    struct said kept = *said;
    const bool alike =
        !base->differs && !base->magnitudes == !whole.magnitudes &&
        element_raw(&base->scale, ELEMENT_F64, 0) == element_raw(&whole.scale, ELEMENT_F64, 0);
    if (!at || !alike || !find(said, rows, row_count, at, &kept.differing) ||
        !(kept.room = malloc(said_bytes(&kept)))) {
        free(at);
        return;
    }
    unsigned char *end = kept.room;
    memcpy(end, at, front_bytes(&kept));
    end += front_bytes(&kept);
    for (size_t r = 0; r < row_count; r++)
        for (uint64_t i = 0; i < kept.differing; i++, end += rows[r].width)
            memcpy(end, rows[r].from + at[i] * rows[r].width, rows[r].width);
    free(at);
    free(said->room);
    *said = kept;
}

enum status said_whole(const struct said *said, const struct expected_output *base, void **room,
                       struct expected_output *out, struct error *error)
{
    const struct expected_output few = said_elements(said);
    const uint64_t *at = said->room;
    struct said whole = *said;
    struct row rows[2];
    const size_t row_count = rows_of(&few, base, said->type, rows);
    whole.differing = 0;
    unsigned char *to = whole.room = host_room(said_bytes(&whole));
    if (!to)
        return error_no_memory(error);
    for (size_t r = 0; r < row_count; to += said->count * rows[r].width, r++) {
        memcpy(to, rows[r].base, said->count * rows[r].width);
        for (uint64_t i = 0; i < said->differing; i++)
            memcpy(to + at[i] * rows[r].width, rows[r].from + i * rows[r].width, rows[r].width);
    }
    *room = whole.room;
    *out = said_elements(&whole);
    return STATUS_OK;
}
