// cub::DeviceReduce::Sum by a policy of this configuration's numbers, or (OWN 0) by CUB's.
#include "policies.cuh"

#if OWN
using selector = tune_cub::reduce_selector<THREADS, ITEMS, VECTOR, cub::ALGORITHM, cub::LOAD>;
#define ENVIRONMENT(stream, memory) tune_cub::environment(stream, memory, selector{})
#else
#define ENVIRONMENT(stream, memory) tune_cub::environment(stream, memory)
#endif

cudaError_t sum(const ELEMENT *in, ELEMENT *out, long long n, void *memory, size_t bytes,
                cudaStream_t stream)
{
    return cub::DeviceReduce::Sum(in, out, n,
                                  ENVIRONMENT(stream, (tune_cub::workspace{memory, bytes})));
}

size_t sum_bytes(const ELEMENT *in, ELEMENT *out, long long n)
{
    return tune_cub::bytes_of([=](tune_cub::workspace none) {
        return cub::DeviceReduce::Sum(in, out, n, ENVIRONMENT(nullptr, none));
    });
}
