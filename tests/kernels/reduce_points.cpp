#include "tests/kernels/reduce_points.h"

namespace reduce_points
{

std::vector<point> &all()
{
    static std::vector<point> points;
    return points;
}

size_t bytes_of(element type)
{
    constexpr size_t bytes[] = {1, 1, 2, 2, 4, 4, 8, 8, 2, 2, 4, 8};
    return bytes[static_cast<int>(type)];
}

element result_of(const point &point)
{
    if (point.op == op::minimum || point.op == op::maximum || bytes_of(point.element) >= 4)
        return point.element;
    if (is_real(point.element))
        return element::f32;
    return point.element == element::i8 || point.element == element::i16 ? element::i32
                                                                         : element::u32;
}

std::string describe(const point &point)
{
    constexpr const char *variants[] = {
        "one_block",         "two_launches", "dependent_launches", "last_block",
        "last_block_shared", "flagged",      "flagged_last",       "atomic",
        "cluster",           "bulk"};
    constexpr const char *ops[] = {"sum", "product", "minimum", "maximum"};
    constexpr const char *elements[] = {"i8",  "u8",  "i16", "u16",  "i32", "u32",
                                        "i64", "u64", "f16", "bf16", "f32", "f64"};
    constexpr const char *steps[] = {"tree", "warp_tail", "shuffle", "redux", "gather"};
    constexpr const char *maps[] = {"tile", "strided", "chunk", "queue"};
    std::string text = std::string(variants[int(point.variant)]) + " " + ops[int(point.op)] +
                       " of " + elements[int(point.element)] + ", block " +
                       std::to_string(point.block) + ", count " + std::to_string(point.count) +
                       ", loads " + std::to_string(point.loads) + ", " + steps[int(point.step)] +
                       ", " + maps[int(point.map)];
    if (point.variant == variant::cluster)
        text += ", clusters of " + std::to_string(point.more);
    if (point.variant == variant::bulk)
        text += ", " + std::to_string(point.more) + " stages";
    return text;
}

} // namespace reduce_points
