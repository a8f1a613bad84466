// Operators, elements and results of reductions. Part of tune/reduce.cuh and
// tune/reduce_rows.cuh.
#ifndef TUNE_CALLS_REDUCE_RESULT
#define TUNE_CALLS_REDUCE_RESULT

#include "element.cuh"

namespace tune
{

/* Result type of a reduction. Operators: tune::sum, tune::product, tune::minimum, tune::maximum.
 * Elements: integers of 1 to 8 bytes, float, double, __half, __nv_bfloat16 (also as tune::f16,
 * tune::bf16).
 *
 * A minimum or maximum has the element's type. A sum or product of integers below 4 bytes is an int
 * (of signed ones) or unsigned int, of half types a float, otherwise an element. Integers wrap.
 * Halves are combined as floats. NaN counts as missing for minima and maxima, and -0 is less than
 * 0. No elements give 0 (sum), 1 (product), the largest (minimum) or the smallest value (maximum);
 * of real types, the infinities. The order of a sum of reals depends on n, the alignment of `in`
 * and the launch only, so that the same call gives the same bits every time. */
template <typename OP, typename T> struct reduce_result {
    typedef typename calls::element_of<T>::type element;
    typedef typename OP::template of<element>::result result;
    typedef std::conditional_t<std::is_same_v<result, element>, T, result> type;
};
template <typename OP, typename T> using reduce_result_t = typename reduce_result<OP, T>::type;

} // namespace tune

#endif
