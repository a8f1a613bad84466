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
 * workspace each, launches on one stream share one. In the place of `tuned`, tune::pinned{...}.
 *
 *     tune::reduce            of numbers in memory, by a shipped operator: what experiments tune
 *     tune::reduce_with       of any input by any operator, with an initial value
 *     tune::arg_min, arg_max  the place of an extreme
 *     tune::reduce_segments   of each of many segments, by offsets
 *     tune::DeviceReduce, tune::DeviceSegmentedReduce   the same as CUB calls them
 *
 * More, and which CUB call is which: docs/calls.md. */
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

/* Chooses for n elements on the current device: what tuned.conf (may be NULL) has, else the nearest
 * that is compiled in, else a default. `why` (may be NULL) is told which and why; a plan that is
 * not what tuned.conf has is no error. The first plan on a device asks the driver about it, which
 * takes microseconds; others take a look-up. cudaErrorNoKernelImageForDevice ...: the program has
 * no code for this device. */
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

/* Both in one call: *out = in[0] OP in[1] OP ... OP in[n - 1]. */
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

/* *out = init OP in[0] OP ... OP in[n - 1], of any input (detail/input.cuh) by any associative and
 * commutative operator: tune::sum{} and its like, or V operator()(V, V), which need not have an
 * identity; one with members travels with each value, so let it be small. Values are of the type of
 * init + in[0] where both are numbers, so that an int64_t(0) makes the sum of ints a wide one, else
 * of init's type, which may be copied by its bytes, up to 256 of them; halves are combined as
 * float. `out`, a pointer or an iterator, is given what they convert to. The configuration of
 * reduce.sum.f32 of as many bytes stands in. */
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

/* The least value, and the lowest index that has it; either place may be NULL. NaN counts as
 * missing, -0 equals 0. Of nothing: the index -1, and the largest value or infinity. */
template <typename LIST = calls::own_list, typename IN, typename R, typename I>
cudaError_t arg_min(const configured_by &by, const IN &in, size_t n, R *value, I *index,
                    void *workspace, size_t workspace_bytes, cudaStream_t stream,
                    choice *why = nullptr)
{
    if (workspace_bytes < reduce_workspace_bytes())
        return cudaErrorInvalidValue;
    return calls::place_of<false, LIST>(by, in, n, value, index, workspace, true, stream, why);
}
/* The greatest. */
template <typename LIST = calls::own_list, typename IN, typename R, typename I>
cudaError_t arg_max(const configured_by &by, const IN &in, size_t n, R *value, I *index,
                    void *workspace, size_t workspace_bytes, cudaStream_t stream,
                    choice *why = nullptr)
{
    if (workspace_bytes < reduce_workspace_bytes())
        return cudaErrorInvalidValue;
    return calls::place_of<true, LIST>(by, in, n, value, index, workspace, true, stream, why);
}

/* out[s] = init OP in[begin[s]] OP ... OP in[end[s] - 1], as reduce_with; begin and end are device
 * pointers to integers, or iterators. Segments may have any lengths side by side, be empty (out[s]
 * is init), overlap. No workspace. `length`: what most have about, in elements; 0: not known. The
 * configuration of reduce_segments.sum_f32 of the nearest length in bytes is launched; where the
 * length is not known, the default. */
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
