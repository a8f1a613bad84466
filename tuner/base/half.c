#include "tuner/base/half.h"

#include <string.h>

/* A binary format of 16 bits; its exponent's field has what sign and fraction leave. */
struct format {
    int fraction_bits;
    int bias;
};
static const struct format f16 = {10, 15};
static const struct format bf16 = {7, 127};

enum { F64_FRACTION_BITS = 52, F64_BIAS = 1023, F64_SPECIAL = 2047 };
static const uint64_t f64_fraction = (UINT64_C(1) << F64_FRACTION_BITS) - 1;

static double widen(uint16_t bits, struct format format)
{
    const uint64_t fraction_end = UINT64_C(1) << format.fraction_bits;
    const int special = 2 * format.bias + 1; /* the exponent's field of infinities and NaN */
    uint64_t fraction = bits & (fraction_end - 1);
    int exponent = (bits & 0x7fff) >> format.fraction_bits;
    uint64_t wide = (uint64_t)(bits >> 15) << 63;
    if (exponent == special) {
        exponent = F64_SPECIAL;
    } else if (exponent != 0) {
        exponent += F64_BIAS - format.bias;
    } else if (fraction != 0) { /* subnormal here, normal there */
        exponent = 1;
        for (; fraction < fraction_end; fraction <<= 1)
            exponent--;
        fraction -= fraction_end;
        exponent += F64_BIAS - format.bias;
    }
    wide |= (uint64_t)exponent << F64_FRACTION_BITS;
    wide |= fraction << (F64_FRACTION_BITS - format.fraction_bits);
    double real = 0;
    memcpy(&real, &wide, sizeof real);
    return real;
}

/* value / 2^shift, to the nearest, ties to even; shift over 0. */
static uint64_t shift_rounding(uint64_t value, int shift)
{
    if (shift > F64_FRACTION_BITS + 2)
        return 0;
    const uint64_t half = UINT64_C(1) << (shift - 1);
    uint64_t quotient = value >> shift;
    uint64_t rest = value & (2 * half - 1);
    return quotient + (rest > half || (rest == half && (quotient & 1)) ? 1 : 0);
}

static uint16_t narrow(double real, struct format format)
{
    uint64_t wide = 0;
    memcpy(&wide, &real, sizeof wide);
    const int dropped = F64_FRACTION_BITS - format.fraction_bits;
    const uint64_t infinity = (uint64_t)(2 * format.bias + 1) << format.fraction_bits;
    const uint64_t sign = wide >> 63 << 15;
    uint64_t fraction = wide & f64_fraction;
    int exponent = (int)(wide >> F64_FRACTION_BITS & F64_SPECIAL);
    if (exponent == F64_SPECIAL) {
        if (fraction == 0)
            return (uint16_t)(sign | infinity);
        const uint64_t quiet = UINT64_C(1) << (format.fraction_bits - 1);
        return (uint16_t)(sign | infinity | quiet | fraction >> dropped);
    }
    exponent += format.bias - F64_BIAS;
    /* A double that is subnormal or 0 is far below either format: its missing leading bit does not
     * matter. A carry out of the fraction goes into the exponent, as it should. */
    fraction |= f64_fraction + 1;
    uint64_t bits = 0;
    if (exponent >= 1)
        bits =
            shift_rounding(fraction, dropped) + ((uint64_t)(exponent - 1) << format.fraction_bits);
    else
        bits = shift_rounding(fraction, dropped + 1 - exponent);
    return (uint16_t)(sign | (bits < infinity ? bits : infinity));
}

double f16_to_real(uint16_t bits)
{
    return widen(bits, f16);
}

double bf16_to_real(uint16_t bits)
{
    return widen(bits, bf16);
}

uint16_t f16_from_real(double real)
{
    return narrow(real, f16);
}

uint16_t bf16_from_real(double real)
{
    return narrow(real, bf16);
}
