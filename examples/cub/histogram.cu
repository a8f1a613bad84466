// cub::DeviceHistogram::HistogramEven by a policy of this configuration's numbers, or (OWN 0) by
// CUB's: 256 bins.
#include "policies.cuh"

#if OWN
using selector = tune_cub::histogram_selector<THREADS, PIXELS, VECTOR, cub::MOVE, cub::CACHE,
                                              COMPRESS, cub::MEMORY, STEALING>;
#define ENVIRONMENT(stream) tune_cub::environment(stream, {}, selector{})
#else
#define ENVIRONMENT(stream) tune_cub::environment(stream, {})
#endif

namespace
{
constexpr int levels = 257;
}

cudaError_t histogram(const ELEMENT *in, int *bins, int n, void *memory, size_t bytes,
                      cudaStream_t stream)
{
    return cub::DeviceHistogram::HistogramEven(memory, bytes, in, bins, levels, LEVEL(0),
                                               LEVEL(256), n, ENVIRONMENT(stream));
}

size_t histogram_bytes(const ELEMENT *in, int *bins, int n)
{
    size_t bytes = 0;
    const cudaError_t status = cub::DeviceHistogram::HistogramEven(
        nullptr, bytes, in, bins, levels, LEVEL(0), LEVEL(256), n, ENVIRONMENT(nullptr));
    return status == cudaSuccess ? bytes : 0;
}
