/* A recursive-descent parser, a function for each level of Python's grammar. */
#include <string.h>

#include "tuner/experiment/parser.h"

/* Parentheses pass through three of the functions that count. */
enum { NESTING_MAX = 3 * EXPRESSION_DEPTH_MAX };

static node_or_null new_constant(struct parser *parser, struct value value)
{
    struct expression *node = parser_node(parser, EXPRESSION_CONSTANT, &parser->token, 0, NULL);
    if (!node)
        return NULL;
    node->constant = value;
    return parser_advance(parser) ? node : NULL;
}

static node_or_null undefined_name(struct parser *parser, const struct token *name, bool called)
{
    const char *words[SLOTS_MAX + 64];
    size_t count = 0;
    if (!called && parser->local)
        words[count++] = parser->local;
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
    return parser_error(parser, name->offset, "%s '%s' is not defined%s",
                        called ? "function" : "name", name->text,
                        suggest(name->text, words, count).text);
}

static node_or_null parse_call(struct parser *parser, const struct token *name)
{
    if (is_list_call(name))
        return parse_list_call(parser, name);
    int function = function_find(name->text);
    if (function < 0)
        return undefined_name(parser, name, true);
    const struct expression **operands = NULL;
    size_t count = 0;
    if (!parser_advance(parser) ||
        !parser_items(parser, TOKEN_CLOSE, "',' or ')'", &operands, &count))
        return NULL;
    const bool of_list = count == 1 && is_list(operands[0]);
    if (of_list && function_kind(function) != FUNCTION_OF_ANY)
        return parser_error(parser, name->offset, "%s takes no list", name->text);
    const char *refusal = of_list ? NULL : function_refuses(function, count);
    if (refusal)
        return parser_error(parser, name->offset, "%s %s, not %zu", name->text, refusal, count);
    struct expression *node = parser_node(parser, EXPRESSION_CALL, name, count, operands);
    if (node)
        node->index = (uint16_t)function;
    return node;
}

static node_or_null new_variable(struct parser *parser, const struct token *name, size_t slot)
{
    struct expression *node = parser_node(parser, EXPRESSION_VARIABLE, name, 0, NULL);
    if (node)
        node->index = (uint16_t)slot;
    return node;
}

/* Words of Python's that are no names, and mean nothing here. */
static bool is_foreign(const char *word)
{
    static const char *const words[] = {"lambda", "is",    "None",   "for",    "async", "await",
                                        "yield",  "while", "return", "assert", "def",   "import"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i], word) == 0)
            return true;
    return false;
}

static node_or_null parse_name(struct parser *parser)
{
    struct token name = parser->token;
    if (is_foreign(name.text))
        return parser_error(parser, name.offset, "expressions have no '%s'", name.text);
    if (!parser_advance(parser))
        return NULL;
    if (parser->token.kind == TOKEN_OPEN)
        return parse_call(parser, &name);
    if (parser->local && strcmp(parser->local, name.text) == 0)
        return new_variable(parser, &name, SLOT_LOCAL);
    for (size_t slot = 0; slot < parser->scope->count; slot++) {
        const char *known = parser->scope->names[slot];
        if (!known || strcmp(known, name.text) != 0)
            continue;
        slot_set_add(&parser->uses, slot);
        return new_variable(parser, &name, slot);
    }
    if (function_find(name.text) >= 0 || is_list_call(&name))
        return parser_error(parser, name.offset, "'%s' is a function: call it with (...)",
                            name.text);
    return undefined_name(parser, &name, false);
}

static node_or_null parse_parentheses(struct parser *parser)
{
    if (!parser_advance(parser))
        return NULL;
    node_or_null inner = parse_expression(parser);
    if (!inner)
        return NULL;
    if (parser->token.kind != TOKEN_CLOSE)
        return parser_unexpected(parser, "')'");
    return parser_advance(parser) ? inner : NULL;
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
    case TOKEN_OPEN_LIST:
        return parse_list(parser);
    default:
        return parser_unexpected(parser, "a value");
    }
}

/* Every way down the grammar that nests passes here or through parse_unary or parse_not. */
static bool enter(struct parser *parser)
{
    if (parser->nesting++ < NESTING_MAX)
        return true;
    (void)parser_error(parser, parser->token.offset, "the expression is nested too deeply");
    return false;
}

static node_or_null binary(struct parser *parser, enum expression_kind kind,
                           const struct token *operator, node_or_null left, node_or_null right)
{
    if (!left || !right)
        return NULL;
    if ((is_list(left) || is_list(right)) &&
        (kind == EXPRESSION_ADD || kind == EXPRESSION_MULTIPLY))
        return parse_list_operator(parser, kind, operator, left, right);
    const struct expression *operands[2] = {left, right};
    return parser_node(parser, kind, operator, 2, operands);
}

static node_or_null parse_unary(struct parser *parser);

/* An item of a list: [4096, 2048][1]. */
static node_or_null parse_item(struct parser *parser)
{
    node_or_null list = parse_atom(parser);
    if (!list || !is_list(list) || parser->token.kind != TOKEN_OPEN_LIST)
        return list;
    struct token open = parser->token;
    if (!parser_advance(parser))
        return NULL;
    node_or_null index = parse_expression(parser);
    if (!index)
        return NULL;
    if (parser->token.kind != TOKEN_CLOSE_LIST)
        return parser_unexpected(parser, "']'");
    if (is_list(index))
        return parser_error(parser, open.offset, "the index of an item is an integer");
    if (!parser_advance(parser))
        return NULL;
    const struct expression *operands[2] = {list, index};
    return parser_node(parser, EXPRESSION_ITEM, &open, 2, operands);
}

/* ** binds tighter than a minus before it and looser than one behind it: -2**-1 is -(2**(-1)). */
static node_or_null parse_power(struct parser *parser)
{
    node_or_null base = parse_item(parser);
    if (!base || parser->token.kind != TOKEN_POWER)
        return base;
    struct token operator= parser->token;
    if (!parser_advance(parser))
        return NULL;
    return binary(parser, EXPRESSION_POWER, &operator, base, parse_unary(parser));
}

static node_or_null parse_prefixed(struct parser *parser, enum expression_kind kind,
                                   node_or_null (*parse_operand)(struct parser *))
{
    struct token operator= parser->token;
    if (!parser_advance(parser))
        return NULL;
    node_or_null operand = parse_operand(parser);
    return operand ? parser_node(parser, kind, &operator, 1, &operand) : NULL;
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
        if (!parser_advance(parser))
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
        if (!parser_advance(parser))
            return false;
        if (parser->token.kind != TOKEN_IN) {
            (void)parser_unexpected(parser, "'in'");
            return false;
        }
    } else {
        *found = false;
        return true;
    }
    return parser_advance(parser);
}

enum { CHAIN_MAX = 16 };

/* What stands behind a comparison: a list behind `in`, and nowhere else. */
static node_or_null parse_compared(struct parser *parser, enum comparison comparison)
{
    const struct token at = parser->token;
    const bool list = comparison == COMPARE_IN || comparison == COMPARE_NOT_IN;
    node_or_null operand = parse_sum(parser);
    if (!operand || is_list(operand) == list)
        return operand;
    if (!list)
        return parser_error(parser, at.offset, "lists are compared by 'in' alone");
    parser->token = at;
    return parser_unexpected(parser, "a list such as [1, 2]");
}

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
        if (count == CHAIN_MAX || is_list(operands[count]))
            return parser_error(parser, at.offset,
                                count == 0 ? "lists are compared by 'in' alone"
                                           : "too long a chain of comparisons, or one that goes on "
                                             "behind a list");
        comparisons[count++] = (uint8_t)comparison;
        operands[count] = parse_compared(parser, comparison);
    }
    if (!operands[count] || count == 0)
        return operands[count];
    struct expression *node = parser_node(parser, EXPRESSION_COMPARE, &first, count + 1, operands);
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

node_or_null parse_or(struct parser *parser)
{
    return parse_left(parser, parse_and, is_or);
}

static node_or_null parse_conditional(struct parser *parser)
{
    node_or_null value = parse_or(parser);
    if (!value || parser->token.kind != TOKEN_IF)
        return value;
    struct token operator= parser->token;
    if (!parser_advance(parser))
        return NULL;
    node_or_null condition = parse_or(parser);
    if (!condition)
        return NULL;
    if (parser->token.kind != TOKEN_ELSE)
        return parser_unexpected(parser, "'else'");
    if (!parser_advance(parser))
        return NULL;
    node_or_null otherwise = parse_expression(parser);
    if (!otherwise)
        return NULL;
    const struct expression *operands[3] = {condition, value, otherwise};
    return parser_node(parser, EXPRESSION_CONDITIONAL, &operator, 3, operands);
}

node_or_null parse_expression(struct parser *parser)
{
    if (!enter(parser))
        return NULL;
    node_or_null node = parse_conditional(parser);
    parser->nesting--;
    return node;
}

static enum status parse_whole(struct parser *parser, bool list, size_t bytes_max,
                               struct formula *out)
{
    const struct source_text *source = parser->source;
    if (strlen(source->text) > bytes_max)
        return place_error(parser->error, STATUS_BAD_INPUT, source->place,
                           "the expression is longer than %zu bytes", bytes_max);
    if (!parser_advance(parser))
        return parser->error->status;
    const struct token first = parser->token;
    node_or_null tree = parse_expression(parser);
    if (tree && parser->token.kind != TOKEN_END)
        tree = parser_unexpected(parser, "an operator or the end");
    if (tree && is_list(tree) != list)
        tree = parser_error(parser, first.offset, "%s",
                            list ? "a list such as [1, 2] is needed, not one value"
                                 : "a list has no value here");
    if (!tree)
        return parser->error->status;
    *out = (struct formula){
        .tree = tree, .uses = parser->uses, .place = source->place, .text = source->text};
    return STATUS_OK;
}

enum status expression_parse(struct arena *arena, const struct source_text *source,
                             const struct scope *scope, struct formula *out, struct error *error)
{
    struct parser parser = {.arena = arena, .source = source, .scope = scope, .error = error};
    return parse_whole(&parser, false, EXPRESSION_BYTES_MAX, out);
}

enum status expression_parse_list(struct arena *arena, const struct source_text *source,
                                  const struct scope *scope, struct formula *out,
                                  struct error *error)
{
    struct parser parser = {.arena = arena, .source = source, .scope = scope, .error = error};
    return parse_whole(&parser, true, LIST_BYTES_MAX, out);
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
