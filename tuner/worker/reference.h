/* The expected results of a problem, computed by a C function compiled at run time, and kept in the
 * cache for other processes. */
#ifndef TUNE_WORKER_REFERENCE_H
#define TUNE_WORKER_REFERENCE_H

#include "tuner/base/error.h"
#include "tuner/base/hash.h"
#include "tuner/base/launch.h"
#include "tuner/stats/data.h"

/* Calls function `name` of the shared object at `path` with the plan's arguments (inputs[i] for
 * inputs, a copy of it for what is read and written, NULL for other vectors, pointers to scalars
 * and structs), and fills `expected`, one for each element of the output, zero before. */
enum status reference_compute(const char *path, const char *name, const struct launch_plan *plan,
                              const void *const *inputs, size_t output,
                              struct tune_expected *expected, struct error *error);

/* What it said of an output, as it is kept. */
struct said {
    enum element_type type;
    uint64_t count; /* of the output's elements */
    bool magnitudes;
    /* The magnitudes are all this one, and not in the room. */
    bool flat;
    double magnitude;
    /* Not 0: of so many elements alone; all others are as of other inputs. Their indices stand in
     * front. */
    uint64_t differing;
    void *room; /* as expected_keep fills it; freed by free() */
    int64_t made_ns;
};
size_t said_bytes(const struct said *said);
/* reference_differences.c. What is expected by it, of `differing` in place of others. */
struct expected_output said_elements(const struct said *said);
/* Takes magnitudes that are all the same out of what is whole. */
void said_flatten(struct said *said);
/* Keeps of what is whole only where it differs from `base`, where that is little. */
void said_differ(struct said *said, const struct expected_output *base);
/* What differs, whole: *room is to be freed. */
enum status said_whole(const struct said *said, const struct expected_output *base, void **room,
                       struct expected_output *out, struct error *error);

/* reference_cache.c. `hash` stands for what the function, as it was compiled, says of output
 * `output` given the plan's inputs, kept whole or as what differs. */
enum status reference_hash(const char *path, const char *name, const struct launch_plan *plan,
                           size_t output, bool magnitudes, bool differs, char hash[HASH_TEXT_BYTES],
                           struct error *error);
struct measuring;
/* Fills in the rest of what was said of elements of its type, count and magnitudes. False: the
 * cache does not have it whole. */
bool reference_recall(const struct measuring *state, const char *hash, struct said *out);
/* Whether so much of it is put there at all. */
bool reference_has_room(size_t bytes);
/* Puts it there unless it was quick to make, or takes too much of it. */
void reference_keep(const struct measuring *state, const char *hash, const struct said *said);

#endif
