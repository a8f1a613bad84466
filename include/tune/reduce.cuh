/* tune/reduce.cuh: reductions on the GPU, launched as tuned.conf says. For nvcc, C++17.
 *
 *     #include <tune/reduce.cuh>
 *
 *     struct tuned *tuned = tuned_load("tuned.conf", NULL);             once; NULL is fine
 *     void *workspace;                                                  once a stream
 *     cudaMalloc(&workspace, tune::reduce_workspace_bytes());
 *     tune::reduce_prepare(workspace, tune::reduce_workspace_bytes(), stream);
 *
 *     size_t bytes = tune::reduce_workspace_bytes();
 *     tune::reduce<tune::sum>(tuned, in, n, out, workspace, bytes, stream);
 *
 * `in` and `out` are device pointers, n counts elements. Nothing is allocated and nothing waited
 * for: the launches are put on the stream, or into the graph that it is captured into, and *out is
 * there when they have run. Any thread may call; launches on several streams at once need a
 * workspace each, launches on one stream share one. More: docs/calls.md. */
#ifndef TUNE_REDUCE
#define TUNE_REDUCE

#include <cstdint>

#include <tuned.h>

#include "kernels/reduce/reduce.cuh"

#include "detail/reduce_problem.cuh"
#include "detail/reduce_result.cuh"
#include "detail/workspace.cuh"

namespace tune
{

/* A choice made once: plain data, which may be copied and used by several threads at a time. It
 * holds nothing of `tuned`. */
template <typename OP, typename T> struct reduce_plan {
    calls::plan plan;

    /* Launches, on the device that the plan was made on, which must be the current one: as many
     * blocks as n needs. Any n gives a right result; another than the plan's perhaps not as fast.
     * cudaErrorInvalidValue: `in` (aligned as T), `out` or `workspace` is no such pointer (in may
     * be NULL when n is 0), or n is more than 2^31 tiles of the plan's kernel, which are at least
     * 2^36 elements and more than the plan was made for. Else what the launch gives. */
    cudaError_t run(const T *in, size_t n, reduce_result_t<OP, T> *out, void *workspace,
                    cudaStream_t stream) const
    {
        return calls::run_plan(plan, in, n, alignof(T), out, workspace, stream);
    }
};

/* Chooses for n elements on the current device: what `tuned` (may be NULL) has, else the nearest
 * that is compiled in, else a default. `why` (may be NULL) is told which and why; a plan that is
 * not what tuned.conf has is no error. The first plan on a device asks the driver about it, which
 * takes microseconds; others take a look-up. cudaErrorNoKernelImageForDevice ...: the program has
 * no code for this device. */
template <typename OP, typename T, typename LIST = calls::own_list>
cudaError_t plan_reduce(const struct tuned *tuned, size_t n, reduce_plan<OP, T> *plan,
                        choice *why = nullptr)
{
    typedef calls::reduce_problem<OP, typename calls::element_of<T>::type> problem;
    if (n > (size_t)LLONG_MAX)
        return cudaErrorInvalidValue;
    const calls::question question = {problem::key.at, (long long)n,
                                      problem::default_of((long long)n), -1, 0};
    return calls::make_plan<problem>(calls::table_of<problem, LIST>(), tuned, question, &plan->plan,
                                     why);
}

/* Both in one call: *out = in[0] OP in[1] OP ... OP in[n - 1]. */
template <typename OP, typename T, typename LIST = calls::own_list>
cudaError_t reduce(const struct tuned *tuned, const T *in, size_t n, reduce_result_t<OP, T> *out,
                   void *workspace, size_t workspace_bytes, cudaStream_t stream,
                   choice *why = nullptr)
{
    if (workspace_bytes < reduce_workspace_bytes())
        return cudaErrorInvalidValue;
    reduce_plan<OP, T> plan;
    const cudaError_t result = plan_reduce<OP, T, LIST>(tuned, n, &plan, why);
    return result == cudaSuccess ? plan.run(in, n, out, workspace, stream) : result;
}

} // namespace tune

#endif
