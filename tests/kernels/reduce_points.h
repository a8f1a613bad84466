// The points of the reduce family that were compiled into this program.
#ifndef TESTS_KERNELS_REDUCE_POINTS_H
#define TESTS_KERNELS_REDUCE_POINTS_H

#include "tests/kernels/simt.h"

#include <vector>

namespace reduce_points
{

enum class element { i32, i64, f32, f64 };

// The types of the arguments taken away, so that all points fit into one table.
typedef void (*kernel)(const void *in, void *out, void *partials, unsigned int *ticket,
                       long long n);

struct point {
    const char *name;
    const char *source; // kernels/reduce/reduce.cu, or a copy with a fault planted
    reduce_points::element element;
    unsigned int block, vector, loads;
    int shuffle;
    simt::shared_range shared;
    kernel one_block, two_launches, last_block;
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
template <> constexpr element element_of<float>()
{
    return element::f32;
}
template <> constexpr element element_of<double>()
{
    return element::f64;
}

template <typename T, void (*function)(const T *, T *, T *, unsigned int *, long long)>
void erased(const void *in, void *out, void *partials, unsigned int *ticket, long long n)
{
    function(static_cast<const T *>(in), static_cast<T *>(out), static_cast<T *>(partials), ticket,
             n);
}

} // namespace reduce_points

#endif
