// CUDA's thread model on the host, for tests: a kernel's own source, compiled as C++, is run by
// coroutines, one per thread, of several blocks at once, in an order drawn from a seed. Barriers,
// votes, shuffles and atomics behave as on a GPU of compute capability 7.0 or later: no lane runs
// in step with another unless a collective says so. A thread gives way at each of these calls, so
// that everything they do not order happens in every order sooner or later.
//
// Reported instead of hung on or passed over: barriers that not all threads of the block reach or
// that they reach at different places, collectives whose lanes never come or disagree, accesses
// outside a guarded array, accesses that are not aligned (compile with -fsanitize=alignment
// -fsanitize-undefined-trap-on-error), polling that nothing ends, shared memory written past an
// array's end, shared memory of a block of the cluster that is not there, bulk copies that
// hardware refuses.
//
// Not modelled: weak memory order (a missing fence is not seen), textures. Kernels that are
// templates declare shared memory by TUNE_SHARED(type, name, count) and TUNE_DYNAMIC_SHARED(name),
// for which they have __shared__ and extern __shared__; other kernels by __shared__
// (SIMT_SHARED_SECTION) and DYNAMIC_SHARED(type, name).
#ifndef TESTS_KERNELS_SIMT_H
#define TESTS_KERNELS_SIMT_H

#define TUNE_SIMT

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>

namespace simt
{

struct index3 {
    unsigned int x, y, z;
};

// Place of a kernel's __shared__ variables: between two addresses, the same for every block;
// their content is exchanged when another block runs.
struct shared_range {
    char *begin;
    char *end;
};

struct launch {
    unsigned int grid;
    unsigned int block;
    shared_range shared;
    uint64_t seed;
    unsigned int resident;     // blocks that run at the same time, at least 1
    size_t dynamic_shared = 0; // bytes per block, followed by forbidden memory
    unsigned int cluster = 1;  // blocks a cluster, which run at the same time; divides `grid`
    bool in_order = false;     // blocks start in the order of their index, as on hardware
};

// Runs kernel() once per thread. Returns "" or the error.
std::string run(const launch &launch, const std::function<void()> &kernel);

// Two launches of which the second may begin before the first has ended, as a dependent launch may:
// wait_for_launch_before() waits for that. The seed is the first one's.
std::string run_dependent(const launch &first, const std::function<void()> &first_kernel,
                          const launch &second, const std::function<void()> &second_kernel);

// An array between two forbidden pages. It ends right before the second one if `at_end`, else it
// begins right behind the first one, plus `offset` bytes. Poisoned with 0xa5.
class guarded
{
  public:
    guarded(size_t bytes, bool at_end, size_t offset = 0);
    ~guarded();
    guarded(const guarded &) = delete;
    guarded &operator=(const guarded &) = delete;
    template <typename T> T *as() const
    {
        return reinterpret_cast<T *>(data_);
    }

  private:
    char *data_;
    char *map_;
    size_t map_bytes_;
};

// Functions behind the names that kernels use.
extern index3 thread_index, block_index, block_size, grid_size;
enum class collective { sync, down, up, exclusive_or, index, add, ballot, min, max };
unsigned int barrier(int line, unsigned int vote);
uint64_t warp(collective kind, int line, unsigned int mask, uint64_t value, unsigned int argument,
              unsigned int width);
void give_way();
void made_progress(); // this thread's action may end the polling of another
void *dynamic_shared();
unsigned char *aligned_dynamic_shared(); // to 128 bytes
void *shared_array(const void *tag, size_t bytes, size_t alignment);
void wait_for_launch_before();

// The cluster of this block. Its barrier has two parts: all threads that have not left arrive,
// then each waits for all others. cluster_map: the place of `at`, an address of this block's
// TUNE_SHARED arrays, in block `rank`, which must have begun and not have left: store at once.
unsigned int cluster_rank();
void cluster_arrive(int line);
void cluster_wait(int line);
void *map_in_cluster(const void *at, unsigned int rank);
template <typename T> T *cluster_map(T *at, unsigned int rank)
{
    return static_cast<T *>(map_in_cluster(at, rank));
}

// Barriers (8 bytes of shared memory) that expect one arrival, that of bulk_copy(). Its copy
// arrives between now and the time when all threads wait; until then the destination is
// poisoned. bulk_wait() waits for the end of the current phase, 0, 1, 0, 1 ...
void bulk_barrier_init(unsigned long long *barrier);
void bulk_copy(void *to, const void *from, unsigned int bytes, unsigned long long *barrier);
void bulk_wait(unsigned long long *barrier, unsigned int phase);

template <typename T>
T shuffle(collective kind, int line, unsigned int mask, T value, unsigned int argument,
          unsigned int width)
{
    static_assert(sizeof(T) <= sizeof(uint64_t), "shuffles move at most 8 bytes");
    uint64_t bits = 0;
    __builtin_memcpy(&bits, &value, sizeof value);
    bits = warp(kind, line, mask, bits, argument, width);
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

// Minimum or maximum over the mask.
template <typename T> T extreme(collective kind, int line, unsigned int mask, T value)
{
    static_assert(sizeof(T) == 4 && std::is_integral_v<T>, "redux takes int and unsigned int");
    const int64_t wide = value;
    return static_cast<T>(warp(kind, line, mask, static_cast<uint64_t>(wide), 0, 32));
}

constexpr unsigned int mask_of(unsigned int mask = 0xffffffffu)
{
    return mask;
}

template <typename T, typename Change> T atomic(T *at, const Change &change)
{
    give_way();
    const T old = *at;
    *at = change(old);
    if (__builtin_memcmp(&old, at, sizeof old) != 0)
        made_progress();
    give_way();
    return old;
}

} // namespace simt

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __restrict__ __restrict
#define __launch_bounds__(...)

// Each point of a family (a set of defines) has a section of its own for its shared variables: a
// launch exchanges only these. SIMT_SHARED_SECTION is a C identifier in quotes.
#define __shared__ static __attribute__((section(SIMT_SHARED_SECTION)))

#define DYNAMIC_SHARED(type, name) type *const name = static_cast<type *>(simt::dynamic_shared())

// One array a block for each place and instantiation, which the address of `name_tag` stands for.
#define TUNE_SHARED(type, name, count)                                                             \
    static char name##_tag;                                                                        \
    auto &name = *static_cast<type(*)[count]>(                                                     \
        simt::shared_array(&name##_tag, sizeof(type[count]), alignof(type)))
#define TUNE_DYNAMIC_SHARED(name) unsigned char *const name = simt::aligned_dynamic_shared()

#define threadIdx simt::thread_index
#define blockIdx  simt::block_index
#define blockDim  simt::block_size
#define gridDim   simt::grid_size

#define __syncthreads()           ((void)simt::barrier(__LINE__, 0))
#define __syncthreads_or(vote)    ((int)(simt::barrier(__LINE__, (vote) != 0) != 0))
#define __syncthreads_count(vote) ((int)simt::barrier(__LINE__, (vote) != 0))
#define __threadfence()           simt::give_way()
#define __threadfence_block()     simt::give_way()

#define SIMT_WARP(kind, mask, value, argument, width)                                              \
    simt::shuffle(simt::collective::kind, __LINE__, (mask), (value), (unsigned int)(argument),     \
                  (width))
#define __shfl_down_sync(mask, value, delta) SIMT_WARP(down, mask, value, delta, 32)
#define __shfl_up_sync(mask, value, delta)   SIMT_WARP(up, mask, value, delta, 32)
#define __shfl_xor_sync(mask, value, lanes)  SIMT_WARP(exclusive_or, mask, value, lanes, 32)
#define __shfl_sync(mask, value, lane)       SIMT_WARP(index, mask, value, lane, 32)
#define __reduce_add_sync(mask, value)       SIMT_WARP(add, mask, value, 0, 32)
#define __ballot_sync(mask, vote)            SIMT_WARP(ballot, mask, (unsigned int)((vote) != 0), 0, 32)
#define __any_sync(mask, vote)               ((int)(__ballot_sync(mask, vote) != 0))
#define __all_sync(mask, vote)               ((int)(__ballot_sync(mask, vote) == (mask)))
#define __syncwarp(...)                      ((void)SIMT_WARP(sync, simt::mask_of(__VA_ARGS__), 0u, 0, 32))
#define __reduce_min_sync(mask, value)                                                             \
    simt::extreme(simt::collective::min, __LINE__, (mask), (value))
#define __reduce_max_sync(mask, value)                                                             \
    simt::extreme(simt::collective::max, __LINE__, (mask), (value))

// An atomic operation with `old`, the present value, and `with`, the operand in its type.
#define SIMT_ATOMIC(at, value, ...)                                                                \
    simt::atomic((at),                                                                             \
                 [with = static_cast<std::remove_reference_t<decltype(*(at))>>(value)](            \
                     auto old) -> decltype(old) { return __VA_ARGS__; })
#define atomicAdd(at, value)  SIMT_ATOMIC(at, value, old + with)
#define atomicMin(at, value)  SIMT_ATOMIC(at, value, with < old ? with : old)
#define atomicMax(at, value)  SIMT_ATOMIC(at, value, old < with ? with : old)
#define atomicExch(at, value) SIMT_ATOMIC(at, value, (void(old), with))
#define atomicInc(at, limit)  SIMT_ATOMIC(at, limit, old >= with ? 0u : old + 1)
#define atomicCAS(at, compare, value)                                                              \
    simt::atomic((at), [&, with = static_cast<std::remove_reference_t<decltype(*(at))>>(value)](   \
                           auto old) { return old == (compare) ? with : old; })

#endif
