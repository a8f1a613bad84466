/* 16-bit numbers: f16 (IEEE binary16) and bf16 (the upper half of a binary32), which have no C
 * type. All code is in the header for the device's compiler, too (compare.h). */
#ifndef TUNE_BASE_HALF_H
#define TUNE_BASE_HALF_H

#include <stdint.h>
#include <string.h>

/* A 16-bit binary format; the exponent has the bits that sign and fraction leave. */
struct half_format {
    int fraction_bits;
    int bias;
};

enum { F64_FRACTION_BITS = 52, F64_BIAS = 1023, F64_SPECIAL = 2047 };

static inline double half_widen(uint16_t bits, struct half_format format)
{
    const uint64_t fraction_end = (uint64_t)1 << format.fraction_bits;
    const int special = 2 * format.bias + 1; /* exponent field of infinities and NaN */
    uint64_t fraction = bits & (fraction_end - 1);
    int exponent = (bits & 0x7fff) >> format.fraction_bits;
    uint64_t wide = (uint64_t)(bits >> 15) << 63;
    if (exponent == special) {
        exponent = F64_SPECIAL;
    } else if (exponent != 0) {
        exponent += F64_BIAS - format.bias;
    } else if (fraction != 0) { /* subnormal in 16 bits, normal as a double */
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

/* Returns value / 2^shift, rounded to nearest, ties to even; shift > 0. */
static inline uint64_t half_shift(uint64_t value, int shift)
{
    if (shift > F64_FRACTION_BITS + 2)
        return 0;
    const uint64_t half = (uint64_t)1 << (shift - 1);
    uint64_t quotient = value >> shift;
    uint64_t rest = value & (2 * half - 1);
    return quotient + (rest > half || (rest == half && (quotient & 1)) ? 1 : 0);
}

static inline uint16_t half_narrow(double real, struct half_format format)
{
    uint64_t wide = 0;
    memcpy(&wide, &real, sizeof wide);
    const int dropped = F64_FRACTION_BITS - format.fraction_bits;
    const uint64_t infinity = (uint64_t)(2 * format.bias + 1) << format.fraction_bits;
    const uint64_t sign = wide >> 63 << 15;
    uint64_t fraction = wide & (((uint64_t)1 << F64_FRACTION_BITS) - 1);
    int exponent = (int)(wide >> F64_FRACTION_BITS & F64_SPECIAL);
    if (exponent == F64_SPECIAL) {
        if (fraction == 0)
            return (uint16_t)(sign | infinity);
        const uint64_t quiet = (uint64_t)1 << (format.fraction_bits - 1);
        return (uint16_t)(sign | infinity | quiet | fraction >> dropped);
    }
    exponent += format.bias - F64_BIAS;
    /* A double that is subnormal or 0 is far below either format, so its missing leading bit does
     * not matter. A carry out of the fraction correctly increments the exponent. */
    fraction |= ((uint64_t)1 << F64_FRACTION_BITS);
    uint64_t bits = 0;
    if (exponent >= 1)
        bits = half_shift(fraction, dropped) + ((uint64_t)(exponent - 1) << format.fraction_bits);
    else
        bits = half_shift(fraction, dropped + 1 - exponent);
    return (uint16_t)(sign | (bits < infinity ? bits : infinity));
}

/* Converts exactly, including subnormal numbers, infinities and NaN (with its payload). */
static inline double f16_to_real(uint16_t bits)
{
    const struct half_format f16 = {10, 15};
    return half_widen(bits, f16);
}

static inline double bf16_to_real(uint16_t bits)
{
    const struct half_format bf16 = {7, 127};
    return half_widen(bits, bf16);
}

/* Returns the bits of the nearest number, ties to even: too large a number becomes infinite, too
 * small a one a zero of the same sign, and NaN a quiet NaN. */
static inline uint16_t f16_from_real(double real)
{
    const struct half_format f16 = {10, 15};
    return half_narrow(real, f16);
}

static inline uint16_t bf16_from_real(double real)
{
    const struct half_format bf16 = {7, 127};
    return half_narrow(real, bf16);
}

#endif
