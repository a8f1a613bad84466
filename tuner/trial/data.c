#include "tuner/trial/data.h"

#include <math.h>
#include <string.h>

#include "tuner/base/half.h"
#include "tuner/base/random.h"
#include "tuner/base/text.h"

enum {
    EXACT_BOUND = 8, /* reals of FILL_RANDOM_EXACT are integers in [-8, 8] */
    EXACT_COUNT = 2 * EXACT_BOUND + 1,
    /* How finely [-1, 1) is cut, so that each value is one of the type. */
    F32_RANDOM_BITS = 24,
    F16_RANDOM_BITS = 12,
    BF16_RANDOM_BITS = 9,
};

/* Which of how many values a fill of reals takes, and the value. */
static uint64_t exact_index(uint64_t bits)
{
    return (bits >> 32) % EXACT_COUNT;
}

static double exact_value(uint64_t index)
{
    return (double)((int64_t)index - EXACT_BOUND);
}

static double unit_value(uint64_t index, int random_bits)
{
    return (double)index / (double)(UINT64_C(1) << (random_bits - 1)) - 1.0;
}

static double sign_value(uint64_t index)
{
    return 1.0 - 2.0 * (double)index; /* no branch: none could be predicted */
}

static double random_real(enum argument_fill fill, uint64_t bits)
{
    if (fill == FILL_RANDOM_EXACT)
        return exact_value(exact_index(bits));
    if (fill == FILL_RANDOM_ODD)
        return sign_value(bits >> 63);
    return unit_value(bits >> (64 - F32_RANDOM_BITS), F32_RANDOM_BITS);
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

/* Their few values are converted once each. */
static void fill_halves(uint16_t *out, enum element_type type, enum argument_fill fill,
                        uint64_t seed, uint64_t first, uint64_t count)
{
    uint16_t (*const convert)(double) = type == ELEMENT_F16 ? f16_from_real : bf16_from_real;
    const int random_bits = type == ELEMENT_F16 ? F16_RANDOM_BITS : BF16_RANDOM_BITS;
    const uint64_t end = first + count;
    uint16_t values[1 << F16_RANDOM_BITS];
    if (fill == FILL_RANDOM_EXACT) {
        for (uint64_t i = 0; i < EXACT_COUNT; i++)
            values[i] = convert(exact_value(i));
        for (uint64_t i = first; i < end; i++)
            out[i] = values[exact_index(random_at(seed, i))];
        return;
    }
    const int used_bits = fill == FILL_RANDOM_ODD ? 1 : random_bits; /* of a random number */
    for (uint64_t i = 0; i < UINT64_C(1) << used_bits; i++)
        values[i] = convert(fill == FILL_RANDOM_ODD ? sign_value(i) : unit_value(i, random_bits));
    for (uint64_t i = first; i < end; i++)
        out[i] = values[random_at(seed, i) >> (64 - used_bits)];
}

/* The low bits of random numbers, those of `set` set. A loop for each width: gigabytes are filled,
 * and a store of any width would cost more than the random number. */
static void fill_integers(void *out, size_t bytes, uint64_t set, uint64_t seed, uint64_t first,
                          uint64_t count)
{
    const uint64_t end = first + count;
    uint8_t *const out8 = out;
    uint16_t *const out16 = out;
    uint32_t *const out32 = out;
    uint64_t *const out64 = out;
    switch (bytes) {
    case 1:
        for (uint64_t i = first; i < end; i++)
            out8[i] = (uint8_t)(random_at(seed, i) | set);
        break;
    case 2:
        for (uint64_t i = first; i < end; i++)
            out16[i] = (uint16_t)(random_at(seed, i) | set);
        break;
    case 4:
        for (uint64_t i = first; i < end; i++)
            out32[i] = (uint32_t)(random_at(seed, i) | set);
        break;
    default:
        for (uint64_t i = first; i < end; i++)
            out64[i] = random_at(seed, i) | set;
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
    else if (element_is_real(type))
        fill_halves(out, type, fill, seed, first, count);
    else
        fill_integers(out, bytes, fill == FILL_RANDOM_ODD ? 1 : 0, seed, first, count);
}

static double real_element(const unsigned char *bytes, enum element_type type)
{
    if (type == ELEMENT_F32) {
        float real = 0;
        memcpy(&real, bytes, sizeof real);
        return (double)real;
    }
    if (type == ELEMENT_F64) {
        double real = 0;
        memcpy(&real, bytes, sizeof real);
        return real;
    }
    uint16_t half = 0;
    memcpy(&half, bytes, sizeof half);
    return type == ELEMENT_F16 ? f16_to_real(half) : bf16_to_real(half);
}

/* The number that an exact comparison goes by: f16 and bf16 have no C type that a reference could
 * round to. */
static double expected_real(double real, enum element_type type, double tolerance)
{
    if (tolerance > 0 || element_bytes(type) != 2)
        return real;
    return type == ELEMENT_F16 ? f16_to_real(f16_from_real(real))
                               : bf16_to_real(bf16_from_real(real));
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

static bool real_matches(double got, double expected, double allowed)
{
    if (isnan(expected) || isnan(got))
        return isnan(expected) && isnan(got);
    if (isinf(expected) || isinf(got))
        return got == expected;
    return fabs(got - expected) <= allowed;
}

/* The first element from `i` on that is not equal to what is expected, as its bits or its number
 * say at once; count when all are. Gigabytes are compared, and most types are a few. */
static size_t first_unequal(const void *got, enum element_type type, size_t i, size_t count,
                            const struct tune_expected *expected)
{
    if (type == ELEMENT_F32)
        while (i < count && (double)((const float *)got)[i] == expected[i].real)
            i++;
    else if (type == ELEMENT_F64)
        while (i < count && ((const double *)got)[i] == expected[i].real)
            i++;
    else if (type == ELEMENT_I32 || type == ELEMENT_U32)
        while (i < count && ((const uint32_t *)got)[i] == (uint32_t)expected[i].integer)
            i++;
    else if (type == ELEMENT_I64 || type == ELEMENT_U64)
        while (i < count && ((const uint64_t *)got)[i] == (uint64_t)expected[i].integer)
            i++;
    return i;
}

bool output_matches(const void *got, enum element_type type, size_t count,
                    const struct tune_expected *expected, double tolerance, const char *name,
                    char *detail, size_t detail_bytes)
{
    size_t size = element_bytes(type);
    for (size_t i = 0; (i = first_unequal(got, type, i, count, expected)) < count; i++) {
        const unsigned char *bytes = (const unsigned char *)got + i * size;
        if (element_is_real(type)) {
            double real = real_element(bytes, type);
            double wanted = expected_real(expected[i].real, type, tolerance);
            double allowed = tolerance > 0 ? tolerance * expected[i].magnitude : 0;
            if (real_matches(real, wanted, allowed))
                continue;
            (void)string_format(detail, detail_bytes,
                                "%s[%zu] is %.9g, not %.9g (allowed difference %.3g)", name, i,
                                real, wanted, allowed);
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
