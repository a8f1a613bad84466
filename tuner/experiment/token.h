/* Tokens of an expression. */
#ifndef TUNE_EXPERIMENT_TOKEN_H
#define TUNE_EXPERIMENT_TOKEN_H

#include "tuner/experiment/expression.h"

enum token_kind {
    TOKEN_END,
    TOKEN_VALUE, /* a number, a text, True, False */
    TOKEN_NAME,
    TOKEN_NOT,
    TOKEN_IF,
    TOKEN_ELSE,
    TOKEN_IN,
    TOKEN_COMPARE,
    TOKEN_BINARY, /* an operator between two values; + and - may also be signs */
    TOKEN_INVERT,
    TOKEN_OPEN,
    TOKEN_CLOSE,
    TOKEN_OPEN_LIST,
    TOKEN_CLOSE_LIST,
    TOKEN_COMMA,
    TOKEN_COLON,
};

/* Python's precedence levels, from the weakest. */
enum level {
    LEVEL_OR,
    LEVEL_AND,
    LEVEL_NOT, /* and comparisons */
    LEVEL_BIT_OR,
    LEVEL_BIT_XOR,
    LEVEL_BIT_AND,
    LEVEL_SHIFT,
    LEVEL_SUM,
    LEVEL_PRODUCT,
    LEVEL_SIGN,
    LEVEL_POWER,
};

struct token {
    enum token_kind kind;
    enum level level;           /* TOKEN_BINARY */
    enum expression_kind makes; /* TOKEN_BINARY */
    enum comparison comparison; /* TOKEN_COMPARE */
    size_t offset;              /* in the text */
    size_t length;
    const char *text; /* a word's */
    struct value value;
};

/* Reads the token at or behind `offset`. Texts belong to the arena. */
enum status token_read(struct arena *arena, const struct source_text *source, size_t offset,
                       struct token *out, struct error *error);

/* Returns whether the character is an ASCII digit, whatever the locale. */
static inline bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}
#endif
