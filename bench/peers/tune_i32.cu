#include "tune_adapter.h"

namespace peers
{

const contender tune_sum_i32 = tune_reduce<tune::sum, int32_t, int32_t>::contender_of;

} // namespace peers
