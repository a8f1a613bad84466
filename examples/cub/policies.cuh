// Policy selectors of CUB (CCCL 3.5 and later) out of the values that an experiment of this folder
// tunes, and out of the header that `tune export --header` writes of its winners.
#pragma once
#include <cub/version.cuh>

#if CUB_VERSION < 300500
#error                                                                                             \
    "policy selectors need CCCL 3.5 (pip install nvidia-cuda-cccl): name its folder nvidia/cu13/include/cccl by -I"
#endif

#include <cub/device/device_histogram.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

#include <cuda/memory_resource>
#include <cuda/std/execution>
#include <cuda/stream_ref>

#include <cstddef>
#include <new>

namespace tune_cub
{

// One policy for any compute capability: which device it is for, the caller knows.
template <int threads, int items, int vector, cub::BlockReduceAlgorithm algorithm,
          cub::CacheLoadModifier load>
struct reduce_selector {
    __host__ __device__ constexpr cub::ReducePolicy operator()(cuda::compute_capability) const
    {
        constexpr cub::ReducePassPolicy pass{threads, items, vector, algorithm, load};
        return {pass, pass};
    }
};

template <int threads, int items, cub::BlockLoadAlgorithm load, cub::BlockStoreAlgorithm store,
          cub::BlockScanAlgorithm scan, cub::CacheLoadModifier cache,
          cub::LookbackDelayAlgorithm delay, unsigned nanoseconds>
struct scan_selector {
    __host__ __device__ constexpr cub::ScanPolicy operator()(cuda::compute_capability) const
    {
        return {cub::ScanAlgorithm::lookback,
                {threads, items, load, cache, store, scan, {delay, nanoseconds, 450}},
                {}};
    }
};

template <int threads, int items, cub::BlockLoadAlgorithm load, cub::BlockScanAlgorithm scan,
          cub::CacheLoadModifier cache, cub::LookbackDelayAlgorithm delay, unsigned nanoseconds>
struct select_selector {
    __host__ __device__ constexpr cub::SelectPolicy operator()(cuda::compute_capability) const
    {
        return {cub::SelectAlgorithm::lookback,
                {threads, items, load, cache, scan, {delay, nanoseconds, 450}}};
    }
};

template <int threads, int pixels, int vector, cub::BlockLoadAlgorithm load,
          cub::CacheLoadModifier cache, bool compress, cub::BlockHistogramMemoryPreference memory,
          bool stealing>
struct histogram_selector {
    __host__ __device__ constexpr cub::HistogramPolicy operator()(cuda::compute_capability) const
    {
        return {threads, pixels, vector, load, cache, compress, memory, stealing, 2048};
    }
};

// Memory of the caller's in place of an allocation for each call. Without memory, notes the bytes
// and ends the call.
struct workspace {
    void *memory;
    std::size_t bytes;
    std::size_t *wanted = nullptr;

    void *allocate(cuda::stream_ref, std::size_t size, std::size_t = 0) const
    {
        if (wanted)
            *wanted = size;
        if (!memory || size > bytes)
            throw std::bad_alloc(); // CUB catches it, and returns an error
        return memory;
    }
    void deallocate(cuda::stream_ref, void *, std::size_t, std::size_t = 0) const noexcept
    {
    }
    void *allocate_sync(std::size_t size, std::size_t = 0) const
    {
        return allocate(cuda::stream_ref{cudaStream_t{}}, size);
    }
    void deallocate_sync(void *, std::size_t, std::size_t = 0) const noexcept
    {
    }
    friend bool operator==(const workspace &a, const workspace &b)
    {
        return a.memory == b.memory;
    }
    friend bool operator!=(const workspace &a, const workspace &b)
    {
        return !(a == b);
    }
    friend void get_property(const workspace &, cuda::mr::device_accessible) noexcept
    {
    }
};

using memory_of_caller = cuda::std::execution::prop<cuda::mr::get_memory_resource_t, workspace>;

template <class... More> auto environment_of(cudaStream_t stream, workspace memory, More... more)
{
    return cuda::std::execution::env<cuda::stream_ref, memory_of_caller, More...>{
        cuda::stream_ref{stream}, memory_of_caller{cuda::mr::get_memory_resource_t{}, memory},
        more...};
}
template <class Selector> auto environment(cudaStream_t stream, workspace memory, Selector selector)
{
    return environment_of(stream, memory, cuda::execution::tune(selector));
}
// Makes one with CUB's own policy.
inline auto environment(cudaStream_t stream, workspace memory)
{
    return environment_of(stream, memory);
}

// Returns the bytes that a call wants, which is given memory of none.
template <class Call> std::size_t bytes_of(Call call)
{
    std::size_t wanted = 0;
    (void)call(workspace{nullptr, 0, &wanted});
    return wanted;
}

} // namespace tune_cub
