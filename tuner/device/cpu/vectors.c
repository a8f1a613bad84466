#include "tuner/device/cpu/vectors.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE_BYTES = 4096 };

/* Fresh pages each time: memory from the heap may have been touched, and so placed, before. */
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
    char *data;
    const char *source;
    int value;
    size_t bytes;
};

static void fill_part(void *context, int thread, int threads)
{
    const struct fill *fill = context;
    size_t pages = (fill->bytes + PAGE_BYTES - 1) / PAGE_BYTES;
    size_t start = pages * (size_t)thread / (size_t)threads * PAGE_BYTES;
    size_t end = pages * (size_t)(thread + 1) / (size_t)threads * PAGE_BYTES;
    end = end < fill->bytes ? end : fill->bytes;
    if (start >= end)
        return;
    if (fill->source)
        memcpy(fill->data + start, fill->source + start, end - start);
    else
        memset(fill->data + start, fill->value, end - start);
}

void fill_together(struct pool *pool, int threads, char *data, const char *source, int value,
                   size_t bytes)
{
    struct fill fill = {.data = data, .source = source, .value = value, .bytes = bytes};
    pool_run(pool, bytes > PAGE_BYTES ? threads : 1, fill_part, &fill);
}

void vector_free(struct vector *vector)
{
    for (uint32_t i = 0; i < vector->count; i++)
        pages_unmap(vector->copies[i], vector->bytes);
    free(vector->copies);
    *vector = (struct vector){0};
}

static bool add_copy(struct vector *vector)
{
    if (vector->count == vector->capacity) {
        uint32_t capacity = vector->capacity ? vector->capacity * 2 : 4;
        char **copies = realloc(vector->copies, capacity * sizeof *copies);
        if (!copies)
            return false;
        vector->copies = copies;
        vector->capacity = capacity;
    }
    char *pages = pages_map(vector->bytes);
    if (pages)
        vector->copies[vector->count++] = pages;
    return pages != NULL;
}

static bool well_placed(const struct vector *vector, const struct placement *placement)
{
    return vector->count > 0 && (!placement->many_nodes || vector->placed_by == placement->threads);
}

static uint32_t copies_that_fit(const struct placement *placement, size_t bytes, uint32_t copies)
{
    size_t most = bytes > 0 ? placement->bytes_max / bytes : copies;
    if (copies > most)
        copies = (uint32_t)most;
    return copies > 0 ? copies : 1;
}

/* The address alone does not tell: what is freed and allocated again may come to lie where it lay.
 */
static bool holds(const struct vector *vector, const struct argument *argument, const void *host,
                  size_t bytes)
{
    return vector->host == host && vector->type == argument->type &&
           vector->fill == argument->fill && vector->seed == argument->seed &&
           vector->host_bytes >= bytes;
}

enum status vector_upload(struct vector *vector, const struct placement *placement,
                          const struct argument *argument, const void *host, uint32_t copies,
                          struct error *error)
{
    size_t bytes = (size_t)argument->count * element_bytes(argument->type);
    if (!well_placed(vector, placement) || !holds(vector, argument, host, bytes)) {
        vector_free(vector);
        vector->bytes = vector->host_bytes = bytes;
        vector->host = host;
        vector->type = argument->type;
        vector->fill = argument->fill;
        vector->seed = argument->seed;
        vector->placed_by = placement->threads;
    }
    copies = copies_that_fit(placement, vector->bytes, copies);
    while (vector->count < copies && add_copy(vector))
        fill_together(placement->pool, placement->threads, vector->copies[vector->count - 1], host,
                      0, vector->bytes);
    return vector->count > 0 ? STATUS_OK : error_no_memory(error);
}

enum status vector_reserve(struct vector *vector, const struct placement *placement, size_t bytes,
                           struct error *error)
{
    if (well_placed(vector, placement) && !vector->host && vector->bytes >= bytes)
        return STATUS_OK;
    vector_free(vector);
    vector->bytes = bytes;
    vector->placed_by = placement->threads;
    if (!add_copy(vector))
        return error_no_memory(error);
    fill_together(placement->pool, placement->threads, vector->copies[0], NULL, 0, bytes);
    return STATUS_OK;
}
