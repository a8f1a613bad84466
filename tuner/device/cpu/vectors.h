/* Memory of a plan's vector arguments. */
#ifndef TUNE_DEVICE_CPU_VECTORS_H
#define TUNE_DEVICE_CPU_VECTORS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/error.h"
#include "tuner/base/launch.h"
#include "tuner/base/pack.h"
#include "tuner/device/cpu/layout.h"
#include "tuner/device/cpu/pool.h"

/* Own pages, first touched according to the layout, with room for a guard band on both sides, and
 * behind these a fence. Those of inputs are read-only until a kernel writes there (watch_start).
 * Zero-initialise; freed by vector_free. */
struct vector {
    char **pages;         /* one mapping a copy */
    atomic_bool *written; /* copies written by a kernel; all others are read-only */
    bool is_input;
    unsigned turn;          /* an input's turn: that of the first copy's bands */
    enum element_type type; /* an input's type, for the bands */
    uint32_t count;         /* of copies */
    uint32_t capacity;      /* of `pages` */
    size_t bytes;           /* bytes of a copy's data */
    size_t offset;          /* offset of the data behind the start of a page */
    bool at_end;            /* whether the data end where the mapping does, without a band */
    atomic_intptr_t beyond; /* first address behind that end that a kernel used; 0: none */
    const void *host;       /* source of the copies; NULL: output or scratch */
    uint64_t contents;      /* argument_contents of `host` when copied */
    struct patch patch;     /* an input's patch, in every second copy */
    uint32_t used_copies;   /* an update's copies that runs changed, from the first */
    struct layout layout;
    uint64_t used; /* when last */
};

/* One argument's memory, for each layout that plans use in turn. */
enum { LAYOUTS_KEPT = 4 };
struct shelf {
    struct vector vectors[LAYOUTS_KEPT];
    struct vector *bound; /* NULL: none yet */
    /* Variable of the current binary that kernels use instead; NULL: none. */
    void *variable;
    size_t variable_bytes; /* bytes of the bound argument */
    uint64_t uses;
};

/* Placement of memory. */
struct placing {
    struct pool *pool;
    const int *nodes; /* node of each thread */
    struct layout layout;
    size_t bytes_max; /* for all copies of one vector */
};

void shelf_free(struct shelf *shelf);

/* Returns the start of a copy's data. */
char *vector_data(const struct vector *vector, uint32_t copy);

/* Fills [data, data + bytes), each thread its share: copied from `source`, or set to `value` when
 * `source` is NULL. */
void fill_together(const struct placing *placing, char *data, const char *source, int value,
                   size_t bytes);

/* Maps pages; NULL when memory is short. */
char *pages_map(size_t bytes);
void pages_unmap(char *pages, size_t bytes);

#endif
