/* + - * / // % ** with Python's results; what does not fit 64 bits, or is infinite, is an error. */
#include "tuner/experiment/expression.h"

#include <math.h>

static bool overflow(const struct expression *node, struct evaluation *evaluation)
{
    return evaluation_error(node, evaluation, "the result does not fit 64 bits");
}

static bool by_zero(const struct expression *node, struct evaluation *evaluation)
{
    return evaluation_error(node, evaluation, "division by zero");
}

bool evaluation_real(const struct expression *node, struct evaluation *evaluation, double real,
                     struct value *out)
{
    if (!isfinite(real))
        return evaluation_error(node, evaluation, "the result is too large for a real number");
    *out = value_real(real);
    return true;
}

/* Quotient towards minus infinity; the remainder has the divisor's sign. */
static bool floor_divide(const struct expression *node, struct evaluation *evaluation, int64_t a,
                         int64_t b, struct value *out)
{
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

static bool integer_power(const struct expression *node, struct evaluation *evaluation,
                          int64_t base, int64_t exponent, struct value *out)
{
    int64_t result = 1;
    while (exponent > 0) {
        if ((exponent & 1) && __builtin_mul_overflow(result, base, &result))
            return overflow(node, evaluation);
        exponent >>= 1;
        /* The last square is not needed, and may not fit where the result does. */
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

/* Numbers that a real holds exactly are divided, and rounded, once; others as exactly as there is a
 * type for. */
static double true_divide(int64_t a, int64_t b)
{
    const int64_t exact = INT64_C(1) << 53;
    if (a <= exact && a >= -exact && b <= exact && b >= -exact)
        return (double)a / (double)b;
    return (double)((long double)a / (long double)b);
}

/* Sums and products that fit have been made (quick_arithmetic). */
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
    case EXPRESSION_DIVIDE:
        return b == 0 ? by_zero(node, evaluation)
                      : evaluation_real(node, evaluation, true_divide(a, b), out);
    default:
        return floor_divide(node, evaluation, a, b, out);
    }
}

/* As CPython computes them, so that a == (a // b) * b + a % b nearly holds. */
static void real_floor_divide(double a, double b, double *quotient, double *remainder)
{
    double rest = fmod(a, b);
    double times = (a - rest) / b;
    if (rest == 0) {
        rest = copysign(0.0, b);
    } else if ((b < 0) != (rest < 0)) {
        rest += b;
        times -= 1;
    }
    double floored = floor(times);
    if (times - floored > 0.5)
        floored += 1;
    *quotient = times == 0 ? copysign(0.0, a / b) : floored;
    *remainder = rest;
}

static bool real_arithmetic(const struct expression *node, struct evaluation *evaluation, double a,
                            double b, struct value *out)
{
    double quotient = 0;
    double remainder = 0;
    switch ((enum expression_kind)node->kind) {
    case EXPRESSION_ADD:
        return evaluation_real(node, evaluation, a + b, out);
    case EXPRESSION_SUBTRACT:
        return evaluation_real(node, evaluation, a - b, out);
    case EXPRESSION_MULTIPLY:
        return evaluation_real(node, evaluation, a * b, out);
    case EXPRESSION_POWER:
        return real_power(node, evaluation, a, b, out);
    default:
        break;
    }
    if (b == 0)
        return by_zero(node, evaluation);
    if (node->kind == EXPRESSION_DIVIDE)
        return evaluation_real(node, evaluation, a / b, out);
    real_floor_divide(a, b, &quotient, &remainder);
    return evaluation_real(node, evaluation,
                           node->kind == EXPRESSION_REMAINDER ? remainder : quotient, out);
}

static const char *operator_text(const struct expression *node)
{
    switch ((enum expression_kind)node->kind) {
    case EXPRESSION_ADD:
        return "+";
    case EXPRESSION_SUBTRACT:
        return "-";
    case EXPRESSION_MULTIPLY:
        return "*";
    case EXPRESSION_DIVIDE:
        return "/";
    case EXPRESSION_FLOOR_DIVIDE:
        return "//";
    case EXPRESSION_REMAINDER:
        return "%";
    default:
        return "**";
    }
}

bool evaluate_arithmetic(const struct expression *node, struct evaluation *evaluation,
                         struct value a, struct value b, struct value *out)
{
    if (a.kind == VALUE_TEXT || b.kind == VALUE_TEXT)
        return evaluation_error(node, evaluation, "'%s' needs numbers, not the text '%s'",
                                operator_text(node), a.kind == VALUE_TEXT ? a.text : b.text);
    if (a.kind != VALUE_REAL && b.kind != VALUE_REAL)
        return integer_arithmetic(node, evaluation, a.integer, b.integer, out);
    double x = a.kind == VALUE_REAL ? a.real : (double)a.integer;
    double y = b.kind == VALUE_REAL ? b.real : (double)b.integer;
    return real_arithmetic(node, evaluation, x, y, out);
}
