// Ways to read, write and copy, by which the ceilings of the memory are measured: the best of them
// counts. Compiled when ceilings are measured. `count` is of 16-byte words, for the bulk kernels in
// whole tiles. A way that an architecture or a compiler cannot provide becomes the plain one.

typedef unsigned int u32;
typedef unsigned long long u64;

#define COMPILER (__CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__)

// Loads data that is not read again.
__device__ __forceinline__ uint4 load_once(const uint4 *address)
{
    uint4 word;
#if __CUDA_ARCH__ >= 700 && COMPILER >= 1104
    asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(word.x), "=r"(word.y), "=r"(word.z), "=r"(word.w)
                 : "l"(address));
#else
    asm volatile("ld.global.cs.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(word.x), "=r"(word.y), "=r"(word.z), "=r"(word.w)
                 : "l"(address));
#endif
    return word;
}

// Returns the policy of lines that the L2 is to drop first.
__device__ __forceinline__ u64 first_to_go()
{
    u64 policy = 0;
#if __CUDA_ARCH__ >= 800 && COMPILER >= 1104
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
#endif
    return policy;
}

__device__ __forceinline__ uint4 load_first_to_go(const uint4 *address, u64 policy)
{
#if __CUDA_ARCH__ >= 800 && COMPILER >= 1104
    uint4 word;
    asm volatile("ld.global.nc.L1::no_allocate.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
                 : "=r"(word.x), "=r"(word.y), "=r"(word.z), "=r"(word.w)
                 : "l"(address), "l"(policy));
    return word;
#else
    return load_once(address);
#endif
}

__device__ __forceinline__ void store_once(uint4 *address, uint4 word)
{
    asm volatile("st.global.cs.v4.u32 [%0], {%1, %2, %3, %4};"
                 :
                 : "l"(address), "r"(word.x), "r"(word.y), "r"(word.z), "r"(word.w)
                 : "memory");
}

// Words that differ from one another: memories move zeros at less power than data.
__device__ __forceinline__ uint4 word_at(u64 i)
{
    u32 low = (u32)i * 0x9e3779b9u;
    u32 high = low ^ (low >> 15) ^ (u32)(i >> 32);
    return make_uint4(low, high * 0x85ebca6bu, low + high, high ^ 0xc2b2ae35u);
}

enum hint { ONCE, FIRST_TO_GO };

template <int LOADS, hint HINT>
__device__ __forceinline__ void read_words(const uint4 *data, u64 count, u32 *sink)
{
    u32 folded = 0;
    u64 policy = HINT == FIRST_TO_GO ? first_to_go() : 0;
    u64 width = blockDim.x;
    u64 i = blockIdx.x * width * LOADS + threadIdx.x;
    for (; i + (LOADS - 1) * width < count; i += gridDim.x * width * LOADS) {
        uint4 words[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; k++)
            words[k] = HINT == FIRST_TO_GO ? load_first_to_go(data + i + k * width, policy)
                                           : load_once(data + i + k * width);
#pragma unroll
        for (int k = 0; k < LOADS; k++)
            folded ^= words[k].x ^ words[k].y ^ words[k].z ^ words[k].w;
    }
    for (u64 end = i + (LOADS - 1) * width; i < count && i < end; i += width) {
        uint4 word = load_once(data + i);
        folded ^= word.x ^ word.y ^ word.z ^ word.w;
    }
    // Whether the store ever happens does not matter.
    if (folded == 0x5eed5eedu)
        sink[threadIdx.x & 15] = folded;
}

template <int STORES> __device__ __forceinline__ void write_words(uint4 *data, u64 count)
{
    u64 width = blockDim.x;
    u64 i = blockIdx.x * width * STORES + threadIdx.x;
    for (; i < count; i += gridDim.x * width * STORES) {
#pragma unroll
        for (int k = 0; k < STORES; k++)
            if (i + k * width < count)
                store_once(data + i + k * width, word_at(i + k * width));
    }
}

template <int LOADS>
__device__ __forceinline__ void copy_words(const uint4 *from, u64 count, uint4 *to)
{
    u64 width = blockDim.x;
    u64 i = blockIdx.x * width * LOADS + threadIdx.x;
    for (; i < count; i += gridDim.x * width * LOADS) {
        uint4 words[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; k++)
            if (i + k * width < count)
                words[k] = load_once(from + i + k * width);
#pragma unroll
        for (int k = 0; k < LOADS; k++)
            if (i + k * width < count)
                store_once(to + i + k * width, words[k]);
    }
}

#define KERNEL extern "C" __global__ void __launch_bounds__(1024)

KERNEL tune_read_2(const uint4 *data, u64 count, u32 *sink)
{
    read_words<2, ONCE>(data, count, sink);
}

KERNEL tune_read_4(const uint4 *data, u64 count, u32 *sink)
{
    read_words<4, ONCE>(data, count, sink);
}

KERNEL tune_read_8(const uint4 *data, u64 count, u32 *sink)
{
    read_words<8, ONCE>(data, count, sink);
}

KERNEL tune_read_first_to_go(const uint4 *data, u64 count, u32 *sink)
{
    read_words<4, FIRST_TO_GO>(data, count, sink);
}

// One store a turn, of the ordinary kind.
KERNEL tune_write_1(uint4 *data, u64 count)
{
    u64 stride = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride)
        data[i] = word_at(i);
}

KERNEL tune_write_4(uint4 *data, u64 count)
{
    write_words<4>(data, count);
}

KERNEL tune_copy_4(const uint4 *from, u64 count, uint4 *to)
{
    copy_words<4>(from, count, to);
}

KERNEL tune_copy_8(const uint4 *from, u64 count, uint4 *to)
{
    copy_words<8>(from, count, to);
}

// ---- bulk copies: one thread of a block keeps several tiles under way ----

#if __CUDA_ARCH__ >= 900 && COMPILER >= 1200
#define HAS_BULK 1
#else
#define HAS_BULK 0
#endif

#if HAS_BULK
struct __align__(128) stages
{
    uint4 tiles[STAGES][TILE / 16];
    u64 barriers[STAGES];
};

__device__ __forceinline__ u32 shared_address(const void *pointer)
{
    return (u32)__cvta_generic_to_shared(pointer);
}

__device__ __forceinline__ void make_barriers(stages &stages)
{
    for (int k = 0; k < STAGES; k++)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;"
                     :
                     : "r"(shared_address(&stages.barriers[k]))
                     : "memory");
    asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
}

__device__ __forceinline__ void begin_load(stages &stages, int stage, const uint4 *from)
{
    u32 barrier = shared_address(&stages.barriers[stage]);
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                 :
                 : "r"(barrier), "r"(TILE)
                 : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                 " [%0], [%1], %2, [%3];"
                 :
                 : "r"(shared_address(stages.tiles[stage])), "l"(from), "r"(TILE), "r"(barrier)
                 : "memory");
}

__device__ __forceinline__ void await_load(stages &stages, int stage, u32 parity)
{
    u32 done = 0;
    while (!done)
        asm volatile("{\n"
                     ".reg .pred done;\n"
                     "mbarrier.try_wait.parity.shared::cta.b64 done, [%1], %2;\n"
                     "selp.u32 %0, 1, 0, done;\n"
                     "}"
                     : "=r"(done)
                     : "r"(shared_address(&stages.barriers[stage])), "r"(parity)
                     : "memory");
}

__device__ __forceinline__ void begin_store(stages &stages, int stage, uint4 *to)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\n"
                 "cp.async.bulk.commit_group;"
                 :
                 : "l"(to), "r"(shared_address(stages.tiles[stage])), "r"(TILE)
                 : "memory");
}
#endif

// Reads by bulk copies. A stage is loaded again once its last load has come: the data is dropped.
KERNEL tune_read_bulk(const uint4 *data, u64 count, u32 *sink)
{
#if HAS_BULK
    __shared__ stages stages;
    u64 tiles = count / (TILE / 16);
    u64 turn = 0;
    if (threadIdx.x != 0)
        return;
    make_barriers(stages);
    for (u64 tile = blockIdx.x; tile < tiles; tile += gridDim.x, turn++) {
        int stage = turn % STAGES;
        if (turn >= STAGES)
            await_load(stages, stage, (turn / STAGES - 1) & 1);
        begin_load(stages, stage, data + tile * (TILE / 16));
    }
    for (u64 last = turn > STAGES ? turn - STAGES : 0; last < turn; last++)
        await_load(stages, last % STAGES, (last / STAGES) & 1);
#else
    read_words<4, ONCE>(data, count, sink);
#endif
}

KERNEL tune_write_bulk(uint4 *data, u64 count)
{
#if HAS_BULK
    __shared__ stages stages;
    u64 tiles = count / (TILE / 16);
    for (u32 i = threadIdx.x; i < TILE / 16; i += blockDim.x)
        stages.tiles[0][i] = word_at(blockIdx.x * (u64)(TILE / 16) + i);
    asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    for (u64 tile = blockIdx.x; tile < tiles; tile += gridDim.x)
        begin_store(stages, 0, data + tile * (TILE / 16));
    asm volatile("cp.async.bulk.wait_group 0;" : : : "memory");
#else
    write_words<4>(data, count);
#endif
}

// The stage that is loaded into next is that of the store before the last one.
KERNEL tune_copy_bulk(const uint4 *from, u64 count, uint4 *to)
{
#if HAS_BULK
    __shared__ stages stages;
    u64 tiles = count / (TILE / 16);
    u64 loaded = blockIdx.x;
    u64 turn = 0;
    if (threadIdx.x != 0)
        return;
    make_barriers(stages);
    for (int k = 0; k + 1 < STAGES && loaded < tiles; k++, loaded += gridDim.x)
        begin_load(stages, k, from + loaded * (TILE / 16));
    for (u64 tile = blockIdx.x; tile < tiles; tile += gridDim.x, turn++) {
        int stage = turn % STAGES;
        await_load(stages, stage, (turn / STAGES) & 1);
        begin_store(stages, stage, to + tile * (TILE / 16));
        if (loaded < tiles) {
            asm volatile("cp.async.bulk.wait_group.read 1;" : : : "memory");
            begin_load(stages, (turn + STAGES - 1) % STAGES, from + loaded * (TILE / 16));
            loaded += gridDim.x;
        }
    }
    asm volatile("cp.async.bulk.wait_group 0;" : : : "memory");
#else
    copy_words<4>(from, count, to);
#endif
}
