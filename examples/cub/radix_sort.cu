// cub::DeviceRadixSort::SortKeys by a policy of this configuration's numbers, or (own 0) by CUB's.
#include "policies.cuh"

template <int threads, int items>
using selector = tune_cub::radix_sort_selector<threads, items, cub::RANK, cub::SCAN, SMALL_THREADS,
                                               SMALL_ITEMS, SMALL_BITS>;

static cudaError_t order(const ELEMENT *in, ELEMENT *out, int n, int own, int threads, int items,
                         tune_cub::workspace memory, cudaStream_t stream)
{
    return tune_cub::by_policy<selector, BLOCK_MAX>(
        tune_cub::numbers<THREADS>{}, tune_cub::numbers<ITEMS>{}, own, threads, items,
        [=](auto policy) {
            return cub::DeviceRadixSort::SortKeys(in, out, n, 0, int{8 * sizeof(ELEMENT)},
                                                  tune_cub::environment(stream, memory, policy));
        });
}

cudaError_t sort(const ELEMENT *in, ELEMENT *out, int n, int own, int threads, int items,
                 void *memory, size_t bytes, cudaStream_t stream)
{
    return order(in, out, n, own, threads, items, {memory, bytes}, stream);
}

size_t sort_bytes(const ELEMENT *in, ELEMENT *out, int n, int own, int threads, int items)
{
    return tune_cub::bytes_of([=](tune_cub::workspace none) {
        return order(in, out, n, own, threads, items, none, nullptr);
    });
}
