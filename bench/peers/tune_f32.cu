#include "tune_adapter.h"

namespace peers
{

const contender tune_sum_f32 = tune_reduce<tune::sum, float, float>::contender_of;
const contender tune_max_f32 = tune_reduce<tune::maximum, float, float>::contender_of;

} // namespace peers
