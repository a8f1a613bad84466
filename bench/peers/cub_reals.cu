#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cuda/std/functional>

#include "cub_adapter.h"

namespace peers
{

// DeviceReduce::Sum does not take halves to a float.
struct cub_sum_of_halves {
    struct widened {
        template <typename T> __host__ __device__ float operator()(T value) const
        {
            return float(value);
        }
    };
    template <typename T, typename N>
    static cudaError_t run(void *workspace, size_t &bytes, const T *in, float *out, N n,
                           cudaStream_t on)
    {
        return cub::DeviceReduce::TransformReduce(workspace, bytes, in, out, n, cuda::std::plus<>(),
                                                  widened(), 0.0f, on);
    }
};

static constexpr const char *name = "cub::DeviceReduce::Sum";

const contender cub_sum_f32 = cub_reduce<cub_sum, float, float>::as(name);
const contender cub_sum_f64 = cub_reduce<cub_sum, double, double>::as(name);
const contender cub_max_f32 = cub_reduce<cub_max, float, float>::as("cub::DeviceReduce::Max");
const contender cub_sum_f16 =
    cub_reduce<cub_sum_of_halves, __half, float>::as("cub::DeviceReduce::TransformReduce");
const contender cub_sum_bf16 =
    cub_reduce<cub_sum_of_halves, __nv_bfloat16, float>::as("cub::DeviceReduce::TransformReduce");

} // namespace peers
