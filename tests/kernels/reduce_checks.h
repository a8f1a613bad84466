// Checks of every instance of the reduce family under the emulation.
#ifndef TESTS_KERNELS_REDUCE_CHECKS_H
#define TESTS_KERNELS_REDUCE_CHECKS_H

#include "tests/kernels/reduce_points.h"

namespace reduce_checks
{

using reduce_points::point;

// Each returns the first error, or "".

// Results at odd sizes, grids and starts, for two consecutive launches, each in an order of its
// own; for min and max of reals also with NaN, zeros and infinities.
std::string results(const point &point, uint64_t seed);

// The least or greatest element at every place of an input of two tiles, or at some of a long one.
std::string extremes(const point &point, uint64_t seed);

// Checks for equal bits in every order of blocks and threads, within the error of pairwise
// addition.
std::string reproducible(const point &point, uint64_t seed);

// Launches of many instances of one element type in a row, with one workspace.
std::string mixed_launches(const std::vector<point> &points, uint64_t seed);

// Some tiles more than 2^31 elements, of which few are not zero. For sums of u8; takes seconds.
std::string beyond_32_bits(const point &point);

} // namespace reduce_checks

#endif
