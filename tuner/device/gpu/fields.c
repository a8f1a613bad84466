/* Structs that a source declares: their members, by its text alone. */
#include <stdlib.h>
#include <string.h>

#include "tuner/base/text.h"
#include "tuner/device/gpu/tokens.h"

struct member_list {
    struct arena *arena;
    const struct tokens *tokens;
    const char **names; /* SIGNATURE_FIELDS_MAX */
    size_t count;
};

/* Behind what may stand between `struct` and its name: alignas(16), __align__(16), [[...]]. */
static size_t behind_attributes(const struct tokens *tokens, size_t i)
{
    while (i < tokens->count) {
        if (token_is_in(tokens, i, "alignas __align__ __attribute__ __declspec") &&
            token_is(tokens, i + 1, "("))
            i = tokens_behind(tokens, i + 1);
        else if (token_is(tokens, i, "["))
            i = tokens_behind(tokens, i);
        else
            break;
    }
    return i;
}

/* What a typedef or `using` says that the name stands for: "options" of `typedef struct options
 * options_t;`. NULL: none does. */
static const char *aliased(struct arena *arena, const struct tokens *tokens, const char *name)
{
    for (size_t i = 0; i + 3 < tokens->count; i++) {
        size_t first = i + 1, end = i;
        if (token_is(tokens, i, "using") && token_is(tokens, i + 1, name) &&
            token_is(tokens, i + 2, "="))
            first = i + 3;
        else if (!token_is(tokens, i, "typedef"))
            continue;
        while (end < tokens->count && !token_is_in(tokens, end, "; { ("))
            end++;
        if (!token_is(tokens, end, ";") || (first == i + 1 && !token_is(tokens, end - 1, name)))
            continue;
        end -= first == i + 1;
        for (size_t j = first; j < end; j++) /* the last word in front of a '<' */
            if (tokens->items[j].kind == TOKEN_NAME &&
                (j + 1 == end || token_is(tokens, j + 1, "<")))
                return tokens_text(arena, tokens, j, j + 1);
    }
    return NULL;
}

/* Where the braces of the struct or class open; *bases is the ':' in front of what it is derived
 * from, or these braces. count when it is not in the source. */
static size_t find_struct(const struct tokens *tokens, const char *name, size_t *bases)
{
    for (size_t i = 0; i + 2 < tokens->count; i++) {
        if (!token_is_in(tokens, i, "struct class"))
            continue;
        const size_t first = behind_attributes(tokens, i + 1);
        size_t open = first;
        while (open < tokens->count && !token_is_in(tokens, open, "{ ; ( ) = >"))
            open = token_is(tokens, open, "<") ? tokens_behind_angle(tokens, open) : open + 1;
        if (!token_is(tokens, open, "{"))
            continue;
        *bases = first;
        while (*bases < open && !token_is(tokens, *bases, ":"))
            ++*bases;
        size_t named = *bases; /* the last word: macros of exports may stand in front of it */
        while (named > first + 1 && token_is(tokens, named - 1, "final"))
            named--;
        const size_t behind = tokens_behind(tokens, open);
        if ((named > first && token_is(tokens, named - 1, name)) ||
            (token_is(tokens, i - (i > 0), "typedef") && token_is(tokens, behind, name)))
            return open;
    }
    return tokens->count;
}

static bool add_members(struct member_list *list, size_t open, const char *prefix, size_t depth);

/* What the struct of that name has, and those that it is derived from. */
static bool add_struct(struct member_list *list, const char *name, const char *prefix, size_t depth)
{
    size_t bases = 0;
    const struct tokens *tokens = list->tokens;
    const size_t open = find_struct(tokens, name, &bases);
    if (!prefix || depth == 0)
        return false;
    if (open == tokens->count) {
        const char *other = aliased(list->arena, tokens, name);
        return other && add_struct(list, other, prefix, depth - 1);
    }
    for (size_t i = bases; i < open; i++) {
        const bool ends = i + 1 == open || token_is_in(tokens, i + 1, ", <");
        const char *base = ends ? tokens_text(list->arena, tokens, i, i + 1) : NULL;
        if (ends && (!base || !add_struct(list, base, prefix, depth - 1)))
            return false;
        if (token_is(tokens, i + 1, "<"))
            i = tokens_behind_angle(tokens, i + 1) - 1;
    }
    return add_members(list, open, prefix, depth - 1);
}

static bool is_struct(const struct member_list *list, const char *type)
{
    size_t bases = 0;
    const char *other = aliased(list->arena, list->tokens, type);
    return find_struct(list->tokens, other ? other : type, &bases) < list->tokens->count;
}

/* One variable of a type: a value, or what the struct of that type has. */
static bool add_variable(struct member_list *list, const char *type, bool pointer, const char *path,
                         size_t depth)
{
    if (!path)
        return false;
    if (!pointer && type && is_struct(list, type))
        return add_struct(list, type, arena_printf(list->arena, "%s.", path), depth);
    if (list->count == SIGNATURE_FIELDS_MAX)
        return false;
    list->names[list->count++] = path;
    return true;
}

/* How many elements the brackets behind a name say; 0: not a number alone. */
static size_t bound_of(const struct tokens *tokens, size_t open)
{
    if (open + 2 >= tokens->count || tokens->items[open + 1].kind != TOKEN_NUMBER ||
        !token_is(tokens, open + 2, "]") || token_is(tokens, open + 3, "["))
        return 0;
    return strtoul(tokens->items[open + 1].start, NULL, 0);
}

/* A name with its brackets. Of an array of structs each by itself, where the source says how many;
 * of others the compiler says it. */
static bool add_name(struct member_list *list, const char *type, bool pointer, size_t at,
                     const char *prefix, size_t depth)
{
    const struct tokens *tokens = list->tokens;
    const char *word = tokens_text(list->arena, tokens, at, at + 1);
    const char *path = word ? arena_printf(list->arena, "%s%s", prefix, word) : NULL;
    if (pointer || !type || !token_is(tokens, at + 1, "[") || !is_struct(list, type))
        return add_variable(list, type, pointer, path, depth);
    const size_t bound = bound_of(tokens, at + 1);
    bool added = path && bound > 0;
    for (size_t j = 0; added && j < bound; j++)
        added =
            add_variable(list, type, false, arena_printf(list->arena, "%s[%zu]", path, j), depth);
    return added;
}

/* TYPE a, *b[2] = {}; up to the ';' at `end`. */
static bool add_statement(struct member_list *list, size_t first, size_t end, const char *prefix,
                          size_t depth)
{
    const struct tokens *tokens = list->tokens;
    const char *type = NULL;
    bool pointer = false;
    if (token_is_in(tokens, first, "typedef using friend enum template ~"))
        return true;
    for (size_t i = first; i < end; i++) {
        if (token_is_in(tokens, i, "operator static constexpr"))
            return true;
        pointer = token_is(tokens, i, "*") || (pointer && !token_is(tokens, i, ","));
        if (token_is(tokens, i, "<"))
            i = tokens_behind_angle(tokens, i) - 1;
        if (i >= end || tokens->items[i].kind != TOKEN_NAME)
            continue;
        const size_t behind = behind_attributes(tokens, i);
        if (behind > i && !token_is(tokens, i + 1, "[")) {
            i = behind - 1;
            continue;
        }
        if (token_is(tokens, i + 1, "(")) /* a function, or a pointer to one */
            return !token_is(tokens, i + 2, "*");
        if (!token_is_in(tokens, i + 1, ", ; = [ { :") || !type) {
            if (!token_is_in(tokens, i, "const volatile struct class unsigned signed mutable"))
                type = tokens_text(list->arena, tokens, i, i + 1);
            else if (token_is_in(tokens, i, "unsigned signed"))
                type = "int";
            continue;
        }
        if (token_is(tokens, i + 1, ":") || !add_name(list, type, pointer, i, prefix, depth))
            return false; /* of so many bits: it has no address */
        while (i + 1 < end && !token_is(tokens, i + 1, ",")) /* bounds, a value */
            i = token_is_in(tokens, i + 1, "{ (") ? tokens_behind(tokens, i + 1) - 1 : i + 1;
    }
    return true;
}

/* A struct, class or union that is declared within another, from `first` on: all of it that stands
 * in front of its ';'. One without a name is members of the other. */
static bool add_nested(struct member_list *list, size_t first, size_t open, size_t end,
                       const char *prefix, size_t depth)
{
    const struct tokens *tokens = list->tokens;
    const size_t behind = tokens_behind(tokens, open);
    const bool is_union = token_is(tokens, first, "union");
    const bool unnamed = behind_attributes(tokens, first + 1) == open && behind == end;
    const size_t before = list->count;
    if (!unnamed) /* a type, and variables of it, whose members this does not see */
        return behind == end;
    if (!add_members(list, open, prefix, depth))
        return false;
    if (is_union && list->count > before + 1)
        list->count = before + 1; /* the others lie in the same place */
    return true;
}

static bool add_members(struct member_list *list, size_t open, const char *prefix, size_t depth)
{
    const struct tokens *tokens = list->tokens;
    const size_t close = open < tokens->count ? tokens_behind(tokens, open) - 1 : open;
    for (size_t i = open + 1; i < close; i++) {
        if (tokens->items[i].kind == TOKEN_DIRECTIVE || token_is(tokens, i, ";") ||
            token_is_in(tokens, i, "public private protected") || token_is(tokens, i, ":"))
            continue;
        size_t end = i, brace = close; /* the statement's ';', or its body's end */
        bool is_function = false, has_value = false;
        while (end < close && !token_is(tokens, end, ";")) {
            const bool round = token_is(tokens, end, "(");
            is_function |= round && !has_value;
            has_value |= token_is(tokens, end, "=");
            if (token_is(tokens, end, "{")) {
                brace = brace == close ? end : brace;
                if (is_function)
                    break;
            }
            end = round || token_is(tokens, end, "{") ? tokens_behind(tokens, end) : end + 1;
        }
        const bool nested = token_is_in(tokens, i, "struct class union") && brace < end;
        const bool body = end < close && token_is(tokens, end, "{");
        if (!(body     ? true
              : nested ? add_nested(list, i, brace, end, prefix, depth)
                       : add_statement(list, i, end, prefix, depth)))
            return false;
        i = body ? tokens_behind(tokens, end) - 1 : end;
    }
    return true;
}

size_t members_of(struct arena *arena, const struct tokens *tokens, const char *name,
                  const char *names[SIGNATURE_FIELDS_MAX])
{
    enum { DEPTH_MAX = 8 }; /* of structs in structs, and what they are derived from */
    struct member_list list = {.arena = arena, .tokens = tokens, .names = names};
    return add_struct(&list, name, "", DEPTH_MAX) ? list.count : 0;
}
