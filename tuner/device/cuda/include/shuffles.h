/* Shuffles and votes without a mask, which CUDA has no longer from architecture 70 on: of all lanes
 * of the warp, as sources that name them were written. HIP has them still. */
#pragma once
#if __CUDA_ARCH__ >= 700
template <typename T> __device__ __forceinline__ T __shfl(T value, int lane, int width = 32)
{
    return __shfl_sync(0xffffffffu, value, lane, width);
}
template <typename T>
__device__ __forceinline__ T __shfl_up(T value, unsigned int delta, int width = 32)
{
    return __shfl_up_sync(0xffffffffu, value, delta, width);
}
template <typename T>
__device__ __forceinline__ T __shfl_down(T value, unsigned int delta, int width = 32)
{
    return __shfl_down_sync(0xffffffffu, value, delta, width);
}
template <typename T> __device__ __forceinline__ T __shfl_xor(T value, int mask, int width = 32)
{
    return __shfl_xor_sync(0xffffffffu, value, mask, width);
}
__device__ __forceinline__ int __any(int predicate)
{
    return __any_sync(0xffffffffu, predicate);
}
__device__ __forceinline__ int __all(int predicate)
{
    return __all_sync(0xffffffffu, predicate);
}
__device__ __forceinline__ unsigned int __ballot(int predicate)
{
    return __ballot_sync(0xffffffffu, predicate);
}
#endif
