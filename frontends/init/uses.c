/* Uses of a kernel's pointers and variables: reads and writes. */
#include <string.h>

#include "frontends/init/source.h"

static bool is_change(const struct tokens *tokens, size_t index)
{
    return token_is_in(tokens, index, "+= -= *= /= %= &= |= ^= ++ -- <<= >>=");
}

/* Finds the end of [i], .x, ->x; *member says whether a part of the element is meant. */
static size_t behind_element(const struct tokens *tokens, size_t at, bool *member)
{
    for (;;) {
        if (token_is(tokens, at, "[")) {
            at = tokens_behind(tokens, at);
        } else if (token_is_in(tokens, at, ". ->")) {
            *member = true;
            at += 2;
        } else {
            return at;
        }
    }
}

/* Returns true if the pointer itself is changed or compared. */
static bool is_of_pointer(const struct tokens *tokens, size_t at)
{
    return is_change(tokens, at + 1) || is_change(tokens, at - 1) ||
           token_is_in(tokens, at + 1, "== !=") || token_is(tokens, at - 1, "!");
}

/* Returns true if the source has `#define NAME(...` for the token. */
static bool is_macro_call(const struct tokens *tokens, size_t index)
{
    const char *rest = NULL, *end = NULL;
    if (!tokens->items || index >= tokens->count || tokens->items[index].kind != TOKEN_NAME)
        return false;
    const struct token *name = &tokens->items[index];
    for (size_t i = 0; i < tokens->count; i++)
        if (token_is_directive(&tokens->items[i], "define", &rest, &end) &&
            (size_t)(end - rest) > name->length && rest[name->length] == '(' &&
            strncmp(rest, name->start, name->length) == 0)
            return true;
    return false;
}

void use_read(const struct tokens *tokens, struct kernel_parameter *parameter, size_t at,
              bool whole)
{
    if (token_is_in(tokens, at - 1, ". ->"))
        return; /* a member */
    parameter->is_seen = true;
    const bool cast = at >= 3 && token_is(tokens, at - 2, ")") && token_is(tokens, at - 3, "*");
    const size_t sign = token_is(tokens, at - 1, "(") ? at - 2 : at - 1; /* &x[i], &(x[i]) */
    const bool address = token_is(tokens, sign, "&") && sign >= 1 &&
                         (cast || (tokens->items[sign - 1].kind == TOKEN_SIGN &&
                                   !token_is_in(tokens, sign - 1, ") ]")));
    const size_t before = address ? sign : at;
    bool member = false;
    const bool starred = at >= 2 && token_is(tokens, at - 1, "*") && /* *p = ..., not a * p */
                         token_is_in(tokens, at - 2, "; { ) } = ( , return");
    const struct token *function = before >= 2 ? &tokens->items[before - 2] : NULL;
    const bool atomic = function && function->kind == TOKEN_NAME && function->length > 6 &&
                        strncmp(function->start, "atomic", 6) == 0;
    size_t behind = behind_element(tokens, at + 1, &member);
    if (atomic && token_is(tokens, before - 1, "(")) {
        parameter->is_read = parameter->is_written = true;
    } else if (address || (behind == at + 1 && !starred && !whole)) {
        parameter->is_hidden = parameter->is_hidden || address || !is_of_pointer(tokens, at);
    } else {
        size_t first = at;
        if (at >= 3 && token_is(tokens, at - 1, "(") && token_is_in(tokens, behind, ") ,") &&
            is_macro_call(tokens, at - 2)) { /* FLOAT4(out[i]) = ..., STORE(out[i], x); */
            first = at - 2;
            behind = tokens_behind(tokens, at - 1);
            parameter->is_hidden |=
                token_is(tokens, behind, ";") && token_is_in(tokens, first - 1, "; { }");
        }
        bool changed = is_change(tokens, behind) || is_change(tokens, first - 1);
        bool set = token_is(tokens, behind, "=");
        parameter->is_written |= set || changed;
        /* A kernel that sets only a part keeps the rest. */
        parameter->is_read |= !set || member;
    }
}
