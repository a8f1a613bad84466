/* Memory of a plan's vector arguments. */
#ifndef TUNE_DEVICE_CPU_VECTORS_H
#define TUNE_DEVICE_CPU_VECTORS_H

#include <stddef.h>
#include <stdint.h>

#include "tuner/base/error.h"
#include "tuner/base/launch.h"
#include "tuner/device/cpu/pool.h"

/* Pages of their own, so aligned to 64 bytes and more, first touched by the threads that will read
 * them. Zero-initialise; freed by vector_free. */
struct vector {
    char **copies;
    uint32_t count;    /* of copies */
    uint32_t capacity; /* of `copies` */
    size_t bytes;      /* of a copy */
    const void *host;  /* what the copies hold; NULL: output or scratch */
    size_t host_bytes;
    enum element_type type; /* with fill and seed: what `host` held when it was copied */
    enum argument_fill fill;
    uint64_t seed;
    int placed_by; /* threads that touched it first */
};

/* How memory is to be laid out. */
struct placement {
    struct pool *pool;
    int threads;      /* each first touches an equal part */
    bool many_nodes;  /* several NUMA nodes: other threads mean other places */
    size_t bytes_max; /* for all copies of one vector */
};

/* Gives up to `copies` copies of the input at `host`; fewer when memory is short, at least one.
 * Those that are there already are left. */
enum status vector_upload(struct vector *vector, const struct placement *placement,
                          const struct argument *argument, const void *host, uint32_t copies,
                          struct error *error);
/* Room for `bytes` bytes, with any contents. */
enum status vector_reserve(struct vector *vector, const struct placement *placement, size_t bytes,
                           struct error *error);
void vector_free(struct vector *vector);

/* All threads' parts of [data, data + bytes): copied from `source`, or set to `value` when that is
 * NULL. */
void fill_together(struct pool *pool, int threads, char *data, const char *source, int value,
                   size_t bytes);

/* NULL when memory is short. */
char *pages_map(size_t bytes);
void pages_unmap(char *pages, size_t bytes);

#endif
