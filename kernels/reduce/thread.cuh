// What a thread combines of its block's part of the input.
#ifndef TUNE_KERNELS_REDUCE_THREAD
#define TUNE_KERNELS_REDUCE_THREAD

#include "operator.cuh"
#include "policy.cuh"

namespace tune
{

// in[0..n) as aligned packs, and the fewer than COUNT elements before the first and behind the
// last.
template <typename T, int COUNT> struct extent {
    const pack<T, COUNT> *first;
    u64 packs;
    u32 head;
    u32 ends; // head and tail
};

template <typename T, int COUNT> TUNE_DEVICE extent<T, COUNT> extent_of(const T *in, long long n)
{
    const u32 ahead = (0u - (u32)((u64)in / sizeof(T))) % COUNT;
    const u32 head = (u64)n < ahead ? (u32)n : ahead;
    const u64 packs = ((u64)n - head) / COUNT;
    return {(const pack<T, COUNT> *)(in + head), packs, head, (u32)((u64)n - packs * COUNT)};
}

template <typename OP, typename T, typename POLICY> struct part {
    typedef typename OP::template of<T> F;
    typedef typename F::accumulator A;
    typedef tune::pack<T, POLICY::count> pack;

    static TUNE_DEVICE A of_loaded(const pack (&got)[POLICY::loads])
    {
        if constexpr (element<T>::is_real || sizeof(T) >= 4) {
            A value[POLICY::loads * POLICY::count];
#pragma unroll
            for (int i = 0; i < POLICY::loads * POLICY::count; i++)
                value[i] = widened<A>(got[i / POLICY::count].lane[i % POLICY::count]);
            return combined<F, POLICY::loads * POLICY::count>(value);
        } else {
            A value[POLICY::loads];
#pragma unroll
            for (int i = 0; i < POLICY::loads; i++)
                value[i] = combined_pack<OP>(got[i]);
            return combined<F, POLICY::loads>(value);
        }
    }

    static TUNE_DEVICE A of_full_tile(const pack *at)
    {
        pack got[POLICY::loads];
#pragma unroll
        for (int i = 0; i < POLICY::loads; i++)
            got[i] = load_pack<POLICY::cache>(at + i * POLICY::block);
        return of_loaded(got);
    }

    static TUNE_DEVICE pack identity_pack()
    {
        pack none;
        if constexpr (element<T>::is_real && sizeof(T) == 2) {
            const T value = narrowed<T>((f32)F::identity());
#pragma unroll
            for (int i = 0; i < POLICY::count; i++)
                none.lane[i] = value;
        } else {
#pragma unroll
            for (int i = 0; i < POLICY::count; i++)
                none.lane[i] = (T)F::identity();
        }
        return none;
    }

    // A tile of which `rest` packs are there.
    static TUNE_DEVICE A of_tile(const pack *at, u32 rest)
    {
        pack got[POLICY::loads];
#pragma unroll
        for (int i = 0; i < POLICY::loads; i++)
            got[i] = threadIdx.x + i * POLICY::block < rest
                         ? load_pack<POLICY::cache>(at + i * POLICY::block)
                         : identity_pack();
        return of_loaded(got);
    }

    // The ends are the last block's, which never has more tiles than another.
    static TUNE_DEVICE A of_ends(const T *in, long long n, const extent<T, POLICY::count> &extent)
    {
        A value = F::identity();
        if (POLICY::count > 1 && threadIdx.x < extent.ends && blockIdx.x == gridDim.x - 1)
            value = widened<A>(
                in[threadIdx.x < extent.head ? threadIdx.x : (u64)n - extent.ends + threadIdx.x]);
        return value;
    }
};

// The next tile of a block that is done with one. Thread 0 asks ahead; a barrier in each round.
struct tile_queue {
    u32 *taken;
    u32 *next; // in shared memory, two in turn
    u32 round;

    TUNE_DEVICE void ask()
    {
        if (threadIdx.x == 0)
            next[round % 2] = gridDim.x + atomicAdd(taken, 1u);
    }
    TUNE_DEVICE u32 answer()
    {
        __syncthreads();
        return next[round++ % 2];
    }
};

// in[0..n): what this thread combines. Tiles are counted in 32 bits, enough below 2^36 elements.
// The order of what it combines depends on n, alignment and grid only, but for map::queue.
template <typename OP, typename T, typename POLICY>
TUNE_DEVICE typename OP::template of<T>::accumulator thread_part(const T *__restrict__ in,
                                                                 long long n, u64 *state)
{
    typedef tune::part<OP, T, POLICY> part;
    typedef typename part::F F;
    const extent<T, POLICY::count> extent = extent_of<T, POLICY::count>(in, n);
    const auto *mine = extent.first + threadIdx.x;
    const u32 full_tiles = (u32)(extent.packs / POLICY::tile_packs);
    const u32 rest = (u32)(extent.packs % POLICY::tile_packs);
    auto value = part::of_ends(in, n, extent);
    (void)state;

    if constexpr (POLICY::map == map::tile) {
        for (u32 tile = blockIdx.x; tile <= full_tiles; tile += gridDim.x)
            value = F::combine(value, part::of_tile(mine + (u64)tile * POLICY::tile_packs,
                                                    tile < full_tiles ? POLICY::tile_packs : rest));
    } else if constexpr (POLICY::map == map::chunk) {
        const u32 each = full_tiles / gridDim.x, more = full_tiles % gridDim.x;
        const u32 first = blockIdx.x * each + (blockIdx.x < more ? blockIdx.x : more);
        const u32 end = first + each + (blockIdx.x < more);
#pragma unroll 1
        for (u32 tile = first; tile < end; tile++)
            value = F::combine(value, part::of_full_tile(mine + (u64)tile * POLICY::tile_packs));
        if (blockIdx.x == gridDim.x - 1)
            value =
                F::combine(value, part::of_tile(mine + (u64)full_tiles * POLICY::tile_packs, rest));
    } else if constexpr (POLICY::map == map::queue) {
        TUNE_SHARED(u32, next, 2);
        tile_queue queue = {(u32 *)(state + STATE_QUEUE), next, 0};
        u32 tile = blockIdx.x;
#pragma unroll 1
        while (tile < full_tiles) {
            queue.ask();
            value = F::combine(value, part::of_full_tile(mine + (u64)tile * POLICY::tile_packs));
            tile = queue.answer();
        }
        if (tile == full_tiles)
            value = F::combine(value, part::of_tile(mine + (u64)tile * POLICY::tile_packs, rest));
    } else {
        u32 tile = blockIdx.x;
#pragma unroll 1
        for (; tile < full_tiles; tile += gridDim.x)
            value = F::combine(value, part::of_full_tile(mine + (u64)tile * POLICY::tile_packs));
        if (tile == full_tiles)
            value = F::combine(value, part::of_tile(mine + (u64)tile * POLICY::tile_packs, rest));
    }
    return value;
}

} // namespace tune

#endif
