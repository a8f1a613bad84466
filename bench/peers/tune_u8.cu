#include "tune_adapter.h"

namespace peers
{

const contender tune_sum_u8 = tune_reduce<tune::sum, uint8_t, uint32_t>::contender_of;

} // namespace peers
