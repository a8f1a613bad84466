/* tune/reduce_rows.cuh: each of many rows reduced to one, on the GPU, launched as tuned.conf says:
 * out[r] = in[r * length] OP ... OP in[(r + 1) * length - 1]. For nvcc, C++17. It needs no
 * workspace; streams, threads and graphs: as tune/reduce.cuh has it; docs/calls.md. */
#ifndef TUNE_REDUCE_ROWS
#define TUNE_REDUCE_ROWS

#include <tuned.h>

#include "kernels/reduce/policy.cuh"
#include "kernels/reduce_rows/reduce_rows.cuh"

#include "detail/reduce_result.cuh"
#include "detail/rows_problem.cuh"

namespace tune
{

/* The operators and elements of tune/reduce.cuh, and tune::composition of maps x -> a x + b mod
 * 2^32, a (made odd) in the high half of an unsigned 8-byte integer, b in the low one: order is
 * kept. Of rows of no elements: what reduce gives of none. */
template <typename OP, typename T> struct reduce_rows_plan {
    calls::plan plan;
    long long length;

    /* Launches, on the device that the plan was made on. Any number of rows is right; 0 launches
     * nothing. cudaErrorInvalidValue: `in` (aligned as T) or `out` is no such pointer. */
    cudaError_t run(const T *in, size_t rows, reduce_result_t<OP, T> *out,
                    cudaStream_t stream) const
    {
        long long count = (long long)rows, each = length;
        if (rows == 0)
            return cudaSuccess;
        if ((in == nullptr && length > 0) || !calls::is_aligned(in, alignof(T)) || out == nullptr ||
            count < 0)
            return cudaErrorInvalidValue;
        void *arguments[] = {&in, &out, &count, &each}; // where the kernel knows it: not looked at
        return calls::launch(plan.kernel, calls::blocks_for(plan, count), plan.block, 0, false,
                             arguments, stream);
    }
};

/* As plan_reduce, for rows of `length` elements. Kernels that are compiled for that length are the
 * faster ones: they are there for the lengths that TUNE_CONFIGURATIONS has. */
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

/* Both in one call. */
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
