// Temporary memory of callers, as in CUB, with any bytes in it. Internal to tune/reduce.cuh.
#ifndef TUNE_CALLS_TEMPORARY
#define TUNE_CALLS_TEMPORARY

#include "device.cuh"
#include "launch.cuh"

namespace tune
{
namespace calls
{

enum : size_t { TEMPORARY_BYTES = WORKSPACE_BYTES + alignof(slot) };

// Words that must be zero before a launch, and are zero after it, lie outside this memory: a
// place for each address. Launches that may overlap have separate memory and so separate places.
enum : int { PLACES = 4096, PLACES_LOOKED_AT = 64 };
enum : size_t { PLACE_WORDS = STATE_WORDS };
namespace
{
__device__ u64 place_words[PLACES * PLACE_WORDS];
} // namespace

// Returns the place of an address, in steps that no two such memories share; -1: no place is
// free.
inline int place_for(const void *temporary)
{
    static std::atomic<u64> taken[PLACES];
    static_assert(TEMPORARY_BYTES >= 1 << 18, "not two within a step");
    const u64 step = (u64)((uintptr_t)temporary >> 18) + 1;
    u64 at = (step * 0x9e3779b97f4a7c15ull) >> 52;
    for (int i = 0; i < PLACES_LOOKED_AT; i++, at = (at + 1) % PLACES) {
        u64 has = taken[at].load(std::memory_order_relaxed);
        if (has == 0 && taken[at].compare_exchange_strong(has, step, std::memory_order_relaxed))
            return (int)at;
        if (has == step)
            return (int)at;
    }
    return -1;
}

// Finds the words of a launch. Without a place they lie in the memory and are zeroed on the
// stream.
inline cudaError_t state_for(const plan &plan, void *temporary, cudaStream_t stream, void **state)
{
    static std::atomic<u64 *> words[DEVICES_MAX];
    *state = nullptr;
    if (!plan.needs_state)
        return cudaSuccess;
    const int place = place_for(temporary);
    if (place < 0)
        return cudaMemsetAsync(temporary, 0, STATE_BYTES, stream);
    u64 *first = words[plan.device].load(std::memory_order_relaxed);
    if (first == nullptr) {
        const beside_capture beside;
        void *symbol = nullptr;
        const cudaError_t result = cudaGetSymbolAddress(&symbol, place_words);
        if (result != cudaSuccess)
            return result;
        first = (u64 *)symbol;
        words[plan.device].store(first, std::memory_order_relaxed);
    }
    *state = first + (size_t)place * PLACE_WORDS;
    return cudaSuccess;
}

} // namespace calls
} // namespace tune

#endif
