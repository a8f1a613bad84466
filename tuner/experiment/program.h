/* Expressions as flat code over 64-bit numbers, for where one is evaluated many times. Code is made
 * where each operation's kind of operands is known beforehand; what it cannot do, an overflow, a
 * division by zero, a power that is no integer, it leaves to the tree (expression_evaluate), which
 * gives the value or says what is wrong. Where code gives a value, it is the tree's. */
#ifndef TUNE_EXPERIMENT_PROGRAM_H
#define TUNE_EXPERIMENT_PROGRAM_H

#include "tuner/experiment/expression.h"

/* Of a value, or of all values that a variable may have. Booleans are integers. */
enum number_kind {
    NUMBER_NONE, /* unknown, or of several kinds */
    NUMBER_INTEGER,
    NUMBER_REAL,
    NUMBER_TEXT, /* the number of a text, the same for the same one (code_text) */
};
union number {
    int64_t integer;
    double real;
};

/* What programs have in common: the variables and the constants. */
struct code;
/* A program; lives as long as its code's arena. */
struct program;
/* Where programs of one code run: one for each thread. */
struct machine;

/* `constants` has the variables bound that never change; it and the arena are needed as long as
 * programs are made. NULL when memory is short. */
struct code *code_create(struct arena *arena, struct environment *constants);
void code_free(struct code *code);
/* Says of a variable that is set by machine_set what its values are. Before programs are made. */
void code_variable(struct code *code, size_t slot, enum number_kind kind);
enum number_kind code_kind_of(struct value value);
/* False when memory is short. */
bool code_number(struct code *code, struct value value, union number *out);
/* The way back; texts are the code's. */
struct value code_value(const struct code *code, enum number_kind kind, union number number);

/* What a program gives. */
enum program_result {
    RESULT_VALUE, /* the value, of the kind that program_kind tells */
    RESULT_REAL,  /* the value as a real: an integer is rounded to one */
    RESULT_TRUTH, /* an integer, 0 when Python takes the value for false */
};
/* *out is NULL when there is no code for this. False when memory is short. */
bool program_create(struct code *code, const struct expression *tree, enum program_result result,
                    const struct program **out);
enum number_kind program_kind(const struct program *program);

/* Of all programs made so far. NULL when memory is short. */
struct machine *machine_create(const struct code *code);
void machine_end(struct machine *machine);
void machine_set(struct machine *machine, size_t slot, union number number);
/* A derived value is computed when it is first needed; this forgets it. */
void machine_forget(struct machine *machine, size_t slot);
/* False: the tree must be asked. */
bool machine_run(struct machine *machine, const struct program *program, union number *out);

#endif
