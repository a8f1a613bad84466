// What is asked of every point of the reduce family under the emulation.
#ifndef TESTS_KERNELS_REDUCE_CHECKS_H
#define TESTS_KERNELS_REDUCE_CHECKS_H

#include "tests/kernels/reduce_points.h"

#include <string>

namespace reduce_checks
{

// Each returns the first thing that is wrong, or nothing.

// Every variant over awkward sizes, grids and starts; every launch in an order of its own.
std::string sums(const reduce_points::point &point, uint64_t seed);

// The same bits in every order of blocks and threads, within the error that pairwise addition has.
std::string reproducible(const reduce_points::point &point, uint64_t seed);

// 2^31 + 5 elements, of which few are not zero.
std::string beyond_32_bits(const reduce_points::point &point);

} // namespace reduce_checks

#endif
