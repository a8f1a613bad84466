// Sum of n elements: one block, many blocks in two launches, many blocks in one launch that ends in
// a last-block guard. Every kernel is right for any n >= 0, any grid and any alignment of `in`, and
// adds in an order that depends on n, alignment and launch only: the same sum every time.
//
// Defines (configs/reduce.yaml):
//   ELEMENT     type of an element; integers wrap
//   BLOCK       threads a block, a multiple of 32
//   VECTOR      elements a load; 1 or as many as make 8 or 16 bytes
//   LOADS       independent loads that a thread has in flight
//   SHUFFLE     the block's step: 0 a tree in shared memory, 1 warp shuffles
//   MIN_BLOCKS  resident blocks an SM that registers are kept free for (default 1). Without a bound
//               the compiler saves registers for more blocks, by loading one after another.
#ifndef MIN_BLOCKS
#define MIN_BLOCKS 1
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 700
#error "needs compute capability 7.0: shuffles and atomics with a memory order"
#endif

// Signed overflow is undefined, so signed integers are added as unsigned ones, which wrap. redux: a
// warp adds these in one instruction (compute capability 8.0).
template <typename T> struct addable {
    typedef T type;
    static constexpr bool redux = false;
};
template <> struct addable<unsigned int> {
    typedef unsigned int type;
    static constexpr bool redux = true;
};
template <> struct addable<int> : addable<unsigned int> {
};
template <> struct addable<long long> : addable<unsigned long long> {
};
typedef addable<ELEMENT>::type sum_t;
typedef unsigned long long size_type;

union alignas(VECTOR * sizeof(ELEMENT)) pack {
    sum_t lane[VECTOR];
    unsigned int word[VECTOR * sizeof(ELEMENT) / 4];
};

enum : int { WARP = 32, WARPS = BLOCK / WARP, TILE_PACKS = BLOCK * LOADS, PARTIAL_LOADS = 4 };
static_assert(BLOCK % WARP == 0 && WARPS >= 1 && WARPS <= WARP, "BLOCK: 32 to 1024, whole warps");
static_assert(2 * (VECTOR - 1) <= BLOCK, "the ends that no pack covers are one element a thread");
static_assert(sizeof(ELEMENT) == 4 || sizeof(ELEMENT) == 8, "ELEMENT: 4 or 8 bytes");

// Input is read once: packs pass by L1. A single element is a plain load, as a textbook has it.
static __device__ __forceinline__ pack load_pack(const pack *from)
{
#ifdef __CUDA_ARCH__
    pack got;
    if constexpr (VECTOR > 1 && sizeof(pack) == 16) {
        asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(got.word[0]), "=r"(got.word[1]), "=r"(got.word[2]), "=r"(got.word[3])
                     : "l"(from));
        return got;
    } else if constexpr (VECTOR > 1 && sizeof(pack) == 8) {
        asm volatile("ld.global.nc.L1::no_allocate.v2.u32 {%0, %1}, [%2];"
                     : "=r"(got.word[0]), "=r"(got.word[1])
                     : "l"(from));
        return got;
    }
#endif
    const pack &aligned = *from; // named, so that a host compiler's sanitizer checks its alignment
    return aligned;
}

// A partial of another block, as it is in L2: L1 may hold an older one.
static __device__ __forceinline__ sum_t load_partial(const ELEMENT *from)
{
#ifdef __CUDA_ARCH__
    union {
        sum_t value;
        unsigned int word;
        unsigned long long words;
    } got;
    if constexpr (sizeof(ELEMENT) == 4)
        asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(got.word) : "l"(from) : "memory");
    else
        asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];"
                     : "=l"(got.words)
                     : "l"(from)
                     : "memory");
    return got.value;
#else
    return (sum_t) * (const volatile ELEMENT *)from;
#endif
}

// Takes a ticket: what this thread wrote before is seen by whoever takes a later one. The last of
// `count` tickets turns the counter back to 0, ready for the next launch.
static __device__ __forceinline__ unsigned int take_ticket(unsigned int *ticket, unsigned int count)
{
#ifdef __CUDA_ARCH__
    unsigned int taken;
    asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;"
                 : "=r"(taken)
                 : "l"(ticket), "r"(count - 1)
                 : "memory");
    return taken;
#else
    __threadfence();
    const unsigned int taken = atomicInc(ticket, count - 1);
    __threadfence();
    return taken;
#endif
}

// Pairwise: short dependency chains, and for reals a small error.
template <int COUNT> static __device__ __forceinline__ sum_t sum_of(const sum_t *value)
{
    if constexpr (COUNT == 1)
        return value[0];
    else
        return sum_of<(COUNT + 1) / 2>(value) + sum_of<COUNT / 2>(value + (COUNT + 1) / 2);
}

// The pack at `at` when it is one of the tile's `rest` packs, else zeros.
static __device__ __forceinline__ pack load_pack_below(const pack *at, unsigned int index,
                                                       unsigned int rest)
{
    pack none = {};
    return index < rest ? load_pack(at) : none;
}

static __device__ __forceinline__ sum_t sum_of_packs(const pack (&packs)[LOADS])
{
    sum_t value[LOADS * VECTOR];
#pragma unroll
    for (int i = 0; i < LOADS * VECTOR; i++)
        value[i] = packs[i / VECTOR].lane[i % VECTOR];
    return sum_of<LOADS * VECTOR>(value);
}

// What this thread adds up of its block's tiles. Blocks take tiles in turn; the tile that n does
// not fill falls to the block whose turn it is; the fewer than VECTOR elements before the first
// aligned pack and behind the last go to the last block, which never has more tiles than another.
static __device__ __forceinline__ sum_t thread_sum(const ELEMENT *__restrict__ in, long long n)
{
    const unsigned int ahead = (0u - (unsigned int)((size_type)in / sizeof(ELEMENT))) % VECTOR;
    const unsigned int head = (size_type)n < ahead ? (unsigned int)n : ahead;
    const size_type packs = ((size_type)n - head) / VECTOR;
    const unsigned int ends = (unsigned int)((size_type)n - packs * VECTOR);
    const pack *mine = (const pack *)(in + head) + threadIdx.x;
    sum_t sum = 0;

    if (VECTOR > 1 && threadIdx.x < ends && blockIdx.x == gridDim.x - 1)
        sum = (sum_t)in[threadIdx.x < head ? threadIdx.x : (size_type)n - ends + threadIdx.x];

    // Tiles are counted in 32 bits, which is enough below 2^36 elements.
    const unsigned int full_tiles = (unsigned int)(packs / TILE_PACKS);
    unsigned int tile = blockIdx.x;
#pragma unroll 1
    for (; tile < full_tiles; tile += gridDim.x) {
        const pack *at = mine + (size_type)tile * TILE_PACKS;
        pack got[LOADS];
#pragma unroll
        for (int i = 0; i < LOADS; i++)
            got[i] = load_pack(at + i * BLOCK);
        sum += sum_of_packs(got);
    }
    if (tile == full_tiles) {
        const pack *at = mine + (size_type)tile * TILE_PACKS;
        const unsigned int rest = (unsigned int)(packs % TILE_PACKS);
        pack got[LOADS];
#pragma unroll
        for (int i = 0; i < LOADS; i++)
            got[i] = load_pack_below(at + i * BLOCK, threadIdx.x + i * BLOCK, rest);
        sum += sum_of_packs(got);
    }
    return sum;
}

// All lanes of the warp take part. The sum is lane 0's.
template <typename T> static __device__ __forceinline__ T warp_sum(T sum)
{
    constexpr unsigned int all = 0xffffffffu;
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    if constexpr (addable<T>::redux) {
        return __reduce_add_sync(all, sum);
    } else
#endif
    {
#pragma unroll
        for (int distance = WARP / 2; distance > 0; distance /= 2)
            sum += __shfl_down_sync(all, sum, distance);
        return sum;
    }
}

// All threads of the block take part. The sum is thread 0's. A barrier must come before the next
// call.
static __device__ __forceinline__ sum_t block_sum(sum_t sum)
{
#if SHUFFLE
    __shared__ sum_t of_warp[WARPS];
    const int lane = threadIdx.x % WARP;
    sum = warp_sum(sum);
    if (WARPS == 1)
        return sum;
    if (lane == 0)
        of_warp[threadIdx.x / WARP] = sum;
    __syncthreads();
    if (threadIdx.x < WARP)
        sum = warp_sum(lane < WARPS ? of_warp[lane] : (sum_t)0);
    return sum;
#else
    __shared__ sum_t of_thread[BLOCK];
    of_thread[threadIdx.x] = sum;
    __syncthreads();
#pragma unroll
    for (int count = BLOCK; count > 1; count = (count + 1) / 2) {
        if ((int)threadIdx.x < count / 2)
            of_thread[threadIdx.x] += of_thread[threadIdx.x + (count + 1) / 2];
        __syncthreads();
    }
    return of_thread[0];
#endif
}

// in[0..n) -> out[0]. One block; more would each write the sum of a part.
extern "C" __global__ void __launch_bounds__(BLOCK, MIN_BLOCKS)
    reduce_one_block(const ELEMENT *__restrict__ in, ELEMENT *__restrict__ out, ELEMENT *partials,
                     unsigned int *ticket, long long n)
{
    (void)partials;
    (void)ticket;
    const sum_t sum = block_sum(thread_sum(in, n));
    if (threadIdx.x == 0)
        out[0] = (ELEMENT)sum;
}

// The first of two launches: in[0..n) -> one partial a block. The second is reduce_one_block.
extern "C" __global__ void __launch_bounds__(BLOCK, MIN_BLOCKS)
    reduce_two_launches(const ELEMENT *__restrict__ in, ELEMENT *__restrict__ out,
                        ELEMENT *__restrict__ partials, unsigned int *ticket, long long n)
{
    (void)out;
    (void)ticket;
    const sum_t sum = block_sum(thread_sum(in, n));
    if (threadIdx.x == 0)
        partials[blockIdx.x] = (ELEMENT)sum;
}

// in[0..n) -> out[0] by any number of blocks in one launch: the block that is last to write its
// partial adds them all. *ticket is 0 before and after; launches that may overlap need one each.
extern "C" __global__ void __launch_bounds__(BLOCK, MIN_BLOCKS)
    reduce_last_block(const ELEMENT *__restrict__ in, ELEMENT *__restrict__ out, ELEMENT *partials,
                      unsigned int *ticket, long long n)
{
    const unsigned int blocks = gridDim.x;
    sum_t sum = block_sum(thread_sum(in, n));
    if (blocks > 1) {
        int last = 0;
        if (threadIdx.x == 0) {
            partials[blockIdx.x] = (ELEMENT)sum;
            last = take_ticket(ticket, blocks) == blocks - 1;
        }
        if (!__syncthreads_or(last))
            return;
        sum = 0;
        for (unsigned int first = threadIdx.x; first < blocks; first += PARTIAL_LOADS * BLOCK) {
            sum_t value[PARTIAL_LOADS];
#pragma unroll
            for (unsigned int i = 0; i < PARTIAL_LOADS; i++)
                value[i] = first + i * BLOCK < blocks ? load_partial(partials + first + i * BLOCK)
                                                      : (sum_t)0;
            sum += sum_of<PARTIAL_LOADS>(value);
        }
        sum = block_sum(sum);
    }
    if (threadIdx.x == 0)
        out[0] = (ELEMENT)sum;
}
