/* What all of the parser's files need: errors, tokens, nodes. */
#include "tuner/experiment/parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool parser_advance(struct parser *parser)
{
    size_t after = parser->token.offset + parser->token.length;
    return token_read(parser->arena, parser->source, after, &parser->token, parser->error) ==
           STATUS_OK;
}

node_or_null parser_error(struct parser *parser, size_t offset, const char *format, ...)
{
    char what[ERROR_TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    (void)place_error(parser->error, STATUS_BAD_INPUT, source_place(parser->source, offset), "%s",
                      what);
    return NULL;
}

node_or_null parser_unexpected(struct parser *parser, const char *wanted)
{
    const struct token *token = &parser->token;
    if (token->kind == TOKEN_END)
        return parser_error(parser, token->offset, "the expression ends where %s is needed",
                            wanted);
    return parser_error(parser, token->offset, "unexpected '%.*s' where %s is needed",
                        (int)(token->length < 40 ? token->length : 40),
                        parser->source->text + token->offset, wanted);
}

/* source_place, but that it does not count the columns of a long text anew for each node. */
static struct place node_place(struct parser *parser, size_t offset)
{
    struct source_text rest = *parser->source;
    if (!rest.exact || offset < parser->placed_offset)
        return source_place(parser->source, offset);
    rest.text += parser->placed_offset;
    if (parser->placed_offset > 0)
        rest.place.column = parser->placed_column;
    const struct place place = source_place(&rest, offset - parser->placed_offset);
    parser->placed_offset = offset;
    parser->placed_column = place.column;
    return place;
}

/* Lists are operands of comparisons (in), of lists, of [index], and of min and max alone. */
static bool takes_lists(enum expression_kind kind, size_t operand_count)
{
    return kind == EXPRESSION_LIST || kind == EXPRESSION_COMPARE || kind == EXPRESSION_ITEM ||
           (kind == EXPRESSION_CALL && operand_count == 1);
}

struct expression *parser_node(struct parser *parser, enum expression_kind kind,
                               const struct token *at, size_t operand_count,
                               const struct expression *const *operands)
{
    struct place place = node_place(parser, at->offset);
    unsigned depth = 0;
    for (size_t i = 0; i < operand_count; i++) {
        if (operands[i]->depth > depth)
            depth = operands[i]->depth;
        if (is_list(operands[i]) && !takes_lists(kind, operand_count)) {
            (void)parser_error(parser, at->offset, "a list has no value here");
            return NULL;
        }
    }
    if (depth >= EXPRESSION_DEPTH_MAX) {
        (void)parser_error(parser, at->offset, "the expression is nested more than %d deep",
                           EXPRESSION_DEPTH_MAX);
        return NULL;
    }
    struct expression *node = arena_alloc(parser->arena, 1, sizeof *node);
    const struct expression **copy =
        operand_count > 0
            ? arena_copy(parser->arena, (const void *)operands, operand_count * sizeof *operands)
            : NULL;
    if (!node || (operand_count > 0 && !copy)) {
        (void)error_no_memory(parser->error);
        return NULL;
    }
    *node = (struct expression){.kind = (uint8_t)kind,
                                .depth = (uint8_t)(depth + 1),
                                .count = (uint32_t)operand_count,
                                .line = place.line,
                                .column = place.column,
                                .operands = copy};
    return node;
}

/* Twice as much room. */
static bool grow_items(struct parser *parser, const struct expression ***items, size_t count,
                       size_t *capacity)
{
    const size_t larger = *capacity ? *capacity * 2 : 16;
    const struct expression **copy = arena_alloc(parser->arena, larger, sizeof(*copy));
    if (!copy) {
        (void)error_no_memory(parser->error);
        return false;
    }
    if (count > 0)
        memcpy(copy, *items, count * sizeof *copy);
    *items = copy;
    *capacity = larger;
    return true;
}

bool parser_items(struct parser *parser, enum token_kind close, const char *wanted,
                  const struct expression ***items, size_t *count)
{
    size_t capacity = 0;
    *count = 0;
    *items = NULL;
    while (parser->token.kind != close) {
        if (*count == LIST_VALUES_MAX)
            return parser_error(parser, parser->token.offset, "more than %d values in a list",
                                LIST_VALUES_MAX) != NULL;
        if (*count == capacity && !grow_items(parser, items, *count, &capacity))
            return false;
        (*items)[*count] = parse_expression(parser);
        if (!(*items)[(*count)++])
            return false;
        if (parser->token.kind == close)
            break;
        if (parser->token.kind != TOKEN_COMMA)
            return parser_unexpected(parser, wanted) != NULL;
        if (!parser_advance(parser))
            return false;
    }
    return parser_advance(parser);
}
