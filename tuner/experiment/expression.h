/* Expressions with Python's grammar and meaning: parsed once into a tree, evaluated many times.
 * User reference: docs/experiment-files.md. */
#ifndef TUNE_EXPERIMENT_EXPRESSION_H
#define TUNE_EXPERIMENT_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/arena.h"
#include "tuner/base/error.h"
#include "tuner/base/value.h"
#include "tuner/experiment/place.h"

enum {
    SLOTS_MAX = 128,
    SLOT_LOCAL = SLOTS_MAX - 1, /* the variable of a comprehension */
    EXPRESSION_BYTES_MAX = 32768,
    LIST_BYTES_MAX = 512 << 10, /* for a text that is a list */
    EXPRESSION_DEPTH_MAX = 100, /* bounds recursion in parsing and evaluating */
};

/* A set of variables, by slot. */
struct slot_set {
    uint64_t bits[SLOTS_MAX / 64];
};
static inline void slot_set_add(struct slot_set *set, size_t slot)
{
    set->bits[slot / 64] |= UINT64_C(1) << (slot % 64);
}
static inline bool slot_set_has(const struct slot_set *set, size_t slot)
{
    return (set->bits[slot / 64] >> (slot % 64)) & 1;
}
static inline struct slot_set slot_set_union(struct slot_set a, struct slot_set b)
{
    for (size_t i = 0; i < SLOTS_MAX / 64; i++)
        a.bits[i] |= b.bits[i];
    return a;
}
static inline bool slot_set_meets(const struct slot_set *a, const struct slot_set *b)
{
    for (size_t i = 0; i < SLOTS_MAX / 64; i++)
        if (a->bits[i] & b->bits[i])
            return true;
    return false;
}

/* Variables of an expression: names[slot]; NULL for a slot without a name. */
struct scope {
    const char *names[SLOTS_MAX];
    size_t count;
    /* Also accept `lambda p: p["block"] < 64` and `lambda block: block < 64`, the forms of Kernel
     * Tuner's restrictions. */
    bool lambdas;
};
/* Returns the slot of that name; scope->count: none. */
size_t scope_find(const struct scope *scope, const char *name);

enum expression_kind {
    EXPRESSION_CONSTANT,
    EXPRESSION_VARIABLE,
    EXPRESSION_LIST, /* index is an enum list_form; allowed only where a list is needed */
    EXPRESSION_NOT,
    EXPRESSION_PLUS,
    EXPRESSION_NEGATE,
    EXPRESSION_ADD,
    EXPRESSION_SUBTRACT,
    EXPRESSION_MULTIPLY,
    EXPRESSION_DIVIDE,
    EXPRESSION_FLOOR_DIVIDE,
    EXPRESSION_REMAINDER,
    EXPRESSION_POWER,
    EXPRESSION_INVERT,
    EXPRESSION_BIT_AND,
    EXPRESSION_BIT_OR,
    EXPRESSION_BIT_XOR,
    EXPRESSION_SHIFT_LEFT,
    EXPRESSION_SHIFT_RIGHT,
    EXPRESSION_AND,
    EXPRESSION_OR,
    EXPRESSION_CONDITIONAL, /* condition, value if true, value if false */
    EXPRESSION_COMPARE,     /* a chain: `comparisons[i]` is between operands i and i + 1 */
    EXPRESSION_CALL,
    EXPRESSION_ITEM, /* list, index */
};

/* Form of a list, and operands of its node. */
enum list_form {
    LIST_OF_ITEMS,
    LIST_RANGE,         /* one to three integers */
    LIST_COMPREHENSION, /* an item, the list of the variable's values, and optionally a condition */
    LIST_GENERATOR,     /* as a comprehension, but evaluated only as far as needed */
    LIST_JOINED,        /* two lists */
    LIST_REPEATED,      /* list, number of repetitions */
};

enum comparison {
    COMPARE_EQUAL,
    COMPARE_UNEQUAL,
    COMPARE_LESS,
    COMPARE_LESS_EQUAL,
    COMPARE_GREATER,
    COMPARE_GREATER_EQUAL,
    COMPARE_IN,
    COMPARE_NOT_IN,
};

/* A node of the tree. `line` and `column` are the place of its operator, name or literal. */
struct expression {
    uint8_t kind;   /* enum expression_kind */
    uint8_t depth;  /* depth of the tree, this node included */
    uint16_t index; /* slot of a variable, function of a call */
    uint32_t count; /* number of operands */
    uint32_t line;
    uint32_t column;
    const uint8_t *comparisons;
    const struct expression *const *operands;
    struct value constant;
};

/* A parsed expression. */
struct formula {
    const struct expression *tree; /* NULL: absent */
    struct slot_set uses;          /* variables that the expression names itself */
    struct place place;
    const char *text;
};

/* An expression's text in a file. If `exact`, character i of the text is at column place.column + i
 * of the file, so that errors point into the expression; else (a text over several lines, or with
 * escapes) errors point to its beginning. */
struct source_text {
    struct place place;
    const char *text;
    bool exact;
};
/* Returns the place of byte `offset` of the text. */
struct place source_place(const struct source_text *source, size_t offset);

/* Parses a whole text: a value, or a `list`. All results belong to the arena. STATUS_BAD_INPUT with
 * the place. */
enum status expression_parse(struct arena *arena, const struct source_text *source,
                             const struct scope *scope, bool list, struct formula *out,
                             struct error *error);
/* Makes an expression of just this value. */
enum status expression_constant(struct arena *arena, struct place place, struct value value,
                                struct formula *out, struct error *error);

/* Values of variables, by slot. A slot that is unbound but has a definition is evaluated when first
 * needed and then bound. Definitions must not be cyclic. */
struct environment {
    const struct place_file *file;
    const struct scope *scope;
    const struct expression *const *definitions; /* one per slot; NULL: none */
    bool bound[SLOTS_MAX];
    struct value values[SLOTS_MAX];
};
static inline void environment_bind(struct environment *environment, size_t slot,
                                    struct value value)
{
    environment->values[slot] = value;
    environment->bound[slot] = true;
}

/* Evaluates an expression without allocating memory. STATUS_BAD_INPUT: no value here (division by
 * zero, overflow, a text where a number is needed); STATUS_UNAVAILABLE: a variable has no value.
 * Texts of the result are the expression's or the environment's. error: NULL where only success
 * counts. */
enum status expression_evaluate(const struct expression *expression,
                                struct environment *environment, struct value *out,
                                struct error *error);
/* Returns Python's truth: a number other than zero, a non-empty text. */
bool value_is_true(struct value value);

/* ---- shared by the files of expressions ---- */

struct evaluation {
    struct environment *environment;
    struct error *error;
    uint32_t items;      /* items of lists visited so far: bounds the time */
    const bool *decided; /* for the generator that starts next: no more items are needed */
};
/* Evaluators; each returns false after filling the error. */
bool evaluate_tree(const struct expression *node, struct evaluation *evaluation, struct value *out);
/* Evaluates operands that quick_arithmetic does not handle. */
bool evaluate_arithmetic(const struct expression *node, struct evaluation *evaluation,
                         struct value a, struct value b, struct value *out);
/* Evaluates -a, +a, ~a. */
bool evaluate_sign(const struct expression *node, struct evaluation *evaluation, struct value a,
                   struct value *out);
bool evaluate_call(const struct expression *node, struct evaluation *evaluation, struct value *out);
bool evaluate_order(const struct expression *node, struct evaluation *evaluation, struct value a,
                    struct value b, int *out);
#define evaluation_error(node, evaluation, ...)                                                    \
    place_refuses((evaluation)->error,                                                             \
                  (struct place){(evaluation)->environment->file, (node)->line, (node)->column},   \
                  __VA_ARGS__)
/* Converts an operand, or an index, that must be an integer. */
bool evaluation_integer(const struct expression *node, struct evaluation *evaluation,
                        const char *subject, struct value value, int64_t *out);

/* Visits the items of a list; `each` returns false to stop after filling the error. */
bool evaluate_items(const struct expression *list, struct evaluation *evaluation,
                    bool (*each)(void *context, struct value item), void *context);
enum { CALL_OPERANDS_MAX = 8 };
/* Returns the index of a function, or -1. */
int function_find(const char *name);
/* Returns all functions' names. */
const char *const *function_names(size_t *count);
/* Operands and result of a function. */
enum function_kind {
    FUNCTION_OF_NUMBERS, /* numbers -> number */
    FUNCTION_OF_ANY,     /* min, max: numbers or texts, or a list -> one of these */
    FUNCTION_OF_LIST,    /* all, any: a list -> number */
    FUNCTION_OF_TYPE,    /* name of an element type -> number */
    FUNCTION_TYPE_TEXT,  /* name of an element type -> text */
};
enum function_kind function_kind(int index);
/* Returns "takes 2 values" when the function cannot take `count` operands, else NULL. */
const char *function_refuses(int index, size_t count);

/* Lists have Python's form, for the values of a parameter: `[1, 2 * n]`, `[2**i for i in
 * range(6)]`, `[i for i in range(1, 9) if i != 4]`, `list(range(32, 1024 + 1, 32))`, `range(5)`,
 * lists joined by `+` and repeated by `*`. The variable of a comprehension hides an outer one of
 * that name. Every list has at most LIST_VALUES_MAX values. */
enum { LIST_VALUES_MAX = 65535 };
/* Evaluates a list. Values belong to the arena, their texts to the expression. */
enum status expression_evaluate_list(const struct expression *tree, struct environment *environment,
                                     struct arena *arena, struct value **values, size_t *count,
                                     struct error *error);

#endif
