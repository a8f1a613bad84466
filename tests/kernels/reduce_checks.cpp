#include "tests/kernels/reduce_checks.h"

#include "tests/kernels/reduce_data.h"
#include "tests/kernels/reduce_run.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <sys/mman.h>

using reduce_data::expected;
using reduce_data::fill;
using reduce_data::fill_with_extreme;
using reduce_data::hash;
using reduce_points::bytes_of;
using reduce_points::element;
using reduce_points::is_real;
using reduce_points::op;
using reduce_points::point;
using reduce_points::result_of;
using reduce_points::variant;
using reduce_run::problem;
using reduce_run::workspace;

namespace
{

bool is_extreme(const point &point)
{
    return point.op == op::minimum || point.op == op::maximum;
}

std::string at(const problem &problem, const std::string &wrong)
{
    if (wrong.empty())
        return "";
    const uintptr_t start = reinterpret_cast<uintptr_t>(problem.in.as<void>()) % 16;
    return describe(problem.point) + ", n " + std::to_string(problem.n) + ", grid " +
           std::to_string(problem.grid) + ", start " + std::to_string(start) + ": " + wrong;
}

// One launch, whose result is known to the bit.
std::string check_once(const problem &problem, const workspace &with, const expected &expected,
                       uint64_t seed)
{
    const element type = result_of(problem.point);
    std::string wrong = problem.run(with, seed);
    if (wrong.empty())
        wrong = with.left();
    if (!wrong.empty())
        return at(problem, wrong);
    const uint64_t got = reduce_data::bits_of(problem.point, problem.out.as<void>());
    if (got == expected.bits)
        return "";
    return at(problem, "got " + reduce_data::shown(type, got) + ", should be " +
                           reduce_data::shown(type, expected.bits));
}

// Twice: what the first launch leaves behind must not disturb the second, on other input.
std::string check_twice(const problem &problem, fill kind, uint64_t seed)
{
    const workspace with(problem.parts);
    expected expected = fill_input(problem.point, problem.in.as<void>(), problem.n, kind, seed);
    const std::string wrong = check_once(problem, with, expected, seed);
    if (!wrong.empty())
        return wrong;
    if (kind == fill::exact)
        expected = fill_input(problem.point, problem.in.as<void>(), problem.n, kind, seed + 1000);
    const std::string again = check_once(problem, with, expected, seed + 1000);
    return again.empty() ? "" : again + ", at the second launch";
}

std::set<size_t> awkward_sizes(const point &point)
{
    const size_t block = point.block, count = point.count, row = block * count;
    const size_t tile = point.tile();
    std::set<size_t> sizes = {
        0,           1,    2,         count + 1,        31,           32,
        33,          97,   block - 1, block + 1,        row,          row + 1,
        tile - 1,    tile, tile + 1,  tile + count + 1, 2 * tile - 1, 3 * tile + row / 2 + 1,
        5 * tile + 2};
    if (tile < 1009)
        sizes.insert(1009);
    if (tile < 500)
        sizes.insert(11 * tile + 7);
    return sizes;
}

} // namespace

std::string reduce_checks::results(const point &point, uint64_t seed)
{
    constexpr unsigned int grids[] = {2, 3, 1, 7, 4};
    const size_t starts = 16 / bytes_of(point.element);
    const int ways = point.block <= 128 ? 3 : 2;
    size_t turn = seed;
    for (size_t n : awkward_sizes(point))
        for (int way = 0; way < ways; way++, turn++) {
            const bool at_end = way == 2 || turn % 7 == 0;
            const problem problem(point, n, grids[turn % 5], at_end,
                                  at_end ? 0 : (turn * 3 + size_t(way)) % starts);
            std::string wrong = check_twice(problem, fill::exact, hash(seed, turn));
            if (way == 1 && is_real(point.element) && is_extreme(point))
                for (uint64_t kind = 0; kind < 5 && wrong.empty(); kind++)
                    wrong = check_twice(problem, fill::special, kind);
            if (!wrong.empty())
                return wrong;
        }
    // More partials than the finish takes in one round.
    if (point.block <= 64 && point.tile() <= 512 && point.variant != variant::one_block) {
        const problem problem(point, 300 * point.tile() + 1, 299, true, 0);
        for (uint64_t again = 0; again < 2; again++) {
            const std::string wrong = check_twice(problem, fill::exact, hash(seed, again));
            if (!wrong.empty())
                return wrong;
        }
    }
    return "";
}

std::string reduce_checks::extremes(const point &point, uint64_t seed)
{
    if (!is_extreme(point))
        return "";
    const size_t n = std::min<size_t>(2 * point.tile() + 2 * point.count + 1, 5000);
    const size_t stride = n <= 200 ? 1 : n / 30;
    const problem problem(point, n, 3, false, 16 / bytes_of(point.element) / 2);
    const workspace with(problem.parts);
    for (size_t where = hash(seed, n) % stride; where < n; where += stride) {
        const expected expected =
            fill_with_extreme(point, problem.in.as<void>(), n, where, hash(seed, where));
        const std::string wrong = check_once(problem, with, expected, hash(seed, where));
        if (!wrong.empty())
            return wrong + ", which is element " + std::to_string(where);
    }
    return "";
}

std::string reduce_checks::reproducible(const point &point, uint64_t seed)
{
    if (!is_real(point.element) || is_extreme(point))
        return "";
    // A product of more would leave the range of binary32.
    const size_t n_max = point.op == op::product ? 4000 : 20000;
    const size_t n = std::min<size_t>(16 * point.tile() + point.block + 1, n_max);
    const problem problem(point, n, 13, true, 0);
    const workspace with(problem.parts);
    const expected expected = fill_input(point, problem.in.as<void>(), n, fill::rounding, seed);
    const double unit = point.element == element::f64 ? 0x1p-53 : 0x1p-24;
    const double threads = double(problem.grid) * point.block;
    const double rounds =
        point.op == op::sum ? std::ceil(double(n) / threads) + std::log2(threads) : double(n);
    uint64_t first = 0;
    for (uint64_t again = 0; again < 5; again++) {
        const std::string wrong = problem.run(with, seed + again);
        if (!wrong.empty())
            return at(problem, wrong);
        const double got = reduce_data::real_of(result_of(point), problem.out.as<void>());
        if (!(std::fabs(got - expected.real) <= 2 * unit * rounds * expected.magnitude))
            return at(problem, "got " + std::to_string(got) + ", too far from " +
                                   std::to_string(expected.real));
        const uint64_t bits = reduce_data::bits_of(point, problem.out.as<void>());
        if (again > 0 && bits != first)
            return at(problem, "another result in another order");
        first = bits;
    }
    return "";
}

std::string reduce_checks::mixed_launches(const std::vector<point> &points, uint64_t seed)
{
    constexpr unsigned int grid_max = 32;
    const workspace with(grid_max);
    for (uint64_t turn = 0; turn < 2 * points.size(); turn++) {
        const point &point = points[hash(seed, 2 * turn) % points.size()];
        const size_t n = hash(seed, 3 * turn) % 3000;
        const problem problem(point, n, 1 + unsigned(hash(seed, turn) % (grid_max / 2)), true, 0);
        const expected expected =
            fill_input(point, problem.in.as<void>(), n, fill::exact, hash(seed, turn));
        const std::string wrong = check_once(problem, with, expected, hash(seed, turn));
        if (!wrong.empty())
            return wrong + ", after other launches";
    }
    return "";
}

std::string reduce_checks::beyond_32_bits(const point &point)
{
    const size_t n = (size_t(1) << 31) + 3 * point.tile() + 5;
    void *map = mmap(nullptr, n, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED)
        return ""; // no address space for it here
    madvise(map, n, MADV_HUGEPAGE);
    unsigned char *in = static_cast<unsigned char *>(map);
    uint64_t sum = 0;
    for (size_t i :
         {size_t(0), n / 2, (size_t(1) << 31) - 1, size_t(1) << 31, n - point.tile(), n - 1}) {
        in[i] = static_cast<unsigned char>(i % 200 + 1);
        sum += in[i];
    }
    problem problem(point, 0, 61, true, 0);
    problem.n = n;
    const workspace with(problem.parts);
    std::string wrong = problem.run(with, 1, map);
    munmap(map, n);
    const uint64_t got = reduce_data::bits_of(point, problem.out.as<void>());
    if (wrong.empty() && got != sum)
        wrong = "got " + std::to_string(got) + ", should be " + std::to_string(sum);
    return at(problem, wrong);
}
