/* A recursive-descent parser of Python's grammar. */
#include <string.h>

#include "tuner/base/text.h"
#include "tuner/experiment/token.h"

struct parser {
    struct arena *arena;
    const struct source_text *source;
    const struct scope *scope;
    const char *local;      /* current variable of a comprehension; NULL: none */
    const char *dictionary; /* p of `lambda p: p["block"]`; NULL: none */
    bool comprehending;
    struct slot_set uses;
    struct token token; /* next token */
    unsigned nesting;
    size_t placed_offset; /* place of the last node: later places are counted from there */
    uint32_t placed_column;
    struct error *error;
};

/* Each parenthesis passes three counting functions. */
enum { NESTING_MAX = 3 * EXPRESSION_DEPTH_MAX, CHAIN_MAX = 16 };

/* A node; NULL after filling the error. */
typedef const struct expression *node_or_null;

static node_or_null parse_expression(struct parser *parser);
static node_or_null parse_level(struct parser *parser, enum level level);

static bool is_list(const struct expression *node)
{
    return node->kind == EXPRESSION_LIST;
}

/* ---- tokens and nodes ---- */

/* Consumes the token. */
static bool advance(struct parser *parser)
{
    size_t after = parser->token.offset + parser->token.length;
    return token_read(parser->arena, parser->source, after, &parser->token, parser->error) ==
           STATUS_OK;
}

#define parse_error(parser, offset, ...)                                                           \
    ((void)place_refuses((parser)->error, source_place((parser)->source, offset), __VA_ARGS__),    \
     (node_or_null)NULL)

/* Reports "unexpected 'x' where `wanted` is needed". */
static node_or_null unexpected(struct parser *parser, const char *wanted)
{
    const struct token *token = &parser->token;
    if (token->kind == TOKEN_END)
        return parse_error(parser, token->offset, "the expression ends where %s is needed", wanted);
    if (token->kind == TOKEN_COLON)
        return parse_error(parser, token->offset,
                           "expressions have no dictionaries, sets, slices and functions of their "
                           "own");
    return parse_error(parser, token->offset, "unexpected '%.*s' where %s is needed",
                       (int)(token->length < 40 ? token->length : 40),
                       parser->source->text + token->offset, wanted);
}

/* Consumes a token of the kind. */
static bool take(struct parser *parser, enum token_kind kind, const char *wanted)
{
    if (parser->token.kind != kind)
        return unexpected(parser, wanted) != NULL;
    return advance(parser);
}

static bool is_word(const struct token *token, const char *word)
{
    return token->kind == TOKEN_NAME && strcmp(token->text, word) == 0;
}

/* Makes a node. Refuses lists as operands except of comparisons (in), lists, [index], and functions
 * of one operand. */
static struct expression *new_node(struct parser *parser, enum expression_kind kind,
                                   const struct token *at, size_t count,
                                   const struct expression *const *operands)
{
    const bool takes_lists = kind == EXPRESSION_LIST || kind == EXPRESSION_COMPARE ||
                             kind == EXPRESSION_ITEM || (kind == EXPRESSION_CALL && count == 1);
    struct place place;
    struct source_text rest = *parser->source;
    if (rest.exact && at->offset >= parser->placed_offset) {
        /* The columns of a long text are not counted again for each node. */
        rest.text += parser->placed_offset;
        if (parser->placed_offset > 0)
            rest.place.column = parser->placed_column;
        place = source_place(&rest, at->offset - parser->placed_offset);
        parser->placed_offset = at->offset;
        parser->placed_column = place.column;
    } else {
        place = source_place(parser->source, at->offset);
    }
    unsigned depth = 0;
    for (size_t i = 0; i < count; i++) {
        if (operands[i]->depth > depth)
            depth = operands[i]->depth;
        if (is_list(operands[i]) && !takes_lists) {
            (void)parse_error(parser, at->offset, "a list has no value here");
            return NULL;
        }
    }
    if (depth >= EXPRESSION_DEPTH_MAX) {
        (void)parse_error(parser, at->offset, "the expression is nested more than %d deep",
                          EXPRESSION_DEPTH_MAX);
        return NULL;
    }
    struct expression *node = arena_alloc(parser->arena, 1, sizeof *node);
    const struct expression **copy =
        count > 0 ? arena_copy(parser->arena, (const void *)operands, count * sizeof *operands)
                  : NULL;
    if (!node || (count > 0 && !copy)) {
        (void)error_no_memory(parser->error);
        return NULL;
    }
    *node = (struct expression){.kind = (uint8_t)kind,
                                .depth = (uint8_t)(depth + 1),
                                .count = (uint32_t)count,
                                .line = place.line,
                                .column = place.column,
                                .operands = copy};
    return node;
}

static node_or_null new_indexed(struct parser *parser, enum expression_kind kind, size_t index,
                                const struct token *at, size_t count,
                                const struct expression *const *operands)
{
    struct expression *node = new_node(parser, kind, at, count, operands);
    if (node)
        node->index = (uint16_t)index;
    return node;
}

/* Parses expressions up to the closing token, which is consumed. The items belong to the arena.
 * *comma: a comma was found. */
static bool parse_items(struct parser *parser, enum token_kind close, const char *wanted,
                        const struct expression ***items, size_t *count, bool *comma)
{
    size_t capacity = 0;
    *count = 0;
    *items = NULL;
    *comma = false;
    while (parser->token.kind != close) {
        if (*count == LIST_VALUES_MAX)
            return parse_error(parser, parser->token.offset, "more than %d values in a list",
                               LIST_VALUES_MAX) != NULL;
        if (*count == capacity) { /* double the capacity */
            capacity = capacity ? capacity * 2 : 16;
            const struct expression **copy = arena_alloc(parser->arena, capacity, sizeof(*copy));
            if (!copy) {
                (void)error_no_memory(parser->error);
                return false;
            }
            if (*count > 0)
                memcpy(copy, *items, *count * sizeof *copy);
            *items = copy;
        }
        (*items)[*count] = parse_expression(parser);
        if (!(*items)[(*count)++])
            return false;
        if (parser->token.kind == close)
            break;
        TRY_OR_FALSE(take(parser, TOKEN_COMMA, wanted));
        *comma = true;
    }
    return advance(parser);
}

/* ---- lists ---- */

/* Looks ahead for a `for` before the closing token and returns the token behind `for`; TOKEN_END:
 * none. Errors are found when the tokens are consumed. */
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

/* Parses `item for name in list if condition]`, behind the opening token. The list cannot use the
 * name. */
static node_or_null parse_comprehension(struct parser *parser, const struct token *open,
                                        const struct token *name)
{
    const bool generator = open->kind == TOKEN_OPEN;
    const struct expression *operands[3] = {NULL};
    if (name->kind != TOKEN_NAME)
        return parse_error(parser, name->offset, "a name is needed behind 'for'");
    if (parser->comprehending)
        return parse_error(parser, open->offset, "a comprehension within another");
    parser->comprehending = true;
    parser->local = name->text;
    operands[0] = parse_expression(parser);
    if (!operands[0])
        return NULL;
    if (is_list(operands[0]))
        return parse_error(parser, open->offset, "a list of lists is no list of values");
    if (!is_word(&parser->token, "for"))
        return unexpected(parser, "'for'");
    if (!advance(parser))
        return NULL;
    if (!advance(parser) || !take(parser, TOKEN_IN, "'in'")) /* the name was read by find_for */
        return NULL;
    parser->local = NULL;
    const struct token source = parser->token;
    operands[1] = parse_level(parser, LEVEL_OR);
    parser->local = name->text;
    if (!operands[1])
        return NULL;
    if (!is_list(operands[1])) {
        parser->token = source;
        return unexpected(parser, "a list such as range(8)");
    }
    /* Any number of `if condition`, all of which must hold. */
    operands[2] = NULL;
    while (parser->token.kind == TOKEN_IF) {
        const struct token at = parser->token;
        if (!(advance(parser)))
            return NULL;
        node_or_null condition = parse_level(parser, LEVEL_OR);
        if (condition && operands[2]) {
            const struct expression *both[2] = {operands[2], condition};
            condition = new_node(parser, EXPRESSION_AND, &at, 2, both);
        }
        if (!condition)
            return NULL;
        operands[2] = condition;
    }
    if (is_word(&parser->token, "for"))
        return parse_error(parser, parser->token.offset, "a comprehension has one 'for'");
    if (!take(parser, generator ? TOKEN_CLOSE : TOKEN_CLOSE_LIST, generator ? "')'" : "']'"))
        return NULL;
    parser->comprehending = false;
    parser->local = NULL;
    return new_indexed(parser, EXPRESSION_LIST, generator ? LIST_GENERATOR : LIST_COMPREHENSION,
                       open, operands[2] ? 3 : 2, operands);
}

/* Makes a list by `+` or `*`; one operand is a list. */
static node_or_null join_lists(struct parser *parser, const struct token *at, node_or_null left,
                               node_or_null right)
{
    const bool both = is_list(left) && is_list(right);
    const struct expression *operands[2] = {left, right};
    if (at->makes == EXPRESSION_ADD)
        return both ? new_indexed(parser, EXPRESSION_LIST, LIST_JOINED, at, 2, operands)
                    : parse_error(parser, at->offset, "'+' joins two lists or adds two numbers");
    if (both)
        return parse_error(parser, at->offset, "'*' repeats a list, which takes an integer");
    if (is_list(right)) {
        operands[0] = right;
        operands[1] = left;
    }
    return new_indexed(parser, EXPRESSION_LIST, LIST_REPEATED, at, 2, operands);
}

/* ---- names and calls ---- */

static node_or_null undefined_name(struct parser *parser, const struct token *name, bool called)
{
    const char *words[SLOTS_MAX + 64];
    size_t count = 0;
    size_t functions = 0;
    const char *const *function = function_names(&functions);
    if (!called && parser->local)
        words[count++] = parser->local;
    for (size_t i = 0; !called && i < parser->scope->count; i++)
        if (parser->scope->names[i])
            words[count++] = parser->scope->names[i];
    if (!called) {
        words[count++] = "True";
        words[count++] = "False";
    }
    for (size_t i = 0; called && i < functions; i++)
        words[count++] = function[i];
    const struct suggestion near = suggest(name->text, words, count);
    return parse_error(parser, name->offset, "%s '%s' is not defined%s",
                       called ? "function" : "name", name->text,
                       near.text[0] ? near.text : "; docs/experiment-files.md lists all");
}

static bool is_list_call(const struct token *name)
{
    return is_word(name, "range") || is_word(name, "list");
}

static node_or_null parse_call(struct parser *parser, const struct token *name)
{
    const struct token open = parser->token;
    const int function = is_list_call(name) ? 0 : function_find(name->text);
    const struct expression **operands = NULL;
    const struct expression *generator[1] = {NULL};
    size_t count = 0;
    bool comma = false;
    if (function < 0)
        return undefined_name(parser, name, true);
    if (!advance(parser))
        return NULL;
    const struct token target = find_for(parser);
    if (target.kind != TOKEN_END) {
        generator[0] = parse_comprehension(parser, &open, &target);
        operands = generator;
        count = 1;
    }
    if (count > 0 ? !generator[0]
                  : !parse_items(parser, TOKEN_CLOSE, "',' or ')'", &operands, &count, &comma))
        return NULL;
    if (is_list_call(name)) {
        /* list(...) and range(...) */
        if (is_word(name, "list")) {
            if (count == 1 && is_list(operands[0]))
                return operands[0];
            return parse_error(parser, name->offset, "list takes one list, such as range(8)");
        }
        if (count < 1 || count > 3)
            return parse_error(parser, name->offset, "range takes 1 to 3 integers, not %zu values",
                               count);
        for (size_t i = 0; i < count; i++)
            if (is_list(operands[i]))
                return parse_error(parser, name->offset, "range takes integers, not a list");
        return new_indexed(parser, EXPRESSION_LIST, LIST_RANGE, name, count, operands);
    }
    const enum function_kind kind = function_kind(function);
    const bool of_list = count == 1 && is_list(operands[0]);
    if (of_list && kind != FUNCTION_OF_ANY && kind != FUNCTION_OF_LIST)
        return parse_error(parser, name->offset, "%s takes no list", name->text);
    const char *refusal = of_list ? NULL : function_refuses(function, count);
    if (refusal)
        return parse_error(parser, name->offset, "%s %s, not %zu", name->text, refusal, count);
    return new_indexed(parser, EXPRESSION_CALL, (size_t)function, name, count, operands);
}

size_t scope_find(const struct scope *scope, const char *name)
{
    size_t slot = 0;
    while (slot < scope->count && !(scope->names[slot] && strcmp(scope->names[slot], name) == 0))
        slot++;
    return slot;
}

static node_or_null parse_variable(struct parser *parser, const struct token *name)
{
    const size_t slot = scope_find(parser->scope, name->text);
    if (slot == parser->scope->count)
        return undefined_name(parser, name, false);
    slot_set_add(&parser->uses, slot);
    return new_indexed(parser, EXPRESSION_VARIABLE, slot, name, 0, NULL);
}

static node_or_null parse_name(struct parser *parser)
{
    /* Keywords of Python that expressions do not support. */
    static const char foreign[] =
        "lambda is None for async await yield while return assert def import";
    struct token name = parser->token;
    if (word_is_in(name.text, strlen(name.text), foreign))
        return parse_error(parser, name.offset, "expressions have no '%s'", name.text);
    if (!advance(parser))
        return NULL;
    if (parser->token.kind == TOKEN_OPEN)
        return parse_call(parser, &name);
    if (parser->local && strcmp(parser->local, name.text) == 0)
        return new_indexed(parser, EXPRESSION_VARIABLE, SLOT_LOCAL, &name, 0, NULL);
    if (parser->dictionary && strcmp(parser->dictionary, name.text) == 0) {
        if (parser->token.kind == TOKEN_OPEN_LIST && !advance(parser))
            return NULL;
        struct token key = parser->token;
        if (key.kind != TOKEN_VALUE || key.value.kind != VALUE_TEXT)
            return parse_error(parser, name.offset,
                               "'%s' is all parameters: name one, as in %s[\"block\"]", name.text,
                               name.text);
        key.text = key.value.text;
        return advance(parser) && take(parser, TOKEN_CLOSE_LIST, "']'")
                   ? parse_variable(parser, &key)
                   : NULL;
    }
    if (scope_find(parser->scope, name.text) == parser->scope->count &&
        (function_find(name.text) >= 0 || is_list_call(&name)))
        return parse_error(parser, name.offset, "'%s' is a function: call it with (...)",
                           name.text);
    return parse_variable(parser, &name);
}

/* ---- operators ---- */

static node_or_null parse_atom(struct parser *parser)
{
    const struct token token = parser->token;
    struct expression *constant = NULL;
    switch (token.kind) {
    case TOKEN_VALUE:
        constant = new_node(parser, EXPRESSION_CONSTANT, &token, 0, NULL);
        if (constant)
            constant->constant = token.value;
        return constant && advance(parser) ? constant : NULL;
    case TOKEN_NAME:
        return parse_name(parser);
    case TOKEN_OPEN:
    case TOKEN_OPEN_LIST: {
        /* At '[', or at '(': a value, or a tuple, which counts as a list. */
        const bool in_list = token.kind == TOKEN_OPEN_LIST;
        const struct expression **items = NULL;
        size_t count = 0;
        bool comma = false;
        if (!advance(parser))
            return NULL;
        const struct token name = find_for(parser);
        if (name.kind != TOKEN_END)
            return parse_comprehension(parser, &token, &name);
        if (!parse_items(parser, in_list ? TOKEN_CLOSE_LIST : TOKEN_CLOSE,
                         in_list ? "',' or ']'" : "')'", &items, &count, &comma))
            return NULL;
        if (!in_list && count == 1 && !comma)
            return items[0];
        for (size_t i = 0; i < count; i++)
            if (is_list(items[i]))
                return parse_error(parser, token.offset, "a list of lists is no list of values");
        return new_indexed(parser, EXPRESSION_LIST, LIST_OF_ITEMS, &token, count, items);
    }
    default:
        return unexpected(parser, "a value");
    }
}

/* Counts the nesting; every nested path through the grammar passes here. */
static bool enter(struct parser *parser)
{
    if (parser->nesting++ < NESTING_MAX)
        return true;
    (void)parse_error(parser, parser->token.offset, "the expression is nested too deeply");
    return false;
}

/* Parses an item of a list: [4096, 2048][1]. */
static node_or_null parse_item(struct parser *parser)
{
    const struct expression *operands[2] = {parse_atom(parser), NULL};
    if (!operands[0] || !is_list(operands[0]) || parser->token.kind != TOKEN_OPEN_LIST)
        return operands[0];
    struct token open = parser->token;
    if (!advance(parser))
        return NULL;
    operands[1] = parse_expression(parser);
    if (!operands[1] || !take(parser, TOKEN_CLOSE_LIST, "']'"))
        return NULL;
    if (is_list(operands[1]))
        return parse_error(parser, open.offset, "the index of an item is an integer");
    return new_node(parser, EXPRESSION_ITEM, &open, 2, operands);
}

static node_or_null parse_prefixed(struct parser *parser, enum expression_kind kind,
                                   enum level level)
{
    struct token operator= parser->token;
    if (!advance(parser))
        return NULL;
    node_or_null operand = parse_level(parser, level);
    return operand ? new_node(parser, kind, &operator, 1, &operand) : NULL;
}

/* Parses signs. ** binds tighter than a sign before it and looser than one behind it: -2**-1 is
 * -(2**(-1)). */
static node_or_null parse_sign(struct parser *parser)
{
    const struct token token = parser->token;
    if (token.kind == TOKEN_INVERT)
        return parse_prefixed(parser, EXPRESSION_INVERT, LEVEL_SIGN);
    if (token.kind == TOKEN_BINARY && token.makes == EXPRESSION_SUBTRACT)
        return parse_prefixed(parser, EXPRESSION_NEGATE, LEVEL_SIGN);
    if (token.kind == TOKEN_BINARY && token.makes == EXPRESSION_ADD)
        return parse_prefixed(parser, EXPRESSION_PLUS, LEVEL_SIGN);
    const struct expression *operands[2] = {parse_item(parser), NULL};
    const struct token operator= parser->token;
    if (!operands[0] || operator.kind != TOKEN_BINARY || operator.level != LEVEL_POWER)
        return operands[0];
    operands[1] = advance(parser) ? parse_level(parser, LEVEL_SIGN) : NULL;
    return operands[1] ? new_node(parser, EXPRESSION_POWER, &operator, 2, operands) : NULL;
}

/* Parses a chain of comparisons, or a single operand. */
static node_or_null parse_comparison(struct parser *parser)
{
    const struct expression *operands[CHAIN_MAX + 1];
    uint8_t comparisons[CHAIN_MAX];
    size_t count = 0;
    operands[0] = parse_level(parser, LEVEL_BIT_OR);
    const struct token first = parser->token;
    while (operands[count]) {
        const struct token at = parser->token;
        const enum comparison comparison = at.kind == TOKEN_COMPARE ? at.comparison
                                           : at.kind == TOKEN_IN    ? COMPARE_IN
                                                                    : COMPARE_NOT_IN;
        if (at.kind != TOKEN_COMPARE && at.kind != TOKEN_IN && at.kind != TOKEN_NOT)
            break;
        if (!advance(parser) || (at.kind == TOKEN_NOT && !take(parser, TOKEN_IN, "'in'")))
            return NULL;
        if (count == CHAIN_MAX || is_list(operands[count]))
            return parse_error(
                parser, at.offset,
                count == 0 ? "lists are compared by 'in' alone"
                           : "a chain of comparisons is too long, or continues after a list");
        comparisons[count++] = (uint8_t)comparison;
        const struct token right = parser->token;
        const bool list = comparison == COMPARE_IN || comparison == COMPARE_NOT_IN;
        operands[count] = parse_level(parser, LEVEL_BIT_OR);
        if (!operands[count] || is_list(operands[count]) == list)
            continue;
        /* A list stands behind `in`, and nowhere else. */
        if (!list)
            return parse_error(parser, right.offset, "lists are compared by 'in' alone");
        parser->token = right;
        return unexpected(parser, "a list such as [1, 2]");
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

/* Parses operators of this level and of tighter ones. */
static node_or_null parse_level(struct parser *parser, enum level level)
{
    if (level == LEVEL_NOT || level == LEVEL_SIGN) {
        if (!enter(parser))
            return NULL;
        node_or_null node = level == LEVEL_SIGN ? parse_sign(parser)
                            : parser->token.kind == TOKEN_NOT
                                ? parse_prefixed(parser, EXPRESSION_NOT, LEVEL_NOT)
                                : parse_comparison(parser);
        parser->nesting--;
        return node;
    }
    node_or_null left = parse_level(parser, level + 1);
    while (left && parser->token.kind == TOKEN_BINARY && parser->token.level == level) {
        const struct token operator= parser->token;
        node_or_null right = advance(parser) ? parse_level(parser, level + 1) : NULL;
        if (!right)
            return NULL;
        const struct expression *operands[2] = {left, right};
        left = (is_list(left) || is_list(right)) &&
                       (operator.makes == EXPRESSION_ADD || operator.makes == EXPRESSION_MULTIPLY)
                   ? join_lists(parser, &operator, left, right)
                   : new_node(parser, operator.makes, &operator, 2, operands);
    }
    return left;
}

/* Parses `value if condition else otherwise`, or a value. */
static node_or_null parse_expression(struct parser *parser)
{
    if (!enter(parser))
        return NULL;
    const struct expression *operands[3] = {NULL, parse_level(parser, LEVEL_OR), NULL};
    parser->nesting--;
    const struct token operator= parser->token;
    if (!operands[1] || operator.kind != TOKEN_IF)
        return operands[1];
    if (!advance(parser) || !enter(parser))
        return NULL;
    operands[0] = parse_level(parser, LEVEL_OR);
    if (!operands[0] || !take(parser, TOKEN_ELSE, "'else'"))
        return NULL;
    operands[2] = parse_expression(parser);
    parser->nesting--;
    return operands[2] ? new_node(parser, EXPRESSION_CONDITIONAL, &operator, 3, operands) : NULL;
}

/* ---- the whole ---- */

/* Parses `lambda p:` or `lambda block, loads:`, whose names must exist; consumes no token where
 * lambdas are not accepted. */
static bool parse_lambda(struct parser *parser)
{
    if (!parser->scope->lambdas || !is_word(&parser->token, "lambda"))
        return true;
    for (size_t count = 0;; count++) {
        TRY_OR_FALSE(advance(parser));
        const struct token name = parser->token;
        TRY_OR_FALSE(take(parser, TOKEN_NAME, "a name"));
        if (scope_find(parser->scope, name.text) == parser->scope->count) {
            if (count > 0 || parser->token.kind != TOKEN_COLON)
                return undefined_name(parser, &name, false) != NULL;
            parser->dictionary = name.text;
        }
        if (parser->token.kind != TOKEN_COMMA)
            return take(parser, TOKEN_COLON, "',' or ':'");
    }
}

enum status expression_parse(struct arena *arena, const struct source_text *source,
                             const struct scope *scope, bool list, struct formula *out,
                             struct error *error)
{
    struct parser parser = {.arena = arena, .source = source, .scope = scope, .error = error};
    const size_t bytes_max = list ? LIST_BYTES_MAX : EXPRESSION_BYTES_MAX;
    if (strlen(source->text) > bytes_max)
        return place_error(error, STATUS_BAD_INPUT, source->place,
                           "the expression is longer than %zu bytes", bytes_max);
    if (!advance(&parser) || !parse_lambda(&parser))
        return error->status;
    const struct token first = parser.token;
    node_or_null tree = parse_expression(&parser);
    if (tree && parser.token.kind != TOKEN_END)
        tree = list && parser.token.kind == TOKEN_COMMA && source->text[first.offset] != '['
                   ? parse_error(&parser, first.offset, "a list is written in brackets: [%.100s]",
                                 source->text)
                   : unexpected(&parser, "an operator or the end");
    if (tree && is_list(tree) != list)
        tree = parse_error(&parser, first.offset, "%s",
                           list ? "a list such as [1, 2] is needed, not one value"
                                : "a list has no value here");
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
    TRY_MEMORY(node);
    *node = (struct expression){.kind = EXPRESSION_CONSTANT,
                                .depth = 1,
                                .line = place.line,
                                .column = place.column,
                                .constant = value};
    *out = (struct formula){
        .tree = node, .place = place, .text = value.kind == VALUE_TEXT ? value.text : ""};
    return STATUS_OK;
}
