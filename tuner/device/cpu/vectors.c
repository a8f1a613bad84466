#include "tuner/device/cpu/vectors.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tuner/base/array.h"
#include "tuner/device/bands.h"
#include "tuner/device/device.h"

enum {
    PAGE_BYTES = 4096,
    /* The system may give pages of this size; turns of less would then not be turns. */
    HUGE_PAGE_BYTES = 2 << 20,
    HUGE_FROM_BYTES = 16 << 20,
    /* Inaccessible pages in front of and behind a mapping; with this size, mappings keep their
     * alignment among large pages. */
    FENCE_BYTES = HUGE_PAGE_BYTES,
};

_Static_assert((int)GUARD_BYTES <= (int)PAGE_BYTES, "the band before lies in the page before");

/* Maps fresh pages: memory from the heap may have been touched, and so placed, before. */
char *pages_map(size_t bytes)
{
    void *pages = mmap(NULL, bytes > 0 ? bytes : 1, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
}

void pages_unmap(char *pages, size_t bytes)
{
    if (pages)
        (void)munmap(pages, bytes > 0 ? bytes : 1);
}

struct fill {
    const struct placing *placing;
    char *data;
    const char *source;
    int value;
    size_t bytes;
    size_t granule;
};

static void fill_piece(const struct fill *fill, size_t start, size_t end)
{
    end = end < fill->bytes ? end : fill->bytes;
    if (start >= end)
        return;
    if (fill->source)
        memcpy(fill->data + start, fill->source + start, end - start);
    else
        memset(fill->data + start, fill->value, end - start);
}

static void fill_part(void *context, int thread, int threads)
{
    const struct fill *fill = context;
    size_t granules = (fill->bytes + fill->granule - 1) / fill->granule;
    (void)threads;
    struct share share =
        layout_share(&fill->placing->layout, fill->placing->nodes, thread, granules);
    if (share.step == 1)
        fill_piece(fill, share.first * fill->granule, share.end * fill->granule);
    for (size_t i = share.first; share.step > 1 && i < share.end; i += share.step)
        fill_piece(fill, i * fill->granule, (i + 1) * fill->granule);
}

void fill_together(const struct placing *placing, char *data, const char *source, int value,
                   size_t bytes)
{
    bool huge = placing->layout.interleaved && bytes >= HUGE_FROM_BYTES;
    struct fill fill = {.placing = placing,
                        .data = data,
                        .source = source,
                        .value = value,
                        .bytes = bytes,
                        .granule = huge ? HUGE_PAGE_BYTES : PAGE_BYTES};
    if (bytes > PAGE_BYTES)
        pool_run(placing->pool, placing->layout.threads, fill_part, &fill);
    else
        fill_piece(&fill, 0, bytes);
}

char *vector_data(const struct vector *vector, uint32_t copy)
{
    return vector->pages[copy] + PAGE_BYTES + vector->offset;
}

/* Returns the mapping's bytes in whole pages, so that a fence begins at the end. */
static size_t mapped_bytes(const struct vector *vector)
{
    const size_t bytes = PAGE_BYTES + vector->offset + vector->bytes + GUARD_BYTES;
    return (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

/* Returns a mapping's bytes in front of the data; below, those behind the data's first `bytes`
 * bytes. */
static size_t before_data(const struct vector *vector)
{
    return PAGE_BYTES + vector->offset;
}

static size_t behind_data(const struct vector *vector, size_t bytes)
{
    return mapped_bytes(vector) - before_data(vector) - bytes;
}

static void vector_free(struct vector *vector)
{
    for (uint32_t i = 0; i < vector->count; i++)
        (void)munmap(vector->pages[i] - FENCE_BYTES,
                     mapped_bytes(vector) + (size_t)2 * FENCE_BYTES);
    free(vector->pages);
    free(vector->written);
    *vector = (struct vector){0};
}

void shelf_free(struct shelf *shelf)
{
    for (size_t i = 0; i < LAYOUTS_KEPT; i++)
        vector_free(&shelf->vectors[i]);
    *shelf = (struct shelf){0};
}

static bool add_copy(struct vector *vector)
{
    size_t capacities[] = {vector->capacity, vector->capacity};
    if (!array_grow(&vector->pages, vector->count, &capacities[0], sizeof *vector->pages) ||
        !array_grow(&vector->written, vector->count, &capacities[1], sizeof *vector->written))
        return false;
    vector->capacity = (uint32_t)capacities[0];
    const size_t fenced_bytes = mapped_bytes(vector) + (size_t)2 * FENCE_BYTES;
    char *fence = mmap(NULL, fenced_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (fence == MAP_FAILED)
        return false;
    if (mprotect(fence + FENCE_BYTES, mapped_bytes(vector), PROT_READ | PROT_WRITE) != 0) {
        (void)munmap(fence, fenced_bytes);
        return false;
    }
    atomic_init(&vector->written[vector->count], false);
    vector->pages[vector->count++] = fence + FENCE_BYTES;
    return true;
}

/* Takes the vector of this layout, else an empty one, else the least recently used, emptied. */
static struct vector *take(struct shelf *shelf, const struct layout *layout)
{
    struct vector *oldest = &shelf->vectors[0];
    struct vector *found = NULL;
    for (size_t i = 0; i < LAYOUTS_KEPT; i++) {
        struct vector *vector = &shelf->vectors[i];
        if (vector->count > 0 && layout_same(&vector->layout, layout))
            found = vector;
        if (vector->used < oldest->used)
            oldest = vector;
    }
    if (!found) {
        vector_free(oldest);
        found = oldest;
    }
    found->used = ++shelf->uses;
    shelf->bound = found;
    return found;
}

/* Protects a copy. If that fails, only writes to inputs go unnoticed. */
static void protect(const struct vector *vector, uint32_t copy, bool written)
{
    (void)mprotect(vector->pages[copy], mapped_bytes(vector),
                   written ? PROT_READ | PROT_WRITE : PROT_READ);
}

/* Returns the first whole element's place in the band before the data. */
static char *band_before(const struct vector *vector, uint32_t copy)
{
    return vector->pages[copy] + (before_data(vector) & (element_bytes(vector->type) - 1));
}

/* Fills an input's bands: the whole mapping outside the data. */
static void fill_bands(struct vector *vector, uint32_t copy, unsigned turn)
{
    char *data = vector_data(vector, copy);
    band_fill(band_before(vector, copy), (size_t)(data - band_before(vector, copy)), vector->type,
              turn);
    band_fill(data + vector->bytes, behind_data(vector, vector->bytes), vector->type, turn);
    if (copy == 0)
        vector->turn = turn;
}

void vector_turn_bands(struct vector *vector, unsigned turn)
{
    protect(vector, 0, true);
    fill_bands(vector, 0, turn);
    protect(vector, 0, false);
}

/* Tells whether a band is as filled; else *at is the first changed byte. */
static bool band_kept(const char *band, size_t bytes, enum element_type type, unsigned turn,
                      size_t *at)
{
    char *filled = malloc(bytes);
    if (!filled)
        return true;
    memcpy(filled, band, bytes); /* bytes outside whole elements are not compared */
    band_fill(filled, bytes, type, turn);
    for (*at = 0; *at < bytes && band[*at] == filled[*at];)
        ++*at;
    free(filled);
    return *at == bytes;
}

/* Sets a copy to the host's elements, patched in every second one. */
static void set_patched(const struct vector *vector, uint32_t copy)
{
    if (copy % 2 == 1)
        patch_vector(vector_data(vector, copy), vector->type, &vector->patch);
}

/* Puts the host's elements back at the patch's places. */
static void take_patch_away(const struct vector *vector, uint32_t copy)
{
    const size_t bytes = element_bytes(vector->type);
    for (uint32_t i = 0; copy % 2 == 1 && i < vector->patch.count; i++)
        memcpy(vector_data(vector, copy) + vector->patch.at[i] * bytes,
               (const char *)vector->host + vector->patch.at[i] * bytes, bytes);
}

void vector_vary(struct vector *vector, const struct patch *patch)
{
    if (memcmp(&vector->patch, patch, sizeof *patch) == 0)
        return;
    for (uint32_t copy = 1; copy < vector->count; copy += 2) {
        protect(vector, copy, true);
        take_patch_away(vector, copy);
        patch_vector(vector_data(vector, copy), vector->type, patch);
        protect(vector, copy, false);
    }
    vector->patch = *patch;
}

bool vector_kept(struct vector *vector, int64_t *at)
{
    const char *host = vector->host;
    const struct patch *patch = &vector->patch;
    const size_t width = element_bytes(vector->type);
    bool kept = true;
    for (uint32_t i = 0; i < vector->count; i++) {
        const unsigned turn = i == 0 ? vector->turn : 0;
        char *data = vector_data(vector, i), *before = band_before(vector, i);
        size_t place = 0;
        if (!atomic_exchange(&vector->written[i], false))
            continue;
        for (uint32_t k = 0; kept && i % 2 == 1 && k < patch->count; k++) {
            *at = (int64_t)(patch->at[k] * width);
            kept = memcmp(data + *at, patch->values + k * width, width) == 0;
        }
        if (kept && !band_kept(before, (size_t)(data - before), vector->type, turn, &place)) {
            *at = before + place - data;
            kept = false;
        }
        if (kept && !band_kept(data + vector->bytes, behind_data(vector, vector->bytes),
                               vector->type, turn, &place)) {
            *at = (int64_t)(vector->bytes + place);
            kept = false;
        }
        take_patch_away(vector, i);
        for (size_t k = 0; kept && k < vector->bytes; k++)
            if (data[k] != host[k]) {
                *at = (int64_t)k;
                kept = false;
            }
        memcpy(data, host, vector->bytes);
        set_patched(vector, i);
        fill_bands(vector, i, 0);
        protect(vector, i, false);
    }
    return kept;
}

bool shelf_open(struct shelf *shelf, const char *address)
{
    for (size_t i = 0; i < LAYOUTS_KEPT; i++) {
        struct vector *vector = &shelf->vectors[i];
        for (uint32_t k = 0; vector->is_input && k < vector->count; k++) {
            if (address < vector->pages[k] || address >= vector->pages[k] + mapped_bytes(vector))
                continue;
            atomic_store(&vector->written[k], true);
            protect(vector, k, true);
            return true;
        }
    }
    return false;
}

enum status shelf_upload(struct shelf *shelf, const struct placing *placing,
                         const struct argument *argument, const void *host, uint32_t copies,
                         struct error *error)
{
    /* Vectors of other layouts hold old data as well. */
    for (size_t i = 0; i < LAYOUTS_KEPT; i++) {
        /* The address alone does not suffice: freed memory may be allocated again at the same
         * place. */
        if (shelf->vectors[i].count > 0 &&
            !(shelf->vectors[i].host == host &&
              shelf->vectors[i].contents == argument_contents(argument) &&
              shelf->vectors[i].offset == argument->offset_bytes &&
              shelf->vectors[i].bytes == argument_bytes(argument)))
            vector_free(&shelf->vectors[i]);
    }
    struct vector *vector = take(shelf, &placing->layout);
    if (vector->count == 0) {
        vector->bytes = argument_bytes(argument);
        vector->offset = argument->offset_bytes;
        vector->host = host;
        vector->contents = argument_contents(argument);
        vector->layout = placing->layout;
        vector->is_input = argument->role == ARGUMENT_INPUT;
        vector->type = argument->type;
    }
    const size_t bytes = vector->bytes;
    size_t most = bytes > 0 ? placing->bytes_max / bytes : copies;
    if (copies > most)
        copies = (uint32_t)most;
    copies = copies > 0 ? copies : 1;
    while (vector->count < copies && add_copy(vector)) {
        uint32_t copy = vector->count - 1;
        fill_together(placing, vector_data(vector, copy), host, 0, vector->bytes);
        if (!vector->is_input)
            continue;
        set_patched(vector, copy);
        fill_bands(vector, copy, 0);
        protect(vector, copy, false);
    }
    return vector->count > 0 ? STATUS_OK : error_no_memory(error);
}

enum status shelf_reserve(struct shelf *shelf, const struct placing *placing,
                          const struct argument *argument, struct error *error)
{
    size_t bytes = argument_bytes(argument);
    struct vector *vector = take(shelf, &placing->layout);
    if (vector->count > 0 && !vector->host && vector->offset == argument->offset_bytes &&
        vector->bytes >= bytes)
        return STATUS_OK;
    uint64_t used = vector->used;
    vector_free(vector);
    vector->bytes = bytes;
    vector->offset = argument->offset_bytes;
    vector->layout = placing->layout;
    vector->used = used;
    TRY_MEMORY(add_copy(vector));
    fill_together(placing, vector_data(vector, 0), NULL, 0, bytes);
    return STATUS_OK;
}

/* Returns the guard byte at `i`. Neighbours differ, so that a copied neighbour is seen, too. */
static unsigned char guard_byte(size_t i)
{
    return (unsigned char)(0x5b + 37 * i);
}

/* Returns the guarded bytes behind a shorter part: as many as a fence would have. */
static size_t guarded_behind(const struct vector *vector, size_t bytes)
{
    const size_t rest = behind_data(vector, bytes);
    return rest < FENCE_BYTES ? rest : FENCE_BYTES;
}

void vector_guard(struct vector *vector, size_t bytes)
{
    char *before = vector->pages[0];
    char *behind = vector_data(vector, 0) + bytes;
    for (size_t i = 0; i < before_data(vector); i++)
        before[i] = (char)guard_byte(i);
    for (size_t i = 0; i < guarded_behind(vector, bytes); i++)
        behind[i] = (char)guard_byte(i);
}

bool vector_guarded(const struct vector *vector, size_t bytes, int64_t *at)
{
    const char *before = vector->pages[0];
    const char *behind = vector_data(vector, 0) + bytes;
    for (size_t i = 0; i < before_data(vector); i++)
        if ((unsigned char)before[i] != guard_byte(i)) {
            *at = (int64_t)i - (int64_t)before_data(vector);
            return false;
        }
    for (size_t i = 0; i < guarded_behind(vector, bytes); i++)
        if ((unsigned char)behind[i] != guard_byte(i)) {
            *at = (int64_t)(bytes + i);
            return false;
        }
    return true;
}
