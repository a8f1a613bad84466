/* tune/reduce.cuh: GPU reductions launched with the configuration of tuned.conf. For nvcc, C++17.
 *
 *     #include <tune/reduce.cuh>
 *
 *     struct tuned *tuned = tuned_load("tuned.conf", NULL);             once; NULL: defaults
 *     void *workspace;                                                  one per stream
 *     cudaMalloc(&workspace, tune::reduce_workspace_bytes());
 *     tune::reduce_prepare(workspace, tune::reduce_workspace_bytes(), stream);
 *
 *     size_t bytes = tune::reduce_workspace_bytes();
 *     tune::reduce<tune::sum>(tuned, in, n, out, workspace, bytes, stream);
 *
 * `in` and `out` are device pointers, n counts elements. Calls allocate no memory and do not wait:
 * the launches are put on the stream, or into the graph that is being captured, and *out is valid
 * when they are complete. Calls return the CUDA runtime's errors, cudaSuccess for none. Any thread
 * may call. Launches that may overlap need separate workspaces; launches on one stream share
 * one. tune::pinned{...} may replace `tuned`.
 *
 *     tune::reduce            numbers in memory by a shipped operator, as tuned by experiments
 *     tune::reduce_with       any input by any operator, with an initial value
 *     tune::arg_min, arg_max  the place of an extreme
 *     tune::reduce_segments   each of many segments, given by offsets
 *     tune::DeviceReduce, tune::DeviceSegmentedReduce   these calls in the form of CUB
 *
 * docs/calls.md has the details and the corresponding calls of CUB. */
#ifndef TUNE_REDUCE
#define TUNE_REDUCE

#include <cstdint>

#include <tuned.h>

#include "kernels/reduce/segments.cuh"

#include "detail/any_problem.cuh"
#include "detail/reduce_problem.cuh"
#include "detail/reduce_result.cuh"
#include "detail/segments_problem.cuh"
#include "detail/workspace.cuh"

namespace tune
{

/* A plan: plain data, which may be copied and used by several threads at a time. `tuned` may be
 * freed after planning. */
template <typename OP, typename T> struct reduce_plan {
    calls::plan plan;

    /* Launches the reduction of n elements on the plan's device, which must be current, with as
     * many blocks as n needs. Any n is correct; one far from the planned size may be slower.
     * Returns cudaErrorInvalidValue if `in` (aligned to T; may be NULL if n is 0), `out` or
     * `workspace` is no valid pointer, or n exceeds 2^31 tiles of the plan's kernel, which are at
     * least 2^36 elements and more than the planned n. Otherwise returns the result of the launch.
     */
    cudaError_t run(const T *in, size_t n, reduce_result_t<OP, T> *out, void *workspace,
                    cudaStream_t stream) const
    {
        return calls::run_plan(plan, in, n, alignof(T), out, workspace, stream);
    }
};

/* Plans for n elements on the current device. `by`: a struct tuned *, may be NULL, or tune::pinned.
 * Takes the entry of tuned.conf, else the nearest compiled-in kernel, else a default, none of which
 * is an error; `why` (may be NULL) receives the configuration and the reason. The first plan on a
 * device asks the driver, which takes microseconds; further plans take a look-up. Returns
 * cudaErrorNoKernelImageForDevice or another error if the program has no code for the device. */
template <typename OP, typename T, typename LIST = calls::own_list>
cudaError_t plan_reduce(const configured_by &by, size_t n, reduce_plan<OP, T> *plan,
                        choice *why = nullptr)
{
    typedef calls::reduce_problem<OP, typename calls::element_of<T>::type> problem;
    if (n > (size_t)LLONG_MAX)
        return cudaErrorInvalidValue;
    const calls::question question = {problem::key.view(), (long long)n,
                                      problem::default_of((long long)n)};
    calls::made_plan made;
    const cudaError_t result = calls::make_plan<problem, LIST>(by, question, &made, why);
    if (result == cudaSuccess)
        plan->plan = made.plan;
    return result;
}

/* Plans and launches: *out = in[0] OP in[1] OP ... OP in[n - 1]. Takes and returns as plan_reduce
 * and reduce_plan::run; cudaErrorInvalidValue also for a workspace_bytes below
 * reduce_workspace_bytes(). */
template <typename OP, typename T, typename LIST = calls::own_list>
cudaError_t reduce(const configured_by &by, const T *in, size_t n, reduce_result_t<OP, T> *out,
                   void *workspace, size_t workspace_bytes, cudaStream_t stream,
                   choice *why = nullptr)
{
    if (workspace_bytes < reduce_workspace_bytes())
        return cudaErrorInvalidValue;
    reduce_plan<OP, T> plan;
    const cudaError_t result = plan_reduce<OP, T, LIST>(by, n, &plan, why);
    return result == cudaSuccess ? plan.run(in, n, out, workspace, stream) : result;
}

/* Reduces any input (detail/input.cuh) by any associative and commutative operator: *out = init OP
 * in[0] OP ... OP in[n - 1]. `op` is tune::sum{} and so on, or V operator()(V, V), which needs no
 * identity; members of an operator travel with each value and should be small. V, the type of
 * values, is the type of init + in[0] if both are numbers, so that int64_t(0) makes a sum of ints
 * wide; else the type of init, trivially copyable and at most 256 bytes. Halves are combined as
 * float. `out` is a pointer or an iterator. The configuration of reduce.sum.f32 with as many bytes
 * stands in. */
template <typename LIST = calls::own_list, typename IN, typename OUT, typename OP, typename INIT>
cudaError_t reduce_with(const configured_by &by, const IN &in, size_t n, OUT out, OP op, INIT init,
                        void *workspace, size_t workspace_bytes, cudaStream_t stream,
                        choice *why = nullptr)
{
    if (workspace_bytes < reduce_workspace_bytes())
        return cudaErrorInvalidValue;
    typedef calls::accumulator_for<INIT, typename calls::input_as<IN>::VALUE> V;
    return calls::reduce_by<LIST, V, true>(by, in, n, out, op, static_cast<V>(init), workspace,
                                           true, stream, why);
}

/* Finds the least value and its lowest index; `value` or `index` may be NULL. NaN counts as
 * missing, -0 equals 0. An empty input gives index -1 and the largest value or infinity. */
template <typename LIST = calls::own_list, typename IN, typename R, typename I>
cudaError_t arg_min(const configured_by &by, const IN &in, size_t n, R *value, I *index,
                    void *workspace, size_t workspace_bytes, cudaStream_t stream,
                    choice *why = nullptr)
{
    if (workspace_bytes < reduce_workspace_bytes())
        return cudaErrorInvalidValue;
    return calls::place_of<false, LIST>(by, in, n, value, index, workspace, true, stream, why);
}
/* Finds the greatest value and its lowest index, as arg_min. An empty input gives index -1 and
 * the smallest value or minus infinity. */
template <typename LIST = calls::own_list, typename IN, typename R, typename I>
cudaError_t arg_max(const configured_by &by, const IN &in, size_t n, R *value, I *index,
                    void *workspace, size_t workspace_bytes, cudaStream_t stream,
                    choice *why = nullptr)
{
    if (workspace_bytes < reduce_workspace_bytes())
        return cudaErrorInvalidValue;
    return calls::place_of<true, LIST>(by, in, n, value, index, workspace, true, stream, why);
}

/* Reduces each segment: out[s] = init OP in[begin[s]] OP ... OP in[end[s] - 1], with operators and
 * types as in reduce_with. begin and end are device pointers to integers, or iterators. Segments
 * may differ in length, be empty (out[s] is init) or overlap. `length`: approximate length of most
 * segments in elements; 0: unknown. Launches the configuration of reduce_segments.sum_f32 of the
 * nearest length in bytes, or the default for an unknown length. Needs no workspace. */
template <typename LIST = calls::own_list, typename IN, typename OUT, typename BEGIN, typename END,
          typename OP, typename INIT>
cudaError_t reduce_segments(const configured_by &by, const IN &in, size_t segments, BEGIN begin,
                            END end, size_t length, OUT out, OP op, INIT init, cudaStream_t stream,
                            choice *why = nullptr)
{
    typedef calls::accumulator_for<INIT, typename calls::input_as<IN>::VALUE> V;
    return calls::segments_by<LIST, V, true>(by, in, segments, begin, end, length, out, op,
                                             static_cast<V>(init), stream, why);
}

} // namespace tune

#include "detail/as_cub.cuh"

#endif
