// A configuration as numbers: read from a line of text at compile time, from an entry of
// tuned.conf at run time. Internal to the headers of tune/.
#ifndef TUNE_CALLS_CONFIGURATION
#define TUNE_CALLS_CONFIGURATION

#include <climits>
#include <cstddef>
#include <string_view>

namespace tune
{
namespace calls
{

// Effect of a changed parameter.
enum class role {
    kind,   // a kernel with another purpose, not related to this one
    kernel, // another kernel
    launch, // another launch of the same kernel
};

// A parameter of a family. Its value is a number from 0 up, or one of its words, as word(i).
struct field {
    std::string_view name;
    std::string_view words; // separated by spaces
    bool is_number;         // may be a number
    role is;
    int otherwise; // default for a text without the parameter; MISSING: none
};
struct field_list {
    const field *at;
    int count;
};

enum : int {
    FIELDS_MAX = 12,
    MISSING = INT_MIN,
    WRONG = INT_MIN + 1, // not a valid value of the field
};

struct configuration {
    int value[FIELDS_MAX];
};

constexpr int word(int index)
{
    return -1 - index;
}

constexpr int number_of(std::string_view text)
{
    int number = 0;
    for (const char digit : text) {
        if (digit < '0' || digit > '9' || number >= 100000000)
            return WRONG;
        number = number * 10 + (digit - '0');
    }
    return text.empty() ? (int)WRONG : number;
}

// Takes the text up to the first `separator`, or all of the text if there is none.
constexpr std::string_view take_until(std::string_view &text, char separator)
{
    size_t length = 0;
    while (length < text.size() && text[length] != separator)
        length++;
    const std::string_view taken = text.substr(0, length);
    text.remove_prefix(length < text.size() ? length + 1 : length);
    return taken;
}

constexpr int value_of(const field &field, std::string_view text)
{
    std::string_view words = field.words;
    for (int index = 0; !words.empty(); index++)
        if (take_until(words, ' ') == text)
            return word(index);
    return field.is_number ? number_of(text) : (int)WRONG;
}

constexpr configuration unread(field_list fields)
{
    configuration out = {};
    for (int i = 0; i < fields.count; i++)
        out.value[i] = fields.at[i].otherwise;
    return out;
}

// Sets one value. Ignores names that are not fields, such as the derived `grid`.
constexpr void read_value(field_list fields, std::string_view name, std::string_view value,
                          configuration &out)
{
    for (int i = 0; i < fields.count; i++)
        if (fields.at[i].name == name) {
            out.value[i] = value_of(fields.at[i], value);
            return;
        }
}

// Reads a text such as "variant=last_block step=shuffle block=256".
constexpr void read_values(field_list fields, std::string_view text, configuration &out)
{
    while (!text.empty()) {
        std::string_view value = take_until(text, ' ');
        const std::string_view name = take_until(value, '=');
        read_value(fields, name, value, out);
    }
}
constexpr configuration read_configuration(field_list fields, std::string_view text)
{
    configuration out = unread(fields);
    read_values(fields, text, out);
    return out;
}

// Returns the first field without a valid value; -1 if all are valid.
constexpr int first_wrong(field_list fields, const configuration &of)
{
    for (int i = 0; i < fields.count; i++)
        if (of.value[i] == MISSING || of.value[i] == WRONG)
            return i;
    return -1;
}

// Returns whether launch parameters have defaults, since lists of kernels lack them.
constexpr bool has_launch_defaults(field_list fields)
{
    for (int i = 0; i < fields.count; i++)
        if (fields.at[i].is == role::launch && fields.at[i].otherwise == MISSING)
            return false;
    return true;
}

constexpr bool same_kernel(field_list fields, const configuration &a, const configuration &b)
{
    for (int i = 0; i < fields.count; i++)
        if (fields.at[i].is != role::launch && a.value[i] != b.value[i])
            return false;
    return true;
}

// Returns whether one kernel may stand in for the other.
constexpr bool same_kind(field_list fields, const configuration &a, const configuration &b)
{
    for (int i = 0; i < fields.count; i++)
        if (fields.at[i].is == role::kind && a.value[i] != b.value[i])
            return false;
    return true;
}

constexpr int doublings(int number)
{
    int count = 0;
    while (number > 1) {
        number /= 2;
        count++;
    }
    return count;
}

// Returns the distance of two kernels: 100 for each differing parameter, plus the doublings
// between numbers.
constexpr int distance(field_list fields, const configuration &a, const configuration &b)
{
    int sum = 0;
    for (int i = 0; i < fields.count; i++) {
        const int x = a.value[i], y = b.value[i];
        if (fields.at[i].is == role::launch || x == y)
            continue;
        const int apart = doublings(x) - doublings(y);
        sum += 100 + (x >= 0 && y >= 0 ? (apart < 0 ? -apart : apart) : 0);
    }
    return sum;
}

} // namespace calls
} // namespace tune

#endif
