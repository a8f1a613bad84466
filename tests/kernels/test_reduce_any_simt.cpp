// Every point must pass; with --faults every one must be found wrong: each is compiled from a copy
// of the kernels with one fault planted.
#include "tests/kernels/reduce_any_points.h"

#include <cstdio>
#include <cstring>

std::vector<reduce_any_points::point> &reduce_any_points::all()
{
    static std::vector<point> points;
    return points;
}

int main(int count, char **arguments)
{
    const bool faults = count > 1 && std::strcmp(arguments[1], "--faults") == 0;
    size_t failed = 0;
    for (const auto &point : reduce_any_points::all()) {
        std::string wrong;
        for (uint64_t seed = 1; seed < 4 && wrong.empty(); seed++)
            wrong = point.check(seed);
        if (wrong.empty() == faults) {
            std::printf("FAILED %s: %s\n", point.name,
                        faults ? "the planted fault was not found" : wrong.c_str());
            failed++;
        } else if (faults) {
            std::printf("found  %s: %s\n", point.name, wrong.c_str());
        }
    }
    std::printf("%zu points, %zu failed\n", reduce_any_points::all().size(), failed);
    return failed > 0 || reduce_any_points::all().empty();
}
