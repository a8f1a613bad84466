#include "tuner/trial/data.h"

#include <math.h>
#include <string.h>

#include "tuner/base/random.h"
#include "tuner/base/text.h"

enum { EXACT_BOUND = 8 }; /* reals of FILL_RANDOM_EXACT are integers in [-8, 8] */

static double random_real(enum argument_fill fill, uint64_t bits)
{
    if (fill == FILL_RANDOM_EXACT)
        return (double)((int64_t)((bits >> 32) % (2 * EXACT_BOUND + 1)) - EXACT_BOUND);
    return (double)(bits >> 40) * 0x1p-23 - 1.0;
}

static void fill_f32(float *out, enum argument_fill fill, uint64_t seed, uint64_t first,
                     uint64_t count)
{
    for (uint64_t i = first; i < first + count; i++)
        out[i] = (float)random_real(fill, random_at(seed, i));
}

static void fill_f64(double *out, enum argument_fill fill, uint64_t seed, uint64_t first,
                     uint64_t count)
{
    for (uint64_t i = first; i < first + count; i++)
        out[i] = random_real(fill, random_at(seed, i));
}

static void fill_integers(unsigned char *out, size_t bytes, uint64_t seed, uint64_t first,
                          uint64_t count)
{
    if (bytes == 4) {
        uint32_t *words = (uint32_t *)(void *)out;
        for (uint64_t i = first; i < first + count; i++)
            words[i] = (uint32_t)random_at(seed, i);
        return;
    }
    for (uint64_t i = first; i < first + count; i++) {
        uint64_t bits = random_at(seed, i);
        memcpy(out + i * bytes, &bits, bytes); /* little-endian: the low bytes */
    }
}

void fill_vector(void *out, enum element_type type, enum argument_fill fill, uint64_t seed,
                 uint64_t first, uint64_t count)
{
    size_t bytes = element_bytes(type);
    if (fill == FILL_ZERO)
        memset((unsigned char *)out + first * bytes, 0, count * bytes);
    else if (type == ELEMENT_F32)
        fill_f32(out, fill, seed, first, count);
    else if (type == ELEMENT_F64)
        fill_f64(out, fill, seed, first, count);
    else
        fill_integers(out, bytes, seed, first, count);
}

static bool integer_fits(int64_t integer, enum element_type type)
{
    size_t bits = element_bytes(type) * 8;
    if (type == ELEMENT_I64)
        return true;
    if (type == ELEMENT_U64)
        return integer >= 0;
    bool is_signed = type == ELEMENT_I8 || type == ELEMENT_I16 || type == ELEMENT_I32;
    int64_t high = (INT64_C(1) << (is_signed ? bits - 1 : bits)) - 1;
    int64_t low = is_signed ? -high - 1 : 0;
    return integer >= low && integer <= high;
}

bool scalar_bytes(struct value value, enum element_type type, unsigned char out[8])
{
    double real = 0;
    memset(out, 0, 8);
    if (!value_number(value, &real))
        return false;
    if (type == ELEMENT_F32) {
        float narrow = (float)real;
        memcpy(out, &narrow, sizeof narrow);
        return true;
    }
    if (type == ELEMENT_F64) {
        memcpy(out, &real, sizeof real);
        return true;
    }
    int64_t integer = value.integer;
    if (value.kind == VALUE_REAL) {
        if (!(real >= -0x1p62 && real <= 0x1p62) || real != floor(real))
            return false;
        integer = (int64_t)real;
    }
    if (!integer_fits(integer, type))
        return false;
    memcpy(out, &integer, element_bytes(type));
    return true;
}

static double real_element(const unsigned char *bytes, enum element_type type)
{
    if (type == ELEMENT_F32) {
        float real = 0;
        memcpy(&real, bytes, sizeof real);
        return (double)real;
    }
    double real = 0;
    memcpy(&real, bytes, sizeof real);
    return real;
}

/* The element's bits, sign-extended where the type is signed, for people. */
static long long integer_element(const void *bytes, enum element_type type)
{
    size_t size = element_bytes(type);
    uint64_t bits = 0;
    memcpy(&bits, bytes, size);
    bool is_signed = type == ELEMENT_I8 || type == ELEMENT_I16 || type == ELEMENT_I32;
    if (is_signed && (bits >> (size * 8 - 1)) & 1)
        bits |= ~UINT64_C(0) << (size * 8);
    return (long long)bits;
}

static bool real_matches(double got, const struct tune_expected *expected, double tolerance)
{
    if (isnan(expected->real) || isnan(got))
        return isnan(expected->real) && isnan(got);
    if (isinf(expected->real) || isinf(got))
        return got == expected->real;
    return fabs(got - expected->real) <= tolerance * expected->magnitude;
}

bool output_matches(const void *got, enum element_type type, size_t count,
                    const struct tune_expected *expected, double tolerance, const char *name,
                    char *detail, size_t detail_bytes)
{
    const unsigned char *bytes = got;
    size_t size = element_bytes(type);
    for (size_t i = 0; i < count; i++, bytes += size) {
        if (element_is_real(type)) {
            double real = real_element(bytes, type);
            if (real_matches(real, &expected[i], tolerance))
                continue;
            (void)string_format(detail, detail_bytes,
                                "%s[%zu] is %.9g, not %.9g (allowed difference %.3g)", name, i,
                                real, expected[i].real, tolerance * expected[i].magnitude);
            return false;
        }
        if (memcmp(bytes, &expected[i].integer, size) == 0)
            continue;
        (void)string_format(detail, detail_bytes, "%s[%zu] is %lld, not %lld", name, i,
                            integer_element(bytes, type),
                            integer_element(&expected[i].integer, type));
        return false;
    }
    return true;
}
