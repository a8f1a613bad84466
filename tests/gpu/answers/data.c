/* Inputs, and outputs against the reference. */
#include "answers.h"

#include <math.h>
#include <stdlib.h>

uint64_t mix(uint64_t seed)
{
    uint64_t x = seed + 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

static double unit(uint64_t bits)
{
    return (double)(bits >> 11) / 9007199254740992.0;
}

double mix_unit(uint64_t seed)
{
    return unit(mix(seed));
}

void *need(void *memory)
{
    if (!memory)
        exit(2);
    return memory;
}

size_t bytes_of(const struct argument *vector)
{
    static const size_t bytes[] = {[U8] = 1, [I32] = 4, [U32] = 4, [F16] = 2, [F32] = 4};
    return (size_t)vector->count * bytes[vector->type];
}

static unsigned short half_of(double x)
{
    const int sign = x < 0 ? 0x8000 : 0;
    int exponent = 0;
    const double size = fabs(x);
    if (size < 6.2e-5)
        return (unsigned short)(sign | (int)nearbyint(size * 16777216));
    (void)frexp(size, &exponent);
    const int digits = (int)nearbyint((ldexp(size, 1 - exponent) - 1) * 1024);
    return (unsigned short)(sign + ((exponent + 14) << 10) + digits);
}

static double number_of(unsigned short half)
{
    const int exponent = half >> 10 & 31, digits = half & 1023;
    const double size = exponent ? ldexp(1024 + digits, exponent - 25) : ldexp(digits, -24);
    return half >> 15 ? -size : size;
}

static double draw_real(const struct argument *vector, uint64_t draw)
{
    if (vector->fill != NORMAL)
        return 2 * unit(draw) - 1;
    return vector->low +
           vector->high * sqrt(-2 * log(1 - unit(draw))) * cos(6.283185307179586 * mix_unit(draw));
}

static long long draw_integer(const struct argument *vector, long long i, uint64_t draw)
{
    switch (vector->fill) {
    case UNIFORM:
        return (long long)vector->low +
               (long long)(draw % (uint64_t)(vector->high - vector->low + 1));
    case CSR_START:
        return 8 * i + i * i % 7;
    case CSR_COLUMN:
        return (i * 7919 + i / 3) % (long long)vector->low;
    default:
        return (long long)draw;
    }
}

void *fill_vector(const struct argument *vector, uint64_t seed)
{
    void *out = need(malloc(bytes_of(vector) + 1));
    for (long long i = 0; i < vector->count; i++) {
        const uint64_t draw = mix(seed + (uint64_t)i);
        switch (vector->type) {
        case U8:
            ((unsigned char *)out)[i] = (unsigned char)draw_integer(vector, i, draw);
            break;
        case F16:
            ((unsigned short *)out)[i] = half_of(draw_real(vector, draw));
            break;
        case F32:
            ((float *)out)[i] = (float)draw_real(vector, draw);
            break;
        default:
            ((unsigned *)out)[i] = (unsigned)draw_integer(vector, i, draw);
        }
    }
    return out;
}

long long find_wrong(const struct problem *problem, const struct argument *vector,
                     const void *result, const struct tune_expected *expected, double *seen,
                     double *wanted)
{
    for (long long i = 0; i < vector->count; i++) {
        const struct tune_expected *one = &expected[i];
        *wanted = (double)(unsigned)one->integer;
        switch (vector->type) {
        case U8:
            *seen = ((const unsigned char *)result)[i];
            *wanted = (unsigned char)one->integer;
            break;
        case F16:
            *seen = number_of(((const unsigned short *)result)[i]);
            *wanted = one->real;
            break;
        case F32:
            *seen = ((const float *)result)[i];
            *wanted = one->real;
            break;
        default:
            *seen = ((const unsigned *)result)[i];
        }
        const double off = fabs(*seen - *wanted); /* NaN is no more than any */
        if (!(off <= problem->tolerance * one->magnitude || off <= problem->absolute))
            return i;
    }
    return -1;
}
