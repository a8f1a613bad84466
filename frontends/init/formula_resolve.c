/* Definitions of the names in expressions of a source. */
#include <stdlib.h>
#include <string.h>

#include "frontends/init/formula.h"
#include "tuner/base/array.h"

enum { RESOLVE_DEPTH_MAX = 12 };

struct resolving {
    const struct formula_scope *scope;
    int depth;
};

static const struct formula *resolve(struct resolving resolving, const struct formula *formula,
                                     size_t before);

/* ---- definitions ---- */

/* Finds the list that the name is a parameter of, in a function's definition, and its place there.
 * Returns the list's bracket, 0: the name is no parameter. */
static size_t list_of(const struct tokens *tokens, size_t name, size_t *index)
{
    size_t open = name, closed = 0; /* `a * n)` of a call looks alike */
    if (!token_is_in(tokens, name + 1, ", )") || name == 0 ||
        token_is_in(tokens, name - 1, "return") ||
        !(token_is_name(tokens, name - 1) ||
          (token_is_in(tokens, name - 1, "* &") && token_is_name(tokens, name - 2))))
        return 0;
    for (*index = 0; open > 0 && (closed > 0 || !token_is(tokens, open, "(")); open--) {
        closed += token_is_in(tokens, open, ") >") ? 1 : 0;
        closed -= token_is_in(tokens, open, "( <") && closed > 0 ? 1 : 0;
        *index += token_is(tokens, open, ",") && closed == 0 ? 1 : 0;
    }
    return open > 0 && token_is(tokens, tokens_behind(tokens, open), "{") ? open : 0;
}

/* Finds the argument of the first call for a parameter of a function of the host, whose list begins
 * at `open`; *at: where. */
static const struct formula *passed_for(const struct formula_scope *scope, size_t open,
                                        size_t index, size_t *at)
{
    const struct tokens *tokens = scope->tokens;
    const char *function =
        token_is_name(tokens, open - 1) ? tokens_text(scope->arena, tokens, open - 1, open) : NULL;
    for (size_t i = 0; function && i < tokens->count; i++) {
        if (i == open - 1 || !token_is(tokens, i, function) || !token_is(tokens, i + 1, "(") ||
            token_is(tokens, tokens_behind(tokens, i + 1), "{"))
            continue;
        const size_t end = tokens_behind(tokens, i + 1) - 1;
        size_t first = i + 2;
        for (size_t k = 0; k < index && first < end; k++)
            first = item_end(tokens, first, end) + 1;
        *at = i;
        return first < end ? formula_read(scope->arena, tokens, &first, end) : NULL;
    }
    return NULL;
}

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
        size_t index = 0;
        const size_t list = list_of(tokens, i, &index);
        if (list > 0)
            return scope->first > 0 ? NULL : passed_for(scope, list, index, at);
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

/* Parameters of a macro, and a call's values for these. */
struct binding {
    size_t count;
    const char *names[FORMULA_PARTS_MAX];
    const struct formula *call;
};

static const struct formula *bound(const struct formula *name, void *context)
{
    const struct binding *binding = context;
    for (size_t i = 0; i < binding->count && name->kind == FORMULA_NAME; i++)
        if (strcmp(binding->names[i], name->text) == 0)
            return binding->call->parts[i];
    return NULL;
}

/* Finds the meaning of a name, `#define NAME VALUE` or a constant, or of a call of a macro; the
 * first of several. NULL: there is none. */
static const struct formula *find_define(const struct formula_scope *scope,
                                         const struct formula *of)
{
    const char *rest = NULL, *end = NULL;
    const bool calls = of->kind == FORMULA_CALL;
    const size_t length = strlen(of->text);
    for (size_t k = 0; k < scope->define_count; k++) {
        struct tokens tokens = *scope->tokens;
        struct binding binding = {.call = of};
        size_t at = scope->defines[k] + 1;
        if (token_is_directive(&tokens.items[at - 1], "define", &rest, &end)) {
            const char *text = arena_strndup(scope->arena, rest, (size_t)(end - rest));
            if (word_bytes(rest, end) != length || strncmp(rest, of->text, length) != 0 || !text ||
                (text[length] == '(') != calls || !tokens_read(scope->arena, text, &tokens))
                continue;
            at = 1;
        } else if (calls || !token_is(&tokens, at - 2, of->text)) {
            continue;
        }
        for (const size_t behind = calls ? tokens_behind(&tokens, at) : 0; at < behind; at++)
            if (token_is_name(&tokens, at) && binding.count < FORMULA_PARTS_MAX)
                binding.names[binding.count++] = tokens_text(scope->arena, &tokens, at, at + 1);
        if (binding.count != (calls ? of->count : 0) || scope->arena->failed)
            continue;
        const struct formula *formula = formula_read(scope->arena, &tokens, &at, tokens.count);
        if (formula)
            return calls ? formula_replace(scope->arena, formula, bound, &binding) : formula;
    }
    return NULL;
}

/* ---- ceil_div ---- */

enum { TERMS_MAX = 6 };

struct sum {
    size_t count;
    const struct formula *terms[TERMS_MAX];
    int64_t number; /* sum of the numbers */
    bool failed;
};

static void add_terms(const struct formula *formula, struct sum *sum)
{
    const char sign = formula->kind == FORMULA_BINARY ? *formula->text : '\0';
    if (sign == '+' || (sign == '-' && formula->parts[1]->kind == FORMULA_NUMBER)) {
        add_terms(formula->parts[0], sum);
        if (sign == '+')
            add_terms(formula->parts[1], sum);
        else
            sum->number -= formula->parts[1]->number;
    } else if (formula->kind == FORMULA_NUMBER) {
        sum->number += formula->number;
    } else if (sum->count == TERMS_MAX) {
        sum->failed = true;
    } else {
        sum->terms[sum->count++] = formula;
    }
}

/* Recognises all spellings of (x + d - 1) / d and x / d + 1. Returns NULL for others. */
static const struct formula *as_ceil_div(struct arena *arena, const struct formula *formula)
{
    const struct formula *of = formula->parts[0], *by = formula->parts[1];
    struct sum sum = {0};
    bool found = false;
    if (*formula->text == '+') {
        const bool last = by->kind == FORMULA_NUMBER;
        const struct formula *one = last ? by : of, *quotient = last ? of : by;
        if (one->kind != FORMULA_NUMBER || one->number != 1 || quotient->kind != FORMULA_BINARY ||
            *quotient->text != '/')
            return NULL;
        add_terms(quotient->parts[0], &sum);
        by = quotient->parts[1];
        sum.number++;
        found = true;
    } else {
        add_terms(of, &sum);
        found = by->kind == FORMULA_NUMBER && by->number > 1 && sum.number >= by->number - 1;
        sum.number -= found ? by->number - 1 : 0;
        for (size_t i = 0; !found && i < sum.count && sum.number >= -1; i++)
            if (formula_same(sum.terms[i], by)) {
                sum.terms[i] = sum.terms[--sum.count];
                sum.number++;
                found = true;
            }
    }
    if (!found || sum.failed || sum.count == 0)
        return NULL;
    const struct formula *left = sum.terms[0];
    for (size_t i = 1; i < sum.count; i++)
        left = formula_binary(arena, "+", left, sum.terms[i]);
    if (sum.number != 0)
        left = formula_binary(arena, sum.number > 0 ? "+" : "-", left,
                              formula_number(arena, sum.number > 0 ? sum.number : -sum.number));
    return formula_ceil_div(arena, left, by);
}

/* ---- resolving ---- */

/* Replaces a name by its definition. A name for a number alone stays, with the value; of several
 * assigned values the last that is no result of a function of the program counts. */
static const struct formula *resolve_name(struct resolving resolving, const struct formula *formula,
                                          size_t before)
{
    const struct formula_scope *scope = resolving.scope;
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
        found = found ? resolve(resolving, found, at) : NULL;
        if (!found || at == from)
            break;
        if (found->kind == FORMULA_CALL && strcmp(found->text, "dim3") == 0)
            return found;
        if (!formula_is_plain(found))
            continue;
        const bool has_value = formula_value(found, &named.number);
        if (!has_value && found->kind == FORMULA_BINARY && strcmp(found->text, "<<") == 0 &&
            found->parts[1]->kind == FORMULA_NAME)
            return formula; /* 1 << power: a size with a name of its own */
        if (formula_names(found, NULL) || !has_value)
            return found;
        named.has_number = true;
        return arena_copy(scope->arena, &named, sizeof named);
    }
    const struct formula *defined = find_define(scope, formula);
    defined = defined ? resolve(resolving, defined, 0) : NULL;
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
        defined ? formula_value(defined, &named.number) : preset && *preset && *end == '\0';
    return arena_copy(scope->arena, &named, sizeof named);
}

/* Returns a copy with resolved parts; NULL without memory. */
static struct formula *resolve_parts(struct resolving resolving, const struct formula *formula,
                                     size_t before)
{
    struct formula *copy = arena_copy(resolving.scope->arena, formula, sizeof *formula);
    for (size_t i = 0; copy && i < copy->count; i++)
        if (!(copy->parts[i] = resolve(resolving, copy->parts[i], before)))
            return NULL;
    return copy;
}

static const struct formula *resolve_call(struct resolving resolving, const struct formula *formula,
                                          size_t before)
{
    struct arena *arena = resolving.scope->arena;
    if (strcmp(formula->text, "sizeof") == 0) {
        enum element_type type;
        return element_from_c_name(formula->parts[0]->text, &type)
                   ? formula_number(arena, (int64_t)element_bytes(type))
                   : formula_name(arena, "sizeof");
    }
    struct formula *copy = resolve_parts(resolving, formula, before);
    if (!copy)
        return NULL;
    const struct formula *of = copy->count == 1 ? copy->parts[0] : NULL;
    if (of && of->kind == FORMULA_BINARY && *of->text == '/' && /* ceil(x / 256.0) */
        word_is_in(copy->text, strlen(copy->text), "ceil ceilf")) {
        const struct formula *by = of->parts[1];
        if (by->kind == FORMULA_REAL && by->has_number)
            by = formula_number(arena, by->number);
        return formula_ceil_div(arena, of->parts[0], by);
    }
    if (word_is_in(copy->text, strlen(copy->text), "min max dim3"))
        return copy;
    const struct formula *returned = find_define(resolving.scope, copy);
    returned = returned ? resolve(resolving, returned, before) : NULL;
    return returned ? returned : copy;
}

static const struct formula *resolve(struct resolving resolving, const struct formula *formula,
                                     size_t before)
{
    struct arena *arena = resolving.scope->arena;
    if (++resolving.depth > RESOLVE_DEPTH_MAX)
        return formula;
    if (formula->kind == FORMULA_NAME)
        return resolve_name(resolving, formula, before);
    if (formula->kind == FORMULA_CALL)
        return resolve_call(resolving, formula, before);
    if (formula->count == 0)
        return formula;
    struct formula *copy = resolve_parts(resolving, formula, before);
    if (!copy)
        return NULL;
    const struct formula *quotient =
        copy->kind == FORMULA_BINARY && strchr("/+", *copy->text) ? as_ceil_div(arena, copy) : NULL;
    return quotient ? quotient : copy;
}

const struct formula *formula_resolve(const struct formula_scope *scope,
                                      const struct formula *formula, size_t before)
{
    return resolve((struct resolving){.scope = scope}, formula, before);
}
