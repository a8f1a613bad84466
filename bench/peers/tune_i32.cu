#include "tune_adapter.h"

namespace peers
{

const contender tune_sum_i32 = tune_reduce<tune::sum, int32_t, int32_t>::contender_of;
const contender tune_min_i32 = tune_reduce<tune::minimum, int32_t, int32_t>::contender_of;

} // namespace peers
