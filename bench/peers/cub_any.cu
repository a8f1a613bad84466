// CUB's calls of other inputs, operators and results.
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "any.h"
#include "cub_adapter.h"

namespace peers
{

namespace
{

struct add {
    template <typename T> __host__ __device__ T operator()(T a, T b) const
    {
        return a + b;
    }
};

struct cub_transform {
    template <typename T, typename R, typename N>
    static cudaError_t run(void *workspace, size_t &bytes, const T *in, R *out, N n,
                           cudaStream_t on)
    {
        return cub::DeviceReduce::TransformReduce(workspace, bytes, in, out, n, add(), doubled(),
                                                  R(0), on);
    }
};

struct cub_operator {
    template <typename T, typename R, typename N>
    static cudaError_t run(void *workspace, size_t &bytes, const T *in, R *out, N n,
                           cudaStream_t on)
    {
        return cub::DeviceReduce::Reduce(workspace, bytes, in, out, n, furthest(), R(0), on);
    }
};

struct cub_place {
    template <typename T, typename R, typename N>
    static cudaError_t run(void *workspace, size_t &bytes, const T *in, R *out, N n,
                           cudaStream_t on)
    {
        return cub::DeviceReduce::ArgMin(workspace, bytes, in, &out->value,
                                         reinterpret_cast<int64_t *>(out->index), n, on);
    }
};

// Results lie behind the temporary storage; that of the last segment is looked at.
template <int LENGTH> struct cub_segments {
    static constexpr size_t ALIGNMENT = 256;
    static cudaError_t run(void *temporary, size_t &bytes, const float *in, float *out, size_t n,
                           cudaStream_t on)
    {
        const auto offsets = [n](long long ahead) {
            return thrust::make_transform_iterator(thrust::make_counting_iterator(0ll),
                                                   boundary<LENGTH>{(long long)n, ahead});
        };
        return cub::DeviceSegmentedReduce::Sum(temporary, bytes, in, out,
                                               (long long)boundary<LENGTH>::count(n), offsets(0),
                                               offsets(LENGTH), on);
    }
    static size_t temporary_bytes(size_t n)
    {
        size_t bytes = 0;
        CHECK(run(nullptr, bytes, nullptr, nullptr, n, nullptr));
        return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
    static size_t workspace_bytes(size_t n)
    {
        return temporary_bytes(n) + boundary<LENGTH>::count(n) * sizeof(float);
    }
    static size_t result_offset(size_t n)
    {
        return temporary_bytes(n) + (boundary<LENGTH>::count(n) - 1) * sizeof(float);
    }
    static void submit(const call &call)
    {
        size_t bytes = temporary_bytes(call.n);
        float *const out = reinterpret_cast<float *>(static_cast<char *>(call.workspace) + bytes);
        CHECK(run(call.workspace, bytes, static_cast<const float *>(call.in), out, call.n,
                  call.stream));
    }
    static constexpr contender contender_of = {"cub::DeviceSegmentedReduce::Sum",
                                               workspace_bytes,
                                               nullptr,
                                               result_offset,
                                               submit,
                                               nullptr};
};

} // namespace

const contender cub_wide_i32 = cub_reduce<cub_sum, int32_t, int64_t>::as("cub::DeviceReduce::Sum");
const contender cub_transform_f32 =
    cub_reduce<cub_transform, float, float>::as("cub::DeviceReduce::TransformReduce");
const contender cub_operator_f32 =
    cub_reduce<cub_operator, float, float>::as("cub::DeviceReduce::Reduce");
const contender cub_argmin_f32 =
    cub_reduce<cub_place, float, place>::as("cub::DeviceReduce::ArgMin");
const contender cub_segments_32_f32 = cub_segments<32>::contender_of;
const contender cub_segments_1024_f32 = cub_segments<1024>::contender_of;

} // namespace peers
