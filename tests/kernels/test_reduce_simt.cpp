// kernels/reduce on the emulation. Without arguments every instance must pass; with --results its
// results alone; with --faults every one must be found wrong: each is compiled from a copy with one
// fault planted.
#include "tests/kernels/reduce_checks.h"

#include <cstdio>
#include <cstring>

using reduce_points::element;
using reduce_points::op;
using reduce_points::point;

static int expect_right(const std::string &wrong)
{
    if (wrong.empty())
        return 0;
    std::printf("FAILED %s\n", wrong.c_str());
    return 1;
}

// Fit for the check that takes seconds: nothing in the input counts but a few elements.
static bool is_fast(const point &point)
{
    return point.element == element::u8 && point.op == op::sum && point.tile() == 32768;
}

static std::string check(const point &point)
{
    std::string wrong = reduce_checks::results(point, 1);
    if (wrong.empty())
        wrong = reduce_checks::extremes(point, 2);
    if (wrong.empty())
        wrong = reduce_checks::reproducible(point, 3);
    if (wrong.empty())
        wrong = reduce_checks::reproducible(point, 4);
    if (wrong.empty() && is_fast(point) && std::strcmp(point.name, "drawn") != 0)
        wrong = reduce_checks::beyond_32_bits(point);
    return wrong;
}

static int all_right()
{
    int failed = 0;
    for (const point &point : reduce_points::all())
        failed += expect_right(check(point));
    for (int type = 0; type <= int(element::f64); type++) {
        std::vector<point> points;
        for (const point &point : reduce_points::all())
            if (int(point.element) == type)
                points.push_back(point);
        for (uint64_t seed = 0; seed < 3; seed++)
            failed += expect_right(reduce_checks::mixed_launches(points, seed));
    }
    return failed;
}

static int all_results_right()
{
    int failed = 0;
    for (const point &point : reduce_points::all())
        failed += expect_right(reduce_checks::results(point, 1));
    return failed;
}

static int all_faults_found()
{
    int failed = 0;
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    for (const point &point : reduce_points::all()) {
        std::string wrong = check(point);
        for (uint64_t seed = 0; seed < 3 && wrong.empty(); seed++)
            wrong = reduce_checks::mixed_launches({point, point, point}, seed);
        std::printf("%-8s %s: %s\n", wrong.empty() ? "FAILED" : "found", point.name,
                    wrong.empty() ? "the planted fault was not found" : wrong.c_str());
        failed += wrong.empty();
    }
    return failed;
}

int main(int count, char **arguments)
{
    const char *mode = count > 1 ? arguments[1] : "";
    const int failed = std::strcmp(mode, "--faults") == 0    ? all_faults_found()
                       : std::strcmp(mode, "--results") == 0 ? all_results_right()
                                                             : all_right();
    std::printf("%zu points, %d failed\n", reduce_points::all().size(), failed);
    return failed > 0 || reduce_points::all().empty();
}
