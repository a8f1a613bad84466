/* Fills by a distribution, and reals as elements of any type. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "tuner/base/element_bits.h"
#include "tuner/base/random.h"
#include "tuner/stats/internal.h"

/* The bits of the nearest integer that the type holds. */
static uint64_t integer_from_real(double real, enum element_type type)
{
    int bits = (int)element_bytes(type) * 8;
    double beyond =
        ldexp(1, compare_is_signed(type) ? bits - 1 : bits); /* the first that is too large */
    double rounded = nearbyint(real);
    if (isnan(rounded))
        return 0;
    if (rounded >= beyond)
        return compare_is_signed(type) ? UINT64_MAX >> (65 - bits) : UINT64_MAX >> (64 - bits);
    if (!compare_is_signed(type))
        return rounded <= 0 ? 0 : (uint64_t)rounded;
    return (uint64_t)(int64_t)fmax(rounded, -beyond);
}

static void put_raw(uint64_t bits, enum element_type type, void *out)
{
    memcpy(out, &bits, element_bytes(type)); /* little-endian: the low bytes come first */
}

void element_from_real(double real, enum element_type type, void *out)
{
    put_raw(element_is_real(type) ? element_raw_of(real, type) : integer_from_real(real, type),
            type, out);
}

double element_to_real(const void *element, enum element_type type)
{
    const uint64_t raw = element_raw(element, type, 0);
    if (element_is_real(type))
        return element_real_of(raw, type);
    const uint64_t bits = integer_extended(raw, type);
    return compare_is_signed(type) ? (double)(int64_t)bits : (double)bits;
}

static double unit_at(uint64_t seed, uint64_t i)
{
    return (double)(random_at(seed, i) >> 11) * 0x1p-53;
}

/* Box and Muller's, of two streams. */
static double normal_at(uint64_t seed, uint64_t i)
{
    static const double turn = 6.283185307179586477;
    double distance = sqrt(-2 * log(1 - unit_at(seed, i)));
    return distance * cos(turn * unit_at(seed ^ UINT64_C(0x5851f42d4c957f2d), i));
}

/* `bits` of 64 random ones to a number below `bound`; 0: all of 2^64. The high half of their
 * product. */
static uint64_t scaled(uint64_t bits, uint64_t bound)
{
    uint64_t low = bits & UINT32_MAX, high = bits >> 32;
    uint64_t bound_low = bound & UINT32_MAX, bound_high = bound >> 32;
    uint64_t middle = high * bound_low + (low * bound_low >> 32);
    uint64_t other = low * bound_high + (middle & UINT32_MAX);
    return bound == 0 ? bits : high * bound_high + (middle >> 32) + (other >> 32);
}

static void fill_uniform_integers(unsigned char *out, const struct argument *argument,
                                  uint64_t first, uint64_t count)
{
    size_t size = element_bytes(argument->type);
    uint64_t low = integer_from_real(ceil(argument->fill_low), argument->type);
    uint64_t high = integer_from_real(floor(argument->fill_high), argument->type);
    for (uint64_t i = first; i < first + count; i++)
        put_raw(low + scaled(random_at(argument->seed, i), high - low + 1), argument->type,
                out + i * size);
}

/* The number next to `real` among those of the type, up or down. */
static double neighbour(double real, enum element_type type, double towards)
{
    if (type == ELEMENT_F64)
        return nextafter(real, towards);
    if (type == ELEMENT_F32)
        return (double)nextafterf((float)real, (float)towards);
    /* One unit of the last place, or the smallest number. */
    int digits = type == ELEMENT_F16 ? 11 : 8;
    int least = type == ELEMENT_F16 ? -24 : -133;
    int exponent = 0;
    (void)frexp(real, &exponent);
    int unit = real != 0 && exponent - digits > least ? exponent - digits : least;
    return real + copysign(ldexp(1, unit), towards - real);
}

static double rounded_to(double real, enum element_type type)
{
    unsigned char element[8];
    element_from_real(real, type, element);
    return element_to_real(element, type);
}

/* Rounding must not reach the upper end, nor go below the lower one. */
static void fill_uniform_reals(unsigned char *out, const struct argument *argument, uint64_t first,
                               uint64_t count)
{
    const enum element_type type = argument->type;
    const double span = argument->fill_high - argument->fill_low;
    double low = rounded_to(argument->fill_low, type);
    double high = rounded_to(argument->fill_high, type);
    if (low < argument->fill_low)
        low = neighbour(low, type, INFINITY);
    if (high >= argument->fill_high)
        high = neighbour(high, type, -INFINITY);
    if (high < low) /* nothing of the type lies between them */
        high = low;
    size_t size = element_bytes(type);
    for (uint64_t i = first; i < first + count; i++) {
        double real = argument->fill_low + span * unit_at(argument->seed, i);
        element_from_real(fmin(fmax(real, low), high), type, out + i * size);
    }
}

void fill_distributed(void *out, const struct argument *argument, uint64_t first, uint64_t count)
{
    unsigned char *bytes = out;
    unsigned char constant[8];
    const size_t size = element_bytes(argument->type);
    element_from_real(argument->fill_low, argument->type, constant);
    if (argument->fill == FILL_UNIFORM && element_is_real(argument->type))
        fill_uniform_reals(bytes, argument, first, count);
    else if (argument->fill == FILL_UNIFORM)
        fill_uniform_integers(bytes, argument, first, count);
    else
        for (uint64_t i = first; i < first + count; i++) {
            if (argument->fill == FILL_CONSTANT)
                memcpy(bytes + i * size, constant, size);
            else
                element_from_real(argument->fill_low +
                                      argument->fill_high * normal_at(argument->seed, i),
                                  argument->type, bytes + i * size);
        }
}
