// The emulation itself: small kernels, right ones and wrong ones.
#define SIMT_SHARED_SECTION "shared_test_simt"
#include "tests/kernels/simt.h"

#include <cstdio>
#include <set>
#include <vector>

extern "C" char __start_shared_test_simt[], __stop_shared_test_simt[];

std::vector<unsigned int> seen;
unsigned int word;
volatile unsigned int flag;

static std::string run(unsigned int grid, unsigned int block, uint64_t seed, void (*kernel)())
{
    return simt::run({grid, block, {__start_shared_test_simt, __stop_shared_test_simt}, seed, 4},
                     kernel);
}

static bool says(const std::string &problem, const char *what)
{
    return problem.find(what) != std::string::npos;
}

static int failed;
#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            std::printf("FAILED line %d: %s\n", __LINE__, #condition);                             \
            failed++;                                                                              \
        }                                                                                          \
    } while (0)

static void note_order()
{
    simt::give_way();
    seen.push_back(blockIdx.x * blockDim.x + threadIdx.x);
}

static void threads_run_once_each_in_an_order_of_the_seed()
{
    std::set<std::vector<unsigned int>> orders;
    for (uint64_t seed = 0; seed < 5; seed++) {
        for (int again = 0; again < 2; again++) {
            seen.clear();
            EXPECT(run(6, 33, seed, note_order).empty());
            EXPECT(seen.size() == 6 * 33);
            EXPECT(std::set<unsigned int>(seen.begin(), seen.end()).size() == 6 * 33);
            orders.insert(seen);
        }
    }
    EXPECT(orders.size() == 5);
}

// Block 0 waits for block 1, and both are there at once.
static void wait_for_the_other_block()
{
    if (blockIdx.x == 1)
        flag = 1;
    while (blockIdx.x == 0 && flag == 0)
        __threadfence();
}

static void blocks_run_at_the_same_time()
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        flag = 0;
        EXPECT(run(2, 1, seed, wait_for_the_other_block).empty());
    }
}

static void exchange_in_shared()
{
    __shared__ unsigned int cell[64];
    if (cell[threadIdx.x] != 0xa5a5a5a5u)
        word++;
    cell[threadIdx.x] = blockIdx.x * 1000 + threadIdx.x;
    __syncthreads();
    if (cell[63 - threadIdx.x] != blockIdx.x * 1000 + 63 - threadIdx.x)
        word++;
    __syncthreads();
}

static void shared_memory_is_a_blocks_own_and_poisoned()
{
    word = 0;
    for (uint64_t seed = 0; seed < 20; seed++)
        EXPECT(run(9, 64, seed, exchange_in_shared).empty());
    EXPECT(word == 0);
}

static constexpr unsigned int cells = 64;

static void exchange_in_dynamic_shared()
{
    DYNAMIC_SHARED(unsigned int, cell);
    if (cell[threadIdx.x] != 0xa5a5a5a5u)
        word++;
    cell[threadIdx.x] = blockIdx.x * 1000 + threadIdx.x;
    __syncthreads();
    if (cell[cells - 1 - threadIdx.x] != blockIdx.x * 1000 + cells - 1 - threadIdx.x)
        word++;
}

static void dynamic_shared_memory_is_a_blocks_own_and_ends()
{
    word = 0;
    for (uint64_t seed = 0; seed < 20; seed++)
        for (unsigned int there : {cells, cells - 1}) {
            const std::string problem = simt::run(
                {9, cells, {}, seed, 4, there * sizeof(unsigned int)}, exchange_in_dynamic_shared);
            EXPECT(there == cells ? problem.empty() : says(problem, "outside of an array"));
        }
    EXPECT(word == 0);
}

static void use_collectives()
{
    const unsigned int all = 0xffffffffu, lane = threadIdx.x % 32;
    bool right = __shfl_down_sync(all, lane, 3) == (lane < 29 ? lane + 3 : lane);
    right &= __shfl_up_sync(all, lane, 5) == (lane >= 5 ? lane - 5 : lane);
    right &= __shfl_xor_sync(all, lane * 1.5, 9) == (lane ^ 9) * 1.5;
    right &= __shfl_sync(all, lane + 100, 7) == 107;
    right &= __reduce_add_sync(all, lane) == 31 * 16;
    right &= __ballot_sync(all, lane % 2) == 0xaaaaaaaau;
    right &= __any_sync(all, lane == 5) && !__all_sync(all, lane == 5);
    __syncwarp();
    const unsigned int half = lane < 8 ? 0xffu : 0xffffff00u;
    right &= __reduce_add_sync(half, 1u) == (lane < 8 ? 8u : 24u);
    right &= __syncthreads_count(threadIdx.x < 40) == 40;
    right &= __syncthreads_or(threadIdx.x == 77) == 1 && __syncthreads_or(0) == 0;
    if (!right)
        word++;
}

static void collectives_give_what_a_gpu_gives()
{
    word = 0;
    for (uint64_t seed = 0; seed < 20; seed++)
        EXPECT(run(3, 96, seed, use_collectives).empty());
    EXPECT(word == 0);
}

static void count_up()
{
    atomicAdd(&word, 2u);
    atomicInc(const_cast<unsigned int *>(&flag), 4u);
}

static void atomics_lose_nothing_and_wrap()
{
    word = 0;
    flag = 0;
    EXPECT(run(7, 32, 3, count_up).empty());
    EXPECT(word == 2 * 7 * 32);
    EXPECT(flag == 7 * 32 % 5);
}

static void count_up_unprotected()
{
    const unsigned int old = word;
    simt::give_way();
    word = old + 1;
}

static void races_lose_updates()
{
    word = 0;
    EXPECT(run(7, 32, 3, count_up_unprotected).empty());
    EXPECT(word < 7 * 32);
}

static void leave_early()
{
    if (threadIdx.x < 7)
        return;
    __syncthreads();
}

static void part_ways()
{
    if (threadIdx.x < 32)
        __syncthreads();
    else
        __syncthreads();
}

static void wait_in_half_a_warp()
{
    if (threadIdx.x < 16)
        __syncwarp();
}

static void disagree()
{
    __shfl_sync(threadIdx.x < 16 ? 0xffffffffu : 0xffff0000u, 1, 0);
}

static void be_outside_of_the_mask()
{
    __shfl_sync(0x1u, 1, 0);
}

static void wrong_kernels_are_reported()
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        EXPECT(says(run(2, 64, seed, leave_early), "barrier divergence"));
        EXPECT(says(run(2, 64, seed, part_ways), "barrier divergence"));
        EXPECT(says(run(2, 64, seed, wait_in_half_a_warp), "lanes missing"));
        EXPECT(says(run(2, 32, seed, disagree), "lanes disagree"));
        EXPECT(says(run(2, 32, seed, be_outside_of_the_mask), "not in its own mask"));
    }
    EXPECT(run(2, 64, 1, note_order).empty());
}

static volatile char *place;

static void touch()
{
    *place = *place;
}

static void arrays_end_where_they_end()
{
    for (size_t bytes : {0, 1, 4095, 4096, 4097}) {
        for (bool at_end : {false, true}) {
            const simt::guarded array(bytes, at_end, at_end ? 0 : 3);
            char *data = array.as<char>();
            if (bytes > 0) {
                EXPECT(data[0] == '\xa5' && data[bytes - 1] == '\xa5');
                place = data + bytes - 1;
                EXPECT(run(1, 1, 0, touch).empty());
            }
            place = at_end ? data + bytes : data - 4;
            EXPECT(says(run(1, 1, 0, touch), "outside of an array"));
        }
    }
}

int main()
{
    threads_run_once_each_in_an_order_of_the_seed();
    blocks_run_at_the_same_time();
    shared_memory_is_a_blocks_own_and_poisoned();
    dynamic_shared_memory_is_a_blocks_own_and_ends();
    collectives_give_what_a_gpu_gives();
    atomics_lose_nothing_and_wrap();
    races_lose_updates();
    wrong_kernels_are_reported();
    arrays_end_where_they_end();
    std::printf("%d failed\n", failed);
    return failed > 0;
}
