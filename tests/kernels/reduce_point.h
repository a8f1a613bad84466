// Includes kernels/reduce/reduce.cu (or SOURCE) once more, as one point of the family: the defines
// of the kernel and POINT, an identifier, are set by the file that includes this (points.cmake).
#include "tests/kernels/reduce_points.h"

#define SIMT_TEXT_(text)        #text
#define SIMT_TEXT(text)         SIMT_TEXT_(text)
#define SIMT_JOIN_(left, right) left##right
#define SIMT_JOIN(left, right)  SIMT_JOIN_(left, right)
#define SIMT_SHARED_SECTION     "shared_" SIMT_TEXT(POINT)
#define reduce_one_block        SIMT_JOIN(one_block_, POINT)
#define reduce_two_launches     SIMT_JOIN(two_launches_, POINT)
#define reduce_last_block       SIMT_JOIN(last_block_, POINT)

extern "C" char SIMT_JOIN(__start_shared_, POINT)[] __attribute__((weak));
extern "C" char SIMT_JOIN(__stop_shared_, POINT)[] __attribute__((weak));

namespace POINT
{

#include SOURCE

const bool known = reduce_points::add({
    SIMT_TEXT(POINT),
    SOURCE,
    reduce_points::element_of<ELEMENT>(),
    BLOCK,
    VECTOR,
    LOADS,
    SHUFFLE,
    {SIMT_JOIN(__start_shared_, POINT), SIMT_JOIN(__stop_shared_, POINT)},
    reduce_points::erased<ELEMENT, reduce_one_block>,
    reduce_points::erased<ELEMENT, reduce_two_launches>,
    reduce_points::erased<ELEMENT, reduce_last_block>,
});

} // namespace POINT

#undef SIMT_TEXT_
#undef SIMT_TEXT
#undef SIMT_JOIN_
#undef SIMT_JOIN
#undef SIMT_SHARED_SECTION
#undef reduce_one_block
#undef reduce_two_launches
#undef reduce_last_block
#undef MIN_BLOCKS
