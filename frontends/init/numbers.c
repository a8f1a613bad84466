/* Numbers that may be tuned: the source's macros and constants on which the kernel depends. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "frontends/init/formula.h"
#include "tuner/base/array.h"

/* Where a token stands: outside of functions, in one of the host or another kernel, or in the
 * kernel or a function of the device, which the kernel may call. */
enum where { OUTSIDE, IN_FUNCTION, IN_KERNEL };

struct numbers {
    struct arena *arena;
    const struct tokens *tokens;
    struct source_signature *out;
    uint8_t *where;   /* enum where, for each token */
    struct text left; /* ", BINS (256), RADIUS (3)": not tuned */
};

/* ---- uses by the kernel ---- */

/* Returns true if the text up to `end` contains the name as a word. */
static bool has_word(const char *text, const char *end, const char *name)
{
    const size_t length = strlen(name); /* 0: memory was short, and no word */
    for (const char *at = text;
         length > 0 && at < end && (at = memmem(at, (size_t)(end - at), name, length));
         at += length)
        if ((at + length == end || (!is_name_character(at[length]) && at[length] != '$')) &&
            (at == text || (!is_name_character(at[-1]) && at[-1] != '$')))
            return true;
    return false;
}

/* Returns the end of `name(...) {...}`, with words between, whose name is at the token; 0 for
 * others. */
static size_t function_end(const struct tokens *tokens, size_t name)
{
    if (tokens->items[name].kind != TOKEN_NAME || !token_is(tokens, name + 1, "("))
        return 0;
    size_t body = tokens_behind(tokens, name + 1);
    while (token_is_in(tokens, body, "const noexcept override final"))
        body++;
    return token_is(tokens, body, "{") ? tokens_behind(tokens, body) : 0;
}

/* Returns true for a token in the brackets of a declaration: `float tile[BM][BK]`. */
static bool is_in_extent(const struct tokens *tokens, size_t at)
{
    size_t first = at, open = at;
    for (; first > 0 && !token_is_in(tokens, first - 1, "; { } ="); first--)
        open = token_is(tokens, first, "[") ? first : open;
    return open < at && token_is_name(tokens, first) && token_is_name(tokens, first + 1) &&
           !token_is(tokens, first, "return") && !token_is(tokens, open - 1, ")");
}

/* Returns true if the token tells a count: `cudaMalloc(&bins, BINS * 4)`, or `i < BINS` where i
 * alone is the index into a parameter's vector; in the kernel, the vector's extent. */
static bool is_count(const struct numbers *numbers, size_t at)
{
    const struct tokens *tokens = numbers->tokens;
    struct kernel_signature *kernel = numbers->out->chosen;
    const char *bounded = at > 1 && token_is(tokens, at - 1, "<") && token_is_name(tokens, at - 2)
                              ? tokens_text(numbers->arena, tokens, at - 2, at - 1)
                              : NULL;
    for (size_t i = at; bounded && i < kernel->end_token; i++) {
        if (token_is(tokens, i, bounded) && token_is(tokens, i + 1, "="))
            break; /* another of that name */
        for (size_t j = 0; j < kernel->parameter_count; j++)
            if (token_is(tokens, i, kernel->parameters[j].name) && token_is(tokens, i + 1, "[") &&
                token_is(tokens, i + 2, bounded) && token_is(tokens, i + 3, "]")) {
                if (at > kernel->first_token)
                    kernel->parameters[j].extent = tokens_text(numbers->arena, tokens, at, at + 1);
                return true;
            }
    }
    bool allocates = false;
    for (size_t i = at; i > 0 && !allocates && !token_is_in(tokens, i, "; { }"); i--)
        allocates = memmem(tokens->items[i].start, tokens->items[i].length, "lloc", 4);
    return allocates;
}

struct uses {
    bool is_used, in_extent, in_unroll, in_sum, is_count;
};

/* Finds the uses of a name by the kernel; `is_near`: or by definitions outside of functions. */
static struct uses uses_of(const struct numbers *numbers, const char *name, bool is_near)
{
    const struct tokens *tokens = numbers->tokens;
    const char *rest = NULL, *end = NULL;
    struct uses uses = {0};
    for (size_t i = 0; i < tokens->count; i++) {
        const bool is_own = numbers->where[i] == IN_KERNEL;
        const struct token *token = &tokens->items[i];
        uses.is_count |=
            numbers->where[i] != OUTSIDE && token_is(tokens, i, name) && is_count(numbers, i);
        if (!is_own && !(is_near && numbers->where[i] == OUTSIDE))
            continue;
        if (token->kind == TOKEN_DIRECTIVE && !token_is_directive(token, "ifndef", &rest, &end)) {
            const bool unrolls = token_is_directive(token, "pragma", &rest, &end);
            if (token_is_directive(token, "define", &rest, &end))
                rest += word_bytes(rest, end);
            const bool is_named = has_word(rest, end, name);
            uses.is_used |= is_named;
            uses.in_unroll |= is_named && is_own && unrolls;
        } else if (token_is(tokens, i, name) && !is_constant_sign(tokens, i + 1) &&
                   !(i > 0 && token_is_in(tokens, i - 1, ". -> ::"))) {
            uses.is_used = true;
            uses.in_extent |= is_own && is_in_extent(tokens, i);
            uses.in_sum |= is_own && i > 0 && token_is_in(tokens, i - 1, "+ -");
        }
    }
    return uses;
}

/* ---- dependence on a number ---- */

static bool is_in_launch(const struct source_signature *out, const char *name)
{
    bool is_named = formula_names(out->indices.threads, name);
    for (size_t axis = 0; axis < 3; axis++) {
        const struct formula *grid = out->launch.grid[axis];
        const bool covers = grid && grid->kind == FORMULA_CALL && grid->count == 2;
        is_named |= formula_names(out->launch.block[axis], name) ||
                    formula_names(out->indices.span[axis], name) ||
                    formula_names(out->indices.block[axis], name) ||
                    (covers && formula_names(grid->parts[1], name));
    }
    return is_named;
}

/* Returns true if the size of the work depends on the number. */
static bool is_a_size(const struct source_signature *out, const char *name, struct uses uses)
{
    bool is_named = uses.is_count;
    for (size_t axis = 0; axis < 3; axis++) {
        const struct formula *grid = out->launch.grid[axis];
        is_named |= formula_names(grid && grid->count == 2 ? grid->parts[0] : grid, name);
    }
    return is_named;
}

/* Returns true if the launch, a shared array or an unrolled loop depends on the number. */
static bool is_tunable(const struct source_signature *out, const char *name, struct uses uses)
{
    return is_in_launch(out, name) || uses.in_unroll ||
           (uses.in_extent && !uses.in_sum && !is_a_size(out, name, uses));
}

/* ---- definitions ---- */

/* Reads `#define NAME 256`, or `constexpr int NAME = 256;` at the sign. Returns false for others.
 */
static bool read_number(struct arena *arena, const struct tokens *tokens, size_t at,
                        struct macro_signature *out)
{
    const struct token *token = &tokens->items[at];
    const char *name = NULL, *end = NULL, *value = NULL, *guard = NULL, *guard_end = NULL;
    size_t length = 0, digits = 0;
    bool is_guarded = false;
    if (token_is_directive(token, "define", &name, &end)) {
        length = word_bytes(name, end);
        value = skip_blanks(name + length, end);
        is_guarded = at > 0 && token_is_directive(token - 1, "ifndef", &guard, &guard_end) &&
                     (size_t)(guard_end - guard) == length && strncmp(name, guard, length) == 0;
        if (length == 0 || *name == '_' || name[length] == '(')
            return false;
    } else if (is_constant_sign(tokens, at) && token_is(tokens, at + 2, ";")) {
        name = token[-1].start;
        length = token[-1].length;
        value = token[1].start;
        end = value + token[1].length - (strchr("uUlL", value[token[1].length - 1]) ? 1 : 0);
    } else {
        return false;
    }
    while (value + digits < end && isdigit((unsigned char)value[digits]))
        digits++;
    *out = (struct macro_signature){
        .name = arena_strndup(arena, name, length),
        .preset = arena_strndup(arena, value, is_guarded ? (size_t)(end - value) : digits),
        .fixed = !is_guarded};
    if (!out->name || !out->preset)
        return false;
    return is_guarded ? is_number(out->preset) : value + digits == end && digits > 0 && digits < 10;
}

/* Takes a number as a parameter, or lists it as not tuned. One behind an #ifndef is left out only
 * if the amount of work depends on the number, and the launch does not. */
static void take_number(struct numbers *numbers, const struct macro_signature *number)
{
    struct source_signature *out = numbers->out;
    const char *listed = arena_printf(numbers->arena, ", %s (", number->name);
    const bool is_launched = is_in_launch(out, number->name);
    const struct uses uses = uses_of(numbers, number->name, is_launched || !number->fixed);
    const bool is_tuned = !number->fixed ? is_launched || !is_a_size(out, number->name, uses)
                                         : is_tunable(out, number->name, uses) &&
                                               strtoll(number->preset, NULL, 10) <= 1024;
    for (size_t i = 0; i < out->chosen->parameter_count && !is_tuned; i++) {
        const char **extent = &out->chosen->parameters[i].extent;
        *extent = *extent && strcmp(*extent, number->name) == 0 ? number->preset : *extent;
    }
    for (size_t i = 0; i < out->macro_count; i++)
        if (strcmp(out->macros[i].name, number->name) == 0) {
            out->macros[i].is_given = number->fixed ? out->macros[i].is_given : !uses.is_used;
            return;
        }
    if (!uses.is_used || !listed || strstr(text_string(&numbers->left), listed))
        return;
    if (!is_tuned)
        text_printf(&numbers->left, "%s%s)", listed, number->preset);
    else if (out->macro_count < MACROS_MAX)
        out->macros[out->macro_count++] = *number;
}

bool numbers_read(struct arena *arena, const struct tokens *tokens, struct source_signature *out)
{
    struct numbers numbers = {.arena = arena, .tokens = tokens, .out = out};
    const struct kernel_signature *kernel = out->chosen;
    struct macro_signature number;
    numbers.where = arena_alloc(arena, tokens->count + 1, sizeof *numbers.where);
    if (!numbers.where)
        return false;
    for (size_t i = 0, behind; i < tokens->count; i = behind ? behind : i + 1)
        if ((behind = function_end(tokens, i)) > 0) {
            size_t first = i;
            while (first > 0 && !token_is_in(tokens, first, "; { } __device__"))
                first--;
            memset(numbers.where + i,
                   token_is(tokens, first, "__device__") ? IN_KERNEL : IN_FUNCTION, behind - i);
        }
    memset(numbers.where + kernel->first_token, IN_KERNEL, kernel->end_token - kernel->first_token);
    for (size_t i = 0; i < out->macro_count; i++) { /* given ones */
        struct macro_signature *macro = &out->macros[i];
        const struct uses uses = uses_of(&numbers, macro->name, true);
        const long value = is_number(macro->preset) ? strtol(macro->preset, NULL, 0) : 0;
        const bool is_one = value >= 1 && value <= 1024 && is_tunable(out, macro->name, uses);
        macro->is_given = !uses.is_used || (macro->is_given && !is_one);
    }
    for (size_t i = 0; i < tokens->count && !arena->failed; i++)
        if ((numbers.where[i] == OUTSIDE || (i >= kernel->first_token && i < kernel->end_token)) &&
            read_number(arena, tokens, i, &number))
            take_number(&numbers, &number);
    const char *all = text_to_arena(&numbers.left, arena);
    out->not_tuned = all && *all ? all + 2 : NULL;
    return !arena->failed;
}
