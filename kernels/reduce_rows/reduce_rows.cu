// Reduces each of many rows of LENGTH elements to one: out[r] of in[r * LENGTH .. (r + 1) *
// LENGTH). A row is the work of a part of a warp, a warp, or a block. Right for any rows >= 0, any
// grid, any LENGTH and any alignment of `in`; the order of operations depends on the defines only,
// so that the result is the same every time.
//
// Defines (configs/reduce_rows.yaml):
//   ELEMENT     type of an element; integers wrap
//   AFFINE      0: the sum. 1: composition of the maps x -> a x + b mod 2^32, a in the high half of
//               a u64, b in the low half: associative, not commutative, so order must be kept
//   LENGTH      elements of a row
//   GROUP       threads a row: 1, 2, 4, 8, 16, 32, or BLOCK
//   BLOCK       threads a block, a multiple of 32
//   VECTOR      elements a load; LENGTH is a multiple of it
//   ROWS        rows that a group has in flight
//   CHUNKS      what a thread takes of its row, when that is more than one load: 0 every so many
//               elements, so that loads coalesce; 1 elements that follow one another
//   STEP        how a warp combines the values of its lanes:
//               0 guarded  tree in shared memory, lanes beyond the tree's end do nothing
//               1 relaxed  the same without that check: shared memory is padded instead
//               2 down     registers only, shuffles from the lanes above
//               3 xor      registers only, butterfly
//               4 redux    one instruction (sums of 4-byte integers, compute capability 8.0)
//   MIN_BLOCKS  resident blocks an SM that registers are kept free for (default 1)
//
// Lanes of a warp need not run in step (compute capability 7.0 and later): between an access to
// shared memory and another lane's there is a __syncwarp, and shuffles name the lanes that take
// part.
#ifndef MIN_BLOCKS
#define MIN_BLOCKS 1
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 700
#error "needs compute capability 7.0: __syncwarp and shuffles with a mask"
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800 && STEP == 4
#error "redux needs compute capability 8.0"
#endif

// Signed overflow is undefined, so signed integers are added as unsigned ones, which wrap.
template <typename T> struct wrapping {
    typedef T type;
};
template <> struct wrapping<int> {
    typedef unsigned int type;
};
template <> struct wrapping<long long> {
    typedef unsigned long long type;
};
typedef wrapping<ELEMENT>::type value_t;
typedef unsigned long long size_type;

struct alignas(VECTOR * sizeof(ELEMENT)) pack {
    ELEMENT lane[VECTOR];
};

enum : int { GUARDED, RELAXED, DOWN, XOR, REDUX };
enum : unsigned int {
    WARP = 32,
    ALL_LANES = 0xffffffffu,
    SUB = GROUP < WARP ? GROUP : WARP, // lanes of a warp that have a row in common
    PARTS = GROUP / SUB,               // warps that have one
    GROUPS = BLOCK / GROUP,
    TILE_ROWS = GROUPS * ROWS, // rows that a block has in flight
    // A warp's part of a row, and the loads of a lane for it.
    PART = ((LENGTH + PARTS - 1) / PARTS + VECTOR - 1) / VECTOR * VECTOR,
    LOADS = (PART + SUB * VECTOR - 1) / (SUB * VECTOR),
    MOST_LOADS = 16 / ROWS, // of one row in flight
    LOADS_AT_ONCE = LOADS < MOST_LOADS ? LOADS : MOST_LOADS,
    CELLS = STEP == RELAXED ? SUB + SUB / 2 : SUB,
};
// Loads of lanes that lie beside one another, in an order to be kept, are combined one by one.
constexpr bool BY_LOAD = AFFINE && !CHUNKS && LOADS > 1;
constexpr bool FULL =
    LOADS % LOADS_AT_ONCE == 0 && (size_type)PARTS * SUB * LOADS * VECTOR == LENGTH;

static_assert(BLOCK % WARP == 0 && BLOCK <= 1024, "BLOCK: 32 to 1024, whole warps");
static_assert(GROUP == BLOCK || (GROUP <= WARP && WARP % GROUP == 0), "GROUP: 1 to 32, or BLOCK");
static_assert(LENGTH >= 1 && LENGTH < (1 << 30) && LENGTH % VECTOR == 0, "LENGTH: whole packs");
static_assert(ROWS >= 1 && ROWS <= 16, "ROWS: 1 to 16");
static_assert(!AFFINE || sizeof(ELEMENT) == 8, "an affine map is a u64");
static_assert(STEP != REDUX || (!AFFINE && sizeof(ELEMENT) == 4 && (ELEMENT)0.5 == 0),
              "redux: sums of 4-byte integers");

// Multipliers are made odd. A product of 32 even ones is 0, and nothing behind them would count.
static __device__ __forceinline__ value_t value_of(ELEMENT element)
{
#if AFFINE
    return element | 1ull << 32;
#else
    return (value_t)element;
#endif
}

static __device__ __forceinline__ value_t identity()
{
    return AFFINE ? value_of(0) : (value_t)0;
}

// Keeps the order: left comes before right.
static __device__ __forceinline__ value_t combine(value_t left, value_t right)
{
#if AFFINE
    const unsigned int a = (unsigned int)(left >> 32), b = (unsigned int)left;
    const unsigned int product = a * (unsigned int)(right >> 32);
    return (value_t)product << 32 | (a * (unsigned int)right + b);
#else
    return left + right;
#endif
}

// Neighbours first: short dependency chains, the order kept, and for reals a small error.
template <int COUNT> static __device__ __forceinline__ value_t combined(const value_t *value)
{
    if constexpr (COUNT == 1)
        return value[0];
    else
        return combine(combined<(COUNT + 1) / 2>(value),
                       combined<COUNT / 2>(value + (COUNT + 1) / 2));
}

#if STEP == 0 || STEP == 1
static __device__ __forceinline__ value_t *cells_of_group()
{
    __shared__ value_t cells[BLOCK / SUB * CELLS];
    return cells + threadIdx.x / SUB * CELLS;
}
#endif

// Once, before the first of reduce_lanes: the padding is never written again.
static __device__ __forceinline__ void prepare_lanes()
{
#if STEP == 1
    cells_of_group()[threadIdx.x % SUB + SUB / 2] = identity();
    __syncwarp();
#endif
}

// All lanes of the warp call this, each group of SUB lanes for itself. What the lanes have,
// combined in their order, is the first lane's. Sums start with lanes far apart, where all that a
// step needs lies together; where order counts, neighbours come first.
static __device__ __forceinline__ value_t reduce_lanes(value_t value)
{
    const unsigned int lane = threadIdx.x % SUB;
    (void)lane;
#if STEP == 0 && !AFFINE
    value_t *cell = cells_of_group();
    cell[lane] = value;
    __syncwarp();
#pragma unroll
    for (unsigned int distance = SUB / 2; distance > 0; distance /= 2) {
        if (lane < distance) {
            value = combine(value, cell[lane + distance]);
            cell[lane] = value;
        }
        __syncwarp();
    }
#elif STEP == 0
    // Pairs, compressed into the first half, which other lanes may still have to read.
    value_t *cell = cells_of_group();
    cell[lane] = value;
    __syncwarp();
#pragma unroll
    for (unsigned int pairs = SUB / 2; pairs > 0; pairs /= 2) {
        if (lane < pairs)
            value = combine(cell[2 * lane], cell[2 * lane + 1]);
        __syncwarp();
        if (lane < pairs)
            cell[lane] = value;
        __syncwarp();
    }
#elif STEP == 1
    // Every lane takes every step; what the last ones make of the padding goes nowhere.
    value_t *cell = cells_of_group();
#pragma unroll
    for (unsigned int step = 1; step < SUB; step *= 2) {
        cell[lane] = value;
        __syncwarp();
        const value_t other = cell[lane + (AFFINE ? step : SUB / 2 / step)];
        __syncwarp();
        value = combine(value, other);
    }
#elif STEP == 2
    // Lanes at the group's end get another group's values, which do not reach its first lane.
#pragma unroll
    for (unsigned int step = 1; step < SUB; step *= 2)
        value = combine(value, __shfl_down_sync(ALL_LANES, value, AFFINE ? step : SUB / 2 / step));
#elif STEP == 3
    // A butterfly. Where order counts it is kept for the first lane, and for those it hears of:
    // each is the left one of its pairs until then.
#pragma unroll
    for (unsigned int step = 1; step < SUB; step *= 2) {
        const value_t other = __shfl_xor_sync(ALL_LANES, value, AFFINE ? step : SUB / 2 / step);
        value = combine(value, other);
    }
#else
    constexpr unsigned int lanes = SUB == WARP ? ALL_LANES : (1u << SUB % WARP) - 1;
    value = __reduce_add_sync(lanes << threadIdx.x % WARP / SUB * SUB, value);
#endif
    return value;
}

template <bool ALIGNED> static __device__ __forceinline__ pack load_pack(const ELEMENT *from)
{
    if constexpr (ALIGNED) {
        const pack &aligned = *(const pack *)from;
        return aligned;
    } else {
        pack got;
#pragma unroll
        for (int i = 0; i < VECTOR; i++)
            got.lane[i] = from[i];
        return got;
    }
}

// Where in its row this thread's load `index` begins, an element.
static __device__ __forceinline__ unsigned int place_of(unsigned int index)
{
    const unsigned int part = threadIdx.x % GROUP / SUB * PART, lane = threadIdx.x % SUB;
    return part + (CHUNKS ? lane * LOADS + index : index * SUB + lane) * VECTOR;
}

// Loads first .. first + LOADS_AT_ONCE of a row, VECTOR values each; nothing behind the row's, or
// its part's, end is touched.
template <bool ALIGNED>
static __device__ __forceinline__ void load_values(value_t *value, const ELEMENT *row, bool there,
                                                   unsigned int first)
{
    const unsigned int part_end = (threadIdx.x % GROUP / SUB + 1) * PART;
    const unsigned int end = part_end < LENGTH ? part_end : LENGTH;
#pragma unroll
    for (unsigned int i = 0; i < LOADS_AT_ONCE; i++) {
        const unsigned int at = place_of(first + i);
        const bool inside = there && (FULL || (first + i < LOADS && at < end));
        pack got = {};
        if (inside)
            got = load_pack<ALIGNED>(row + at);
#pragma unroll
        for (int k = 0; k < VECTOR; k++)
            value[i * VECTOR + k] = inside ? value_of(got.lane[k]) : identity();
    }
}

// One round of loads, combined into `total`: all that this thread has, or, load by load, what its
// warp has.
static __device__ __forceinline__ value_t add_values(value_t total, const value_t *value)
{
    if constexpr (BY_LOAD) {
#pragma unroll
        for (unsigned int i = 0; i < LOADS_AT_ONCE; i++)
            total = combine(total, reduce_lanes(combined<VECTOR>(value + i * VECTOR)));
        return total;
    } else {
        return combine(total, combined<LOADS_AT_ONCE * VECTOR>(value));
    }
}

// total[r]: of the row first + r * GROUPS what this group's first lane has in the end, or of a
// block's row what this warp's has.
template <bool ALIGNED>
static __device__ __forceinline__ void reduce_parts(value_t (&total)[ROWS], const ELEMENT *in,
                                                    size_type first, size_type rows)
{
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        total[r] = identity();
#pragma unroll 1
    for (unsigned int load = 0; load < LOADS; load += LOADS_AT_ONCE) {
        value_t value[ROWS][LOADS_AT_ONCE * VECTOR];
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const size_type row = first + (size_type)r * GROUPS;
            load_values<ALIGNED>(value[r], in + row * LENGTH, row < rows, load);
        }
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            total[r] = add_values(total[r], value[r]);
    }
    if constexpr (!BY_LOAD) {
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            total[r] = reduce_lanes(total[r]);
    }
}

// The parts of a block's rows, a warp for each row. Barriers: all threads of the block take part.
static __device__ __forceinline__ void combine_parts(const value_t (&total)[ROWS], ELEMENT *out,
                                                     size_type first, size_type rows)
{
    __shared__ value_t of_part[ROWS][PARTS];
    const unsigned int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    if (lane == 0) {
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            of_part[r][warp] = total[r];
    }
    __syncthreads();
    for (unsigned int r = warp; r < ROWS && first + r < rows; r += PARTS) {
        const value_t value = reduce_lanes(lane < PARTS ? of_part[r][lane] : identity());
        if (lane == 0)
            out[first + r] = (ELEMENT)value;
    }
    __syncthreads();
}

template <bool ALIGNED>
static __device__ __forceinline__ void reduce_tiles(const ELEMENT *__restrict__ in,
                                                    ELEMENT *__restrict__ out, size_type rows)
{
    const size_type tiles = (rows + TILE_ROWS - 1) / TILE_ROWS;
#pragma unroll 1
    for (size_type tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const size_type first = tile * TILE_ROWS + threadIdx.x / GROUP;
        value_t total[ROWS];
        reduce_parts<ALIGNED>(total, in, first, rows);
        if constexpr (PARTS > 1) {
            combine_parts(total, out, first, rows);
        } else if (threadIdx.x % GROUP == 0) {
#pragma unroll
            for (int r = 0; r < ROWS; r++)
                if (first + (size_type)r * GROUPS < rows)
                    out[first + (size_type)r * GROUPS] = (ELEMENT)total[r];
        }
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK, MIN_BLOCKS)
    reduce_rows(const ELEMENT *__restrict__ in, ELEMENT *__restrict__ out, long long rows)
{
    prepare_lanes();
    if (VECTOR == 1 || (size_type)in % sizeof(pack) == 0)
        reduce_tiles<true>(in, out, (size_type)rows);
    else
        reduce_tiles<false>(in, out, (size_type)rows);
}
