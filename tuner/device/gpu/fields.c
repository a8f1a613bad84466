/* Structs that a source declares: their fields, by its text alone. */
#include <stdlib.h>

#include "tuner/base/text.h"
#include "tuner/device/gpu/tokens.h"

/* Where the braces of the struct open; count when it is not in the source. */
static size_t find_struct(const struct tokens *tokens, const char *name)
{
    for (size_t i = 0; i + 2 < tokens->count; i++) {
        if (!token_is(tokens, i, "struct"))
            continue;
        size_t open = i + 1;
        while (open < tokens->count && !token_is_in(tokens, open, "{ ; ("))
            open++;
        if (!token_is(tokens, open, "{"))
            continue;
        size_t behind = tokens_behind(tokens, open);
        if (token_is(tokens, open - 1, name) || token_is(tokens, behind, name))
            return open;
    }
    return tokens->count;
}

struct field_list {
    struct arena *arena;
    const struct tokens *tokens;
    const char **names; /* SIGNATURE_FIELDS_MAX */
    size_t count;
};

static bool add_fields(struct field_list *list, const char *name, const char *prefix, size_t depth);

/* One variable of a type: a number, or what the struct of that type has. */
static bool add_field(struct field_list *list, const char *type, bool pointer, const char *path,
                      size_t depth)
{
    if (!pointer && depth > 0 && find_struct(list->tokens, type) < list->tokens->count)
        return add_fields(list, type, arena_printf(list->arena, "%s.", path), depth - 1);
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

/* TYPE a, b[2]; from `first` to the ';' at `end`. */
static bool add_statement(struct field_list *list, size_t first, size_t end, const char *prefix,
                          size_t depth)
{
    const struct tokens *tokens = list->tokens;
    const char *type = NULL;
    bool pointer = false;
    for (size_t i = first; i < end; i++) {
        if (token_is_in(tokens, i, "( { static"))
            return false;
        pointer = token_is(tokens, i, "*") || (pointer && !token_is(tokens, i, ","));
        if (tokens->items[i].kind != TOKEN_NAME)
            continue;
        const char *word = tokens_text(list->arena, tokens, i, i + 1);
        if (!token_is_in(tokens, i + 1, ", ; = [")) {
            type = word;
            continue;
        }
        const bool array = token_is(tokens, i + 1, "[");
        const size_t number = array ? bound_of(tokens, i + 1) : 1;
        bool added = type && word && number > 0;
        for (size_t j = 0; added && j < number; j++) {
            const char *path = array ? arena_printf(list->arena, "%s%s[%zu]", prefix, word, j)
                                     : arena_printf(list->arena, "%s%s", prefix, word);
            added = path && add_field(list, type, pointer, path, depth);
        }
        if (!added)
            return false;
        while (i < end && !token_is(tokens, i + 1, ",")) /* bounds, a value */
            i++;
    }
    return true;
}

static bool add_fields(struct field_list *list, const char *name, const char *prefix, size_t depth)
{
    const struct tokens *tokens = list->tokens;
    const size_t open = find_struct(tokens, name);
    const size_t close = open < tokens->count ? tokens_behind(tokens, open) - 1 : open;
    for (size_t i = open + 1; i < close; i++) {
        size_t end = i;
        while (end < close && !token_is(tokens, end, ";"))
            end++;
        if (!prefix || !add_statement(list, i, end, prefix, depth))
            return false;
        i = end;
    }
    return true;
}

size_t fields_of(struct arena *arena, const struct tokens *tokens, const char *name,
                 const char *fields[SIGNATURE_FIELDS_MAX])
{
    enum { DEPTH_MAX = 4 }; /* of structs in structs */
    struct field_list list = {.arena = arena, .tokens = tokens, .names = fields};
    return add_fields(&list, name, "", DEPTH_MAX) ? list.count : 0;
}
