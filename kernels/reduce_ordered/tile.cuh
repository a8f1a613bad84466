// A tile of neighbouring elements -> one, in their order: how a warp, or for pairs a block, does
// it.
#ifndef TUNE_KERNELS_REDUCE_ORDERED_TILE
#define TUNE_KERNELS_REDUCE_ORDERED_TILE

#include "operator.cuh"

namespace tune
{

// A tile is LOADS rows of one load a thread. pairs: the block's tile, the others: a warp's.
enum class ordered_step {
    pairs,      // rows: neighbours in shared memory, results moved up into its first part
    stripes,    // rows: shuffles from the lanes above, row by row
    transposed, // rows: shuffles that serve two rows each, until a lane has parts of one
    chunks,     // rows, laid out in shared memory so that a lane takes neighbouring elements
    runs,       // a lane loads neighbouring elements itself: what a warp loads at once lies apart
    rounds, // as transposed; a block's warps take neighbouring tiles in turn, not parts of their
            // own, and load the next tile while they combine one
};

// BLOCK: threads, 32 to 1024, whole warps. COUNT: elements per load, 1 or 16 bytes of them.
// LOADS: independent loads that a thread has in flight; for transposed, rounds, chunks a power of
// two up to 32. MIN_BLOCKS: resident blocks per SM that registers are kept free for, at least 1.
template <int BLOCK, int COUNT, int LOADS, int MIN_BLOCKS, ordered_step STEP, cache CACHE>
struct ordered_policy {
    static constexpr int block = BLOCK;
    static constexpr int count = COUNT;
    static constexpr int loads = LOADS;
    static constexpr int min_blocks = MIN_BLOCKS;
    static constexpr ordered_step step = STEP;
    static constexpr tune::cache cache = CACHE;
    static constexpr int warps = BLOCK / WARP;
    // Threads that have a tile in common.
    static constexpr int lanes = STEP == ordered_step::pairs ? BLOCK : (int)WARP;
    static constexpr int tile_packs = lanes * LOADS;
    static_assert(BLOCK % WARP == 0 && warps >= 1 && warps <= WARP, "BLOCK: whole warps");
    static constexpr bool is_transposed =
        STEP == ordered_step::transposed || STEP == ordered_step::rounds;
    static_assert((!is_transposed && STEP != ordered_step::chunks) ||
                      (LOADS <= 32 && (LOADS & (LOADS - 1)) == 0),
                  "LOADS: a power of two");
};

// COUNT elements as they are loaded. One of 4 bytes or more is loaded with a hint, too.
template <typename OP, typename POLICY> struct ordered_pack {
    typedef typename OP::element element;
    static constexpr int words = POLICY::count * (int)sizeof(element) / 4;
    typedef tune::pack<u32, words> loaded;
    static_assert(words == 2 || words == 4, "COUNT: loads of 8 or 16 bytes");
    static_assert(alignof(element) == sizeof(element), "an element aligned to its size");

    static TUNE_DEVICE element value(const loaded &pack)
    {
        constexpr int each = (int)sizeof(element) / 4;
        element value[POLICY::count];
#pragma unroll
        for (int k = 0; k < POLICY::count; k++) {
            bits_of<element> bits;
#pragma unroll
            for (int i = 0; i < each; i++)
                bits.word[i] = pack.word[k * each + i];
            value[k] = OP::value_of(bits.element);
        }
        return in_order<OP, POLICY::count>(value);
    }
};

// BLOCK elements, a thread each -> thread 0's. All threads of the block take part.
template <typename OP, int BLOCK>
TUNE_DEVICE typename OP::element pairs_in_order(typename OP::element element)
{
    typedef typename OP::element E;
    TUNE_SHARED(E, cell, BLOCK);
    cell[threadIdx.x] = element;
    __syncthreads();
#pragma unroll
    for (int count = BLOCK; count > 1; count = (count + 1) / 2) {
        const int pair = 2 * (int)threadIdx.x;
        if (pair + 1 < count)
            element = OP::combine(cell[pair], cell[pair + 1]);
        else if (pair < count)
            element = cell[pair];
        __syncthreads(); // all have read what is written over
        if (pair < count)
            cell[threadIdx.x] = element;
        __syncthreads();
    }
    return element;
}

// The packs of one tile -> lane 0's element.
template <typename OP, typename POLICY> struct ordered_tile {
    typedef typename OP::element element;
    typedef ordered_pack<OP, POLICY> packs;
    typedef typename packs::loaded pack;
    static constexpr int loads = POLICY::loads;

    // Which of the tile's packs this thread's load number i is.
    static TUNE_DEVICE u32 place(int i)
    {
        const u32 lane = threadIdx.x % POLICY::lanes;
        return POLICY::step == ordered_step::runs ? lane * loads + i : i * POLICY::lanes + lane;
    }

    // A warp's packs, exchanged so that a lane has neighbours; no two lanes that access shared
    // memory at once meet in a bank.
    static TUNE_DEVICE void exchange(pack (&mine)[loads])
    {
        constexpr u32 at_once = 128 / sizeof(pack);
        TUNE_SHARED(pack, cell, POLICY::warps * POLICY::tile_packs);
        pack *const of_warp = cell + threadIdx.x / WARP * POLICY::tile_packs;
        const u32 lane = lane_of_warp();
        const auto slot = [](u32 place) { return place ^ (place / loads % at_once); };
        __syncwarp(); // all have read the last tile
#pragma unroll
        for (int i = 0; i < loads; i++)
            of_warp[slot(i * WARP + lane)] = mine[i];
        __syncwarp();
#pragma unroll
        for (int i = 0; i < loads; i++)
            mine[i] = of_warp[slot(lane * loads + i)];
    }

    static TUNE_DEVICE element combined(const element (&value)[loads])
    {
        if constexpr (POLICY::is_transposed) {
            return rows_in_order<OP, loads>(value);
        } else if constexpr (POLICY::step == ordered_step::chunks ||
                             POLICY::step == ordered_step::runs) {
            return lanes_in_order<OP>(in_order<OP, loads>(value));
        } else {
            element row[loads];
#pragma unroll
            for (int i = 0; i < loads; i++)
                if constexpr (POLICY::step == ordered_step::pairs)
                    row[i] = pairs_in_order<OP, POLICY::block>(value[i]);
                else
                    row[i] = lanes_in_order<OP>(value[i]);
            return in_order<OP, loads>(row);
        }
    }

    // A thread's packs of a tile.
    struct part {
        pack mine[loads];
    };

    // Of the first `rest` packs of the tile at `at`; with FULL all of them.
    template <bool FULL> static TUNE_DEVICE part loaded(const pack *at, u32 rest)
    {
        part got;
#pragma unroll
        for (int i = 0; i < loads; i++)
            if (FULL || place(i) < rest)
                got.mine[i] = load_pack<POLICY::cache>(at + place(i));
            else
                got.mine[i] = pack{};
        return got;
    }

    // What was loaded so -> lane 0's element.
    template <bool FULL> static TUNE_DEVICE element reduced(part got, u32 rest)
    {
        u32 first = place(0), apart = POLICY::lanes;
        if constexpr (POLICY::step == ordered_step::chunks) {
            exchange(got.mine);
            first = lane_of_warp() * loads;
        }
        if constexpr (POLICY::step == ordered_step::chunks || POLICY::step == ordered_step::runs)
            apart = 1;
        element value[loads];
#pragma unroll
        for (int i = 0; i < loads; i++)
            value[i] =
                FULL || first + i * apart < rest ? packs::value(got.mine[i]) : OP::identity();
        return combined(value);
    }

    template <bool FULL> static TUNE_DEVICE element reduced(const pack *at, u32 rest)
    {
        return reduced<FULL>(loaded<FULL>(at, rest), rest);
    }
};

} // namespace tune

#endif
