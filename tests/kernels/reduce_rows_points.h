// The points of the reduce_rows family that were compiled into this program.
#ifndef TESTS_KERNELS_REDUCE_ROWS_POINTS_H
#define TESTS_KERNELS_REDUCE_ROWS_POINTS_H

#include "tests/kernels/simt.h"

#include <vector>

namespace reduce_rows_points
{

enum class element { i32, i64, u64, f32, f64 };

// The types of the arguments taken away, so that all points fit into one table.
typedef void (*kernel)(const void *in, void *out, long long rows);

struct point {
    const char *name;
    const char *source; // kernels/reduce_rows/reduce_rows.cuh, or a copy with a fault planted
    reduce_rows_points::element element;
    bool affine;
    unsigned int length, group, block, vector, rows;
    const char *map, *step;
    kernel run;
};

std::vector<point> &all();

inline bool add(const point &point)
{
    all().push_back(point);
    return true;
}

template <typename T> constexpr element element_of();
template <> constexpr element element_of<int>()
{
    return element::i32;
}
template <> constexpr element element_of<long long>()
{
    return element::i64;
}
template <> constexpr element element_of<unsigned long long>()
{
    return element::u64;
}
template <> constexpr element element_of<float>()
{
    return element::f32;
}
template <> constexpr element element_of<double>()
{
    return element::f64;
}

template <typename T, typename RESULT, void (*function)(const T *, RESULT *, long long)>
void erased(const void *in, void *out, long long rows)
{
    function(static_cast<const T *>(in), static_cast<RESULT *>(out), rows);
}

} // namespace reduce_rows_points

#endif
