/* Outputs held against a reference. */
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

/* One output element as a reference function has it (kernels/README.md). */
struct tune_expected {
    long long integer;
    double real;
    double magnitude;
};

/* What a function told of elements [first, first + count) of `all`, as it is kept: of integers
 * elements of their type, of reals the numbers and, where `magnitudes`, their magnitudes behind all
 * of them. `room` is of expected_bytes() bytes and aligned to 8. */
void expected_keep(const struct tune_expected *said, enum element_type type, size_t all,
                   bool magnitudes, size_t first, size_t count, void *room);
size_t expected_bytes(enum element_type type, size_t count, bool magnitudes);
/* What is expected by a room that expected_keep has filled. */
struct expected_output expected_in(const void *room, enum element_type type, size_t count,
                                   bool magnitudes);
/* The root of the mean of the elements' squares. Those that are not finite are left out; 0 for
 * none. */
double expected_scale(const void *elements, enum element_type type, size_t count);

/* Holds `count` elements against what they must be (struct tolerance). Without a tolerance integers
 * must equal in the bits of their type, and reals as numbers. NaN and infinities only where they
 * are expected. Of integers the magnitude does not count, and a unit in the last place is 1. f16
 * and bf16 are compared as the numbers they hold; where no difference is allowed, or units in the
 * last place, what a function told is rounded to the type first. When they do not match, returns
 * false with "out[3] is 7, not 8; 2 of 10 elements are wrong, the largest difference is 5 at
 * out[4]" in `detail`. */
bool output_matches(const void *got, enum element_type type, size_t count,
                    const struct expected_output *expected, const struct tolerance *tolerance,
                    const char *name, char *detail, size_t detail_bytes);
/* The same of what was found elsewhere, of which bytes of the output are got_raw[0] for element
 * findings->first and got_raw[1] for findings->largest (element_raw). */
bool findings_match(const struct findings *findings, const struct tolerance *tolerance);
void findings_describe(const struct findings *findings, const struct comparing *comparing,
                       enum element_type type, const uint64_t got_raw[2], const char *name,
                       char *detail, size_t detail_bytes);

#endif
