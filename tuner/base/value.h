/* The value of a parameter, an axis, a fact or an expression. */
#ifndef TUNE_BASE_VALUE_H
#define TUNE_BASE_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum value_kind { VALUE_INTEGER, VALUE_REAL, VALUE_BOOLEAN, VALUE_TEXT };

struct value {
    enum value_kind kind;
    union {
        int64_t integer; /* VALUE_INTEGER; 0 or 1 for VALUE_BOOLEAN */
        double real;     /* VALUE_REAL */
        const char *
            text; /* VALUE_TEXT; borrowed from the maker of the value, which defines its lifetime */
    };
};

static inline struct value value_integer(int64_t integer)
{
    return (struct value){.kind = VALUE_INTEGER, .integer = integer};
}
static inline struct value value_real(double real)
{
    return (struct value){.kind = VALUE_REAL, .real = real};
}
static inline struct value value_boolean(bool boolean)
{
    return (struct value){.kind = VALUE_BOOLEAN, .integer = boolean ? 1 : 0};
}
static inline struct value value_text(const char *text)
{
    return (struct value){.kind = VALUE_TEXT, .text = text};
}

static inline bool value_is_integer(struct value value)
{
    return value.kind == VALUE_INTEGER || value.kind == VALUE_BOOLEAN;
}
/* Compares two numbers, neither of them NaN: returns < 0, 0, > 0. 2**53 + 1 is more than
 * 2.0**53. */
int value_order(struct value a, struct value b);
/* Compares by Python's rules: 1 == 1.0 and 1 == True; a text equals only the same text. */
bool value_equal(struct value a, struct value b);
/* Returns a value's number (a boolean's is 0 or 1); false for a text. */
bool value_number(struct value value, double *out);

#define VALUE_TEXT_BYTES 64
/* Writes the value as in tuned.conf, defines and tables: 256, 0.5, true, last_block. Reals read
 * back as the same number. Returns false when the text was cut. */
bool value_format(struct value value, char *out, size_t bytes);

/* A name with its value: a variable of an expression, a define, a column. */
struct named_value {
    const char *name;
    struct value value;
};

#endif
