// kernels/reduce/reduce.cu on the emulation. Without arguments every point must pass; with --faults
// every point must be found wrong: each is compiled from a copy with one fault planted.
#include "tests/kernels/reduce_checks.h"

#include <cstdio>
#include <cstring>

std::vector<reduce_points::point> &reduce_points::all()
{
    static std::vector<point> points;
    return points;
}

static int expect_right(const std::string &wrong)
{
    if (wrong.empty())
        return 0;
    std::printf("FAILED %s\n", wrong.c_str());
    return 1;
}

// Fit for the check that takes seconds.
static bool is_fast(const reduce_points::point &point)
{
    return point.element == reduce_points::element::i32 && point.vector == 4 && point.loads == 8 &&
           point.shuffle == 1;
}

static int all_right()
{
    int failed = 0;
    for (const auto &point : reduce_points::all()) {
        failed += expect_right(reduce_checks::sums(point, 1));
        failed += expect_right(reduce_checks::reproducible(point, 2));
    }
    for (const auto &point : reduce_points::all())
        if (point.element == reduce_points::element::i32 && point.vector == 4 && point.loads == 8 &&
            point.shuffle == 1) {
            failed += expect_right(reduce_checks::beyond_32_bits(point));
            break;
        }
    return failed;
}

static int all_faults_found()
{
    int failed = 0;
    for (const auto &point : reduce_points::all()) {
        std::string wrong = reduce_checks::sums(point, 1);
        if (wrong.empty())
            wrong = reduce_checks::reproducible(point, 2);
        if (wrong.empty() && is_fast(point))
            wrong = reduce_checks::beyond_32_bits(point);
        const char *file = std::strrchr(point.source, '/') + 1;
        std::printf("%-8s %s: %s\n", wrong.empty() ? "FAILED" : "found", file,
                    wrong.empty() ? "the planted fault was not found" : wrong.c_str());
        failed += wrong.empty();
    }
    return failed;
}

int main(int count, char **arguments)
{
    const bool faults = count > 1 && std::strcmp(arguments[1], "--faults") == 0;
    const int failed = faults ? all_faults_found() : all_right();
    std::printf("%zu points, %d failed\n", reduce_points::all().size(), failed);
    return failed > 0 || reduce_points::all().empty();
}
