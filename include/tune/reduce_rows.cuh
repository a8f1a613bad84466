/* tune/reduce_rows.cuh: GPU reductions of many rows of one length, launched with the configuration
 * of tuned.conf: out[r] = in[r * length] OP ... OP in[(r + 1) * length - 1]. For nvcc, C++17. No
 * workspace is needed. Streams, threads, graphs and an example: tune/reduce.cuh, docs/calls.md. */
#ifndef TUNE_REDUCE_ROWS
#define TUNE_REDUCE_ROWS

#include <tuned.h>

#include "kernels/reduce/policy.cuh"
#include "kernels/reduce_rows/reduce_rows.cuh"

#include "detail/reduce_result.cuh"
#include "detail/rows_problem.cuh"

namespace tune
{

/* A plan, as reduce_plan. Operators and elements are those of tune/reduce.cuh, and
 * tune::composition of maps x -> a x + b mod 2^32, a (made odd) in the high half of an unsigned
 * 8-byte integer, b in the low half; order is kept. Empty rows give the result of an empty
 * reduction. */
template <typename OP, typename T> struct reduce_rows_plan {
    calls::plan plan;
    long long length;

    /* Launches the reduction of `rows` rows (any number; 0 launches no kernel) on the plan's
     * device. Returns cudaErrorInvalidValue if `in` (aligned to T) or `out` is no valid pointer;
     * otherwise the result of the launch. */
    cudaError_t run(const T *in, size_t rows, reduce_result_t<OP, T> *out,
                    cudaStream_t stream) const
    {
        long long count = (long long)rows, each = length;
        if (rows == 0)
            return cudaSuccess;
        if ((in == nullptr && length > 0) || !calls::is_aligned(in, alignof(T)) || out == nullptr ||
            count < 0)
            return cudaErrorInvalidValue;
        void *arguments[] = {&in, &out, &count, &each}; // ignored by kernels of a fixed length
        return calls::launch(plan.kernel, calls::blocks_for(plan, count), plan.block, 0, false,
                             arguments, stream);
    }
};

/* Plans as plan_reduce, for rows of `length` elements. Kernels compiled for one length are faster;
 * TUNE_CONFIGURATIONS lists their lengths. */
template <typename OP, typename T, typename LIST = calls::own_list>
cudaError_t plan_reduce_rows(const configured_by &by, size_t rows, size_t length,
                             reduce_rows_plan<OP, T> *plan, choice *why = nullptr)
{
    typedef calls::rows_problem<OP, typename calls::element_of<T>::type> problem;
    if (rows > (size_t)LLONG_MAX || length > (size_t)LLONG_MAX)
        return cudaErrorInvalidValue;
    plan->length = (long long)length;
    const calls::question question = {problem::key.view(), (long long)rows,
                                      problem::default_of((long long)length), (long long)length,
                                      calls::rows_parameters::LENGTH};
    calls::made_plan made;
    const cudaError_t result = calls::make_plan<problem, LIST>(by, question, &made, why);
    if (result == cudaSuccess)
        plan->plan = made.plan;
    return result;
}

/* Plans and launches in one call. */
template <typename OP, typename T, typename LIST = calls::own_list>
cudaError_t reduce_rows(const configured_by &by, const T *in, size_t rows, size_t length,
                        reduce_result_t<OP, T> *out, cudaStream_t stream, choice *why = nullptr)
{
    reduce_rows_plan<OP, T> plan;
    const cudaError_t result = plan_reduce_rows<OP, T, LIST>(by, rows, length, &plan, why);
    return result == cudaSuccess ? plan.run(in, rows, out, stream) : result;
}

} // namespace tune

#endif
