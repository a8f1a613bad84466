// Calls with CUB's names and arguments: cub::DeviceReduce::Sum(...) becomes
// tune::DeviceReduce::Sum(...). Part of tune/reduce.cuh.
#ifndef TUNE_CALLS_AS_CUB
#define TUNE_CALLS_AS_CUB

namespace tune
{

namespace calls
{

inline std::atomic<const struct tuned *> &in_use()
{
    static std::atomic<const struct tuned *> tuned;
    return tuned;
}

inline void *aligned(void *temporary)
{
    return (void *)(((uintptr_t)temporary + alignof(slot) - 1) / alignof(slot) * alignof(slot));
}

struct added {
    template <typename V> __host__ __device__ V operator()(const V &a, const V &b) const
    {
        return a + b;
    }
};

template <typename T>
constexpr bool is_number = (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) ||
                           std::is_same_v<typename widened_type<T>::type, float>;

// Returns whether an experiment tunes this case: plain numbers with their usual result.
template <typename OP, typename IN, typename OUT> constexpr bool is_plain()
{
    typedef input_value<IN> T;
    if constexpr (std::is_pointer_v<IN> && is_number<T>)
        return std::is_same_v<reduce_result_t<OP, T> *, OUT>;
    else
        return false;
}

// Types in which CUB combines values: a sum in the common type of output and input, extremes in
// the input's type.
template <typename IN, typename OUT>
using sum_type = accumulator_for<typename value_of_output<OUT, input_value<IN>>::type,
                                 typename input_as<IN>::VALUE>;
template <typename IN>
using extreme_type = typename widened_type<typename input_as<IN>::VALUE>::type;
template <typename INIT, typename IN>
using init_type = accumulator_for<INIT, typename input_as<IN>::VALUE>;
// Shipped operator for numbers, operator + for other types.
template <typename V> using sum_of = std::conditional_t<std::is_arithmetic_v<V>, sum, added>;

// Offsets of segments of equal length.
struct stepped {
    long long step, first;
    __host__ __device__ long long operator[](long long at) const
    {
        return first + at * step;
    }
};

template <typename LIST> struct device_reduce {
    /* Each function is called twice, as in CUB. With `temporary` NULL, `bytes` receives the size of
     * the memory (some 256 KiB for every n), no other argument is read and no kernel is launched.
     * The second call takes this memory, which need not be zeroed or kept. */
    template <typename IN, typename OUT, typename N>
    static cudaError_t Sum(void *temporary, size_t &bytes, IN in, OUT out, N n,
                           cudaStream_t stream = nullptr)
    {
        typedef sum_type<IN, OUT> V;
        return shipped<sum_of<V>, V>(temporary, bytes, in, out, n, stream);
    }
    template <typename IN, typename OUT, typename N>
    static cudaError_t Min(void *temporary, size_t &bytes, IN in, OUT out, N n,
                           cudaStream_t stream = nullptr)
    {
        return shipped<minimum, extreme_type<IN>>(temporary, bytes, in, out, n, stream);
    }
    template <typename IN, typename OUT, typename N>
    static cudaError_t Max(void *temporary, size_t &bytes, IN in, OUT out, N n,
                           cudaStream_t stream = nullptr)
    {
        return shipped<maximum, extreme_type<IN>>(temporary, bytes, in, out, n, stream);
    }
    template <typename IN, typename OUT, typename N, typename OP, typename INIT>
    static cudaError_t Reduce(void *temporary, size_t &bytes, IN in, OUT out, N n, OP op, INIT init,
                              cudaStream_t stream = nullptr)
    {
        typedef init_type<INIT, IN> V;
        return generic<true>(temporary, bytes, in, out, n, op, (V)init, stream);
    }
    template <typename IN, typename OUT, typename N, typename OP, typename F, typename INIT>
    static cudaError_t TransformReduce(void *temporary, size_t &bytes, IN in, OUT out, N n, OP op,
                                       F f, INIT init, cudaStream_t stream = nullptr)
    {
        return Reduce(temporary, bytes, transformed(in, f), out, n, op, init, stream);
    }
    /* Outputs are a value and its index, or (CUB's older form) a struct with members key and value.
     */
    template <typename IN, typename R, typename I, typename N>
    static cudaError_t ArgMin(void *temporary, size_t &bytes, IN in, R *value, I *index, N n,
                              cudaStream_t stream = nullptr)
    {
        return place<false, place_output, R, I>(temporary, bytes, in, {value, index}, n, stream);
    }
    template <typename IN, typename R, typename I, typename N>
    static cudaError_t ArgMax(void *temporary, size_t &bytes, IN in, R *value, I *index, N n,
                              cudaStream_t stream = nullptr)
    {
        return place<true, place_output, R, I>(temporary, bytes, in, {value, index}, n, stream);
    }
    template <typename IN, typename OUT, typename N>
    static cudaError_t ArgMin(void *temporary, size_t &bytes, IN in, OUT out, N n,
                              cudaStream_t stream = nullptr)
    {
        return place<false, pair_output, OUT, typename value_of_output<OUT, void>::type>(
            temporary, bytes, in, {out}, n, stream);
    }
    template <typename IN, typename OUT, typename N>
    static cudaError_t ArgMax(void *temporary, size_t &bytes, IN in, OUT out, N n,
                              cudaStream_t stream = nullptr)
    {
        return place<true, pair_output, OUT, typename value_of_output<OUT, void>::type>(
            temporary, bytes, in, {out}, n, stream);
    }

  private:
    // Returns false if no launch follows: in the first phase or after an error.
    static bool is_second_phase(void *temporary, size_t &bytes, cudaError_t *result)
    {
        if (temporary == nullptr)
            bytes = TEMPORARY_BYTES;
        *result = bytes < TEMPORARY_BYTES ? cudaErrorInvalidValue : cudaSuccess;
        return temporary != nullptr && *result == cudaSuccess;
    }
    template <bool HAS_INIT, typename V, typename IN, typename OUT, typename N, typename OP>
    static cudaError_t generic(void *temporary, size_t &bytes, IN in, OUT out, N n, OP op,
                               const V &init, cudaStream_t stream)
    {
        cudaError_t result;
        if (!is_second_phase(temporary, bytes, &result))
            return result;
        return reduce_by<LIST, V, HAS_INIT>(in_use().load(), in, (size_t)n, out, op, init,
                                            aligned(temporary), false, stream, nullptr);
    }
    template <typename OP, typename V, typename IN, typename OUT, typename N>
    static cudaError_t shipped(void *temporary, size_t &bytes, IN in, OUT out, N n,
                               cudaStream_t stream)
    {
        if constexpr (is_plain<OP, IN, OUT>()) {
            cudaError_t result;
            if (!is_second_phase(temporary, bytes, &result))
                return result;
            void *const workspace = aligned(temporary);
            void *state = nullptr;
            reduce_plan<OP, input_value<IN>> plan;
            result = plan_reduce<OP, input_value<IN>, LIST>(in_use().load(), (size_t)n, &plan);
            if (result == cudaSuccess)
                result = state_for(plan.plan, workspace, stream, &state);
            return result == cudaSuccess
                       ? run_plan(plan.plan, in, (size_t)n, alignof(input_value<IN>), out,
                                  workspace, stream, state)
                       : result;
        } else {
            return generic<!is_shipped<OP>>(temporary, bytes, in, out, n, OP(), V(), stream);
        }
    }
    template <bool MAXIMUM, template <typename, typename, typename> class OUTPUT, typename A,
              typename B, typename IN, typename N>
    static cudaError_t place(void *temporary, size_t &bytes, IN in,
                             const OUTPUT<typename placing<MAXIMUM, IN>::how, A, B> &out, N n,
                             cudaStream_t stream)
    {
        typedef placing<MAXIMUM, IN> placing;
        cudaError_t result;
        if (!is_second_phase(temporary, bytes, &result))
            return result;
        return reduce_any<typename placing::how, LIST, typename placing::of, typename placing::as>(
            in_use().load(), in, (size_t)n, {placing::as::made(in).of}, out, aligned(temporary),
            false, stream, nullptr);
    }
};

template <typename LIST> struct device_segmented_reduce {
    /* Each function is called twice, as in CUB; one byte is requested and none is used. A common
     * length of all segments may replace the offsets. */
    template <typename IN, typename OUT, typename BEGIN, typename END>
    static cudaError_t Sum(void *temporary, size_t &bytes, IN in, OUT out, long long segments,
                           BEGIN begin, END end, cudaStream_t stream = nullptr)
    {
        typedef sum_type<IN, OUT> V;
        return each<true>(temporary, bytes, in, out, segments, begin, end, sum_of<V>(), V(),
                          stream);
    }
    template <typename IN, typename OUT>
    static cudaError_t Sum(void *temporary, size_t &bytes, IN in, OUT out, long long segments,
                           int length, cudaStream_t stream = nullptr)
    {
        return Sum(temporary, bytes, in, out, segments, stepped{length, 0}, stepped{length, length},
                   stream);
    }
    template <typename IN, typename OUT, typename BEGIN, typename END>
    static cudaError_t Min(void *temporary, size_t &bytes, IN in, OUT out, long long segments,
                           BEGIN begin, END end, cudaStream_t stream = nullptr)
    {
        return each<false>(temporary, bytes, in, out, segments, begin, end, minimum(),
                           extreme_type<IN>(), stream);
    }
    template <typename IN, typename OUT, typename BEGIN, typename END>
    static cudaError_t Max(void *temporary, size_t &bytes, IN in, OUT out, long long segments,
                           BEGIN begin, END end, cudaStream_t stream = nullptr)
    {
        return each<false>(temporary, bytes, in, out, segments, begin, end, maximum(),
                           extreme_type<IN>(), stream);
    }
    template <typename IN, typename OUT, typename BEGIN, typename END, typename OP, typename INIT>
    static cudaError_t Reduce(void *temporary, size_t &bytes, IN in, OUT out, long long segments,
                              BEGIN begin, END end, OP op, INIT init, cudaStream_t stream = nullptr)
    {
        return each<true>(temporary, bytes, in, out, segments, begin, end, op,
                          (init_type<INIT, IN>)init, stream);
    }
    /* Outputs are structs with members key, counted from the segment's beginning, and value. */
    template <typename IN, typename OUT, typename BEGIN, typename END>
    static cudaError_t ArgMin(void *temporary, size_t &bytes, IN in, OUT out, long long segments,
                              BEGIN begin, END end, cudaStream_t stream = nullptr)
    {
        return place<false>(temporary, bytes, in, out, segments, begin, end, stream);
    }
    template <typename IN, typename OUT, typename BEGIN, typename END>
    static cudaError_t ArgMax(void *temporary, size_t &bytes, IN in, OUT out, long long segments,
                              BEGIN begin, END end, cudaStream_t stream = nullptr)
    {
        return place<true>(temporary, bytes, in, out, segments, begin, end, stream);
    }

  private:
    template <bool HAS_INIT, typename IN, typename OUT, typename BEGIN, typename END, typename OP,
              typename V>
    static cudaError_t each(void *temporary, size_t &bytes, IN in, OUT out, long long segments,
                            BEGIN begin, END end, OP op, const V &init, cudaStream_t stream)
    {
        if (temporary == nullptr) {
            bytes = 1;
            return cudaSuccess;
        }
        size_t length = 0;
        if constexpr (std::is_same_v<BEGIN, stepped>)
            length = (size_t)begin.step;
        return segments_by<LIST, V, HAS_INIT>(in_use().load(), in, (size_t)segments, begin, end,
                                              length, out, op, init, stream, nullptr);
    }
    template <bool MAXIMUM, typename IN, typename OUT, typename BEGIN, typename END>
    static cudaError_t place(void *temporary, size_t &bytes, IN in, OUT out, long long segments,
                             BEGIN begin, END end, cudaStream_t stream)
    {
        typedef placing<MAXIMUM, IN> placing;
        typedef typename placing::as as;
        if (temporary == nullptr) {
            bytes = 1;
            return cudaSuccess;
        }
        const pair_output<typename placing::how, OUT, typename value_of_output<OUT, void>::type>
            to = {out};
        const typename placing::of of = {as::made(in).of};
        return segments_any<typename placing::how, LIST, typename placing::of, as>(
            in_use().load(), in, (size_t)segments, begin, end, 0, of, to, stream, nullptr);
    }
};

} // namespace calls

/* Sets the tuned.conf of DeviceReduce and DeviceSegmentedReduce for the whole program. The object
 * must stay loaded until the last call. NULL, the initial state: defaults only. Any thread may
 * call. */
inline void use(const struct tuned *tuned)
{
    calls::in_use().store(tuned);
}

using DeviceReduce = calls::device_reduce<calls::own_list>;
using DeviceSegmentedReduce = calls::device_segmented_reduce<calls::own_list>;

} // namespace tune

#endif
