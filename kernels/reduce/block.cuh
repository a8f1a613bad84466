// One value a thread -> one value a warp or block.
#ifndef TUNE_KERNELS_REDUCE_BLOCK
#define TUNE_KERNELS_REDUCE_BLOCK

#include "operator.cuh"
#include "policy.cuh"

namespace tune
{

// The first LANES lanes' values; all lanes of the warp take part. The result is lane 0's.
template <typename F, bool REDUX, int LANES, typename A> TUNE_DEVICE A warp_combined(A value)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    if constexpr (REDUX) {
        return F::redux_of_warp(value);
    } else
#endif
    {
#pragma unroll
        for (int distance = WARP / 2; distance > 0; distance /= 2)
            if (distance < LANES)
                value = F::combine(value, value_above(value, distance));
        return value;
    }
}

// The first step of each warp is a shuffle or redux, and so is that of the warp that takes the
// rest.
template <typename F, bool REDUX, int WARPS, int USE, typename A> TUNE_DEVICE A by_warps(A value)
{
    TUNE_SHARED(A, of_warp, WARPS);
    const int lane = threadIdx.x % WARP;
    value = warp_combined<F, REDUX, WARP>(value);
    if (WARPS == 1)
        return value;
    if (lane == 0)
        of_warp[threadIdx.x / WARP] = value;
    __syncthreads();
    if (threadIdx.x < WARP)
        value = warp_combined<F, REDUX, WARPS>(lane < WARPS ? of_warp[lane] : F::identity());
    return value;
}

// One barrier, and the steps of one warp only. Lanes read 16 bytes at a time, neighbours of
// neighbours.
template <typename F, bool REDUX, int BLOCK, int USE, typename A> TUNE_DEVICE A by_gather(A value)
{
    constexpr int together = 16 / sizeof(A);
    struct alignas(16) group {
        A value[together];
    };
    constexpr int groups = BLOCK / together;
    constexpr int reads = (groups + WARP - 1) / WARP;
    TUNE_SHARED(group, of_threads, groups);
    of_threads[threadIdx.x / together].value[threadIdx.x % together] = value;
    __syncthreads();
    if (threadIdx.x < WARP) {
        A got[reads];
#pragma unroll
        for (int i = 0; i < reads; i++) {
            const int at = (int)threadIdx.x + i * WARP;
            if (groups % WARP == 0 || at < groups) {
                const group read = of_threads[at];
                got[i] = combined<F, together>(read.value);
            } else {
                got[i] = F::identity();
            }
        }
        value = warp_combined<F, REDUX, WARP>(combined<F, reads>(got));
    }
    return value;
}

// Halves of an array are combined until LEAST values are left.
template <typename F, int BLOCK, int LEAST, typename A> TUNE_DEVICE void halve(A *of_thread)
{
#pragma unroll
    for (int count = BLOCK; count > LEAST; count = (count + 1) / 2) {
        if ((int)threadIdx.x < count / 2)
            of_thread[threadIdx.x] =
                F::combine(of_thread[threadIdx.x], of_thread[threadIdx.x + (count + 1) / 2]);
        __syncthreads();
    }
}

// How many values halving leaves.
template <int COUNT, int LEAST, bool MORE = (COUNT > LEAST)> struct halved {
    static constexpr int count = COUNT;
};
template <int COUNT, int LEAST> struct halved<COUNT, LEAST, true> {
    static constexpr int count = halved<(COUNT + 1) / 2, LEAST>::count;
};

// Each lane reads before any of them writes: since compute capability 7.0 lanes do not run in step.
// The result is lane 0's.
template <typename F, int COUNT, typename A> TUNE_DEVICE A halve_in_warp(A *of_thread)
{
    A value = of_thread[threadIdx.x];
#pragma unroll
    for (int rest = WARP; rest > 1; rest /= 2) {
        const bool mine = (int)threadIdx.x < rest / 2 && (int)threadIdx.x + rest / 2 < COUNT;
        const A other = mine ? of_thread[threadIdx.x + rest / 2] : F::identity();
        __syncwarp();
        if (mine)
            of_thread[threadIdx.x] = value = F::combine(value, other);
        __syncwarp();
    }
    return value;
}

template <typename F, int BLOCK, bool TAIL, int USE, typename A> TUNE_DEVICE A by_tree(A value)
{
    TUNE_SHARED(A, of_thread, BLOCK);
    of_thread[threadIdx.x] = value;
    __syncthreads();
    if constexpr (TAIL) {
        constexpr int left = halved<BLOCK, WARP>::count;
        halve<F, BLOCK, WARP>(of_thread);
        return threadIdx.x < WARP ? halve_in_warp<F, left>(of_thread) : value;
    } else {
        halve<F, BLOCK, 1>(of_thread);
        return of_thread[0];
    }
}

// All threads of the block take part. The result is thread 0's. Uses of one kernel that no barrier
// divides have different numbers, and so memory of their own.
template <typename F, typename POLICY, int USE, typename A> TUNE_DEVICE A block_combined(A value)
{
    if constexpr (POLICY::step == step::tree || POLICY::step == step::warp_tail)
        return by_tree<F, POLICY::block, POLICY::step == step::warp_tail, USE>(value);
    else if constexpr (POLICY::step == step::gather && POLICY::warps > 1)
        return by_gather<F, F::redux, POLICY::block, USE>(value);
    else
        return by_warps<F, POLICY::step == step::redux, POLICY::warps, USE>(value);
}

} // namespace tune

#endif
