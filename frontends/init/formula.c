#include "frontends/init/formula.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tuner/base/array.h"

enum { DEPTH_MAX = 64 };

/* Operators by how tightly they bind. */
static const struct {
    const char *sign;
    int level;
} signs[] = {{"*", 10}, {"/", 10}, {"%", 10}, {"+", 9},  {"-", 9},  {"<<", 8},
             {">>", 8}, {"<", 7},  {">", 7},  {"<=", 7}, {">=", 7}, {"==", 6},
             {"!=", 6}, {"&", 5},  {"^", 4},  {"|", 3},  {"&&", 2}, {"||", 1}};

static const char integer_types[] = "int unsigned long short char signed size_t int32_t uint32_t "
                                    "int64_t uint64_t uint std const float double auto ptrdiff_t";

/* ---- making ---- */

static const struct formula *make(struct arena *arena, struct formula formula)
{
    return arena_copy(arena, &formula, sizeof formula);
}

const struct formula *formula_number(struct arena *arena, int64_t number)
{
    return make(arena, (struct formula){.kind = FORMULA_NUMBER, .number = number});
}

const struct formula *formula_name(struct arena *arena, const char *name)
{
    return make(arena, (struct formula){.kind = FORMULA_NAME, .text = name});
}

const struct formula *formula_binary(struct arena *arena, const char *sign, const struct formula *a,
                                     const struct formula *b)
{
    if (!a || !b)
        return NULL;
    const bool product = strcmp(sign, "*") == 0;
    if (product && a->kind == FORMULA_NUMBER && a->number == 1)
        return b;
    if ((product || strcmp(sign, "/") == 0) && b->kind == FORMULA_NUMBER && b->number == 1)
        return a;
    return make(
        arena, (struct formula){.kind = FORMULA_BINARY, .text = sign, .count = 2, .parts = {a, b}});
}

const struct formula *formula_ceil_div(struct arena *arena, const struct formula *a,
                                       const struct formula *b)
{
    const struct formula made = {
        .kind = FORMULA_CALL, .text = "ceil_div", .count = 2, .parts = {a, b}};
    if (b && b->kind == FORMULA_NUMBER && b->number == 1)
        return a;
    return a && b ? make(arena, made) : NULL;
}

/* ---- reading ---- */

struct reader {
    struct arena *arena;
    const struct tokens *tokens;
    size_t at, end;
    int depth;
};

static const struct formula *read_whole(struct reader *reader);

static bool is(const struct reader *reader, const char *text)
{
    return reader->at < reader->end && token_is(reader->tokens, reader->at, text);
}

static const struct formula *unknown(struct reader *reader)
{
    return make(reader->arena, (struct formula){.kind = FORMULA_UNKNOWN});
}

static const struct formula *read_number(struct reader *reader)
{
    const struct token *token = &reader->tokens->items[reader->at++];
    const char *text = arena_strndup(reader->arena, token->start, token->length);
    if (!text || strncasecmp(text, "0x", 2) == 0 || !strpbrk(text, ".eEfF"))
        return text ? formula_number(reader->arena, (int64_t)strtoull(text, NULL, 0)) : NULL;
    const double real = strtod(text, NULL); /* int n = 1e6, ceil(n / 256.0) */
    return real < 1e15 && real == (double)(int64_t)real
               ? formula_number(reader->arena, (int64_t)real)
               : unknown(reader);
}

/* Reads the arguments between brackets. */
static void read_parts(struct reader *reader, struct formula *call)
{
    const size_t close = tokens_behind(reader->tokens, reader->at) - 1;
    struct reader inner = *reader;
    inner.end = close < reader->end ? close : reader->end;
    inner.at = reader->at + 1;
    while (inner.at < inner.end) {
        const struct formula *part = read_whole(&inner);
        if (call->count == FORMULA_PARTS_MAX || !part ||
            (inner.at < inner.end && !is(&inner, ","))) {
            call->kind = FORMULA_UNKNOWN;
            break;
        }
        call->parts[call->count++] = part;
        inner.at++;
    }
    reader->at = inner.end + 1;
}

/* Reads a name, a call, sizeof(float) or static_cast<int>(x). */
static const struct formula *read_name(struct reader *reader)
{
    const struct tokens *tokens = reader->tokens;
    while (token_is(tokens, reader->at + 1, "::") && reader->at + 2 < reader->end)
        reader->at += 2;
    const char *name = tokens_text(reader->arena, tokens, reader->at, reader->at + 1);
    reader->at++;
    while (name && (is(reader, ".") || is(reader, "->")) && reader->at + 1 < reader->end) {
        const struct token *member = &tokens->items[reader->at + 1];
        name = arena_printf(reader->arena, "%s.%.*s", name, (int)member->length, member->start);
        reader->at += 2;
    }
    if (!name)
        return NULL;
    struct formula call = {.kind = FORMULA_CALL, .text = name};
    const bool casts = text_ends_with(name, "_cast");
    if (is(reader, "<") && (casts || strcmp(name, "max") == 0 || strcmp(name, "min") == 0)) {
        const size_t behind = tokens_behind_angle(tokens, reader->at);
        if (token_is(tokens, behind, "("))
            reader->at = behind;
    }
    if (strcmp(name, "sizeof") == 0 && is(reader, "(")) {
        const size_t behind = tokens_behind(tokens, reader->at);
        const char *type = tokens_text(reader->arena, tokens, reader->at + 1, behind - 1);
        reader->at = behind;
        call.count = 1;
        call.parts[0] = formula_name(reader->arena, type);
        return type && call.parts[0] ? make(reader->arena, call) : NULL;
    }
    if (is(reader, "[")) {
        reader->at = tokens_behind(tokens, reader->at);
        return unknown(reader);
    }
    if (!is(reader, "(") && !is(reader, "{"))
        return formula_name(reader->arena, name);
    read_parts(reader, &call);
    const bool converts = casts || word_is_in(name, strlen(name), integer_types);
    return converts && call.kind == FORMULA_CALL && call.count == 1 ? call.parts[0]
                                                                    : make(reader->arena, call);
}

static const struct formula *read_primary(struct reader *reader)
{
    const struct tokens *tokens = reader->tokens;
    if (reader->at >= reader->end || reader->depth > DEPTH_MAX)
        return NULL;
    const enum token_kind kind = tokens->items[reader->at].kind;
    if (kind == TOKEN_NUMBER)
        return read_number(reader);
    if (kind == TOKEN_NAME)
        return read_name(reader);
    if (is(reader, "(") || is(reader, "{")) {
        const bool is_list = is(reader, "{");
        struct formula call = {.kind = FORMULA_CALL, .text = "dim3"};
        read_parts(reader, &call);
        const bool casts = !is_list && reader->at < reader->end && /* `(unsigned long)x` */
                           (tokens->items[reader->at].kind == TOKEN_NAME ||
                            tokens->items[reader->at].kind == TOKEN_NUMBER || is(reader, "("));
        if (casts)
            return read_primary(reader);
        return is_list                                        ? make(reader->arena, call)
               : call.kind == FORMULA_CALL && call.count == 1 ? call.parts[0]
                                                              : unknown(reader);
    }
    const bool minus = is(reader, "-");
    reader->at++;
    if (!minus)
        return unknown(reader);
    reader->depth++;
    const struct formula *of = read_primary(reader);
    reader->depth--;
    return of && of->kind == FORMULA_NUMBER
               ? formula_number(reader->arena, -of->number)
               : formula_binary(reader->arena, "-", formula_number(reader->arena, 0), of);
}

/* Returns the precedence of the operator at the reader; 0: there is none. */
static int level_at(const struct reader *reader, const char **sign)
{
    if (is(reader, ">") && reader->at + 1 < reader->end &&
        token_is(reader->tokens, reader->at + 1, ">")) {
        *sign = ">>"; /* two tokens, which may close templates */
        return 8;
    }
    for (size_t i = 0; i < COUNT(signs); i++)
        if (is(reader, signs[i].sign)) {
            *sign = signs[i].sign;
            return signs[i].level;
        }
    return 0;
}

static const struct formula *read_binary(struct reader *reader, int least)
{
    const struct formula *left = read_primary(reader);
    const char *sign = NULL;
    for (int level = 0; left && (level = level_at(reader, &sign)) >= least && level > 0;) {
        reader->at += strcmp(sign, ">>") == 0 ? 2 : 1;
        left = formula_binary(reader->arena, sign, left, read_binary(reader, level + 1));
    }
    return left;
}

static const struct formula *read_whole(struct reader *reader)
{
    if (++reader->depth > DEPTH_MAX)
        return NULL;
    const struct formula *formula = read_binary(reader, 1);
    reader->depth--;
    return is(reader, "?") ? unknown(reader) : formula;
}

const struct formula *formula_read(struct arena *arena, const struct tokens *tokens, size_t *at,
                                   size_t end)
{
    struct reader reader = {.arena = arena,
                            .tokens = tokens,
                            .at = *at,
                            .end = end < tokens->count ? end : tokens->count};
    const struct formula *formula = read_whole(&reader);
    *at = reader.at;
    return formula;
}

/* ---- asking ---- */

bool formula_same(const struct formula *a, const struct formula *b)
{
    if (a->kind != b->kind || a->count != b->count || a->number != b->number ||
        (a->text && b->text ? strcmp(a->text, b->text) != 0 : a->text != b->text))
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (!formula_same(a->parts[i], b->parts[i]))
            return false;
    return true;
}

bool formula_any(const struct formula *formula, formula_test test, const void *context)
{
    bool found = formula && test(formula, context);
    for (size_t i = 0; formula && i < formula->count && !found; i++)
        found = formula_any(formula->parts[i], test, context);
    return found;
}

static bool is_named(const struct formula *formula, const void *name)
{
    return formula->kind == FORMULA_NAME && (!name || strcmp(formula->text, name) == 0);
}

bool formula_names(const struct formula *formula, const char *name)
{
    return formula_any(formula, is_named, name);
}

static bool is_unwritable(const struct formula *formula, const void *context)
{
    (void)context;
    return formula->kind == FORMULA_UNKNOWN ||
           (formula->kind == FORMULA_CALL &&
            !word_is_in(formula->text, strlen(formula->text), "ceil_div min max sizeof"));
}

bool formula_is_plain(const struct formula *formula)
{
    return !formula_any(formula, is_unwritable, NULL);
}

bool formula_value(const struct formula *formula, bool anyhow, int64_t *value)
{
    const char *sign = formula->text;
    int64_t a = 0, b = 0;
    *value = formula->number;
    if (formula->kind == FORMULA_NUMBER)
        return true;
    if (formula->kind == FORMULA_NAME) {
        for (const char *at = sign; anyhow && !formula->has_number && *at; at++)
            *value = (*value * 31 + *at) % 4093 + 1024;
        return anyhow || formula->has_number;
    }
    if (formula->count != 2 || !formula_value(formula->parts[0], anyhow, &a) ||
        !formula_value(formula->parts[1], anyhow, &b))
        return false;
    if (formula->kind == FORMULA_CALL) {
        const bool divides = strcmp(sign, "ceil_div") == 0 && b > 0;
        const bool least = strcmp(sign, "min") == 0, most = strcmp(sign, "max") == 0;
        *value = divides ? (a + b - 1) / b : least == (a < b) ? a : b;
        return divides || least || most;
    }
    if (*sign == '+')
        return !__builtin_add_overflow(a, b, value);
    if (*sign == '-')
        return !__builtin_sub_overflow(a, b, value);
    if (*sign == '*')
        return !__builtin_mul_overflow(a, b, value);
    if (*sign == '/' || *sign == '%') {
        *value = b <= 0 ? 0 : *sign == '/' ? a / b : a % b;
        return b > 0;
    }
    const bool shifts = strchr("<>", *sign) && sign[1] == *sign && a >= 0 && b >= 0 && b < 40 &&
                        a < (INT64_C(1) << 22);
    *value = !shifts ? 0 : *sign == '<' ? a << b : a >> b;
    return shifts;
}

bool formula_factor(struct arena *arena, const struct formula *formula, const char *name,
                    const struct formula **out)
{
    const struct formula *a = NULL, *b = NULL;
    *out = NULL;
    if (!formula_names(formula, name))
        return true;
    if (formula->kind == FORMULA_NAME)
        return (*out = formula_number(arena, 1)) != NULL;
    if (formula->kind != FORMULA_BINARY || !strchr("+-*", *formula->text))
        return false;
    if (!formula_factor(arena, formula->parts[0], name, &a) ||
        !formula_factor(arena, formula->parts[1], name, &b))
        return false;
    if (a && b)
        return false;
    if (*formula->text != '*') {
        *out = a ? a : b;
        return a || *formula->text == '+';
    }
    *out = a ? formula_binary(arena, "*", a, formula->parts[1])
             : formula_binary(arena, "*", formula->parts[0], b);
    return *out;
}

const struct formula *formula_without(struct arena *arena, const struct formula *a,
                                      const struct formula *b)
{
    if (b->kind == FORMULA_NUMBER && b->number == 1)
        return a;
    if (formula_same(a, b))
        return formula_number(arena, 1);
    if (a->kind == FORMULA_NUMBER && b->kind == FORMULA_NUMBER && b->number > 0 &&
        a->number % b->number == 0)
        return formula_number(arena, a->number / b->number);
    if (a->kind == FORMULA_BINARY && *a->text == '*') {
        const struct formula *left = formula_without(arena, a->parts[0], b);
        if (left)
            return formula_binary(arena, "*", left, a->parts[1]);
        const struct formula *right = formula_without(arena, a->parts[1], b);
        if (right)
            return formula_binary(arena, "*", a->parts[0], right);
    }
    return NULL;
}

const struct formula *formula_replace(struct arena *arena, const struct formula *formula,
                                      const struct formula *(*replace)(const struct formula *name,
                                                                       void *context),
                                      void *context)
{
    if (formula->kind == FORMULA_NAME || formula->kind == FORMULA_NUMBER) {
        const struct formula *by = replace(formula, context);
        return by ? by : formula;
    }
    struct formula copy = *formula;
    for (size_t i = 0; i < copy.count; i++)
        if (!(copy.parts[i] = formula_replace(arena, copy.parts[i], replace, context)))
            return NULL;
    if (copy.kind == FORMULA_BINARY)
        return formula_binary(arena, copy.text, copy.parts[0], copy.parts[1]);
    return copy.count > 0 ? make(arena, copy) : formula;
}

/* ---- writing ---- */

/* Writes the expression, in brackets if its operator binds less than `least`. */
static void put_part(const struct formula *formula, int least, struct text *out)
{
    int level = 12;
    for (size_t i = 0; i < COUNT(signs) && formula->kind == FORMULA_BINARY; i++)
        if (strcmp(signs[i].sign, formula->text) == 0)
            level = signs[i].level >= 8 ? signs[i].level : 1; /* the languages' orders differ */
    text_append(out, level < least ? "(" : "");
    if (formula->kind == FORMULA_NUMBER) {
        text_printf(out, "%lld", (long long)formula->number);
    } else if (formula->kind == FORMULA_BINARY) {
        put_part(formula->parts[0], level, out);
        text_printf(out, " %s ", *formula->text == '/' ? "//" : formula->text);
        put_part(formula->parts[1], level + 1, out);
    } else {
        text_append(out, formula->text ? formula->text : "?");
        for (size_t i = 0; i < formula->count; i++) {
            text_append(out, i ? ", " : "(");
            put_part(formula->parts[i], 0, out);
        }
        text_append(out, formula->count > 0 ? ")" : "");
    }
    text_append(out, level < least ? ")" : "");
}

void formula_put(const struct formula *formula, struct text *out)
{
    put_part(formula, 0, out);
}
