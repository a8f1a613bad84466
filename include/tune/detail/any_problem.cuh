// Reductions of any input by any operator: from parameters to kernels. Internal to tune/reduce.cuh.
#ifndef TUNE_CALLS_ANY_PROBLEM
#define TUNE_CALLS_ANY_PROBLEM

#include "input.cuh"
#include "reduce_problem.cuh"
#include "temporary.cuh"

namespace tune
{
namespace calls
{

// A sum of floats with as many bytes in total and per load stands in, since no experiment covers
// these.
constexpr key_text stand_in_key = make_key("reduce", "sum", ".", "f32");
enum : int { STAND_IN_BYTES = 4 };

// Returns n as a number of the stand-in's elements, rounded up.
constexpr long long stand_in_n(size_t n, size_t bytes)
{
    const long long most = LLONG_MAX / 256;
    return (long long)n < most ? ((long long)n * (long long)bytes + 3) / STAND_IN_BYTES : most;
}

// Returns the elements per load. BYTES: size of an element; PACKED: loads of several elements.
template <int BYTES, bool PACKED> constexpr int packed_count(int count)
{
    const int fitting = count * STAND_IN_BYTES / BYTES;
    return !PACKED || count == 1 || fitting < 1 ? 1 : fitting;
}

template <typename OP, typename IN, int BYTES, bool PACKED>
struct any_problem : reduce_family<OP, IN> {
    typedef reduce_parameters P;
    typedef reduce_family<OP, IN> family;
    typedef typename family::operation::accumulator accumulator;
    using family::fields;
    static constexpr key_text key = stand_in_key;

    static constexpr bool read_line(std::string_view line, configuration &out)
    {
        if (!take_key(line, key.view()))
            return false;
        out = read_configuration(fields(), line);
        complete(out);
        return true;
    }

    // Adapts the stand-in's configuration. Steps for numbers of 4 and 8 bytes are replaced by
    // general ones.
    static constexpr void complete(configuration &of)
    {
        if (first_wrong(fields(), of) >= 0)
            return;
        int &count = of.value[P::COUNT], &loads = of.value[P::LOADS];
        const int elements = packed_count<BYTES, true>(count), most = PACKED ? 64 : 32;
        count = packed_count<BYTES, PACKED>(count);
        if (!PACKED)
            loads *= elements;
        if (loads * count > most)
            loads = most / count;
        if (of.value[P::VARIANT] == word(P::BULK))
            of.value[P::BLOCKS_PER_SM] = word(0); // as many as fit: a block keeps no ring of loads
        if (of.value[P::VARIANT] == word(P::ATOMIC) || of.value[P::VARIANT] == word(P::BULK))
            of.value[P::VARIANT] = word(P::FLAGGED_LAST);
        if (of.value[P::MAP] == word((int)tune::map::queue))
            of.value[P::MAP] = word((int)tune::map::strided);
        const int step = word(of.value[P::STEP]), bytes = (int)sizeof(accumulator);
        const bool in_array = step == (int)tune::step::tree || step == (int)tune::step::warp_tail ||
                              step == (int)tune::step::gather;
        if (step == (int)tune::step::redux || (in_array && bytes > 16))
            of.value[P::STEP] = word((int)tune::step::shuffle);
        of.value[P::STAGES] = 0;
        if (bytes > 8)
            of.value[P::MIN_BLOCKS] = 1; // no registers for more
    }

    static constexpr int default_count = 2;
    static constexpr configuration default_configuration(int index)
    {
        configuration out = reduce_problem<sum, f32>::default_configuration(index);
        complete(out);
        return out;
    }
    static constexpr int default_of(long long n)
    {
        return reduce_problem<sum, f32>::default_of(n);
    }
    // Larger values may leave fewer resident blocks than the stand-in has.
    static long long most_blocks(const configuration &of, int sm_count, int resident)
    {
        configuration fitting = of;
        int &wanted = fitting.value[P::BLOCKS_PER_SM];
        if (wanted > resident)
            wanted = resident;
        return family::most_blocks(fitting, sm_count, resident);
    }
    static constexpr bool can_be(const configuration &of)
    {
        configuration plain = of;
        plain.value[P::COUNT] = 1; // a count of 1 is valid for every size
        return reduce_problem<sum, f32>::can_be(plain);
    }
};

// Chooses and launches for `n` elements of `in`, read as AS (input_as) says.
template <typename HOW, typename LIST, typename OF, typename AS, typename IN, typename OUT>
cudaError_t reduce_any(const configured_by &by, const IN &in, size_t n, const OF &of,
                       const OUT &out, void *workspace, bool is_prepared, cudaStream_t stream,
                       choice *why)
{
    typedef any_input<typename AS::AT, typename AS::E, OF, AS::packed> input;
    typedef any_operation<HOW, OUT> operation;
    typedef any_problem<operation, input, (int)sizeof(typename AS::E), AS::packed> problem;
    if (n > (size_t)LLONG_MAX || !AS::is_well(in, n))
        return cudaErrorInvalidValue;
    const long long looked_up = stand_in_n(n, AS::bytes);
    const question question = {
        problem::key.view(), looked_up, problem::default_of(looked_up), -1, -1, true};
    made_plan made;
    void *state = nullptr;
    cudaError_t result = make_plan<problem, LIST>(by, question, &made, why);
    if (result == cudaSuccess && !is_prepared)
        result = state_for(made.plan, workspace, stream, &state);
    input arguments = {AS::made(in).at, of};
    OUT to = out;
    return result == cudaSuccess ? run_on(made.plan, &arguments, n, &to, workspace, stream, state)
                                 : result;
}

// Reduces by an operator on values V.
template <typename LIST, typename V, bool HAS_INIT, typename IN, typename OUT, typename OP>
cudaError_t reduce_by(const configured_by &by, const IN &in, size_t n, const OUT &out, const OP &op,
                      const V &init, void *workspace, bool is_prepared, cudaStream_t stream,
                      choice *why)
{
    typedef input_as<IN> as;
    typedef combining<OP, V> combining;
    typedef typename combining::how how;
    if (is_nowhere(out))
        return cudaErrorInvalidValue;
    const value_output<how, OUT, typename value_of_output<OUT, V>::type, HAS_INIT> to = {
        out, combining::init(init, op)};
    typedef typename combining::template of<typename as::OF> of;
    return reduce_any<how, LIST, of, as>(by, in, n, combining::with(as::made(in).of, op), to,
                                         workspace, is_prepared, stream, why);
}

// Finds the place of an extreme. K: type for comparisons.
template <bool MAXIMUM, typename IN> struct placing {
    typedef input_as<IN> as;
    typedef typename element_of<typename widened_type<typename as::VALUE>::type>::type K;
    typedef with_place<MAXIMUM, K, typename as::OF> of;
    typedef by_place<MAXIMUM, K> how;
};

template <bool MAXIMUM, typename LIST, typename IN, typename R, typename I>
cudaError_t place_of(const configured_by &by, const IN &in, size_t n, R *value, I *index,
                     void *workspace, bool is_prepared, cudaStream_t stream, choice *why)
{
    typedef placing<MAXIMUM, IN> placing;
    typedef typename placing::as as;
    const place_output<typename placing::how, R, I> to = {value, index};
    return reduce_any<typename placing::how, LIST, typename placing::of, as>(
        by, in, n, {as::made(in).of}, to, workspace, is_prepared, stream, why);
}

} // namespace calls
} // namespace tune

#endif
