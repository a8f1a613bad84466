// The partials of blocks -> one result.
#ifndef TUNE_KERNELS_REDUCE_FINISH
#define TUNE_KERNELS_REDUCE_FINISH

#include "block.cuh"

namespace tune
{

// Where a launch's blocks meet. `parts` of them take part, this one as number `index`: blocks, or
// clusters.
struct meeting {
    slot *slots; // one a part
    u64 *state;
    u32 index, parts;
    u32 number; // of this launch, for flagged partials
};

template <finish FINISH> TUNE_DEVICE meeting meeting_of(slot *slots, u64 *state, u32 per_part)
{
    meeting made = {slots, state, blockIdx.x / per_part, gridDim.x / per_part, 0};
    // Asked for before the input is, so that nobody waits for it.
    if constexpr (FINISH == finish::flagged)
        made.number = load_relaxed((const u32 *)(state + STATE_NUMBER)) + 1;
    return made;
}

// The launch's last act, by the one thread that knows that all others are done with the queue.
TUNE_DEVICE void reset_queue(u64 *state)
{
    *(u32 *)(state + STATE_QUEUE) = 0;
}

// slots[0..parts) by all threads of a block, in a fixed order. The result is thread 0's.
template <typename F, typename POLICY, typename A>
TUNE_DEVICE A combined_slots(const slot *slots, u64 parts)
{
    constexpr int loads = 4;
    A value = F::identity();
    for (u64 first = threadIdx.x; first < parts; first += loads * POLICY::block) {
        A got[loads];
#pragma unroll
        for (int i = 0; i < loads; i++)
            got[i] = first + i * POLICY::block < parts
                         ? load_plain<A>(slots + first + i * POLICY::block)
                         : F::identity();
        value = F::combine(value, combined<F, loads>(got));
    }
    return block_combined<F, POLICY, 1>(value);
}

template <typename F, typename POLICY, bool SHARED, typename A>
TUNE_DEVICE void finish_by_last(A value, typename F::result *out, const meeting &at)
{
    int last = 0;
    if (threadIdx.x == 0) {
        store_plain(at.slots + at.index, value);
        last = take_ticket((u32 *)(at.state + STATE_TICKET), at.parts) == at.parts - 1;
    }
    if constexpr (SHARED) {
        TUNE_SHARED(int, told, 1);
        if (threadIdx.x == 0)
            told[0] = last;
        __syncthreads();
        last = told[0];
    } else {
        last = __syncthreads_or(last);
    }
    if (!last)
        return;
    value = combined_slots<F, POLICY, A>(at.slots, at.parts);
    if (threadIdx.x == 0) {
        out[0] = narrowed<typename F::result>(value);
        reset_queue(at.state);
    }
}

// Blocks begin in the order of their index, so that all that the highest one waits for have begun
// before it; look-back scans rest on the same.
template <typename F, typename POLICY, typename A>
TUNE_DEVICE void finish_flagged(A value, typename F::result *out, const meeting &at)
{
    const u32 others = at.parts - 1;
    if (at.index < others) {
        if (threadIdx.x == 0)
            store_flagged(at.slots + at.index, value, at.number);
        return;
    }
    if (others > 0) {
        if (threadIdx.x != 0)
            value = F::identity();
        for (u32 i = threadIdx.x; i < others; i += POLICY::block)
            value = F::combine(value, wait_flagged<A>(at.slots + i, at.number));
        value = block_combined<F, POLICY, 1>(value);
    }
    if (threadIdx.x == 0) {
        out[0] = narrowed<typename F::result>(value);
        *(u32 *)(at.state + STATE_NUMBER) = at.number;
        reset_queue(at.state);
    }
}

// A 32-bit sum and the number of blocks that added to it share a word: one atomic operation a
// block, and no fence. Else the operation, then a ticket. By one thread of each block.
template <typename OP, typename T>
TUNE_DEVICE void finish_atomic(typename OP::template of<T>::accumulator value,
                               typename OP::template of<T>::result *out, const meeting &at)
{
    typedef typename OP::template of<T> F;
    typedef typename F::accumulator A;
    static_assert(!same<OP, product>::value, "there is no atomic multiplication");
    static_assert(!same<OP, sum>::value || !element<T>::is_real,
                  "atomic sums of reals would differ from run to run");
    u64 *const cell = at.state + STATE_VALUE;
    if constexpr (same<OP, sum>::value && sizeof(A) == 4) {
        const u64 before = atomicAdd(cell, (u64)value << 32 | 1);
        if ((u32)before != at.parts - 1)
            return;
        value += (A)(before >> 32);
    } else {
        if constexpr (same<OP, sum>::value) {
            (void)atomicAdd(cell, value);
        } else {
            // The greatest of keys, 0 being less than all: for a minimum the keys are turned round.
            auto key = key_of(value);
            if (same<OP, minimum>::value)
                key = ~key;
            (void)atomicMax((decltype(key) *)cell, key);
        }
        if (take_ticket((u32 *)(at.state + STATE_TICKET), at.parts) != at.parts - 1)
            return;
        if constexpr (same<OP, sum>::value) {
            value = load_relaxed(cell);
        } else {
            auto key = load_relaxed((const decltype(key_of(value)) *)cell);
            value = value_of<A>((decltype(key))(same<OP, minimum>::value ? ~key : key));
        }
    }
    *cell = 0;
    out[0] = narrowed<typename F::result>(value);
    reset_queue(at.state);
}

// `value` is thread 0's; all threads of the block take part.
template <typename OP, typename T, typename POLICY, finish FINISH>
TUNE_DEVICE void finish_grid(typename OP::template of<T>::accumulator value,
                             typename OP::template of<T>::result *out, const meeting &at)
{
    typedef typename OP::template of<T> F;
    if constexpr (FINISH == finish::two_launches || FINISH == finish::dependent_launches) {
        if (threadIdx.x == 0)
            store_plain(at.slots + at.index, value);
    } else if constexpr (FINISH == finish::atomic) {
        if (threadIdx.x == 0)
            finish_atomic<OP, T>(value, out, at);
    } else if constexpr (FINISH == finish::flagged) {
        finish_flagged<F, POLICY>(value, out, at);
    } else {
        finish_by_last<F, POLICY, FINISH == finish::last_block_shared>(value, out, at);
    }
}

} // namespace tune

#endif
