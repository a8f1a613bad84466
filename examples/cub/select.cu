// cub::DeviceSelect::If by a policy of this configuration's numbers, or (OWN 0) by CUB's: every
// second element, on average.
#include "policies.cuh"

#if OWN
using selector = tune_cub::select_selector<THREADS, ITEMS, cub::MOVE, cub::SCAN, cub::CACHE,
                                           cub::LookbackDelayAlgorithm::DELAY, NANOSECONDS>;
#define ENVIRONMENT(stream, memory) tune_cub::environment(stream, memory, selector{})
#else
#define ENVIRONMENT(stream, memory) tune_cub::environment(stream, memory)
#endif

struct is_positive {
    __host__ __device__ bool operator()(const ELEMENT &element) const
    {
        return element > 0;
    }
};

cudaError_t select_if(const ELEMENT *in, ELEMENT *out, long long *count, long long n, void *memory,
                      size_t bytes, cudaStream_t stream)
{
    return cub::DeviceSelect::If(in, out, count, n, is_positive{},
                                 ENVIRONMENT(stream, (tune_cub::workspace{memory, bytes})));
}

size_t select_if_bytes(const ELEMENT *in, ELEMENT *out, long long *count, long long n)
{
    return tune_cub::bytes_of([=](tune_cub::workspace none) {
        return cub::DeviceSelect::If(in, out, count, n, is_positive{}, ENVIRONMENT(nullptr, none));
    });
}
