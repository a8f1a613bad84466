// Reads n words and adds them up, with as many blocks resident as one likes: their number is set by
// the block, by the dynamic shared memory that each is given, and by MIN_BLOCKS, which keeps the
// registers low enough. Right for any n >= 0, any grid and any alignment of `in`.
//
// Defines (configs/occupancy.yaml):
//   BLOCK       threads per block, a multiple of 32
//   LOADS       independent loads of 16 bytes that a thread has in flight
//   MIN_BLOCKS  resident blocks per SM that registers are kept free for
//
// Dynamic shared memory: at least 4 bytes per warp are used, and whatever is more fills the SM.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 700
#error "needs compute capability 7.0: loads that are not kept in L1"
#endif
#ifndef DYNAMIC_SHARED
#define DYNAMIC_SHARED(type, name) extern __shared__ type name[]
#endif

typedef unsigned long long size_type;

struct alignas(16) pack {
    unsigned int word[4];
};

enum : int { WARP = 32, WARPS = BLOCK / WARP, VECTOR = 4, TILE_PACKS = BLOCK * LOADS };
static_assert(BLOCK % WARP == 0 && WARPS >= 1 && WARPS <= WARP, "BLOCK: 32 to 1024, whole warps");

static __device__ __forceinline__ pack load_pack(const pack *from)
{
#ifdef __CUDA_ARCH__
    pack got;
    asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(got.word[0]), "=r"(got.word[1]), "=r"(got.word[2]), "=r"(got.word[3])
                 : "l"(from));
    return got;
#else
    const pack &aligned = *from; // named, so that a sanitizer checks its alignment
    return aligned;
#endif
}

// LOADS packs, BLOCK apart, the first at word `at`; of the tile's packs those below `rest` count.
template <bool full>
static __device__ __forceinline__ unsigned int sum_of_tile(const unsigned int *in, size_type at,
                                                           unsigned int rest)
{
    pack got[LOADS] = {};
    unsigned int sum = 0;
#pragma unroll
    for (int i = 0; i < LOADS; i++)
        if (full || threadIdx.x + i * BLOCK < rest)
            got[i] = load_pack((const pack *)(in + (at + i * BLOCK * VECTOR)));
#pragma unroll
    for (int i = 0; i < LOADS; i++)
        sum += (got[i].word[0] + got[i].word[1]) + (got[i].word[2] + got[i].word[3]);
    return sum;
}

// What this thread adds up: its block's tiles, and in the last block the words before the first
// aligned pack and behind the last.
static __device__ __forceinline__ unsigned int thread_sum(const unsigned int *in, size_type n)
{
    const unsigned int ahead = (0u - (unsigned int)((size_type)in / sizeof(*in))) % VECTOR;
    const unsigned int head = n < ahead ? (unsigned int)n : ahead;
    const size_type packs = (n - head) / VECTOR;
    const unsigned int ends = (unsigned int)(n - packs * VECTOR);
    unsigned int sum = 0;

    if (threadIdx.x < ends && blockIdx.x == gridDim.x - 1)
        sum = in[threadIdx.x < head ? threadIdx.x : n - ends + threadIdx.x];
    // Tiles are counted in 32 bits, which is enough below 2^36 words.
    const unsigned int full_tiles = (unsigned int)(packs / TILE_PACKS);
    unsigned int tile = blockIdx.x;
    size_type at = head + ((size_type)tile * TILE_PACKS + threadIdx.x) * VECTOR;
    const size_type stride = (size_type)gridDim.x * TILE_PACKS * VECTOR;
#pragma unroll 1
    for (; tile < full_tiles; tile += gridDim.x, at += stride)
        sum += sum_of_tile<true>(in, at, TILE_PACKS);
    if (tile == full_tiles)
        sum += sum_of_tile<false>(in, at, (unsigned int)(packs % TILE_PACKS));
    return sum;
}

// All lanes of the warp take part. The sum is lane 0's.
static __device__ __forceinline__ unsigned int warp_sum(unsigned int sum)
{
#pragma unroll
    for (int distance = WARP / 2; distance > 0; distance /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, distance);
    return sum;
}

// in[0..n) -> out[0], modulo 2^32. *state is 0 before and after; launches that may overlap need one
// each. It holds the sum of the blocks that are done in its upper half and their number in its
// lower, so that one atomic tells the last block both.
extern "C" __global__ void __launch_bounds__(BLOCK, MIN_BLOCKS)
    occupancy(const unsigned int *__restrict__ in, unsigned int *__restrict__ out,
              unsigned long long *__restrict__ state, long long n)
{
    DYNAMIC_SHARED(unsigned int, of_warp);
    const unsigned int lane = threadIdx.x % WARP;
    unsigned int sum = warp_sum(thread_sum(in, (size_type)n));
    if (lane == 0)
        of_warp[threadIdx.x / WARP] = sum;
    __syncthreads();
    if (threadIdx.x >= WARP)
        return;
    sum = warp_sum(lane < WARPS ? of_warp[lane] : 0u);
    if (lane != 0)
        return;
    const unsigned long long before = atomicAdd(state, ((unsigned long long)sum << 32) | 1u);
    if ((unsigned int)before == gridDim.x - 1) {
        out[0] = (unsigned int)(before >> 32) + sum;
        *state = 0;
    }
}
