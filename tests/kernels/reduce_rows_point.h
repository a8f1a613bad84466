// One point of SOURCE, which is kernels/reduce_rows/reduce_rows.cuh or a copy: the including
// file sets POINT, an identifier, and POINT_OP, POINT_TYPE ..., once for each of its points.
// POINT_ANY: the kernel for rows of any length, with POINT_ROWS loads in flight.
#include "tests/kernels/reduce_rows_points.h"

#include SOURCE

#define SIMT_TEXT_(text) #text
#define SIMT_TEXT(text)  SIMT_TEXT_(text)

namespace POINT
{

typedef tune::POINT_OP::of<POINT_TYPE>::result result;
#ifdef POINT_ANY
typedef tune::any_rows_policy<POINT_LANES, POINT_BLOCK, POINT_COUNT, POINT_ROWS,
                              tune::rows_step::POINT_STEP>
    policy;
void run(const POINT_TYPE *in, result *out, long long rows)
{
    tune::reduce_rows_any<tune::POINT_OP, POINT_TYPE, policy>(in, out, rows, POINT_LENGTH);
}
#else
typedef tune::rows_policy<POINT_LENGTH, POINT_LANES, POINT_BLOCK, POINT_COUNT, POINT_ROWS,
                          tune::rows_map::POINT_MAP, tune::rows_step::POINT_STEP>
    policy;
void run(const POINT_TYPE *in, result *out, long long rows)
{
    tune::reduce_rows<tune::POINT_OP, POINT_TYPE, policy>(in, out, rows);
}
#endif

const bool known = reduce_rows_points::add({
    SIMT_TEXT(POINT),
    SOURCE,
    reduce_rows_points::element_of<POINT_TYPE>(),
    tune::keeps_order<tune::POINT_OP>,
    POINT_LENGTH,
    POINT_LANES,
    POINT_BLOCK,
    POINT_COUNT,
    POINT_ROWS,
    SIMT_TEXT(POINT_MAP),
    SIMT_TEXT(POINT_STEP),
    reduce_rows_points::erased<POINT_TYPE, result, run>,
});

} // namespace POINT

#undef SIMT_TEXT_
#undef SIMT_TEXT
