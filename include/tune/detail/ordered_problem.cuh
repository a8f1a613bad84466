// The family reduce_ordered (configs/reduce_ordered.yaml): from parameters to kernels. Internal to
// tune/reduce_ordered.cuh.
#ifndef TUNE_CALLS_ORDERED_PROBLEM
#define TUNE_CALLS_ORDERED_PROBLEM

#include "choose.cuh"
#include "element.cuh"

namespace tune
{
namespace calls
{

struct ordered_parameters {
    enum : int { VARIANT, STEP, COUNT, LOADS, BLOCK, CACHE, MIN_BLOCKS, BLOCKS_PER_SM, FIELDS };
    // In the order of the words below.
    enum : int { ONE_BLOCK, TWO_LAUNCHES, DEPENDENT_LAUNCHES, LAST_BLOCK, FLAGGED, FLAGGED_LAST };
    static constexpr field fields[FIELDS] = {
        {"variant", "one_block two_launches dependent_launches last_block flagged flagged_last",
         false, role::kind, MISSING},
        {"step", "pairs stripes transposed chunks runs rounds", false, role::kernel, MISSING},
        {"count", "", true, role::kernel, MISSING},
        {"loads", "", true, role::kernel, MISSING},
        {"block", "", true, role::kernel, MISSING},
        {"cache", "no_allocate l2_256b streaming evict_first", false, role::kernel, MISSING},
        {"min_blocks", "", true, role::kernel, 1},
        {"blocks_per_sm", "occupancy", true, role::launch, word(0)},
    };
};
static_assert((int)ordered_step::runs == 4 && (int)ordered_step::transposed == 2,
              "the words above are in the order of the enumerators");

constexpr finish ordered_finish_of(int variant)
{
    typedef ordered_parameters P;
    return variant == P::TWO_LAUNCHES         ? finish::two_launches
           : variant == P::DEPENDENT_LAUNCHES ? finish::dependent_launches
           : variant == P::LAST_BLOCK         ? finish::last_block
           : variant == P::FLAGGED            ? finish::flagged
                                              : finish::flagged_last;
}

// Key of an operator: its own, or that of the shipped operator with elements of equal size.
template <typename OP> struct ordered_name {
    static constexpr std::string_view value =
        sizeof(typename OP::element) == 8 ? "affine_u32" : "matrix_u32";
};
template <> struct ordered_name<matrix_f32> {
    static constexpr std::string_view value = "matrix_f32";
};

template <typename OP> struct ordered_problem {
    typedef ordered_parameters P;
    typedef typename OP::element element;
    static constexpr int bytes = (int)sizeof(element);
    static constexpr long long blocks_most = BLOCKS_MAX / (bytes / 8); // limit by the slots' memory
    static_assert(bytes == 8 || bytes == 16, "elements of 8 or 16 bytes");
    static constexpr key_text key = make_key("reduce_ordered", ordered_name<OP>::value);
    static constexpr field_list fields()
    {
        return {P::fields, P::FIELDS};
    }
    static constexpr bool read_line(std::string_view line, configuration &out)
    {
        if (!take_key(line, key.view()))
            return false;
        out = read_configuration(fields(), line);
        return true;
    }
    static constexpr void complete(configuration &)
    {
    }

    // Same defaults as reduce (reduce_problem.cuh).
    static constexpr int default_count = 2;
    static constexpr configuration default_configuration(int index)
    {
        configuration out = unread(fields());
        out.value[P::VARIANT] = word(index == 0 ? P::ONE_BLOCK : P::LAST_BLOCK);
        out.value[P::STEP] = word((int)ordered_step::transposed);
        out.value[P::COUNT] = 16 / bytes;
        out.value[P::LOADS] = 4;
        out.value[P::BLOCK] = 512;
        out.value[P::CACHE] = word((int)cache::no_allocate);
        out.value[P::BLOCKS_PER_SM] = index == 0 ? 1 : word(0);
        return out;
    }
    static constexpr int default_of(long long n)
    {
        return n <= 65536 / bytes ? 0 : 1;
    }

    static constexpr bool can_be(const configuration &of)
    {
        if (first_wrong(fields(), of) >= 0)
            return false;
        const int block = of.value[P::BLOCK], loads = of.value[P::LOADS];
        const int count = of.value[P::COUNT], least = of.value[P::MIN_BLOCKS];
        const int step = word(of.value[P::STEP]);
        if (block < 32 || block > 1024 || block % 32 != 0 || least < 1 || least > 64)
            return false;
        if (loads < 1 || loads > 32 || (count != 1 && count * bytes != 16))
            return false;
        const bool in_powers = step == (int)ordered_step::transposed ||
                               step == (int)ordered_step::rounds ||
                               step == (int)ordered_step::chunks;
        if (in_powers && (loads & (loads - 1)) != 0)
            return false;
        return step != (int)ordered_step::chunks || block * loads * count * bytes <= 49152;
    }

    template <typename C> struct kernels {
        static constexpr configuration of = C::of;
        static constexpr int variant = word(of.value[P::VARIANT]);
        typedef ordered_policy<of.value[P::BLOCK], of.value[P::COUNT], of.value[P::LOADS],
                               of.value[P::MIN_BLOCKS], (ordered_step)word(of.value[P::STEP]),
                               (tune::cache)word(of.value[P::CACHE])>
            policy;
        static const void *first()
        {
            if constexpr (variant == P::ONE_BLOCK)
                return (const void *)&reduce_ordered_one_block<OP, policy>;
            else
                return (const void *)&reduce_ordered_grid<OP, policy, ordered_finish_of(variant)>;
        }
        static const void *second()
        {
            if constexpr (variant == P::TWO_LAUNCHES || variant == P::DEPENDENT_LAUNCHES)
                return (const void *)&reduce_ordered_partials<OP, policy>;
            else
                return nullptr;
        }
    };

    template <typename C> static instance make()
    {
        constexpr configuration of = C::of;
        constexpr int variant = word(of.value[P::VARIANT]);
        instance out = {};
        out.parameters = of;
        out.kernel = kernels<C>::first();
        out.second = kernels<C>::second();
        out.tile = (long long)of.value[P::BLOCK] * of.value[P::COUNT] * of.value[P::LOADS];
        out.n_most = (1ll << 36) - 1;
        out.block = of.value[P::BLOCK];
        out.cluster = 1;
        out.waiting = variant == P::FLAGGED ? 1 : 0;
        out.is_dependent = variant == P::DEPENDENT_LAUNCHES;
        out.is_one_block = variant == P::ONE_BLOCK;
        out.needs_state = variant == P::LAST_BLOCK;
        out.capability = out.is_dependent ? 90 : 70;
        return out;
    }

    static long long most_blocks(const configuration &of, int sm_count, int resident)
    {
        const int wanted = of.value[P::BLOCKS_PER_SM];
        const long long most = (long long)sm_count * (wanted > 0 ? wanted : resident);
        return most < blocks_most ? most : blocks_most;
    }
};

} // namespace calls
} // namespace tune

#endif
