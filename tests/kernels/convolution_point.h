// Includes examples/t1/convolution.cu (or SOURCE) once more, as one point of its space: the
// including file sets the parameters and POINT, an identifier.
#include "tests/kernels/convolution_points.h"

#define SIMT_TEXT_(text)        #text
#define SIMT_TEXT(text)         SIMT_TEXT_(text)
#define SIMT_JOIN_(left, right) left##right
#define SIMT_JOIN(left, right)  SIMT_JOIN_(left, right)
#define SIMT_SHARED_SECTION     "shared_" SIMT_TEXT(POINT)
#define convolution_kernel      SIMT_JOIN(convolution_, POINT)

extern "C" char SIMT_JOIN(__start_shared_, POINT)[] __attribute__((weak));
extern "C" char SIMT_JOIN(__stop_shared_, POINT)[] __attribute__((weak));

namespace POINT
{

#include SOURCE

const bool known = convolution_points::add({
    SIMT_TEXT(POINT),
    SOURCE,
    filter_width,
    filter_height,
    TILE_WIDTH,
    TILE_HEIGHT,
    block_size_x *block_size_y,
    d_filter,
    {SIMT_JOIN(__start_shared_, POINT), SIMT_JOIN(__stop_shared_, POINT)},
    convolution_kernel,
});

} // namespace POINT

#undef SIMT_TEXT_
#undef SIMT_TEXT
#undef SIMT_JOIN_
#undef SIMT_JOIN
#undef SIMT_SHARED_SECTION
#undef convolution_kernel
#undef INPUT_WIDTH
#undef TILE_WIDTH
#undef TILE_HEIGHT
#undef PIECE_WIDTH
#undef PIECE_HEIGHT
#undef PITCH
#undef UNROLLED
#undef READ
