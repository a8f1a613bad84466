// cub::DeviceHistogram::HistogramEven by a policy of this configuration's numbers, or (own 0) by
// CUB's: 256 bins.
#include "policies.cuh"

template <int threads, int pixels>
using selector = tune_cub::histogram_selector<threads, pixels, VECTOR, cub::MOVE, COMPRESS,
                                              cub::MEMORY, STEALING>;

static cudaError_t count(const ELEMENT *in, int *bins, int n, int own, int threads, int pixels,
                         void *memory, size_t &bytes, cudaStream_t stream)
{
    constexpr int levels = 257;
    return tune_cub::by_policy<selector, 1 << 20>(
        tune_cub::numbers<THREADS>{}, tune_cub::numbers<PIXELS>{}, own, threads, pixels,
        [=, &bytes](auto policy) {
            return cub::DeviceHistogram::HistogramEven(memory, bytes, in, bins, levels, LEVEL(0),
                                                       LEVEL(256), n,
                                                       tune_cub::environment(stream, {}, policy));
        });
}

cudaError_t histogram(const ELEMENT *in, int *bins, int n, int own, int threads, int pixels,
                      void *memory, size_t bytes, cudaStream_t stream)
{
    return count(in, bins, n, own, threads, pixels, memory, bytes, stream);
}

size_t histogram_bytes(const ELEMENT *in, int *bins, int n, int own, int threads, int pixels)
{
    size_t bytes = 0;
    return count(in, bins, n, own, threads, pixels, nullptr, bytes, nullptr) == cudaSuccess ? bytes
                                                                                            : 0;
}
