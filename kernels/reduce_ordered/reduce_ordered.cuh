// Reductions that keep the order of their elements, which associative operators want that are not
// commutative: in[0] * in[1] * ... * in[n - 1]. Each warp, or for pairs each block, takes a
// contiguous part; what comes of it is combined in the order of the parts. No atomic operation
// touches a value, so the result is the same every time, rounding included, for one n, alignment
// and launch.
//
// Right for any n >= 0 (0: the identity) below 2^36, any grid and any `in` aligned to an element.
// Arguments of all kernels: in, out (one element), slots (2 a block, 1 for elements of 8 bytes),
// state (STATE_WORDS words), n and, of several blocks, a number, as those of reduce.cuh.
#ifndef TUNE_KERNELS_REDUCE_ORDERED
#define TUNE_KERNELS_REDUCE_ORDERED

#include "../reduce/policy.cuh"
#include "tile.cuh"

namespace tune
{

// ---- partials ----

template <typename E> constexpr u32 slots_of_element = sizeof(E) / 8;

template <typename E> TUNE_DEVICE void store_partial(slot *slots, u64 index, const E &element)
{
    const bits_of<E> bits = {element};
#pragma unroll
    for (u32 i = 0; i < slots_of_element<E>; i++)
        store_plain(slots + index * slots_of_element<E> + i, bits.half[i]);
}

// Each half with its number: that of the other half says nothing of when this one is seen.
template <typename E>
TUNE_DEVICE void store_flagged_partial(slot *slots, u64 index, const E &element, u64 number)
{
    const bits_of<E> bits = {element};
#pragma unroll
    for (u32 i = 0; i < slots_of_element<E>; i++)
        store_flagged(slots + index * slots_of_element<E> + i, bits.half[i], number);
}

// False: the partial is not yet that of launch `number`, which is looked at where FLAGGED.
template <typename E, bool FLAGGED>
TUNE_DEVICE bool load_partial(const slot *slots, u64 index, u64 number, E &element)
{
    bits_of<E> bits;
    bool there = true;
#pragma unroll
    for (u32 i = 0; i < slots_of_element<E>; i++)
        if constexpr (FLAGGED)
            there &= load_flagged(slots + index * slots_of_element<E> + i, number, bits.half[i]);
        else
            bits.half[i] = load_plain<u64>(slots + index * slots_of_element<E> + i);
    element = bits.element;
    return there;
}

// ---- a block ----

// What the warps' first lanes have, in the order of the warps -> thread 0's. All threads take part.
// PLACE: calls that no barrier is between need different ones.
template <typename OP, int BLOCK, int PLACE>
TUNE_DEVICE typename OP::element warps_in_order(typename OP::element element)
{
    typedef typename OP::element E;
    constexpr u32 warps = BLOCK / WARP;
    if constexpr (warps > 1) {
        TUNE_SHARED(E, of_warp, warps);
        if (lane_of_warp() == 0)
            of_warp[threadIdx.x / WARP] = element;
        __syncthreads();
        if (threadIdx.x < WARP)
            element = lanes_in_order<OP, 1, warps>(threadIdx.x < warps ? of_warp[threadIdx.x]
                                                                       : OP::identity());
    }
    return element;
}

// Tiles first .. first + count: neighbours, for one of `takers`, which get as many, or one fewer.
struct ordered_share {
    u32 first, count;
};

TUNE_DEVICE ordered_share share_of(u32 tiles, u64 index, u64 takers)
{
    if (takers >= tiles)
        return {(u32)(index < tiles ? index : tiles), index < tiles ? 1u : 0u};
    const u32 each = tiles / (u32)takers, more = tiles % (u32)takers, i = (u32)index;
    return {i * each + (i < more ? i : more), each + (i < more ? 1u : 0u)};
}

// The tiles of a block's share -> thread 0's element. The block's warps take them in turn, so that
// what the block reads at a time lies together, and have the next one's loads under way while they
// combine one; what each tile came to waits in shared memory until there is one per thread. All of
// them have been read when the warps' are combined (or at a single warp's barrier), and may be
// written over.
template <typename OP, typename POLICY, typename PACK>
TUNE_DEVICE typename OP::element tiles_in_rounds(const PACK *at, u64 packs,
                                                 const ordered_share &share)
{
    typedef typename OP::element E;
    typedef ordered_tile<OP, POLICY> tile;
    typedef typename tile::part part;
    constexpr u32 of_one = POLICY::tile_packs;
    TUNE_SHARED(E, of_tile, POLICY::block);
    E total = OP::identity();
#pragma unroll 1
    for (u32 begin = 0; begin < share.count; begin += POLICY::block) {
        const u32 left = share.count - begin;
        const u32 tiles = left < POLICY::block ? left : POLICY::block;
        const u64 full = packs / of_one - begin; // tiles from `begin` on that are whole
        const auto load = [&](u32 i) {
            const PACK *const from = at + (u64)(begin + i) * of_one;
            return i < full ? tile::template loaded<true>(from, 0)
                            : tile::template loaded<false>(from, (u32)(packs % of_one));
        };
        u32 i = threadIdx.x / WARP;
        part next = {};
        if (i < tiles)
            next = load(i);
#pragma unroll 1
        for (; i < tiles; i += POLICY::warps) {
            const part got = next;
            if (i + POLICY::warps < tiles)
                next = load(i + POLICY::warps);
            const E of_this = i < full ? tile::template reduced<true>(got, 0)
                                       : tile::template reduced<false>(got, (u32)(packs % of_one));
            if (lane_of_warp() == 0)
                of_tile[i] = of_this;
        }
        __syncthreads();
        const E mine = threadIdx.x < tiles ? of_tile[threadIdx.x] : OP::identity();
        total = OP::combine(total, warps_in_order<OP, POLICY::block, 2>(lanes_in_order<OP>(mine)));
        if constexpr (POLICY::warps == 1)
            __syncwarp();
    }
    return total;
}

// The part of in[0..n) of one of `blocks` blocks, in thread 0. The fewer than COUNT elements in
// front of the first aligned pack go to the first taker of tiles, those behind the last pack to the
// last one.
template <typename OP, typename POLICY>
TUNE_DEVICE typename OP::element block_part(const typename OP::element *__restrict__ in, u64 n,
                                            u32 blocks)
{
    typedef typename OP::element E;
    typedef ordered_tile<OP, POLICY> tile;
    constexpr bool in_rounds = POLICY::step == ordered_step::rounds;
    constexpr u32 takers = in_rounds ? 1 : POLICY::block / POLICY::lanes;
    const u64 index = (u64)blockIdx.x * takers + (in_rounds ? 0 : threadIdx.x / POLICY::lanes);
    const u32 ahead = (0u - (u32)((u64)in / sizeof(E))) % POLICY::count;
    const u32 head = n < ahead ? (u32)n : ahead;
    const u64 packs = (n - head) / POLICY::count;
    const u32 tiles = (u32)((packs + POLICY::tile_packs - 1) / POLICY::tile_packs);
    const ordered_share share = share_of(tiles, index, (u64)blocks * takers);
    const auto *at =
        (const typename tile::pack *)(in + head) + (u64)share.first * POLICY::tile_packs;
    const u64 left = packs - (u64)share.first * POLICY::tile_packs;
    const u32 full = (u64)share.count * POLICY::tile_packs <= left ? share.count : share.count - 1;

    E total = OP::identity();
    if (POLICY::count > 1 && index == 0)
        for (u32 i = 0; i < head; i++)
            total = OP::combine(total, OP::value_of(in[i]));
    if constexpr (in_rounds) {
        total = OP::combine(total, tiles_in_rounds<OP, POLICY>(at, left, share));
    } else {
#pragma unroll 1
        for (u32 i = 0; i < full; i++, at += POLICY::tile_packs)
            total = OP::combine(total, tile::template reduced<true>(at, 0));
        if (full < share.count)
            total = OP::combine(total, tile::template reduced<false>(
                                           at, (u32)(left - (u64)full * POLICY::tile_packs)));
    }
    if (POLICY::count > 1 && index == (u64)blocks * takers - 1)
        for (u64 i = head + packs * POLICY::count; i < n; i++)
            total = OP::combine(total, OP::value_of(in[i]));
    if constexpr (takers > 1)
        return warps_in_order<OP, POLICY::block, 0>(total);
    else
        return total;
}

// The partials [0..count), in their order -> thread 0's. Each thread takes neighbours. All threads
// of the block take part, though for a few partials a warp is enough, and nobody waits at a
// barrier.
template <typename OP, int BLOCK, bool FLAGGED>
TUNE_DEVICE typename OP::element partials_in_order(slot *slots, u32 count, u64 number)
{
    typedef typename OP::element E;
    // A flagged element of 8 bytes takes registers of 16, too.
    constexpr u32 loads = FLAGGED && sizeof(E) == 8 ? 3 : 32 / sizeof(E);
    const bool few = count <= WARP * loads;
    if (few && threadIdx.x >= WARP)
        return OP::identity();
    const u32 each = few ? (count + WARP - 1) / WARP : (count + BLOCK - 1) / BLOCK;
    const u32 first = threadIdx.x * each, behind = first + each < count ? first + each : count;
    E total = OP::identity();
#pragma unroll 1
    for (u32 at = first; at < behind; at += loads) {
        E got[loads];
        bool all;
#pragma unroll 1
        do {
            all = true;
#pragma unroll
            for (u32 i = 0; i < loads; i++) {
                got[i] = OP::identity();
                if (at + i < behind)
                    all &= load_partial<E, FLAGGED>(slots, at + i, number, got[i]);
            }
        } while (!all);
        if constexpr (FLAGGED)
            for (u32 i = 0; i < slots_of_element<E> * loads; i++)
                if (at + i / slots_of_element<E> < behind)
                    take_flag_away(slots + at * slots_of_element<E> + i);
        total = OP::combine(total, in_order<OP, loads>(got));
    }
    total = lanes_in_order<OP>(total);
    return few ? total : warps_in_order<OP, BLOCK, 1>(total);
}

// ---- kernels ----

// in[0..n) -> out[0]. One block; of several, each would do the same.
template <typename OP, typename POLICY>
__global__ void __launch_bounds__(POLICY::block, POLICY::min_blocks)
    reduce_ordered_one_block(const typename OP::element *__restrict__ in,
                             typename OP::element *__restrict__ out, slot *slots, u64 *state,
                             long long n)
{
    (void)slots;
    (void)state;
    const auto total = block_part<OP, POLICY>(in, (u64)n, 1);
    if (threadIdx.x == 0)
        out[0] = total;
}

// in[0..n) -> a partial a block, then out[0] by the second launch (finish::two_launches,
// dependent_launches), by the block that is last to leave its partial (last_block), by a block more
// than work, which waits for the others' (flagged: at least 2 blocks), or by the highest of those
// that work, when it is done itself (flagged_last). Blocks begin in the order of their index, so
// that all that one waits for have begun before it.
template <typename OP, typename POLICY, finish FINISH>
__global__ void __launch_bounds__(POLICY::block, POLICY::min_blocks)
    reduce_ordered_grid(const typename OP::element *__restrict__ in,
                        typename OP::element *__restrict__ out, slot *slots, u64 *state,
                        long long n, u64 number)
{
    typedef typename OP::operation operation;
    constexpr bool launches =
        FINISH == finish::two_launches || FINISH == finish::dependent_launches;
    constexpr bool flagged = FINISH == finish::flagged || FINISH == finish::flagged_last;
    static_assert(launches || flagged || FINISH == finish::last_block, "what keeps the order");
    const u32 workers = gridDim.x - (FINISH == finish::flagged);
    typename OP::element total = OP::identity();
    (void)state;
    (void)number;
    if constexpr (FINISH == finish::dependent_launches)
        let_dependents_begin();
    if (blockIdx.x < workers)
        total = block_part<OP, POLICY>(in, (u64)n, workers);

    if constexpr (flagged) {
        const u32 others = gridDim.x - 1;
        if (blockIdx.x < others) {
            if (threadIdx.x == 0)
                store_flagged_partial(slots, blockIdx.x, total, number);
            return;
        }
        const auto own = total;
        total = partials_in_order<operation, POLICY::block, true>(slots, others, number);
        if (threadIdx.x == 0)
            total = operation::combine(total, own);
    } else {
        if (threadIdx.x == 0)
            store_partial(slots, blockIdx.x, total);
        if constexpr (launches)
            return;
        const bool last =
            threadIdx.x == 0 && take_ticket((u32 *)(state + STATE_TICKET), workers) == workers - 1;
        if (!__syncthreads_or(last))
            return;
        total = partials_in_order<operation, POLICY::block, false>(slots, workers, 0);
    }
    if (threadIdx.x == 0)
        out[0] = total;
}

// The second launch, one block: n partials -> out[0]. `in` is not looked at.
template <typename OP, typename POLICY>
__global__ void __launch_bounds__(POLICY::block, POLICY::min_blocks)
    reduce_ordered_partials(const typename OP::element *__restrict__ in,
                            typename OP::element *__restrict__ out, slot *slots, u64 *state,
                            long long n)
{
    (void)in;
    (void)state;
    wait_for_launch_before();
    const auto total =
        partials_in_order<typename OP::operation, POLICY::block, false>(slots, (u32)n, 0);
    if (threadIdx.x == 0)
        out[0] = total;
}

} // namespace tune

#endif
