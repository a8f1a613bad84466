/* The functions of expressions: one table. */
#include "tuner/experiment/expression.h"

#include <math.h>
#include <string.h>

#include "tuner/base/element.h"

typedef bool function(const struct expression *node, struct evaluation *evaluation,
                      const struct value *values, size_t count, struct value *out);

static bool need_number(const struct expression *node, struct evaluation *evaluation,
                        struct value value, double *out)
{
    if (!value_number(value, out))
        return evaluation_error(node, evaluation, "a number is needed, not the text '%s'",
                                value.text);
    return true;
}

static bool need_integer(const struct expression *node, struct evaluation *evaluation,
                         struct value value, int64_t *out)
{
    if (value.kind == VALUE_TEXT)
        return evaluation_error(node, evaluation, "an integer is needed, not the text '%s'",
                                value.text);
    if (value.kind == VALUE_REAL)
        return evaluation_error(
            node, evaluation, "an integer is needed, not the real %g: use // or int()", value.real);
    *out = value.integer;
    return true;
}

static bool extreme(const struct expression *node, struct evaluation *evaluation,
                    const struct value *values, size_t count, int sign, struct value *out)
{
    *out = values[0];
    for (size_t i = 1; i < count; i++) {
        int order = 0;
        if (!evaluate_order(node, evaluation, values[i], *out, &order))
            return false;
        if (order * sign > 0)
            *out = values[i];
    }
    return true;
}

static bool call_min(const struct expression *node, struct evaluation *evaluation,
                     const struct value *values, size_t count, struct value *out)
{
    return extreme(node, evaluation, values, count, -1, out);
}

static bool call_max(const struct expression *node, struct evaluation *evaluation,
                     const struct value *values, size_t count, struct value *out)
{
    return extreme(node, evaluation, values, count, 1, out);
}

static bool call_abs(const struct expression *node, struct evaluation *evaluation,
                     const struct value *values, size_t count, struct value *out)
{
    (void)count;
    double real = 0;
    if (!need_number(node, evaluation, values[0], &real))
        return false;
    if (values[0].kind == VALUE_REAL)
        return evaluation_real(node, evaluation, fabs(real), out);
    if (values[0].integer == INT64_MIN)
        return evaluation_error(node, evaluation, "the result does not fit 64 bits");
    *out = value_integer(values[0].integer < 0 ? -values[0].integer : values[0].integer);
    return true;
}

/* A real that is a whole number, as an integer. */
static bool to_integer(const struct expression *node, struct evaluation *evaluation,
                       struct value value, double (*rounded)(double), struct value *out)
{
    double real = 0;
    if (!need_number(node, evaluation, value, &real))
        return false;
    if (value.kind != VALUE_REAL) {
        *out = value_integer(value.integer);
        return true;
    }
    real = rounded(real);
    const double limit = 9223372036854775808.0; /* 2^63 */
    if (real < -limit || real >= limit)
        return evaluation_error(node, evaluation, "the result does not fit 64 bits");
    *out = value_integer((int64_t)real);
    return true;
}

static bool call_int(const struct expression *node, struct evaluation *evaluation,
                     const struct value *values, size_t count, struct value *out)
{
    (void)count;
    return to_integer(node, evaluation, values[0], trunc, out);
}

static bool call_floor(const struct expression *node, struct evaluation *evaluation,
                       const struct value *values, size_t count, struct value *out)
{
    (void)count;
    return to_integer(node, evaluation, values[0], floor, out);
}

static bool call_ceil(const struct expression *node, struct evaluation *evaluation,
                      const struct value *values, size_t count, struct value *out)
{
    (void)count;
    return to_integer(node, evaluation, values[0], ceil, out);
}

/* Halves to even, as in Python; rint does so in the default rounding mode. */
static bool call_round(const struct expression *node, struct evaluation *evaluation,
                       const struct value *values, size_t count, struct value *out)
{
    (void)count;
    return to_integer(node, evaluation, values[0], rint, out);
}

static bool call_float(const struct expression *node, struct evaluation *evaluation,
                       const struct value *values, size_t count, struct value *out)
{
    (void)count;
    double real = 0;
    return need_number(node, evaluation, values[0], &real) &&
           evaluation_real(node, evaluation, real, out);
}

static bool call_log2(const struct expression *node, struct evaluation *evaluation,
                      const struct value *values, size_t count, struct value *out)
{
    (void)count;
    double real = 0;
    if (!need_number(node, evaluation, values[0], &real))
        return false;
    if (real <= 0)
        return evaluation_error(node, evaluation, "log2 needs a number over 0, not %g", real);
    return evaluation_real(node, evaluation, log2(real), out);
}

static bool call_sqrt(const struct expression *node, struct evaluation *evaluation,
                      const struct value *values, size_t count, struct value *out)
{
    (void)count;
    double real = 0;
    if (!need_number(node, evaluation, values[0], &real))
        return false;
    if (real < 0)
        return evaluation_error(node, evaluation, "sqrt needs a number of at least 0, not %g",
                                real);
    return evaluation_real(node, evaluation, sqrt(real), out);
}

static bool call_log(const struct expression *node, struct evaluation *evaluation,
                     const struct value *values, size_t count, struct value *out)
{
    (void)count;
    double real = 0;
    if (!need_number(node, evaluation, values[0], &real))
        return false;
    if (real <= 0)
        return evaluation_error(node, evaluation, "log needs a number over 0, not %g", real);
    return evaluation_real(node, evaluation, log(real), out);
}

static bool call_exp(const struct expression *node, struct evaluation *evaluation,
                     const struct value *values, size_t count, struct value *out)
{
    (void)count;
    double real = 0;
    return need_number(node, evaluation, values[0], &real) &&
           evaluation_real(node, evaluation, exp(real), out);
}

static bool call_sin(const struct expression *node, struct evaluation *evaluation,
                     const struct value *values, size_t count, struct value *out)
{
    (void)count;
    double real = 0;
    return need_number(node, evaluation, values[0], &real) &&
           evaluation_real(node, evaluation, sin(real), out);
}

static bool call_cos(const struct expression *node, struct evaluation *evaluation,
                     const struct value *values, size_t count, struct value *out)
{
    (void)count;
    double real = 0;
    return need_number(node, evaluation, values[0], &real) &&
           evaluation_real(node, evaluation, cos(real), out);
}

static bool divide_up(const struct expression *node, struct evaluation *evaluation,
                      const struct value *values, int64_t *quotient, int64_t *divisor)
{
    int64_t number = 0;
    if (!need_integer(node, evaluation, values[0], &number) ||
        !need_integer(node, evaluation, values[1], divisor))
        return false;
    if (*divisor <= 0)
        return evaluation_error(node, evaluation, "the second value must be over 0, not %lld",
                                (long long)*divisor);
    *quotient = number / *divisor + (number % *divisor > 0);
    return true;
}

static bool call_ceil_div(const struct expression *node, struct evaluation *evaluation,
                          const struct value *values, size_t count, struct value *out)
{
    (void)count;
    int64_t quotient = 0;
    int64_t divisor = 0;
    if (!divide_up(node, evaluation, values, &quotient, &divisor))
        return false;
    *out = value_integer(quotient);
    return true;
}

static bool call_round_up(const struct expression *node, struct evaluation *evaluation,
                          const struct value *values, size_t count, struct value *out)
{
    (void)count;
    int64_t quotient = 0;
    int64_t divisor = 0;
    int64_t result = 0;
    if (!divide_up(node, evaluation, values, &quotient, &divisor))
        return false;
    if (__builtin_mul_overflow(quotient, divisor, &result))
        return evaluation_error(node, evaluation, "the result does not fit 64 bits");
    *out = value_integer(result);
    return true;
}

static bool call_is_power_of_two(const struct expression *node, struct evaluation *evaluation,
                                 const struct value *values, size_t count, struct value *out)
{
    (void)count;
    int64_t number = 0;
    if (!need_integer(node, evaluation, values[0], &number))
        return false;
    *out = value_boolean(number > 0 && (number & (number - 1)) == 0);
    return true;
}

static bool call_next_power_of_two(const struct expression *node, struct evaluation *evaluation,
                                   const struct value *values, size_t count, struct value *out)
{
    (void)count;
    int64_t number = 0;
    if (!need_integer(node, evaluation, values[0], &number))
        return false;
    if (number > INT64_C(1) << 62)
        return evaluation_error(node, evaluation, "the result does not fit 64 bits");
    int64_t power = 1;
    while (power < number)
        power *= 2;
    *out = value_integer(power);
    return true;
}

static bool need_type(const struct expression *node, struct evaluation *evaluation,
                      struct value value, enum element_type *out)
{
    if (value.kind != VALUE_TEXT)
        return evaluation_error(node, evaluation,
                                "the name of an element type is needed, not a number");
    if (element_from_name(value.text, out))
        return true;
    size_t count = 0;
    const char *const *types = element_names(&count);
    return evaluation_error(node, evaluation, "no element type is named '%s'%s", value.text,
                            suggest(value.text, types, count).text);
}

static bool call_sizeof(const struct expression *node, struct evaluation *evaluation,
                        const struct value *values, size_t count, struct value *out)
{
    (void)count;
    enum element_type type = ELEMENT_I32;
    if (!need_type(node, evaluation, values[0], &type))
        return false;
    *out = value_integer((int64_t)element_bytes(type));
    return true;
}

static bool call_c_type(const struct expression *node, struct evaluation *evaluation,
                        const struct value *values, size_t count, struct value *out)
{
    (void)count;
    enum element_type type = ELEMENT_I32;
    if (!need_type(node, evaluation, values[0], &type))
        return false;
    *out = value_text(element_c_name(type));
    return true;
}

static bool call_is_real(const struct expression *node, struct evaluation *evaluation,
                         const struct value *values, size_t count, struct value *out)
{
    (void)count;
    enum element_type type = ELEMENT_I32;
    if (!need_type(node, evaluation, values[0], &type))
        return false;
    *out = value_boolean(element_is_real(type));
    return true;
}

/* X(name, fewest operands, most operands, kind) */
#define FUNCTION_LIST(X)                                                                           \
    X(min, 2, CALL_OPERANDS_MAX, FUNCTION_OF_ANY)                                                  \
    X(max, 2, CALL_OPERANDS_MAX, FUNCTION_OF_ANY)                                                  \
    X(abs, 1, 1, FUNCTION_OF_NUMBERS)                                                              \
    X(int, 1, 1, FUNCTION_OF_NUMBERS)                                                              \
    X(float, 1, 1, FUNCTION_OF_NUMBERS)                                                            \
    X(round, 1, 1, FUNCTION_OF_NUMBERS)                                                            \
    X(floor, 1, 1, FUNCTION_OF_NUMBERS)                                                            \
    X(ceil, 1, 1, FUNCTION_OF_NUMBERS)                                                             \
    X(ceil_div, 2, 2, FUNCTION_OF_NUMBERS)                                                         \
    X(round_up, 2, 2, FUNCTION_OF_NUMBERS)                                                         \
    X(log2, 1, 1, FUNCTION_OF_NUMBERS)                                                             \
    X(sqrt, 1, 1, FUNCTION_OF_NUMBERS)                                                             \
    X(log, 1, 1, FUNCTION_OF_NUMBERS)                                                              \
    X(exp, 1, 1, FUNCTION_OF_NUMBERS)                                                              \
    X(sin, 1, 1, FUNCTION_OF_NUMBERS)                                                              \
    X(cos, 1, 1, FUNCTION_OF_NUMBERS)                                                              \
    X(is_power_of_two, 1, 1, FUNCTION_OF_NUMBERS)                                                  \
    X(next_power_of_two, 1, 1, FUNCTION_OF_NUMBERS)                                                \
    X(sizeof, 1, 1, FUNCTION_OF_TYPE)                                                              \
    X(c_type, 1, 1, FUNCTION_TYPE_TEXT)                                                            \
    X(is_real, 1, 1, FUNCTION_OF_TYPE)

#define FUNCTION_NAME(name, fewest, most, kind) #name,
static const char *const names[] = {FUNCTION_LIST(FUNCTION_NAME)};
#define FUNCTION_ROW(name, fewest, most, kind) {call_##name, fewest, most, kind},
static const struct {
    function *call;
    size_t fewest, most;
    enum function_kind kind;
} functions[] = {FUNCTION_LIST(FUNCTION_ROW)};
enum { FUNCTION_COUNT = sizeof functions / sizeof *functions };

const char *const *function_names(size_t *count)
{
    *count = FUNCTION_COUNT;
    return names;
}

int function_find(const char *name)
{
    for (int i = 0; i < FUNCTION_COUNT; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

enum function_kind function_kind(int index)
{
    return functions[index].kind;
}

const char *function_refuses(int index, size_t count)
{
    if (count >= functions[index].fewest && count <= functions[index].most)
        return NULL;
    if (functions[index].most > 2)
        return "takes 2 to 8 values";
    return functions[index].most == 1 ? "takes 1 value" : "takes 2 values";
}

/* min and max of a list. */
struct extreme {
    const struct expression *node;
    struct evaluation *evaluation;
    int sign;
    bool any;
    struct value value;
};

static bool compare_extreme(void *context, struct value item)
{
    struct extreme *extreme = context;
    int order = 0;
    if (extreme->any &&
        !evaluate_order(extreme->node, extreme->evaluation, item, extreme->value, &order))
        return false;
    if (!extreme->any || order * extreme->sign > 0)
        extreme->value = item;
    extreme->any = true;
    return true;
}

static bool call_of_list(const struct expression *node, struct evaluation *evaluation,
                         struct value *out)
{
    struct extreme extreme = {.node = node,
                              .evaluation = evaluation,
                              .sign = functions[node->index].call == call_min ? -1 : 1};
    if (!evaluate_items(node->operands[0], evaluation, compare_extreme, &extreme))
        return false;
    if (!extreme.any)
        return evaluation_error(node, evaluation, "%s of an empty list", names[node->index]);
    *out = extreme.value;
    return true;
}

/* On its own, so that only calls pay for the array of operands on the stack. */
bool evaluate_call(const struct expression *node, struct evaluation *evaluation, struct value *out)
{
    struct value values[CALL_OPERANDS_MAX];
    if (node->count == 1 && node->operands[0]->kind == EXPRESSION_LIST)
        return call_of_list(node, evaluation, out);
    for (size_t i = 0; i < node->count; i++)
        if (!evaluate_tree(node->operands[i], evaluation, &values[i]))
            return false;
    return functions[node->index].call(node, evaluation, values, node->count, out);
}
