/* Walks the tree. Spaces and series evaluate an expression many millions of times: what they mostly
 * do, variables and integers, takes no call for each node. */
#include "tuner/experiment/expression.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool evaluation_error(const struct expression *node, struct evaluation *evaluation,
                      const char *format, ...)
{
    char what[ERROR_TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    struct place place = {evaluation->environment->file, node->line, node->column};
    (void)place_error(evaluation->error, STATUS_BAD_INPUT, place, "%s", what);
    return false;
}

bool value_is_true(struct value value)
{
    switch (value.kind) {
    case VALUE_TEXT:
        return value.text[0] != '\0';
    case VALUE_REAL:
        return value.real != 0;
    default:
        return value.integer != 0;
    }
}

bool evaluate_order(const struct expression *node, struct evaluation *evaluation, struct value a,
                    struct value b, int *out)
{
    if ((a.kind == VALUE_TEXT) != (b.kind == VALUE_TEXT))
        return evaluation_error(node, evaluation,
                                "a text and a number have no order ('%s' and a number)",
                                a.kind == VALUE_TEXT ? a.text : b.text);
    *out = a.kind == VALUE_TEXT ? strcmp(a.text, b.text) : value_order(a, b);
    return true;
}

/* Integers whose result is one of 64 bits. Division is that of 32 bits, which is several times as
 * fast. False: evaluate_arithmetic makes the result, or says why there is none. */
static inline bool quick_arithmetic(const struct expression *node, struct value a, struct value b,
                                    struct value *out)
{
    const bool short_division =
        ((uint64_t)a.integer | (uint64_t)b.integer) >> 32 == 0 && b.integer != 0;
    out->kind = VALUE_INTEGER;
    if (!value_is_integer(a) || !value_is_integer(b))
        return false;
    switch ((enum expression_kind)node->kind) {
    case EXPRESSION_ADD:
        return !__builtin_add_overflow(a.integer, b.integer, &out->integer);
    case EXPRESSION_SUBTRACT:
        return !__builtin_sub_overflow(a.integer, b.integer, &out->integer);
    case EXPRESSION_MULTIPLY:
        return !__builtin_mul_overflow(a.integer, b.integer, &out->integer);
    case EXPRESSION_FLOOR_DIVIDE:
        if (short_division)
            out->integer = (uint32_t)a.integer / (uint32_t)b.integer;
        return short_division;
    case EXPRESSION_REMAINDER:
        if (short_division)
            out->integer = (uint32_t)a.integer % (uint32_t)b.integer;
        return short_division;
    default:
        return false;
    }
}

static bool evaluate_variable(const struct expression *node, struct evaluation *evaluation,
                              struct value *out)
{
    struct environment *environment = evaluation->environment;
    size_t slot = node->index;
    if (!environment->bound[slot]) {
        const struct expression *definition =
            environment->definitions ? environment->definitions[slot] : NULL;
        struct value value;
        if (!definition) {
            struct place place = {environment->file, node->line, node->column};
            (void)place_error(evaluation->error, STATUS_UNAVAILABLE, place,
                              "'%s' has no value on this device or at this stage",
                              environment->scope->names[slot]);
            return false;
        }
        if (!evaluate_tree(definition, evaluation, &value))
            return false;
        environment_bind(environment, slot, value);
    }
    *out = environment->values[slot];
    return true;
}

static inline bool evaluate_operand(const struct expression *node, struct evaluation *evaluation,
                                    struct value *out)
{
    const struct environment *environment = evaluation->environment;
    if (node->kind == EXPRESSION_CONSTANT) {
        *out = node->constant;
        return true;
    }
    if (node->kind != EXPRESSION_VARIABLE || !environment->bound[node->index])
        return evaluate_tree(node, evaluation, out);
    /* One member after the other, as they were written: reading both at once would wait for that.
     */
    out->kind = environment->values[node->index].kind;
    out->integer = environment->values[node->index].integer;
    return true;
}

struct sought {
    struct value value;
    bool found;
};

static bool seek(void *context, struct value item)
{
    struct sought *sought = context;
    sought->found = sought->found || value_equal(sought->value, item);
    return true;
}

/* Every item is evaluated, as Python does, so that an error in one is always found. */
static bool is_in(const struct expression *list, struct evaluation *evaluation, struct value value,
                  bool *out)
{
    struct sought sought = {value, false};
    if (!evaluate_items(list, evaluation, seek, &sought))
        return false;
    *out = sought.found;
    return true;
}

static bool compare(const struct expression *node, struct evaluation *evaluation,
                    enum comparison comparison, struct value a, struct value b, bool *out)
{
    const bool both_integers = value_is_integer(a) && value_is_integer(b);
    if (comparison == COMPARE_EQUAL || comparison == COMPARE_UNEQUAL) {
        const bool same = both_integers ? a.integer == b.integer : value_equal(a, b);
        *out = same == (comparison == COMPARE_EQUAL);
        return true;
    }
    int order = 0;
    if (both_integers)
        order = (a.integer > b.integer) - (a.integer < b.integer);
    else if (!evaluate_order(node, evaluation, a, b, &order))
        return false;
    switch (comparison) {
    case COMPARE_LESS:
        *out = order < 0;
        break;
    case COMPARE_LESS_EQUAL:
        *out = order <= 0;
        break;
    case COMPARE_GREATER:
        *out = order > 0;
        break;
    default:
        *out = order >= 0;
        break;
    }
    return true;
}

/* a < b < c is `a < b and b < c`, each evaluated at most once. */
static bool evaluate_chain(const struct expression *node, struct evaluation *evaluation,
                           struct value *out)
{
    struct value left;
    if (!evaluate_operand(node->operands[0], evaluation, &left))
        return false;
    bool holds = true;
    for (size_t i = 1; i < node->count && holds; i++) {
        const struct expression *operand = node->operands[i];
        enum comparison comparison = (enum comparison)node->comparisons[i - 1];
        if (operand->kind == EXPRESSION_LIST) {
            if (!is_in(operand, evaluation, left, &holds))
                return false;
            holds = holds == (comparison == COMPARE_IN);
            continue;
        }
        struct value right;
        if (!evaluate_operand(operand, evaluation, &right) ||
            !compare(node, evaluation, comparison, left, right, &holds))
            return false;
        left = right;
    }
    *out = value_boolean(holds);
    return true;
}

static bool evaluate_sign(const struct expression *node, struct evaluation *evaluation,
                          struct value *out)
{
    struct value value;
    if (!evaluate_operand(node->operands[0], evaluation, &value))
        return false;
    const char *sign = node->kind == EXPRESSION_NEGATE ? "-" : "+";
    if (value.kind == VALUE_TEXT)
        return evaluation_error(node, evaluation, "'%s' needs a number, not the text '%s'", sign,
                                value.text);
    if (node->kind == EXPRESSION_PLUS) {
        *out = value.kind == VALUE_REAL ? value : value_integer(value.integer);
        return true;
    }
    if (value.kind == VALUE_REAL) {
        *out = value_real(-value.real);
        return true;
    }
    int64_t negated = 0;
    if (__builtin_sub_overflow((int64_t)0, value.integer, &negated))
        return evaluation_error(node, evaluation, "the result does not fit 64 bits");
    *out = value_integer(negated);
    return true;
}

/* `and` and `or` give the operand that decides, as in Python. */
static bool evaluate_logic(const struct expression *node, struct evaluation *evaluation,
                           struct value *out)
{
    if (!evaluate_operand(node->operands[0], evaluation, out))
        return false;
    bool decided = value_is_true(*out) == (node->kind == EXPRESSION_OR);
    return decided || evaluate_operand(node->operands[1], evaluation, out);
}

bool evaluate_tree(const struct expression *node, struct evaluation *evaluation, struct value *out)
{
    struct value a;
    struct value b;
    switch ((enum expression_kind)node->kind) {
    case EXPRESSION_CONSTANT:
        *out = node->constant;
        return true;
    case EXPRESSION_VARIABLE:
        return evaluate_variable(node, evaluation, out);
    case EXPRESSION_NOT:
        if (!evaluate_operand(node->operands[0], evaluation, &a))
            return false;
        *out = value_boolean(!value_is_true(a));
        return true;
    case EXPRESSION_PLUS:
    case EXPRESSION_NEGATE:
        return evaluate_sign(node, evaluation, out);
    case EXPRESSION_AND:
    case EXPRESSION_OR:
        return evaluate_logic(node, evaluation, out);
    case EXPRESSION_CONDITIONAL:
        if (!evaluate_operand(node->operands[0], evaluation, &a))
            return false;
        return evaluate_operand(node->operands[value_is_true(a) ? 1 : 2], evaluation, out);
    case EXPRESSION_COMPARE:
        return evaluate_chain(node, evaluation, out);
    case EXPRESSION_CALL:
        return evaluate_call(node, evaluation, out);
    case EXPRESSION_ITEM:
        return evaluate_item(node, evaluation, out);
    case EXPRESSION_LIST:
        return evaluation_error(node, evaluation, "a list has no value here");
    default:
        return evaluate_operand(node->operands[0], evaluation, &a) &&
               evaluate_operand(node->operands[1], evaluation, &b) &&
               (quick_arithmetic(node, a, b, out) ||
                evaluate_arithmetic(node, evaluation, a, b, out));
    }
}

enum status expression_evaluate(const struct expression *expression,
                                struct environment *environment, struct value *out,
                                struct error *error)
{
    struct evaluation evaluation = {.environment = environment, .error = error};
    return evaluate_operand(expression, &evaluation, out) ? STATUS_OK : error->status;
}
