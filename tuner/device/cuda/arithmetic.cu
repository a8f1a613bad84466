// How many operations per second the device does: each thread goes on with CHAINS values that do not
// wait for one another, all in registers. Compiled when that is measured; CHAINS and UNROLL are
// said there.

typedef unsigned int u32;
typedef unsigned long long u64;

// A fused multiply-add: two operations on each number of a word. `zero` is 0, which the compiler
// does not know: factors and summands are no constants to it.
struct fused_f32 {
    typedef float word;
    static __device__ __forceinline__ word start(u32 seed)
    {
        return (float)seed;
    }
    static __device__ __forceinline__ word step(word x, word, u32 zero)
    {
        return __fmaf_rn(x, 0.5f + (float)zero, 0.75f + (float)zero);
    }
    static __device__ __forceinline__ u32 bits(word x)
    {
        return __float_as_uint(x);
    }
};

struct fused_f64 {
    typedef double word;
    static __device__ __forceinline__ word start(u32 seed)
    {
        return (double)seed;
    }
    static __device__ __forceinline__ word step(word x, word, u32 zero)
    {
        return __fma_rn(x, 0.5 + (double)zero, 0.75 + (double)zero);
    }
    static __device__ __forceinline__ u32 bits(word x)
    {
        return (u32)__double_as_longlong(x);
    }
};

// Two halves a word. In PTX, since NVRTC may be there without its headers.
struct fused_f16 {
    typedef u32 word;
    static __device__ __forceinline__ word start(u32 seed)
    {
        return seed & 0x3fff3fffu; // numbers below 2
    }
    static __device__ __forceinline__ word step(word x, word, u32 zero)
    {
        asm("fma.rn.f16x2 %0, %0, %1, %2;"
            : "+r"(x)
            : "r"(0x38003800u + zero), "r"(0x3a003a00u + zero));
        return x;
    }
    static __device__ __forceinline__ u32 bits(word x)
    {
        return x;
    }
};

template <typename T> struct fused_integer {
    typedef T word;
    static __device__ __forceinline__ word start(u32 seed)
    {
        return (T)seed * 0x9e3779b97f4a7c15ull;
    }
    static __device__ __forceinline__ word step(word x, word, u32 zero)
    {
        return x * (T)(0x5851f42d4c957f2dull + zero) + (T)(0x14057b7ef767814full + zero);
    }
    static __device__ __forceinline__ u32 bits(word x)
    {
        return (u32)(x >> (sizeof(T) * 8 - 32)); // the upper half needs all of the lower one
    }
};

// An addition, of the chain beside it: one operation, which a compiler cannot take together with
// the next.
template <typename T> struct added_integer : fused_integer<T> {
    static __device__ __forceinline__ T step(T x, T beside, u32)
    {
        return x + beside;
    }
};

template <typename F>
static __device__ __forceinline__ void go_on(u32 repeats, u32 zero, u32 *sink)
{
    typename F::word x[CHAINS];
    u32 folded = 0;
#pragma unroll
    for (int i = 0; i < CHAINS; i++)
        x[i] = F::start(threadIdx.x * CHAINS + i + zero);
#pragma unroll 1
    for (u32 repeat = 0; repeat < repeats; repeat++)
#pragma unroll
        for (int step = 0; step < UNROLL; step++)
#pragma unroll
            for (int i = 0; i < CHAINS; i++)
                x[i] = F::step(x[i], x[i ^ 1], zero);
#pragma unroll
    for (int i = 0; i < CHAINS; i++)
        folded ^= F::bits(x[i]) * (2 * i + 3);
    if (folded == 0x7f4a7c15u + zero) // next to never, but the compiler cannot know
        sink[threadIdx.x & 15] = folded;
}

#define KERNEL(name, F)                                                                            \
    extern "C" __global__ void __launch_bounds__(BLOCK) name(u32 repeats, u32 zero, u32 *sink)     \
    {                                                                                              \
        go_on<F>(repeats, zero, sink);                                                             \
    }

KERNEL(tune_fused_f16, fused_f16)
KERNEL(tune_fused_f32, fused_f32)
KERNEL(tune_fused_f64, fused_f64)
KERNEL(tune_fused_i32, fused_integer<u32>)
KERNEL(tune_fused_i64, fused_integer<u64>)
KERNEL(tune_added_i32, added_integer<u32>)
KERNEL(tune_added_i64, added_integer<u64>)
