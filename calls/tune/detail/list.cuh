// The configurations that are compiled in. Internal to the headers of tune/.
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
    int number; // in the file
};

// Of this source file alone, as what is made of it: files may be compiled with different lists.
namespace
{
struct own_list {
    static constexpr list_line lines[] = {
#define TUNE_CONFIGURATION(text) {text, __LINE__},
#include TUNE_CONFIGURATIONS
#undef TUNE_CONFIGURATION
        {"", 0}, // an array is never empty
    };
};
} // namespace

// "reduce.sum.i32 variant=..." is a line of "reduce.sum.i32".
constexpr bool is_line_of(std::string_view text, std::string_view key)
{
    return text.size() > key.size() && text[key.size()] == ' ' && text.substr(0, key.size()) == key;
}

// A program does not compile with a line that says what no kernel can be.
template <int LINE, bool IS_WELL> struct line_of_TUNE_CONFIGURATIONS {
    static_assert(IS_WELL, "TUNE_CONFIGURATIONS: this LINE lacks a parameter or has a wrong value");
    static constexpr bool is_well = true;
};

template <int MOST> struct configuration_set {
    configuration at[MOST];
    int line[MOST]; // 0: a default
    int count;
};

// The defaults of a problem, then those of the list, each kernel once.
template <typename PROBLEM, typename LIST> constexpr auto make_set()
{
    constexpr field_list fields = PROBLEM::fields();
    constexpr int lines = sizeof LIST::lines / sizeof LIST::lines[0];
    configuration_set<PROBLEM::default_count + lines> set = {};
    for (int i = 0; i < PROBLEM::default_count; i++)
        set.at[set.count++] = PROBLEM::default_configuration(i);
    for (int i = 0; i < lines; i++) {
        if (!is_line_of(LIST::lines[i].text, PROBLEM::key()))
            continue;
        const configuration read =
            read_configuration(fields, LIST::lines[i].text.substr(PROBLEM::key().size() + 1));
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
