/* Between the files that make and run programs. */
#ifndef TUNE_EXPERIMENT_PROGRAM_CODE_H
#define TUNE_EXPERIMENT_PROGRAM_CODE_H

#include "tuner/experiment/program.h"

/* _I of integers, _R of reals. Operands are registers but where it says otherwise. */
enum operation {
    OP_MOVE,
    OP_DERIVED, /* sees to it that the derived value of register a is there */
    OP_JUMP,    /* to the target */
    OP_JUMP_FALSE,
    OP_JUMP_TRUE, /* when integer a is or is not 0 */
    OP_TO_REAL,
    OP_TO_REAL_EXACTLY, /* left to the tree when it would be rounded */
    OP_TRUTH_R,
    OP_NOT,
    OP_OR_BITS,
    OP_ADD_I,
    OP_SUBTRACT_I,
    OP_MULTIPLY_I,
    OP_DIVIDE_I, /* gives a real */
    OP_FLOOR_DIVIDE_I,
    OP_REMAINDER_I,
    OP_POWER_I,
    OP_NEGATE_I,
    OP_ABS_I,
    OP_MIN_I,
    OP_MAX_I,
    OP_EQUAL_I,
    OP_UNEQUAL_I,
    OP_LESS_I,
    OP_LESS_EQUAL_I,
    OP_CEIL_DIV,
    OP_ROUND_UP,
    OP_IS_POWER_OF_TWO,
    OP_NEXT_POWER_OF_TWO,
    OP_ADD_R,
    OP_SUBTRACT_R,
    OP_MULTIPLY_R,
    OP_DIVIDE_R,
    OP_FLOOR_DIVIDE_R,
    OP_REMAINDER_R,
    OP_POWER_R,
    OP_NEGATE_R,
    OP_ABS_R,
    OP_MIN_R,
    OP_MAX_R,
    OP_EQUAL_R,
    OP_UNEQUAL_R,
    OP_LESS_R,
    OP_LESS_EQUAL_R,
    OP_TRUNC, /* a real to an integer */
    OP_FLOOR,
    OP_CEIL,
    OP_RINT,
    OP_SQRT,
    OP_LOG2,
    OP_LOG,
    OP_EXP,
    OP_SIN,
    OP_COS,
};

struct instruction {
    uint16_t operation; /* enum operation */
    uint16_t out, a, b;
    uint32_t target; /* instruction */
};

struct program {
    const struct instruction *instructions;
    size_t count;
    uint16_t result; /* register */
    enum number_kind kind;
};

/* Registers: the variables by their slots, then constants and what programs compute. */
enum { REGISTERS_MAX = UINT16_MAX };

/* What is known of a derived value. */
enum derived_state { DERIVED_NEW, DERIVED_MAKING, DERIVED_MADE, DERIVED_CONSTANT };

struct code {
    struct arena *arena;
    struct environment *constants;
    enum number_kind kinds[SLOTS_MAX]; /* of variables and derived values that have a register */
    enum derived_state states[SLOTS_MAX];
    const struct program *derived[SLOTS_MAX];
    union number *registers; /* as a machine starts with them */
    size_t register_count, register_capacity;
    const char **texts;
    size_t text_count, text_capacity;
    bool out_of_memory;
};

/* ---- kinds of nodes (program_kinds.c) ---- */

/* A number that is an integer or a real, as it turns out: can be had as a real only. */
enum { NUMBER_EITHER = NUMBER_TEXT + 1 };
typedef unsigned kind_of; /* enum number_kind, or this one */

/* Whether its value is known while programs are made. */
bool program_is_constant(const struct code *code, const struct expression *node);
kind_of program_node_kind(struct code *code, const struct expression *node);
/* Of those from `first` on. */
kind_of program_operands_kind(struct code *code, const struct expression *node, size_t first);

/* What a function makes of numbers. */
struct function_row {
    const char *name;
    kind_of kind; /* of the result; NUMBER_NONE: that of the operands */
    int integers; /* operation; -1: it has none for this kind */
    int reals;
};
extern const struct function_row program_rows[];
/* The row of a call; -1: there is none. */
int program_row(const struct expression *call);
/* Makes the program of a derived value, if it is one and has none (program.c). */
void program_make_derived(struct code *code, size_t slot);

struct machine {
    const struct code *code;
    union number *registers;
    bool known[SLOTS_MAX]; /* derived values */
};

#endif
