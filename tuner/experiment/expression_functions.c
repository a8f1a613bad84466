/* Operators with Python's results (except that a result beyond 64 bits, or infinite, is an error),
 * and the functions: one table. */
#include "tuner/experiment/expression.h"

#include <math.h>

#include "tuner/base/element.h"
#include "tuner/base/text.h"

/* ---- operators ---- */

static bool overflow(const struct expression *node, struct evaluation *evaluation)
{
    return evaluation_error(node, evaluation, "the result does not fit 64 bits");
}

static bool by_zero(const struct expression *node, struct evaluation *evaluation)
{
    return evaluation_error(node, evaluation, "division by zero");
}

static bool evaluation_real(const struct expression *node, struct evaluation *evaluation,
                            double real, struct value *out)
{
    if (!isfinite(real))
        return evaluation_error(node, evaluation, "the result is too large for a real number");
    *out = value_real(real);
    return true;
}

static bool integer_power(const struct expression *node, struct evaluation *evaluation,
                          int64_t base, int64_t exponent, struct value *out)
{
    int64_t result = 1;
    while (exponent > 0) {
        if ((exponent & 1) && __builtin_mul_overflow(result, base, &result))
            return overflow(node, evaluation);
        exponent >>= 1;
        /* The last square is not needed, and may overflow when the result does not. */
        if (exponent > 0 && __builtin_mul_overflow(base, base, &base))
            return overflow(node, evaluation);
    }
    *out = value_integer(result);
    return true;
}

static bool real_power(const struct expression *node, struct evaluation *evaluation, double base,
                       double exponent, struct value *out)
{
    if (base == 0 && exponent < 0)
        return by_zero(node, evaluation);
    if (base < 0 && floor(exponent) != exponent)
        return evaluation_error(node, evaluation,
                                "a negative number to a power that is no integer is not real");
    return evaluation_real(node, evaluation, pow(base, exponent), out);
}

/* Computes integer results beyond those of quick_arithmetic. */
static bool integer_arithmetic(const struct expression *node, struct evaluation *evaluation,
                               int64_t a, int64_t b, struct value *out)
{
    switch ((enum expression_kind)node->kind) {
    case EXPRESSION_ADD:
    case EXPRESSION_SUBTRACT:
    case EXPRESSION_MULTIPLY:
        return overflow(node, evaluation);
    case EXPRESSION_POWER:
        return b < 0 ? real_power(node, evaluation, (double)a, (double)b, out)
                     : integer_power(node, evaluation, a, b, out);
    case EXPRESSION_DIVIDE: {
        /* Numbers that a real represents exactly are rounded once; others are divided in the
         * largest available type. */
        const int64_t exact = INT64_C(1) << 53;
        const bool is_exact = a <= exact && a >= -exact && b <= exact && b >= -exact;
        if (b == 0)
            return by_zero(node, evaluation);
        return evaluation_real(
            node, evaluation,
            is_exact ? (double)a / (double)b : (double)((long double)a / (long double)b), out);
    }
    case EXPRESSION_BIT_AND:
        *out = value_integer(a & b);
        return true;
    case EXPRESSION_BIT_OR:
        *out = value_integer(a | b);
        return true;
    case EXPRESSION_BIT_XOR:
        *out = value_integer(a ^ b);
        return true;
    case EXPRESSION_SHIFT_LEFT:
    case EXPRESSION_SHIFT_RIGHT: {
        if (b < 0)
            return evaluation_error(node, evaluation, "a shift by %lld, which is below 0",
                                    (long long)b);
        if (node->kind == EXPRESSION_SHIFT_RIGHT) /* rounds towards minus infinity */
            *out = value_integer(a >> (b < 63 ? b : 63));
        else if (a == 0)
            *out = value_integer(0);
        else if (b > 62 || a > INT64_MAX >> b || a < INT64_MIN >> b)
            return overflow(node, evaluation);
        else
            *out = value_integer((int64_t)((uint64_t)a << b));
        return true;
    }
    default: {
        /* Quotient towards minus infinity; the remainder has the divisor's sign. */
        if (b == 0)
            return by_zero(node, evaluation);
        if (b == -1) { /* INT64_MIN / -1 traps */
            int64_t negated = 0;
            if (node->kind == EXPRESSION_REMAINDER)
                *out = value_integer(0);
            else if (__builtin_sub_overflow((int64_t)0, a, &negated))
                return overflow(node, evaluation);
            else
                *out = value_integer(negated);
            return true;
        }
        int64_t quotient = a / b;
        int64_t remainder = a % b;
        if (remainder != 0 && (remainder < 0) != (b < 0)) {
            quotient--;
            remainder += b;
        }
        *out = value_integer(node->kind == EXPRESSION_REMAINDER ? remainder : quotient);
        return true;
    }
    }
}

bool evaluate_arithmetic(const struct expression *node, struct evaluation *evaluation,
                         struct value a, struct value b, struct value *out)
{
    static const char *const texts[] = {
        [EXPRESSION_ADD] = "+",           [EXPRESSION_SUBTRACT] = "-",
        [EXPRESSION_MULTIPLY] = "*",      [EXPRESSION_DIVIDE] = "/",
        [EXPRESSION_FLOOR_DIVIDE] = "//", [EXPRESSION_REMAINDER] = "%",
        [EXPRESSION_POWER] = "**",        [EXPRESSION_BIT_AND] = "&",
        [EXPRESSION_BIT_OR] = "|",        [EXPRESSION_BIT_XOR] = "^",
        [EXPRESSION_SHIFT_LEFT] = "<<",   [EXPRESSION_SHIFT_RIGHT] = ">>",
    };
    const bool bits = node->kind >= EXPRESSION_BIT_AND && node->kind <= EXPRESSION_SHIFT_RIGHT;
    double x = 0;
    double y = 0;
    if (!value_number(a, &x) || !value_number(b, &y))
        return evaluation_error(node, evaluation, "'%s' needs numbers, not the text '%s'",
                                texts[node->kind], a.kind == VALUE_TEXT ? a.text : b.text);
    if (bits && (a.kind == VALUE_REAL || b.kind == VALUE_REAL))
        return evaluation_error(node, evaluation,
                                "'%s' needs integers, not the real %g: use // or int()",
                                texts[node->kind], a.kind == VALUE_REAL ? x : y);
    if (a.kind == VALUE_REAL || b.kind == VALUE_REAL) {
        double quotient = 0;
        double remainder = 0;
        switch ((enum expression_kind)node->kind) {
        case EXPRESSION_ADD:
            return evaluation_real(node, evaluation, x + y, out);
        case EXPRESSION_SUBTRACT:
            return evaluation_real(node, evaluation, x - y, out);
        case EXPRESSION_MULTIPLY:
            return evaluation_real(node, evaluation, x * y, out);
        case EXPRESSION_POWER:
            return real_power(node, evaluation, x, y, out);
        default:
            break;
        }
        if (y == 0)
            return by_zero(node, evaluation);
        if (node->kind == EXPRESSION_DIVIDE)
            return evaluation_real(node, evaluation, x / y, out);
        /* Divides as CPython does, so that a == (a // b) * b + a % b nearly holds. */
        double rest = fmod(x, y);
        double times = (x - rest) / y;
        if (rest == 0) {
            rest = copysign(0.0, y);
        } else if ((y < 0) != (rest < 0)) {
            rest += y;
            times -= 1;
        }
        double floored = floor(times);
        if (times - floored > 0.5)
            floored += 1;
        quotient = times == 0 ? copysign(0.0, x / y) : floored;
        remainder = rest;
        return evaluation_real(node, evaluation,
                               node->kind == EXPRESSION_REMAINDER ? remainder : quotient, out);
    }
    TRY_OR_FALSE(integer_arithmetic(node, evaluation, a.integer, b.integer, out));
    if (bits && node->kind <= EXPRESSION_BIT_XOR && a.kind == VALUE_BOOLEAN &&
        b.kind == VALUE_BOOLEAN)
        *out = value_boolean(out->integer != 0);
    return true;
}

bool evaluate_sign(const struct expression *node, struct evaluation *evaluation, struct value a,
                   struct value *out)
{
    const bool invert = node->kind == EXPRESSION_INVERT;
    int64_t negated = 0;
    if (a.kind == VALUE_TEXT)
        return evaluation_error(node, evaluation, "'%s' needs a number, not the text '%s'",
                                invert                            ? "~"
                                : node->kind == EXPRESSION_NEGATE ? "-"
                                                                  : "+",
                                a.text);
    if (invert && a.kind == VALUE_REAL)
        return evaluation_error(node, evaluation, "'~' needs an integer, not the real %g", a.real);
    if (__builtin_sub_overflow((int64_t)0, a.integer, &negated) && a.kind != VALUE_REAL &&
        node->kind == EXPRESSION_NEGATE)
        return overflow(node, evaluation);
    if (a.kind == VALUE_REAL)
        *out = value_real(node->kind == EXPRESSION_NEGATE ? -a.real : a.real);
    else
        *out = value_integer(invert                            ? ~a.integer
                             : node->kind == EXPRESSION_NEGATE ? negated
                                                               : a.integer);
    return true;
}

/* ---- functions ---- */

typedef bool function(const struct expression *node, struct evaluation *evaluation,
                      const struct value *values, struct value *out);

/* Numbers that a function accepts. */
enum domain { DOMAIN_ALL, DOMAIN_POSITIVE, DOMAIN_NOT_NEGATIVE };

/* X(name, implementation, function of reals, domain, fewest operands, most, kind). rint rounds
 * halves to even, as Python does. */
#define FUNCTION_LIST(X)                                                                           \
    X(min, extreme, NULL, DOMAIN_ALL, 2, CALL_OPERANDS_MAX, FUNCTION_OF_ANY)                       \
    X(max, extreme, NULL, DOMAIN_ALL, 2, CALL_OPERANDS_MAX, FUNCTION_OF_ANY)                       \
    X(all, extreme, NULL, DOMAIN_ALL, 0, 0, FUNCTION_OF_LIST)                                      \
    X(any, extreme, NULL, DOMAIN_ALL, 0, 0, FUNCTION_OF_LIST)                                      \
    X(abs, abs, NULL, DOMAIN_ALL, 1, 1, FUNCTION_OF_NUMBERS)                                       \
    X(int, rounded, trunc, DOMAIN_ALL, 1, 1, FUNCTION_OF_NUMBERS)                                  \
    X(float, real, NULL, DOMAIN_ALL, 1, 1, FUNCTION_OF_NUMBERS)                                    \
    X(round, rounded, rint, DOMAIN_ALL, 1, 1, FUNCTION_OF_NUMBERS)                                 \
    X(floor, rounded, floor, DOMAIN_ALL, 1, 1, FUNCTION_OF_NUMBERS)                                \
    X(ceil, rounded, ceil, DOMAIN_ALL, 1, 1, FUNCTION_OF_NUMBERS)                                  \
    X(ceil_div, divide_up, NULL, DOMAIN_ALL, 2, 2, FUNCTION_OF_NUMBERS)                            \
    X(round_up, divide_up, NULL, DOMAIN_ALL, 2, 2, FUNCTION_OF_NUMBERS)                            \
    X(log2, real, log2, DOMAIN_POSITIVE, 1, 1, FUNCTION_OF_NUMBERS)                                \
    X(sqrt, real, sqrt, DOMAIN_NOT_NEGATIVE, 1, 1, FUNCTION_OF_NUMBERS)                            \
    X(log, real, log, DOMAIN_POSITIVE, 1, 1, FUNCTION_OF_NUMBERS)                                  \
    X(exp, real, exp, DOMAIN_ALL, 1, 1, FUNCTION_OF_NUMBERS)                                       \
    X(sin, real, sin, DOMAIN_ALL, 1, 1, FUNCTION_OF_NUMBERS)                                       \
    X(cos, real, cos, DOMAIN_ALL, 1, 1, FUNCTION_OF_NUMBERS)                                       \
    X(is_power_of_two, power_of_two, NULL, DOMAIN_ALL, 1, 1, FUNCTION_OF_NUMBERS)                  \
    X(next_power_of_two, power_of_two, NULL, DOMAIN_ALL, 1, 1, FUNCTION_OF_NUMBERS)                \
    X(sizeof, type, NULL, DOMAIN_ALL, 1, 1, FUNCTION_OF_TYPE)                                      \
    X(c_type, type, NULL, DOMAIN_ALL, 1, 1, FUNCTION_TYPE_TEXT)                                    \
    X(cuda_type, type, NULL, DOMAIN_ALL, 1, 1, FUNCTION_TYPE_TEXT)                                 \
    X(is_real, type, NULL, DOMAIN_ALL, 1, 1, FUNCTION_OF_TYPE)

#define FUNCTION_INDEX(name, call, real, domain, fewest, most, kind) FUNCTION_##name,
enum { FUNCTION_LIST(FUNCTION_INDEX) FUNCTION_COUNT };
#define FUNCTION_NAME(name, call, real, domain, fewest, most, kind) #name,
static const char *const names[] = {FUNCTION_LIST(FUNCTION_NAME)};
#define FUNCTION_ROW(name, call, real, domain, fewest, most, kind)                                 \
    {call_##call, real, domain, fewest, most, kind},
static function call_extreme, call_abs, call_rounded, call_real, call_divide_up, call_power_of_two,
    call_type;
static const struct function_row {
    function *call;
    double (*real)(double);
    enum domain domain;
    size_t fewest, most;
    enum function_kind kind;
} rows[] = {FUNCTION_LIST(FUNCTION_ROW)};

static bool need_number(const struct expression *node, struct evaluation *evaluation,
                        struct value value, double *out)
{
    if (!value_number(value, out))
        return evaluation_error(node, evaluation, "a number is needed, not the text '%s'",
                                value.text);
    return true;
}

bool evaluation_integer(const struct expression *node, struct evaluation *evaluation,
                        const char *subject, struct value value, int64_t *out)
{
    if (value.kind == VALUE_TEXT)
        return evaluation_error(node, evaluation, "%s, not the text '%s'", subject, value.text);
    if (value.kind == VALUE_REAL)
        return evaluation_error(node, evaluation, "%s, not the real %g: use // or int()", subject,
                                value.real);
    *out = value.integer;
    return true;
}

static bool need_integer(const struct expression *node, struct evaluation *evaluation,
                         struct value value, int64_t *out)
{
    return evaluation_integer(node, evaluation, "an integer is needed", value, out);
}

/* State of min and max. */
struct extreme {
    const struct expression *node;
    struct evaluation *evaluation;
    bool has_value;
    struct value value;
};

static bool compare_extreme(void *context, struct value item)
{
    struct extreme *extreme = context;
    const int sign = extreme->node->index == FUNCTION_min ? -1 : 1;
    int order = 0;
    if (extreme->has_value &&
        !evaluate_order(extreme->node, extreme->evaluation, item, extreme->value, &order))
        return false;
    if (!extreme->has_value || order * sign > 0)
        extreme->value = item;
    extreme->has_value = true;
    return true;
}

static bool call_extreme(const struct expression *node, struct evaluation *evaluation,
                         const struct value *values, struct value *out)
{
    struct extreme extreme = {.node = node, .evaluation = evaluation};
    for (size_t i = 0; i < node->count; i++)
        TRY_OR_FALSE(compare_extreme(&extreme, values[i]));
    *out = extreme.value;
    return true;
}

/* State of all and any. */
struct quantifier {
    bool sought; /* all: false, any: true */
    bool found;
};

static bool quantify(void *context, struct value item)
{
    struct quantifier *quantifier = context;
    quantifier->found |= value_is_true(item) == quantifier->sought;
    return true;
}

static bool call_abs(const struct expression *node, struct evaluation *evaluation,
                     const struct value *values, struct value *out)
{
    double real = 0;
    TRY_OR_FALSE(need_number(node, evaluation, values[0], &real));
    if (values[0].kind == VALUE_REAL)
        return evaluation_real(node, evaluation, fabs(real), out);
    if (values[0].integer == INT64_MIN)
        return overflow(node, evaluation);
    *out = value_integer(values[0].integer < 0 ? -values[0].integer : values[0].integer);
    return true;
}

/* Computes int, floor, ceil and round: a whole number, as an integer. */
static bool call_rounded(const struct expression *node, struct evaluation *evaluation,
                         const struct value *values, struct value *out)
{
    double real = 0;
    TRY_OR_FALSE(need_number(node, evaluation, values[0], &real));
    if (values[0].kind != VALUE_REAL) {
        *out = value_integer(values[0].integer);
        return true;
    }
    real = rows[node->index].real(real);
    const double limit = 9223372036854775808.0; /* 2^63 */
    if (real < -limit || real >= limit)
        return overflow(node, evaluation);
    *out = value_integer((int64_t)real);
    return true;
}

/* Computes a real function of a real; float returns the number itself. */
static bool call_real(const struct expression *node, struct evaluation *evaluation,
                      const struct value *values, struct value *out)
{
    const struct function_row *row = &rows[node->index];
    double real = 0;
    TRY_OR_FALSE(need_number(node, evaluation, values[0], &real));
    if (row->domain == DOMAIN_POSITIVE && real <= 0)
        return evaluation_error(node, evaluation, "%s needs a number over 0, not %g",
                                names[node->index], real);
    if (row->domain == DOMAIN_NOT_NEGATIVE && real < 0)
        return evaluation_error(node, evaluation, "%s needs a number of at least 0, not %g",
                                names[node->index], real);
    return evaluation_real(node, evaluation, row->real ? row->real(real) : real, out);
}

static bool call_divide_up(const struct expression *node, struct evaluation *evaluation,
                           const struct value *values, struct value *out)
{
    int64_t number = 0;
    int64_t divisor = 0;
    TRY_OR_FALSE(need_integer(node, evaluation, values[0], &number) &&
                 need_integer(node, evaluation, values[1], &divisor));
    if (divisor <= 0)
        return evaluation_error(node, evaluation, "the second value must be over 0, not %lld",
                                (long long)divisor);
    int64_t result = number / divisor + (number % divisor > 0);
    if (node->index == FUNCTION_round_up && __builtin_mul_overflow(result, divisor, &result))
        return overflow(node, evaluation);
    *out = value_integer(result);
    return true;
}

static bool call_power_of_two(const struct expression *node, struct evaluation *evaluation,
                              const struct value *values, struct value *out)
{
    int64_t number = 0;
    int64_t power = 1;
    TRY_OR_FALSE(need_integer(node, evaluation, values[0], &number));
    if (node->index == FUNCTION_is_power_of_two) {
        *out = value_boolean(number > 0 && (number & (number - 1)) == 0);
        return true;
    }
    if (number > INT64_C(1) << 62)
        return overflow(node, evaluation);
    while (power < number)
        power *= 2;
    *out = value_integer(power);
    return true;
}

/* Computes sizeof, c_type, cuda_type and is_real. */
static bool call_type(const struct expression *node, struct evaluation *evaluation,
                      const struct value *values, struct value *out)
{
    enum element_type type = ELEMENT_I32;
    if (values[0].kind != VALUE_TEXT)
        return evaluation_error(node, evaluation,
                                "the name of an element type is needed, not a number");
    if (!element_from_name(values[0].text, &type))
        return evaluation_error(node, evaluation, "no element type is named '%s'%s", values[0].text,
                                suggest(values[0].text, element_names, ELEMENT_TYPE_COUNT).text);
    if (node->index == FUNCTION_sizeof)
        *out = value_integer((int64_t)element_bytes(type));
    else if (node->index == FUNCTION_cuda_type && (type == ELEMENT_F16 || type == ELEMENT_BF16))
        *out = value_text(type == ELEMENT_F16 ? "__half" : "__nv_bfloat16");
    else if (node->index == FUNCTION_c_type || node->index == FUNCTION_cuda_type)
        *out = value_text(element_c_names[type]);
    else
        *out = value_boolean(element_is_real(type));
    return true;
}

const char *const *function_names(size_t *count)
{
    *count = FUNCTION_COUNT;
    return names;
}

int function_find(const char *name)
{
    const size_t index = WORD_INDEX(name, names, FUNCTION_COUNT);
    return index < FUNCTION_COUNT ? (int)index : -1;
}

enum function_kind function_kind(int index)
{
    return rows[index].kind;
}

const char *function_refuses(int index, size_t count)
{
    if (count >= rows[index].fewest && count <= rows[index].most && rows[index].most > 0)
        return NULL;
    if (rows[index].kind == FUNCTION_OF_LIST)
        return "takes a list, such as [a, b] or (x for x in [a, b])";
    if (rows[index].most > 2)
        return "takes 2 to 8 values";
    return rows[index].most == 1 ? "takes 1 value" : "takes 2 values";
}

/* Evaluates a call; a function of its own, so that only calls pay for the array of operands on the
 * stack. */
bool evaluate_call(const struct expression *node, struct evaluation *evaluation, struct value *out)
{
    struct value values[CALL_OPERANDS_MAX];
    if (node->count == 1 && node->operands[0]->kind == EXPRESSION_LIST) {
        struct extreme extreme = {.node = node, .evaluation = evaluation};
        struct quantifier quantifier = {.sought = node->index == FUNCTION_any};
        if (rows[node->index].kind == FUNCTION_OF_LIST) {
            const bool lazy = node->operands[0]->index == LIST_GENERATOR;
            evaluation->decided = lazy ? &quantifier.found : NULL;
            const bool right = evaluate_items(node->operands[0], evaluation, quantify, &quantifier);
            *out = value_boolean(quantifier.found == quantifier.sought);
            return right;
        }
        evaluation->decided = NULL;
        TRY_OR_FALSE(evaluate_items(node->operands[0], evaluation, compare_extreme, &extreme));
        if (!extreme.has_value)
            return evaluation_error(node, evaluation, "%s of an empty list", names[node->index]);
        *out = extreme.value;
        return true;
    }
    for (size_t i = 0; i < node->count; i++)
        TRY_OR_FALSE(evaluate_tree(node->operands[i], evaluation, &values[i]));
    return rows[node->index].call(node, evaluation, values, out);
}
