// The family reduce (configs/reduce.yaml): from parameters to kernels. Internal to tune/reduce.cuh.
#ifndef TUNE_CALLS_REDUCE_PROBLEM
#define TUNE_CALLS_REDUCE_PROBLEM

#include "choose.cuh"
#include "element.cuh"

namespace tune
{
namespace calls
{

struct reduce_parameters {
    enum : int {
        VARIANT,
        MAP,
        STEP,
        CLUSTER_SIZE,
        STAGES,
        BLOCK,
        COUNT,
        LOADS,
        CACHE,
        MIN_BLOCKS,
        BLOCKS_PER_SM,
        FIELDS
    };
    // In the order of the words below.
    enum : int {
        ONE_WARP,
        ONE_BLOCK,
        TWO_LAUNCHES,
        DEPENDENT_LAUNCHES,
        LAST_BLOCK,
        LAST_BLOCK_SHARED,
        FLAGGED,
        FLAGGED_LAST,
        ATOMIC,
        CLUSTERS,
        BULK
    };
    static constexpr field fields[FIELDS] = {
        {"variant",
         "one_warp one_block two_launches dependent_launches last_block last_block_shared flagged "
         "flagged_last atomic cluster bulk",
         false, role::kind, MISSING},
        {"map", "tile strided chunk queue", false, role::kernel, MISSING},
        {"step", "tree warp_tail shuffle redux gather", false, role::kernel, MISSING},
        {"cluster_size", "", true, role::kernel, 1},
        {"stages", "", true, role::kernel, 0},
        {"block", "", true, role::kernel, MISSING},
        {"count", "", true, role::kernel, MISSING},
        {"loads", "", true, role::kernel, MISSING},
        {"cache", "no_allocate l2_256b streaming evict_first", false, role::kernel, MISSING},
        {"min_blocks", "", true, role::kernel, 1},
        {"blocks_per_sm", "occupancy", true, role::launch, word(0)},
    };
    static constexpr field_list list()
    {
        return {fields, FIELDS};
    }
};
static_assert((int)step::gather == 4 && (int)map::queue == 3 && (int)cache::evict_first == 3,
              "the words above are in the order of the enumerators");
static_assert((int)FIELDS_MAX >= (int)reduce_parameters::FIELDS, "room for all parameters");

// Returns the enumerator of a word's number; both have one order.
template <typename E> constexpr E enumerator(int value)
{
    return (E)word(value); // word() is its own inverse
}

constexpr finish finish_of(int variant)
{
    typedef reduce_parameters P;
    return variant == P::TWO_LAUNCHES         ? finish::two_launches
           : variant == P::DEPENDENT_LAUNCHES ? finish::dependent_launches
           : variant == P::LAST_BLOCK         ? finish::last_block
           : variant == P::LAST_BLOCK_SHARED  ? finish::last_block_shared
           : variant == P::FLAGGED            ? finish::flagged
           : variant == P::FLAGGED_LAST       ? finish::flagged_last
                                              : finish::atomic;
}

// The parameters as template arguments.
template <typename OP, typename T, typename C> struct reduce_kernels {
    typedef reduce_parameters P;
    static constexpr int of(int parameter)
    {
        return C::of.value[parameter];
    }
    static constexpr int variant = word(of(P::VARIANT));
    typedef tune::policy<of(P::BLOCK), of(P::COUNT), of(P::LOADS), of(P::MIN_BLOCKS),
                         enumerator<tune::step>(of(P::STEP)), enumerator<tune::cache>(of(P::CACHE)),
                         enumerator<tune::map>(of(P::MAP))>
        policy;

    static const void *first()
    {
        if constexpr (variant == P::ONE_WARP || variant == P::ONE_BLOCK)
            return TUNE_KERNEL(reduce_one_block<OP, T, policy>);
        else if constexpr (variant == P::CLUSTERS)
            return TUNE_KERNEL(reduce_cluster<OP, T, policy, of(P::CLUSTER_SIZE)>);
        else if constexpr (variant == P::BULK)
            return TUNE_KERNEL(reduce_bulk<OP, T, policy, of(P::STAGES)>);
        else
            return TUNE_KERNEL(reduce_grid<OP, T, policy, finish_of(variant)>);
    }
    static const void *second()
    {
        if constexpr (variant == P::TWO_LAUNCHES || variant == P::DEPENDENT_LAUNCHES)
            return TUNE_KERNEL(reduce_partials<OP, T, policy>);
        else
            return nullptr;
    }
};

// Common part of all problems of the family.
template <typename OP, typename T> struct reduce_family {
    typedef reduce_parameters P;
    typedef typename OP::template of<T> operation;
    static constexpr int slots_each = (int)slots_of<typename operation::accumulator>;
    static constexpr long long blocks_most = (long long)BLOCKS_MAX / slots_each;
    static constexpr field_list fields()
    {
        return P::list();
    }

    template <typename C> static instance make()
    {
        typedef reduce_kernels<OP, T, C> kernels;
        constexpr configuration of = C::of;
        constexpr int variant = kernels::variant;
        instance out = {};
        out.parameters = of;
        out.kernel = kernels::first();
        out.second = kernels::second();
        out.tile = (long long)of.value[P::BLOCK] * of.value[P::COUNT] * of.value[P::LOADS];
        out.n_most = out.tile << 31; // a tile index has 32 bits
        out.block = of.value[P::BLOCK];
        out.cluster = variant == P::CLUSTERS ? of.value[P::CLUSTER_SIZE] : 1;
        out.shared_bytes =
            variant == P::BULK ? (int)(out.tile * (long long)sizeof(T)) * of.value[P::STAGES] : 0;
        out.waiting = variant == P::FLAGGED || variant == P::BULK ? 1
                      : variant == P::CLUSTERS                    ? out.cluster
                                                                  : 0;
        out.alone_most = variant == P::CLUSTERS ? out.cluster : 0;
        out.is_dependent = variant == P::DEPENDENT_LAUNCHES;
        out.is_one_block = variant == P::ONE_WARP || variant == P::ONE_BLOCK;
        out.needs_state = variant == P::LAST_BLOCK || variant == P::LAST_BLOCK_SHARED ||
                          variant == P::ATOMIC || of.value[P::MAP] == word((int)tune::map::queue);
        out.capability = variant == P::CLUSTERS || variant == P::BULK || out.is_dependent ? 90
                         : of.value[P::STEP] == word((int)tune::step::redux)              ? 80
                                                                                          : 70;
        return out;
    }

    static long long most_blocks(const configuration &of, int sm_count, int resident)
    {
        if (of.value[P::MAP] == word((int)tune::map::tile))
            return blocks_most;
        const int wanted = of.value[P::BLOCKS_PER_SM];
        const long long most = (long long)sm_count * (wanted > 0 ? wanted : resident);
        return most < blocks_most ? most : blocks_most;
    }
};

// A problem (choose.cuh) on the kernels' own types.
template <typename OP, typename T> struct reduce_problem : reduce_family<OP, T> {
    typedef reduce_parameters P;
    typedef typename OP::template of<T> operation;
    using reduce_family<OP, T>::fields;
    static constexpr key_text key = make_key("reduce", name_of<OP>::value, ".", name_of<T>::value);
    static constexpr bool read_line(std::string_view line, configuration &out)
    {
        if (!take_key(line, key.view()))
            return false;
        out = read_configuration(fields(), line);
        return true;
    }

    // Default without tuned.conf, for every device: one block up to 64 KiB, above that all
    // resident blocks, with 64 bytes per thread in flight. This must never change: pinned{}
    // promises it.
    static constexpr int default_count = 2;
    static constexpr configuration default_configuration(int index)
    {
        configuration out = unread(fields());
        out.value[P::VARIANT] = word(index == 0 ? P::ONE_BLOCK : P::LAST_BLOCK);
        out.value[P::MAP] = word((int)tune::map::strided);
        out.value[P::STEP] = word((int)tune::step::shuffle);
        out.value[P::BLOCK] = 512;
        out.value[P::COUNT] = (int)(16 / sizeof(T));
        out.value[P::LOADS] = 4;
        out.value[P::CACHE] = word((int)tune::cache::no_allocate);
        out.value[P::BLOCKS_PER_SM] = index == 0 ? 1 : word(0);
        return out;
    }
    static constexpr int default_of(long long n)
    {
        return n <= (long long)(65536 / sizeof(T)) ? 0 : 1;
    }

    static constexpr void complete(configuration &)
    {
    }

    // Returns whether there are kernels for the configuration.
    static constexpr bool can_be(const configuration &of)
    {
        if (first_wrong(fields(), of) >= 0)
            return false;
        const int variant = word(of.value[P::VARIANT]), block = of.value[P::BLOCK];
        const int count = of.value[P::COUNT], loads = of.value[P::LOADS];
        const int bytes = count * (int)sizeof(T);
        if (block < 32 || block > 1024 || block % 32 != 0 || loads < 1 || loads > 64 ||
            of.value[P::MIN_BLOCKS] < 1 || of.value[P::MIN_BLOCKS] > 64)
            return false;
        if (count != 1 && bytes != 4 && bytes != 8 && bytes != 16)
            return false;
        if (of.value[P::STEP] == word((int)tune::step::redux) && !operation::redux)
            return false;
        if (variant == P::ONE_WARP && block != 32)
            return false;
        // Order would differ from run to run, or the operation does not exist.
        const bool any_order =
            !element<T>::is_real || same<OP, minimum>::value || same<OP, maximum>::value;
        if (variant == P::ATOMIC && (same<OP, product>::value || !any_order))
            return false;
        if (of.value[P::MAP] == word((int)tune::map::queue) && !any_order)
            return false;
        if (variant == P::BULK)
            return bytes == 16 && of.value[P::STAGES] >= 1 && of.value[P::STAGES] <= 16 &&
                   (long long)block * loads * 16 < 1 << 20;
        const int size = of.value[P::CLUSTER_SIZE];
        return variant != P::CLUSTERS || size == 2 || size == 4 || size == 8 || size == 16;
    }
};

} // namespace calls
} // namespace tune

#endif
