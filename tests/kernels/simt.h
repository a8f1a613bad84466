// CUDA's thread model on the host, for tests: a kernel's own source, compiled as C++, is run by
// coroutines, one a thread, of several blocks at once, in an order drawn from a seed. Barriers,
// votes, shuffles and atomics behave as on a GPU of compute capability 7.0 or later: no lane runs
// in step with another unless a collective says so. A thread gives way at each of these calls, so
// that what is not ordered by them happens in every order sooner or later.
//
// Reported instead of hung on or passed over: barriers that not all threads of the block reach or
// that they reach at different places, collectives whose lanes never come or disagree, accesses
// outside a guarded array, accesses that are not aligned (compile with -fsanitize=alignment
// -fsanitize-undefined-trap-on-error).
//
// Not modelled: weak memory order (a missing fence is not seen), textures. Dynamic shared memory is
// declared by DYNAMIC_SHARED(type, name), for which a kernel has `extern __shared__ type name[]`.
#ifndef TESTS_KERNELS_SIMT_H
#define TESTS_KERNELS_SIMT_H

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

// Where a kernel's __shared__ variables are: between two addresses, the same for every block; what
// they hold is exchanged when another block runs.
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
    size_t dynamic_shared = 0; // bytes a block; what lies behind them must not be touched
};

// Runs kernel() once a thread. Empty when all went well, else what is wrong with it.
std::string run(const launch &launch, const std::function<void()> &kernel);

// An array between two pages that must not be touched. It ends right before the second one when
// `at_end`, else it begins right behind the first one, plus `offset` bytes. Poisoned with 0xa5.
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

// What stands behind the names that kernels use.
extern index3 thread_index, block_index, block_size, grid_size;
enum class collective { sync, down, up, exclusive_or, index, add, ballot };
unsigned int barrier(int line, unsigned int vote);
uint64_t warp(collective kind, int line, unsigned int mask, uint64_t value, unsigned int argument,
              unsigned int width);
void give_way();
void *dynamic_shared();

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

template <typename T> T atomic(T *at, const std::function<T(T)> &change)
{
    give_way();
    const T old = *at;
    *at = change(old);
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
// launch then exchanges only these. SIMT_SHARED_SECTION is a C identifier in quotes.
#define __shared__ static __attribute__((section(SIMT_SHARED_SECTION)))

#define DYNAMIC_SHARED(type, name) type *const name = static_cast<type *>(simt::dynamic_shared())

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
#define __syncwarp()                         ((void)SIMT_WARP(sync, 0xffffffffu, 0u, 0, 32))

#define atomicAdd(at, value)                                                                       \
    simt::atomic<std::remove_reference_t<decltype(*(at))>>(                                        \
        (at), [&](auto old) { return old + (value); })
#define atomicInc(at, limit)                                                                       \
    simt::atomic<unsigned int>((at),                                                               \
                               [&](unsigned int old) { return old >= (limit) ? 0u : old + 1; })

#endif
