// Operators whose order must be kept, as a caller of CUB would write them; laid out as tune's.
#ifndef TUNE_BENCH_PEERS_ORDERED
#define TUNE_BENCH_PEERS_ORDERED

#include <cstdint>

namespace peers
{

// Maps x to factor * x + offset, mod 2^32.
struct alignas(8) affine_u32 {
    uint32_t factor, offset;
};

// Adds rows first, mod 2^32.
struct alignas(16) matrix_u32 {
    uint32_t m[4];
};

// left(right(x)), left * right.
struct compose {
    __host__ __device__ affine_u32 operator()(affine_u32 left, affine_u32 right) const
    {
        return {left.factor * right.factor, left.factor * right.offset + left.offset};
    }
    __host__ __device__ matrix_u32 operator()(const matrix_u32 &a, const matrix_u32 &b) const
    {
        return {{a.m[0] * b.m[0] + a.m[1] * b.m[2], a.m[0] * b.m[1] + a.m[1] * b.m[3],
                 a.m[2] * b.m[0] + a.m[3] * b.m[2], a.m[2] * b.m[1] + a.m[3] * b.m[3]}};
    }
};

} // namespace peers

#endif
