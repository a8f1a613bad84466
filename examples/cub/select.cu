// cub::DeviceSelect::If by a policy of this configuration's numbers, or (own 0) by CUB's: every
// second element, on average.
#include "policies.cuh"

template <int threads, int items>
using selector = tune_cub::select_selector<threads, items, cub::MOVE, cub::SCAN,
                                           cub::LookbackDelayAlgorithm::DELAY, NANOSECONDS>;

struct is_positive {
    __host__ __device__ bool operator()(const ELEMENT &element) const
    {
        return element > 0;
    }
};

static cudaError_t keep(const ELEMENT *in, ELEMENT *out, long long *count, long long n, int own,
                        int threads, int items, tune_cub::workspace memory, cudaStream_t stream)
{
    return tune_cub::by_policy<selector, BLOCK_MAX>(
        tune_cub::numbers<THREADS>{}, tune_cub::numbers<ITEMS>{}, own, threads, items,
        [=](auto policy) {
            return cub::DeviceSelect::If(in, out, count, n, is_positive{},
                                         tune_cub::environment(stream, memory, policy));
        });
}

cudaError_t select_if(const ELEMENT *in, ELEMENT *out, long long *count, long long n, int own,
                      int threads, int items, void *memory, size_t bytes, cudaStream_t stream)
{
    return keep(in, out, count, n, own, threads, items, {memory, bytes}, stream);
}

size_t select_if_bytes(const ELEMENT *in, ELEMENT *out, long long *count, long long n, int own,
                       int threads, int items)
{
    return tune_cub::bytes_of([=](tune_cub::workspace none) {
        return keep(in, out, count, n, own, threads, items, none, nullptr);
    });
}
