// Includes examples/t1/gemm.cu (or SOURCE) once more, as one point of its space: the including
// file sets the parameters and POINT, an identifier.
#include "tests/kernels/gemm_points.h"

#define SIMT_TEXT_(text)        #text
#define SIMT_TEXT(text)         SIMT_TEXT_(text)
#define SIMT_JOIN_(left, right) left##right
#define SIMT_JOIN(left, right)  SIMT_JOIN_(left, right)
#define SIMT_SHARED_SECTION     "shared_" SIMT_TEXT(POINT)
#define gemm_fast               SIMT_JOIN(gemm_, POINT)
#define gemm_plain              SIMT_JOIN(plain_, POINT) // of examples/gemm.cu

extern "C" char SIMT_JOIN(__start_shared_, POINT)[] __attribute__((weak));
extern "C" char SIMT_JOIN(__stop_shared_, POINT)[] __attribute__((weak));

namespace POINT
{

#include SOURCE

const bool known = gemm_points::add({
    SIMT_TEXT(POINT),
    SOURCE,
    sizeof(real),
    MWG,
    NWG,
    KWG,
    MDIMC *NDIMC,
    {SIMT_JOIN(__start_shared_, POINT), SIMT_JOIN(__stop_shared_, POINT)},
    gemm_points::erased<real, gemm_fast>,
});

} // namespace POINT

#undef SIMT_TEXT_
#undef SIMT_TEXT
#undef SIMT_JOIN_
#undef SIMT_JOIN
#undef SIMT_SHARED_SECTION
#undef gemm_fast
#undef gemm_plain
#undef THREADS
#undef MWI
#undef NWI
#undef REGISTERS_FOR_IT
#undef AHEAD
#undef BLOCKS_OF_AN_SM
#undef FETCH_A
#undef FETCH_B
#undef PUT_A
#undef PUT_B
#undef ROW_A
#undef ROW_B
