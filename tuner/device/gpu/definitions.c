/* What a file defines that another may only declare: variables and functions of the device. */
#include <string.h>

#include "tuner/device/gpu/tokens.h"

/* Where the declaration begins that the token is in. */
static size_t declaration_start(const struct tokens *tokens, size_t at)
{
    while (at > 0 && tokens->items[at - 1].kind != TOKEN_DIRECTIVE &&
           !token_is_in(tokens, at - 1, "; { }"))
        at--;
    return at;
}

/* Whether what is declared there is for other files, too, and defined but where it says extern. */
static bool is_for_all(const struct tokens *tokens, size_t start, size_t name, bool is_function)
{
    for (size_t i = start; i < name; i++)
        if (token_is_in(tokens, i, "static template __shared__") ||
            (!is_function && token_is(tokens, i, "extern") &&
             tokens->items[i + 1].kind != TOKEN_TEXT))
            return false;
    return true;
}

enum defined tokens_define(const struct tokens *tokens, const char *name)
{
    for (size_t i = 0; i < tokens->count; i++) {
        if (!token_is_in(tokens, i, "__device__ __constant__ __managed__"))
            continue;
        const size_t start = declaration_start(tokens, i);
        size_t at = i + 1;
        while (at < tokens->count && !token_is_in(tokens, at, "; = {") &&
               !(token_is(tokens, at, name) && token_is_in(tokens, at + 1, "( [ = ; { ,")))
            at = token_is_in(tokens, at, "( [") ? tokens_behind(tokens, at) : at + 1;
        if (!token_is(tokens, at, name))
            continue;
        const bool is_function = token_is(tokens, at + 1, "(");
        size_t behind = at + 1;
        while (token_is_in(tokens, behind, "( ["))
            behind = tokens_behind(tokens, behind);
        while (is_function && token_is_in(tokens, behind, "const noexcept"))
            behind++;
        if ((is_function && !token_is(tokens, behind, "{")) ||
            !is_for_all(tokens, start, at, is_function))
            continue;
        return token_is_in(tokens, behind, "= {") ? DEFINED_WITH_VALUE : DEFINED;
    }
    return NOT_DEFINED;
}
