// The points of the reduce_ordered family that were compiled into this program.
#ifndef TESTS_KERNELS_REDUCE_ORDERED_POINTS_H
#define TESTS_KERNELS_REDUCE_ORDERED_POINTS_H

#include "tests/kernels/simt.h"

#include <vector>

namespace ordered_points
{

enum class op { affine_u32, matrix_u32, matrix_f32 };

// The types of the arguments taken away, so that all points fit into one table. The slots' type is
// of the kernels' namespace, which a copy with a fault has to itself.
typedef void (*kernel)(const void *in, void *out, void *slots, unsigned long long *state,
                       long long n);

struct point {
    const char *name;
    const char *fault; // planted fault; "" in the original kernels
    ordered_points::op op;
    unsigned int block;
    size_t count, tile; // elements per load, elements of the block's tiles
    bool one_block;
    bool flagged;
    bool waits; // one block more than work
    bool dependent;
    kernel run;
    kernel partials; // the second launch, or NULL
};

std::vector<point> &all();

inline bool add(const point &point)
{
    all().push_back(point);
    return true;
}

} // namespace ordered_points

#endif
