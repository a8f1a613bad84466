#include "cub_adapter.h"

namespace peers
{

static constexpr const char *name = "cub::DeviceReduce::Sum";

const contender cub_sum_i32 = cub_reduce<cub_sum, int32_t, int32_t>::as(name);
const contender cub_sum_u8 = cub_reduce<cub_sum, uint8_t, uint32_t>::as(name);
const contender cub_sum_i64 = cub_reduce<cub_sum, long long, long long>::as(name);
const contender cub_min_i32 = cub_reduce<cub_min, int32_t, int32_t>::as("cub::DeviceReduce::Min");

} // namespace peers
