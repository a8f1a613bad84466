#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "tune_adapter.h"

namespace peers
{

const contender tune_sum_f16 = tune_reduce<tune::sum, __half, float>::contender_of;
const contender tune_sum_bf16 = tune_reduce<tune::sum, __nv_bfloat16, float>::contender_of;

} // namespace peers
