#include "tuner/experiment/token.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/text.h"

struct place source_place(const struct source_text *source, size_t offset)
{
    struct place place = source->place;
    if (source->exact)
        for (size_t i = 0; i < offset && source->text[i]; i++)
            if (((unsigned char)source->text[i] & 0xc0) != 0x80)
                place.column++;
    return place;
}

static enum status fail(const struct source_text *source, size_t offset, struct error *error,
                        const char *subject)
{
    return place_error(error, STATUS_BAD_INPUT, source_place(source, offset), "%s", subject);
}

static int digit_value(char c)
{
    if (is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return 99;
}

/* Reads Python's integers: 10, 1_000, 0x1f, 0b101, 0o17. */
static enum status read_integer(const struct source_text *source, struct token *token, int base,
                                size_t skip, struct error *error)
{
    int64_t value = 0;
    bool digit_before = skip > 0;
    size_t at = token->offset + skip;
    const char *text = source->text;
    for (;; at++) {
        if (text[at] == '_' && digit_before && digit_value(text[at + 1]) < base) {
            digit_before = false;
            continue;
        }
        int digit = digit_value(text[at]);
        if (digit >= base)
            break;
        if (__builtin_mul_overflow(value, (int64_t)base, &value) ||
            __builtin_add_overflow(value, (int64_t)digit, &value))
            return fail(source, token->offset, error, "the integer does not fit 64 bits");
        digit_before = true;
    }
    token->length = at - token->offset;
    if (is_name_character(text[at]) || token->length == skip)
        return fail(source, token->offset, error,
                    "this is no number (a million is 1000000, a MiB 2**20)");
    if (base == 10 && token->length > 1 && text[token->offset] == '0' && value != 0)
        return fail(source, token->offset, error,
                    "an integer does not begin with 0 (octal is 0o17)");
    token->value = value_integer(value);
    return STATUS_OK;
}

static enum status read_number(struct arena *arena, const struct source_text *source,
                               struct token *token, struct error *error)
{
    const char *text = source->text + token->offset;
    token->kind = TOKEN_VALUE;
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
        return read_integer(source, token, 16, 2, error);
    if (text[0] == '0' && (text[1] == 'b' || text[1] == 'B'))
        return read_integer(source, token, 2, 2, error);
    if (text[0] == '0' && (text[1] == 'o' || text[1] == 'O'))
        return read_integer(source, token, 8, 2, error);
    /* A real has a point or an exponent. */
    size_t length = 0;
    bool is_real = false;
    while (is_digit(text[length]))
        length++;
    if (text[length] == '.') {
        is_real = true;
        length++;
        while (is_digit(text[length]))
            length++;
    }
    if (text[length] == 'e' || text[length] == 'E') {
        size_t sign = text[length + 1] == '+' || text[length + 1] == '-' ? 1 : 0;
        if (is_digit(text[length + 1 + sign])) {
            is_real = true;
            length += 1 + sign;
            while (is_digit(text[length]))
                length++;
        }
    }
    if (!is_real)
        return read_integer(source, token, 10, 0, error);
    token->length = length;
    if (is_name_character(text[length]))
        return fail(source, token->offset, error,
                    "this is no number (a million is 1000000, a MiB 2**20)");
    char *digits = arena_strndup(arena, text, length);
    TRY_MEMORY(digits);
    double real = strtod(digits, NULL);
    if (!isfinite(real))
        return fail(source, token->offset, error, "the number is too large");
    token->value = value_real(real);
    return STATUS_OK;
}

static enum status read_text(struct arena *arena, const struct source_text *source,
                             struct token *token, struct error *error)
{
    const char *text = source->text + token->offset;
    char quote = text[0];
    char *out = arena_alloc(arena, strlen(text), 1);
    TRY_MEMORY(out);
    size_t length = 0;
    size_t at = 1;
    for (; text[at] != quote; at++) {
        if (text[at] == '\0')
            return fail(source, token->offset, error, "the text has no closing quote");
        static const char escapes[] = {'\\', '\'', '"', 'n', 't'};
        static const char meanings[] = "\\'\"\n\t";
        const char *escape =
            text[at] == '\\' ? memchr(escapes, text[at + 1], sizeof escapes) : NULL;
        if (text[at] == '\\' && !escape)
            return fail(source, token->offset + at, error,
                        "an escape that is none of \\\\ \\' \\\" \\n \\t");
        out[length++] = escape ? meanings[escape - escapes] : text[at];
        at += escape ? 1 : 0;
    }
    token->kind = TOKEN_VALUE;
    token->length = at + 1;
    token->value = value_text(out);
    return STATUS_OK;
}

static const struct {
    const char *text;
    struct token token;
} words[] =
    {
        {"True", {.kind = TOKEN_VALUE, .value = {.kind = VALUE_BOOLEAN, .integer = 1}}},
        {"False", {.kind = TOKEN_VALUE, .value = {.kind = VALUE_BOOLEAN, .integer = 0}}},
        {"and", {.kind = TOKEN_BINARY, .level = LEVEL_AND, .makes = EXPRESSION_AND}},
        {"or", {.kind = TOKEN_BINARY, .level = LEVEL_OR, .makes = EXPRESSION_OR}},
        {"not", {.kind = TOKEN_NOT}},
        {"if", {.kind = TOKEN_IF}},
        {"else", {.kind = TOKEN_ELSE}},
        {"in", {.kind = TOKEN_IN}},
},
  symbols[] = {
      /* the longer ones first */
      {"**", {.kind = TOKEN_BINARY, .level = LEVEL_POWER, .makes = EXPRESSION_POWER}},
      {"//", {.kind = TOKEN_BINARY, .level = LEVEL_PRODUCT, .makes = EXPRESSION_FLOOR_DIVIDE}},
      {"<<", {.kind = TOKEN_BINARY, .level = LEVEL_SHIFT, .makes = EXPRESSION_SHIFT_LEFT}},
      {">>", {.kind = TOKEN_BINARY, .level = LEVEL_SHIFT, .makes = EXPRESSION_SHIFT_RIGHT}},
      {"==", {.kind = TOKEN_COMPARE, .comparison = COMPARE_EQUAL}},
      {"!=", {.kind = TOKEN_COMPARE, .comparison = COMPARE_UNEQUAL}},
      {"<=", {.kind = TOKEN_COMPARE, .comparison = COMPARE_LESS_EQUAL}},
      {">=", {.kind = TOKEN_COMPARE, .comparison = COMPARE_GREATER_EQUAL}},
      {"<", {.kind = TOKEN_COMPARE, .comparison = COMPARE_LESS}},
      {">", {.kind = TOKEN_COMPARE, .comparison = COMPARE_GREATER}},
      {"+", {.kind = TOKEN_BINARY, .level = LEVEL_SUM, .makes = EXPRESSION_ADD}},
      {"-", {.kind = TOKEN_BINARY, .level = LEVEL_SUM, .makes = EXPRESSION_SUBTRACT}},
      {"*", {.kind = TOKEN_BINARY, .level = LEVEL_PRODUCT, .makes = EXPRESSION_MULTIPLY}},
      {"/", {.kind = TOKEN_BINARY, .level = LEVEL_PRODUCT, .makes = EXPRESSION_DIVIDE}},
      {"%", {.kind = TOKEN_BINARY, .level = LEVEL_PRODUCT, .makes = EXPRESSION_REMAINDER}},
      {"|", {.kind = TOKEN_BINARY, .level = LEVEL_BIT_OR, .makes = EXPRESSION_BIT_OR}},
      {"^", {.kind = TOKEN_BINARY, .level = LEVEL_BIT_XOR, .makes = EXPRESSION_BIT_XOR}},
      {"&", {.kind = TOKEN_BINARY, .level = LEVEL_BIT_AND, .makes = EXPRESSION_BIT_AND}},
      {"~", {.kind = TOKEN_INVERT}},
      {"(", {.kind = TOKEN_OPEN}},
      {")", {.kind = TOKEN_CLOSE}},
      {"[", {.kind = TOKEN_OPEN_LIST}},
      {"]", {.kind = TOKEN_CLOSE_LIST}},
      {",", {.kind = TOKEN_COMMA}},
      {":", {.kind = TOKEN_COLON}},
};

enum status token_read(struct arena *arena, const struct source_text *source, size_t offset,
                       struct token *out, struct error *error)
{
    const char *text = source->text;
    while (text[offset] == ' ' || text[offset] == '\t' || text[offset] == '\n' ||
           text[offset] == '\r')
        offset++;
    *out = (struct token){.kind = TOKEN_END, .offset = offset};
    char c = text[offset];
    if (c == '\0')
        return STATUS_OK;
    if (is_digit(c) || (c == '.' && is_digit(text[offset + 1])))
        return read_number(arena, source, out, error);
    if (c == '\'' || c == '"')
        return read_text(arena, source, out, error);
    if (name_begins(c)) {
        size_t length = 0;
        while (is_name_character(text[offset + length]))
            length++;
        const char *word = arena_strndup(arena, text + offset, length);
        TRY_MEMORY(word);
        const size_t index = ROW_INDEX(word, words, text);
        *out = index < COUNT(words) ? words[index].token : (struct token){.kind = TOKEN_NAME};
        out->text = word;
        out->offset = offset;
        out->length = length;
        return STATUS_OK;
    }
    text += offset;
    if (strncmp(text, "&&", 2) == 0 || strncmp(text, "||", 2) == 0 ||
        (text[0] == '!' && text[1] != '='))
        return fail(source, out->offset, error,
                    "write 'and', 'or', 'not', as Python does, for &&, ||, !");
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        const size_t length = strlen(symbols[i].text);
        if (strncmp(text, symbols[i].text, length) != 0)
            continue;
        *out = symbols[i].token;
        out->offset = offset;
        out->length = length;
        return STATUS_OK;
    }
    if (text[0] == '=')
        return fail(source, out->offset, error, "'=' is no operator; did you mean '=='?");
    if (text[0] == '.')
        return fail(source, out->offset, error, "expressions have no attributes ('a.b')");
    if (text[0] == '{')
        return fail(source, out->offset, error,
                    "expressions have no dictionaries, sets, slices and functions of their own");
    return fail(source, out->offset, error, "a character that no expression has");
}
