// The input, eight bytes at a time: a place's content depends on the place and the fill only. Of
// bits, some are set and some cleared, so that pairs of words have odd factors and fours odd
// determinants: otherwise the middle of a long product would not affect it.
#ifndef TUNE_BENCH_PEERS_ELEMENTS
#define TUNE_BENCH_PEERS_ELEMENTS

#include <cstdint>
#include <cstring>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "peers.h"

namespace peers
{

__host__ __device__ inline uint64_t hash(uint64_t index)
{
    uint64_t z = (index + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

template <typename T> __host__ __device__ inline uint64_t bits_of(T value)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof value);
    return bits;
}

// From -8 to 8.
__host__ __device__ inline int small(uint32_t bits)
{
    return int(bits % 17) - 8;
}

// Four small numbers of 16 bits.
template <typename T> __host__ __device__ inline uint64_t four_of(uint64_t bits)
{
    uint64_t word = 0;
    for (int i = 0; i < 4; i++)
        word |= bits_of(T(float(small(uint32_t(bits >> 16 * i & 0xffff))))) << 16 * i;
    return word;
}

__host__ __device__ inline uint64_t word_of(fill fill, uint64_t index)
{
    const uint64_t bits = hash(index);
    const uint32_t low = uint32_t(bits), high = uint32_t(bits >> 32);
    switch (fill) {
    case fill::small_f32:
    case fill::segments_f32:
        return bits_of(float(small(low))) | bits_of(float(small(high))) << 32;
    case fill::wide_f32:
        return bits_of(float(int32_t(low))) | bits_of(float(int32_t(high))) << 32;
    case fill::small_f64:
        return bits_of(double(small(low)));
    case fill::small_f16:
        return four_of<__half>(bits);
    case fill::small_bf16:
        return four_of<__nv_bfloat16>(bits);
    case fill::bits:
        break;
    }
    return index % 2 ? bits | 1 | uint64_t(1) << 32 : (bits | 1) & ~(uint64_t(1) << 32);
}

} // namespace peers

#endif
