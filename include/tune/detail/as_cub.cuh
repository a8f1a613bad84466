// The calls as CUB has them: cub::DeviceReduce::Sum(...) becomes tune::DeviceReduce::Sum(...). Part
// of tune/reduce.cuh.
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

enum : size_t { TEMPORARY_BYTES = WORKSPACE_BYTES + alignof(slot) };

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

// Whether it is what experiments tune: plain numbers, with the result that they have.
template <typename OP, typename IN, typename R> constexpr bool is_plain()
{
    typedef input_value<IN> T;
    if constexpr (std::is_pointer_v<IN> && is_number<T>)
        return std::is_same_v<reduce_result_t<OP, T>, R>;
    else
        return false;
}

// Offsets of segments that are equally long.
struct stepped {
    long long step, first;
    __host__ __device__ long long operator[](long long at) const
    {
        return first + at * step;
    }
};

template <typename LIST> struct device_reduce {
    /* Each is called twice: with `temporary` NULL it says in `bytes` how much of it is needed (some
     * 256 KiB, whatever n is), launches nothing and looks at nothing else; then with that memory,
     * which need not be zeroed nor kept. What a launch needs zeroed of it is zeroed on the stream
     * first; a workspace that is kept, and tune::reduce, need not have that. */
    template <typename IN, typename R, typename N>
    static cudaError_t Sum(void *temporary, size_t &bytes, IN in, R *out, N n,
                           cudaStream_t stream = nullptr)
    {
        typedef accumulator_for<R, typename input_as<IN>::VALUE> V;
        typedef std::conditional_t<std::is_arithmetic_v<V>, sum, added> op;
        return shipped<op, V>(temporary, bytes, in, out, n, stream, R());
    }
    template <typename IN, typename R, typename N>
    static cudaError_t Min(void *temporary, size_t &bytes, IN in, R *out, N n,
                           cudaStream_t stream = nullptr)
    {
        return extreme<minimum>(temporary, bytes, in, out, n, stream);
    }
    template <typename IN, typename R, typename N>
    static cudaError_t Max(void *temporary, size_t &bytes, IN in, R *out, N n,
                           cudaStream_t stream = nullptr)
    {
        return extreme<maximum>(temporary, bytes, in, out, n, stream);
    }
    template <typename IN, typename R, typename N, typename OP, typename INIT>
    static cudaError_t Reduce(void *temporary, size_t &bytes, IN in, R *out, N n, OP, INIT init,
                              cudaStream_t stream = nullptr)
    {
        typedef accumulator_for<INIT, typename input_as<IN>::VALUE> V;
        return generic<OP, V, true>(temporary, bytes, in, out, n, stream, (V)init);
    }
    template <typename IN, typename R, typename N, typename OP, typename F, typename INIT>
    static cudaError_t TransformReduce(void *temporary, size_t &bytes, IN in, R *out, N n, OP op,
                                       F f, INIT init, cudaStream_t stream = nullptr)
    {
        return Reduce(temporary, bytes, transformed(in, f), out, n, op, init, stream);
    }
    /* To a value and its index, or (CUB's older ones) to a struct with members key and value. */
    template <typename IN, typename R, typename I, typename N>
    static cudaError_t ArgMin(void *temporary, size_t &bytes, IN in, R *value, I *index, N n,
                              cudaStream_t stream = nullptr)
    {
        return place<false>(temporary, bytes, in, value, index, n, stream);
    }
    template <typename IN, typename R, typename I, typename N>
    static cudaError_t ArgMax(void *temporary, size_t &bytes, IN in, R *value, I *index, N n,
                              cudaStream_t stream = nullptr)
    {
        return place<true>(temporary, bytes, in, value, index, n, stream);
    }
    template <typename IN, typename PAIR, typename N>
    static cudaError_t ArgMin(void *temporary, size_t &bytes, IN in, PAIR *out, N n,
                              cudaStream_t stream = nullptr)
    {
        return place<false>(temporary, bytes, in, &out->value, &out->key, n, stream);
    }
    template <typename IN, typename PAIR, typename N>
    static cudaError_t ArgMax(void *temporary, size_t &bytes, IN in, PAIR *out, N n,
                              cudaStream_t stream = nullptr)
    {
        return place<true>(temporary, bytes, in, &out->value, &out->key, n, stream);
    }

  private:
    // False: nothing is to be launched, in the first phase or because of an error.
    static bool is_second_phase(void *temporary, size_t &bytes, cudaError_t *result)
    {
        if (temporary == nullptr)
            bytes = TEMPORARY_BYTES;
        *result = bytes < TEMPORARY_BYTES ? cudaErrorInvalidValue : cudaSuccess;
        return temporary != nullptr && *result == cudaSuccess;
    }
    template <typename OP, typename V, bool HAS_INIT, typename IN, typename R, typename N>
    static cudaError_t generic(void *temporary, size_t &bytes, IN in, R *out, N n,
                               cudaStream_t stream, const V &init)
    {
        typedef input_as<IN> as;
        typedef typename combining<OP, V>::how how;
        cudaError_t result;
        if (!is_second_phase(temporary, bytes, &result))
            return result;
        if (out == nullptr)
            return cudaErrorInvalidValue;
        const value_output<how, R, HAS_INIT> to = {out, (typename combining<OP, V>::value)init};
        return reduce_any<how, LIST, typename as::OF, as>(in_use().load(), in, (size_t)n,
                                                          as::made(in).of, to, aligned(temporary),
                                                          false, stream, nullptr);
    }
    template <typename OP, typename V, typename IN, typename R, typename N>
    static cudaError_t shipped(void *temporary, size_t &bytes, IN in, R *out, N n,
                               cudaStream_t stream, const V &init)
    {
        if constexpr (is_plain<OP, IN, R>()) {
            typedef input_value<IN> T;
            cudaError_t result;
            if (!is_second_phase(temporary, bytes, &result))
                return result;
            reduce_plan<OP, T> plan;
            result = plan_reduce<OP, T, LIST>(in_use().load(), (size_t)n, &plan);
            if (result == cudaSuccess)
                result = prepare_for(plan.plan, (size_t)n, aligned(temporary), stream);
            return result == cudaSuccess ? plan.run(in, (size_t)n, out, aligned(temporary), stream)
                                         : result;
        } else {
            return generic<OP, V, !is_shipped<OP>>(temporary, bytes, in, out, n, stream, init);
        }
    }
    template <typename OP, typename IN, typename R, typename N>
    static cudaError_t extreme(void *temporary, size_t &bytes, IN in, R *out, N n,
                               cudaStream_t stream)
    {
        typedef typename widened_type<typename input_as<IN>::VALUE>::type V;
        return shipped<OP, V>(temporary, bytes, in, out, n, stream, V());
    }
    template <bool MAXIMUM, typename IN, typename R, typename I, typename N>
    static cudaError_t place(void *temporary, size_t &bytes, IN in, R *value, I *index, N n,
                             cudaStream_t stream)
    {
        cudaError_t result;
        if (!is_second_phase(temporary, bytes, &result))
            return result;
        return place_of<MAXIMUM, LIST>(in_use().load(), in, (size_t)n, value, index,
                                       aligned(temporary), false, stream, nullptr);
    }
};

template <typename LIST> struct device_segmented_reduce {
    /* Called twice as CUB's; no memory is needed, though one byte is asked for. Where the length of
     * all segments is one number, it stands in the place of the offsets. */
    template <typename IN, typename R, typename BEGIN, typename END>
    static cudaError_t Sum(void *temporary, size_t &bytes, IN in, R *out, long long segments,
                           BEGIN begin, END end, cudaStream_t stream = nullptr)
    {
        typedef accumulator_for<R, typename input_as<IN>::VALUE> V;
        typedef std::conditional_t<std::is_arithmetic_v<V>, sum, added> op;
        return of_segments<op, V, true>(temporary, bytes, in, out, segments, begin, end, stream,
                                        V());
    }
    template <typename IN, typename R, typename BEGIN, typename END>
    static cudaError_t Min(void *temporary, size_t &bytes, IN in, R *out, long long segments,
                           BEGIN begin, END end, cudaStream_t stream = nullptr)
    {
        return extreme<minimum>(temporary, bytes, in, out, segments, begin, end, stream);
    }
    template <typename IN, typename R, typename BEGIN, typename END>
    static cudaError_t Max(void *temporary, size_t &bytes, IN in, R *out, long long segments,
                           BEGIN begin, END end, cudaStream_t stream = nullptr)
    {
        return extreme<maximum>(temporary, bytes, in, out, segments, begin, end, stream);
    }
    template <typename IN, typename R, typename BEGIN, typename END, typename OP, typename INIT>
    static cudaError_t Reduce(void *temporary, size_t &bytes, IN in, R *out, long long segments,
                              BEGIN begin, END end, OP, INIT init, cudaStream_t stream = nullptr)
    {
        typedef accumulator_for<INIT, typename input_as<IN>::VALUE> V;
        return of_segments<OP, V, true>(temporary, bytes, in, out, segments, begin, end, stream,
                                        (V)init);
    }
    /* To structs with members key, which counts from the segment's beginning, and value. */
    template <typename IN, typename PAIR, typename BEGIN, typename END>
    static cudaError_t ArgMin(void *temporary, size_t &bytes, IN in, PAIR *out, long long segments,
                              BEGIN begin, END end, cudaStream_t stream = nullptr)
    {
        return places<false>(temporary, bytes, in, out, segments, begin, end, stream);
    }
    template <typename IN, typename PAIR, typename BEGIN, typename END>
    static cudaError_t ArgMax(void *temporary, size_t &bytes, IN in, PAIR *out, long long segments,
                              BEGIN begin, END end, cudaStream_t stream = nullptr)
    {
        return places<true>(temporary, bytes, in, out, segments, begin, end, stream);
    }
    template <typename IN, typename R>
    static cudaError_t Sum(void *temporary, size_t &bytes, IN in, R *out, long long segments,
                           int length, cudaStream_t stream = nullptr)
    {
        return Sum(temporary, bytes, in, out, segments, stepped{length, 0}, stepped{length, length},
                   stream);
    }

  private:
    template <typename OP, typename IN, typename R, typename BEGIN, typename END>
    static cudaError_t extreme(void *temporary, size_t &bytes, IN in, R *out, long long segments,
                               BEGIN begin, END end, cudaStream_t stream)
    {
        typedef typename widened_type<typename input_as<IN>::VALUE>::type V;
        return of_segments<OP, V, false>(temporary, bytes, in, out, segments, begin, end, stream,
                                         V());
    }
    template <typename OP, typename V, bool HAS_INIT, typename IN, typename R, typename BEGIN,
              typename END>
    static cudaError_t of_segments(void *temporary, size_t &bytes, IN in, R *out,
                                   long long segments, BEGIN begin, END end, cudaStream_t stream,
                                   const V &init)
    {
        typedef input_as<IN> as;
        typedef typename combining<OP, V>::how how;
        const value_output<how, R, HAS_INIT> to = {out, (typename combining<OP, V>::value)init};
        return launched<how, as>(temporary, bytes, in, out == nullptr, segments, begin, end,
                                 as::made(in).of, to, stream);
    }
    template <bool MAXIMUM, typename IN, typename PAIR, typename BEGIN, typename END>
    static cudaError_t places(void *temporary, size_t &bytes, IN in, PAIR *out, long long segments,
                              BEGIN begin, END end, cudaStream_t stream)
    {
        typedef placing<MAXIMUM, IN> placing;
        typedef typename placing::as as;
        const pair_output<typename placing::how, PAIR> to = {out};
        const typename placing::of of = {as::made(in).of};
        return launched<typename placing::how, as>(temporary, bytes, in, out == nullptr, segments,
                                                   begin, end, of, to, stream);
    }
    template <typename HOW, typename AS, typename IN, typename BEGIN, typename END, typename OF,
              typename OUT>
    static cudaError_t launched(void *temporary, size_t &bytes, const IN &in, bool is_nowhere,
                                long long segments, BEGIN begin, END end, const OF &of,
                                const OUT &to, cudaStream_t stream)
    {
        size_t length = 0;
        if constexpr (std::is_same_v<BEGIN, stepped>)
            length = (size_t)begin.step;
        if (temporary == nullptr) {
            bytes = 1;
            return cudaSuccess;
        }
        if (segments < 0 || (is_nowhere && segments > 0))
            return cudaErrorInvalidValue;
        return segments_any<HOW, LIST, OF, AS>(in_use().load(), in, (size_t)segments, begin, end,
                                               length, of, to, stream, nullptr);
    }
};

} // namespace calls

/* What the calls below go by, in the whole program: a tuned.conf, which must stay loaded; NULL, as
 * without this call: none. */
inline void use(const struct tuned *tuned)
{
    calls::in_use().store(tuned);
}

using DeviceReduce = calls::device_reduce<calls::own_list>;
using DeviceSegmentedReduce = calls::device_segmented_reduce<calls::own_list>;

} // namespace tune

#endif
