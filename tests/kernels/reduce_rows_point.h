// Includes kernels/reduce_rows/reduce_rows.cu (or SOURCE) once more, as one point of the family:
// the defines of the kernel and POINT, an identifier, are set by the file that includes this.
#include "tests/kernels/reduce_rows_points.h"

#define SIMT_TEXT_(text)        #text
#define SIMT_TEXT(text)         SIMT_TEXT_(text)
#define SIMT_JOIN_(left, right) left##right
#define SIMT_JOIN(left, right)  SIMT_JOIN_(left, right)
#define SIMT_SHARED_SECTION     "shared_" SIMT_TEXT(POINT)
#define reduce_rows             SIMT_JOIN(rows_, POINT)

extern "C" char SIMT_JOIN(__start_shared_, POINT)[] __attribute__((weak));
extern "C" char SIMT_JOIN(__stop_shared_, POINT)[] __attribute__((weak));

namespace POINT
{

#include SOURCE

const bool known = reduce_rows_points::add({
    SIMT_TEXT(POINT),
    SOURCE,
    reduce_rows_points::element_of<ELEMENT>(),
    AFFINE != 0,
    LENGTH,
    GROUP,
    BLOCK,
    VECTOR,
    ROWS,
    CHUNKS,
    STEP,
    {SIMT_JOIN(__start_shared_, POINT), SIMT_JOIN(__stop_shared_, POINT)},
    reduce_rows_points::erased<ELEMENT, reduce_rows>,
});

} // namespace POINT

#undef SIMT_TEXT_
#undef SIMT_TEXT
#undef SIMT_JOIN_
#undef SIMT_JOIN
#undef SIMT_SHARED_SECTION
#undef reduce_rows
#undef MIN_BLOCKS
