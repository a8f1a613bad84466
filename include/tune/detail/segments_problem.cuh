// Segments of an input: from parameters to the kernel. Internal to tune/reduce.cuh.
#ifndef TUNE_CALLS_SEGMENTS_PROBLEM
#define TUNE_CALLS_SEGMENTS_PROBLEM

#include "any_problem.cuh"

namespace tune
{
namespace calls
{

// Parameters of configs/reduce_segments.yaml: sums of floats of the nearest length in bytes,
// which stand in for other operators and elements.
struct segments_parameters {
    enum : int { BLOCK, VECTOR, LOADS, LANES, WAVES, FIELDS };
    static constexpr field fields[FIELDS] = {
        {"block", "", true, role::kernel, MISSING},
        {"vector", "", true, role::kernel, MISSING},
        {"loads", "", true, role::kernel, MISSING},
        {"lanes", "", true, role::launch, 32}, // lanes per segment: of a warp, or more for a block
        {"waves", "", true, role::launch, 4},  // blocks, in multiples of the resident ones
    };
};

template <typename OP, typename IN, int BYTES, bool PACKED, typename BEGIN, typename END>
struct segments_problem {
    typedef segments_parameters P;
    static constexpr long long blocks_most = 0; // results do not depend on the number of blocks
    static constexpr std::string_view key = "reduce_segments.sum_f32";
    static constexpr int lengths[] = {8, 32, 128, 1024, 8192};
    static constexpr field_list fields()
    {
        return {P::fields, P::FIELDS};
    }
    static constexpr bool read_line(std::string_view line, configuration &out)
    {
        std::string_view rest = line, own = take_until(rest, ' ');
        if (own.size() <= key.size() + 1 || own.substr(0, key.size()) != key)
            return false;
        out = read_configuration(fields(), rest);
        complete(out);
        return true;
    }
    static constexpr void complete(configuration &of)
    {
        int &count = of.value[P::VECTOR], &loads = of.value[P::LOADS];
        if (first_wrong(fields(), of) >= 0)
            return;
        if (!PACKED) // keeps the bytes in flight
            loads *= packed_count<BYTES, true>(count);
        if (loads > 32)
            loads = 32;
        count = packed_count<BYTES, PACKED>(count);
    }

    // Defaults: a warp or a block per segment.
    static constexpr int default_count = 2;
    static constexpr configuration default_configuration(int index)
    {
        configuration out = unread(fields());
        out.value[P::BLOCK] = 256;
        out.value[P::VECTOR] = 4;
        out.value[P::LOADS] = PACKED ? 4 : 2;
        out.value[P::LANES] = index == 0 ? (int)WARP : 256;
        complete(out);
        return out;
    }
    static constexpr bool can_be(const configuration &of)
    {
        const int block = of.value[P::BLOCK], count = of.value[P::VECTOR];
        const int loads = of.value[P::LOADS];
        return first_wrong(fields(), of) < 0 && block >= 32 && block <= 1024 && block % 32 == 0 &&
               loads >= 1 && loads <= 32 && of.value[P::WAVES] >= 1 && of.value[P::WAVES] <= 64 &&
               (count == 1 || (count * BYTES <= 16 && 16 % (count * BYTES) == 0));
    }
    template <typename C> static instance make()
    {
        constexpr configuration of = C::of;
        typedef policy<of.value[P::BLOCK], of.value[P::VECTOR], of.value[P::LOADS], 1,
                       step::shuffle, cache::no_allocate, map::strided>
            policy;
        instance out = {};
        out.parameters = of;
        out.kernel = TUNE_KERNEL(reduce_segments<OP, IN, policy, BEGIN, END>);
        out.tile = 1; // segments; a block may take several
        out.n_most = LLONG_MAX;
        out.block = of.value[P::BLOCK];
        out.cluster = 1;
        out.capability = 70;
        return out;
    }
    static long long most_blocks(const configuration &of, int sm_count, int resident)
    {
        const int waves = of.value[P::WAVES];
        return (long long)sm_count * resident * (waves >= 1 && waves <= 64 ? waves : 4);
    }
};

// Chooses and launches. `length`: approximate length of segments; 0: unknown, then the default
// is a block per segment for few segments, else a warp.
template <typename HOW, typename LIST, typename OF, typename AS, typename IN, typename BEGIN,
          typename END, typename OUT>
cudaError_t segments_any(const configured_by &by, const IN &in, size_t segments, BEGIN begin,
                         END end, size_t length, const OF &of, const OUT &out, cudaStream_t stream,
                         choice *why)
{
    typedef any_input<typename AS::AT, typename AS::E, OF, AS::packed> input;
    typedef any_operation<HOW, OUT> operation;
    typedef segments_problem<operation, input, (int)sizeof(typename AS::E), AS::packed, BEGIN, END>
        problem;
    enum : int {
        FEW = 1024,
        SHORT_MAX = 4096
    }; // number of segments; elements that a warp takes alone
    if (segments > (size_t)LLONG_MAX || !AS::is_well(in, 0))
        return cudaErrorInvalidValue;
    if (segments == 0)
        return cudaSuccess;
    const long long words = stand_in_n(length, AS::bytes);
    int nearest = problem::lengths[0];
    for (const int each : problem::lengths) // nearest by ratio
        if (words > (1 << 20) || words * words > (long long)nearest * each)
            nearest = each;
    const bool is_own = std::is_same_v<HOW, by_shipped<sum, f32>> &&
                        std::is_same_v<typename AS::E, f32> && std::is_same_v<OF, as_it_is>;
    const bool by_blocks = length == 0 ? segments < FEW : length > SHORT_MAX;
    const question question = {length == 0 ? std::string_view() : problem::key,
                               (long long)segments,
                               by_blocks,
                               nearest,
                               -1,
                               !is_own};
    made_plan of_all;
    const cudaError_t result = make_plan<problem, LIST>(by, question, &of_all, why);
    if (result != cudaSuccess)
        return result;
    const plan &made = of_all.plan;
    const bool a_block_each = of_all.launched.value[segments_parameters::LANES] > (int)WARP;
    int together = a_block_each ? 1 : (int)(made.block / WARP);
    long long count = (long long)segments, short_max = a_block_each ? 256 : (long long)SHORT_MAX;
    const unsigned long long groups = (segments + (size_t)together - 1) / (size_t)together;
    const unsigned int grid = groups < made.most_blocks ? (unsigned int)groups : made.most_blocks;
    input arguments = {AS::made(in).at, of};
    OUT to = out;
    void *pointers[] = {&arguments, &to, &begin, &end, &count, &together, &short_max};
    return launch(made.kernel, grid, made.block, 0, false, pointers, stream);
}

// Reduces segments by an operator on values V.
template <typename LIST, typename V, bool HAS_INIT, typename IN, typename BEGIN, typename END,
          typename OUT, typename OP>
cudaError_t segments_by(const configured_by &by, const IN &in, size_t segments, const BEGIN &begin,
                        const END &end, size_t length, const OUT &out, const OP &op, const V &init,
                        cudaStream_t stream, choice *why)
{
    typedef input_as<IN> as;
    typedef combining<OP, V> combining;
    typedef typename combining::how how;
    if (is_nowhere(out) && segments > 0)
        return cudaErrorInvalidValue;
    const value_output<how, OUT, typename value_of_output<OUT, V>::type, HAS_INIT> to = {
        out, combining::init(init, op)};
    typedef typename combining::template of<typename as::OF> of;
    return segments_any<how, LIST, of, as>(by, in, segments, begin, end, length,
                                           combining::with(as::made(in).of, op), to, stream, why);
}

} // namespace calls
} // namespace tune

#endif
