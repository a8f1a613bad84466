#include "tests/kernels/reduce_checks.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <sys/mman.h>

using reduce_points::element;
using reduce_points::point;

namespace
{

enum class variant { one_block, two_launches, last_block };
constexpr variant variants[] = {variant::one_block, variant::two_launches, variant::last_block};
constexpr const char *variant_names[] = {"one_block", "two_launches", "last_block"};

size_t bytes_of(element type)
{
    return type == element::i32 || type == element::f32 ? 4 : 8;
}

bool is_real(element type)
{
    return type == element::f32 || type == element::f64;
}

uint64_t hash(uint64_t seed, uint64_t index)
{
    uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

struct value {
    uint64_t integer; // integers; modulo 2^bits
    double real;
    double magnitude;
};

// One launch or two of a variant on memory that nothing but its arguments may touch.
struct problem {
    const reduce_points::point &point;
    simt::guarded in, out, partials, ticket;
    size_t n;
    unsigned int grid;

    problem(const reduce_points::point &of, size_t count, unsigned int blocks, bool at_end,
            size_t skipped)
        : point(of), in(count * bytes_of(of.element), at_end, skipped * bytes_of(of.element)),
          out(bytes_of(of.element), true), partials(blocks * bytes_of(of.element), true),
          ticket(sizeof(unsigned int), true), n(count), grid(blocks)
    {
        *ticket.as<unsigned int>() = 0;
    }

    std::string launch(reduce_points::kernel kernel, unsigned int blocks, const void *from,
                       size_t count, uint64_t seed) const
    {
        const unsigned int resident = 1 + static_cast<unsigned int>(hash(seed, 0) % 6);
        return simt::run({blocks, point.block, point.shared, seed, resident}, [&] {
            kernel(from, out.as<void>(), partials.as<void>(), ticket.as<unsigned int>(),
                   static_cast<long long>(count));
        });
    }

    std::string run(variant which, uint64_t seed) const
    {
        std::memset(out.as<void>(), 0xa5, bytes_of(point.element));
        std::memset(partials.as<void>(), 0xa5, grid * bytes_of(point.element));
        if (which == variant::one_block)
            return launch(point.one_block, 1, in.as<void>(), n, seed);
        if (which == variant::last_block)
            return launch(point.last_block, grid, in.as<void>(), n, seed);
        const std::string first = launch(point.two_launches, grid, in.as<void>(), n, seed);
        if (!first.empty())
            return first;
        return launch(point.one_block, 1, partials.as<void>(), grid, seed + 1);
    }
};

template <typename T> value fill_integers(T *to, size_t n, uint64_t seed)
{
    value sum = {};
    for (size_t i = 0; i < n; i++) {
        to[i] = static_cast<T>(hash(seed, i));
        sum.integer += static_cast<uint64_t>(to[i]);
    }
    return sum;
}

// Exact: small integers, whose sums are the same in any order.
template <typename T> value fill_reals(T *to, size_t n, uint64_t seed, bool exact)
{
    value sum = {};
    for (size_t i = 0; i < n; i++) {
        const uint64_t bits = hash(seed, i);
        to[i] = exact ? static_cast<T>(static_cast<int>(bits % 17) - 8)
                      : static_cast<T>(static_cast<double>(bits >> 11) * 0x1p-52 - 1.0);
        sum.real += static_cast<double>(to[i]);
        sum.magnitude += std::fabs(static_cast<double>(to[i]));
    }
    return sum;
}

value fill(const problem &problem, uint64_t seed, bool exact)
{
    switch (problem.point.element) {
    case element::i32:
        return fill_integers(problem.in.as<int>(), problem.n, seed);
    case element::i64:
        return fill_integers(problem.in.as<long long>(), problem.n, seed);
    case element::f32:
        return fill_reals(problem.in.as<float>(), problem.n, seed, exact);
    default:
        return fill_reals(problem.in.as<double>(), problem.n, seed, exact);
    }
}

double real_result(const problem &problem)
{
    return problem.point.element == element::f32
               ? static_cast<double>(*problem.out.as<const float>())
               : *problem.out.as<const double>();
}

std::string compare(const problem &problem, const value &expected)
{
    std::string got, wanted;
    if (is_real(problem.point.element)) {
        if (real_result(problem) == expected.real)
            return "";
        got = std::to_string(real_result(problem));
        wanted = std::to_string(expected.real);
    } else {
        uint64_t result = 0, sum = 0;
        std::memcpy(&result, problem.out.as<void>(), bytes_of(problem.point.element));
        std::memcpy(&sum, &expected.integer, bytes_of(problem.point.element));
        if (result == sum)
            return "";
        got = std::to_string(result);
        wanted = std::to_string(sum);
    }
    return "sum is " + got + ", should be " + wanted;
}

std::string at(const problem &problem, variant which, const std::string &wrong)
{
    if (wrong.empty())
        return "";
    const point &point = problem.point;
    constexpr const char *names[] = {"i32", "i64", "f32", "f64"};
    return std::string(variant_names[static_cast<int>(which)]) + " of " + point.name + " (" +
           names[static_cast<int>(point.element)] + ", block " + std::to_string(point.block) +
           ", vector " + std::to_string(point.vector) + ", loads " + std::to_string(point.loads) +
           (point.shuffle ? ", shuffle" : ", tree") + "), n " + std::to_string(problem.n) +
           ", grid " + std::to_string(problem.grid) + ": " + wrong;
}

// Twice: what the first launch leaves behind must not disturb the second.
std::string check(const problem &problem, variant which, uint64_t seed)
{
    const value expected = fill(problem, seed, true);
    for (uint64_t again = 0; again < 2; again++) {
        std::string wrong = problem.run(which, seed + again * 1000);
        if (wrong.empty())
            wrong = compare(problem, expected);
        if (wrong.empty() && *problem.ticket.as<unsigned int>() != 0)
            wrong = "the ticket is left at " + std::to_string(*problem.ticket.as<unsigned int>());
        if (!wrong.empty())
            return at(problem, which, wrong + (again ? ", at the second launch" : ""));
        if (which != variant::last_block)
            break;
    }
    return "";
}

std::set<size_t> awkward_sizes(const point &point)
{
    const size_t block = point.block, vector = point.vector, row = block * vector;
    const size_t tile = row * point.loads;
    return {0,
            1,
            2,
            3,
            4,
            5,
            31,
            32,
            33,
            97,
            block - 1,
            block,
            block + 1,
            row - 1,
            row + 1,
            tile - 1,
            tile,
            tile + 1,
            tile + vector + 1,
            2 * tile - 1,
            2 * tile + block + 3,
            3 * tile + row / 2 + 1,
            5 * tile + 2};
}

} // namespace

std::string reduce_checks::sums(const point &point, uint64_t seed)
{
    constexpr unsigned int grids[] = {2, 3, 1, 7, 4};
    size_t turn = 0;
    for (size_t n : awkward_sizes(point))
        for (size_t start = 0; start <= point.vector; start++) {
            const bool at_end = start == point.vector;
            const unsigned int grid = grids[turn++ % 5];
            const problem problem(point, n, grid, at_end, at_end ? 0 : start);
            for (variant which : variants) {
                const std::string wrong = check(problem, which, hash(seed, turn));
                if (!wrong.empty())
                    return wrong;
            }
        }
    // More partials than the last block takes in one round.
    if (point.block <= 64 && point.loads == 1) {
        const problem problem(point, 300 * point.block * point.vector + 1, 299, true, 0);
        for (variant which : variants) {
            const std::string wrong = check(problem, which, hash(seed, turn++));
            if (!wrong.empty())
                return wrong;
        }
    }
    return "";
}

std::string reduce_checks::reproducible(const point &point, uint64_t seed)
{
    if (!is_real(point.element))
        return "";
    const size_t tile = size_t(point.block) * point.vector * point.loads;
    const problem problem(point, 16 * tile + point.block + 1, 13, true, 0);
    const value expected = fill(problem, seed, false);
    const double unit = point.element == element::f32 ? 0x1p-24 : 0x1p-53;
    // Rounds: additions in a row that a value goes through, few more than the launch has levels.
    const double rounds = 2.0 * (double(problem.n) / (point.block * 13.0)) + 40;
    for (variant which : variants) {
        double first = 0;
        for (uint64_t again = 0; again < 5; again++) {
            std::string wrong = problem.run(which, seed + again);
            const double got = real_result(problem);
            if (wrong.empty() &&
                !(std::fabs(got - expected.real) <= 2 * unit * rounds * expected.magnitude))
                wrong = "sum is " + std::to_string(got) + ", too far from " +
                        std::to_string(expected.real);
            if (wrong.empty() && again > 0 && std::memcmp(&got, &first, sizeof got) != 0)
                wrong = "another sum in another order";
            if (!wrong.empty())
                return at(problem, which, wrong);
            first = got;
        }
    }
    return "";
}

std::string reduce_checks::beyond_32_bits(const point &point)
{
    const size_t n = (size_t(1) << 31) + 5;
    const size_t bytes = n * bytes_of(point.element);
    void *map = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED)
        return ""; // no address space for it here
    madvise(map, bytes, MADV_HUGEPAGE);
    int *in = static_cast<int *>(map);
    const problem problem(point, 0, 61, true, 0);
    value expected = {};
    for (size_t i : {size_t(0), n / 2, (size_t(1) << 31) - 1, size_t(1) << 31, n - 1}) {
        in[i] = static_cast<int>(i % 1000 + 1);
        expected.integer += i % 1000 + 1;
    }
    std::string wrong = problem.launch(point.last_block, problem.grid, map, n, 1);
    if (wrong.empty())
        wrong = compare(problem, expected);
    munmap(map, bytes);
    return at(problem, variant::last_block, wrong.empty() ? "" : "2^31 + 5 elements: " + wrong);
}
