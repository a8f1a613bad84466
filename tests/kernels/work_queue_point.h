// Includes kernels/work_queue/work_queue.cu (or SOURCE) once more, as one point of the family: the
// defines of the kernels and POINT, an identifier, are set by the file that includes this.
#include "tests/kernels/work_queue_points.h"

#define SIMT_TEXT_(text)        #text
#define SIMT_TEXT(text)         SIMT_TEXT_(text)
#define SIMT_JOIN_(left, right) left##right
#define SIMT_JOIN(left, right)  SIMT_JOIN_(left, right)
#define SIMT_SHARED_SECTION     "shared_" SIMT_TEXT(POINT)
#define work_static_thread      SIMT_JOIN(static_thread_, POINT)
#define work_static_block       SIMT_JOIN(static_block_, POINT)
#define work_grid_stride        SIMT_JOIN(grid_stride_, POINT)
#define work_queue_block        SIMT_JOIN(queue_block_, POINT)
#define work_queue_warp         SIMT_JOIN(queue_warp_, POINT)

extern "C" char SIMT_JOIN(__start_shared_, POINT)[] __attribute__((weak));
extern "C" char SIMT_JOIN(__stop_shared_, POINT)[] __attribute__((weak));

namespace POINT
{

#include SOURCE

const bool known = work_queue_points::add({
    SIMT_TEXT(POINT),
    SOURCE,
    BLOCK,
    CHUNK,
    SKEWED,
    {SIMT_JOIN(__start_shared_, POINT), SIMT_JOIN(__stop_shared_, POINT)},
    {work_static_thread, work_static_block, work_grid_stride, work_queue_block, work_queue_warp},
});

} // namespace POINT

#undef SIMT_TEXT_
#undef SIMT_TEXT
#undef SIMT_JOIN_
#undef SIMT_JOIN
#undef SIMT_SHARED_SECTION
#undef work_static_thread
#undef work_static_block
#undef work_grid_stride
#undef work_queue_block
#undef work_queue_warp
