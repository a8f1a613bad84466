// cub::DeviceReduce::Sum by a policy of this configuration's numbers, or (own 0) by CUB's.
#include "policies.cuh"

template <int threads, int items>
using selector = tune_cub::reduce_selector<threads, items, VECTOR, cub::LOAD>;

static cudaError_t add(const ELEMENT *in, ELEMENT *out, long long n, int own, int threads,
                       int items, tune_cub::workspace memory, cudaStream_t stream)
{
    return tune_cub::by_policy<selector, 1 << 20>(
        tune_cub::numbers<THREADS>{}, tune_cub::numbers<ITEMS>{}, own, threads, items,
        [=](auto policy) {
            return cub::DeviceReduce::Sum(in, out, n,
                                          tune_cub::environment(stream, memory, policy));
        });
}

cudaError_t sum(const ELEMENT *in, ELEMENT *out, long long n, int own, int threads, int items,
                void *memory, size_t bytes, cudaStream_t stream)
{
    return add(in, out, n, own, threads, items, {memory, bytes}, stream);
}

size_t sum_bytes(const ELEMENT *in, ELEMENT *out, long long n, int own, int threads, int items)
{
    return tune_cub::bytes_of([=](tune_cub::workspace none) {
        return add(in, out, n, own, threads, items, none, nullptr);
    });
}
