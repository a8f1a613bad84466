/* Integer expressions of C++ as trees: a source's launch and a kernel's indices. Trees are shared
 * and never changed. */
#ifndef TUNE_FRONTENDS_INIT_FORMULA_H
#define TUNE_FRONTENDS_INIT_FORMULA_H

#include "frontends/init/source.h"
#include "tuner/base/text.h"

enum { FORMULA_PARTS_MAX = 4 };

enum formula_kind {
    FORMULA_UNKNOWN, /* other than numbers and names */
    FORMULA_NUMBER,
    FORMULA_NAME,   /* "n", "blockIdx.x" */
    FORMULA_BINARY, /* `text`: the operator */
    FORMULA_CALL,   /* `text`: the function; dim3, too */
};

struct formula {
    enum formula_kind kind;
    bool has_number; /* the name's value is known from the source */
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
    /* The #defines and constants among the tokens, found in advance: large sources need many
     * look-ups. */
    const size_t *defines;
    size_t define_count;
    const struct source_signature *kept; /* macros and template numbers there stay as names */
};

/* Makes a scope of a source's tokens. */
struct formula_scope formula_scope_of(struct arena *arena, const struct tokens *tokens,
                                      size_t first, const struct source_signature *kept);

/* Reads one expression from *at on, and advances *at. Returns NULL if memory is short or there is
 * no expression. */
const struct formula *formula_read(struct arena *arena, const struct tokens *tokens, size_t *at,
                                   size_t end);
/* Replaces names by their definitions before the token `before`, and written-out divisions by
 * ceil_div(). A name for a number stays, with the value. Returns NULL if memory is short. */
const struct formula *formula_resolve(const struct formula_scope *scope,
                                      const struct formula *formula, size_t before);
/* Returns true at the sign of a constant's definition: `constexpr int NAME =`. */
bool is_constant_sign(const struct tokens *tokens, size_t sign);
/* Computes the value, where all names have one; `anyhow`: with some number of four digits for each
 * that has none. */
bool formula_value(const struct formula *formula, bool anyhow, int64_t *value);
bool formula_same(const struct formula *a, const struct formula *b);
/* Returns true if the test holds for a part, or for the whole; NULL has none. */
typedef bool (*formula_test)(const struct formula *part, const void *context);
bool formula_any(const struct formula *formula, formula_test test, const void *context);
/* Returns true if the name occurs; NULL: any name. */
bool formula_names(const struct formula *formula, const char *name);
/* Returns true if the expression can be written: no unknown part, no call of the program's
 * functions. */
bool formula_is_plain(const struct formula *formula);
/* Finds the factor of the name; *out is NULL if the name does not occur. Returns false if the
 * expression is not linear in the name. */
bool formula_factor(struct arena *arena, const struct formula *formula, const char *name,
                    const struct formula **out);
/* Returns a / b if a is a product that contains b; otherwise NULL. */
const struct formula *formula_without(struct arena *arena, const struct formula *a,
                                      const struct formula *b);
const struct formula *formula_number(struct arena *arena, int64_t number);
const struct formula *formula_name(struct arena *arena, const char *name);
const struct formula *formula_binary(struct arena *arena, const char *sign, const struct formula *a,
                                     const struct formula *b);
const struct formula *formula_ceil_div(struct arena *arena, const struct formula *a,
                                       const struct formula *b);
/* Replaces every name by the result of `replace`; NULL keeps the name. */
const struct formula *formula_replace(struct arena *arena, const struct formula *formula,
                                      const struct formula *(*replace)(const struct formula *name,
                                                                       void *context),
                                      void *context);
/* Writes the expression in the experiment's syntax: `//` for `/`. */
void formula_put(const struct formula *formula, struct text *out);

#endif
