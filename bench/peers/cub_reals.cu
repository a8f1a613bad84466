#include "cub_adapter.h"

namespace peers
{

static constexpr const char *name = "cub::DeviceReduce::Sum";

const contender cub_sum_f32 = cub_reduce<cub_sum, float, float>::as(name);
const contender cub_sum_f64 = cub_reduce<cub_sum, double, double>::as(name);
const contender cub_max_f32 = cub_reduce<cub_max, float, float>::as("cub::DeviceReduce::Max");

} // namespace peers
