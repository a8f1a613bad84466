// Launches of an instance of kernels/reduce on memory that only its arguments may access.
#ifndef TESTS_KERNELS_REDUCE_RUN_H
#define TESTS_KERNELS_REDUCE_RUN_H

#include "tests/kernels/reduce_points.h"

namespace reduce_run
{

using reduce_points::point;

// State between launches: slots for `parts` partials, with any content, and the words of state,
// zero at first.
struct workspace {
    simt::guarded slots, state;
    size_t parts;

    explicit workspace(size_t parts);
    // Returns "" or the forbidden remains of a launch.
    std::string left() const;
};

struct problem {
    const reduce_points::point &point;
    simt::guarded in, out;
    size_t n;
    unsigned int parts; // partials: of blocks, or of clusters
    unsigned int grid;  // includes the block or cluster that waits for flagged ones

    // `workers`: least number of blocks that take input, unless one does everything. The input
    // ends at a forbidden page, or begins behind one and `skipped` elements.
    problem(const reduce_points::point &of, size_t count, unsigned int workers, bool at_end,
            size_t skipped);
    // Runs the launch; returns "" or the error. `from`: the input, if it is not `in`.
    std::string run(const workspace &in, uint64_t seed, const void *from = nullptr) const;
};

} // namespace reduce_run

#endif
