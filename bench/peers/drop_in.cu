// tune::DeviceReduce and tune::DeviceSegmentedReduce, in the place of CUB's.
#include "segments_as_cub.h"
#include "tune_adapter.h"

namespace peers
{

namespace
{

struct drop_in_sum {
    template <typename... ARGUMENTS> static cudaError_t run(ARGUMENTS &&...arguments)
    {
        return tune::DeviceReduce::Sum(std::forward<ARGUMENTS>(arguments)...);
    }
};
struct drop_in_max {
    template <typename... ARGUMENTS> static cudaError_t run(ARGUMENTS &&...arguments)
    {
        return tune::DeviceReduce::Max(std::forward<ARGUMENTS>(arguments)...);
    }
};
struct drop_in_place {
    template <typename T, typename R, typename N>
    static cudaError_t run(void *temporary, size_t &bytes, const T *in, R *out, N n,
                           cudaStream_t on)
    {
        return tune::DeviceReduce::ArgMin(temporary, bytes, in, &out->value,
                                          reinterpret_cast<int64_t *>(out->index), n, on);
    }
};
struct drop_in_segments {
    static constexpr const char *name = "tune::DeviceSegmentedReduce::Sum";
    template <typename... ARGUMENTS> static cudaError_t run(ARGUMENTS &&...arguments)
    {
        return tune::DeviceSegmentedReduce::Sum(std::forward<ARGUMENTS>(arguments)...);
    }
};

constexpr const char *name = "tune::DeviceReduce";

} // namespace

const contender drop_in_sum_i32 = cub_reduce<drop_in_sum, int32_t, int32_t>::as(name);
const contender drop_in_sum_f32 = cub_reduce<drop_in_sum, float, float>::as(name);
const contender drop_in_max_f32 = cub_reduce<drop_in_max, float, float>::as(name);
const contender drop_in_argmin_f32 = cub_reduce<drop_in_place, float, place>::as(name);
const contender drop_in_segments_32_f32 = segments_as_cub<drop_in_segments, 32>::contender_of;
const contender drop_in_segments_20000_f32 = segments_as_cub<drop_in_segments, 20000>::contender_of;

} // namespace peers
