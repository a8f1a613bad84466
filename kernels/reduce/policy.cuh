// How a reduction is carried out: what an experiment's parameters come to as template arguments.
#ifndef TUNE_KERNELS_REDUCE_POLICY
#define TUNE_KERNELS_REDUCE_POLICY

#include "machine.cuh"

namespace tune
{

// How the threads of a block combine what each has.
enum class step {
    tree,      // halves of an array in shared memory, to the end
    warp_tail, // the same until a warp is left, which needs no block's barrier
    shuffle,   // shuffles in each warp, then in one
    redux,     // one instruction a warp, then one (compute capability 8.0; 32-bit accumulators)
    gather,    // one warp takes all from shared memory, then shuffles or redux
};

// Which block takes which tiles of BLOCK * COUNT * LOADS elements.
enum class map {
    tile,    // in turn, each tile with bounds checks: the smallest code, meant for a block per tile
    strided, // in turn
    chunk,   // neighbours: each block a contiguous part
    queue,   // each the next from a counter, as it gets there
};

// How the partials of blocks become one.
enum class finish {
    two_launches,       // by a second launch
    dependent_launches, // by a second launch that has begun already (compute capability 9.0)
    last_block,         // by the block whose ticket is the last, told to its threads by a vote
    last_block_shared,  // the same, told through shared memory
    flagged,            // by one block more, which does nothing but wait for each partial's flag
    flagged_last,       // by the block of the highest index, which waits when its own part is done
    atomic,             // by atomic operations; the last block stores what they came to
};

// BLOCK: threads, 32 to 1024, whole warps. COUNT: elements per load, 1 or 4 to 16 bytes of them.
// LOADS: independent loads that a thread has in flight. MIN_BLOCKS: resident blocks per SM that
// registers are kept free for, at least 1; without a bound the compiler saves registers for more
// blocks, by loading one after another.
template <int BLOCK, int COUNT, int LOADS, int MIN_BLOCKS, step STEP, cache CACHE, map MAP>
struct policy {
    static constexpr int block = BLOCK;
    static constexpr int count = COUNT;
    static constexpr int loads = LOADS;
    static constexpr int min_blocks = MIN_BLOCKS;
    static constexpr tune::step step = STEP;
    static constexpr tune::cache cache = CACHE;
    static constexpr tune::map map = MAP;
    static constexpr int warps = BLOCK / WARP;
    static constexpr int tile_packs = BLOCK * LOADS;
    static_assert(BLOCK % WARP == 0 && warps >= 1 && warps <= WARP, "BLOCK: whole warps");
    static_assert(2 * (COUNT - 1) <= BLOCK, "the ends that no pack covers are one per thread");
};

// The words of 8 bytes that launches share: zero before the first one, and zero again behind each.
// A launch that died leaves them to be zeroed.
enum : int {
    STATE_VALUE = 0, // of the atomic finish
    STATE_TICKET = 1,
    STATE_QUEUE = 2, // tiles taken beyond the first of each block
    STATE_WORDS = 8
};

} // namespace tune

#endif
