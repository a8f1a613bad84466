#include "tuner/export/header_names.h"

#include <ctype.h>
#include <string.h>

static bool is_keyword(const char *word)
{
    static const char keywords[] =
        " alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t "
        "char32_t class compl const const_cast constexpr continue decltype default delete do "
        "double "
        "dynamic_cast else enum explicit export extern false float for friend goto if inline int "
        "long mutable namespace new noexcept not not_eq nullptr operator or or_eq private "
        "protected public register reinterpret_cast restrict return short signed sizeof static "
        "static_assert static_cast struct switch template this thread_local throw true try typedef "
        "typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq grade "
        "low high configuration ";
    const char *at = keywords;
    size_t length = strlen(word);
    while ((at = strstr(at, word))) {
        if (at[-1] == ' ' && at[length] == ' ')
            return true;
        at += length;
    }
    return false;
}

bool header_is_identifier(const char *word)
{
    for (const char *c = word; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_')
            return false;
    return word[0] != '\0' && !isdigit((unsigned char)word[0]) && !is_keyword(word);
}

/* "cache.mode" is cache_mode; words of the language get a '_' behind. */
const char *header_identifier(struct arena *arena, const char *name)
{
    char *identifier = arena_strdup(arena, name);
    for (char *c = identifier; c && *c; c++)
        if (!isalnum((unsigned char)*c))
            *c = '_';
    return identifier && is_keyword(identifier) ? arena_printf(arena, "%s_", identifier)
                                                : identifier;
}

bool header_lists(const char *names, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = names; at; at = strchr(at, ',')) {
        at += *at == ',' ? 1 : 0;
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return true;
    }
    return false;
}
