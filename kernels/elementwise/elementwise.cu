// Element by element: out = a + b, out = a, or out = value. What such a kernel moves in a second is
// what a reduction is held against. Right for any n >= 0, any grid and any alignment of a, b and
// out; where they cannot all be aligned at once, elements are moved one by one. `out` overlaps
// neither a nor b.
//
// Defines (configs/elementwise.yaml):
//   ELEMENT     type of an element, 4 or 8 bytes; integers wrap
//   INPUTS      2: out = a + b; 1: out = a; 0: out = value
//   BLOCK       threads per block, a multiple of 32
//   VECTOR      elements per load and store; 1 or as many as make 8 or 16 bytes
//   LOADS       packs of each input that a thread has in flight before it stores the first
//   LOAD_HINT   1: loads pass by L1 (read once)
//   STORE_HINT  1: streaming stores, the first to leave L2
//   MIN_BLOCKS  resident blocks per SM that registers are kept free for (default 1)
#ifndef MIN_BLOCKS
#define MIN_BLOCKS 1
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 700
#error "needs compute capability 7.0: loads that are not kept in L1"
#endif
#if LOAD_HINT
#define LOAD "ld.global.nc.L1::no_allocate"
#else
#define LOAD "ld.global"
#endif
#if STORE_HINT
#define STORE "st.global.cs"
#else
#define STORE "st.global"
#endif

// Signed overflow is undefined, so signed integers are added as unsigned ones, which wrap.
template <typename T> struct addable {
    typedef T type;
};
template <> struct addable<int> {
    typedef unsigned int type;
};
template <> struct addable<long long> {
    typedef unsigned long long type;
};
typedef addable<ELEMENT>::type lane_t;
typedef unsigned long long size_type;

// `count` elements that are loaded and stored as one.
template <int count> union alignas(count * sizeof(ELEMENT)) pack {
    lane_t lane[count];
    unsigned int word[count * sizeof(ELEMENT) / 4];
};

enum : int { TILE_PACKS = BLOCK * LOADS };
static_assert(BLOCK % 32 == 0 && BLOCK >= 32 && BLOCK <= 1024, "BLOCK: 32 to 1024, whole warps");
static_assert(2 * (VECTOR - 1) <= BLOCK, "the ends that no pack covers are one element per thread");
static_assert(sizeof(ELEMENT) == 4 || sizeof(ELEMENT) == 8, "ELEMENT: 4 or 8 bytes");
static_assert(INPUTS >= 0 && INPUTS <= 2, "INPUTS: 0, 1 or 2");

template <int count>
static __device__ __forceinline__ pack<count> load_pack(const pack<count> *from)
{
#ifdef __CUDA_ARCH__
    pack<count> got;
    if constexpr (sizeof(got) == 16)
        asm volatile(LOAD ".v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(got.word[0]), "=r"(got.word[1]), "=r"(got.word[2]), "=r"(got.word[3])
                     : "l"(from));
    else if constexpr (sizeof(got) == 8)
        asm volatile(LOAD ".v2.u32 {%0, %1}, [%2];"
                     : "=r"(got.word[0]), "=r"(got.word[1])
                     : "l"(from));
    else
        asm volatile(LOAD ".u32 %0, [%1];" : "=r"(got.word[0]) : "l"(from));
    return got;
#else
    const pack<count> &aligned = *from; // named, so that a sanitizer checks its alignment
    return aligned;
#endif
}

template <int count>
static __device__ __forceinline__ void store_pack(pack<count> *to, const pack<count> &value)
{
#ifdef __CUDA_ARCH__
    if constexpr (sizeof(value) == 16)
        asm volatile(STORE ".v4.u32 [%0], {%1, %2, %3, %4};"
                     :
                     : "l"(to), "r"(value.word[0]), "r"(value.word[1]), "r"(value.word[2]),
                       "r"(value.word[3])
                     : "memory");
    else if constexpr (sizeof(value) == 8)
        asm volatile(STORE ".v2.u32 [%0], {%1, %2};"
                     :
                     : "l"(to), "r"(value.word[0]), "r"(value.word[1])
                     : "memory");
    else
        asm volatile(STORE ".u32 [%0], %1;" : : "l"(to), "r"(value.word[0]) : "memory");
#else
    pack<count> &aligned = *to;
    aligned = value;
#endif
}

static __device__ __forceinline__ ELEMENT element(const ELEMENT *a, const ELEMENT *b, ELEMENT value,
                                                  size_type i)
{
    if constexpr (INPUTS == 0)
        return value;
    else if constexpr (INPUTS == 1)
        return a[i];
    else
        return (ELEMENT)((lane_t)a[i] + (lane_t)b[i]);
}

// LOADS packs, BLOCK apart, the first at element `at`; of the tile's packs those below `rest` are
// there. All loads are issued before the first store, which might otherwise wait for its load
// alone.
template <int count, bool full>
static __device__ __forceinline__ void move_tile(const ELEMENT *a, const ELEMENT *b, ELEMENT *out,
                                                 ELEMENT value, size_type at, unsigned int rest)
{
    pack<count> got[LOADS] = {}, other[LOADS] = {};
#pragma unroll
    for (int i = 0; i < LOADS; i++)
        if (full || threadIdx.x + i * BLOCK < rest) {
            if constexpr (INPUTS >= 1)
                got[i] = load_pack<count>((const pack<count> *)(a + (at + i * BLOCK * count)));
            if constexpr (INPUTS == 2)
                other[i] = load_pack<count>((const pack<count> *)(b + (at + i * BLOCK * count)));
        }
#pragma unroll
    for (int i = 0; i < LOADS; i++)
        if (full || threadIdx.x + i * BLOCK < rest) {
#pragma unroll
            for (int k = 0; k < count; k++)
                if constexpr (INPUTS == 0)
                    got[i].lane[k] = (lane_t)value;
                else if constexpr (INPUTS == 2)
                    got[i].lane[k] += other[i].lane[k];
            store_pack<count>((pack<count> *)(out + (at + i * BLOCK * count)), got[i]);
        }
}

// Blocks take tiles in turn; the tile that n does not fill falls to the block whose turn it is; the
// fewer than `count` elements before the first aligned pack and behind the last go to the last
// block, which never has more tiles than another.
template <int count>
static __device__ __forceinline__ void move(const ELEMENT *a, const ELEMENT *b, ELEMENT *out,
                                            ELEMENT value, size_type n)
{
    const unsigned int ahead = (0u - (unsigned int)((size_type)out / sizeof(ELEMENT))) % count;
    const unsigned int head = n < ahead ? (unsigned int)n : ahead;
    const size_type packs = (n - head) / count;
    const unsigned int ends = (unsigned int)(n - packs * count);

    if (count > 1 && threadIdx.x < ends && blockIdx.x == gridDim.x - 1) {
        const size_type i = threadIdx.x < head ? threadIdx.x : n - ends + threadIdx.x;
        out[i] = element(a, b, value, i);
    }
    // Tiles are counted in 32 bits, which is enough below 2^36 elements.
    const unsigned int full_tiles = (unsigned int)(packs / TILE_PACKS);
    unsigned int tile = blockIdx.x;
    size_type at = head + ((size_type)tile * TILE_PACKS + threadIdx.x) * count;
    const size_type stride = (size_type)gridDim.x * TILE_PACKS * count;
#pragma unroll 1
    for (; tile < full_tiles; tile += gridDim.x, at += stride)
        move_tile<count, true>(a, b, out, value, at, TILE_PACKS);
    if (tile == full_tiles)
        move_tile<count, false>(a, b, out, value, at, (unsigned int)(packs % TILE_PACKS));
}

// Whether `in` has its aligned packs where `out` has them.
static __device__ __forceinline__ bool in_step(const ELEMENT *in, const ELEMENT *out)
{
    return ((size_type)in - (size_type)out) % sizeof(pack<VECTOR>) == 0;
}

// out[0..n). Inputs that are not used may be anything.
extern "C" __global__ void __launch_bounds__(BLOCK, MIN_BLOCKS)
    elementwise(const ELEMENT *__restrict__ a, const ELEMENT *__restrict__ b,
                ELEMENT *__restrict__ out, ELEMENT value, long long n)
{
    if ((INPUTS < 1 || in_step(a, out)) && (INPUTS < 2 || in_step(b, out)))
        move<VECTOR>(a, b, out, value, (size_type)n);
    else
        move<1>(a, b, out, value, (size_type)n);
}
