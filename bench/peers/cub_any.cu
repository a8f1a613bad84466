// CUB's calls of other inputs, operators and results.
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>

#include "any.h"
#include "segments_as_cub.h"

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

struct cub_segments {
    static constexpr const char *name = "cub::DeviceSegmentedReduce::Sum";
    template <typename... ARGUMENTS> static cudaError_t run(ARGUMENTS &&...arguments)
    {
        return cub::DeviceSegmentedReduce::Sum(std::forward<ARGUMENTS>(arguments)...);
    }
};

} // namespace

const contender cub_wide_i32 = cub_reduce<cub_sum, int32_t, int64_t>::as("cub::DeviceReduce::Sum");
const contender cub_transform_f32 =
    cub_reduce<cub_transform, float, float>::as("cub::DeviceReduce::TransformReduce");
const contender cub_operator_f32 =
    cub_reduce<cub_operator, float, float>::as("cub::DeviceReduce::Reduce");
const contender cub_argmin_f32 =
    cub_reduce<cub_place, float, place>::as("cub::DeviceReduce::ArgMin");
const contender cub_segments_32_f32 = segments_as_cub<cub_segments, 32>::contender_of;
const contender cub_segments_1024_f32 = segments_as_cub<cub_segments, 1024>::contender_of;
const contender cub_segments_20000_f32 = segments_as_cub<cub_segments, 20000>::contender_of;

} // namespace peers
