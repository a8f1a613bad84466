// CUB's calls as contenders.
#ifndef TUNE_BENCH_PEERS_CUB_ADAPTER
#define TUNE_BENCH_PEERS_CUB_ADAPTER

#include <climits>
#include <utility>

#include <cub/device/device_reduce.cuh>

#include "peers.h"

namespace peers
{

// The count's type chooses the type of CUB's offsets, as a caller's int would.
template <typename CALL> static cudaError_t with_count(size_t n, CALL call)
{
    return n <= INT_MAX ? call(int(n)) : call((long long)n);
}

struct cub_sum {
    template <typename... ARGUMENTS> static cudaError_t run(ARGUMENTS &&...arguments)
    {
        return cub::DeviceReduce::Sum(std::forward<ARGUMENTS>(arguments)...);
    }
};

struct cub_max {
    template <typename... ARGUMENTS> static cudaError_t run(ARGUMENTS &&...arguments)
    {
        return cub::DeviceReduce::Max(std::forward<ARGUMENTS>(arguments)...);
    }
};

struct cub_min {
    template <typename... ARGUMENTS> static cudaError_t run(ARGUMENTS &&...arguments)
    {
        return cub::DeviceReduce::Min(std::forward<ARGUMENTS>(arguments)...);
    }
};

// A call in CUB's two phases. Elements T, result R: the type in which tune stores it.
template <typename CALL, typename T, typename R> struct cub_reduce {
    static cudaError_t run(void *workspace, size_t &bytes, const void *in, void *out, size_t n,
                           cudaStream_t on)
    {
        return with_count(n, [&](auto count) {
            return CALL::run(workspace, bytes, static_cast<const T *>(in), static_cast<R *>(out),
                             count, on);
        });
    }
    static size_t workspace_bytes(size_t n)
    {
        size_t bytes = 0;
        CHECK(run(nullptr, bytes, nullptr, nullptr, n, nullptr));
        return bytes;
    }
    static void submit(const call &call)
    {
        size_t bytes = call.workspace_bytes;
        CHECK(run(call.workspace, bytes, call.in, call.out, call.n, call.stream));
    }
    static constexpr contender as(const char *name)
    {
        return {name, workspace_bytes, nullptr, nullptr, submit, nullptr};
    }
};

} // namespace peers

#endif
