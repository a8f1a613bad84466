// Checks of test_reduce_any_simt, by name: "" or the error.
#ifndef TESTS_KERNELS_REDUCE_ANY_POINTS_H
#define TESTS_KERNELS_REDUCE_ANY_POINTS_H

#include <cstdint>
#include <string>
#include <vector>

namespace reduce_any_points
{

struct point {
    const char *name;
    std::string (*check)(uint64_t seed);
};
std::vector<point> &all();
inline bool add(const point &point)
{
    all().push_back(point);
    return true;
}

inline uint64_t hash(uint64_t seed, uint64_t index)
{
    uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

} // namespace reduce_any_points

#endif
