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

    static TUNE_DEVICE T identity_element()
    {
        if constexpr (element<T>::is_real && sizeof(T) == 2)
            return narrowed<T>((f32)F::identity());
        else
            return (T)F::identity();
    }

    static TUNE_DEVICE pack identity_pack()
    {
        pack none;
        const T value = identity_element();
#pragma unroll
        for (int i = 0; i < POLICY::count; i++)
            none.lane[i] = value;
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

    // By one block. The element is combined last, so that nobody waits for it before the tiles are
    // asked for.
    static TUNE_DEVICE T end_element(const T *in, long long n,
                                     const extent<T, POLICY::count> &extent, bool mine)
    {
        T got = identity_element();
        if (POLICY::count > 1 && threadIdx.x < extent.ends && mine)
            got = in[threadIdx.x < extent.head ? threadIdx.x : (u64)n - extent.ends + threadIdx.x];
        return got;
    }
};

// in[0..n) as tiles of POLICY::tile_packs packs, and what this thread combines of each.
template <typename OP, typename T, typename POLICY> struct tiles_of {
    typedef tune::part<OP, T, POLICY> part;
    typedef typename part::A A;
    tune::extent<T, POLICY::count> extent;
    const typename part::pack *mine;

    TUNE_DEVICE tiles_of(const T *__restrict__ in, long long n)
        : extent(extent_of<T, POLICY::count>(in, n)), mine(extent.first + threadIdx.x)
    {
    }
    TUNE_DEVICE A full(u32 tile) const
    {
        return part::of_full_tile(mine + (u64)tile * POLICY::tile_packs);
    }
    TUNE_DEVICE A some(u32 tile, u32 rest) const
    {
        return part::of_tile(mine + (u64)tile * POLICY::tile_packs, rest);
    }
    // The element that no pack covers, for the block that takes these; else the identity.
    TUNE_DEVICE T end(const T *__restrict__ in, long long n, bool is_mine) const
    {
        return part::end_element(in, n, extent, is_mine);
    }
    static TUNE_DEVICE A with_end(A value, T end)
    {
        return part::F::combine(value, widened<A>(end));
    }
};

// The next tile of a block that is done with one. Thread 0 asks ahead; a barrier in each round.
struct tile_queue {
    u32 *taken;
    u32 *next; // in shared memory, two in turn
    u32 first; // that is nobody's from the start
    u32 round;

    TUNE_DEVICE void ask()
    {
        if (threadIdx.x == 0)
            next[round % 2] = first + atomicAdd(taken, 1u);
    }
    TUNE_DEVICE u32 answer()
    {
        __syncthreads();
        return next[round++ % 2];
    }
};

// in[0..n): what this thread combines, of block `index` of `blocks`. Tiles are counted in 32 bits,
// enough below 2^36 elements. The order of what it combines depends on n, alignment and grid only,
// but for map::queue. The ends are the last block's, which never has more tiles than another.
template <typename OP, typename T, typename POLICY>
TUNE_DEVICE typename OP::template of<T>::accumulator thread_part(input<T> in, long long n,
                                                                 u64 *state, u32 index, u32 blocks)
{
    typedef typename OP::template of<T> F;
    constexpr u32 size = POLICY::tile_packs;
    const tiles_of<OP, T, POLICY> tiles(in, n);
    const u32 full_tiles = (u32)(tiles.extent.packs / size);
    const u32 rest = (u32)(tiles.extent.packs % size);
    const auto end = tiles.end(in, n, index == blocks - 1);
    auto value = F::identity();
    u32 tile = index;
    (void)state;

    if constexpr (POLICY::map == map::tile) {
        const u32 behind = full_tiles + (rest > 0);
        for (; tile < behind; tile += blocks)
            value = F::combine(value, tiles.some(tile, tile < full_tiles ? size : rest));
        return tiles.with_end(value, end);
    } else if constexpr (POLICY::map == map::chunk) {
        const u32 each = full_tiles / blocks, more = full_tiles % blocks;
        tile = index * each + (index < more ? index : more);
        const u32 behind = tile + each + (index < more);
#pragma unroll 1
        for (; tile < behind; tile++)
            value = F::combine(value, tiles.full(tile));
        if (index < blocks - 1)
            return value;
    } else if constexpr (POLICY::map == map::queue) {
        TUNE_SHARED(u32, next, 2);
        tile_queue queue = {(u32 *)(state + STATE_QUEUE), next, blocks, 0};
#pragma unroll 1
        while (tile < full_tiles) {
            queue.ask();
            value = F::combine(value, tiles.full(tile));
            tile = queue.answer();
        }
    } else {
#pragma unroll 1
        for (; tile < full_tiles; tile += blocks)
            value = F::combine(value, tiles.full(tile));
    }
    if (tile == full_tiles && rest > 0)
        value = F::combine(value, tiles.some(tile, rest));
    return tiles.with_end(value, end);
}

} // namespace tune

#endif
