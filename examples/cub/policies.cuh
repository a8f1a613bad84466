// Policy selectors of CUB (CCCL 3.5 and later) out of the values that an experiment of this folder
// tunes, and out of the header that `tune export --header` writes of its winners.
#pragma once
#include <cub/version.cuh>

#if CUB_VERSION < 300500
#error                                                                                             \
    "policy selectors need CCCL 3.5 (pip install nvidia-cuda-cccl): name its folder nvidia/cu13/include/cccl by -I"
#endif

#include <cub/device/device_histogram.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <cub/device/device_transform.cuh>

#include <cuda/memory_resource>
#include <cuda/std/execution>
#include <cuda/std/type_traits>
#include <cuda/stream_ref>

#include <cstddef>
#include <new>

namespace tune_cub
{

// CUB's own policy.
struct policy_of_cub {
};

// One policy for any compute capability: which device it is for, the caller knows.
template <int threads, int items, int vector, cub::CacheLoadModifier load> struct reduce_selector {
    __host__ __device__ constexpr cub::ReducePolicy operator()(cuda::compute_capability) const
    {
        constexpr cub::ReducePassPolicy pass{threads, items, vector,
                                             cub::BLOCK_REDUCE_WARP_REDUCTIONS, load};
        return {pass, pass};
    }
};

template <int threads, int items, cub::BlockLoadAlgorithm load, cub::BlockStoreAlgorithm store,
          cub::BlockScanAlgorithm scan, cub::LookbackDelayAlgorithm delay, unsigned nanoseconds>
struct scan_selector {
    __host__ __device__ constexpr cub::ScanPolicy operator()(cuda::compute_capability) const
    {
        return {cub::ScanAlgorithm::lookback,
                {threads, items, load, cub::LOAD_DEFAULT, store, scan, {delay, nanoseconds, 450}},
                {}};
    }
};

template <int threads, int items, cub::BlockLoadAlgorithm load, cub::BlockScanAlgorithm scan,
          cub::LookbackDelayAlgorithm delay, unsigned nanoseconds>
struct select_selector {
    __host__ __device__ constexpr cub::SelectPolicy operator()(cuda::compute_capability) const
    {
        return {cub::SelectAlgorithm::lookback,
                {threads, items, load, cub::LOAD_DEFAULT, scan, {delay, nanoseconds, 450}}};
    }
};

template <int threads, int pixels, int vector, cub::BlockLoadAlgorithm load, bool compress,
          cub::BlockHistogramMemoryPreference memory, bool stealing>
struct histogram_selector {
    __host__ __device__ constexpr cub::HistogramPolicy operator()(cuda::compute_capability) const
    {
        return {threads, pixels, vector, load, cub::LOAD_LDG, compress, memory, stealing, 2048};
    }
};

// Sorts by one sweep for each 8 bits, and few keys in a single block. Other members are those of
// several sweeps, and are never used.
template <int threads, int items, cub::RadixRankAlgorithm rank, cub::BlockScanAlgorithm scan,
          int small_threads, int small_items, int small_bits>
struct radix_sort_selector {
    __host__ __device__ constexpr cub::RadixSortPolicy operator()(cuda::compute_capability) const
    {
        constexpr cub::RadixSortDownsweepPolicy down{256,
                                                     8,
                                                     cub::BLOCK_LOAD_DIRECT,
                                                     cub::LOAD_DEFAULT,
                                                     cub::RADIX_RANK_MEMOIZE,
                                                     cub::BLOCK_SCAN_WARP_SCANS,
                                                     5};
        constexpr cub::RadixSortDownsweepPolicy small{small_threads,
                                                      small_items,
                                                      cub::BLOCK_LOAD_DIRECT,
                                                      cub::LOAD_LDG,
                                                      cub::RADIX_RANK_MEMOIZE,
                                                      cub::BLOCK_SCAN_WARP_SCANS,
                                                      small_bits};
        constexpr cub::RadixSortUpsweepPolicy up{256, 8, cub::LOAD_DEFAULT, 5};
        constexpr cub::ScanPolicy sums{cub::ScanAlgorithm::lookback,
                                       {256,
                                        8,
                                        cub::BLOCK_LOAD_DIRECT,
                                        cub::LOAD_DEFAULT,
                                        cub::BLOCK_STORE_DIRECT,
                                        cub::BLOCK_SCAN_WARP_SCANS,
                                        {cub::LookbackDelayAlgorithm::fixed_delay, 350, 450}},
                                       {}};
        return {cub::RadixSortAlgorithm::onesweep,
                {128, 16, 1, 8},
                {256, 8},
                {threads, items, cub::RADIX_SORT_STORE_DIRECT, rank, scan, 1, 8},
                sums,
                down,
                down,
                up,
                up,
                small};
    }
};

// As many items for a thread as asked for, or fewer where they would leave multiprocessors idle.
template <cub::TransformAlgorithm algorithm, int threads, int items, int vector>
struct transform_selector {
    __host__ __device__ constexpr cub::TransformPolicy operator()(cuda::compute_capability) const
    {
        return {1 << 30, // bytes in flight, which no number of items reaches
                algorithm,
                {threads, 2, 1, items},
                {threads, items, vector},
                {threads, 1, items, 1, vector}};
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
inline auto environment(cudaStream_t stream, workspace memory, policy_of_cub)
{
    return environment_of(stream, memory);
}

template <int... Numbers> struct numbers {
};

// Calls with the policy of a block's threads and a thread's items, or with CUB's. A binary has
// those of all Threads and Items that come to `most` items of a block: to read CUB's headers takes
// the compiler longer than twenty policies.
template <template <int, int> class Selector, int most, int... Threads, int... Items, class Call>
cudaError_t by_policy(numbers<Threads...>, numbers<Items...>, bool own, int threads, int items,
                      Call call)
{
    cudaError_t status = cudaErrorInvalidValue;
    const auto try_policy = [&](auto each, auto count) {
        if constexpr (each * count <= most)
            if (each == threads && count == items)
                status = call(Selector<each, count>{});
    };
    const auto try_block = [&](auto each) {
        (try_policy(each, cuda::std::integral_constant<int, Items>{}), ...);
    };
    if (!own)
        return call(policy_of_cub{});
    (try_block(cuda::std::integral_constant<int, Threads>{}), ...);
    return status;
}

// Returns the bytes that a call wants, which is given memory of none.
template <class Call> std::size_t bytes_of(Call call)
{
    std::size_t wanted = 0;
    (void)call(workspace{nullptr, 0, &wanted});
    return wanted;
}

} // namespace tune_cub
