/* tune/reduce_ordered.cuh: GPU reductions that keep the order of elements, launched with the
 * configuration of tuned.conf: *out = in[0] OP in[1] OP ... OP in[n - 1] for an associative OP that
 * need not be commutative. For nvcc, C++17. Workspaces, streams, threads, graphs and an example:
 * tune/reduce.cuh, docs/calls.md. */
#ifndef TUNE_REDUCE_ORDERED
#define TUNE_REDUCE_ORDERED

#include <tuned.h>

#include "kernels/reduce/operator.cuh"
#include "kernels/reduce_ordered/reduce_ordered.cuh"

#include "detail/ordered_problem.cuh"
#include "detail/workspace.cuh"

namespace tune
{

/* A plan, as reduce_plan. Operators: tune::affine_u32 (maps x -> a x + b mod 2^32, combined as
 * left(right(x))), tune::matrix_u32 and tune::matrix_f32 (products of 2x2 matrices), or the
 * caller's with equal members (kernels/reduce_ordered/operator.cuh) and elements of 8 or 16 bytes,
 * which take the configuration of the shipped operator with elements of that size. Elements are
 * aligned to their size. No elements give the identity. The same call gives the same bits every
 * time. */
template <typename OP> struct reduce_ordered_plan {
    calls::plan plan;

    /* Launches as reduce_plan::run; n must be below 2^36. */
    cudaError_t run(const typename OP::element *in, size_t n, typename OP::element *out,
                    void *workspace, cudaStream_t stream) const
    {
        return calls::run_plan(plan, in, n, sizeof(typename OP::element), out, workspace, stream);
    }
};

/* Plans as plan_reduce; n must be below 2^36. */
template <typename OP, typename LIST = calls::own_list>
cudaError_t plan_reduce_ordered(const configured_by &by, size_t n, reduce_ordered_plan<OP> *plan,
                                choice *why = nullptr)
{
    typedef calls::ordered_problem<OP> problem;
    if (n >> 36 != 0)
        return cudaErrorInvalidValue;
    const calls::question question = {problem::key.view(), (long long)n,
                                      problem::default_of((long long)n)};
    calls::made_plan made;
    const cudaError_t result = calls::make_plan<problem, LIST>(by, question, &made, why);
    if (result == cudaSuccess)
        plan->plan = made.plan;
    return result;
}

/* Plans and launches in one call. */
template <typename OP, typename LIST = calls::own_list>
cudaError_t reduce_ordered(const configured_by &by, const typename OP::element *in, size_t n,
                           typename OP::element *out, void *workspace, size_t workspace_bytes,
                           cudaStream_t stream, choice *why = nullptr)
{
    if (workspace_bytes < reduce_workspace_bytes())
        return cudaErrorInvalidValue;
    reduce_ordered_plan<OP> plan;
    const cudaError_t result = plan_reduce_ordered<OP, LIST>(by, n, &plan, why);
    return result == cudaSuccess ? plan.run(in, n, out, workspace, stream) : result;
}

} // namespace tune

#endif
