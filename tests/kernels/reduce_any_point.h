// kernels/reduce/any.cuh and segments.cuh on the emulation: inputs, operators and accumulators
// of all kinds under all kinds of kernels. `tune` may be another name, that of a copy with a
// planted fault: KERNELS is the header of the kernels, POINT_NAME the copy's name. To be
// included once in a source.
#include "tests/kernels/simt.h"

#include "tests/kernels/reduce_any_points.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include KERNELS

namespace
{

using reduce_any_points::hash;

// ---- data: the elements of a case, its input, and the result of a loop ----

struct twice_over {
    float operator()(float of) const
    {
        return of * of;
    }
};
struct bits_or {
    unsigned int operator()(unsigned int a, unsigned int b) const
    {
        return a | b;
    }
};
struct furthest {
    double operator()(double a, double b) const
    {
        return std::fabs(a) < std::fabs(b) ? b : a;
    }
};
// 24 bytes: a value without an identity, too large for a register.
struct range {
    long long count;
    int low, high;
    long long sum;
};
struct joined {
    range operator()(const range &a, const range &b) const
    {
        return {a.count + b.count, std::min(a.low, b.low), std::max(a.high, b.high), a.sum + b.sum};
    }
};
struct range_of {
    range operator()(int of) const
    {
        return {1, of, of, of};
    }
};
// An iterator that is no pointer.
struct counted {
    const int *table;
    int operator[](long long at) const
    {
        return table[at] ^ 5;
    }
};

template <typename E> std::vector<E> random_elements(size_t count, uint64_t seed)
{
    std::vector<E> made(count);
    for (size_t i = 0; i < count; i++)
        if constexpr (std::is_integral_v<E>)
            made[i] = (E)hash(seed, i);
        else
            made[i] = (E)(int)(hash(seed, i) % 17) - (E)8; // sums and squares are exact
    return made;
}

// The elements OF; `input` finds an element by the address of its copy.
struct squares {
    typedef float E;
    typedef float R;
    typedef tune::by_shipped<tune::sum, float> how;
    typedef tune::value_output<how, R *, R, true> out;
    typedef tune::any_input<const E *, E, tune::through_call<twice_over>, true> in;
    enum : int { count = 4 };
    static in input(const E *at)
    {
        return {at, {}};
    }
    static out output(R *at)
    {
        return {at, 3};
    }
    static R expected(const E *at, size_t n)
    {
        R sum = 3;
        for (size_t i = 0; i < n; i++)
            sum += at[i] * at[i];
        return sum;
    }
    static bool same(const R &a, const R &b)
    {
        return a == b;
    }
};

struct wide {
    typedef int E;
    typedef long long R;
    typedef tune::by_shipped<tune::sum, long long> how;
    typedef tune::value_output<how, R *, R, false> out;
    typedef tune::any_input<const E *, E, tune::as_it_is, true> in;
    enum : int { count = 4 };
    static in input(const E *at)
    {
        return {at, {}};
    }
    static out output(R *at)
    {
        return {at, 0};
    }
    static R expected(const E *at, size_t n)
    {
        R sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += at[i];
        return sum;
    }
    static bool same(const R &a, const R &b)
    {
        return a == b;
    }
};

struct flags {
    typedef unsigned char E;
    typedef unsigned int R;
    typedef tune::by_call<bits_or, unsigned int> how;
    typedef tune::value_output<how, R *, R, true> out;
    typedef tune::any_input<const E *, E, tune::as_it_is, true> in;
    enum : int { count = 16 };
    static in input(const E *at)
    {
        return {at, {}};
    }
    static out output(R *at)
    {
        return {at, 256};
    }
    // One of its bits is in one element only.
    static R expected(E *at, size_t n)
    {
        R all = 256;
        for (size_t i = 0; i < n; i++)
            all |= at[i] = (E)(at[i] & 0x3f);
        if (n > 0) {
            at[hash(n, 7) % n] |= 0x80;
            all |= 0x80;
        }
        return all;
    }
    static bool same(const R &a, const R &b)
    {
        return a == b;
    }
};

struct far {
    typedef double E;
    typedef float R;
    typedef tune::by_call<furthest, double> how;
    typedef tune::value_output<how, R *, R, true> out;
    typedef tune::any_input<const E *, E, tune::as_it_is, true> in;
    enum : int { count = 2 };
    static in input(const E *at)
    {
        return {at, {}};
    }
    static out output(R *at)
    {
        return {at, -0.5};
    }
    static R expected(E *at, size_t n)
    {
        if (n > 0)
            at[hash(n, 3) % n] = -100;
        return n > 0 ? -100.0f : -0.5f;
    }
    static bool same(const R &a, const R &b)
    {
        return a == b;
    }
};

struct ranges {
    typedef int E;
    typedef range R;
    typedef tune::by_call<joined, range> how;
    typedef tune::value_output<how, R *, R, true> out;
    struct each {
        range operator()(int of, unsigned long long index) const
        {
            return range_of()(of ^ (int)index);
        }
    };
    typedef tune::any_input<counted, E, each, false> in;
    enum : int { count = 1 };
    static in input(const E *at)
    {
        return {{at}, {}};
    }
    static out output(R *at)
    {
        return {at, {0, std::numeric_limits<int>::max(), std::numeric_limits<int>::min(), 5}};
    }
    static R expected(const E *at, size_t n)
    {
        R all = {0, std::numeric_limits<int>::max(), std::numeric_limits<int>::min(), 5};
        for (size_t i = 0; i < n; i++)
            all = joined()(all, range_of()(at[i] ^ 5 ^ (int)i));
        return all;
    }
    static bool same(const R &a, const R &b)
    {
        return a.count == b.count && a.low == b.low && a.high == b.high && a.sum == b.sum;
    }
};

// The place of the least: of many that are equal the first; NaN is none.
template <bool MAXIMUM, typename OF> struct place {
    typedef OF E;
    struct R {
        long long key;
        E value;
    };
    typedef tune::by_place<MAXIMUM, E> how;
    typedef tune::pair_output<how, R *, R> out;
    typedef tune::any_input<const E *, E, tune::with_place<MAXIMUM, E, tune::as_it_is>, true> in;
    enum : int { count = 16 / sizeof(E) };
    static in input(const E *at)
    {
        return {at, {}};
    }
    static out output(R *at)
    {
        return {at};
    }
    static R expected(E *at, size_t n)
    {
        typedef std::numeric_limits<E> limits;
        const E worst = MAXIMUM ? (limits::has_infinity ? -limits::infinity() : limits::min())
                                : (limits::has_infinity ? limits::infinity() : limits::max());
        R best = {-1, worst};
        for (size_t i = 0; i < n; i++) {
            if constexpr (limits::has_infinity)
                if (hash(n, i) % 5 == 0)
                    at[i] = limits::quiet_NaN();
            if (at[i] == at[i] &&
                (best.key < 0 || (MAXIMUM ? best.value < at[i] : at[i] < best.value)))
                best = {(long long)i, at[i]};
        }
        return best;
    }
    static bool same(const R &a, const R &b)
    {
        return a.key == b.key && a.value == b.value;
    }
};

// ---- kernels ----

enum class way { one_block, two_launches, last_block, shared, flagged, flagged_last, cluster };

constexpr tune::finish finish_of(way of)
{
    return of == way::two_launches   ? tune::finish::two_launches
           : of == way::last_block   ? tune::finish::last_block
           : of == way::shared       ? tune::finish::last_block_shared
           : of == way::flagged_last ? tune::finish::flagged_last
                                     : tune::finish::flagged;
}

// Guarded arrays: of elements from an awkward start to a page that must not be touched.
template <typename OF> struct problem {
    typedef typename OF::E E;
    typedef typename OF::R R;
    simt::guarded in, out;
    size_t n;
    problem(size_t count, size_t skipped, size_t results, uint64_t seed)
        : in(count * sizeof(E), skipped == 0, skipped * sizeof(E)), out(results * sizeof(R), true),
          n(count)
    {
        const std::vector<E> made = random_elements<E>(count, seed);
        if (count > 0)
            std::memcpy(in.as<E>(), made.data(), count * sizeof(E));
    }
};

constexpr unsigned int CLUSTER = 4;

template <typename OF, way WAY, typename POLICY>
std::string launched(const problem<OF> &of, unsigned int workers, tune::slot *slots,
                     unsigned long long *state, uint64_t seed)
{
    typedef typename OF::in T;
    typedef tune::any_operation<typename OF::how, typename OF::out> OP;
    const auto in = OF::input(of.in.template as<typename OF::E>());
    const auto out = OF::output(of.out.template as<typename OF::R>());
    const long long n = (long long)of.n;
    constexpr unsigned long long number = 0x9e3779b97f4a7c15; // always the same: a replay
    unsigned int grid = WAY == way::one_block ? 1 : workers;
    if (WAY == way::cluster)
        grid = ((workers + CLUSTER - 1) / CLUSTER + 1) * CLUSTER;
    if (WAY == way::flagged)
        grid++;
    simt::launch launch = {grid, POLICY::block, {}, seed, 1 + (unsigned int)(seed % 5)};
    launch.in_order = true;
    if (WAY == way::cluster)
        launch.cluster = CLUSTER;
    const std::string wrong = simt::run(launch, [&] {
        if constexpr (WAY == way::one_block)
            tune::reduce_one_block<OP, T, POLICY>(in, out, slots, state, n);
        else if constexpr (WAY == way::cluster)
            tune::reduce_cluster<OP, T, POLICY, CLUSTER>(in, out, slots, state, n, number);
        else
            tune::reduce_grid<OP, T, POLICY, finish_of(WAY)>(in, out, slots, state, n, number);
    });
    if (!wrong.empty() || WAY != way::two_launches)
        return wrong;
    return simt::run({1, POLICY::block, {}, seed, 1}, [&] {
        tune::reduce_partials<OP, T, POLICY>(in, out, slots, state, (long long)grid);
    });
}

template <typename OF, way WAY, tune::step STEP, tune::map MAP> std::string check(uint64_t seed)
{
    typedef tune::policy<64, OF::count, 2, 1, STEP, tune::cache::no_allocate, MAP> policy;
    const size_t tile = (size_t)policy::tile_packs * OF::count, blocks = 6;
    const simt::guarded slots((2 * blocks + CLUSTER) * 4 * sizeof(tune::slot), true);
    const simt::guarded state(tune::STATE_WORDS * sizeof(unsigned long long), true);
    std::memset(slots.as<void>(), 0xa5, (2 * blocks + CLUSTER) * 4 * sizeof(tune::slot));
    std::memset(state.as<void>(), 0, tune::STATE_WORDS * sizeof(unsigned long long));
    size_t turn = 0;
    for (const size_t n : {(size_t)0, (size_t)1, (size_t)2, (size_t)33, tile - 1, tile, tile + 1,
                           3 * tile + 5, 7 * tile, 11 * tile + tile / 2 + 1})
        for (const size_t skipped : {(size_t)0, (size_t)1, (size_t)OF::count}) {
            const uint64_t draw = hash(seed, turn++);
            const problem<OF> of(n, skipped, 1, draw);
            const auto want = OF::expected(of.in.template as<typename OF::E>(), n);
            const std::string wrong = launched<OF, WAY, policy>(
                of, 1 + (unsigned int)(draw % blocks), slots.as<tune::slot>(),
                state.as<unsigned long long>(), draw);
            const std::string at =
                " (n " + std::to_string(n) + ", from element " + std::to_string(skipped) + ")";
            if (!wrong.empty())
                return wrong + at;
            if (!OF::same(*of.out.template as<typename OF::R>(), want))
                return "the result is wrong" + at;
        }
    return "";
}

// Segments of all lengths side by side, empty ones and one that ends before it begins.
template <typename OF, tune::step STEP> std::string check_segments(uint64_t seed)
{
    typedef typename OF::in T;
    typedef typename OF::R R;
    typedef tune::any_operation<typename OF::how, typename OF::out> OP;
    typedef tune::policy<96, OF::count, 2, 1, STEP, tune::cache::no_allocate, tune::map::strided>
        policy;
    const size_t segments = 29;
    std::vector<int> begin, end;
    int at = 1;
    for (size_t s = 0; s < segments; s++) {
        const int length = (int)(hash(seed, s) % (s % 7 / 2 == 2 ? 2500 : s % 3 == 0 ? 3 : 190));
        begin.push_back(at);
        end.push_back(s == 11 ? at - 1 : at + length);
        at += length;
    }
    for (const int together : {1, 2, 3})
        for (const unsigned int grid : {1u, 4u}) {
            const problem<OF> of((size_t)at, 0, segments, seed);
            std::vector<R> want;
            for (size_t s = 0; s < segments; s++)
                want.push_back(OF::expected(of.in.template as<typename OF::E>() + begin[s],
                                            (size_t)std::max(0, end[s] - begin[s])));
            const auto in = OF::input(of.in.template as<typename OF::E>());
            const auto out = OF::output(of.out.template as<R>());
            const std::string wrong = simt::run({grid, policy::block, {}, seed, 2}, [&] {
                tune::reduce_segments<OP, T, policy>(in, out, (const int *)begin.data(),
                                                     (const int *)end.data(), (long long)segments,
                                                     together, 200);
            });
            if (!wrong.empty())
                return wrong;
            for (size_t s = 0; s < segments; s++)
                if (!OF::same(of.out.template as<R>()[s], want[s]))
                    return "segment " + std::to_string(s) + " is wrong";
        }
    return "";
}

} // namespace

// POINT(case, way, step, map), SEGMENTS(case, step): the name of a copy with a fault, or the
// point itself.
#ifdef POINT_NAME
#define POINT_TEXT(text) POINT_NAME
#else
#define POINT_TEXT(text) text
#endif
#define POINT_JOIN_(left, right) left##right
#define POINT_JOIN(left, right)  POINT_JOIN_(left, right)
#define POINT_(text, ...)                                                                          \
    static const bool POINT_JOIN(known_, __COUNTER__) =                                            \
        reduce_any_points::add({POINT_TEXT(text), __VA_ARGS__});
#define POINT(of, way_, step_, map_)                                                               \
    POINT_(#of " " #way_ " " #step_ " " #map_,                                                     \
           check<of, way::way_, tune::step::step_, tune::map::map_>)
#define SEGMENTS(of, step_)                                                                        \
    POINT_("segments of " #of " " #step_, check_segments<of, tune::step::step_>)
