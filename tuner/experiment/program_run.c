/* Runs programs. Every operation that could go wrong gives up instead: the tree knows the words. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/experiment/program_code.h"

struct machine *machine_create(const struct code *code)
{
    struct machine *machine = calloc(1, sizeof *machine);
    if (!machine)
        return NULL;
    machine->code = code;
    machine->registers = malloc(code->register_count * sizeof *machine->registers);
    if (!machine->registers) {
        free(machine);
        return NULL;
    }
    memcpy(machine->registers, code->registers, code->register_count * sizeof *machine->registers);
    return machine;
}

void machine_end(struct machine *machine)
{
    if (!machine)
        return;
    free(machine->registers);
    free(machine);
}

void machine_set(struct machine *machine, size_t slot, union number number)
{
    machine->registers[slot] = number;
}

void machine_forget(struct machine *machine, size_t slot)
{
    machine->known[slot] = false;
}

/* ---- integers ---- */

/* Division of 32 bits is several times as fast. */
static void divide(int64_t a, int64_t b, int64_t *quotient, int64_t *remainder)
{
    if (((uint64_t)a | (uint64_t)b) >> 32 == 0) {
        *quotient = (uint32_t)a / (uint32_t)b;
        *remainder = (uint32_t)a % (uint32_t)b;
        return;
    }
    *quotient = a / b;
    *remainder = a % b;
    if (*remainder != 0 && (*remainder < 0) != (b < 0)) {
        --*quotient;
        *remainder += b;
    }
}

static bool floor_divide(int64_t a, int64_t b, int64_t *quotient, int64_t *remainder)
{
    if (b == 0 || (b == -1 && a == INT64_MIN))
        return false;
    divide(a, b, quotient, remainder);
    return true;
}

static bool power(int64_t base, int64_t exponent, int64_t *out)
{
    if (exponent < 0)
        return false;
    *out = 1;
    while (exponent > 0) {
        if ((exponent & 1) && __builtin_mul_overflow(*out, base, out))
            return false;
        exponent >>= 1;
        if (exponent > 0 && __builtin_mul_overflow(base, base, &base))
            return false;
    }
    return true;
}

static bool divide_up(int64_t a, int64_t b, int64_t *out)
{
    if (b <= 0)
        return false;
    *out = a / b + (a % b > 0);
    return true;
}

static bool next_power_of_two(int64_t a, int64_t *out)
{
    if (a > INT64_C(1) << 62)
        return false;
    *out = 1;
    while (*out < a)
        *out *= 2;
    return true;
}

static bool run_integer(const struct instruction *at, int64_t a, int64_t b, union number *out)
{
    int64_t *result = &out->integer;
    int64_t other = 0;
    switch ((enum operation)at->operation) {
    case OP_ADD_I:
        return !__builtin_add_overflow(a, b, result);
    case OP_SUBTRACT_I:
        return !__builtin_sub_overflow(a, b, result);
    case OP_MULTIPLY_I:
        return !__builtin_mul_overflow(a, b, result);
    case OP_DIVIDE_I:
        if (b == 0)
            return false;
        out->real = true_divide(a, b);
        return true;
    case OP_FLOOR_DIVIDE_I:
        return floor_divide(a, b, result, &other);
    case OP_REMAINDER_I:
        return floor_divide(a, b, &other, result);
    case OP_POWER_I:
        return power(a, b, result);
    case OP_NEGATE_I:
        return !__builtin_sub_overflow((int64_t)0, a, result);
    case OP_ABS_I:
        *result = a;
        return a >= 0 || !__builtin_sub_overflow((int64_t)0, a, result);
    case OP_CEIL_DIV:
        return divide_up(a, b, result);
    case OP_ROUND_UP:
        return divide_up(a, b, &other) && !__builtin_mul_overflow(other, b, result);
    case OP_IS_POWER_OF_TWO:
        *result = a > 0 && (a & (a - 1)) == 0;
        return true;
    default:
        return next_power_of_two(a, result);
    }
}

/* ---- reals ---- */

static bool finite_result(double real, union number *out)
{
    out->real = real;
    return isfinite(real);
}

static bool to_integer(double real, union number *out)
{
    const double limit = 9223372036854775808.0; /* 2^63 */
    if (!(real >= -limit && real < limit))
        return false;
    out->integer = (int64_t)real;
    return true;
}

static bool divide_reals(enum operation operation, double a, double b, union number *out)
{
    double quotient = 0;
    double remainder = 0;
    if (b == 0)
        return false;
    if (operation == OP_DIVIDE_R)
        return finite_result(a / b, out);
    real_floor_divide(a, b, &quotient, &remainder);
    return finite_result(operation == OP_REMAINDER_R ? remainder : quotient, out);
}

static bool run_function(enum operation operation, double a, union number *out)
{
    switch (operation) {
    case OP_TRUNC:
        return to_integer(trunc(a), out);
    case OP_FLOOR:
        return to_integer(floor(a), out);
    case OP_CEIL:
        return to_integer(ceil(a), out);
    case OP_RINT:
        return to_integer(rint(a), out);
    case OP_SQRT:
        return a >= 0 && finite_result(sqrt(a), out);
    case OP_LOG2:
        return a > 0 && finite_result(log2(a), out);
    case OP_LOG:
        return a > 0 && finite_result(log(a), out);
    case OP_EXP:
        return finite_result(exp(a), out);
    case OP_SIN:
        return finite_result(sin(a), out);
    default:
        return finite_result(cos(a), out);
    }
}

static bool run_real(const struct instruction *at, double a, double b, union number *out)
{
    const enum operation operation = (enum operation)at->operation;
    switch (operation) {
    case OP_ADD_R:
        return finite_result(a + b, out);
    case OP_SUBTRACT_R:
        return finite_result(a - b, out);
    case OP_MULTIPLY_R:
        return finite_result(a * b, out);
    case OP_DIVIDE_R:
    case OP_FLOOR_DIVIDE_R:
    case OP_REMAINDER_R:
        return divide_reals(operation, a, b, out);
    case OP_POWER_R:
        return !(a == 0 && b < 0) && !(a < 0 && floor(b) != b) && finite_result(pow(a, b), out);
    case OP_NEGATE_R:
        return finite_result(-a, out);
    case OP_ABS_R:
        return finite_result(fabs(a), out);
    case OP_MIN_R:
        return finite_result(b < a ? b : a, out);
    case OP_MAX_R:
        return finite_result(b > a ? b : a, out);
    default:
        return run_function(operation, a, out);
    }
}

/* ---- all ---- */

static bool run_derived(struct machine *machine, size_t slot)
{
    if (!machine->known[slot] &&
        !machine_run(machine, machine->code->derived[slot], &machine->registers[slot]))
        return false;
    machine->known[slot] = true;
    return true;
}

static bool run_conversion(const struct instruction *at, union number a, union number *out)
{
    out->real = (double)a.integer;
    return at->operation == OP_TO_REAL ||
           (a.integer <= INT64_C(1) << 53 && a.integer >= -(INT64_C(1) << 53));
}

/* What cannot go wrong, and is most of what there is: the rest is one call away. */
static inline bool run_value(const struct instruction *at, union number a, union number b,
                             union number *to)
{
    switch ((enum operation)at->operation) {
    case OP_MOVE:
        *to = a;
        return true;
    case OP_TO_REAL:
    case OP_TO_REAL_EXACTLY:
        return run_conversion(at, a, to);
    case OP_TRUTH_R:
        to->integer = a.real != 0;
        return true;
    case OP_NOT:
        to->integer = !a.integer;
        return true;
    case OP_OR_BITS:
        to->integer = a.integer | b.integer;
        return true;
    case OP_MIN_I:
        to->integer = b.integer < a.integer ? b.integer : a.integer;
        return true;
    case OP_MAX_I:
        to->integer = b.integer > a.integer ? b.integer : a.integer;
        return true;
    case OP_EQUAL_I:
        to->integer = a.integer == b.integer;
        return true;
    case OP_UNEQUAL_I:
        to->integer = a.integer != b.integer;
        return true;
    case OP_LESS_I:
        to->integer = a.integer < b.integer;
        return true;
    case OP_LESS_EQUAL_I:
        to->integer = a.integer <= b.integer;
        return true;
    case OP_EQUAL_R:
        to->integer = a.real == b.real;
        return true;
    case OP_UNEQUAL_R:
        to->integer = a.real != b.real;
        return true;
    case OP_LESS_R:
        to->integer = a.real < b.real;
        return true;
    case OP_LESS_EQUAL_R:
        to->integer = a.real <= b.real;
        return true;
    default:
        return at->operation < OP_ADD_R ? run_integer(at, a.integer, b.integer, to)
                                        : run_real(at, a.real, b.real, to);
    }
}

bool machine_run(struct machine *machine, const struct program *program, union number *out)
{
    union number *registers = machine->registers;
    size_t next = 0;
    while (next < program->count) {
        const struct instruction *at = &program->instructions[next++];
        const union number a = registers[at->a];
        const union number b = registers[at->b];
        switch ((enum operation)at->operation) {
        case OP_DERIVED:
            if (!run_derived(machine, at->a))
                return false;
            break;
        case OP_JUMP:
            next = at->target;
            break;
        case OP_JUMP_FALSE:
            next = a.integer ? next : at->target;
            break;
        case OP_JUMP_TRUE:
            next = a.integer ? at->target : next;
            break;
        default:
            if (!run_value(at, a, b, &registers[at->out]))
                return false;
            break;
        }
    }
    *out = registers[program->result];
    return true;
}
