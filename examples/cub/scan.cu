// cub::DeviceScan::ExclusiveSum by a policy of this configuration's numbers, or (OWN 0) by CUB's.
#include "policies.cuh"

#if OWN
using selector =
    tune_cub::scan_selector<THREADS, ITEMS, cub::MOVE_IN, cub::MOVE_OUT, cub::SCAN, cub::CACHE,
                            cub::LookbackDelayAlgorithm::DELAY, NANOSECONDS>;
#define ENVIRONMENT(stream, memory) tune_cub::environment(stream, memory, selector{})
#else
#define ENVIRONMENT(stream, memory) tune_cub::environment(stream, memory)
#endif

cudaError_t scan(const ELEMENT *in, ELEMENT *out, long long n, void *memory, size_t bytes,
                 cudaStream_t stream)
{
    return cub::DeviceScan::ExclusiveSum(in, out, n,
                                         ENVIRONMENT(stream, (tune_cub::workspace{memory, bytes})));
}

size_t scan_bytes(const ELEMENT *in, ELEMENT *out, long long n)
{
    return tune_cub::bytes_of([=](tune_cub::workspace none) {
        return cub::DeviceScan::ExclusiveSum(in, out, n, ENVIRONMENT(nullptr, none));
    });
}
