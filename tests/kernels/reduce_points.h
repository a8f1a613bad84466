// The instances of kernels/reduce that were compiled into this program.
#ifndef TESTS_KERNELS_REDUCE_POINTS_H
#define TESTS_KERNELS_REDUCE_POINTS_H

#include "tests/kernels/simt.h"

#include <string>
#include <vector>

namespace reduce_points
{

// In the order of reduce_point.h's lists.
enum class element { i8, u8, i16, u16, i32, u32, i64, u64, f16, bf16, f32, f64 };
enum class op { sum, product, minimum, maximum };
enum class variant {
    one_block,
    two_launches,
    dependent_launches,
    last_block,
    last_block_shared,
    flagged,
    flagged_last,
    atomic,
    cluster,
    bulk
};
enum class step { tree, warp_tail, shuffle, redux, gather };
enum class map { tile, strided, chunk, queue };

// Always the same, as that of a graph's replays is.
constexpr unsigned long long launch_number = 0x9e3779b97f4a7c15;

// The types of the arguments taken away, so that all points fit into one table.
typedef void (*kernel)(const void *in, void *out, void *slots, unsigned long long *state,
                       long long n);

struct point {
    const char *name; // name of a planted fault, else of the file
    reduce_points::variant variant;
    reduce_points::op op;
    reduce_points::element element;
    reduce_points::step step;
    reduce_points::map map;
    unsigned int block, count, loads;
    unsigned int more; // stages of bulk, blocks of a cluster, else 0
    kernel first;
    kernel second; // second one of two launches

    size_t tile() const
    {
        return size_t(block) * count * loads;
    }
};

std::vector<point> &all();

constexpr bool is_real(element type)
{
    return type >= element::f16;
}
size_t bytes_of(element type);
element result_of(const point &point); // type that stores its result

// "flagged sum of i32, block 64, count 4, loads 2, shuffle, strided"
std::string describe(const point &point);

} // namespace reduce_points

#endif
