// kernels/reduce_rows/reduce_rows.cuh on the emulation. Without arguments every point must pass;
// with
// --faults every point must be found wrong: each is compiled from a copy with one fault planted.
#include "tests/kernels/reduce_rows_points.h"

#include <cstdio>
#include <cstring>
#include <set>
#include <string>
#include <sys/mman.h>

using reduce_rows_points::element;
using reduce_rows_points::point;

std::vector<point> &reduce_rows_points::all()
{
    static std::vector<point> points;
    return points;
}

namespace
{

uint64_t hash(uint64_t seed, uint64_t index)
{
    uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

size_t bytes_of(element type)
{
    return type == element::i32 || type == element::f32 ? 4 : 8;
}

bool is_real(element type)
{
    return type == element::f32 || type == element::f64;
}

// Rows on memory that nothing but the kernel's arguments may touch.
struct problem {
    const reduce_rows_points::point &point;
    simt::guarded in, out;
    size_t rows;
    unsigned int grid;

    problem(const reduce_rows_points::point &of, size_t count, unsigned int blocks, bool at_end,
            size_t skipped)
        : point(of),
          in(count * of.length * bytes_of(of.element), at_end, skipped * bytes_of(of.element)),
          out(count * bytes_of(of.element), at_end, skipped * bytes_of(of.element)), rows(count),
          grid(blocks)
    {
    }

    std::string run(uint64_t seed) const
    {
        std::memset(out.as<void>(), 0xa5, rows * bytes_of(point.element));
        const unsigned int resident = 1 + static_cast<unsigned int>(hash(seed, 0) % 4);
        return simt::run({grid, point.block, {nullptr, nullptr}, seed, resident}, [&] {
            point.run(in.as<void>(), out.as<void>(), static_cast<long long>(rows));
        });
    }
};

// Exact: small integers, whose sums are the same in any order.
template <typename T> void fill_reals(T *to, size_t count, uint64_t seed, bool exact)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t bits = hash(seed, i);
        to[i] = exact ? static_cast<T>(static_cast<int>(bits % 17) - 8)
                      : static_cast<T>(static_cast<double>(bits >> 11) * 0x1p-52 - 1.0);
    }
}

void fill(const problem &problem, uint64_t seed, bool exact)
{
    const size_t count = problem.rows * problem.point.length;
    if (problem.point.element == element::f32)
        fill_reals(problem.in.as<float>(), count, seed, exact);
    else if (problem.point.element == element::f64)
        fill_reals(problem.in.as<double>(), count, seed, exact);
    else
        for (size_t i = 0; i < count; i++) {
            const uint64_t bits = hash(seed, i);
            const size_t bytes = bytes_of(problem.point.element);
            std::memcpy(problem.in.as<char>() + i * bytes, &bits, bytes);
        }
}

// A row's result as bits, element after element in the order of the row.
template <typename T> T sum(const T *row, size_t length)
{
    T total = 0;
    for (size_t i = 0; i < length; i++)
        total += row[i];
    return total;
}

uint64_t composition(const uint64_t *row, size_t length)
{
    // The row's map applied to 0 and to 1, last element first; each is x -> a x + b, a odd.
    uint32_t at_0 = 0, at_1 = 1;
    for (size_t i = length; i-- > 0;) {
        const uint32_t a = static_cast<uint32_t>(row[i] >> 32) | 1,
                       b = static_cast<uint32_t>(row[i]);
        at_0 = a * at_0 + b;
        at_1 = a * at_1 + b;
    }
    return uint64_t(at_1 - at_0) << 32 | at_0;
}

uint64_t expected(const problem &problem, size_t row)
{
    const size_t length = problem.point.length;
    uint64_t bits = 0;
    if (problem.point.affine)
        return composition(problem.in.as<uint64_t>() + row * length, length);
    if (problem.point.element == element::f32) {
        const float total = sum(problem.in.as<float>() + row * length, length);
        std::memcpy(&bits, &total, sizeof total);
    } else if (problem.point.element == element::f64) {
        const double total = sum(problem.in.as<double>() + row * length, length);
        std::memcpy(&bits, &total, sizeof total);
    } else if (problem.point.element == element::i32) {
        bits = sum(problem.in.as<uint32_t>() + row * length, length);
    } else {
        bits = sum(problem.in.as<uint64_t>() + row * length, length);
    }
    return bits;
}

uint64_t result(const problem &problem, size_t row)
{
    uint64_t bits = 0;
    const size_t bytes = bytes_of(problem.point.element);
    std::memcpy(&bits, problem.out.as<char>() + row * bytes, bytes);
    return bits;
}

std::string at(const problem &problem, const std::string &wrong)
{
    const point &point = problem.point;
    constexpr const char *types[] = {"i32", "i64", "u64", "f32", "f64"};
    return std::string(point.name) + " (" + types[static_cast<int>(point.element)] +
           (point.affine ? " affine" : " sum") + ", length " + std::to_string(point.length) + ", " +
           std::to_string(point.group) + " lanes a row, block " + std::to_string(point.block) +
           ", vector " + std::to_string(point.vector) + ", " + std::to_string(point.rows) +
           " rows at once, " + point.map + ", " + point.step + "), " +
           std::to_string(problem.rows) + " rows, grid " + std::to_string(problem.grid) + ": " +
           wrong;
}

std::string check(const problem &problem, uint64_t seed)
{
    fill(problem, seed, true);
    const std::string wrong = problem.run(seed);
    if (!wrong.empty())
        return at(problem, wrong);
    for (size_t row = 0; row < problem.rows; row++) {
        const uint64_t got = result(problem, row), wanted = expected(problem, row);
        // -0 and 0 are both the sum of nothing but zeros.
        const bool zeros = is_real(problem.point.element) && got << 1 == 0 && wanted << 1 == 0;
        if (got != wanted && !zeros)
            return at(problem, "row " + std::to_string(row) + " is " + std::to_string(got) +
                                   ", should be " + std::to_string(wanted));
    }
    return "";
}

// Awkward numbers of rows, grids and starts.
std::string right(const point &point, uint64_t seed)
{
    const size_t tile = point.block / point.group * point.rows;
    constexpr unsigned int grids[] = {2, 3, 1, 7, 4};
    size_t turn = 0;
    for (size_t rows : std::set<size_t>{0, 1, 2, 3, tile - 1, tile, tile + 1, 2 * tile - 1, 37,
                                        3 * tile + tile / 2 + 1, 5 * tile + 2})
        for (size_t start = 0; start <= point.vector; start++) {
            const bool at_end = start == point.vector;
            const problem problem(point, rows, grids[turn % 5], at_end, at_end ? 0 : start);
            const std::string wrong = check(problem, hash(seed, turn++));
            if (!wrong.empty())
                return wrong;
        }
    return "";
}

// The same bits in every order of blocks and threads, on every grid, from every start.
std::string reproducible(const point &point, uint64_t seed)
{
    if (!is_real(point.element))
        return "";
    std::vector<uint64_t> first;
    for (size_t start = 0; start < point.vector + 2; start++) {
        const problem problem(point, 37, static_cast<unsigned int>(start) + 1, false,
                              start % point.vector);
        fill(problem, seed, false);
        const std::string wrong = problem.run(hash(seed, start));
        if (!wrong.empty())
            return at(problem, wrong);
        std::vector<uint64_t> got;
        for (size_t row = 0; row < problem.rows; row++)
            got.push_back(result(problem, row));
        if (start > 0 && got != first)
            return at(problem, "other sums in another order");
        first = got;
    }
    return "";
}

// Fit for the check that takes seconds: long rows, whole packs.
bool is_fast(const point &point)
{
    return point.element == element::i32 && point.length == 65536;
}

std::string beyond_32_bits(const point &point)
{
    const size_t rows = (size_t(1) << 31) / point.length + 3;
    const size_t elements = rows * point.length;
    void *map = mmap(nullptr, elements * 4, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED)
        return ""; // no address space for it here
    madvise(map, elements * 4, MADV_HUGEPAGE);
    const simt::guarded out(rows * 4, true);
    const problem named(point, 0, 3, true, 0);
    int *in = static_cast<int *>(map);
    for (size_t row : {size_t(0), rows / 2, rows - 4, rows - 3, rows - 1})
        in[row * point.length + row % 1000] = static_cast<int>(row + 1);
    std::string wrong = simt::run({3, point.block, {nullptr, nullptr}, 1, 2}, [&] {
        point.run(map, out.as<void>(), static_cast<long long>(rows));
    });
    for (size_t row : {size_t(0), size_t(1), rows / 2, rows - 4, rows - 3, rows - 2, rows - 1}) {
        const int wanted = row == 1 || row == rows - 2 ? 0 : static_cast<int>(row + 1);
        if (wrong.empty() && out.as<int>()[row] != wanted)
            wrong = "row " + std::to_string(row) + " is " + std::to_string(out.as<int>()[row]) +
                    ", should be " + std::to_string(wanted);
    }
    munmap(map, elements * 4);
    return wrong.empty() ? "" : at(named, "more than 2^31 elements: " + wrong);
}

std::string check_point(const point &point)
{
    if (is_fast(point))
        return beyond_32_bits(point);
    const std::string wrong = right(point, 1);
    return wrong.empty() ? reproducible(point, 2) : wrong;
}

} // namespace

int main(int count, char **arguments)
{
    const bool faults = count > 1 && std::strcmp(arguments[1], "--faults") == 0;
    int failed = 0;
    for (const auto &point : reduce_rows_points::all()) {
        const std::string wrong = check_point(point);
        const bool as_wanted = wrong.empty() != faults;
        const char *file = std::strrchr(point.source, '/') + 1;
        if (faults)
            std::printf("%-8s %s: %s\n", as_wanted ? "found" : "FAILED", file,
                        as_wanted ? wrong.c_str() : "the planted fault was not found");
        else if (!as_wanted)
            std::printf("FAILED %s\n", wrong.c_str());
        failed += !as_wanted;
    }
    std::printf("%zu points, %d failed\n", reduce_rows_points::all().size(), failed);
    return failed > 0 || reduce_rows_points::all().empty();
}
