// Features of tune/reduce.cuh beyond plain sums, as callers would use them.
#ifndef TUNE_BENCH_PEERS_ANY
#define TUNE_BENCH_PEERS_ANY

#include <cstdint>

namespace peers
{

// A transform whose sums stay exact.
struct doubled {
    __host__ __device__ float operator()(float value) const
    {
        return 2 * value;
    }
};

// An unknown operator: the value furthest from 0, of two the positive one.
struct furthest {
    __host__ __device__ float operator()(float a, float b) const
    {
        const float x = a < 0 ? -a : a, y = b < 0 ? -b : b;
        return x < y || (x == y && a < b) ? b : a;
    }
};

// The least value and its place.
struct alignas(4) place {
    uint32_t index[2]; // an int64_t
    float value;
};

// Segments of LENGTH elements, the last one up to n: their beginnings (0) or ends (LENGTH).
template <int LENGTH> struct boundary {
    long long n, ahead;
    __host__ __device__ long long operator()(long long segment) const
    {
        const long long at = segment * LENGTH + ahead;
        return at < n ? at : n;
    }
    __host__ __device__ long long operator[](long long segment) const
    {
        return (*this)(segment);
    }
    static size_t count(size_t n)
    {
        return (n + LENGTH - 1) / LENGTH;
    }
};

} // namespace peers

#endif
