// Kernels of the tool itself, compiled when the device is opened.

typedef unsigned int u32;
typedef unsigned long long u64;

// One thread that waits until the host writes `ticket` to *open, at most two seconds, so that all
// that is submitted behind it starts at once. Tells in *seen which of the two it was.
extern "C" __global__ void tune_gate(const volatile u32 *open, volatile u32 *seen, u32 ticket)
{
    u64 start, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    for (;;) {
        if (*open == ticket) {
            *seen = ticket;
            break;
        }
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
        if (now - start > 2000000000ull) {
            *seen = ~ticket;
            break;
        }
    }
    __threadfence_system();
}

extern "C" __global__ void tune_empty()
{
}

// Reads `count` 16-byte words through the L2. The store never happens (the buffer holds zeros), but
// the compiler does not know, and so keeps the loads.
__device__ __forceinline__ void read_zeros(const uint4 *data, u64 count, u32 *sink)
{
    u32 folded = 0;
    u64 stride = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
        uint4 word = __ldcg(data + i);
        folded |= word.x | word.y | word.z | word.w;
    }
    if (folded)
        sink[threadIdx.x & 15] = folded;
}

extern "C" __global__ void tune_clean_read(const uint4 *data, u64 count, u32 *sink)
{
    read_zeros(data, count, sink);
}

// Reads likewise, under a name of its own: its time shows whether the device is as fast as before.
extern "C" __global__ void tune_anchor(const uint4 *data, u64 count, u32 *sink)
{
    read_zeros(data, count, sink);
}

__device__ __forceinline__ u64 mixed(u64 word, u64 place)
{
    u64 x = word ^ (place * 0x9e3779b97f4a7c15ull);
    x *= 0xbf58476d1ce4e5b9ull;
    return x ^ (x >> 31);
}

// A number for each of gridDim.y vectors of `bytes` bytes, `stride` bytes apart: sums[y], 0 before.
// Each word counts with its place, so that none may change or move.
extern "C" __global__ void __launch_bounds__(256)
    tune_sum(const unsigned char *data, u64 stride, u64 bytes, u64 *sums)
{
    u64 sum = 0;
    const unsigned char *vector = data + blockIdx.y * stride;
    u64 width = (u64)gridDim.x * blockDim.x;
    u64 first = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    u64 words = (u64)vector % 16 == 0 ? bytes / 16 : 0;
    for (u64 i = first; i < words; i += width) {
        ulonglong2 word = __ldcg((const ulonglong2 *)vector + i);
        sum += mixed(word.x, 2 * i) + mixed(word.y, 2 * i + 1);
    }
    for (u64 i = words * 16 + first; i < bytes; i += width)
        sum += mixed(vector[i] + 1, i << 32);
    for (int lane = 16; lane > 0; lane /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, lane);
    if (threadIdx.x % 32 == 0)
        atomicAdd(sums + blockIdx.y, sum);
}

// Elements of `width` bytes into every second vector, one block for each: element at[i] of it is
// value i.
extern "C" __global__ void tune_patch(unsigned char *data, u64 stride, u64 width, u64 count,
                                      const u64 *at, const unsigned char *values)
{
    unsigned char *vector = data + (2 * (u64)blockIdx.x + 1) * stride;
    for (u64 i = threadIdx.x; i < count * width; i += blockDim.x)
        vector[at[i / width] * width + i % width] = values[i];
}

// Leaves a pattern in the shared memory of an SM, of which each block takes all.
extern "C" __global__ void tune_spoil(u32 words, u32 pattern)
{
    extern __shared__ volatile u32 shared[];
    for (u32 i = threadIdx.x; i < words; i += blockDim.x)
        shared[i] = pattern;
}
