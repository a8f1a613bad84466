// A sample of the instances for one element type, ELEMENT: for each operator some variants, other
// ones for each type, with parameters that are drawn.
#define KERNELS "kernels/reduce/reduce.cuh"
#include "tests/kernels/reduce_point.h"

#include <utility>

namespace
{

constexpr int sampled = 4; // points of each operator

constexpr unsigned int mixed(unsigned int of)
{
    of = (of ^ 61u ^ of >> 16) * 9;
    of = (of ^ of >> 4) * 0x27d4eb2du;
    return of ^ of >> 15;
}

constexpr map draw_map(unsigned int of, points::variant variant, bool any_order)
{
    constexpr map maps[] = {map::strided, map::tile, map::chunk, map::queue};
    const bool few = variant == variant::one_block || variant == variant::cluster;
    return variant == variant::bulk ? map::strided : maps[of % (few ? 2 : any_order ? 4 : 3)];
}

constexpr parameters draw_parameters(element type, int number)
{
    constexpr int blocks[] = {64, 32, 96, 128, 64, 256};
    constexpr int loads[] = {1, 2, 3, 4, 8};
    constexpr int sizes[] = {1, 1, 2, 2, 4, 4, 8, 8, 2, 2, 4, 8};
    constexpr int clusters[] = {2, 4, 8, 16};
    constexpr int stages[] = {2, 3, 4, 6};
    const int size = sizes[int(type)];
    const unsigned int serial = static_cast<unsigned int>(int(type) * 4 * sampled + number);
    const bool real = points::is_real(type);
    parameters made = {};
    made.element = type;
    made.op = op(number / sampled);
    const bool extreme = made.op == op::minimum || made.op == op::maximum;
    made.variant = variant(serial % 10);
    if (made.variant == variant::atomic && (made.op == op::product || (made.op == op::sum && real)))
        made.variant = variant::last_block_shared;
    const bool redux = size <= 4 && (extreme || (made.op == op::sum && !real));
    constexpr step steps[] = {step::tree, step::warp_tail, step::shuffle, step::gather,
                              step::redux};
    made.step = steps[mixed(serial * 5) % (redux ? 5 : 4)];
    made.map = draw_map(mixed(serial * 5 + 1), made.variant, extreme || !real);
    made.block = blocks[mixed(serial * 5 + 2) % 6];
    const int bytes = made.variant == variant::bulk ? 16 : 4 << mixed(serial * 5 + 3) % 3;
    const bool one = made.variant != variant::bulk && (serial % 4 == 1 || bytes < size);
    made.count = one ? 1 : bytes / size;
    made.loads = loads[mixed(serial * 5 + 4) % 5];
    made.more = made.variant == variant::cluster ? clusters[serial / 10 % 4]
                : made.variant == variant::bulk  ? stages[serial / 10 % 4]
                                                 : 0;
    return made;
}

template <int NUMBER> struct drawn {
    static constexpr parameters value = draw_parameters(element::ELEMENT, NUMBER);
};

template <int... NUMBERS> bool add_all(std::integer_sequence<int, NUMBERS...>)
{
    return (instance<drawn<NUMBERS>>::add("drawn") && ...);
}

const bool known = add_all(std::make_integer_sequence<int, 4 * sampled>());

} // namespace
