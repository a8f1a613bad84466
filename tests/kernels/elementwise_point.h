// Includes kernels/elementwise/elementwise.cu (or SOURCE) once more, as one point of the family:
// the defines of the kernel and POINT, an identifier, are set by the file that includes this.
#include "tests/kernels/elementwise_points.h"

#define SIMT_TEXT_(text)        #text
#define SIMT_TEXT(text)         SIMT_TEXT_(text)
#define SIMT_JOIN_(left, right) left##right
#define SIMT_JOIN(left, right)  SIMT_JOIN_(left, right)
#define elementwise             SIMT_JOIN(elementwise_, POINT)

namespace POINT
{

#include SOURCE

const bool known = elementwise_points::add({
    SIMT_TEXT(POINT),
    SOURCE,
    static_cast<ELEMENT>(0.5) != 0,
    sizeof(ELEMENT),
    INPUTS,
    BLOCK,
    VECTOR,
    LOADS,
    elementwise_points::erased<ELEMENT, elementwise>,
});

} // namespace POINT

#undef SIMT_TEXT_
#undef SIMT_TEXT
#undef SIMT_JOIN_
#undef SIMT_JOIN
#undef elementwise
#undef MIN_BLOCKS
#undef LOAD
#undef STORE
