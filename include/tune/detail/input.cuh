// Inputs and operators of callers, adapted to the kernels. Part of tune/reduce.cuh.
#ifndef TUNE_CALLS_INPUT
#define TUNE_CALLS_INPUT

#include "element.cuh"

namespace tune
{

/* ---- inputs: a pointer to elements on the device, one of these, or any iterator with a value_type
 * that device code may index (of Thrust, CUB, libcu++) ---- */

/* Input f(in[0]), f(in[1]) ... f runs on the device and may have members. The result type of a
 * lambda that is __device__ only must be given: transformed<float>(in, f). */
template <typename IN, typename F, typename VALUE> struct transformed_input {
    IN in;
    F call;
    typedef VALUE value_type;
    __device__ VALUE operator[](long long at) const
    {
        F own = call;
        return own(in[at]);
    }
};

/* first, first + 1 ... */
struct counting {
    long long first = 0;
    typedef long long value_type;
    __host__ __device__ long long operator[](long long at) const
    {
        return first + at;
    }
};

/* Input of equal elements. */
template <typename V> struct constant {
    V value;
    typedef V value_type;
    __host__ __device__ V operator[](long long) const
    {
        return value;
    }
};
template <typename V> constant(V) -> constant<V>;

namespace calls
{

struct deduced {
};

template <typename IN> struct value_of_input {
    typedef typename IN::value_type type;
};
template <typename T> struct value_of_input<T *> {
    typedef std::remove_cv_t<T> type;
};
template <typename IN> using input_value = typename value_of_input<std::decay_t<IN>>::type;

#ifdef __CUDACC_EXTENDED_LAMBDA__
#define TUNE_IS_DEVICE_LAMBDA(F) __nv_is_extended_device_lambda_closure_type(F)
#else
#define TUNE_IS_DEVICE_LAMBDA(F) false
#endif
template <typename VALUE, typename F, typename E> struct given_by {
    typedef VALUE type;
};
template <typename F, typename E> struct given_by<deduced, F, E> {
    static_assert(!TUNE_IS_DEVICE_LAMBDA(F),
                  "what a __device__ lambda gives is not known to the host: say it, "
                  "transformed<float>(in, f)");
    typedef std::decay_t<std::invoke_result_t<F &, E>> type;
};

} // namespace calls

template <typename VALUE = calls::deduced, typename IN, typename F> auto transformed(IN in, F f)
{
    typedef typename calls::given_by<VALUE, F, calls::input_value<IN>>::type value;
    return transformed_input<std::decay_t<IN>, F, value>{in, f};
}

/* Makes an input f(0), f(1) ..., for example of several arrays, with a functor f that has their
 * pointers. */
template <typename VALUE = calls::deduced, typename F> auto indexed(F f)
{
    return transformed<VALUE>(counting(), f);
}

namespace calls
{

// Condition for loads of whole packs from a pointer: elements of 1, 2, 4 or 8 bytes, aligned to
// their size.
template <typename E>
constexpr bool is_packed = sizeof(E) <= 8 && (sizeof(E) & (sizeof(E) - 1)) == 0 &&
                           alignof(E) == sizeof(E) && std::is_trivially_destructible_v<E>;

// Properties of an input. AT, E, OF, PACKED: as in any_input. VALUE: type of the input's
// elements.
template <typename IN> struct input_as {
    typedef input_value<IN> E;
    typedef E VALUE;
    typedef IN AT;
    typedef as_it_is OF;
    static constexpr bool packed = false;
    static constexpr size_t bytes = sizeof(E);
    static any_input<AT, E, OF, packed> made(const IN &in)
    {
        return {in, {}};
    }
    static bool is_well(const IN &, size_t)
    {
        return true;
    }
};
template <typename T> struct input_as<T *> {
    typedef std::remove_cv_t<T> E;
    typedef E VALUE;
    typedef const E *AT;
    typedef as_it_is OF;
    static constexpr bool packed = is_packed<E>;
    static constexpr size_t bytes = sizeof(E);
    static any_input<AT, E, OF, packed> made(const E *in)
    {
        return {in, {}};
    }
    static bool is_well(const E *in, size_t n)
    {
        return (in != nullptr || n == 0) && (uintptr_t)in % alignof(E) == 0;
    }
};
template <typename T, typename F, typename V> struct input_as<transformed_input<T *, F, V>> {
    typedef std::remove_cv_t<T> E;
    typedef V VALUE;
    typedef const E *AT;
    typedef through_call<F> OF;
    static constexpr bool packed = is_packed<E>;
    static constexpr size_t bytes = sizeof(E);
    static any_input<AT, E, OF, packed> made(const transformed_input<T *, F, V> &from)
    {
        return {from.in, {from.call}};
    }
    static bool is_well(const transformed_input<T *, F, V> &from, size_t n)
    {
        return input_as<T *>::is_well(from.in, n);
    }
};

// Halves are combined as floats, integers below 4 bytes as int or unsigned int.
template <typename T> struct widened_type {
    typedef T type;
};
template <> struct widened_type<f16> {
    typedef float type;
};
template <> struct widened_type<bf16> : widened_type<f16> {
};
template <> struct widened_type<__half> : widened_type<f16> {
};
template <> struct widened_type<__nv_bfloat16> : widened_type<f16> {
};

template <typename A, typename B, typename = void> struct accumulated {
    typedef A type; // type of the initial value
};
template <typename A, typename B>
struct accumulated<A, B, std::enable_if_t<std::is_arithmetic_v<A> && std::is_arithmetic_v<B>>> {
    typedef decltype(A() + B()) type;
};
template <typename INIT, typename VALUE>
using accumulator_for = typename accumulated<typename widened_type<INIT>::type,
                                             typename widened_type<VALUE>::type>::type;

template <typename OP>
constexpr bool is_shipped = std::is_same_v<OP, sum> || std::is_same_v<OP, product> ||
                            std::is_same_v<OP, minimum> || std::is_same_v<OP, maximum>;

// Combination of values V by OP: the elements' operation (`of`, after the input's own) and the
// initial value.
template <typename OP, typename V, bool SHIPPED = is_shipped<OP>, bool EMPTY = std::is_empty_v<OP>>
struct combining {
    static_assert(std::is_trivially_destructible_v<V> && sizeof(V) + sizeof(OP) <= 256,
                  "values may be copied by their bytes, of which there are up to 256");
    typedef by_carried<OP, V> how;
    template <typename OF> using of = with_call<V, OF, OP>;
    template <typename OF> static of<OF> with(const OF &of, const OP &op)
    {
        return {of, op};
    }
    static carried<V, OP> init(const V &value, const OP &op)
    {
        return {value, op};
    }
};
template <typename OP, typename V> struct combining<OP, V, false, true> {
    static_assert(std::is_trivially_destructible_v<V> && sizeof(V) <= 256,
                  "values may be copied by their bytes, of which there are up to 256");
    typedef by_call<OP, V> how;
    template <typename OF> using of = OF;
    template <typename OF> static OF with(const OF &of, const OP &)
    {
        return of;
    }
    static V init(const V &value, const OP &)
    {
        return value;
    }
};
template <typename OP, typename V, bool EMPTY> struct combining<OP, V, true, EMPTY> {
    static_assert(std::is_arithmetic_v<V>,
                  "tune::sum, product, minimum and maximum are of numbers: give an operator");
    typedef typename element_of<V>::type value;
    typedef by_shipped<OP, value> how;
    template <typename OF> using of = OF;
    template <typename OF> static OF with(const OF &of, const OP &)
    {
        return of;
    }
    static value init(const V &value_of, const OP &)
    {
        return (value)value_of;
    }
};

// Value type of an output; iterators without one take every value.
template <typename OUT, typename V, typename = void> struct value_of_output {
    typedef V type;
};
template <typename T, typename V> struct value_of_output<T *, V, void> {
    typedef T type;
};
template <typename OUT, typename V>
struct value_of_output<OUT, V, std::enable_if_t<!std::is_void_v<typename OUT::value_type>>> {
    typedef typename OUT::value_type type;
};
template <typename OUT> bool is_nowhere(const OUT &out)
{
    if constexpr (std::is_pointer_v<OUT>)
        return out == nullptr;
    else
        return false;
}

} // namespace calls
} // namespace tune

#endif
