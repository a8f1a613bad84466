/* The data of a trial: inputs made from a seed, and outputs held against a reference. */
#ifndef TUNE_TRIAL_DATA_H
#define TUNE_TRIAL_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/error.h"
#include "tuner/base/launch.h"
#include "tuner/base/pack.h"

/* Fills elements [first, first + count) of a vector, whose element 0 is at `out`. Element i depends
 * on seed and i alone, so that a shorter vector is the beginning of a longer one. */
void fill_vector(void *out, enum element_type type, enum argument_fill fill, uint64_t seed,
                 uint64_t first, uint64_t count);

/* One output element as the reference has it (kernels/README.md). */
struct tune_expected {
    long long integer;
    double real;
    double magnitude;
};

/* Holds `count` elements against the reference: integers must equal in the bits of their type,
 * reals differ by at most tolerance * magnitude (NaN only where NaN is expected). f16 and bf16 are
 * compared as the numbers they hold; without a tolerance, the expected one is rounded to the type
 * first. At the first that does not, returns false with "out[3] is 7, not 8" in `detail`. */
bool output_matches(const void *got, enum element_type type, size_t count,
                    const struct tune_expected *expected, double tolerance, const char *name,
                    char *detail, size_t detail_bytes);

#endif
