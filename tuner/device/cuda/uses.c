#include <string.h>

#include "tuner/base/text.h"
#include "tuner/device/cuda/tokens.h"

static bool belongs_elsewhere(const struct source_signature *out, size_t token)
{
    for (size_t i = 0; i < out->kernel_count; i++)
        if (&out->kernels[i] != out->asked && token >= out->kernels[i].first_token &&
            token < out->kernels[i].end_token)
            return true;
    return false;
}

/* Whether a directive names it, but for those that give a macro its value. */
static bool directive_names(const struct token *token, const char *name)
{
    const char *end = token->start + token->length;
    const char *word = token->start + 1;
    size_t length = strlen(name);
    while (word < end && (*word == ' ' || *word == '\t'))
        word++;
    bool asks = strncmp(word, "ifndef", 6) == 0;
    const char *defined = strncmp(word, "define", 6) == 0 ? word + 6 : NULL;
    while (defined && defined < end && (*defined == ' ' || *defined == '\t'))
        defined++;
    for (const char *at = word; at + length <= end && !asks; at++) {
        bool ends = at + length == end || !name_goes_on(at[length]);
        if (at != defined && ends && !name_goes_on(at[-1]) && strncmp(at, name, length) == 0)
            return true;
    }
    return false;
}

static size_t count_uses(const struct tokens *tokens, const struct source_signature *out,
                         const char *name)
{
    size_t count = 0;
    for (size_t i = 0; i < tokens->count; i++)
        count += tokens->items[i].kind == TOKEN_DIRECTIVE
                     ? directive_names(&tokens->items[i], name)
                     : token_is(tokens, i, name) && !belongs_elsewhere(out, i);
    return count;
}

static bool has_dynamic_shared(const struct tokens *tokens, const struct source_signature *out)
{
    for (size_t i = 0; i < tokens->count; i++)
        if (token_is(tokens, i, "extern") && !belongs_elsewhere(out, i) &&
            (token_is(tokens, i + 1, "__shared__") || token_is(tokens, i + 2, "__shared__")))
            return true;
    return false;
}

/* [NAME][NAME], [NAME][NAME + 1] */
bool uses_as_square(const struct tokens *tokens, const char *name)
{
    for (size_t i = 0; i < tokens->count; i++)
        if (token_is(tokens, i, "[") && token_is(tokens, i + 1, name) &&
            token_is(tokens, i + 2, "]") && token_is(tokens, i + 3, "[") &&
            token_is(tokens, i + 4, name))
            return true;
    return false;
}

/* A pointer that a macro names is used where it cannot be seen. */
static void mark_hidden(const struct tokens *tokens, struct kernel_signature *kernel)
{
    for (size_t i = 0; i < tokens->count; i++)
        for (size_t j = 0; tokens->items[i].kind == TOKEN_DIRECTIVE && j < kernel->parameter_count;
             j++)
            if (directive_names(&tokens->items[i], kernel->parameters[j].name))
                kernel->parameters[j].is_hidden = true;
}

void uses_mark(const struct tokens *tokens, struct source_signature *out)
{
    size_t kept = 0;
    for (size_t i = 0; i < out->macro_count; i++) {
        out->macros[i].elsewhere = count_uses(tokens, out, out->macros[i].name) == 0;
        out->macros[i].square = uses_as_square(tokens, out->macros[i].name);
    }
    for (size_t i = 0; i < out->kernel_count; i++)
        if (&out->kernels[i] == out->asked)
            mark_hidden(tokens, &out->kernels[i]);
    for (size_t i = 0; i < out->symbol_count; i++) {
        const char *last = strrchr(out->symbols[i].name, ':');
        /* Once where it is declared. */
        if (count_uses(tokens, out, last ? last + 1 : out->symbols[i].name) > 1)
            out->symbols[kept++] = out->symbols[i];
    }
    out->symbol_count = kept;
    out->dynamic_shared = has_dynamic_shared(tokens, out);
}

/* Where the braces of the struct open; count when it is not in the source. */
static size_t find_struct(const struct tokens *tokens, const char *name)
{
    for (size_t i = 0; i + 2 < tokens->count; i++) {
        if (!token_is(tokens, i, "struct"))
            continue;
        size_t open = i + 1;
        while (open < tokens->count && !token_is(tokens, open, "{") &&
               !token_is(tokens, open, ";") && !token_is(tokens, open, "("))
            open++;
        if (!token_is(tokens, open, "{"))
            continue;
        size_t behind = tokens_behind(tokens, open);
        if (token_is(tokens, open - 1, name) || token_is(tokens, behind, name))
            return open;
    }
    return tokens->count;
}

size_t fields_of(struct arena *arena, const struct tokens *tokens, const char *name,
                 const char *fields[FIELDS_MAX])
{
    size_t open = find_struct(tokens, name);
    size_t close = open < tokens->count ? tokens_behind(tokens, open) - 1 : open;
    size_t count = 0;
    for (size_t i = open + 1; i < close; i++) {
        if (token_is(tokens, i, "(") || token_is(tokens, i, "[") || token_is(tokens, i, "{") ||
            token_is(tokens, i, "static") || count == FIELDS_MAX)
            return 0;
        bool ends = token_is(tokens, i + 1, ",") || token_is(tokens, i + 1, ";") ||
                    token_is(tokens, i + 1, "=");
        if (tokens->items[i].kind == TOKEN_NAME && ends)
            fields[count++] = tokens_text(arena, tokens, i, i + 1);
    }
    return count;
}
