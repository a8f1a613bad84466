// cub::DeviceScan::ExclusiveSum by a policy of this configuration's numbers, or (own 0) by CUB's.
#include "policies.cuh"

template <int threads, int items>
using selector = tune_cub::scan_selector<threads, items, cub::MOVE_IN, cub::MOVE_OUT, cub::SCAN,
                                         cub::LookbackDelayAlgorithm::DELAY, NANOSECONDS>;

static cudaError_t add_up(const ELEMENT *in, ELEMENT *out, long long n, int own, int threads,
                          int items, tune_cub::workspace memory, cudaStream_t stream)
{
    return tune_cub::by_policy<selector, BLOCK_MAX>(
        tune_cub::numbers<THREADS>{}, tune_cub::numbers<ITEMS>{}, own, threads, items,
        [=](auto policy) {
            return cub::DeviceScan::ExclusiveSum(in, out, n,
                                                 tune_cub::environment(stream, memory, policy));
        });
}

cudaError_t scan(const ELEMENT *in, ELEMENT *out, long long n, int own, int threads, int items,
                 void *memory, size_t bytes, cudaStream_t stream)
{
    return add_up(in, out, n, own, threads, items, {memory, bytes}, stream);
}

size_t scan_bytes(const ELEMENT *in, ELEMENT *out, long long n, int own, int threads, int items)
{
    return tune_cub::bytes_of([=](tune_cub::workspace none) {
        return add_up(in, out, n, own, threads, items, none, nullptr);
    });
}
