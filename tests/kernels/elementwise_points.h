// The points of the elementwise family that were compiled into this program.
#ifndef TESTS_KERNELS_ELEMENTWISE_POINTS_H
#define TESTS_KERNELS_ELEMENTWISE_POINTS_H

#include "tests/kernels/simt.h"

#include <vector>

namespace elementwise_points
{

// The types of the arguments taken away, so that all points fit into one table.
typedef void (*kernel)(const void *a, const void *b, void *out, const void *value, long long n);

struct point {
    const char *name;
    const char *source; // kernels/elementwise/elementwise.cu, or a copy with a fault planted
    bool is_real;
    size_t element_bytes;
    unsigned int inputs, block, vector, loads;
    kernel run;
};

std::vector<point> &all();

inline bool add(const point &point)
{
    all().push_back(point);
    return true;
}

template <typename T, void (*function)(const T *, const T *, T *, T, long long)>
void erased(const void *a, const void *b, void *out, const void *value, long long n)
{
    function(static_cast<const T *>(a), static_cast<const T *>(b), static_cast<T *>(out),
             *static_cast<const T *>(value), n);
}

} // namespace elementwise_points

#endif
