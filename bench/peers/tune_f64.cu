#include "tune_adapter.h"

namespace peers
{

const contender tune_sum_f64 = tune_reduce<tune::sum, double, double>::contender_of;

} // namespace peers
