// Operators that are associative and not commutative, and what keeps their order within a thread
// and within a warp. An operator of one's own has the same members:
//   element       the type in memory and in between: 8 or 16 bytes, aligned to its size
//   operation     the operator itself
//   identity()    what leaves any element as it is
//   combine()     of the left element, which comes first, and the right one
//   value_of()    what an element of the input stands for; mostly the element
#ifndef TUNE_KERNELS_REDUCE_ORDERED_OPERATOR
#define TUNE_KERNELS_REDUCE_ORDERED_OPERATOR

#include "../reduce/machine.cuh"

namespace tune
{

// The map x -> factor x + offset mod 2^32; as a u64, factor is the low half.
struct alignas(8) affine_map_u32 {
    u32 factor, offset;
};

// at[0] at[1]
// at[2] at[3]
template <typename T> struct alignas(16) matrix_2x2 {
    T at[4];
};

// left(right(x)).
struct affine_u32 {
    typedef affine_map_u32 element;
    typedef affine_u32 operation;
    static TUNE_DEVICE element identity()
    {
        return {1, 0};
    }
    static TUNE_DEVICE element combine(element left, element right)
    {
        return {left.factor * right.factor, left.factor * right.offset + left.offset};
    }
    static TUNE_DEVICE element value_of(element of)
    {
        return of;
    }
};

// The product left * right; integers mod 2^32.
template <typename T> struct matrix_product {
    typedef matrix_2x2<T> element;
    typedef matrix_product operation;
    static TUNE_DEVICE element identity()
    {
        return {{1, 0, 0, 1}};
    }
    static TUNE_DEVICE element combine(const element &left, const element &right)
    {
        const T *a = left.at, *b = right.at;
        return {{a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], //
                 a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3]}};
    }
    static TUNE_DEVICE element value_of(const element &of)
    {
        return of;
    }
};
typedef matrix_product<u32> matrix_u32;
typedef matrix_product<float> matrix_f32;

// ---- for experiments: of any bits, elements that do not hide one another ----
// What is in the middle of a product must show in it, so each element has to have an inverse: an
// odd factor, an odd determinant. Floating matrices must not grow either, and no sum of them may
// be rounded, or else a tolerance would hide a wrong order: {s b; 0 t} with s and t 1 or -1 and b a
// small integer, whose products are of that kind, with a b that stays below 2^24.

TUNE_DEVICE affine_map_u32 invertible(affine_map_u32 of)
{
    return {of.factor | 1, of.offset};
}
TUNE_DEVICE matrix_2x2<u32> invertible(const matrix_2x2<u32> &of)
{
    return {{of.at[0] | 1, of.at[1] & ~1u, of.at[2], of.at[3] | 1}};
}
TUNE_DEVICE matrix_2x2<float> invertible(const matrix_2x2<float> &of)
{
    return {{of.at[0] < 0 ? -1.0f : 1.0f, of.at[1], 0, of.at[3] < 0 ? -1.0f : 1.0f}};
}

template <typename OP> struct of_any : OP {
    static TUNE_DEVICE typename OP::element value_of(const typename OP::element &of)
    {
        return invertible(of);
    }
};

// ---- bits ----

template <typename E> union bits_of {
    E element;
    u32 word[sizeof(E) / 4];
    u64 half[sizeof(E) / 8];
    static_assert(sizeof(E) == 8 || sizeof(E) == 16, "an element of 8 or 16 bytes");
};

TUNE_DEVICE u32 lane_of_warp()
{
    return threadIdx.x % WARP;
}

// Of lane + distance. Lanes at the end get what they had, or anything.
template <typename E> TUNE_DEVICE E element_below(const E &element, u32 distance)
{
    bits_of<E> bits = {element};
#pragma unroll
    for (u32 &word : bits.word)
        word = __shfl_down_sync(ALL_LANES, word, distance);
    return bits.element;
}

// ---- within a thread, within a warp ----

// COUNT elements that follow one another, neighbours first: short dependency chains.
template <typename OP, int COUNT>
TUNE_DEVICE typename OP::element in_order(const typename OP::element *element)
{
    if constexpr (COUNT == 1)
        return element[0];
    else
        return OP::combine(in_order<OP, (COUNT + 1) / 2>(element),
                           in_order<OP, COUNT / 2>(element + (COUNT + 1) / 2));
}

// The lanes' elements from distance FROM on: lane 0 has those of lanes 0, FROM, 2 FROM ... in their
// order. Lanes at the end combine what no other needs.
template <typename OP, int FROM = 1, int LANES = WARP>
TUNE_DEVICE typename OP::element lanes_in_order(typename OP::element element)
{
#pragma unroll
    for (int distance = FROM; distance < LANES; distance *= 2)
        element = OP::combine(element, element_below(element, distance));
    return element;
}

// ROWS elements a lane, row[r] of all lanes in front of row[r + 1]. A lane with its bit DISTANCE
// unset goes on with the even one of two rows, the others with the odd one, so that a shuffle
// serves both: ROWS - 1 shuffles and the 5 of a single row, where rows one by one take 5 ROWS. Lane
// 0 has all of it in the end.
template <typename OP, int ROWS, int DISTANCE = 1>
TUNE_DEVICE typename OP::element rows_in_order(const typename OP::element *row)
{
    typedef typename OP::element E;
    if constexpr (ROWS == 1) {
        // Lane l has of row l % DISTANCE what lanes l / DISTANCE * DISTANCE and up had.
        const E whole = lanes_in_order<OP, DISTANCE>(row[0]);
        return lanes_in_order<OP, 1, DISTANCE>(whole);
    } else {
        const bool odd = (threadIdx.x & DISTANCE) != 0;
        E merged[ROWS / 2];
#pragma unroll
        for (int pair = 0; pair < ROWS / 2; pair++) {
            const bits_of<E> first = {row[2 * pair]}, second = {row[2 * pair + 1]};
            bits_of<E> left, right;
#pragma unroll
            for (int i = 0; i < (int)sizeof(E) / 4; i++) {
                const u32 theirs = odd ? first.word[i] : second.word[i];
                const u32 got = __shfl_xor_sync(ALL_LANES, theirs, DISTANCE);
                left.word[i] = odd ? got : first.word[i];
                right.word[i] = odd ? second.word[i] : got;
            }
            merged[pair] = OP::combine(left.element, right.element);
        }
        return rows_in_order<OP, ROWS / 2, 2 * DISTANCE>(merged);
    }
}

} // namespace tune

#endif
