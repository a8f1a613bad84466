// The points of kernels/occupancy that were compiled into this program.
#ifndef TESTS_KERNELS_OCCUPANCY_POINTS_H
#define TESTS_KERNELS_OCCUPANCY_POINTS_H

#include "tests/kernels/simt.h"

#include <vector>

namespace occupancy_points
{

struct point {
    const char *name;
    const char *source; // kernels/occupancy/occupancy.cu, or a copy with a fault planted
    unsigned int block, loads;
    void (*run)(const unsigned int *in, unsigned int *out, unsigned long long *state, long long n);
};

std::vector<point> &all();

inline bool add(const point &point)
{
    all().push_back(point);
    return true;
}

} // namespace occupancy_points

#endif
