// Compiled-in configurations. Internal to the headers of tune/.
#ifndef TUNE_CALLS_LIST
#define TUNE_CALLS_LIST

#include "configuration.cuh"

#ifndef TUNE_CONFIGURATIONS
#define TUNE_CONFIGURATIONS "../configurations.inc"
#endif

namespace tune
{
namespace calls
{

struct list_line {
    std::string_view text;
    int number; // line number in the file
};

// Private to this source file, like everything made of it: files may have different lists.
namespace
{
struct own_list {
    static constexpr list_line lines[] = {
#define TUNE_CONFIGURATION(text) {text, __LINE__},
#include TUNE_CONFIGURATIONS
#undef TUNE_CONFIGURATION
        {"", 0}, // avoids an empty array
    };
};
} // namespace

// Takes the key and a space off a line: "reduce.sum.i32 variant=...". Returns false for another
// key.
constexpr bool take_key(std::string_view &line, std::string_view key)
{
    if (line.size() <= key.size() || line[key.size()] != ' ' || line.substr(0, key.size()) != key)
        return false;
    line.remove_prefix(key.size() + 1);
    return true;
}

// Compilation fails with a line that fits no kernel.
template <int LINE, bool IS_WELL> struct line_of_TUNE_CONFIGURATIONS {
    static_assert(IS_WELL, "TUNE_CONFIGURATIONS: this LINE lacks a parameter or has a wrong value");
    static constexpr bool is_well = true;
};

template <int MOST> struct configuration_set {
    configuration at[MOST];
    int line[MOST]; // 0: a default
    int count;
};

// Makes the set of a problem's kernels: its defaults, then the list's, each kernel once.
template <typename PROBLEM, typename LIST> constexpr auto make_set()
{
    constexpr field_list fields = PROBLEM::fields();
    constexpr int lines = sizeof LIST::lines / sizeof LIST::lines[0];
    configuration_set<PROBLEM::default_count + lines> set = {};
    for (int i = 0; i < PROBLEM::default_count; i++)
        set.at[set.count++] = PROBLEM::default_configuration(i);
    for (int i = 0; i < lines; i++) {
        configuration read = {};
        if (!PROBLEM::read_line(LIST::lines[i].text, read))
            continue;
        bool is_new = true;
        for (int k = 0; k < set.count && is_new; k++)
            is_new = !same_kernel(fields, set.at[k], read);
        if (is_new) {
            set.at[set.count] = read;
            set.line[set.count++] = LIST::lines[i].number;
        }
    }
    return set;
}

template <typename PROBLEM, typename LIST> struct compiled_set {
    static constexpr auto set = make_set<PROBLEM, LIST>();
    template <int I> struct nth {
        static constexpr configuration of = set.at[I];
        static constexpr bool is_well =
            line_of_TUNE_CONFIGURATIONS<set.line[I], PROBLEM::can_be(set.at[I])>::is_well;
    };
};

} // namespace calls
} // namespace tune

#endif
