/* Between the files that read expressions. */
#ifndef TUNE_EXPERIMENT_PARSER_H
#define TUNE_EXPERIMENT_PARSER_H

#include "tuner/experiment/expression.h"
#include "tuner/experiment/token.h"

struct parser {
    struct arena *arena;
    const struct source_text *source;
    const struct scope *scope;
    const char *local; /* the name of a comprehension, where it is known; else NULL */
    bool comprehending;
    struct slot_set uses;
    struct token token; /* the next one, not yet taken */
    unsigned nesting;
    size_t placed_offset; /* of the last node, and its column: places are counted on from there */
    uint32_t placed_column;
    struct error *error;
};

/* NULL: the error is filled. */
typedef const struct expression *node_or_null;

/* Takes the token. */
bool parser_advance(struct parser *parser);
node_or_null parser_error(struct parser *parser, size_t offset, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "unexpected 'x' where `wanted` is needed". */
node_or_null parser_unexpected(struct parser *parser, const char *wanted);
/* Refuses lists as operands of what takes none. */
struct expression *parser_node(struct parser *parser, enum expression_kind kind,
                               const struct token *at, size_t operand_count,
                               const struct expression *const *operands);
/* Expressions up to the closing token, which is taken. The items are in the arena. */
bool parser_items(struct parser *parser, enum token_kind close, const char *wanted,
                  const struct expression ***items, size_t *count);

node_or_null parse_expression(struct parser *parser);
node_or_null parse_or(struct parser *parser);
/* At '['. */
node_or_null parse_list(struct parser *parser);
/* list(...) or range(...), at the parenthesis. */
bool is_list_call(const struct token *name);
node_or_null parse_list_call(struct parser *parser, const struct token *name);
/* What `+` or `*` make of lists; neither operand NULL, one of them a list. */
node_or_null parse_list_operator(struct parser *parser, enum expression_kind kind,
                                 const struct token *at, node_or_null left, node_or_null right);

static inline bool is_list(const struct expression *node)
{
    return node->kind == EXPRESSION_LIST;
}

#endif
