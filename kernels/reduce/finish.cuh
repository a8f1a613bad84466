// The partials of blocks -> one result.
#ifndef TUNE_KERNELS_REDUCE_FINISH
#define TUNE_KERNELS_REDUCE_FINISH

#include "block.cuh"

namespace tune
{

// ---- partials ----
// One of more than 8 bytes, a multiple of 8, lies in several slots, 8 bytes in each. Flagged ones
// have the number in each: that of one says nothing of when another is seen.

template <typename A> constexpr u32 slots_of = sizeof(A) <= 8 ? 1 : sizeof(A) / 8;
template <typename A> union halves_of {
    A value;
    u64 half[slots_of<A>];
};

template <typename A> TUNE_DEVICE void store_part(slot *to, A value)
{
    if constexpr (slots_of<A> == 1) {
        store_plain(to, value);
    } else {
        const halves_of<A> of = {value};
#pragma unroll
        for (u32 i = 0; i < slots_of<A>; i++)
            store_plain(to + i, of.half[i]);
    }
}

template <typename A> TUNE_DEVICE A load_part(const slot *from)
{
    if constexpr (slots_of<A> == 1) {
        return load_plain<A>(from);
    } else {
        halves_of<A> of;
#pragma unroll
        for (u32 i = 0; i < slots_of<A>; i++)
            of.half[i] = load_plain<u64>(from + i);
        return of.value;
    }
}

template <typename A> TUNE_DEVICE void store_flagged_part(slot *to, A value, u64 number)
{
    if constexpr (slots_of<A> == 1) {
        store_flagged(to, value, number);
    } else {
        const halves_of<A> of = {value};
#pragma unroll
        for (u32 i = 0; i < slots_of<A>; i++)
            store_flagged(to + i, of.half[i], number);
    }
}

template <typename A> TUNE_DEVICE bool load_flagged_part(const slot *from, u64 number, A &value)
{
    if constexpr (slots_of<A> == 1) {
        return load_flagged(from, number, value);
    } else {
        halves_of<A> of;
        bool there = true;
#pragma unroll
        for (u32 i = 0; i < slots_of<A>; i++)
            there &= load_flagged(from + i, number, of.half[i]);
        value = of.value;
        return there;
    }
}

// Into the first block's shared memory, at an address of this one's.
template <typename A> TUNE_DEVICE void store_part_in_cluster(A *to, A value)
{
    if constexpr (slots_of<A> == 1) {
        store_in_cluster(to, 0, value);
    } else {
        const halves_of<A> of = {value};
#pragma unroll
        for (u32 i = 0; i < slots_of<A>; i++)
            store_in_cluster((u64 *)to + i, 0, of.half[i]);
    }
}

// ---- blocks ----

// Where a launch's blocks meet. `parts` of them take part, this one as number `index`: blocks, or
// clusters. With finish::flagged the last block is none of them: it waits.
struct meeting {
    slot *slots; // slots_of a partial each
    u64 *state;
    u32 index, parts;
    u64 number; // of the launch, for flagged partials; not 0
};

template <finish FINISH> TUNE_DEVICE meeting meeting_of(slot *slots, u64 *state, u64 number)
{
    meeting made = {slots, state, blockIdx.x, gridDim.x, number};
    if constexpr (FINISH == finish::flagged)
        made.parts--;
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
                         ? load_part<A>(slots + (first + i * POLICY::block) * slots_of<A>)
                         : F::identity();
        value = F::combine(value, combined<F, loads>(got));
    }
    return block_combined<F, POLICY, 1>(value);
}

template <typename F, typename POLICY, bool SHARED, typename A>
TUNE_DEVICE void finish_by_last(A value, output<F> out, const meeting &at)
{
    int last = 0;
    if (threadIdx.x == 0) {
        store_part(at.slots + at.index * slots_of<A>, value);
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

enum : u32 {
    WAIT_LOADS = 8,               // in flight, each thread
    WAIT_FEW = WAIT_LOADS * WARP, // parts that a warp waits for by itself
    WAIT_WARPS = 4,
    WAIT_APART = 160 // cycles: with WAIT_WARPS about what one look takes
};

// Looks at slots first, first + stride ... once; false: not all are there.
template <typename F, typename A>
TUNE_DEVICE bool look_at_slots(const meeting &at, u32 first, u32 stride, A &value)
{
    A got[WAIT_LOADS];
    bool all = true;
#pragma unroll
    for (u32 i = 0; i < WAIT_LOADS; i++) {
        got[i] = F::identity();
        if (first + i * stride < at.parts)
            all &= load_flagged_part(at.slots + first * slots_of<A> + i * stride * slots_of<A>,
                                     at.number, got[i]);
    }
    value = combined<F, WAIT_LOADS>(got);
    return all;
}

// The same slots, when all are there and read.
template <typename A> TUNE_DEVICE void clear_slots(const meeting &at, u32 first, u32 stride)
{
#pragma unroll
    for (u32 i = 0; i < WAIT_LOADS; i++)
        for (u32 of = 0; of < slots_of<A> && first + i * stride < at.parts; of++)
            take_flag_away(at.slots + (first + i * stride) * slots_of<A> + of);
}

// The last act of a launch with flagged partials, by one thread.
template <typename F, typename A>
TUNE_DEVICE void conclude(A value, output<F> out, const meeting &at)
{
    out[0] = narrowed<typename F::result>(value);
    reset_queue(at.state);
}

// Some warps look in turn, each by itself: who looks when the last partial has just come concludes,
// and nobody waits for the time of another look.
template <typename F, bool REDUX, int BLOCK, typename A>
TUNE_DEVICE void wait_for_few(output<F> out, const meeting &at)
{
    constexpr u32 warps = BLOCK / WARP < (int)WAIT_WARPS ? BLOCK / WARP : (int)WAIT_WARPS;
    TUNE_SHARED(u32, concluded, 1);
    if (threadIdx.x == 0)
        concluded[0] = 0;
    __syncthreads();
    if (threadIdx.x >= warps * WARP)
        return;
    pause_cycles(threadIdx.x / WARP * WAIT_APART);
    A value;
    while (!__all_sync(ALL_LANES, look_at_slots<F>(at, threadIdx.x % WARP, WARP, value)))
        if (__any_sync(ALL_LANES, atomicAdd(concluded, 0u) != 0))
            return;
    value = warp_combined<F, REDUX, WARP>(value);
    const bool mine = threadIdx.x % WARP == 0 && atomicExch(concluded, 1u) == 0;
    if (mine)
        conclude<F>(value, out, at);
    if (__any_sync(ALL_LANES, mine)) // none looks for flags any more but to see that it is done
        clear_slots<A>(at, threadIdx.x % WARP, WARP);
}

// The waiting block: each partial in a fixed order. Blocks begin in the order of their index, so
// that all that it waits for have begun before it; look-back scans rest on the same.
template <typename F, typename POLICY, typename A>
TUNE_DEVICE void wait_for_parts(output<F> out, const meeting &at)
{
    constexpr bool redux = F::redux && POLICY::step != step::shuffle;
    if (at.parts <= WAIT_FEW) {
        wait_for_few<F, redux, POLICY::block, A>(out, at);
        return;
    }
    A value = F::identity();
    for (u32 first = threadIdx.x; first < at.parts; first += WAIT_LOADS * POLICY::block) {
        A more;
        while (!look_at_slots<F>(at, first, POLICY::block, more))
            ;
        clear_slots<A>(at, first, POLICY::block);
        value = F::combine(value, more);
    }
    value = block_combined<F, POLICY, 1>(value);
    if (threadIdx.x == 0)
        conclude<F>(value, out, at);
}

// A 32-bit sum and the number of blocks that added to it share a word: one atomic operation a
// block, and no fence. Else the operation, then a ticket. By one thread of each block.
template <typename OP, typename T>
TUNE_DEVICE void finish_atomic(typename OP::template of<T>::accumulator value,
                               output<typename OP::template of<T>> out, const meeting &at)
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
                             output<typename OP::template of<T>> out, const meeting &at)
{
    typedef typename OP::template of<T> F;
    typedef typename F::accumulator A;
    if constexpr (FINISH == finish::two_launches || FINISH == finish::dependent_launches) {
        if (threadIdx.x == 0)
            store_part(at.slots + at.index * slots_of<A>, value);
    } else if constexpr (FINISH == finish::atomic) {
        if (threadIdx.x == 0)
            finish_atomic<OP, T>(value, out, at);
    } else if constexpr (FINISH == finish::flagged) {
        if (threadIdx.x == 0)
            store_flagged_part(at.slots + at.index * slots_of<A>, value, at.number);
    } else if constexpr (FINISH == finish::flagged_last) {
        if (threadIdx.x == 0)
            store_flagged_part(at.slots + at.index * slots_of<A>, value, at.number);
        if (at.index == at.parts - 1)
            wait_for_parts<F, POLICY, A>(out, at);
    } else {
        finish_by_last<F, POLICY, FINISH == finish::last_block_shared>(value, out, at);
    }
}

} // namespace tune

#endif
