// Points of kernels/reduce_ordered, or of a copy: KERNELS is the file, FAULT the planted fault.
// Copies have a namespace of their own, so that the linker keeps their templates separate.
#include "tests/kernels/reduce_ordered_points.h"

#include KERNELS

namespace
{

template <typename OP> constexpr ordered_points::op op_of();
template <> constexpr ordered_points::op op_of<tune::affine_u32>()
{
    return ordered_points::op::affine_u32;
}
template <> constexpr ordered_points::op op_of<tune::matrix_u32>()
{
    return ordered_points::op::matrix_u32;
}
template <> constexpr ordered_points::op op_of<tune::matrix_f32>()
{
    return ordered_points::op::matrix_f32;
}

template <typename OP, void (*function)(const typename OP::element *, typename OP::element *,
                                        tune::slot *, tune::u64 *, long long)>
void erased(const void *in, void *out, void *slots, unsigned long long *state, long long n)
{
    function(static_cast<const typename OP::element *>(in),
             static_cast<typename OP::element *>(out), static_cast<tune::slot *>(slots), state, n);
}

// Launches of several blocks with a constant number, as in a graph's replay.
template <typename OP, typename POLICY, tune::finish FINISH>
void erased_grid(const void *in, void *out, void *slots, unsigned long long *state, long long n)
{
    tune::reduce_ordered_grid<OP, POLICY, FINISH>(
        static_cast<const typename OP::element *>(in), static_cast<typename OP::element *>(out),
        static_cast<tune::slot *>(slots), state, n, 0x9e3779b97f4a7c15);
}

template <typename OP, typename POLICY> ordered_points::point blank(const char *name)
{
    return {name,
            FAULT,
            op_of<typename OP::operation>(),
            POLICY::block,
            POLICY::count,
            size_t(POLICY::block) * POLICY::count * POLICY::loads,
            true,
            false,
            false,
            false,
            erased<OP, tune::reduce_ordered_one_block<OP, POLICY>>,
            nullptr};
}

template <typename OP, typename POLICY> bool add_one_block(const char *name)
{
    return ordered_points::add(blank<OP, POLICY>(name));
}

template <typename OP, typename POLICY, tune::finish FINISH> bool add_grid(const char *name)
{
    ordered_points::point point = blank<OP, POLICY>(name);
    point.one_block = false;
    point.flagged = FINISH == tune::finish::flagged || FINISH == tune::finish::flagged_last;
    point.waits = FINISH == tune::finish::flagged;
    point.dependent = FINISH == tune::finish::dependent_launches;
    point.run = erased_grid<OP, POLICY, FINISH>;
    if (FINISH == tune::finish::two_launches || point.dependent)
        point.partials = erased<OP, tune::reduce_ordered_partials<OP, POLICY>>;
    return ordered_points::add(point);
}

} // namespace

#define ORDERED_POLICY(block, count, loads, step)                                                  \
    tune::ordered_policy<block, count, loads, 1, tune::ordered_step::step, tune::cache::no_allocate>
#define ORDERED_ONE_BLOCK(op, block, count, loads, step)                                           \
    add_one_block<tune::of_any<tune::op>, ORDERED_POLICY(block, count, loads, step)>(              \
        #op ", block " #block ", " #count " x " #loads ", " #step ", one block")
#define ORDERED_GRID(op, block, count, loads, step, finish_)                                       \
    add_grid<tune::of_any<tune::op>, ORDERED_POLICY(block, count, loads, step),                    \
             tune::finish::finish_>(#op ", block " #block ", " #count " x " #loads ", " #step      \
                                        ", " #finish_)
// A program's own operator, whose elements are plain values.
#define ORDERED_PLAIN(block, count, loads, step, finish_)                                          \
    add_grid<tune::affine_u32, ORDERED_POLICY(block, count, loads, step), tune::finish::finish_>(  \
        "plain affine_u32, block " #block ", " #count " x " #loads ", " #step ", " #finish_)
