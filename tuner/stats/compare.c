/* Outputs held against what they must be. */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "tuner/base/text.h"
#include "tuner/stats/data.h"
#include "tuner/stats/internal.h"

enum { PIECE = 256 }; /* elements that are looked at together */

struct comparing {
    const void *got;
    enum element_type type;
    size_t count;
    const struct expected_output *expected;
    const struct tolerance *tolerance;
    bool rounds; /* what was told is rounded to the type first */
    const char *name;
};

/* One element. */
struct difference {
    double got, expected; /* as numbers */
    double size;          /* INFINITY where one of them is NaN, or infinite */
    double allowed;       /* without the units in the last place */
    bool within;
};

double expected_scale(const void *elements, enum element_type type, size_t count)
{
    const unsigned char *at = elements;
    const size_t size = element_bytes(type);
    double sum = 0;
    size_t finite = 0;
    for (size_t i = 0; i < count; i++) {
        double real = element_to_real(at + i * size, type);
        if (!isfinite(real))
            continue;
        sum += real * real;
        finite++;
    }
    return finite > 0 ? sqrt(sum / (double)finite) : 0;
}

static const unsigned char *element_at(const void *elements, enum element_type type, size_t i)
{
    return (const unsigned char *)elements + i * element_bytes(type);
}

/* The element's bits, sign-extended where the type is signed. */
static uint64_t integer_bits(const void *element, enum element_type type)
{
    size_t size = element_bytes(type);
    uint64_t bits = 0;
    memcpy(&bits, element, size);
    bool is_signed = element_name(type)[0] == 'i';
    if (is_signed && size < 8 && (bits >> (size * 8 - 1)) & 1)
        bits |= ~UINT64_C(0) << (size * 8);
    return bits;
}

static uint64_t expected_integer(const struct comparing *comparing, size_t i)
{
    const struct expected_output *expected = comparing->expected;
    return integer_bits(expected->told
                            ? (const void *)&expected->told[i].integer
                            : (const void *)element_at(expected->elements, comparing->type, i),
                        comparing->type);
}

static struct difference integer_difference(const struct comparing *comparing, size_t i)
{
    const struct tolerance *tolerance = comparing->tolerance;
    bool is_signed = element_name(comparing->type)[0] == 'i';
    uint64_t got = integer_bits(element_at(comparing->got, comparing->type, i), comparing->type);
    uint64_t expected = expected_integer(comparing, i);
    bool more = is_signed ? (int64_t)got > (int64_t)expected : got > expected;
    struct difference out = {
        .got = is_signed ? (double)(int64_t)got : (double)got,
        .expected = is_signed ? (double)(int64_t)expected : (double)expected,
        .size = (double)(more ? got - expected : expected - got),
    };
    out.allowed = fmax(tolerance->absolute, tolerance->relative * fabs(out.expected));
    out.allowed = fmax(out.allowed, tolerance->ulps);
    out.within = got == expected || out.size <= out.allowed;
    return out;
}

/* Numbers of the type in their order. */
static int64_t place_among(const void *element, enum element_type type)
{
    size_t bits = element_bytes(type) * 8;
    uint64_t number = 0;
    memcpy(&number, element, bits / 8);
    int64_t size = (int64_t)(number & (UINT64_MAX >> (65 - bits)));
    return (number >> (bits - 1)) & 1 ? -size : size;
}

/* From one element to another, in steps from a number of the type to the next. */
static uint64_t steps_between(const void *a, const void *b, enum element_type type)
{
    int64_t x = place_among(a, type), y = place_among(b, type);
    return x > y ? (uint64_t)x - (uint64_t)y : (uint64_t)y - (uint64_t)x;
}

static bool within_steps(const struct comparing *comparing, size_t i, double expected)
{
    unsigned char rounded[8];
    if (comparing->tolerance->ulps == 0)
        return false;
    element_from_real(expected, comparing->type, rounded);
    return steps_between(element_at(comparing->got, comparing->type, i), rounded,
                         comparing->type) <= comparing->tolerance->ulps;
}

static double expected_real(const struct comparing *comparing, size_t i)
{
    const struct expected_output *expected = comparing->expected;
    unsigned char rounded[8];
    if (!expected->told)
        return element_to_real(element_at(expected->elements, comparing->type, i), comparing->type);
    if (!comparing->rounds)
        return expected->told[i].real;
    element_from_real(expected->told[i].real, comparing->type, rounded);
    return element_to_real(rounded, comparing->type);
}

static struct difference real_difference(const struct comparing *comparing, size_t i)
{
    const struct expected_output *expected = comparing->expected;
    const struct tolerance *tolerance = comparing->tolerance;
    struct difference out = {
        .got = element_to_real(element_at(comparing->got, comparing->type, i), comparing->type),
        .expected = expected_real(comparing, i),
    };
    double magnitude =
        expected->told ? expected->told[i].magnitude : fmax(fabs(out.expected), expected->scale);
    out.allowed = fmax(tolerance->magnitude > 0 ? tolerance->magnitude * magnitude : 0,
                       fmax(tolerance->absolute, tolerance->relative * fabs(out.expected)));
    out.size = fabs(out.got - out.expected);
    if (!isfinite(out.got) || !isfinite(out.expected)) {
        out.within = out.got == out.expected || (isnan(out.got) && isnan(out.expected));
        out.size = out.within ? 0 : INFINITY;
        return out;
    }
    out.within = out.size <= out.allowed || within_steps(comparing, i, out.expected);
    return out;
}

static struct difference difference_at(const struct comparing *comparing, size_t i)
{
    return element_is_real(comparing->type) ? real_difference(comparing, i)
                                            : integer_difference(comparing, i);
}

/* The first element from `i` on whose bits, or number, are not at once those that are expected; the
 * count when all are. Gigabytes are compared, and most types are a few. */
static size_t first_untold(const struct comparing *comparing, size_t i)
{
    const struct tune_expected *told = comparing->expected->told;
    const void *got = comparing->got;
    const size_t count = comparing->count;
    if (comparing->type == ELEMENT_F32)
        while (i < count && (double)((const float *)got)[i] == told[i].real)
            i++;
    else if (comparing->type == ELEMENT_F64)
        while (i < count && ((const double *)got)[i] == told[i].real)
            i++;
    else if (comparing->type == ELEMENT_I32 || comparing->type == ELEMENT_U32)
        while (i < count && ((const uint32_t *)got)[i] == (uint32_t)told[i].integer)
            i++;
    else if (comparing->type == ELEMENT_I64 || comparing->type == ELEMENT_U64)
        while (i < count && ((const uint64_t *)got)[i] == (uint64_t)told[i].integer)
            i++;
    return i;
}

static size_t first_unequal(const struct comparing *comparing, size_t i)
{
    const size_t size = element_bytes(comparing->type);
    if (comparing->expected->told)
        return first_untold(comparing, i);
    const unsigned char *got = comparing->got, *expected = comparing->expected->elements;
    while (i + PIECE <= comparing->count &&
           memcmp(got + i * size, expected + i * size, PIECE * size) == 0)
        i += PIECE;
    while (i < comparing->count && memcmp(got + i * size, expected + i * size, size) == 0)
        i++;
    return i;
}

/* A piece of reals as numbers. */
struct piece {
    double got[PIECE];
    double expected[PIECE];
    double magnitude[PIECE];
};

/* False for types that are not looked at in pieces. */
static bool read_numbers(const void *elements, enum element_type type, size_t first, double *out)
{
    if (type == ELEMENT_F32)
        for (size_t i = 0; i < PIECE; i++)
            out[i] = (double)((const float *)elements)[first + i];
    else if (type == ELEMENT_F64)
        memcpy(out, (const double *)elements + first, PIECE * sizeof *out);
    return type == ELEMENT_F32 || type == ELEMENT_F64;
}

static bool read_piece(const struct comparing *comparing, size_t first, struct piece *out)
{
    const struct expected_output *expected = comparing->expected;
    if (!read_numbers(comparing->got, comparing->type, first, out->got))
        return false;
    if (!expected->told) {
        (void)read_numbers(expected->elements, comparing->type, first, out->expected);
        for (size_t i = 0; i < PIECE; i++) {
            double size = fabs(out->expected[i]);
            out->magnitude[i] = size > expected->scale ? size : expected->scale;
        }
        return true;
    }
    for (size_t i = 0; i < PIECE; i++) {
        out->expected[i] = expected->told[first + i].real;
        out->magnitude[i] = expected->told[first + i].magnitude;
    }
    return true;
}

/* Whether all of a piece are finite and within the tolerance, but for units in the last place: as
 * difference_at has it, without a branch for each, since every element of a large output may differ
 * a little. */
static bool piece_is_within(const struct comparing *comparing, size_t first)
{
    const struct tolerance *tolerance = comparing->tolerance;
    struct piece piece;
    int64_t outside = 0;
    if (!read_piece(comparing, first, &piece))
        return false;
    for (size_t i = 0; i < PIECE; i++) {
        double size = fabs(piece.got[i] - piece.expected[i]);
        double by_magnitude = tolerance->magnitude * piece.magnitude[i];
        double relative = tolerance->relative * fabs(piece.expected[i]);
        double allowed = by_magnitude > relative ? by_magnitude : relative;
        allowed = allowed > tolerance->absolute ? allowed : tolerance->absolute;
        outside += !(size <= allowed) | !(size <= DBL_MAX); /* NaN is neither */
    }
    return outside == 0;
}

static size_t pass_within(const struct comparing *comparing, size_t i)
{
    while (i + PIECE <= comparing->count && piece_is_within(comparing, i))
        i += PIECE;
    return i;
}

/* What the whole output comes to. */
struct findings {
    size_t first;   /* that is wrong; the count: none is */
    size_t wrong;   /* how many */
    size_t largest; /* where the largest difference is */
    double largest_size;
    double total;
};

/* All elements where `whole`, else up to the first that is wrong. */
static struct findings look_through(const struct comparing *comparing, bool whole)
{
    struct findings out = {.first = comparing->count};
    for (size_t i = 0; (i = first_unequal(comparing, i)) < comparing->count; i++) {
        size_t passed = whole ? i : pass_within(comparing, i);
        if (passed > i) {
            i = passed - 1;
            continue;
        }
        struct difference difference = difference_at(comparing, i);
        out.total += difference.size;
        if (difference.size > out.largest_size) {
            out.largest_size = difference.size;
            out.largest = i;
        }
        if (difference.within)
            continue;
        if (out.wrong++ == 0)
            out.first = i;
        if (!whole)
            break;
    }
    return out;
}

static void put_element(const struct comparing *comparing, size_t i, struct text *text)
{
    struct difference difference = difference_at(comparing, i);
    text_printf(text, "%s[%zu] is ", comparing->name, i);
    if (element_is_real(comparing->type)) {
        text_printf(text, "%.9g, not %.9g", difference.got, difference.expected);
        return;
    }
    uint64_t got = integer_bits(element_at(comparing->got, comparing->type, i), comparing->type);
    uint64_t expected = expected_integer(comparing, i);
    if (comparing->type == ELEMENT_U64)
        text_printf(text, "%" PRIu64 ", not %" PRIu64, got, expected);
    else
        text_printf(text, "%" PRId64 ", not %" PRId64, (int64_t)got, (int64_t)expected);
}

static void put_allowed(const struct comparing *comparing, size_t i, struct text *text)
{
    double allowed = difference_at(comparing, i).allowed;
    uint32_t ulps = element_is_real(comparing->type) ? comparing->tolerance->ulps : 0;
    if (allowed > 0 && ulps > 0)
        text_printf(text, " (allowed difference %.3g, or %" PRIu32 " ulps)", allowed, ulps);
    else if (ulps > 0)
        text_printf(text, " (allowed: %" PRIu32 " ulps)", ulps);
    else if (allowed > 0 || element_is_real(comparing->type))
        text_printf(text, " (allowed difference %.3g)", allowed);
}

static void describe(const struct comparing *comparing, const struct findings *findings,
                     struct text *text)
{
    put_element(comparing, findings->first, text);
    put_allowed(comparing, findings->first, text);
    text_printf(text, "; %zu of %zu elements %s wrong", findings->wrong, comparing->count,
                findings->wrong == 1 ? "is" : "are");
    if (findings->wrong > 1)
        text_printf(text, ", the largest difference is %.3g at %s[%zu]", findings->largest_size,
                    comparing->name, findings->largest);
}

static void describe_total(const struct comparing *comparing, const struct findings *findings,
                           struct text *text)
{
    text_printf(text, "the differences in '%s' come to %.6g, more than %.6g; the largest: ",
                comparing->name, findings->total, comparing->tolerance->total);
    put_element(comparing, findings->largest, text);
}

static void give(struct text *text, char *detail, size_t detail_bytes)
{
    (void)string_format(detail, detail_bytes, "%s",
                        text->failed ? "wrong; no memory to say where" : text_string(text));
    text_free(text);
}

bool output_matches(const void *got, enum element_type type, size_t count,
                    const struct expected_output *expected, const struct tolerance *tolerance,
                    const char *name, char *detail, size_t detail_bytes)
{
    bool free_of_units =
        tolerance->magnitude > 0 || tolerance->absolute > 0 || tolerance->relative > 0;
    const struct comparing comparing = {
        .got = got,
        .type = type,
        .count = count,
        .expected = expected,
        .tolerance = tolerance,
        .rounds = element_bytes(type) == 2 && !free_of_units && !(tolerance->total > 0),
        .name = name,
    };
    bool by_total = tolerance->total > 0;
    struct text text = {0};
    struct findings findings = look_through(&comparing, by_total);
    if (by_total ? findings.total <= tolerance->total : findings.wrong == 0)
        return true;
    if (by_total) {
        describe_total(&comparing, &findings, &text);
    } else {
        findings = look_through(&comparing, true);
        describe(&comparing, &findings, &text);
    }
    give(&text, detail, detail_bytes);
    return false;
}
