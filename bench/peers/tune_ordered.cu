#include "tune_adapter.h"

namespace peers
{

const contender tune_ordered_affine_u32 = tune_ordered<tune::affine_u32>::contender_of;
const contender tune_ordered_matrix_u32 = tune_ordered<tune::matrix_u32>::contender_of;

} // namespace peers
