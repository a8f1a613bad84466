// The points of examples/t1/gemm.cu that were compiled into this program.
#ifndef TESTS_KERNELS_GEMM_POINTS_H
#define TESTS_KERNELS_GEMM_POINTS_H

#include "tests/kernels/simt.h"

#include <vector>

namespace gemm_points
{

// The types of the arguments taken away, so that all points fit into one table.
typedef void (*kernel)(int m, int n, int k, const void *a, const void *b, void *c);

struct point {
    const char *name;
    const char *source; // examples/t1/gemm.cu, or a copy with a fault planted
    size_t element_bytes;
    int mwg, nwg, kwg, threads;
    simt::shared_range shared;
    kernel run;
};

std::vector<point> &all();

inline bool add(const point &point)
{
    all().push_back(point);
    return true;
}

template <typename T, void (*function)(int, int, int, const T *, const T *, T *)>
void erased(int m, int n, int k, const void *a, const void *b, void *c)
{
    function(m, n, k, static_cast<const T *>(a), static_cast<const T *>(b), static_cast<T *>(c));
}

// Grids and blocks of the emulation have one dimension: their rows follow each other.
extern unsigned int blocks_in_a_row;

inline simt::index3 folded(simt::index3 index, unsigned int row)
{
    return {index.x % row, index.x / row, 0};
}

} // namespace gemm_points

#undef threadIdx
#undef blockIdx
#define threadIdx gemm_points::folded(simt::thread_index, MDIMC)
#define blockIdx  gemm_points::folded(simt::block_index, gemm_points::blocks_in_a_row)

#endif
