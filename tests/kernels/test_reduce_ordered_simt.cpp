// kernels/reduce_ordered on the emulation. Without arguments every point must pass; with --faults
// every point must be found wrong: each is compiled from a copy with one fault planted.
#include "tests/kernels/reduce_ordered_points.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <set>
#include <string>
#include <sys/mman.h>

using ordered_points::op;
using ordered_points::point;

std::vector<point> &ordered_points::all()
{
    static std::vector<point> points;
    return points;
}

namespace
{

constexpr size_t state_words = 8, slot_bytes = 16;

uint64_t hash(uint64_t seed, uint64_t index)
{
    uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

size_t element_bytes(op op)
{
    return op == op::affine_u32 ? 8 : 16;
}

// ---- elements, and what must come of them ----

void fill(const point &point, void *to, size_t n, uint64_t seed)
{
    const bool plain = std::strncmp(point.name, "plain", 5) == 0;
    for (size_t i = 0; i < n * element_bytes(point.op) / 4; i++) {
        const uint64_t bits = hash(seed, i);
        const float small = static_cast<float>(static_cast<int>(bits % 17) - 8);
        uint32_t word = static_cast<uint32_t>(bits);
        if (plain && i % 2 == 0)
            word |= 1; // an even factor hides what is behind it
        if (point.op == op::matrix_f32)
            std::memcpy(static_cast<char *>(to) + i * 4, &small, 4);
        else
            std::memcpy(static_cast<char *>(to) + i * 4, &word, 4);
    }
}

struct result {
    uint32_t word[4];
    bool operator==(const result &other) const
    {
        return std::memcmp(word, other.word, sizeof word) == 0;
    }
};

// The composition applied to 0 and to 1, last map first.
result affine(const uint32_t *map, size_t n)
{
    uint32_t at_0 = 0, at_1 = 1;
    for (size_t i = n; i-- > 0;) {
        const uint32_t a = map[2 * i] | 1, b = map[2 * i + 1];
        at_0 = a * at_0 + b;
        at_1 = a * at_1 + b;
    }
    return {{at_1 - at_0, at_0, 0, 0}};
}

// The product applied to both unit vectors, last matrix first: its columns.
template <typename T, typename MATRIX> void columns(T (&column)[2][2], size_t n, MATRIX matrix)
{
    for (size_t i = n; i-- > 0;) {
        T m[4];
        matrix(i, m);
        for (T(&x)[2] : column) {
            const T upper = m[0] * x[0] + m[1] * x[1];
            x[1] = m[2] * x[0] + m[3] * x[1];
            x[0] = upper;
        }
    }
}

result integers(const uint32_t *in, size_t n)
{
    uint32_t column[2][2] = {{1, 0}, {0, 1}};
    columns(column, n, [in](size_t i, uint32_t(&m)[4]) {
        std::memcpy(m, in + 4 * i, sizeof m);
        m[0] |= 1;
        m[1] &= ~1u;
        m[3] |= 1;
    });
    return {{column[0][0], column[1][0], column[0][1], column[1][1]}};
}

result reals(const float *in, size_t n)
{
    double column[2][2] = {{1, 0}, {0, 1}};
    columns(column, n, [in](size_t i, double(&m)[4]) {
        m[0] = in[4 * i] < 0 ? -1 : 1;
        m[1] = in[4 * i + 1];
        m[2] = 0;
        m[3] = in[4 * i + 3] < 0 ? -1 : 1;
    });
    const double exact[4] = {column[0][0], column[1][0], column[0][1], column[1][1]};
    result made;
    for (int i = 0; i < 4; i++) {
        const float value = static_cast<float>(exact[i]) + 0.0f; // -0 is 0
        std::memcpy(&made.word[i], &value, 4);
    }
    return made;
}

result expected(op op, const void *in, size_t n)
{
    if (op == op::affine_u32)
        return affine(static_cast<const uint32_t *>(in), n);
    if (op == op::matrix_u32)
        return integers(static_cast<const uint32_t *>(in), n);
    return reals(static_cast<const float *>(in), n);
}

std::string text(const result &result)
{
    char out[64];
    std::snprintf(out, sizeof out, "%08x %08x %08x %08x", result.word[0], result.word[1],
                  result.word[2], result.word[3]);
    return out;
}

// ---- launches ----

// What launches share, on memory that nothing but the kernel's arguments may touch.
struct workspace {
    simt::guarded slots, state;
    size_t slot_count;

    workspace(op op, unsigned int blocks)
        : slots(element_bytes(op) / 8 * blocks * slot_bytes, true), state(state_words * 8, true),
          slot_count(element_bytes(op) / 8 * blocks)
    {
        std::memset(slots.as<void>(), 0xa5, slot_count * slot_bytes);
        std::memset(state.as<void>(), 0, state_words * 8);
    }
};

std::string launch(const point &point, const void *in, void *out, const workspace &shared, size_t n,
                   unsigned int grid, uint64_t seed)
{
    unsigned long long *const state = shared.state.as<unsigned long long>();
    void *const slots = shared.slots.as<void>();
    if (hash(seed, 1) % 2 == 0) // else what the launch before left there
        std::memset(slots, static_cast<int>(hash(seed, 2) % 256), shared.slot_count * slot_bytes);
    const auto first = [&] { point.run(in, out, slots, state, static_cast<long long>(n)); };
    const auto second = [&] { point.partials(in, out, slots, state, grid); };
    simt::launch blocks = {
        grid + point.waits, point.block, {}, seed, 1 + unsigned(hash(seed, 0) % 4)};
    blocks.in_order = point.flagged;
    simt::launch one = {1, point.block, {}, seed + 1, 1};
    if (point.dependent)
        return simt::run_dependent(blocks, first, one, second);
    const std::string wrong = simt::run(blocks, first);
    return wrong.empty() && point.partials != nullptr ? simt::run(one, second) : wrong;
}

// One launch's result held against what it must be, and the state that it leaves.
std::string check(const point &point, const void *in, size_t n, unsigned int grid,
                  const workspace &shared, uint64_t seed)
{
    const size_t bytes = element_bytes(point.op);
    const simt::guarded out(bytes, true);
    std::string wrong = launch(point, in, out.as<void>(), shared, n, grid, seed);
    if (wrong.empty()) {
        result got = {};
        std::memcpy(got.word, out.as<void>(), bytes);
        if (point.op == op::matrix_f32)
            for (uint32_t &word : got.word)
                word = word == 0x80000000u ? 0 : word;
        const result wanted = expected(point.op, in, n);
        if (!(got == wanted))
            wrong = "is " + text(got) + ", should be " + text(wanted);
    }
    return wrong.empty()
               ? ""
               : std::to_string(n) + " elements, grid " + std::to_string(grid) + ": " + wrong;
}

// Awkward sizes, grids and starts. Launches follow one another on one workspace.
std::string right(const point &point, uint64_t seed)
{
    const unsigned int grids[] = {3, 2, 1, 7, 5, 70};
    const size_t bytes = element_bytes(point.op), tile = point.tile;
    const workspace shared(point.op, 70);
    size_t turn = seed;
    std::set<size_t> sizes{0,
                           1,
                           2,
                           31,
                           32,
                           33,
                           63,
                           65,
                           97,
                           point.block - 1u,
                           point.block + 1u,
                           tile - 1,
                           tile,
                           tile + 1,
                           2 * tile - 1,
                           2 * tile + 1,
                           3 * tile + tile / 2 + 1,
                           5 * tile + 2};
    if (tile <= 64)
        sizes.insert(67 * tile + 5); // more tiles than threads
    for (size_t n : sizes)
        for (size_t start = 0; start <= point.count; start++) {
            const bool at_end = start == point.count;
            const simt::guarded in(n * bytes, at_end, at_end ? 0 : start * bytes);
            const unsigned int grid = point.one_block ? 1 : grids[turn % 6];
            fill(point, in.as<void>(), n, hash(seed, turn));
            const std::string wrong =
                check(point, in.as<void>(), n, grid, shared, hash(seed, ++turn));
            if (!wrong.empty())
                return wrong;
        }
    return "";
}

// Few neighbours out of order must show, too: most elements leave all as it is.
std::string sparse(const point &point, uint64_t seed)
{
    const size_t bytes = element_bytes(point.op), n = 3 * point.tile + 17;
    const workspace shared(point.op, 4);
    const simt::guarded in(n * bytes, true);
    for (int again = 0; again < 8; again++) {
        std::memset(in.as<void>(), 0, n * bytes);
        for (uint64_t i = 0; i < 4; i++) {
            const size_t at = hash(seed, 100 * again + i) % (n - 1);
            fill(point, in.as<char>() + at * bytes, 2, hash(seed, at));
        }
        if (std::strncmp(point.name, "plain", 5) == 0)
            for (size_t i = 0; i < n; i++)
                in.as<uint32_t>()[2 * i] |= 1;
        const std::string wrong = check(point, in.as<void>(), n, point.one_block ? 1 : 4, shared,
                                        hash(seed, 1000 + again));
        if (!wrong.empty())
            return "few elements that matter, " + wrong;
    }
    return "";
}

// Blocks that meet in every order: small launches, many times.
std::string meetings(const point &point, uint64_t seed)
{
    const size_t bytes = element_bytes(point.op), n = 33;
    if (point.one_block || point.block > 64)
        return "";
    const workspace shared(point.op, 3);
    const simt::guarded in(n * bytes, true);
    for (uint64_t again = 0; again < 60; again++) {
        const unsigned int grid = 2 + again % 2;
        fill(point, in.as<void>(), n, hash(seed, again));
        const std::string wrong =
            check(point, in.as<void>(), n, grid, shared, hash(seed, 100 + again));
        if (!wrong.empty())
            return wrong;
    }
    return "";
}

// Elements of zeros leave all as it is, so only those that are set count.
std::string beyond_32_bits(const point &point)
{
    const size_t n = (size_t(1) << 31) + 5, bytes = n * 8;
    void *map = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED)
        return ""; // no address space for it here
    madvise(map, bytes, MADV_HUGEPAGE);
    uint32_t *const in = static_cast<uint32_t *>(map);
    const size_t places[] = {0, 1, n / 2, n / 2 + 1, n - 7, n - 6, n - 2, n - 1};
    std::vector<uint32_t> few;
    for (size_t place : places) {
        for (size_t word = 0; word < 2; word++) {
            in[2 * place + word] = static_cast<uint32_t>(hash(place, word));
            few.push_back(in[2 * place + word]);
        }
    }
    const workspace shared(point.op, 3);
    const simt::guarded out(8, true);
    std::string wrong = launch(point, map, out.as<void>(), shared, n, 3, 1);
    result got = {};
    std::memcpy(got.word, out.as<void>(), 8);
    if (wrong.empty() && !(got == affine(few.data(), few.size() / 2)))
        wrong = "is " + text(got) + ", should be " + text(affine(few.data(), few.size() / 2));
    munmap(map, bytes);
    return wrong.empty() ? "" : "more than 2^31 elements: " + wrong;
}

std::string check_point(const point &point)
{
    std::string wrong;
    for (uint64_t seed = 1; seed <= (point.block > 512 ? 1u : 2u) && wrong.empty(); seed++)
        wrong = right(point, seed);
    if (wrong.empty())
        wrong = sparse(point, 7);
    if (wrong.empty())
        wrong = meetings(point, 8);
    if (wrong.empty() && point.tile >= 8192)
        wrong = beyond_32_bits(point);
    return wrong.empty() ? "" : std::string(point.name) + ", " + wrong;
}

} // namespace

int main(int count, char **arguments)
{
    const bool faults = count > 1 && std::strcmp(arguments[1], "--faults") == 0;
    int failed = 0;
    for (const point &point : ordered_points::all()) {
        const std::string wrong = check_point(point);
        const bool as_wanted = wrong.empty() != faults;
        if (faults)
            std::printf("%-8s %s: %s\n", as_wanted ? "found" : "FAILED", point.fault,
                        as_wanted ? wrong.c_str() : "the planted fault was not found");
        else if (!as_wanted)
            std::printf("FAILED %s\n", wrong.c_str());
        failed += !as_wanted;
    }
    std::printf("%zu points, %d failed\n", ordered_points::all().size(), failed);
    return failed > 0 || ordered_points::all().empty();
}
