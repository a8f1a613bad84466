#include "tune_adapter.h"

namespace peers
{

const contender tune_sum_i64 = tune_reduce<tune::sum, long long, long long>::contender_of;

} // namespace peers
