/* Integer expressions of C++ as trees: a source's launch and the indices of its kernel. Trees are
 * shared and never changed. */
#ifndef TUNE_FRONTENDS_INIT_FORMULA_H
#define TUNE_FRONTENDS_INIT_FORMULA_H

#include "frontends/init/source.h"
#include "tuner/base/text.h"

enum { FORMULA_PARTS_MAX = 4 };

enum formula_kind {
    FORMULA_UNKNOWN, /* what is no expression of numbers and names */
    FORMULA_NUMBER,
    FORMULA_REAL, /* `text`, without a suffix */
    FORMULA_NAME, /* "n", "blockIdx.x" */
    FORMULA_MINUS,
    FORMULA_BINARY, /* `text`: the operator */
    FORMULA_CHOICE, /* parts[0] ? parts[1] : parts[2] */
    FORMULA_CALL,   /* `text`: the function; dim3, too */
};

struct formula {
    enum formula_kind kind;
    bool has_number; /* of a name: its value, as the source gives it */
    int64_t number;
    const char *text;
    size_t count;
    const struct formula *parts[FORMULA_PARTS_MAX];
};

/* Where names of expressions are looked up: definitions before a place, inner blocks left out. */
struct formula_scope {
    struct arena *arena;
    const struct tokens *tokens;
    size_t first; /* no variable is looked for before this token */
    /* The #define and the constants among the tokens, where they were counted: much is asked of a
     * large source. */
    const size_t *defines;
    size_t define_count;
    const struct source_signature *kept; /* what macros and numbers of templates are taken for */
};

/* Reads the tokens from *at on, as far as they are one expression; *at: behind it. NULL: no memory,
 * or nothing stands there. */
const struct formula *formula_read(struct arena *arena, const struct tokens *tokens, size_t *at,
                                   size_t end);
/* Replaces names by their definitions before the token `before`, calls of functions
 * that only return by what they return, and ceil_div() where that is written out. A name that
 * stands for a number stays, with it. NULL: no memory. */
const struct formula *formula_resolve(const struct formula_scope *scope,
                                      const struct formula *formula, size_t before);
/* Whether a constant is given its value there: `constexpr int NAME =`. */
bool is_constant_sign(const struct tokens *tokens, size_t sign);
/* Computes the value, where all names have one. */
bool formula_value(const struct formula *formula, int64_t *value);
bool formula_same(const struct formula *a, const struct formula *b);
bool formula_names(const struct formula *formula, const char *name);
/* Whether it can be written down: no part is unknown, no call is of a function of the program. */
bool formula_is_plain(const struct formula *formula);
/* Finds the factor of the name. False: it is not linear in it. *out NULL: it is not in it. */
bool formula_factor(struct arena *arena, const struct formula *formula, const char *name,
                    const struct formula **out);
/* Returns a / b where a is a product with b in it; NULL: it is none. */
const struct formula *formula_without(struct arena *arena, const struct formula *a,
                                      const struct formula *b);
const struct formula *formula_number(struct arena *arena, int64_t number);
const struct formula *formula_name(struct arena *arena, const char *name);
const struct formula *formula_binary(struct arena *arena, const char *sign, const struct formula *a,
                                     const struct formula *b);
/* Replaces every name by the result of `replace`; NULL: it stays. */
const struct formula *formula_replace(struct arena *arena, const struct formula *formula,
                                      const struct formula *(*replace)(const struct formula *name,
                                                                       void *context),
                                      void *context);
/* Writes it as an experiment has it: `//` for `/`, `a if c else b`. */
void formula_put(const struct formula *formula, struct text *out);

#endif
