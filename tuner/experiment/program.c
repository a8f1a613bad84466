/* Makes programs: what kind of number each part of a tree gives is known beforehand, or there is no
 * code for it. */
#include "tuner/experiment/program.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/experiment/program_code.h"

enum want {
    WANT_ITSELF,
    WANT_REAL,         /* an integer is rounded, as arithmetic does */
    WANT_EXACTLY_REAL, /* for comparisons: an integer that would be rounded is left to the tree */
};

struct compiler {
    struct code *code;
    struct instruction *instructions;
    size_t count, capacity;
    bool failed; /* there is no code for this, or memory is short */
};

/* ---- registers ---- */

struct code *code_create(struct arena *arena, struct environment *constants)
{
    struct code *code = calloc(1, sizeof *code);
    if (!code)
        return NULL;
    code->arena = arena;
    code->constants = constants;
    code->register_capacity = (size_t)2 * SLOTS_MAX;
    code->register_count = SLOTS_MAX;
    code->registers = calloc(code->register_capacity, sizeof *code->registers);
    if (!code->registers) {
        free(code);
        return NULL;
    }
    return code;
}

void code_free(struct code *code)
{
    if (!code)
        return;
    free(code->registers);
    free((void *)code->texts);
    free(code);
}

void code_variable(struct code *code, size_t slot, enum number_kind kind)
{
    code->kinds[slot] = kind;
}

enum number_kind code_kind_of(struct value value)
{
    if (value.kind == VALUE_TEXT)
        return NUMBER_TEXT;
    return value.kind == VALUE_REAL ? NUMBER_REAL : NUMBER_INTEGER;
}

static bool text_number(struct code *code, const char *text, int64_t *out)
{
    for (size_t i = 0; i < code->text_count; i++)
        if (strcmp(code->texts[i], text) == 0) {
            *out = (int64_t)i;
            return true;
        }
    if (code->text_count == code->text_capacity) {
        const size_t capacity = code->text_capacity ? code->text_capacity * 2 : 16;
        const char **larger = realloc((void *)code->texts, capacity * sizeof *larger);
        if (!larger)
            return false;
        code->texts = larger;
        code->text_capacity = capacity;
    }
    *out = (int64_t)code->text_count;
    code->texts[code->text_count] = arena_strdup(code->arena, text);
    return code->texts[code->text_count++] != NULL;
}

bool code_number(struct code *code, struct value value, union number *out)
{
    if (value.kind == VALUE_TEXT)
        return text_number(code, value.text, &out->integer);
    if (value.kind == VALUE_REAL)
        out->real = value.real;
    else
        out->integer = value.integer;
    return true;
}

struct value code_value(const struct code *code, enum number_kind kind, union number number)
{
    if (kind == NUMBER_TEXT)
        return value_text(code->texts[number.integer]);
    return kind == NUMBER_REAL ? value_real(number.real) : value_integer(number.integer);
}

static uint16_t new_register(struct compiler *compiler, union number start)
{
    struct code *code = compiler->code;
    if (code->register_count == REGISTERS_MAX) {
        compiler->failed = true;
        return 0;
    }
    if (code->register_count == code->register_capacity) {
        const size_t capacity = code->register_capacity * 2;
        union number *larger = realloc(code->registers, capacity * sizeof *larger);
        if (!larger) {
            compiler->failed = code->out_of_memory = true;
            return 0;
        }
        code->registers = larger;
        code->register_capacity = capacity;
    }
    code->registers[code->register_count] = start;
    return (uint16_t)code->register_count++;
}

static uint16_t temporary(struct compiler *compiler)
{
    return new_register(compiler, (union number){.integer = 0});
}

static uint16_t constant(struct compiler *compiler, struct value value)
{
    union number number = {.integer = 0};
    if (!code_number(compiler->code, value, &number))
        compiler->failed = compiler->code->out_of_memory = true;
    return new_register(compiler, number);
}

static size_t emit(struct compiler *compiler, enum operation operation, uint16_t out, uint16_t a,
                   uint16_t b)
{
    if (compiler->count == compiler->capacity) {
        const size_t capacity = compiler->capacity ? compiler->capacity * 2 : 32;
        struct instruction *larger = realloc(compiler->instructions, capacity * sizeof *larger);
        if (!larger) {
            compiler->failed = compiler->code->out_of_memory = true;
            return 0;
        }
        compiler->instructions = larger;
        compiler->capacity = capacity;
    }
    compiler->instructions[compiler->count] =
        (struct instruction){.operation = (uint16_t)operation, .out = out, .a = a, .b = b};
    return compiler->count++;
}

static uint16_t emit_new(struct compiler *compiler, enum operation operation, uint16_t a,
                         uint16_t b)
{
    const uint16_t out = temporary(compiler);
    (void)emit(compiler, operation, out, a, b);
    return out;
}

/* A jump's target is the next instruction. */
static void land(struct compiler *compiler, size_t jump)
{
    if (!compiler->failed)
        compiler->instructions[jump].target = (uint32_t)compiler->count;
}

/* ---- code ---- */

static uint16_t compile(struct compiler *compiler, const struct expression *node, enum want want);

static uint16_t give_up(struct compiler *compiler)
{
    compiler->failed = true;
    return 0;
}

static uint16_t convert(struct compiler *compiler, uint16_t from, kind_of kind, enum want want)
{
    if (want == WANT_ITSELF || kind == NUMBER_REAL)
        return from;
    if (kind != NUMBER_INTEGER)
        return give_up(compiler);
    return emit_new(compiler, want == WANT_REAL ? OP_TO_REAL : OP_TO_REAL_EXACTLY, from, 0);
}

/* An integer that is 0 when the value is false. */
static uint16_t compile_truth(struct compiler *compiler, const struct expression *node)
{
    const kind_of kind = program_node_kind(compiler->code, node);
    if (!program_is_constant(compiler->code, node) &&
        (node->kind == EXPRESSION_AND || node->kind == EXPRESSION_OR)) {
        const uint16_t out = temporary(compiler);
        (void)emit(compiler, OP_MOVE, out, compile_truth(compiler, node->operands[0]), 0);
        const size_t jump =
            emit(compiler, node->kind == EXPRESSION_AND ? OP_JUMP_FALSE : OP_JUMP_TRUE, 0, out, 0);
        (void)emit(compiler, OP_MOVE, out, compile_truth(compiler, node->operands[1]), 0);
        land(compiler, jump);
        return out;
    }
    if (kind == NUMBER_INTEGER)
        return compile(compiler, node, WANT_ITSELF);
    if (kind != NUMBER_REAL && kind != NUMBER_EITHER)
        return give_up(compiler);
    return emit_new(compiler, OP_TRUTH_R, compile(compiler, node, WANT_REAL), 0);
}

/* The operand that decides. */
static uint16_t compile_logic(struct compiler *compiler, const struct expression *node,
                              kind_of kind, enum want want)
{
    const uint16_t out = temporary(compiler);
    if (kind == NUMBER_TEXT)
        return give_up(compiler);
    (void)emit(compiler, OP_MOVE, out, compile(compiler, node->operands[0], want), 0);
    const bool real = want != WANT_ITSELF || kind == NUMBER_REAL;
    const uint16_t truth = real ? emit_new(compiler, OP_TRUTH_R, out, 0) : out;
    const size_t jump =
        emit(compiler, node->kind == EXPRESSION_AND ? OP_JUMP_FALSE : OP_JUMP_TRUE, 0, truth, 0);
    (void)emit(compiler, OP_MOVE, out, compile(compiler, node->operands[1], want), 0);
    land(compiler, jump);
    return out;
}

static uint16_t compile_conditional(struct compiler *compiler, const struct expression *node,
                                    enum want want)
{
    const uint16_t out = temporary(compiler);
    const uint16_t truth = compile_truth(compiler, node->operands[0]);
    const size_t otherwise = emit(compiler, OP_JUMP_FALSE, 0, truth, 0);
    (void)emit(compiler, OP_MOVE, out, compile(compiler, node->operands[1], want), 0);
    const size_t done = emit(compiler, OP_JUMP, 0, 0, 0);
    land(compiler, otherwise);
    (void)emit(compiler, OP_MOVE, out, compile(compiler, node->operands[2], want), 0);
    land(compiler, done);
    return out;
}

static uint16_t compile_order(struct compiler *compiler, enum comparison comparison, bool real,
                              uint16_t a, uint16_t b)
{
    switch (comparison) {
    case COMPARE_EQUAL:
    case COMPARE_IN:
        return emit_new(compiler, real ? OP_EQUAL_R : OP_EQUAL_I, a, b);
    case COMPARE_UNEQUAL:
        return emit_new(compiler, real ? OP_UNEQUAL_R : OP_UNEQUAL_I, a, b);
    case COMPARE_LESS:
        return emit_new(compiler, real ? OP_LESS_R : OP_LESS_I, a, b);
    case COMPARE_LESS_EQUAL:
        return emit_new(compiler, real ? OP_LESS_EQUAL_R : OP_LESS_EQUAL_I, a, b);
    case COMPARE_GREATER:
        return emit_new(compiler, real ? OP_LESS_R : OP_LESS_I, b, a);
    default:
        return emit_new(compiler, real ? OP_LESS_EQUAL_R : OP_LESS_EQUAL_I, b, a);
    }
}

/* The left operand's register is kept, as it is and exactly as a real, for the next of a chain. */
struct compared {
    const struct expression *node;
    kind_of kind;
    uint16_t reg;
};

static struct compared compile_compared(struct compiler *compiler, const struct expression *node)
{
    struct compared compared = {node, program_node_kind(compiler->code, node), 0};
    if (compared.kind == NUMBER_EITHER) {
        compared.reg = compile(compiler, node, WANT_EXACTLY_REAL);
        compared.kind = NUMBER_REAL;
    } else {
        compared.reg = compile(compiler, node, WANT_ITSELF);
    }
    return compared;
}

static uint16_t compile_pair(struct compiler *compiler, enum comparison comparison,
                             struct compared left, struct compared right)
{
    const bool texts = left.kind == NUMBER_TEXT || right.kind == NUMBER_TEXT;
    const bool equality =
        comparison == COMPARE_EQUAL || comparison == COMPARE_UNEQUAL || comparison == COMPARE_IN;
    if (left.kind == NUMBER_NONE || right.kind == NUMBER_NONE || (texts && !equality))
        return give_up(compiler);
    if (texts && left.kind != right.kind)
        return constant(compiler, value_boolean(comparison == COMPARE_UNEQUAL));
    const bool real = left.kind == NUMBER_REAL || right.kind == NUMBER_REAL;
    const enum want want = real ? WANT_EXACTLY_REAL : WANT_ITSELF;
    const uint16_t a = convert(compiler, left.reg, left.kind, want);
    const uint16_t b = convert(compiler, right.reg, right.kind, want);
    return compile_order(compiler, comparison, real, a, b);
}

static uint16_t compile_membership(struct compiler *compiler, enum comparison comparison,
                                   struct compared left, const struct expression *list)
{
    if (list->index != LIST_OF_ITEMS)
        return give_up(compiler);
    const uint16_t out = temporary(compiler);
    (void)emit(compiler, OP_MOVE, out, constant(compiler, value_integer(0)), 0);
    for (size_t i = 0; i < list->count && !compiler->failed; i++) {
        const struct compared item = compile_compared(compiler, list->operands[i]);
        (void)emit(compiler, OP_OR_BITS, out, out, compile_pair(compiler, COMPARE_IN, left, item));
    }
    return comparison == COMPARE_NOT_IN ? emit_new(compiler, OP_NOT, out, 0) : out;
}

static uint16_t compile_chain(struct compiler *compiler, const struct expression *node)
{
    size_t jumps[EXPRESSION_DEPTH_MAX];
    const uint16_t out = temporary(compiler);
    struct compared left = compile_compared(compiler, node->operands[0]);
    if (node->count > EXPRESSION_DEPTH_MAX)
        return give_up(compiler);
    for (size_t i = 1; i < node->count && !compiler->failed; i++) {
        const struct expression *operand = node->operands[i];
        const enum comparison comparison = (enum comparison)node->comparisons[i - 1];
        if (operand->kind == EXPRESSION_LIST) {
            const uint16_t in = compile_membership(compiler, comparison, left, operand);
            (void)emit(compiler, OP_MOVE, out, in, 0);
        } else {
            const struct compared right = compile_compared(compiler, operand);
            const uint16_t holds = compile_pair(compiler, comparison, left, right);
            (void)emit(compiler, OP_MOVE, out, holds, 0);
            left = right;
        }
        jumps[i - 1] = emit(compiler, OP_JUMP_FALSE, 0, out, 0);
    }
    for (size_t i = 1; i < node->count && !compiler->failed; i++)
        land(compiler, jumps[i - 1]);
    return out;
}

static uint16_t compile_call(struct compiler *compiler, const struct expression *node, kind_of kind)
{
    const int row = program_row(node);
    const kind_of operands = program_operands_kind(compiler->code, node, 0);
    const bool extreme = node->count > 1 && program_rows[row].kind == NUMBER_NONE;
    const bool real = operands != NUMBER_INTEGER || program_rows[row].integers < 0;
    const int operation = real ? program_rows[row].reals : program_rows[row].integers;
    const enum want want = !real ? WANT_ITSELF : extreme ? WANT_EXACTLY_REAL : WANT_REAL;
    if (kind == NUMBER_NONE || operation < 0)
        return give_up(compiler);
    uint16_t out = compile(compiler, node->operands[0], want);
    if (node->count == 1)
        return emit_new(compiler, (enum operation)operation, out, 0);
    for (size_t i = 1; i < node->count && !compiler->failed; i++)
        out = emit_new(compiler, (enum operation)operation, out,
                       compile(compiler, node->operands[i], want));
    return out;
}

static uint16_t compile_arithmetic(struct compiler *compiler, const struct expression *node,
                                   kind_of kind)
{
    static const enum operation integers[] = {OP_ADD_I,    OP_SUBTRACT_I,     OP_MULTIPLY_I,
                                              OP_DIVIDE_I, OP_FLOOR_DIVIDE_I, OP_REMAINDER_I,
                                              OP_POWER_I};
    static const enum operation reals[] = {OP_ADD_R,    OP_SUBTRACT_R,     OP_MULTIPLY_R,
                                           OP_DIVIDE_R, OP_FLOOR_DIVIDE_R, OP_REMAINDER_R,
                                           OP_POWER_R};
    const size_t index = (size_t)node->kind - EXPRESSION_ADD;
    const bool divides = node->kind == EXPRESSION_DIVIDE &&
                         program_operands_kind(compiler->code, node, 0) == NUMBER_INTEGER;
    const bool real = kind == NUMBER_REAL && !divides;
    const enum want want = real ? WANT_REAL : WANT_ITSELF;
    const uint16_t a = compile(compiler, node->operands[0], want);
    const uint16_t b = compile(compiler, node->operands[1], want);
    return emit_new(compiler, real ? reals[index] : integers[index], a, b);
}

/* Of what is one kind whatever is wanted. */
static uint16_t compile_plain(struct compiler *compiler, const struct expression *node,
                              kind_of kind)
{
    switch ((enum expression_kind)node->kind) {
    case EXPRESSION_VARIABLE:
        if (compiler->code->states[node->index] == DERIVED_MADE)
            (void)emit(compiler, OP_DERIVED, 0, node->index, 0);
        return node->index;
    case EXPRESSION_NOT:
        return emit_new(compiler, OP_NOT, compile_truth(compiler, node->operands[0]), 0);
    case EXPRESSION_PLUS:
        return compile(compiler, node->operands[0], WANT_ITSELF);
    case EXPRESSION_NEGATE:
        return emit_new(compiler, kind == NUMBER_REAL ? OP_NEGATE_R : OP_NEGATE_I,
                        compile(compiler, node->operands[0], WANT_ITSELF), 0);
    case EXPRESSION_COMPARE:
        return compile_chain(compiler, node);
    case EXPRESSION_CALL:
        return compile_call(compiler, node, kind);
    default:
        return compile_arithmetic(compiler, node, kind);
    }
}

static uint16_t compile_constant(struct compiler *compiler, const struct expression *node,
                                 enum want want)
{
    struct value value;
    struct error ignored;
    if (expression_evaluate(node, compiler->code->constants, &value, &ignored) != STATUS_OK)
        return give_up(compiler);
    return convert(compiler, constant(compiler, value), code_kind_of(value), want);
}

static uint16_t compile(struct compiler *compiler, const struct expression *node, enum want want)
{
    const kind_of kind = compiler->failed ? NUMBER_NONE : program_node_kind(compiler->code, node);
    if (kind == NUMBER_NONE || (kind == NUMBER_EITHER && want == WANT_ITSELF))
        return give_up(compiler);
    if (program_is_constant(compiler->code, node))
        return compile_constant(compiler, node, want);
    if (kind == NUMBER_EITHER && node->kind == EXPRESSION_CALL)
        return compile_call(compiler, node, kind);
    if (node->kind == EXPRESSION_AND || node->kind == EXPRESSION_OR)
        return compile_logic(compiler, node, kind, want);
    if (node->kind == EXPRESSION_CONDITIONAL)
        return compile_conditional(compiler, node, want);
    return convert(compiler, compile_plain(compiler, node, kind), kind, want);
}

static const struct program *finish(struct compiler *compiler, uint16_t result, kind_of kind)
{
    struct code *code = compiler->code;
    struct program *program =
        compiler->failed ? NULL : arena_alloc(code->arena, 1, sizeof *program);
    if (program && compiler->count > 0) {
        program->instructions = arena_copy(code->arena, compiler->instructions,
                                           compiler->count * sizeof *compiler->instructions);
        if (!program->instructions)
            program = NULL;
    }
    if (!compiler->failed && !program)
        code->out_of_memory = true;
    if (program) {
        program->count = compiler->count;
        program->result = result;
        program->kind = (enum number_kind)kind;
    }
    free(compiler->instructions);
    return program;
}

/* Once: a constant, a program, or neither. */
void program_make_derived(struct code *code, size_t slot)
{
    const struct environment *constants = code->constants;
    if (!constants->definitions || !constants->definitions[slot] || constants->bound[slot] ||
        code->states[slot] != DERIVED_NEW)
        return;
    const struct expression *definition = constants->definitions[slot];
    code->states[slot] = DERIVED_MAKING;
    const kind_of kind = program_node_kind(code, definition);
    if (program_is_constant(code, definition)) {
        code->states[slot] = DERIVED_CONSTANT;
        return;
    }
    struct compiler compiler = {.code = code, .failed = kind == NUMBER_NONE};
    const uint16_t result = compile(&compiler, definition, WANT_ITSELF);
    code->derived[slot] = finish(&compiler, result, kind);
    code->states[slot] = DERIVED_MADE;
    if (code->derived[slot])
        code->kinds[slot] = (enum number_kind)kind;
}

bool program_create(struct code *code, const struct expression *tree, enum program_result result,
                    const struct program **out)
{
    struct compiler compiler = {.code = code};
    kind_of kind = program_node_kind(code, tree);
    uint16_t reg = 0;
    if (result == RESULT_TRUTH) {
        reg = compile_truth(&compiler, tree);
        kind = NUMBER_INTEGER;
    } else {
        const bool real = result == RESULT_REAL && kind != NUMBER_TEXT;
        reg = compile(&compiler, tree, real ? WANT_REAL : WANT_ITSELF);
        kind = real ? NUMBER_REAL : kind;
    }
    *out = finish(&compiler, reg, kind);
    return !code->out_of_memory;
}

enum number_kind program_kind(const struct program *program)
{
    return program->kind;
}
