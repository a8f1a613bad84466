// Instances of kernels/reduce, by their parameters. `tune` may be another name, that of a copy
// with a planted fault: KERNELS is the header of the kernels. To be included once in a source,
// so that code of different copies is never merged.
#include "tests/kernels/reduce_points.h"

#include KERNELS

namespace
{

namespace points = reduce_points;
using points::element;
using points::map;
using points::op;
using points::step;
using points::variant;

static_assert(int(tune::step::tree) == int(step::tree) &&
              int(tune::step::warp_tail) == int(step::warp_tail) &&
              int(tune::step::shuffle) == int(step::shuffle) &&
              int(tune::step::redux) == int(step::redux) &&
              int(tune::step::gather) == int(step::gather) &&
              int(tune::map::tile) == int(map::tile) &&
              int(tune::map::strided) == int(map::strided) &&
              int(tune::map::chunk) == int(map::chunk) && int(tune::map::queue) == int(map::queue));

template <int COUNT, typename T, typename... MORE> struct nth : nth<COUNT - 1, MORE...> {
};
template <typename T, typename... MORE> struct nth<0, T, MORE...> {
    typedef T type;
};
template <element ELEMENT>
using type_of =
    typename nth<int(ELEMENT), tune::i8, tune::u8, tune::i16, tune::u16, tune::i32, tune::u32,
                 tune::i64, tune::u64, tune::f16, tune::bf16, tune::f32, tune::f64>::type;
template <op OP>
using operator_of =
    typename nth<int(OP), tune::sum, tune::product, tune::minimum, tune::maximum>::type;

struct parameters {
    points::variant variant;
    points::op op;
    points::element element;
    points::step step;
    points::map map;
    int block, count, loads, more;
};

constexpr tune::finish finish_of(variant of)
{
    switch (of) {
    case variant::two_launches:
        return tune::finish::two_launches;
    case variant::dependent_launches:
        return tune::finish::dependent_launches;
    case variant::last_block:
        return tune::finish::last_block;
    case variant::last_block_shared:
        return tune::finish::last_block_shared;
    case variant::atomic:
        return tune::finish::atomic;
    case variant::flagged_last:
        return tune::finish::flagged_last;
    default:
        return tune::finish::flagged;
    }
}

// PARAMETERS: a type whose `value` are the parameters.
template <typename PARAMETERS> struct instance {
    static constexpr parameters of = PARAMETERS::value;
    typedef type_of<of.element> T;
    typedef operator_of<of.op> OP;
    typedef typename OP::template of<T>::result result;
    typedef tune::policy<of.block, of.count, of.loads, 1, tune::step(of.step),
                         tune::cache::no_allocate, tune::map(of.map)>
        policy;

    static void first(const void *in, void *out, void *slots, unsigned long long *state,
                      long long n)
    {
        const T *from = static_cast<const T *>(in);
        result *to = static_cast<result *>(out);
        tune::slot *at = static_cast<tune::slot *>(slots);
        if constexpr (of.variant == variant::one_block)
            tune::reduce_one_block<OP, T, policy>(from, to, at, state, n);
        else if constexpr (of.variant == variant::cluster)
            tune::reduce_cluster<OP, T, policy, of.more>(from, to, at, state, n,
                                                         reduce_points::launch_number);
        else if constexpr (of.variant == variant::bulk)
            tune::reduce_bulk<OP, T, policy, of.more>(from, to, at, state, n,
                                                      reduce_points::launch_number);
        else
            tune::reduce_grid<OP, T, policy, finish_of(of.variant)>(from, to, at, state, n,
                                                                    reduce_points::launch_number);
    }
    static void second(const void *in, void *out, void *slots, unsigned long long *state,
                       long long n)
    {
        tune::reduce_partials<OP, T, policy>(static_cast<const T *>(in), static_cast<result *>(out),
                                             static_cast<tune::slot *>(slots), state, n);
    }
    static bool add(const char *name)
    {
        constexpr bool twice =
            of.variant == variant::two_launches || of.variant == variant::dependent_launches;
        points::kernel then = nullptr;
        if constexpr (twice)
            then = second;
        points::all().push_back({name, of.variant, of.op, of.element, of.step, of.map,
                                 unsigned(of.block), unsigned(of.count), unsigned(of.loads),
                                 unsigned(of.more), first, then});
        return true;
    }
};

} // namespace

// POINT(name, variant, op, element, step, map, block, count, loads, more)
#define POINT_JOIN_(left, right) left##right
#define POINT_JOIN(left, right)  POINT_JOIN_(left, right)
#define POINT(name, of, op_, type, step_, map_, ...)                                               \
    POINT_(POINT_JOIN(point_, __COUNTER__), name, of, op_, type, step_, map_, __VA_ARGS__)
#define POINT_(id, name, of, op_, type, step_, map_, ...)                                          \
    namespace                                                                                      \
    {                                                                                              \
    struct id {                                                                                    \
        static constexpr parameters value = {variant::of, op::op_,   element::type,                \
                                             step::step_, map::map_, __VA_ARGS__};                 \
    };                                                                                             \
    const bool POINT_JOIN(id, _known) = instance<id>::add(name);                                   \
    }
