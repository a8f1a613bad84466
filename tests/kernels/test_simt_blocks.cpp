// The emulation of what blocks have beyond threads, through kernels/reduce/machine.cuh: shared
// memory in templates, clusters, bulk copies, dependent launches, words that blocks share.
#include "tests/kernels/simt.h"

#include "kernels/reduce/machine.cuh"

#include <cstdio>
#include <cstring>

using tune::u32;
using tune::u64;

static int failed;
#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            std::printf("FAILED line %d: %s\n", __LINE__, #condition);                             \
            failed++;                                                                              \
        }                                                                                          \
    } while (0)

static bool says(const std::string &problem, const char *what)
{
    return problem.find(what) != std::string::npos;
}

constexpr uint64_t seeds = 40;
static u32 wrong, word;

// How many of the seeds end in this problem; "" stands for none.
static uint64_t count(const char *problem, simt::launch launch, void (*kernel)())
{
    uint64_t found = 0;
    for (launch.seed = 0; launch.seed < seeds; launch.seed++) {
        wrong = word = 0;
        const std::string error = simt::run(launch, kernel);
        found += *problem == 0 ? error.empty() && wrong == 0 : says(error, problem);
    }
    return found;
}

// ---- shared memory ----

template <typename T, int COUNT> static void exchange(T add)
{
    TUNE_SHARED(T, cell, COUNT);
    TUNE_SHARED(T, other, COUNT);
    static_assert(sizeof cell == COUNT * sizeof(T), "an array, not a pointer");
    const T mine = static_cast<T>(static_cast<T>(blockIdx.x * 100 + threadIdx.x) + add);
    T poison;
    std::memset(&poison, 0xa5, sizeof poison);
    wrong += std::memcmp(&cell[threadIdx.x], &poison, sizeof poison) != 0;
    cell[threadIdx.x] = mine;
    other[threadIdx.x] = static_cast<T>(mine + 1);
    __syncthreads();
    const u32 mate = blockDim.x - 1 - threadIdx.x;
    const T theirs = static_cast<T>(static_cast<T>(blockIdx.x * 100 + mate) + add);
    wrong += cell[mate] != theirs || other[mate] != static_cast<T>(theirs + 1);
}

static void exchange_in_each_type()
{
    exchange<char, 64>(1);
    exchange<double, 64>(2);
    exchange<u32, 70>(3);
}

template <typename T, int COUNT> static void touch(int at)
{
    TUNE_SHARED(T, cell, COUNT);
    TUNE_SHARED(T, next, 1);
    next[0] = 1;
    static_cast<volatile T *>(cell)[at] = 1;
}

static void shared_arrays_are_of_a_block_and_an_instantiation()
{
    EXPECT(count("", {9, 64, {}, 0, 4}, exchange_in_each_type) == seeds);
    EXPECT(count("", {2, 1, {}, 0, 1}, [] { touch<u32, 4>(3); }) == seeds);
    EXPECT(count("outside of an array", {2, 1, {}, 0, 1}, [] { touch<u32, 4>(4); }) == seeds);
    EXPECT(count("more than 49152 bytes", {2, 1, {}, 0, 1}, [] { touch<u32, 12288>(0); }) == seeds);
}

static void fill_dynamic()
{
    TUNE_DYNAMIC_SHARED(bytes);
    wrong += reinterpret_cast<uintptr_t>(bytes) % 128 != 0;
    for (u32 i = 0; i < 200; i++)
        static_cast<volatile unsigned char *>(bytes)[i] = 1;
}

static void dynamic_shared_memory_is_aligned_and_ends()
{
    EXPECT(count("", {3, 1, {}, 0, 2, 200}, fill_dynamic) == seeds);
    EXPECT(count("outside of an array", {3, 1, {}, 0, 2, 199}, fill_dynamic) == seeds);
    EXPECT(count("outside of an array", {3, 1, {}, 0, 2, 128}, fill_dynamic) == seeds);
}

// ---- clusters ----

template <bool BEGIN, bool ARRIVE, bool END> static void gather_in_cluster()
{
    TUNE_SHARED(u64, of_block, 4);
    const u32 rank = tune::cluster_rank();
    wrong += rank != blockIdx.x % 4;
    if (BEGIN) {
        tune::cluster_begin();
        tune::cluster_begun();
    }
    if (threadIdx.x == 0)
        tune::store_in_cluster<u64>(&of_block[rank], 0, blockIdx.x);
    if (ARRIVE)
        tune::cluster_barrier();
    if (rank == 0)
        for (u32 i = 0; i < 4; i++)
            wrong += of_block[i] != blockIdx.x + i;
    if (END)
        tune::cluster_barrier();
}

static void read_rank_past_the_end()
{
    TUNE_SHARED(u32, cell, 1);
    tune::cluster_begin();
    tune::cluster_begun();
    tune::store_in_cluster(cell, 4, 1u);
}

static void begin_twice()
{
    tune::cluster_begin();
    tune::cluster_begin();
}

static void wait_without_arriving()
{
    tune::cluster_begun();
}

static void clusters_share_memory_and_a_barrier()
{
    simt::launch launch = {12, 33, {}, 0, 2, 0, 4};
    EXPECT(count("", launch, gather_in_cluster<true, true, false>) == seeds);
    EXPECT(count("not begun yet", {12, 1, {}, 0, 2, 0, 4}, gather_in_cluster<false, true, false>) >
           seeds / 2);
    EXPECT(count("", launch, gather_in_cluster<true, false, true>) < seeds / 10);
    EXPECT(count("has left", launch, gather_in_cluster<true, false, false>) > 0);
    EXPECT(count("of a cluster of 4", launch, read_rank_past_the_end) == seeds);
    EXPECT(count("arrives twice", launch, begin_twice) == seeds);
    EXPECT(count("has not arrived", launch, wait_without_arriving) == seeds);
    launch.grid = 10;
    EXPECT(count("not whole clusters", launch, gather_in_cluster<true, true, false>) == seeds);
}

// ---- bulk copies ----

constexpr u32 stage_words = 64, stages = 3, rounds = 10;
static u32 *input;

enum class pipe { right, wrong_phase, refilled_early, no_wait, unaligned, past_the_end };

// Three stages are filled in turn by thread 0 and added up by all.
template <pipe PIPE> static void add_in_stages()
{
    TUNE_DYNAMIC_SHARED(bytes);
    TUNE_SHARED(u64, full, stages);
    const auto stage = reinterpret_cast<u32(*)[stage_words]>(bytes);
    const auto fill = [&](u32 round) {
        const u32 skip = PIPE == pipe::unaligned ? 1 : PIPE == pipe::past_the_end ? 4 : 0;
        tune::bulk_copy(stage[round % stages], input + round * stage_words + skip, sizeof *stage,
                        &full[round % stages]);
    };
    if (threadIdx.x == 0)
        for (u32 i = 0; i < stages; i++)
            tune::bulk_barrier_init(&full[i]);
    __syncthreads();
    if (threadIdx.x == 0)
        for (u32 i = 0; i < stages; i++)
            fill(i);
    for (u32 round = 0; round < rounds; round++) {
        if (PIPE != pipe::no_wait)
            tune::bulk_wait(&full[round % stages],
                            (round / stages + (PIPE == pipe::wrong_phase)) % 2);
        wrong += stage[round % stages][threadIdx.x] != round * stage_words + threadIdx.x;
        if (PIPE != pipe::refilled_early)
            __syncthreads();
        if (threadIdx.x == 0 && round + stages < rounds)
            fill(round + stages);
    }
}

static void leave_before_the_copy()
{
    TUNE_SHARED(u64, full, 1);
    TUNE_DYNAMIC_SHARED(bytes);
    tune::bulk_barrier_init(full);
    tune::bulk_copy(bytes, input, 16, full);
}

static void wait_for_no_copy()
{
    TUNE_SHARED(u64, full, 1);
    tune::bulk_barrier_init(full);
    tune::bulk_wait(full, 0);
}

static void copy_twice_in_a_phase()
{
    TUNE_SHARED(u64, full, 1);
    TUNE_DYNAMIC_SHARED(bytes);
    tune::bulk_barrier_init(full);
    simt::bulk_copy(bytes, input, 16, full);
    simt::bulk_copy(bytes + 16, input, 16, full);
    tune::bulk_wait(full, 0);
}

static void bulk_copies_arrive_later_and_are_held_to_the_rules()
{
    const simt::guarded data(rounds * stage_words * sizeof(u32), true);
    input = data.as<u32>();
    for (u32 i = 0; i < rounds * stage_words; i++)
        input[i] = i;
    const size_t bytes = stages * stage_words * sizeof(u32);
    const simt::launch launch = {5, stage_words, {}, 0, 3, bytes};
    EXPECT(count("", launch, add_in_stages<pipe::right>) == seeds);
    EXPECT(count("", launch, add_in_stages<pipe::wrong_phase>) == 0);
    EXPECT(count("", launch, add_in_stages<pipe::refilled_early>) == 0);
    EXPECT(count("", launch, add_in_stages<pipe::no_wait>) == 0);
    EXPECT(count("multiples of 16", launch, add_in_stages<pipe::unaligned>) == seeds);
    EXPECT(count("outside of an array", launch, add_in_stages<pipe::past_the_end>) == seeds);
    simt::launch small = launch;
    small.dynamic_shared -= 16;
    EXPECT(count("destination is outside", small, add_in_stages<pipe::right>) == seeds);
    const simt::launch single = {1, 1, {}, 0, 1, 128};
    EXPECT(count("under way", single, leave_before_the_copy) > seeds / 2);
    EXPECT(count("waits for ever at the barrier of bulk copies", single, wait_for_no_copy) ==
           seeds);
    EXPECT(count("phase has not ended", single, copy_twice_in_a_phase) > seeds / 2);
}

// ---- dependent launches ----

template <bool WAIT> static void add_up_slots()
{
    if (WAIT)
        tune::wait_for_launch_before();
    wrong += input[threadIdx.x] != threadIdx.x + 1;
}

static void fill_slots()
{
    tune::let_dependents_begin();
    simt::give_way();
    input[blockIdx.x] = blockIdx.x + 1;
}

static uint64_t count_dependent(void (*second)())
{
    uint64_t right = 0;
    for (uint64_t seed = 0; seed < seeds; seed++) {
        const simt::guarded data(32 * sizeof(u32), true);
        input = data.as<u32>();
        wrong = 0;
        EXPECT(simt::run_dependent({32, 1, {}, seed, 4}, fill_slots, {2, 32, {}, 0, 1}, second)
                   .empty());
        right += wrong == 0;
    }
    return right;
}

static void dependent_launches_begin_early()
{
    EXPECT(count_dependent(add_up_slots<true>) == seeds);
    EXPECT(count_dependent(add_up_slots<false>) == 0);
}

// ---- words that blocks share ----

static tune::slot slots[16];

// The block of the highest index waits for the others.
static void wait_for_all_before()
{
    if (threadIdx.x == 0)
        tune::store_flagged<u64>(&slots[blockIdx.x], blockIdx.x + 7, 3);
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x < gridDim.x) {
        tune::u64 got = 0;
        while (!tune::load_flagged(&slots[threadIdx.x], 3, got))
            ;
        wrong += got != threadIdx.x + 7;
    }
}

static void poll_for_nothing()
{
    while (tune::load_relaxed(&word) == 0)
        ;
}

static void poll_together()
{
    while (__all_sync(tune::ALL_LANES, tune::load_relaxed(&word) == 0))
        ;
}

static void blocks_start_in_order_and_endless_polling_is_reported()
{
    const auto clear = [] { std::memset(slots, 0, sizeof slots); };
    for (u32 resident : {1, 2, 5}) {
        for (uint64_t seed = 0; seed < seeds; seed++) {
            clear();
            simt::launch launch = {16, 32, {}, seed, resident};
            launch.in_order = true;
            wrong = 0;
            EXPECT(simt::run(launch, wait_for_all_before).empty() && wrong == 0);
        }
    }
    clear();
    word = 0;
    for (const auto poll : {poll_for_nothing, poll_together})
        EXPECT(says(simt::run({2, 32, {}, 1, 2}, poll), "polling without end"));
}

// ---- collectives and atomics ----

static long long extremes[4];
static u64 highest, lowest;

static void use_extremes()
{
    const int lane = static_cast<int>(threadIdx.x % 32), value = lane == 9 ? -70 : 40 - lane;
    const u32 far = lane == 5 ? 0xfffffff0u : static_cast<u32>(lane) + 3;
    wrong += __reduce_min_sync(tune::ALL_LANES, value) != -70;
    wrong += __reduce_max_sync(tune::ALL_LANES, value) != 40;
    wrong += __reduce_min_sync(tune::ALL_LANES, far) != 3;
    wrong += __reduce_max_sync(tune::ALL_LANES, far) != 0xfffffff0u;
    const u64 wide = static_cast<u64>(lane) << 40;
    wrong += __shfl_xor_sync(tune::ALL_LANES, wide, 16) != (wide ^ 16ull << 40);
    __syncwarp(0xffffffffu);
    atomicMin(&extremes[0], -5 - lane);
    atomicMax(&extremes[1], value);
    atomicMin(&lowest, wide + 1);
    atomicMax(&highest, wide);
    const u32 before = atomicExch(&word, 9u);
    wrong += before != 0 && before != 9;
    atomicCAS(&extremes[2], 0, 7);
}

static void extremes_keep_their_sign()
{
    for (uint64_t seed = 0; seed < seeds; seed++) {
        std::memset(extremes, 0, sizeof extremes);
        highest = wrong = word = 0;
        lowest = ~0ull;
        EXPECT(simt::run({3, 64, {}, seed, 3}, use_extremes).empty() && wrong == 0);
        EXPECT(extremes[0] == -36 && extremes[1] == 40 && extremes[2] == 7 && word == 9);
        EXPECT(lowest == 1 && highest == 31ull << 40);
    }
}

int main()
{
    shared_arrays_are_of_a_block_and_an_instantiation();
    dynamic_shared_memory_is_aligned_and_ends();
    clusters_share_memory_and_a_barrier();
    bulk_copies_arrive_later_and_are_held_to_the_rules();
    dependent_launches_begin_early();
    blocks_start_in_order_and_endless_polling_is_reported();
    extremes_keep_their_sign();
    std::printf("%d failed\n", failed);
    return failed > 0;
}
