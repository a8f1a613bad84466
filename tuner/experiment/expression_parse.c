/* A recursive-descent parser, a function for each level of Python's grammar. */
#include "tuner/experiment/expression.h"

#include <string.h>

#include "tuner/experiment/token.h"

struct parser {
    struct arena *arena;
    const struct source_text *source;
    const struct scope *scope;
    struct slot_set uses;
    struct token token; /* the next one, not yet taken */
    unsigned nesting;
    struct error *error;
};

/* Parentheses pass through three of the functions that count. */
enum { NESTING_MAX = 3 * EXPRESSION_DEPTH_MAX };

typedef const struct expression *node_or_null;

static node_or_null parse_expression(struct parser *parser);

static bool advance(struct parser *parser)
{
    size_t after = parser->token.offset + parser->token.length;
    return token_read(parser->arena, parser->source, after, &parser->token, parser->error) ==
           STATUS_OK;
}

static node_or_null unexpected(struct parser *parser, const char *wanted)
{
    const struct token *token = &parser->token;
    struct place place = source_place(parser->source, token->offset);
    if (token->kind == TOKEN_END)
        (void)place_error(parser->error, STATUS_BAD_INPUT, place,
                          "the expression ends where %s is needed", wanted);
    else
        (void)place_error(parser->error, STATUS_BAD_INPUT, place,
                          "unexpected '%.*s' where %s is needed",
                          (int)(token->length < 40 ? token->length : 40),
                          parser->source->text + token->offset, wanted);
    return NULL;
}

static struct expression *new_node(struct parser *parser, enum expression_kind kind,
                                   const struct token *at, size_t operand_count,
                                   const struct expression *const *operands)
{
    struct place place = source_place(parser->source, at->offset);
    unsigned depth = 0;
    for (size_t i = 0; i < operand_count; i++)
        if (operands[i]->depth > depth)
            depth = operands[i]->depth;
    if (depth >= EXPRESSION_DEPTH_MAX) {
        (void)place_error(parser->error, STATUS_BAD_INPUT, place,
                          "the expression is nested more than %d deep", EXPRESSION_DEPTH_MAX);
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

static node_or_null new_constant(struct parser *parser, struct value value)
{
    struct expression *node = new_node(parser, EXPRESSION_CONSTANT, &parser->token, 0, NULL);
    if (!node)
        return NULL;
    node->constant = value;
    return advance(parser) ? node : NULL;
}

static node_or_null undefined_name(struct parser *parser, const struct token *name, bool called)
{
    const char *words[SLOTS_MAX + 64];
    size_t count = 0;
    if (!called) {
        for (size_t i = 0; i < parser->scope->count; i++)
            if (parser->scope->names[i])
                words[count++] = parser->scope->names[i];
        words[count++] = "True";
        words[count++] = "False";
    }
    size_t functions = 0;
    const char *const *function = function_names(&functions);
    for (size_t i = 0; called && i < functions; i++)
        words[count++] = function[i];
    (void)place_error(parser->error, STATUS_BAD_INPUT, source_place(parser->source, name->offset),
                      "%s '%s' is not defined%s", called ? "function" : "name", name->text,
                      suggest(name->text, words, count).text);
    return NULL;
}

/* A list of expressions up to the closing token, which is taken. */
static bool parse_items(struct parser *parser, enum token_kind close, const char *wanted,
                        const struct expression **items, size_t *count)
{
    *count = 0;
    while (parser->token.kind != close) {
        if (*count == LIST_ITEMS_MAX) {
            (void)place_error(parser->error, STATUS_BAD_INPUT,
                              source_place(parser->source, parser->token.offset),
                              "more than %d values in a list", LIST_ITEMS_MAX);
            return false;
        }
        items[*count] = parse_expression(parser);
        if (!items[(*count)++])
            return false;
        if (parser->token.kind == close)
            break;
        if (parser->token.kind != TOKEN_COMMA) {
            (void)unexpected(parser, wanted);
            return false;
        }
        if (!advance(parser))
            return false;
    }
    return advance(parser);
}

static node_or_null parse_call(struct parser *parser, const struct token *name)
{
    int function = function_find(name->text);
    if (function < 0)
        return undefined_name(parser, name, true);
    const struct expression *operands[LIST_ITEMS_MAX];
    size_t count = 0;
    if (!advance(parser) || !parse_items(parser, TOKEN_CLOSE, "',' or ')'", operands, &count))
        return NULL;
    const char *refusal = function_refuses(function, count);
    if (refusal) {
        (void)place_error(parser->error, STATUS_BAD_INPUT,
                          source_place(parser->source, name->offset), "%s %s, not %zu", name->text,
                          refusal, count);
        return NULL;
    }
    struct expression *node = new_node(parser, EXPRESSION_CALL, name, count, operands);
    if (node)
        node->index = (uint16_t)function;
    return node;
}

static node_or_null parse_name(struct parser *parser)
{
    struct token name = parser->token;
    if (!advance(parser))
        return NULL;
    if (parser->token.kind == TOKEN_OPEN)
        return parse_call(parser, &name);
    for (size_t slot = 0; slot < parser->scope->count; slot++) {
        const char *known = parser->scope->names[slot];
        if (!known || strcmp(known, name.text) != 0)
            continue;
        struct expression *node = new_node(parser, EXPRESSION_VARIABLE, &name, 0, NULL);
        if (!node)
            return NULL;
        node->index = (uint16_t)slot;
        slot_set_add(&parser->uses, slot);
        return node;
    }
    if (function_find(name.text) >= 0) {
        (void)place_error(parser->error, STATUS_BAD_INPUT,
                          source_place(parser->source, name.offset),
                          "'%s' is a function: call it with (...)", name.text);
        return NULL;
    }
    return undefined_name(parser, &name, false);
}

static node_or_null parse_parentheses(struct parser *parser)
{
    if (!advance(parser))
        return NULL;
    node_or_null inner = parse_expression(parser);
    if (!inner)
        return NULL;
    if (parser->token.kind != TOKEN_CLOSE)
        return unexpected(parser, "')'");
    return advance(parser) ? inner : NULL;
}

static node_or_null parse_atom(struct parser *parser)
{
    switch (parser->token.kind) {
    case TOKEN_VALUE:
        return new_constant(parser, parser->token.value);
    case TOKEN_TRUE:
        return new_constant(parser, value_boolean(true));
    case TOKEN_FALSE:
        return new_constant(parser, value_boolean(false));
    case TOKEN_NAME:
        return parse_name(parser);
    case TOKEN_OPEN:
        return parse_parentheses(parser);
    default:
        return unexpected(parser, "a value");
    }
}

/* Every way down the grammar that nests passes here or through parse_unary or parse_not. */
static bool enter(struct parser *parser)
{
    if (parser->nesting++ < NESTING_MAX)
        return true;
    (void)place_error(parser->error, STATUS_BAD_INPUT,
                      source_place(parser->source, parser->token.offset),
                      "the expression is nested too deeply");
    return false;
}

static node_or_null binary(struct parser *parser, enum expression_kind kind,
                           const struct token *operator, node_or_null left, node_or_null right)
{
    if (!left || !right)
        return NULL;
    const struct expression *operands[2] = {left, right};
    return new_node(parser, kind, operator, 2, operands);
}

static node_or_null parse_unary(struct parser *parser);

/* ** binds tighter than a minus before it and looser than one behind it: -2**-1 is -(2**(-1)). */
static node_or_null parse_power(struct parser *parser)
{
    node_or_null base = parse_atom(parser);
    if (!base || parser->token.kind != TOKEN_POWER)
        return base;
    struct token operator= parser->token;
    if (!advance(parser))
        return NULL;
    return binary(parser, EXPRESSION_POWER, &operator, base, parse_unary(parser));
}

static node_or_null parse_prefixed(struct parser *parser, enum expression_kind kind,
                                   node_or_null (*parse_operand)(struct parser *))
{
    struct token operator= parser->token;
    if (!advance(parser))
        return NULL;
    node_or_null operand = parse_operand(parser);
    return operand ? new_node(parser, kind, &operator, 1, &operand) : NULL;
}

static node_or_null parse_unary(struct parser *parser)
{
    if (!enter(parser))
        return NULL;
    node_or_null node = NULL;
    if (parser->token.kind == TOKEN_MINUS)
        node = parse_prefixed(parser, EXPRESSION_NEGATE, parse_unary);
    else if (parser->token.kind == TOKEN_PLUS)
        node = parse_prefixed(parser, EXPRESSION_PLUS, parse_unary);
    else
        node = parse_power(parser);
    parser->nesting--;
    return node;
}

static bool is_product(enum token_kind token, enum expression_kind *kind)
{
    switch (token) {
    case TOKEN_TIMES:
        *kind = EXPRESSION_MULTIPLY;
        return true;
    case TOKEN_DIVIDE:
        *kind = EXPRESSION_DIVIDE;
        return true;
    case TOKEN_FLOOR_DIVIDE:
        *kind = EXPRESSION_FLOOR_DIVIDE;
        return true;
    case TOKEN_REMAINDER:
        *kind = EXPRESSION_REMAINDER;
        return true;
    default:
        return false;
    }
}

static bool is_sum(enum token_kind token, enum expression_kind *kind)
{
    *kind = token == TOKEN_PLUS ? EXPRESSION_ADD : EXPRESSION_SUBTRACT;
    return token == TOKEN_PLUS || token == TOKEN_MINUS;
}

static node_or_null parse_left(struct parser *parser,
                               node_or_null (*parse_operand)(struct parser *),
                               bool (*is_operator)(enum token_kind, enum expression_kind *))
{
    node_or_null left = parse_operand(parser);
    enum expression_kind kind = EXPRESSION_ADD;
    while (left && is_operator(parser->token.kind, &kind)) {
        struct token operator= parser->token;
        if (!advance(parser))
            return NULL;
        left = binary(parser, kind, &operator, left, parse_operand(parser));
    }
    return left;
}

static node_or_null parse_product(struct parser *parser)
{
    return parse_left(parser, parse_unary, is_product);
}

static node_or_null parse_sum(struct parser *parser)
{
    return parse_left(parser, parse_product, is_sum);
}

/* Takes a comparison's token or tokens. *found false when the next one is none. */
static bool take_comparison(struct parser *parser, bool *found, enum comparison *out)
{
    *found = true;
    if (parser->token.kind == TOKEN_COMPARE) {
        *out = parser->token.comparison;
    } else if (parser->token.kind == TOKEN_IN) {
        *out = COMPARE_IN;
    } else if (parser->token.kind == TOKEN_NOT) {
        *out = COMPARE_NOT_IN;
        if (!advance(parser))
            return false;
        if (parser->token.kind != TOKEN_IN) {
            (void)unexpected(parser, "'in'");
            return false;
        }
    } else {
        *found = false;
        return true;
    }
    return advance(parser);
}

static node_or_null parse_list(struct parser *parser)
{
    struct token open = parser->token;
    if (open.kind != TOKEN_OPEN_LIST)
        return unexpected(parser, "a list such as [1, 2]");
    const struct expression *items[LIST_ITEMS_MAX];
    size_t count = 0;
    if (!advance(parser) || !parse_items(parser, TOKEN_CLOSE_LIST, "',' or ']'", items, &count))
        return NULL;
    return new_node(parser, EXPRESSION_LIST, &open, count, items);
}

enum { CHAIN_MAX = 16 };

static node_or_null parse_comparison(struct parser *parser)
{
    const struct expression *operands[CHAIN_MAX + 1];
    uint8_t comparisons[CHAIN_MAX];
    size_t count = 0;
    operands[0] = parse_sum(parser);
    struct token first = parser->token;
    while (operands[count]) {
        bool found = false;
        enum comparison comparison = COMPARE_EQUAL;
        struct token at = parser->token;
        if (!take_comparison(parser, &found, &comparison))
            return NULL;
        if (!found)
            break;
        if (count == CHAIN_MAX || operands[count]->kind == EXPRESSION_LIST) {
            (void)place_error(parser->error, STATUS_BAD_INPUT,
                              source_place(parser->source, at.offset),
                              "too long a chain of comparisons, or one that goes on behind a list");
            return NULL;
        }
        comparisons[count++] = (uint8_t)comparison;
        bool list = comparison == COMPARE_IN || comparison == COMPARE_NOT_IN;
        operands[count] = list ? parse_list(parser) : parse_sum(parser);
    }
    if (!operands[count] || count == 0)
        return operands[count];
    struct expression *node = new_node(parser, EXPRESSION_COMPARE, &first, count + 1, operands);
    if (!node)
        return NULL;
    node->comparisons = arena_copy(parser->arena, comparisons, count);
    if (!node->comparisons)
        (void)error_no_memory(parser->error);
    return node->comparisons ? node : NULL;
}

static node_or_null parse_not(struct parser *parser)
{
    if (!enter(parser))
        return NULL;
    node_or_null node = parser->token.kind == TOKEN_NOT
                            ? parse_prefixed(parser, EXPRESSION_NOT, parse_not)
                            : parse_comparison(parser);
    parser->nesting--;
    return node;
}

static bool is_and(enum token_kind token, enum expression_kind *kind)
{
    *kind = EXPRESSION_AND;
    return token == TOKEN_AND;
}

static bool is_or(enum token_kind token, enum expression_kind *kind)
{
    *kind = EXPRESSION_OR;
    return token == TOKEN_OR;
}

static node_or_null parse_and(struct parser *parser)
{
    return parse_left(parser, parse_not, is_and);
}

static node_or_null parse_or(struct parser *parser)
{
    return parse_left(parser, parse_and, is_or);
}

static node_or_null parse_conditional(struct parser *parser)
{
    node_or_null value = parse_or(parser);
    if (!value || parser->token.kind != TOKEN_IF)
        return value;
    struct token operator= parser->token;
    if (!advance(parser))
        return NULL;
    node_or_null condition = parse_or(parser);
    if (!condition)
        return NULL;
    if (parser->token.kind != TOKEN_ELSE)
        return unexpected(parser, "'else'");
    if (!advance(parser))
        return NULL;
    node_or_null otherwise = parse_expression(parser);
    if (!otherwise)
        return NULL;
    const struct expression *operands[3] = {condition, value, otherwise};
    return new_node(parser, EXPRESSION_CONDITIONAL, &operator, 3, operands);
}

static node_or_null parse_expression(struct parser *parser)
{
    if (!enter(parser))
        return NULL;
    node_or_null node = parse_conditional(parser);
    parser->nesting--;
    return node;
}

enum status expression_parse(struct arena *arena, const struct source_text *source,
                             const struct scope *scope, struct formula *out, struct error *error)
{
    struct parser parser = {.arena = arena, .source = source, .scope = scope, .error = error};
    if (strlen(source->text) > EXPRESSION_BYTES_MAX)
        return place_error(error, STATUS_BAD_INPUT, source->place,
                           "the expression is longer than %d bytes", EXPRESSION_BYTES_MAX);
    if (!advance(&parser))
        return error->status;
    node_or_null tree = parse_expression(&parser);
    if (tree && parser.token.kind != TOKEN_END) {
        (void)unexpected(&parser, "an operator or the end");
        tree = NULL;
    }
    if (!tree)
        return error->status;
    *out = (struct formula){
        .tree = tree, .uses = parser.uses, .place = source->place, .text = source->text};
    return STATUS_OK;
}

enum status expression_constant(struct arena *arena, struct place place, struct value value,
                                struct formula *out, struct error *error)
{
    struct expression *node = arena_alloc(arena, 1, sizeof *node);
    if (!node)
        return error_no_memory(error);
    *node = (struct expression){.kind = EXPRESSION_CONSTANT,
                                .depth = 1,
                                .line = place.line,
                                .column = place.column,
                                .constant = value};
    *out = (struct formula){
        .tree = node, .place = place, .text = value.kind == VALUE_TEXT ? value.text : ""};
    return STATUS_OK;
}
