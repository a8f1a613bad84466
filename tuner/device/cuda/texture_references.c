/* Texture references of old CUDA: search for declarations. */
#include <string.h>

#include "tuner/device/cuda/texture_references.h"

bool texture_references_exist(const struct tokens *tokens)
{
    bool named = false;
    for (size_t i = 0; i < tokens->count; i++) {
        if (!token_is(tokens, i, "texture"))
            continue;
        if (i > 0 && token_is_in(tokens, i - 1, "class struct union enum using namespace"))
            return false;
        named = named || token_is(tokens, i + 1, "<");
    }
    return named;
}

bool is_texture_type(const struct tokens *tokens, size_t index)
{
    return token_is(tokens, index, "texture") && token_is(tokens, index + 1, "<") &&
           !(index > 0 && token_is_in(tokens, index - 1, ":: . ->"));
}

/* Tells whether a declaration may begin here, possibly behind `static` or a macro. */
static bool begins(const struct tokens *tokens, size_t index)
{
    if (index == 0 || token_is_in(tokens, index - 1, "; { } ) static extern"))
        return true;
    const enum token_kind kind = tokens->items[index - 1].kind;
    return kind == TOKEN_DIRECTIVE || kind == TOKEN_TEXT; /* extern "C" */
}

static bool is_declared_name(const struct tokens *tokens, size_t index)
{
    const size_t open = index + 1;
    return (token_is_in(tokens, index + 1, "; , =") ||
            (token_is(tokens, open, "(") && open + 1 < tokens->count &&
             (tokens->items[open + 1].kind == TOKEN_NUMBER ||
              token_is_in(tokens, open + 1, "true false")))) &&
           tokens->items[index].kind == TOKEN_NAME;
}

bool declares_texture_reference(const struct tokens *tokens, size_t index)
{
    return is_texture_type(tokens, index) && begins(tokens, index) &&
           is_declared_name(tokens, tokens_behind_angle(tokens, index + 1));
}

size_t texture_alias(const struct tokens *tokens, size_t index)
{
    const size_t behind = tokens_behind_angle(tokens, index + 1);
    if (index > 0 && token_is(tokens, index - 1, "typedef") && token_is(tokens, behind + 1, ";"))
        return behind;
    return index > 2 && token_is(tokens, index - 1, "=") && token_is(tokens, index - 3, "using")
               ? index - 2
               : 0;
}

bool declares_by_alias(const struct tokens *tokens, size_t alias, size_t index)
{
    const struct token *name = &tokens->items[alias], *word = &tokens->items[index];
    return word->length == name->length && memcmp(word->start, name->start, name->length) == 0 &&
           begins(tokens, index) && is_declared_name(tokens, index + 1);
}
