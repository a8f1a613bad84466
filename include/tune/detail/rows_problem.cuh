// The family reduce_rows (configs/reduce_rows.yaml): from parameters to kernels. Internal to
// tune/reduce_rows.cuh.
#ifndef TUNE_CALLS_ROWS_PROBLEM
#define TUNE_CALLS_ROWS_PROBLEM

#include "choose.cuh"
#include "element.cuh"

namespace tune
{
namespace calls
{

struct rows_parameters {
    // LENGTH is the key's length; 0 if the kernel takes any.
    enum : int { LENGTH_KNOWN, LENGTH, LANES, BLOCK, VECTOR, MAP, ROWS, STEP, BLOCKS, FIELDS };
    enum : int { TRUE, FALSE };
    enum : int { TILES, RESIDENT };
    static constexpr field fields[FIELDS] = {
        {"length_known", "true false", false, role::kind, MISSING},
        {"length", "", true, role::kind, 0},
        {"lanes", "", true, role::kernel, MISSING},
        {"block", "", true, role::kernel, MISSING},
        {"vector", "", true, role::kernel, MISSING},
        {"map", "stripes chunks", false, role::kernel, word((int)rows_map::stripes)},
        {"rows_at_once", "", true, role::kernel, 1},
        {"step", "guarded relaxed down butterfly redux", false, role::kernel, MISSING},
        {"blocks", "tiles resident", false, role::launch, word(TILES)},
    };
};
static_assert((int)rows_step::redux == 4 && (int)rows_map::chunks == 1,
              "the words above are in the order of the enumerators");

template <> struct name_of<composition> {
    static constexpr std::string_view value = "affine";
};

template <typename OP, typename T> struct rows_problem {
    typedef rows_parameters P;
    typedef typename OP::template of<T> operation;
    static constexpr long long blocks_most = 0; // results do not depend on the number of blocks
    static constexpr key_text key =             // and ".LENGTH"
        make_key("reduce_rows", name_of<OP>::value, "_", name_of<T>::value);
    static constexpr field_list fields()
    {
        return {P::fields, P::FIELDS};
    }
    static constexpr bool read_line(std::string_view line, configuration &out)
    {
        std::string_view rest = line, own = take_until(rest, ' ');
        if (own.size() <= key.view().size() + 1 || own[key.view().size()] != '.' ||
            own.substr(0, key.view().size()) != key.view())
            return false;
        out = read_configuration(fields(), rest);
        out.value[P::LENGTH] = number_of(own.substr(key.view().size() + 1));
        complete(out);
        return true;
    }
    static constexpr void complete(configuration &of)
    {
        if (of.value[P::LENGTH_KNOWN] == word(P::FALSE))
            of.value[P::LENGTH] = 0;
    }

    // Defaults for any length: a warp or a block per row.
    static constexpr int default_count = 2;
    static constexpr configuration default_configuration(int index)
    {
        configuration out = unread(fields());
        out.value[P::LENGTH_KNOWN] = word(P::FALSE);
        out.value[P::LANES] = index == 0 ? (int)WARP : 256;
        out.value[P::BLOCK] = 256;
        out.value[P::VECTOR] = same<OP, composition>::value ? 1 : (int)(16 / sizeof(T));
        out.value[P::STEP] = word((int)rows_step::down);
        return out;
    }
    static constexpr int default_of(long long length)
    {
        return length <= 2048 ? 0 : 1;
    }

    static constexpr bool can_be(const configuration &of)
    {
        if (first_wrong(fields(), of) >= 0)
            return false;
        const int lanes = of.value[P::LANES], block = of.value[P::BLOCK];
        const int vector = of.value[P::VECTOR], rows = of.value[P::ROWS];
        const bool is_known = of.value[P::LENGTH_KNOWN] == word(P::TRUE);
        if (block < 32 || block > 1024 || block % 32 != 0 || rows < 1 || rows > 16)
            return false;
        if (lanes != block && (lanes < 1 || lanes > 32 || (lanes & (lanes - 1)) != 0))
            return false;
        if (vector != 1 && vector * (int)sizeof(T) != 16)
            return false;
        if (of.value[P::STEP] == word((int)rows_step::redux) && !operation::redux)
            return false;
        if (!is_known)
            return (lanes == 32 || lanes == block) && rows == 1 &&
                   of.value[P::MAP] == word((int)rows_map::stripes);
        return of.value[P::LENGTH] > 0 && of.value[P::LENGTH] % vector == 0;
    }

    template <typename C> static const void *kernel()
    {
        constexpr configuration of = C::of;
        constexpr int lanes = of.value[P::LANES], block = of.value[P::BLOCK];
        constexpr int vector = of.value[P::VECTOR];
        constexpr rows_step step = (rows_step)word(of.value[P::STEP]);
        if constexpr (of.value[P::LENGTH_KNOWN] == word(P::FALSE)) {
            typedef any_rows_policy<lanes, block, vector, 2, step> policy;
            return (const void *)&reduce_rows_any<OP, T, policy>;
        } else {
            // Type of the kernel, needed since the call has the kernel's name.
            typedef void (*known)(const T *, typename operation::result *, long long);
            typedef rows_policy<of.value[P::LENGTH], lanes, block, vector, of.value[P::ROWS],
                                (rows_map)word(of.value[P::MAP]), step>
                policy;
            return (const void *)static_cast<known>(&tune::reduce_rows<OP, T, policy>);
        }
    }

    template <typename C> static instance make()
    {
        constexpr configuration of = C::of;
        instance out = {};
        out.parameters = of;
        out.kernel = kernel<C>();
        out.tile = (long long)of.value[P::BLOCK] / of.value[P::LANES] * of.value[P::ROWS];
        out.n_most = LLONG_MAX;
        out.block = of.value[P::BLOCK];
        out.cluster = 1;
        out.capability = of.value[P::STEP] == word((int)rows_step::redux) ? 80 : 70;
        return out;
    }

    static long long most_blocks(const configuration &of, int sm_count, int resident)
    {
        return of.value[P::BLOCKS] == word(P::TILES) ? (long long)INT_MAX
                                                     : (long long)sm_count * resident;
    }
};

} // namespace calls
} // namespace tune

#endif
