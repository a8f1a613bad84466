// Launches of an instance of kernels/reduce on memory that nothing but its arguments may touch.
#ifndef TESTS_KERNELS_REDUCE_RUN_H
#define TESTS_KERNELS_REDUCE_RUN_H

#include "tests/kernels/reduce_points.h"

namespace reduce_run
{

using reduce_points::point;

// What launches leave for the next: slots for `parts` partials, which may hold anything, and the
// words of state, zero at first.
struct workspace {
    simt::guarded slots, state;
    size_t parts;

    explicit workspace(size_t parts);
    // Empty, or what a launch must not have left.
    std::string left() const;
};

struct problem {
    const reduce_points::point &point;
    simt::guarded in, out;
    size_t n;
    unsigned int parts; // partials: of blocks, or of clusters
    unsigned int grid;  // with the block or cluster that waits for flagged ones

    // `workers`: blocks at least that take input, but where one does it all. The input ends at a
    // page that must not be touched, or begins behind one and `skipped` elements.
    problem(const reduce_points::point &of, size_t count, unsigned int workers, bool at_end,
            size_t skipped);
    // Empty, or what went wrong. `from`: the input, where it is not `in`.
    std::string run(const workspace &in, uint64_t seed, const void *from = nullptr) const;
};

} // namespace reduce_run

#endif
