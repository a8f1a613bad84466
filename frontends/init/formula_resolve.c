/* Definitions of the names in expressions of a source. */
#include <stdlib.h>
#include <string.h>

#include "frontends/init/formula.h"
#include "tuner/base/array.h"

enum { RESOLVE_DEPTH_MAX = 12 };

static const struct formula *resolve(const struct formula_scope *scope,
                                     const struct formula *formula, size_t before, int depth);

/* ---- definitions ---- */

/* Finds the nearest definition of a variable before the token, in blocks still open there. *at is
 * its place. */
static const struct formula *find_variable(const struct formula_scope *scope, const char *name,
                                           size_t before, size_t *at)
{
    const struct tokens *tokens = scope->tokens;
    const size_t length = strlen(name);
    size_t closed = 0;
    for (size_t i = before; i-- > scope->first;) {
        const struct token *token = &tokens->items[i];
        if (token->kind == TOKEN_SIGN && token->length == 1) {
            closed += *token->start == '}' ? 1 : 0;
            closed -= *token->start == '{' && closed > 0 ? 1 : 0;
        }
        if (closed > 0 || token->kind != TOKEN_NAME || token->length != length ||
            strncmp(token->start, name, length) != 0 ||
            (i > 0 && token_is_in(tokens, i - 1, ". -> ::")))
            continue;
        const size_t behind = i + 1;
        *at = i;
        if (token_is(tokens, behind, "=")) {
            size_t first = behind + 1;
            return formula_read(scope->arena, tokens, &first, tokens->count);
        }
        if (i > 0 && token_is_in(tokens, behind, "( {") &&
            ((token_is_name(tokens, i - 1) &&
              !token_is_in(tokens, i - 1, "return else __global__")) ||
             (token_is(tokens, i - 1, ",") && i > 1 && token_is(tokens, i - 2, ")")))) {
            size_t first = i; /* `dim3 grid(4), block(BX, BY)`, `int n{4}` */
            const struct formula *made =
                formula_read(scope->arena, tokens, &first, tokens_behind(tokens, behind));
            struct formula sides = made ? *made : (struct formula){.count = 1};
            sides.text = "dim3";
            return sides.count == 1 ? sides.parts[0]
                                    : arena_copy(scope->arena, &sides, sizeof sides);
        }
    }
    return NULL;
}

bool is_constant_sign(const struct tokens *tokens, size_t sign)
{
    if (sign < 2 || !token_is(tokens, sign, "=") || !token_is_name(tokens, sign - 1))
        return false;
    for (size_t i = sign - 1; i > 0 && token_is_name(tokens, i - 1); i--)
        if (token_is_in(tokens, i - 1, "constexpr const"))
            return true;
    return false;
}

struct formula_scope formula_scope_of(struct arena *arena, const struct tokens *tokens,
                                      size_t first, const struct source_signature *kept)
{
    const char *rest = NULL, *end = NULL;
    size_t *defines = arena_alloc(arena, tokens->count + 1, sizeof *defines);
    size_t count = 0;
    for (size_t i = 0; defines && i < tokens->count; i++)
        if (token_is_directive(&tokens->items[i], "define", &rest, &end) ||
            is_constant_sign(tokens, i))
            defines[count++] = i;
    return (struct formula_scope){arena, tokens, first, defines, count, kept};
}

/* Finds the meaning of a name, `#define NAME VALUE` or a constant; the first of several. NULL:
 * there is none. */
static const struct formula *find_define(const struct formula_scope *scope, const char *name)
{
    const char *rest = NULL, *end = NULL;
    const size_t length = strlen(name);
    for (size_t k = 0; k < scope->define_count; k++) {
        struct tokens tokens = *scope->tokens;
        size_t at = scope->defines[k] + 1;
        if (token_is_directive(&tokens.items[at - 1], "define", &rest, &end)) {
            const char *text = arena_strndup(scope->arena, rest, (size_t)(end - rest));
            if (word_bytes(rest, end) != length || strncmp(rest, name, length) != 0 || !text ||
                text[length] == '(' || !tokens_read(scope->arena, text, &tokens))
                continue;
            at = 1;
        } else if (!token_is(&tokens, at - 2, name)) {
            continue;
        }
        const struct formula *formula = formula_read(scope->arena, &tokens, &at, tokens.count);
        if (formula)
            return formula;
    }
    return NULL;
}

/* ---- ceil_div ---- */

/* Finds the part of the sum that is `less` smaller than the whole, whatever the names stand for. */
static const struct formula *part_below(const struct formula *sum, int64_t whole, int64_t less)
{
    int64_t value = 0;
    if (formula_value(sum, true, &value) && value == whole - less)
        return sum;
    const bool is_sum = sum->kind == FORMULA_BINARY && strchr("+-", *sum->text);
    const struct formula *found = is_sum ? part_below(sum->parts[0], whole, less) : NULL;
    return is_sum && !found && *sum->text == '+' ? part_below(sum->parts[1], whole, less) : found;
}

/* Recognises all spellings of (x + d - 1) / d and x / d + 1. Returns NULL for others. */
static const struct formula *as_ceil_div(struct arena *arena, const struct formula *formula)
{
    const struct formula *of = formula->parts[0], *by = formula->parts[1];
    const struct formula *one = formula_number(arena, 1);
    int64_t whole = 0, divisor = 0;
    if (!one || (*formula->text == '+' && !formula_same(by, one)))
        return NULL;
    if (*formula->text == '+') { /* the remainder counts */
        if (of->kind != FORMULA_BINARY || *of->text != '/')
            return NULL;
        const struct formula *less = of->parts[0];
        const bool is_one_less =
            less->kind == FORMULA_BINARY && *less->text == '-' && formula_same(less->parts[1], one);
        return formula_ceil_div(
            arena, is_one_less ? less->parts[0] : formula_binary(arena, "+", less, one),
            of->parts[1]);
    }
    const bool is_known = formula_value(of, true, &whole) && formula_value(by, true, &divisor);
    for (int64_t less = divisor - 1; is_known && divisor > 1 && less <= divisor; less++) {
        const struct formula *covered = part_below(of, whole, less);
        if (covered) /* (x + d) / d has one more */
            return formula_ceil_div(
                arena, less < divisor ? covered : formula_binary(arena, "+", covered, one), by);
    }
    return NULL;
}

/* ---- resolving ---- */

/* Replaces a name by its definition. A name for a number alone stays, with the value; of several
 * assigned values the last that is no result of a function of the program counts. */
static const struct formula *resolve_name(const struct formula_scope *scope,
                                          const struct formula *formula, size_t before, int depth)
{
    const char *name = formula->text;
    struct formula named = *formula;
    size_t at = before;
    const char *dot = strchr(name, '.');
    if (formula->has_number || strcmp(name, "sm_count") == 0 ||
        (dot && word_is_in(name, (size_t)(dot - name), "threadIdx blockIdx blockDim gridDim")))
        return formula;
    if (text_ends_with(name, ".multiProcessorCount"))
        return formula_name(scope->arena, "sm_count");
    for (size_t from = before; from > scope->first && from <= before; from = at) {
        at = from;
        const struct formula *found = find_variable(scope, name, from, &at);
        found = found ? resolve(scope, found, at, depth) : NULL;
        if (!found || at == from)
            break;
        if (found->kind == FORMULA_CALL && strcmp(found->text, "dim3") == 0)
            return found;
        if (!formula_is_plain(found))
            continue;
        const bool has_value = formula_value(found, false, &named.number);
        if (formula_names(found, NULL) || !has_value)
            return found;
        named.has_number = true;
        return arena_copy(scope->arena, &named, sizeof named);
    }
    const struct formula *defined = find_define(scope, name);
    defined = defined ? resolve(scope, defined, 0, depth) : NULL;
    if (defined && formula_names(defined, NULL) && formula_is_plain(defined))
        return defined;
    const struct source_signature *kept = scope->kept;
    const char *preset = NULL;
    char *end = NULL;
    for (size_t i = 0; kept && i < kept->macro_count; i++)
        if (strcmp(kept->macros[i].name, name) == 0)
            preset = kept->macros[i].preset;
    named.number = preset ? strtoll(preset, &end, 0) : 0;
    named.has_number =
        defined ? formula_value(defined, false, &named.number) : preset && *preset && *end == '\0';
    return arena_copy(scope->arena, &named, sizeof named);
}

static const struct formula *resolve(const struct formula_scope *scope,
                                     const struct formula *formula, size_t before, int depth)
{
    struct arena *arena = scope->arena;
    enum element_type type;
    if (++depth > RESOLVE_DEPTH_MAX)
        return formula;
    if (formula->kind == FORMULA_NAME)
        return resolve_name(scope, formula, before, depth);
    if (formula->count == 0)
        return formula;
    if (strcmp(formula->text, "sizeof") == 0)
        return element_from_c_name(formula->parts[0]->text, &type)
                   ? formula_number(arena, (int64_t)element_bytes(type))
                   : formula_name(arena, "sizeof");
    struct formula *copy = arena_copy(arena, formula, sizeof *formula);
    for (size_t i = 0; copy && i < copy->count; i++)
        if (!(copy->parts[i] = resolve(scope, copy->parts[i], before, depth)))
            return NULL;
    const struct formula *of = copy && copy->count == 1 ? copy->parts[0] : NULL, *quotient = NULL;
    if (of && of->kind == FORMULA_BINARY && *of->text == '/' && /* ceil(x / 256.0) */
        word_is_in(copy->text, strlen(copy->text), "ceil ceilf"))
        return formula_ceil_div(arena, of->parts[0], of->parts[1]);
    if (copy && copy->kind == FORMULA_BINARY && strchr("/+", *copy->text))
        quotient = as_ceil_div(arena, copy);
    return quotient ? quotient : copy;
}

const struct formula *formula_resolve(const struct formula_scope *scope,
                                      const struct formula *formula, size_t before)
{
    return resolve(scope, formula, before, 0);
}
