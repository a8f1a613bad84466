// Includes kernels/occupancy/occupancy.cu (or SOURCE) once more, as one point: the defines of the
// kernel and POINT, an identifier, are set by the file that includes this.
#include "tests/kernels/occupancy_points.h"

#define SIMT_TEXT_(text)        #text
#define SIMT_TEXT(text)         SIMT_TEXT_(text)
#define SIMT_JOIN_(left, right) left##right
#define SIMT_JOIN(left, right)  SIMT_JOIN_(left, right)
#define occupancy               SIMT_JOIN(occupancy_, POINT)

namespace POINT
{

#include SOURCE

const bool known = occupancy_points::add({SIMT_TEXT(POINT), SOURCE, BLOCK, LOADS, occupancy});

} // namespace POINT

#undef SIMT_TEXT_
#undef SIMT_TEXT
#undef SIMT_JOIN_
#undef SIMT_JOIN
#undef occupancy
