// n items of unequal cost: who takes which? An item is a recurrence over its seed, as many steps as
// the item costs; out[i] is where it ends. Every kernel is right for any n >= 0 and any grid.
//
// Defines (configs/work_queue.yaml):
//   BLOCK   threads per block, a multiple of 32
//   SKEWED  0: every item costs the same. 1: one item in 256 costs 1024 times as much as the
//           others. 2: one in 32 costs 128 times as much. Dear items lie together: clusters of
//           256, all of them in the first quarter
//   CHUNK   items for each thread that a block or a warp takes from the queue at a time
typedef unsigned long long size_type;

enum : unsigned int {
    WARP = 32,
    CLUSTER = 256,
    REGION = SKEWED == 2 ? 8 : 64,
    DEAR_STEPS = SKEWED == 2 ? 1024 : 8192
};
static_assert(BLOCK % WARP == 0 && BLOCK <= 1024, "BLOCK: 32 to 1024, whole warps");

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 700
#error "needs compute capability 7.0: shuffles with a mask and atomics with a memory order"
#endif

// In the first quarter one cluster in REGION is dear; which, a hash of the region's number says.
static __device__ __forceinline__ unsigned int steps_of(size_type item, size_type n)
{
#if SKEWED
    const unsigned int cluster = (unsigned int)(item / CLUSTER);
    const unsigned int dear = (cluster / REGION + 1) * 0x9e3779b1u >> 26;
    return item < n / 4 && cluster % REGION == dear % REGION ? (unsigned int)DEAR_STEPS : 8u;
#else
    (void)item;
    (void)n;
    return 40;
#endif
}

// Each step can be undone, so a step too many or too few shows; none can be foreseen by a compiler.
static __device__ __forceinline__ void do_item(const unsigned int *__restrict__ seeds,
                                               unsigned int *__restrict__ out, size_type item,
                                               size_type n)
{
    const unsigned int steps = steps_of(item, n);
    unsigned int x = seeds[item];
#pragma unroll 1
    for (unsigned int step = 0; step < steps; step++)
        x = (x ^ x >> 15) * 0x2c1b3c6du + 0x9e3779b9u;
    out[item] = x;
}

// Items first, first + stride ... below end.
static __device__ __forceinline__ void do_items(const unsigned int *__restrict__ seeds,
                                                unsigned int *__restrict__ out, size_type first,
                                                size_type end, size_type stride, size_type n)
{
#pragma unroll 1
    for (size_type item = first; item < end; item += stride)
        do_item(seeds, out, item, n);
}

static __device__ __forceinline__ size_type smaller(size_type a, size_type b)
{
    return a < b ? a : b;
}

// Takes a ticket: what this thread's block did before is seen by whoever takes a later one. The
// last of `count` tickets turns the counter back to 0, ready for the next launch.
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

// The block has no more use for the queue; the last one out closes it. Barrier: all threads.
static __device__ __forceinline__ void leave_queue(size_type *next, unsigned int *ticket)
{
    __syncthreads();
    if (threadIdx.x == 0 && take_ticket(ticket, gridDim.x) == gridDim.x - 1)
        *next = 0;
}

// Static: each thread a contiguous part.
extern "C" __global__ void __launch_bounds__(BLOCK)
    work_static_thread(const unsigned int *__restrict__ seeds, unsigned int *__restrict__ out,
                       size_type *next, unsigned int *ticket, long long n)
{
    (void)next;
    (void)ticket;
    const size_type threads = (size_type)gridDim.x * BLOCK;
    const size_type part = ((size_type)n + threads - 1) / threads;
    const size_type first = ((size_type)blockIdx.x * BLOCK + threadIdx.x) * part;
    do_items(seeds, out, first, smaller((size_type)n, first + part), 1, (size_type)n);
}

// Static: each block a contiguous part, which its threads take in turn.
extern "C" __global__ void __launch_bounds__(BLOCK)
    work_static_block(const unsigned int *__restrict__ seeds, unsigned int *__restrict__ out,
                      size_type *next, unsigned int *ticket, long long n)
{
    (void)next;
    (void)ticket;
    const size_type part = ((size_type)n + gridDim.x - 1) / gridDim.x;
    const size_type first = blockIdx.x * part;
    do_items(seeds, out, first + threadIdx.x, smaller((size_type)n, first + part), BLOCK,
             (size_type)n);
}

// Static: the grid's threads take items in turn. With a thread for each item, the device hands out
// blocks as they become free.
extern "C" __global__ void __launch_bounds__(BLOCK)
    work_grid_stride(const unsigned int *__restrict__ seeds, unsigned int *__restrict__ out,
                     size_type *next, unsigned int *ticket, long long n)
{
    (void)next;
    (void)ticket;
    do_items(seeds, out, (size_type)blockIdx.x * BLOCK + threadIdx.x, (size_type)n,
             (size_type)gridDim.x * BLOCK, (size_type)n);
}

// A queue of chunks, from which blocks take one after the other. The first is a block's own, the
// others are handed out by *next, which is 0 before and after; launches that may overlap need a
// counter and a ticket each.
extern "C" __global__ void __launch_bounds__(BLOCK)
    work_queue_block(const unsigned int *__restrict__ seeds, unsigned int *__restrict__ out,
                     size_type *next, unsigned int *ticket, long long n)
{
    __shared__ size_type taken;
    const size_type items = (size_type)BLOCK * CHUNK;
    const size_type chunks = ((size_type)n + items - 1) / items;
    size_type chunk = blockIdx.x;
#pragma unroll 1
    while (chunk < chunks) {
        const size_type first = chunk * items;
        do_items(seeds, out, first + threadIdx.x, smaller((size_type)n, first + items), BLOCK,
                 (size_type)n);
        __syncthreads(); // all have read the last one
        if (threadIdx.x == 0)
            taken = gridDim.x + atomicAdd(next, 1ull);
        __syncthreads();
        chunk = taken;
    }
    leave_queue(next, ticket);
}

// The same with warps: none waits for the slowest of its block.
extern "C" __global__ void __launch_bounds__(BLOCK)
    work_queue_warp(const unsigned int *__restrict__ seeds, unsigned int *__restrict__ out,
                    size_type *next, unsigned int *ticket, long long n)
{
    const unsigned int lane = threadIdx.x % WARP;
    const size_type warps = (size_type)gridDim.x * (BLOCK / WARP);
    const size_type items = (size_type)WARP * CHUNK;
    const size_type chunks = ((size_type)n + items - 1) / items;
    // Neighbours go to different blocks.
    size_type chunk = blockIdx.x + (size_type)(threadIdx.x / WARP) * gridDim.x;
#pragma unroll 1
    while (chunk < chunks) {
        const size_type first = chunk * items;
        do_items(seeds, out, first + lane, smaller((size_type)n, first + items), WARP,
                 (size_type)n);
        if (lane == 0)
            chunk = warps + atomicAdd(next, 1ull);
        chunk = __shfl_sync(0xffffffffu, chunk, 0);
    }
    leave_queue(next, ticket);
}
