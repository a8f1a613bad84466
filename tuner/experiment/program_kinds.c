/* What kind of number each part of a tree gives, as far as that can be known beforehand. */
#include <string.h>

#include "tuner/experiment/program_code.h"

bool program_is_constant(const struct code *code, const struct expression *node)
{
    if (node->kind == EXPRESSION_VARIABLE)
        return node->index != SLOT_LOCAL && (code->constants->bound[node->index] ||
                                             code->states[node->index] == DERIVED_CONSTANT);
    if (node->kind == EXPRESSION_LIST && node->index == LIST_COMPREHENSION)
        return false;
    for (size_t i = 0; i < node->count; i++)
        if (!program_is_constant(code, node->operands[i]))
            return false;
    return node->kind != EXPRESSION_LIST;
}

static kind_of either(kind_of a, kind_of b)
{
    if (a == b)
        return a;
    if (a == NUMBER_NONE || b == NUMBER_NONE || a == NUMBER_TEXT || b == NUMBER_TEXT)
        return NUMBER_NONE;
    return NUMBER_EITHER;
}

kind_of program_operands_kind(struct code *code, const struct expression *node, size_t first)
{
    kind_of kind = program_node_kind(code, node->operands[first]);
    for (size_t i = first + 1; i < node->count; i++)
        kind = either(kind, program_node_kind(code, node->operands[i]));
    return kind;
}

/* A power of integers is a real when the exponent is negative. */
static bool is_negative(struct code *code, const struct expression *exponent)
{
    struct value value;
    struct error ignored;
    return program_is_constant(code, exponent) &&
           expression_evaluate(exponent, code->constants, &value, &ignored) == STATUS_OK &&
           value.integer < 0;
}

static kind_of kind_of_arithmetic(struct code *code, const struct expression *node)
{
    const kind_of a = program_node_kind(code, node->operands[0]);
    const kind_of b = program_node_kind(code, node->operands[1]);
    if (a == NUMBER_NONE || b == NUMBER_NONE || a == NUMBER_TEXT || b == NUMBER_TEXT)
        return NUMBER_NONE;
    if (a == NUMBER_REAL || b == NUMBER_REAL)
        return NUMBER_REAL;
    if (a == NUMBER_EITHER || b == NUMBER_EITHER)
        return NUMBER_NONE; /* an overflow of integers is none of reals */
    if (node->kind == EXPRESSION_DIVIDE ||
        (node->kind == EXPRESSION_POWER && is_negative(code, node->operands[1])))
        return NUMBER_REAL;
    return NUMBER_INTEGER;
}

const struct function_row program_rows[] = {
    {"min", NUMBER_NONE, OP_MIN_I, OP_MIN_R},
    {"max", NUMBER_NONE, OP_MAX_I, OP_MAX_R},
    {"abs", NUMBER_NONE, OP_ABS_I, OP_ABS_R},
    {"int", NUMBER_INTEGER, OP_MOVE, OP_TRUNC},
    {"floor", NUMBER_INTEGER, OP_MOVE, OP_FLOOR},
    {"ceil", NUMBER_INTEGER, OP_MOVE, OP_CEIL},
    {"round", NUMBER_INTEGER, OP_MOVE, OP_RINT},
    {"ceil_div", NUMBER_INTEGER, OP_CEIL_DIV, -1},
    {"round_up", NUMBER_INTEGER, OP_ROUND_UP, -1},
    {"is_power_of_two", NUMBER_INTEGER, OP_IS_POWER_OF_TWO, -1},
    {"next_power_of_two", NUMBER_INTEGER, OP_NEXT_POWER_OF_TWO, -1},
    {"float", NUMBER_REAL, OP_TO_REAL, OP_MOVE},
    {"sqrt", NUMBER_REAL, -1, OP_SQRT},
    {"log2", NUMBER_REAL, -1, OP_LOG2},
    {"log", NUMBER_REAL, -1, OP_LOG},
    {"exp", NUMBER_REAL, -1, OP_EXP},
    {"sin", NUMBER_REAL, -1, OP_SIN},
    {"cos", NUMBER_REAL, -1, OP_COS},
};

int program_row(const struct expression *call)
{
    size_t count = 0;
    const char *name = function_names(&count)[call->index];
    for (size_t i = 0; i < sizeof program_rows / sizeof *program_rows; i++)
        if (strcmp(program_rows[i].name, name) == 0)
            return (int)i;
    return -1;
}

static kind_of kind_of_call(struct code *code, const struct expression *node)
{
    const int row = program_row(node);
    const kind_of kind = row < 0 ? NUMBER_NONE : program_operands_kind(code, node, 0);
    if (kind == NUMBER_NONE || kind == NUMBER_TEXT)
        return NUMBER_NONE;
    if (program_rows[row].kind == NUMBER_NONE)
        return kind == NUMBER_EITHER && node->count == 1 ? NUMBER_NONE : kind;
    if (program_rows[row].kind == NUMBER_REAL)
        return NUMBER_REAL;
    if (kind == NUMBER_EITHER || (kind == NUMBER_REAL && program_rows[row].reals < 0))
        return NUMBER_NONE;
    return NUMBER_INTEGER;
}

static kind_of kind_of_constant(struct code *code, const struct expression *node)
{
    struct value value;
    struct error ignored;
    if (expression_evaluate(node, code->constants, &value, &ignored) != STATUS_OK)
        return NUMBER_NONE;
    return code_kind_of(value);
}

kind_of program_node_kind(struct code *code, const struct expression *node)
{
    if (node->kind == EXPRESSION_VARIABLE)
        program_make_derived(code, node->index);
    if (program_is_constant(code, node))
        return kind_of_constant(code, node);
    switch ((enum expression_kind)node->kind) {
    case EXPRESSION_VARIABLE:
        return code->kinds[node->index];
    case EXPRESSION_NOT:
    case EXPRESSION_COMPARE:
        return NUMBER_INTEGER;
    case EXPRESSION_PLUS:
    case EXPRESSION_NEGATE: {
        const kind_of kind = program_node_kind(code, node->operands[0]);
        return kind == NUMBER_INTEGER || kind == NUMBER_REAL ? kind : NUMBER_NONE;
    }
    case EXPRESSION_AND:
    case EXPRESSION_OR:
        return program_operands_kind(code, node, 0);
    case EXPRESSION_CONDITIONAL:
        return program_operands_kind(code, node, 1);
    case EXPRESSION_CALL:
        return node->operands[0]->kind == EXPRESSION_LIST ? NUMBER_NONE : kind_of_call(code, node);
    case EXPRESSION_LIST:
    case EXPRESSION_ITEM:
        return NUMBER_NONE;
    default:
        return kind_of_arithmetic(code, node);
    }
}
