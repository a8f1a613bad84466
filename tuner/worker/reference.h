/* Expected results of a problem, computed by a C function that is compiled at run time, and cached
 * for other processes. */
#ifndef TUNE_WORKER_REFERENCE_H
#define TUNE_WORKER_REFERENCE_H

#include "tuner/base/error.h"
#include "tuner/base/hash.h"
#include "tuner/base/launch.h"
#include "tuner/stats/data.h"

/* Calls function `name` of the shared object at `path` with the plan's arguments (inputs[i] for
 * inputs, a copy of it for vectors read and written, NULL for other vectors, pointers to scalars
 * and structs), and fills `expected`, one entry for each element of the output, zero before. */
enum status reference_compute(const char *path, const char *name, const struct launch_plan *plan,
                              const void *const *inputs, size_t output,
                              struct tune_expected *expected, struct error *error);

/* A function's result for an output, in the form that is cached. */
struct reference_result {
    enum element_type type;
    uint64_t count; /* elements of the output */
    bool magnitudes;
    /* All magnitudes equal `magnitude` and are not stored in `room`. */
    bool flat;
    double magnitude;
    /* Not 0: a patch of `differing` elements, with the other elements those of a base result;
     * `room` begins with the indices. */
    uint64_t differing;
    void *room; /* in the layout of expected_keep; freed by free() */
    int64_t made_ns;
};
size_t reference_bytes(const struct reference_result *result);
/* Returns the expected output; for a patch, only the changed elements (reference_differences.c). */
struct expected_output reference_elements(const struct reference_result *result);
/* Replaces equal magnitudes of a complete result by `magnitude`. */
void reference_flatten(struct reference_result *result);
/* Turns a complete result into a patch of `base` if few elements differ. */
void reference_make_patch(struct reference_result *result, const struct expected_output *base);
/* Makes a patch complete again; *room is to be freed. */
enum status reference_complete(const struct reference_result *result,
                               const struct expected_output *base, void **room,
                               struct expected_output *out, struct error *error);

/* Computes a hash of the compiled function, of output `output`, the plan's inputs, and the form:
 * complete or patch (reference_cache.c). */
enum status reference_hash(const char *path, const char *name, const struct launch_plan *plan,
                           size_t output, bool magnitudes, bool differs, char hash[HASH_TEXT_BYTES],
                           struct error *error);
struct measuring;
/* Reads a result with this type, count and magnitudes from the cache; false if absent or
 * damaged. */
bool reference_recall(const struct measuring *state, const char *hash,
                      struct reference_result *out);
/* Returns whether the cache accepts results of this size. */
bool reference_has_room(size_t bytes);
/* Writes the result to the cache unless it was quick to compute, or takes too much of the cache. */
void reference_store(const struct measuring *state, const char *hash,
                     const struct reference_result *result);

#endif
