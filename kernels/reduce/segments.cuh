// Each of many segments of an input reduced to one: out[s] of elements begin[s] .. end[s], which
// may be none, may overlap, and may have any lengths side by side. Of an `any_input` and an
// `any_operation` (any.cuh).
#ifndef TUNE_KERNELS_REDUCE_SEGMENTS
#define TUNE_KERNELS_REDUCE_SEGMENTS

#include "any.cuh"

namespace tune
{

// What thread number `thread` of POLICY::block combines of a segment.
template <typename OP, typename T, typename POLICY>
TUNE_DEVICE typename OP::template of<T>::accumulator segment_part(const T &in, u64 begin,
                                                                  u64 length, u32 thread)
{
    typedef typename OP::template of<T> F;
    const tiles_of<OP, T, POLICY> tiles(in, (long long)length, begin, thread);
    const u32 full_tiles = (u32)(tiles.extent.packs / POLICY::tile_packs);
    const u32 rest = (u32)(tiles.extent.packs % POLICY::tile_packs);
    const auto end = tiles.end(in, (long long)length, true);
    auto value = F::identity();
#pragma unroll 1
    for (u32 tile = 0; tile < full_tiles; tile++)
        value = F::combine(value, tiles.full(tile));
    if (rest > 0)
        value = F::combine(value, tiles.some(full_tiles, rest));
    return tiles.with_end(value, end);
}

// A block takes `together` segments at a time, at most one a warp. A warp reduces its own when that
// has up to `short_most` elements; the longer ones are then reduced by all of the block, one by
// one. begin[s] and end[s] are integers; a segment that ends before it begins is empty.
template <typename OP, typename T, typename POLICY, typename BEGIN, typename END>
__global__ void __launch_bounds__(POLICY::block, POLICY::min_blocks)
    reduce_segments(input<T> in, output<typename OP::template of<T>> out, BEGIN begin, END end,
                    long long segments, int together, long long short_most)
{
    typedef typename OP::template of<T> F;
    typedef policy<WARP, POLICY::count, POLICY::loads, 1, step::shuffle, POLICY::cache, POLICY::map>
        of_warp;
    const u32 warp = threadIdx.x / WARP;
#pragma unroll 1
    for (long long first = (long long)blockIdx.x * together; first < segments;
         first += (long long)gridDim.x * together) {
        const long long mine = first + warp;
        const bool is_mine = (int)warp < together && mine < segments;
        const long long from = is_mine ? (long long)begin[mine] : 0;
        const long long length = is_mine ? (long long)end[mine] - from : 0;
        if (is_mine && length <= short_most) {
            const auto value = warp_combined<F, false, WARP>(segment_part<OP, T, of_warp>(
                in, (u64)from, length > 0 ? (u64)length : 0, threadIdx.x % WARP));
            if (threadIdx.x % WARP == 0)
                out[(u64)mine] = value;
        }
        if (!__syncthreads_or(length > short_most))
            continue;
#pragma unroll 1
        for (long long s = first; s < first + together && s < segments; s++) {
            const long long at = (long long)begin[s], count = (long long)end[s] - at;
            if (count <= short_most)
                continue;
            const auto value = block_combined<F, POLICY, 0>(
                segment_part<OP, T, POLICY>(in, (u64)at, (u64)count, threadIdx.x));
            if (threadIdx.x == 0)
                out[(u64)s] = value;
            __syncthreads(); // all have read what the next one writes over
        }
    }
}

} // namespace tune

#endif
