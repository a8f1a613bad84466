// Input of reductions, and its result, computed without the kernels.
#ifndef TESTS_KERNELS_REDUCE_DATA_H
#define TESTS_KERNELS_REDUCE_DATA_H

#include "tests/kernels/reduce_points.h"

#include <cstdint>
#include <string>

namespace reduce_data
{

using reduce_points::element;
using reduce_points::point;

uint64_t hash(uint64_t seed, uint64_t index);

enum class fill {
    exact,    // equal results in any order; min and max: anything, or only numbers far from it
    rounding, // sums and products of reals that round; half of the seeds: all positive
    special,  // min and max of reals: NaN, both zeros, infinities; five kinds, by the seed
};

struct expected {
    uint64_t bits;    // bits of the result, except for `rounding`
    double real;      // rounding: the result in binary64
    double magnitude; // rounding: the sum of |x|, or |result| of a product
};

// Fills in[0..n) with elements of the point's type; returns the expected result.
expected fill_input(const point &point, void *in, size_t n, fill kind, uint64_t seed);

// Fills with one element, at `where`, that is the result of min or max.
expected fill_with_extreme(const point &point, void *in, size_t n, size_t where, uint64_t seed);

// Bits or value of a result.
uint64_t bits_of(const point &point, const void *result);
double real_of(element type, const void *at);
// The element `bits` in words, for a report.
std::string shown(element type, uint64_t bits);

} // namespace reduce_data

#endif
