// kernels/occupancy/occupancy.cu on the emulation. Without arguments every point must pass; with
// --faults every point must be found wrong: each is compiled from a copy with one fault planted.
#include "tests/kernels/occupancy_points.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <set>
#include <sys/mman.h>

using occupancy_points::point;

std::vector<point> &occupancy_points::all()
{
    static std::vector<point> points;
    return points;
}

static uint64_t hash(uint64_t seed, uint64_t index)
{
    uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static std::string about(const point &point, size_t n, unsigned int grid, const std::string &wrong)
{
    if (wrong.empty())
        return "";
    return std::string(point.name) + " (block " + std::to_string(point.block) + ", loads " +
           std::to_string(point.loads) + "), n " + std::to_string(n) + ", grid " +
           std::to_string(grid) + ": " + wrong;
}

// The first thing that is wrong with two launches in a row, or nothing. The state must be ready for
// the second.
static std::string check(const point &point, const unsigned int *in, size_t n, unsigned int grid,
                         unsigned int expected, uint64_t seed)
{
    const simt::guarded out(sizeof(unsigned int), true);
    const simt::guarded state(sizeof(unsigned long long), true);
    const size_t shared = point.block / 32 * sizeof(unsigned int); // the least that is enough
    *state.as<unsigned long long>() = 0;
    for (uint64_t again = 0; again < 2; again++) {
        const unsigned int resident = 1 + static_cast<unsigned int>(hash(seed, again) % 6);
        *out.as<unsigned int>() = 0xa5a5a5a5u;
        std::string wrong = simt::run({grid, point.block, {}, seed + again, resident, shared}, [&] {
            point.run(in, out.as<unsigned int>(), state.as<unsigned long long>(),
                      static_cast<long long>(n));
        });
        if (wrong.empty() && *out.as<unsigned int>() != expected)
            wrong = "the sum is " + std::to_string(*out.as<unsigned int>()) + ", should be " +
                    std::to_string(expected);
        if (wrong.empty() && *state.as<unsigned long long>() != 0)
            wrong = "the state is left at " + std::to_string(*state.as<unsigned long long>());
        if (!wrong.empty())
            return about(point, n, grid, wrong + (again ? ", at the second launch" : ""));
    }
    return "";
}

static std::string check_sizes(const point &point)
{
    constexpr unsigned int grids[] = {2, 3, 1, 7, 4};
    const size_t block = point.block, row = 4 * block, tile = row * point.loads;
    const std::set<size_t> sizes = {0,
                                    1,
                                    2,
                                    3,
                                    5,
                                    31,
                                    32,
                                    33,
                                    97,
                                    block - 1,
                                    block,
                                    row - 1,
                                    row,
                                    row + 1,
                                    tile - 1,
                                    tile,
                                    tile + 1,
                                    tile + 5,
                                    2 * tile - 1,
                                    3 * tile + row / 2 + 1,
                                    5 * tile + 2,
                                    7919};
    size_t turn = 0;
    for (size_t n : sizes)
        for (size_t start = 0; start <= 4; start++, turn++) {
            const bool at_end = start == 4;
            const size_t bytes = n * sizeof(unsigned int);
            const simt::guarded in(bytes, at_end, at_end ? 0 : start * sizeof(unsigned int));
            unsigned int expected = 0;
            for (size_t i = 0; i < n; i++)
                expected += in.as<unsigned int>()[i] = static_cast<unsigned int>(hash(turn, i));
            const std::string wrong =
                check(point, in.as<unsigned int>(), n, grids[turn % 5], expected, hash(1, turn));
            if (!wrong.empty())
                return wrong;
        }
    return "";
}

// 2^31 + 5 words, of which few are not zero.
static std::string check_beyond_32_bits(const point &point)
{
    const size_t n = (size_t(1) << 31) + 5, bytes = n * sizeof(unsigned int);
    void *map = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED)
        return ""; // no address space for it here
    madvise(map, bytes, MADV_HUGEPAGE);
    unsigned int *in = static_cast<unsigned int *>(map), expected = 0;
    for (size_t i : {size_t(0), n / 2, (size_t(1) << 31) - 1, size_t(1) << 31, n - 1})
        expected += in[i] = static_cast<unsigned int>(i % 1000 + 1);
    const simt::guarded out(sizeof(unsigned int), true);
    unsigned long long state = 0;
    std::string wrong = simt::run({61, point.block, {}, 1, 3, 128}, [&] {
        point.run(in, out.as<unsigned int>(), &state, static_cast<long long>(n));
    });
    if (wrong.empty() && *out.as<unsigned int>() != expected)
        wrong = "the sum is wrong";
    munmap(map, bytes);
    return about(point, n, 61, wrong);
}

// The point with the most elements for each thread and block: the fastest over many.
static const point &largest()
{
    const auto &all = occupancy_points::all();
    return *std::max_element(all.begin(), all.end(), [](const point &a, const point &b) {
        return a.block * a.loads < b.block * b.loads;
    });
}

int main(int count, char **arguments)
{
    const bool faults = count > 1 && std::strcmp(arguments[1], "--faults") == 0;
    int failed = 0;
    for (const auto &point : occupancy_points::all()) {
        std::string wrong = check_sizes(point);
        if (wrong.empty() && &point == &largest())
            wrong = check_beyond_32_bits(point);
        if (wrong.empty() != faults)
            continue;
        const char *file = std::strrchr(point.source, '/') + 1;
        std::printf("FAILED %s: %s\n", file,
                    faults ? "the planted fault was not found" : wrong.c_str());
        failed++;
    }
    std::printf("%zu points, %d failed\n", occupancy_points::all().size(), failed);
    return failed > 0 || occupancy_points::all().empty();
}
