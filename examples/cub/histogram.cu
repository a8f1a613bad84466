// cub::DeviceHistogram::HistogramEven by a policy of this configuration's numbers, or (own 0) by
// CUB's: 256 bins.
#include "policies.cuh"

template <int pixels>
using selector = tune_cub::histogram_selector<THREADS, pixels, VECTOR, cub::MOVE, COMPRESS,
                                              cub::MEMORY, STEALING>;

static cudaError_t count(const ELEMENT *in, int *bins, int n, int own, int pixels, void *memory,
                         size_t &bytes, cudaStream_t stream)
{
    constexpr int levels = 257;
    return tune_cub::by_policy<selector, 64, PIXELS>(own, pixels, [=, &bytes](auto policy) {
        return cub::DeviceHistogram::HistogramEven(memory, bytes, in, bins, levels, LEVEL(0),
                                                   LEVEL(256), n,
                                                   tune_cub::environment(stream, {}, policy));
    });
}

cudaError_t histogram(const ELEMENT *in, int *bins, int n, int own, int pixels, void *memory,
                      size_t bytes, cudaStream_t stream)
{
    return count(in, bins, n, own, pixels, memory, bytes, stream);
}

size_t histogram_bytes(const ELEMENT *in, int *bins, int n, int own, int pixels)
{
    size_t bytes = 0;
    return count(in, bins, n, own, pixels, nullptr, bytes, nullptr) == cudaSuccess ? bytes : 0;
}
