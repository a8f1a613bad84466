/* The words of an expression. */
#ifndef TUNE_EXPERIMENT_TOKEN_H
#define TUNE_EXPERIMENT_TOKEN_H

#include "tuner/experiment/expression.h"

enum token_kind {
    TOKEN_END,
    TOKEN_VALUE, /* a number or a text */
    TOKEN_NAME,
    TOKEN_TRUE,
    TOKEN_FALSE,
    TOKEN_AND,
    TOKEN_OR,
    TOKEN_NOT,
    TOKEN_IF,
    TOKEN_ELSE,
    TOKEN_IN,
    TOKEN_COMPARE,
    TOKEN_PLUS,
    TOKEN_MINUS,
    TOKEN_TIMES,
    TOKEN_DIVIDE,
    TOKEN_FLOOR_DIVIDE,
    TOKEN_REMAINDER,
    TOKEN_POWER,
    TOKEN_OPEN,
    TOKEN_CLOSE,
    TOKEN_OPEN_LIST,
    TOKEN_CLOSE_LIST,
    TOKEN_COMMA,
};

struct token {
    enum token_kind kind;
    enum comparison comparison;
    size_t offset; /* in the text */
    size_t length;
    const char *text; /* of a name */
    struct value value;
};

/* The token at or behind `offset`. Texts belong to the arena. */
enum status token_read(struct arena *arena, const struct source_text *source, size_t offset,
                       struct token *out, struct error *error);

/* ASCII, whatever the locale. */
static inline bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}
#endif
