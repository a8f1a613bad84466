// cub::DeviceTransform::Transform of two vectors by a policy of this configuration's numbers, or
// (own 0) by CUB's.
#include "policies.cuh"

template <int threads, int items>
using selector =
    tune_cub::transform_selector<cub::TransformAlgorithm::ALGORITHM, threads, items, VECTOR>;

struct triad {
    __host__ __device__ ELEMENT operator()(ELEMENT a, ELEMENT b) const
    {
        return a + 3 * b;
    }
};

cudaError_t transform(const ELEMENT *a, const ELEMENT *b, ELEMENT *out, long long n, int own,
                      int threads, int items, cudaStream_t stream)
{
    return tune_cub::by_policy<selector, 1 << 20>(
        tune_cub::numbers<THREADS>{}, tune_cub::numbers<ITEMS>{}, own, threads, items,
        [=](auto policy) {
            return cub::DeviceTransform::Transform(cuda::std::make_tuple(a, b), out, n, triad{},
                                                   tune_cub::environment(stream, {}, policy));
        });
}
