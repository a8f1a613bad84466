/* Outputs compared with a reference. */
#ifndef TUNE_STATS_DATA_H
#define TUNE_STATS_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/compare.h"
#include "tuner/base/error.h"
#include "tuner/base/fill.h"
#include "tuner/base/launch.h"
#include "tuner/base/pack.h"

/* An output element of a reference function (kernels/README.md). */
struct tune_expected {
    long long integer;
    double real;
    double magnitude;
};

/* Stores the results of a function for elements [first, first + count) of `all`: integers as
 * elements of their type, reals as numbers and, with `magnitudes`, their magnitudes behind all of
 * these. A value in the other member counts, too: an output's type may be a parameter. `room` has
 * expected_bytes() bytes and is aligned to 8. */
void expected_keep(const struct tune_expected *expected, enum element_type type, size_t all,
                   bool magnitudes, size_t first, size_t count, void *room);
size_t expected_bytes(enum element_type type, size_t count, bool magnitudes);
/* Returns the expected values in a room that expected_keep has filled. */
struct expected_output expected_in(const void *room, enum element_type type, size_t count,
                                   bool magnitudes);
/* Returns the root of the mean of the elements' squares, of finite ones only; 0 for none. */
double expected_scale(const void *elements, enum element_type type, size_t count);

/* Compares `count` elements with their expected values (struct tolerance). Without a tolerance
 * integers must equal in the bits of their type, and reals as numbers. NaN and infinities only
 * match themselves. For integers the magnitude does not count, and a unit in the last place is 1.
 * f16 and bf16 are compared as the numbers they hold; if only equality or units in the last place
 * are allowed, a function's results are rounded to the type first. On a mismatch returns false with
 * "out[3] is 7, not 8; 2 of 10 elements are wrong, the largest difference is 5 at out[4]" in
 * `detail`. */
bool output_matches(const void *got, enum element_type type, size_t count,
                    const struct expected_output *expected, const struct tolerance *tolerance,
                    const char *name, char *detail, size_t detail_bytes);
/* Returns the largest difference of an element from the expected one; INFINITY where one of the two
 * is no number. */
double output_deviation(const void *got, enum element_type type, size_t count,
                        const struct expected_output *expected);
/* Reports findings of a comparison made elsewhere: bytes of the output are got_raw[0] for element
 * findings->first and got_raw[1] for findings->largest (element_raw). */
bool findings_match(const struct findings *findings, const struct tolerance *tolerance);
void findings_describe(const struct findings *findings, const struct comparing *comparing,
                       enum element_type type, const uint64_t got_raw[2], const char *name,
                       char *detail, size_t detail_bytes);

#endif
