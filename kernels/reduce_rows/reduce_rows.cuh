// Each of many rows reduced to one: out[r] of in[r * length .. (r + 1) * length). A row is the work
// of a part of a warp, a warp, or a block. Right for any rows >= 0, any grid and any alignment of
// `in`; the order of operations depends on the types only, so the result is the same every time.
//
// Operators: those of ../reduce/operator.cuh, and `composition`, whose order is kept.
//
// Lanes of a warp need not run in step (compute capability 7.0 and later): between an access to
// shared memory and another lane's there is a __syncwarp, and shuffles name the lanes that take
// part.
#ifndef TUNE_KERNELS_REDUCE_ROWS
#define TUNE_KERNELS_REDUCE_ROWS

#include "../reduce/operator.cuh"

namespace tune
{

// Maps x -> a x + b mod 2^32, a in a u64's high half, b in its low one: associative, not
// commutative. Multipliers are made odd: a product of 32 even ones is 0, and nothing behind them
// would count.
struct composition {
    template <typename T> struct of {
        typedef u64 accumulator;
        typedef u64 result;
        static constexpr bool redux = false;
        static TUNE_DEVICE u64 identity()
        {
            return 1ull << 32;
        }
        // left comes before right.
        static TUNE_DEVICE u64 combine(u64 left, u64 right)
        {
            const u32 a = (u32)(left >> 32), b = (u32)left;
            const u32 product = a * (u32)(right >> 32);
            return (u64)product << 32 | (a * (u32)right + b);
        }
    };
};

template <typename OP> constexpr bool keeps_order = same<OP, composition>::value;

// What a thread takes of its row, when that is more than one load: every so many elements, so that
// loads coalesce, or elements that follow one another.
enum class rows_map { stripes, chunks };

// How a warp combines the values of its lanes.
enum class rows_step {
    guarded,   // tree in shared memory, lanes beyond the tree's end do nothing
    relaxed,   // the same without that check: shared memory is padded instead
    down,      // registers only, shuffles from the lanes above
    butterfly, // registers only, shuffles from lanes that differ in one bit
    redux,     // one instruction (F::redux; compute capability 8.0)
};

// LENGTH elements per row; LANES threads for it: 1, 2, 4 .. 32, or BLOCK; BLOCK threads, whole warps;
// COUNT elements per load, of which LENGTH is a multiple; ROWS that LANES threads have in flight.
template <int LENGTH_, int LANES_, int BLOCK_, int COUNT_, int ROWS_, rows_map MAP_,
          rows_step STEP_>
struct rows_policy {
    static constexpr u32 length = LENGTH_, lanes = LANES_, block = BLOCK_, count = COUNT_,
                         rows = ROWS_;
    static constexpr rows_map map = MAP_;
    static constexpr rows_step step = STEP_;
    static_assert(BLOCK_ % WARP == 0 && BLOCK_ <= 1024, "32 to 1024 threads, whole warps");
    static_assert(LANES_ == BLOCK_ || (LANES_ <= WARP && WARP % LANES_ == 0), "1 to 32, or BLOCK");
    static_assert(LENGTH_ >= 1 && LENGTH_ < (1 << 30) && LENGTH_ % COUNT_ == 0, "whole packs");
    static_assert(ROWS_ >= 1 && ROWS_ <= 16, "1 to 16 rows");
};

// ---- the lanes of a warp ----

// LANES lanes of a warp, in groups; each of the functions is for all lanes of the warp.
template <typename OP, typename T, int LANES, int BLOCK, rows_step STEP> struct lanes_of {
    typedef typename OP::template of<T> F;
    typedef typename F::accumulator A;
    static constexpr u32 cell_count = STEP == rows_step::relaxed ? LANES + LANES / 2 : LANES;
    static_assert(STEP != rows_step::redux || F::redux, "redux: sums of up to 4 bytes, min, max");

    static TUNE_DEVICE A *cells()
    {
        TUNE_SHARED(A, cell, BLOCK / LANES * cell_count);
        return cell + threadIdx.x / LANES * cell_count;
    }

    // Once, before the first of reduced: the padding is never written again.
    static TUNE_DEVICE void prepare()
    {
        if constexpr (STEP == rows_step::relaxed) {
            cells()[threadIdx.x % LANES + LANES / 2] = F::identity();
            __syncwarp();
        }
    }

    // What the lanes of a group have, combined in their order, is its first lane's. Commutative
    // operators start with lanes far apart, where all that a step needs lies together; where order
    // counts, neighbours come first.
    static TUNE_DEVICE A reduced(A value)
    {
        if constexpr (STEP == rows_step::guarded && keeps_order<OP>)
            return by_pairs(value);
        else if constexpr (STEP == rows_step::guarded)
            return by_guarded_tree(value);
        else if constexpr (STEP == rows_step::relaxed)
            return by_padded_tree(value);
        else if constexpr (STEP == rows_step::redux)
            return by_instruction(value);
        else
            return by_shuffles(value);
    }

  private:
    static TUNE_DEVICE u32 distance_of(u32 step)
    {
        return keeps_order<OP> ? step : LANES / 2 / step;
    }

    static TUNE_DEVICE A by_guarded_tree(A value)
    {
        const u32 lane = threadIdx.x % LANES;
        A *cell = cells();
        cell[lane] = value;
        __syncwarp();
#pragma unroll
        for (u32 distance = LANES / 2; distance > 0; distance /= 2) {
            if (lane < distance) {
                value = F::combine(value, cell[lane + distance]);
                cell[lane] = value;
            }
            __syncwarp();
        }
        return value;
    }

    // Compressed into the first half, which other lanes may still have to read.
    static TUNE_DEVICE A by_pairs(A value)
    {
        const u32 lane = threadIdx.x % LANES;
        A *cell = cells();
        cell[lane] = value;
        __syncwarp();
#pragma unroll
        for (u32 pairs = LANES / 2; pairs > 0; pairs /= 2) {
            if (lane < pairs)
                value = F::combine(cell[2 * lane], cell[2 * lane + 1]);
            __syncwarp();
            if (lane < pairs)
                cell[lane] = value;
            __syncwarp();
        }
        return value;
    }

    // Every lane takes every step; what the last ones make of the padding goes nowhere.
    static TUNE_DEVICE A by_padded_tree(A value)
    {
        const u32 lane = threadIdx.x % LANES;
        A *cell = cells();
#pragma unroll
        for (u32 step = 1; step < LANES; step *= 2) {
            cell[lane] = value;
            __syncwarp();
            const A other = cell[lane + distance_of(step)];
            __syncwarp();
            value = F::combine(value, other);
        }
        return value;
    }

    // Down: lanes at the group's end get another group's values, which do not reach its first lane.
    // Butterfly: where order counts it is kept for the first lane, and for those it hears of: each
    // is the left one of its pairs until then.
    static TUNE_DEVICE A by_shuffles(A value)
    {
#pragma unroll
        for (u32 step = 1; step < LANES; step *= 2) {
            A other;
            if constexpr (STEP == rows_step::down)
                other = __shfl_down_sync(ALL_LANES, value, distance_of(step));
            else
                other = __shfl_xor_sync(ALL_LANES, value, distance_of(step));
            value = F::combine(value, other);
        }
        return value;
    }

    static TUNE_DEVICE A by_instruction(A value)
    {
        constexpr u32 first = LANES == WARP ? ALL_LANES : (1u << LANES % WARP) - 1;
        const u32 group = first << threadIdx.x % WARP / LANES * LANES;
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
        if constexpr (same<OP, sum>::value)
            return __reduce_add_sync(group, value);
        else if constexpr (same<OP, minimum>::value)
            return value_of<A>(__reduce_min_sync(group, key_of(value)));
        else if constexpr (same<OP, maximum>::value)
            return value_of<A>(__reduce_max_sync(group, key_of(value)));
#endif
        (void)group;
        return value;
    }
};

// ---- the elements of a row ----

// As accumulators have them.
template <typename OP, typename T>
TUNE_DEVICE typename OP::template of<T>::accumulator row_value(T element)
{
    if constexpr (keeps_order<OP>)
        return element | 1ull << 32;
    else
        return widened<typename OP::template of<T>::accumulator>(element);
}

// What a few lanes leave of a sector, they soon come back for: L1 keeps it.
template <bool ALIGNED, typename T, int COUNT>
TUNE_DEVICE pack<T, COUNT> load_row_pack(const T *from)
{
    if constexpr (ALIGNED) {
        const pack<T, COUNT> &aligned = *(const pack<T, COUNT> *)from;
        return aligned;
    } else {
        pack<T, COUNT> got;
#pragma unroll
        for (int i = 0; i < COUNT; i++)
            got.lane[i] = from[i];
        return got;
    }
}

// Rows of a length that is compiled in.
template <typename OP, typename T, typename POLICY> struct rows_of {
    typedef typename OP::template of<T> F;
    typedef typename F::accumulator A;
    typedef typename F::result result;
    static constexpr u32 length = POLICY::length, count = POLICY::count, rows = POLICY::rows;
    static constexpr u32 sub =
        POLICY::lanes < WARP ? POLICY::lanes : WARP;  // lanes with a row in common
    static constexpr u32 parts = POLICY::lanes / sub; // warps that have one
    static constexpr u32 groups = POLICY::block / POLICY::lanes;
    static constexpr u32 tile_rows = groups * rows; // that a block has in flight
    // A warp's part of a row, and the loads of a lane for it.
    static constexpr u32 part = ((length + parts - 1) / parts + count - 1) / count * count;
    static constexpr u32 loads = (part + sub * count - 1) / (sub * count);
    static constexpr u32 most_loads = 16 / rows; // of one row in flight
    static constexpr u32 loads_at_once = loads < most_loads ? loads : most_loads;
    // Loads of lanes that lie beside one another, in an order to be kept, are combined one by one.
    static constexpr bool by_load =
        keeps_order<OP> && POLICY::map == rows_map::stripes && loads > 1;
    static constexpr bool full =
        loads % loads_at_once == 0 && (u64)parts * sub * loads * count == length;
    typedef lanes_of<OP, T, sub, POLICY::block, POLICY::step> lanes;

    // Where in its row this thread's load `index` begins, an element.
    static TUNE_DEVICE u32 place_of(u32 index)
    {
        const u32 first = threadIdx.x % POLICY::lanes / sub * part, lane = threadIdx.x % sub;
        const u32 at = POLICY::map == rows_map::chunks ? lane * loads + index : index * sub + lane;
        return first + at * count;
    }

    // Loads first .. first + loads_at_once of a row, `count` values each; nothing behind the row's,
    // or its part's, end is touched.
    template <bool ALIGNED>
    static TUNE_DEVICE void load_values(A *value, const T *row, bool there, u32 first)
    {
        const u32 part_end = (threadIdx.x % POLICY::lanes / sub + 1) * part;
        const u32 end = part_end < length ? part_end : length;
#pragma unroll
        for (u32 i = 0; i < loads_at_once; i++) {
            const u32 at = place_of(first + i);
            const bool inside = there && (full || (first + i < loads && at < end));
            pack<T, (int)count> got = {};
            if (inside)
                got = load_row_pack<ALIGNED, T, (int)count>(row + at);
#pragma unroll
            for (u32 k = 0; k < count; k++)
                value[i * count + k] = inside ? row_value<OP>(got.lane[k]) : F::identity();
        }
    }

    // One round of loads, combined into `total`: all that this thread has, or, load by load, what
    // its warp has.
    static TUNE_DEVICE A add_values(A total, const A *value)
    {
        if constexpr (by_load) {
#pragma unroll
            for (u32 i = 0; i < loads_at_once; i++)
                total =
                    F::combine(total, lanes::reduced(combined<F, (int)count>(value + i * count)));
            return total;
        } else {
            return F::combine(total, combined<F, (int)(loads_at_once * count)>(value));
        }
    }

    // total[r]: of the row first + r * groups what this group's first lane has in the end, or of a
    // block's row what this warp's has.
    template <bool ALIGNED>
    static TUNE_DEVICE void reduce_parts(A (&total)[rows], const T *in, u64 first, u64 all_rows)
    {
#pragma unroll
        for (u32 r = 0; r < rows; r++)
            total[r] = F::identity();
#pragma unroll 1
        for (u32 load = 0; load < loads; load += loads_at_once) {
            A value[rows][loads_at_once * count];
#pragma unroll
            for (u32 r = 0; r < rows; r++) {
                const u64 row = first + (u64)r * groups;
                load_values<ALIGNED>(value[r], in + row * length, row < all_rows, load);
            }
#pragma unroll
            for (u32 r = 0; r < rows; r++)
                total[r] = add_values(total[r], value[r]);
        }
        if constexpr (!by_load) {
#pragma unroll
            for (u32 r = 0; r < rows; r++)
                total[r] = lanes::reduced(total[r]);
        }
    }

    // The parts of a block's rows, a warp for each row. Barriers: all threads take part.
    static TUNE_DEVICE void combine_parts(const A (&total)[rows], result *out, u64 first,
                                          u64 all_rows)
    {
        TUNE_SHARED(A, of_part, rows * parts);
        const u32 lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
        if (lane == 0) {
#pragma unroll
            for (u32 r = 0; r < rows; r++)
                of_part[r * parts + warp] = total[r];
        }
        __syncthreads();
        for (u32 r = warp; r < rows && first + r < all_rows; r += parts) {
            const A value =
                lanes::reduced(lane < parts ? of_part[r * parts + lane] : F::identity());
            if (lane == 0)
                out[first + r] = narrowed<result>(value);
        }
        __syncthreads();
    }

    template <bool ALIGNED>
    static TUNE_DEVICE void reduce_tiles(const T *in, result *out, u64 all_rows)
    {
        const u64 tiles = (all_rows + tile_rows - 1) / tile_rows;
#pragma unroll 1
        for (u64 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
            const u64 first = tile * tile_rows + threadIdx.x / POLICY::lanes;
            A total[rows];
            reduce_parts<ALIGNED>(total, in, first, all_rows);
            if constexpr (parts > 1) {
                combine_parts(total, out, first, all_rows);
            } else if (threadIdx.x % POLICY::lanes == 0) {
#pragma unroll
                for (u32 r = 0; r < rows; r++)
                    if (first + (u64)r * groups < all_rows)
                        out[first + (u64)r * groups] = narrowed<result>(total[r]);
            }
        }
    }
};

// in[0..rows * LENGTH) -> out[0..rows).
template <typename OP, typename T, typename POLICY>
__global__ void __launch_bounds__(POLICY::block, 1)
    reduce_rows(const T *__restrict__ in, typename OP::template of<T>::result *__restrict__ out,
                long long rows)
{
    typedef rows_of<OP, T, POLICY> R;
    R::lanes::prepare();
    if (R::count == 1 || (u64)in % sizeof(pack<T, (int)R::count>) == 0)
        R::template reduce_tiles<true>(in, out, (u64)rows);
    else
        R::template reduce_tiles<false>(in, out, (u64)rows);
}

// ---- rows of any length ----

// A row is the work of a warp (LANES is WARP) or of a block (LANES is BLOCK), LOADS loads of COUNT
// elements in flight a thread; one by one where order counts.
template <int LANES_, int BLOCK_, int COUNT_, int LOADS_, rows_step STEP_> struct any_rows_policy {
    static constexpr u32 lanes = LANES_, block = BLOCK_, count = COUNT_, loads = LOADS_;
    static constexpr rows_step step = STEP_;
    static_assert(BLOCK_ % WARP == 0 && BLOCK_ <= 1024, "32 to 1024 threads, whole warps");
    static_assert(LANES_ == BLOCK_ || LANES_ == WARP, "a warp or a block");
};

template <typename OP, typename T, typename POLICY> struct any_rows_of {
    typedef typename OP::template of<T> F;
    typedef typename F::accumulator A;
    static constexpr u32 count = POLICY::count, loads = POLICY::loads;
    static constexpr u32 parts = POLICY::lanes / WARP; // warps that have a row in common
    typedef lanes_of<OP, T, WARP, POLICY::block, POLICY::step> lanes;

    // Lanes have neighbours; what a warp has loaded is combined load by load.
    static TUNE_DEVICE A warp_in_order(const T *from, u64 length)
    {
        A total = F::identity();
#pragma unroll 1
        for (u64 first = 0; first < length; first += WARP * loads) {
            A value[loads];
#pragma unroll
            for (u32 i = 0; i < loads; i++) {
                const u64 at = first + i * WARP + threadIdx.x % WARP;
                value[i] = at < length ? row_value<OP>(from[at]) : F::identity();
            }
#pragma unroll
            for (u32 i = 0; i < loads; i++)
                total = F::combine(total, lanes::reduced(value[i]));
        }
        return total;
    }

    // Aligned packs; before and behind them single elements, fewer than a pack each.
    static TUNE_DEVICE A warp_in_packs(const T *from, u64 length)
    {
        const u32 lane = threadIdx.x % WARP;
        const u32 ahead = (0u - (u32)((u64)from / sizeof(T))) % count;
        const u32 head = length < ahead ? (u32)length : ahead;
        const u64 packs = (length - head) / count;
        const u32 rest = (u32)(length - head - packs * count);
        const pack<T, (int)count> *body = (const pack<T, (int)count> *)(from + head);
        A total = F::identity();
        if (lane < head)
            total = row_value<OP>(from[lane]);
#pragma unroll 1
        for (u64 first = lane; first < packs; first += WARP * loads) {
            A value[loads];
#pragma unroll
            for (u32 i = 0; i < loads; i++)
                value[i] =
                    first + i * WARP < packs ? pack_value(body + first + i * WARP) : F::identity();
            total = F::combine(total, combined<F, (int)loads>(value));
        }
        if (lane < rest)
            total = F::combine(total, row_value<OP>(from[length - rest + lane]));
        return lanes::reduced(total);
    }

    static TUNE_DEVICE A pack_value(const pack<T, (int)count> *from)
    {
        return combined_pack<OP, T, (int)count>(load_pack<cache::no_allocate>(from));
    }

    // What this thread's warp has of a row, in its first lane.
    static TUNE_DEVICE A warp_value(const T *row, u64 length)
    {
        const u64 part = (length + parts - 1) / parts;
        const u64 first = threadIdx.x % POLICY::lanes / WARP * part;
        const u64 left = first < length ? length - first : 0;
        if constexpr (keeps_order<OP>)
            return warp_in_order(row + first, left < part ? left : part);
        else
            return warp_in_packs(row + first, left < part ? left : part);
    }

    // Of the parts of a block's row. Barriers: all threads of the block take part.
    static TUNE_DEVICE A parts_value(A value)
    {
        TUNE_SHARED(A, of_part, parts);
        const u32 lane = threadIdx.x % WARP;
        if (lane == 0)
            of_part[threadIdx.x / WARP] = value;
        __syncthreads();
        if (threadIdx.x < WARP)
            value = lanes::reduced(lane < parts ? of_part[lane] : F::identity());
        __syncthreads();
        return value;
    }
};

// in[0..rows * length) -> out[0..rows). With packs, the order in which reals are added depends on
// the alignment of the row as well.
template <typename OP, typename T, typename POLICY>
__global__ void __launch_bounds__(POLICY::block, 1)
    reduce_rows_any(const T *__restrict__ in, typename OP::template of<T>::result *__restrict__ out,
                    long long rows, long long length)
{
    typedef any_rows_of<OP, T, POLICY> R;
    constexpr u32 at_once = POLICY::block / POLICY::lanes;
    R::lanes::prepare();
#pragma unroll 1
    for (u64 row = (u64)blockIdx.x * at_once + threadIdx.x / POLICY::lanes; row < (u64)rows;
         row += (u64)gridDim.x * at_once) {
        typename R::A value = R::warp_value(in + row * (u64)length, (u64)length);
        if constexpr (R::parts > 1)
            value = R::parts_value(value);
        if (threadIdx.x % POLICY::lanes == 0)
            out[row] = narrowed<typename OP::template of<T>::result>(value);
    }
}

} // namespace tune

#endif
