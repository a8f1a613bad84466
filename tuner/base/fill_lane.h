/* One element of a fill. The host's compilers and the device's (NVRTC, behind the headers that this
 * text includes) compile this text, so that both make the same bits. */
#ifndef TUNE_BASE_FILL_LANE_H
#define TUNE_BASE_FILL_LANE_H

#include <math.h>

#ifndef __CUDACC_RTC__
#include "tuner/base/element_bits.h"
#include "tuner/base/fill.h"
#include "tuner/base/random.h"
#endif

enum {
    EXACT_BOUND = 8, /* reals of FILL_RANDOM_EXACT are integers in [-8, 8] */
    EXACT_COUNT = 2 * EXACT_BOUND + 1,
    /* Random bits of a number in [-1, 1): few enough that each value is a number of the type. */
    F32_RANDOM_BITS = 24,
    F16_RANDOM_BITS = 12,
    BF16_RANDOM_BITS = 9,
};

/* Select one of the values of a fill of reals, and return the value. */
static inline uint64_t exact_index(uint64_t bits)
{
    return (bits >> 32) % EXACT_COUNT;
}

static inline double exact_value(uint64_t index)
{
    return (double)((int64_t)index - EXACT_BOUND);
}

static inline double unit_value(uint64_t index, int random_bits)
{
    return (double)index / (double)((uint64_t)1 << (random_bits - 1)) - 1.0;
}

static inline double sign_value(uint64_t index)
{
    return 1.0 - 2.0 * (double)index; /* no branch, since none could be predicted */
}

static inline double random_real(enum argument_fill fill, int random_bits, uint64_t bits)
{
    if (fill == FILL_RANDOM_EXACT)
        return exact_value(exact_index(bits));
    if (fill == FILL_RANDOM_ODD)
        return sign_value(bits >> 63);
    return unit_value(bits >> (64 - random_bits), random_bits);
}

static inline int random_bits_of(enum element_type type)
{
    return type == ELEMENT_F16    ? F16_RANDOM_BITS
           : type == ELEMENT_BF16 ? BF16_RANDOM_BITS
                                  : F32_RANDOM_BITS;
}

/* Returns the bits that are set in every random integer. */
static inline uint64_t random_set(enum argument_fill fill)
{
    return fill == FILL_RANDOM_ODD ? 1 : 0;
}

static inline double unit_at(uint64_t seed, uint64_t i)
{
    return (double)(random_at(seed, i) >> 11) * 0x1p-53;
}

/* Scales 64 random bits to a number below `bound` (0: 2^64): the high half of the product. */
static inline uint64_t scaled(uint64_t bits, uint64_t bound)
{
    const uint64_t half = 0xffffffff;
    const uint64_t low = bits & half, high = bits >> 32;
    const uint64_t bound_low = bound & half, bound_high = bound >> 32;
    const uint64_t middle = high * bound_low + (low * bound_low >> 32);
    const uint64_t other = low * bound_high + (middle & half);
    return bound == 0 ? bits : high * bound_high + (middle >> 32) + (other >> 32);
}

static inline uint64_t uniform_raw(const struct filling *filling, uint64_t i)
{
    if (!element_is_real(filling->type))
        return filling->first + scaled(random_at(filling->seed, i), filling->bound);
    const double real = filling->low + filling->span * unit_at(filling->seed, i);
    return element_raw_of(fmin(fmax(real, filling->least), filling->most), filling->type);
}

/* Returns the low bytes of element `i` of an arithmetic fill; the bytes above the type's width are
 * undefined. */
static inline uint64_t fill_raw(const struct filling *filling, uint64_t i)
{
    const enum element_type type = filling->type;
    switch (filling->fill) {
    case FILL_RANDOM:
    case FILL_RANDOM_EXACT:
    case FILL_RANDOM_ODD:
        if (!element_is_real(type))
            return random_at(filling->seed, i) | random_set(filling->fill);
        return element_raw_of(
            random_real(filling->fill, random_bits_of(type), random_at(filling->seed, i)), type);
    case FILL_UNIFORM:
        return uniform_raw(filling, i);
    default:
        return filling->constant;
    }
}

#endif
