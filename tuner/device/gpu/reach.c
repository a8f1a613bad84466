/* Which functions of a source a kernel may call, by their names alone. */
#include <string.h>

#include "tuner/device/gpu/tokens.h"

/* `name(...) {`, or with words between. Gives behind the body; 0: it is none. */
static size_t behind_function(const struct tokens *tokens, size_t name, size_t *body)
{
    if (tokens->items[name].kind != TOKEN_NAME || !token_is(tokens, name + 1, "("))
        return 0;
    *body = tokens_behind(tokens, name + 1);
    while (token_is_in(tokens, *body, "const noexcept override final"))
        ++*body;
    return token_is(tokens, *body, "{") ? tokens_behind(tokens, *body) : 0;
}

bool reach_read(struct arena *arena, const struct tokens *tokens,
                const struct kernel_signature *kernel, struct reach *out)
{
    size_t count = 0, body = 0, behind = 0;
    for (size_t i = 0; i < tokens->count; i = behind ? behind : i + 1) {
        behind = behind_function(tokens, i, &body);
        count += behind > 0;
    }
    *out = (struct reach){.tokens = tokens, .kernel = kernel};
    out->functions = arena_alloc(arena, count + 1, sizeof *out->functions);
    for (size_t i = 0; out->functions && i < tokens->count; i = behind ? behind : i + 1) {
        behind = behind_function(tokens, i, &body);
        if (behind > 0)
            out->functions[out->count++] =
                (struct reach_function){.name = i, .body = body, .end = behind};
    }
    return out->functions;
}

/* The function whose body has the token; NULL: none. */
static struct reach_function *function_at(const struct reach *reach, size_t token)
{
    for (size_t low = 0, high = reach->count; low < high;) {
        const size_t middle = (low + high) / 2;
        struct reach_function *function = &reach->functions[middle];
        if (token >= function->body && token < function->end)
            return function;
        if (token < function->body)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

static bool is_same_name(const struct token *a, const struct token *b)
{
    return a->kind == TOKEN_NAME && a->length == b->length &&
           strncmp(a->start, b->start, a->length) == 0;
}

/* Whether what stands there is the name of a function that is defined or declared. */
static bool is_declared(const struct reach *reach, size_t token)
{
    const struct tokens *tokens = reach->tokens;
    size_t body = 0;
    return token_is(tokens, token + 1, "(") &&
           (behind_function(tokens, token, &body) > 0 ||
            token_is(tokens, tokens_behind(tokens, token + 1), ";"));
}

/* Who names the function comes to be asked about, too. */
static bool is_named(struct reach *reach, const struct reach_function *function)
{
    for (size_t i = 0; i < reach->tokens->count; i++) {
        const struct tokens *tokens = reach->tokens;
        if (!is_same_name(&tokens->items[i], &tokens->items[function->name]))
            continue;
        struct reach_function *by = function_at(reach, i);
        if (i >= reach->kernel->first_token && i < reach->kernel->end_token)
            return true;
        if (by)
            by->is_asked = true;
        else if (!is_declared(reach, i))
            return true;
    }
    return false;
}

bool reach_token(struct reach *reach, size_t token)
{
    struct reach_function *function = function_at(reach, token);
    bool reached = !function;
    if (token >= reach->kernel->first_token && token < reach->kernel->end_token)
        return true;
    for (size_t i = 0; i < reach->count; i++)
        reach->functions[i].is_asked = reach->functions[i].is_answered = false;
    if (function)
        function->is_asked = true;
    for (size_t i = 0; i < reach->count && !reached;) {
        struct reach_function *next = &reach->functions[i++];
        if (!next->is_asked || next->is_answered)
            continue;
        next->is_answered = true;
        reached = is_named(reach, next);
        i = 0;
    }
    return reached;
}
