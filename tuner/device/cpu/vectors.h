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

/* Pages of their own, first touched as the layout has it, with room for a guard band on both sides,
 * and behind these a fence.
 * Those of inputs can only be read, until a kernel writes to them (watch.h). Zero-initialise; freed
 * by vector_free. */
struct vector {
    char **pages;         /* one mapping a copy */
    atomic_bool *written; /* by a kernel, of each copy, which can only be read else */
    bool is_input;
    unsigned turn;          /* of an input: the first copy's bands are of this one */
    enum element_type type; /* of an input, for its bands */
    uint32_t count;         /* of copies */
    uint32_t capacity;      /* of `pages` */
    size_t bytes;           /* of a copy's data */
    size_t offset;          /* of the data behind the start of a page */
    const void *host;       /* what the copies hold; NULL: output or scratch */
    uint64_t contents;      /* argument_contents of what `host` held when it was copied */
    struct patch patch;     /* of an input: what every second copy has instead */
    uint32_t used_copies;   /* of an update: the first so many are no longer as `host` has it */
    struct layout layout;
    uint64_t used; /* when last */
};

/* One argument's memory, for each layout that plans in turn ask for. */
enum { LAYOUTS_KEPT = 4 };
struct shelf {
    struct vector vectors[LAYOUTS_KEPT];
    struct vector *bound; /* NULL: nothing yet */
    /* Of the current binary, which kernels find instead of it; NULL: none. */
    void *variable;
    size_t variable_bytes; /* of the bound argument */
    uint64_t uses;
};

/* How memory is to be laid out. */
struct placing {
    struct pool *pool;
    const int *nodes; /* of each thread */
    struct layout layout;
    size_t bytes_max; /* for all copies of one vector */
};

/* Gives up to `copies` copies of the input at `host`; fewer when memory is short, at least one.
 * Those that are there already are left. */
enum status shelf_upload(struct shelf *shelf, const struct placing *placing,
                         const struct argument *argument, const void *host, uint32_t copies,
                         struct error *error);
/* Every second copy of an input has the patch's elements instead of the host's. */
void vector_vary(struct vector *vector, const struct patch *patch);
/* Copies that runs have written to are as the host's again. */
void shelf_restore(struct shelf *shelf, const struct placing *placing);
/* Room for an output or scratch, with any contents. */
enum status shelf_reserve(struct shelf *shelf, const struct placing *placing,
                          const struct argument *argument, struct error *error);
void shelf_free(struct shelf *shelf);

/* Where a copy's data starts. */
char *vector_data(const struct vector *vector, uint32_t copy);

/* Guard bands before and behind the first `bytes` bytes of the first copy, of GUARD_BYTES at least;
 * a kernel that goes beyond ends by a signal. */
void vector_guard(struct vector *vector, size_t bytes);
/* Other bands than before around an input's first copy (device/bands.h). */
void vector_turn_bands(struct vector *vector, unsigned turn);
/* Whether all copies of an input hold what the host has, and their bands what they were filled
 * with; *at is the first byte that does not, counted from the data's start. What kernels have
 * written to is as it was again. */
bool vector_kept(struct vector *vector, int64_t *at);
/* Whether the address lies in an input that can only be read: a kernel may write there from now on,
 * which is noted. Called by what takes the signal. */
bool shelf_open(struct shelf *shelf, const char *address);
/* False when a byte of them was changed: *at is the first one's place, counted from the data's
 * start. */
bool vector_guarded(const struct vector *vector, size_t bytes, int64_t *at);

/* All threads' shares of [data, data + bytes): copied from `source`, or set to `value` when that is
 * NULL. */
void fill_together(const struct placing *placing, char *data, const char *source, int value,
                   size_t bytes);

/* NULL when memory is short. */
char *pages_map(size_t bytes);
void pages_unmap(char *pages, size_t bytes);

#endif
