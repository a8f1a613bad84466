// in[0..n) -> out[0] under an associative and commutative operator: the kernels.
//
// All take the same arguments: the input, aligned as an element; the result; a slot for each block;
// STATE_WORDS words of 8 bytes, zero before the first launch (launches that may overlap need slots
// and words of their own); n >= 0. Those of several blocks take a number: any but 0 that is nowhere
// in the slots, which may hold anything else. Every kernel is right for any n, any grid and any
// alignment of `in`, and combines in an order that depends on n, alignment and launch only: the
// same result every time, but for reals with map::queue.
// Where partials are flagged, blocks wait for blocks of a lower index, which must be able to run.
// With finish::flagged, and in reduce_bulk, the grid has one block more than work: at least 2.
#ifndef TUNE_KERNELS_REDUCE_REDUCE
#define TUNE_KERNELS_REDUCE_REDUCE

#include "block.cuh"
#include "finish.cuh"
#include "thread.cuh"

#if defined(TUNE_SIMT) || (defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900)
#define TUNE_CLUSTER(size)
#else
#define TUNE_CLUSTER(size) __cluster_dims__(size, 1, 1)
#endif

namespace tune
{

// One block, or one warp.
template <typename OP, typename T, typename POLICY>
__global__ void __launch_bounds__(POLICY::block, POLICY::min_blocks)
    reduce_one_block(input<T> in, output<typename OP::template of<T>> out, slot *slots, u64 *state,
                     long long n)
{
    typedef typename OP::template of<T> F;
    (void)slots;
    const auto value = block_combined<F, POLICY, 0>(thread_part<OP, T, POLICY>(in, n, state, 0, 1));
    if (threadIdx.x == 0)
        out[0] = narrowed<typename F::result>(value);
}

// Many blocks.
template <typename OP, typename T, typename POLICY, finish FINISH>
__global__ void __launch_bounds__(POLICY::block, POLICY::min_blocks)
    reduce_grid(input<T> in, output<typename OP::template of<T>> out, slot *slots, u64 *state,
                long long n, u64 number)
{
    typedef typename OP::template of<T> F;
    if constexpr (FINISH == finish::dependent_launches)
        let_dependents_begin();
    const meeting at = meeting_of<FINISH>(slots, state, number);
    if constexpr (FINISH == finish::flagged) {
        if (at.index == at.parts) {
            wait_for_parts<F, POLICY, typename F::accumulator>(out, at);
            return;
        }
    }
    const auto value =
        block_combined<F, POLICY, 0>(thread_part<OP, T, POLICY>(in, n, state, at.index, at.parts));
    finish_grid<OP, T, POLICY, FINISH>(value, out, at);
}

// The second launch: slots[0..n) -> out[0]. One block. `in` is not looked at.
template <typename OP, typename T, typename POLICY>
__global__ void __launch_bounds__(POLICY::block, POLICY::min_blocks)
    reduce_partials(input<T> in, output<typename OP::template of<T>> out, slot *slots, u64 *state,
                    long long n)
{
    typedef typename OP::template of<T> F;
    (void)in;
    wait_for_launch_before();
    const auto value = combined_slots<F, POLICY, typename F::accumulator>(slots, (u64)n);
    if (threadIdx.x == 0) {
        out[0] = narrowed<typename F::result>(value);
        reset_queue(state);
    }
}

// Clusters of SIZE blocks combine through each other's shared memory. One of them stores the
// result; of several each flags its partial, and a further cluster waits for them. The grid is a
// multiple of SIZE, and not twice SIZE.
template <typename OP, typename T, typename POLICY, int SIZE>
__global__ void __launch_bounds__(POLICY::block, POLICY::min_blocks) TUNE_CLUSTER(SIZE)
    reduce_cluster(input<T> in, output<typename OP::template of<T>> out, slot *slots, u64 *state,
                   long long n, u64 number)
{
    typedef typename OP::template of<T> F;
    typedef typename F::accumulator A;
    TUNE_NEEDS_90(SIZE);
    TUNE_SHARED(A, of_block, SIZE);
    cluster_begin();
    meeting at = {slots, state, blockIdx.x / SIZE, gridDim.x / SIZE, number};
    if (at.parts > 1) {
        at.parts--;
        if (at.index == at.parts) {
            cluster_begun();
            if (cluster_rank() == 0)
                wait_for_parts<F, POLICY, A>(out, at);
            return;
        }
    }
    A value = block_combined<F, POLICY, 0>(
        thread_part<OP, T, POLICY>(in, n, state, blockIdx.x, at.parts * SIZE));
    cluster_begun();
    if (threadIdx.x == 0)
        store_part_in_cluster(of_block + cluster_rank(), value);
    cluster_barrier();
    if (cluster_rank() != 0 || threadIdx.x >= WARP)
        return;
    value = warp_combined < F, POLICY::step != step::shuffle && F::redux,
    SIZE > (threadIdx.x < SIZE ? of_block[threadIdx.x] : F::identity());
    if (threadIdx.x == 0) {
        if (gridDim.x == SIZE)
            out[0] = narrowed<typename F::result>(value);
        else
            store_flagged_part(at.slots + at.index * slots_of<A>, value, at.number);
    }
}

// Tiles come by bulk copies into STAGES places of dynamic shared memory, tile_packs packs each, a
// tile ahead of the threads that combine it. 16 bytes a pack. Partials are flagged.
template <typename OP, typename T, typename POLICY, int STAGES>
__global__ void __launch_bounds__(POLICY::block, POLICY::min_blocks)
    reduce_bulk(input<T> in, output<typename OP::template of<T>> out, slot *slots, u64 *state,
                long long n, u64 number)
{
    typedef tune::part<OP, T, POLICY> part;
    typedef typename part::F F;
    static_assert(sizeof(typename part::pack) == 16, "bulk copies move 16 bytes and multiples");
    TUNE_NEEDS_90(STAGES);
    TUNE_DYNAMIC_SHARED(stages);
    TUNE_SHARED(u64, full, STAGES);
    const meeting at = meeting_of<finish::flagged>(slots, state, number);
    if (at.index == at.parts) {
        wait_for_parts<F, POLICY, typename F::accumulator>(out, at);
        return;
    }
    const auto extent = extent_of<T, POLICY::count>(in, n);
    const u32 tiles = (u32)((extent.packs + POLICY::tile_packs - 1) / POLICY::tile_packs);
    const auto packs_of = [&](u32 tile) {
        const u64 left = extent.packs - (u64)tile * POLICY::tile_packs;
        return (u32)(left < POLICY::tile_packs ? left : POLICY::tile_packs);
    };
    const auto fetch = [&](u32 tile, u32 stage) {
        bulk_copy(stages + stage * (POLICY::tile_packs * 16),
                  extent.first + (u64)tile * POLICY::tile_packs, packs_of(tile) * 16, full + stage);
    };

    if (threadIdx.x == 0) {
        for (u32 stage = 0; stage < STAGES; stage++)
            bulk_barrier_init(full + stage);
        for (u32 stage = 0; stage < STAGES; stage++)
            if (at.index + (u64)stage * at.parts < tiles)
                fetch(at.index + stage * at.parts, stage);
    }
    __syncthreads();
    const T end = part::end_element(in, n, extent, at.index == at.parts - 1);
    auto value = F::identity();
    u32 stage = 0, phase = 0;
#pragma unroll 1
    for (u32 tile = at.index; tile < tiles; tile += at.parts) {
        bulk_wait(full + stage, phase);
        const auto *got = (const typename part::pack *)(stages + stage * (POLICY::tile_packs * 16));
        const u32 rest = packs_of(tile);
        typename part::pack mine[POLICY::loads];
#pragma unroll
        for (int i = 0; i < POLICY::loads; i++)
            mine[i] = threadIdx.x + i * POLICY::block < rest ? got[threadIdx.x + i * POLICY::block]
                                                             : part::identity_pack();
        value = F::combine(value, part::of_loaded(mine));
        __syncthreads(); // all have read the stage
        if (threadIdx.x == 0 && tile + (u64)STAGES * at.parts < tiles)
            fetch(tile + STAGES * at.parts, stage);
        stage = stage + 1 == STAGES ? 0 : stage + 1;
        phase ^= stage == 0;
    }
    value = block_combined<F, POLICY, 0>(F::combine(value, widened<typename part::A>(end)));
    finish_grid<OP, T, POLICY, finish::flagged>(value, out, at);
}

} // namespace tune

#endif
