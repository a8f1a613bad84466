/* Reading lists: [1, 2], [2**i for i in range(6)], list(...), range(...), `+`, `*`. */
#include <string.h>

#include "tuner/experiment/parser.h"

static struct expression *list_node(struct parser *parser, enum list_form form,
                                    const struct token *at, size_t count,
                                    const struct expression *const *operands)
{
    struct expression *node = parser_node(parser, EXPRESSION_LIST, at, count, operands);
    if (node)
        node->index = (uint16_t)form;
    return node;
}

static bool is_word(const struct token *token, const char *word)
{
    return token->kind == TOKEN_NAME && strcmp(token->text, word) == 0;
}

/* Looks ahead, behind a '[': the token behind a `for` that comes before its ']'; TOKEN_END when
 * there is none. What is no token is found when it is taken. */
static struct token find_for(struct parser *parser)
{
    struct error ignored;
    struct token token = parser->token;
    int depth = 0;
    while (token.kind != TOKEN_END) {
        if (token.kind == TOKEN_OPEN || token.kind == TOKEN_OPEN_LIST)
            depth++;
        else if ((token.kind == TOKEN_CLOSE || token.kind == TOKEN_CLOSE_LIST) && depth-- == 0)
            break;
        const bool found = depth == 0 && is_word(&token, "for");
        if (token_read(parser->arena, parser->source, token.offset + token.length, &token,
                       &ignored) != STATUS_OK)
            break;
        if (found)
            return token;
    }
    return (struct token){.kind = TOKEN_END};
}

/* `if condition`, as often as there are; all must hold. */
static bool parse_conditions(struct parser *parser, node_or_null *out)
{
    *out = NULL;
    while (parser->token.kind == TOKEN_IF) {
        const struct token at = parser->token;
        if (!parser_advance(parser))
            return false;
        node_or_null condition = parse_or(parser);
        if (condition && *out) {
            const struct expression *both[2] = {*out, condition};
            condition = parser_node(parser, EXPRESSION_AND, &at, 2, both);
        }
        if (!condition)
            return false;
        *out = condition;
    }
    return true;
}

/* The list behind `in`, in which the name is not known yet. */
static node_or_null parse_source(struct parser *parser)
{
    const struct token at = parser->token;
    node_or_null list = parse_or(parser);
    if (!list || is_list(list))
        return list;
    parser->token = at;
    return parser_unexpected(parser, "a list such as range(8)");
}

/* `for name in list if condition]`, behind the item. */
static node_or_null parse_for(struct parser *parser, const struct token *open, node_or_null item)
{
    const char *name = parser->local;
    const struct expression *operands[3] = {item, NULL, NULL};
    if (!is_word(&parser->token, "for"))
        return parser_unexpected(parser, "'for'");
    if (!parser_advance(parser))
        return NULL;
    if (!parser_advance(parser)) /* the name, which find_for has read */
        return NULL;
    if (parser->token.kind != TOKEN_IN)
        return parser_unexpected(parser, "'in'");
    if (!parser_advance(parser))
        return NULL;
    parser->local = NULL;
    operands[1] = parse_source(parser);
    parser->local = name;
    if (!operands[1] || !parse_conditions(parser, &operands[2]))
        return NULL;
    if (is_word(&parser->token, "for"))
        return parser_error(parser, parser->token.offset, "a comprehension has one 'for'");
    if (parser->token.kind != TOKEN_CLOSE_LIST)
        return parser_unexpected(parser, "']'");
    if (!parser_advance(parser))
        return NULL;
    return list_node(parser, LIST_COMPREHENSION, open, operands[2] ? 3 : 2, operands);
}

static node_or_null parse_comprehension(struct parser *parser, const struct token *open,
                                        const char *name)
{
    if (parser->comprehending)
        return parser_error(parser, open->offset, "a comprehension within another");
    parser->comprehending = true;
    parser->local = name;
    node_or_null node = parse_expression(parser);
    if (node && is_list(node))
        node = parser_error(parser, open->offset, "a list of lists is no list of values");
    if (node)
        node = parse_for(parser, open, node);
    parser->comprehending = false;
    parser->local = NULL;
    return node;
}

node_or_null parse_list(struct parser *parser)
{
    const struct token open = parser->token;
    const struct expression **items = NULL;
    size_t count = 0;
    if (!parser_advance(parser))
        return NULL;
    const struct token name = find_for(parser);
    if (name.kind == TOKEN_NAME)
        return parse_comprehension(parser, &open, name.text);
    if (name.kind != TOKEN_END)
        return parser_error(parser, name.offset, "a name is needed behind 'for'");
    if (!parser_items(parser, TOKEN_CLOSE_LIST, "',' or ']'", &items, &count))
        return NULL;
    for (size_t i = 0; i < count; i++)
        if (is_list(items[i]))
            return parser_error(parser, open.offset, "a list of lists is no list of values");
    return list_node(parser, LIST_OF_ITEMS, &open, count, items);
}

bool is_list_call(const struct token *name)
{
    return is_word(name, "range") || is_word(name, "list");
}

node_or_null parse_list_call(struct parser *parser, const struct token *name)
{
    const struct expression **items = NULL;
    size_t count = 0;
    if (!parser_advance(parser) || !parser_items(parser, TOKEN_CLOSE, "',' or ')'", &items, &count))
        return NULL;
    if (is_word(name, "list")) {
        if (count == 1 && is_list(items[0]))
            return items[0];
        return parser_error(parser, name->offset, "list takes one list, such as range(8)");
    }
    if (count < 1 || count > 3)
        return parser_error(parser, name->offset, "range takes 1 to 3 integers, not %zu values",
                            count);
    for (size_t i = 0; i < count; i++)
        if (is_list(items[i]))
            return parser_error(parser, name->offset, "range takes integers, not a list");
    return list_node(parser, LIST_RANGE, name, count, items);
}

node_or_null parse_list_operator(struct parser *parser, enum expression_kind kind,
                                 const struct token *at, node_or_null left, node_or_null right)
{
    const bool both = is_list(left) && is_list(right);
    const struct expression *operands[2] = {left, right};
    if (kind == EXPRESSION_ADD)
        return both ? list_node(parser, LIST_JOINED, at, 2, operands)
                    : parser_error(parser, at->offset, "'+' joins two lists or adds two numbers");
    if (both)
        return parser_error(parser, at->offset, "'*' repeats a list, which takes an integer");
    if (is_list(right)) {
        operands[0] = right;
        operands[1] = left;
    }
    return list_node(parser, LIST_REPEATED, at, 2, operands);
}
