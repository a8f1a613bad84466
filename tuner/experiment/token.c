#include "tuner/experiment/token.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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
                        const char *what)
{
    return place_error(error, STATUS_BAD_INPUT, source_place(source, offset), "%s", what);
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

/* Python's integers: 10, 1_000, 0x1f, 0b101, 0o17. */
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
    if (name_goes_on(text[at]) || token->length == skip)
        return fail(source, token->offset, error, "this is no number");
    if (base == 10 && token->length > 1 && text[token->offset] == '0' && value != 0)
        return fail(source, token->offset, error,
                    "an integer does not begin with 0 (octal is 0o17)");
    token->value = value_integer(value);
    return STATUS_OK;
}

/* The length of a real, or 0 when what is there is an integer. */
static size_t real_length(const char *text)
{
    size_t i = 0;
    bool real = false;
    while (is_digit(text[i]))
        i++;
    if (text[i] == '.') {
        real = true;
        i++;
        while (is_digit(text[i]))
            i++;
    }
    if (text[i] == 'e' || text[i] == 'E') {
        size_t sign = text[i + 1] == '+' || text[i + 1] == '-' ? 1 : 0;
        if (is_digit(text[i + 1 + sign])) {
            real = true;
            i += 1 + sign;
            while (is_digit(text[i]))
                i++;
        }
    }
    return real ? i : 0;
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
    size_t length = real_length(text);
    if (length == 0)
        return read_integer(source, token, 10, 0, error);
    token->length = length;
    if (name_goes_on(text[length]))
        return fail(source, token->offset, error, "this is no number");
    char *digits = arena_strndup(arena, text, length);
    if (!digits)
        return error_no_memory(error);
    double real = strtod(digits, NULL);
    if (!isfinite(real))
        return fail(source, token->offset, error, "the number is too large");
    token->value = value_real(real);
    return STATUS_OK;
}

static bool unescape(char c, char *out)
{
    switch (c) {
    case '\\':
    case '\'':
    case '"':
        *out = c;
        return true;
    case 'n':
        *out = '\n';
        return true;
    case 't':
        *out = '\t';
        return true;
    default:
        return false;
    }
}

static enum status read_text(struct arena *arena, const struct source_text *source,
                             struct token *token, struct error *error)
{
    const char *text = source->text + token->offset;
    char quote = text[0];
    char *out = arena_alloc(arena, strlen(text), 1);
    if (!out)
        return error_no_memory(error);
    size_t length = 0;
    size_t at = 1;
    for (; text[at] != quote; at++) {
        if (text[at] == '\0')
            return fail(source, token->offset, error, "the text has no closing quote");
        char c = text[at];
        if (c == '\\' && !unescape(text[++at], &c))
            return fail(source, token->offset + at - 1, error,
                        "an escape that is none of \\\\ \\' \\\" \\n \\t");
        out[length++] = c;
    }
    token->kind = TOKEN_VALUE;
    token->length = at + 1;
    token->value = value_text(out);
    return STATUS_OK;
}

static enum status read_word(struct arena *arena, const struct source_text *source,
                             struct token *token, struct error *error)
{
    static const struct {
        const char *word;
        enum token_kind kind;
    } keywords[] = {
        {"True", TOKEN_TRUE}, {"False", TOKEN_FALSE}, {"and", TOKEN_AND},   {"or", TOKEN_OR},
        {"not", TOKEN_NOT},   {"if", TOKEN_IF},       {"else", TOKEN_ELSE}, {"in", TOKEN_IN},
    };
    const char *text = source->text + token->offset;
    while (name_goes_on(text[token->length]))
        token->length++;
    token->text = arena_strndup(arena, text, token->length);
    if (!token->text)
        return error_no_memory(error);
    token->kind = TOKEN_NAME;
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (strcmp(token->text, keywords[i].word) == 0)
            token->kind = keywords[i].kind;
    return STATUS_OK;
}

static const struct {
    const char *text;
    enum token_kind kind;
    enum comparison comparison;
} symbols[] = {
    /* the longer ones first */
    {"**", TOKEN_POWER, 0},
    {"//", TOKEN_FLOOR_DIVIDE, 0},
    {"==", TOKEN_COMPARE, COMPARE_EQUAL},
    {"!=", TOKEN_COMPARE, COMPARE_UNEQUAL},
    {"<=", TOKEN_COMPARE, COMPARE_LESS_EQUAL},
    {">=", TOKEN_COMPARE, COMPARE_GREATER_EQUAL},
    {"<", TOKEN_COMPARE, COMPARE_LESS},
    {">", TOKEN_COMPARE, COMPARE_GREATER},
    {"+", TOKEN_PLUS, 0},
    {"-", TOKEN_MINUS, 0},
    {"*", TOKEN_TIMES, 0},
    {"/", TOKEN_DIVIDE, 0},
    {"%", TOKEN_REMAINDER, 0},
    {"(", TOKEN_OPEN, 0},
    {")", TOKEN_CLOSE, 0},
    {"[", TOKEN_OPEN_LIST, 0},
    {"]", TOKEN_CLOSE_LIST, 0},
    {",", TOKEN_COMMA, 0},
};

static enum status read_symbol(const struct source_text *source, struct token *token,
                               struct error *error)
{
    const char *text = source->text + token->offset;
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        size_t length = strlen(symbols[i].text);
        if (strncmp(text, symbols[i].text, length) != 0)
            continue;
        token->kind = symbols[i].kind;
        token->comparison = symbols[i].comparison;
        token->length = length;
        return STATUS_OK;
    }
    if (text[0] == '=')
        return fail(source, token->offset, error, "'=' is no operator; did you mean '=='?");
    if (strncmp(text, "&&", 2) == 0 || strncmp(text, "||", 2) == 0 || text[0] == '!')
        return fail(source, token->offset, error,
                    "write 'and', 'or', 'not', as Python does, for &&, ||, !");
    if (text[0] == '.')
        return fail(source, token->offset, error, "expressions have no attributes ('a.b')");
    if (text[0] == '{' || text[0] == ':')
        return fail(source, token->offset, error,
                    "expressions have no dictionaries, sets, slices and functions of their own");
    if (text[0] == '&' || text[0] == '|' || text[0] == '^' || text[0] == '~')
        return fail(source, token->offset, error, "expressions have no operators on bits");
    return fail(source, token->offset, error, "a character that no expression has");
}

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
    if (name_begins(c))
        return read_word(arena, source, out, error);
    return read_symbol(source, out, error);
}
