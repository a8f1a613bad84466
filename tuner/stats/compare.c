/* Comparison of outputs with expected values. */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "tuner/base/compare_lane.h"
#include "tuner/base/text.h"
#include "tuner/stats/data.h"

enum { PIECE = 256 }; /* elements compared together */

static const double large = 0x1p480; /* the sum of 2^63 such squares is finite */

double expected_scale(const void *elements, enum element_type type, size_t count)
{
    const unsigned char *at = elements;
    const size_t size = element_bytes(type);
    double sum = 0;
    double unit = 1; /* scale before squaring, so that no square is infinite */
    size_t finite = 0;
    for (size_t i = 0; i < count; i++) {
        float narrow = 0;
        double real = 0;
        if (type == ELEMENT_F32) { /* the usual type: outputs have hundreds of millions of them */
            memcpy(&narrow, at + i * sizeof narrow, sizeof narrow);
            real = (double)narrow;
        } else {
            real = element_to_real(at + i * size, type);
        }
        if (!isfinite(real))
            continue;
        if (fabs(real) > large * unit) {
            sum = sum * (unit / fabs(real)) * (unit / fabs(real));
            unit = fabs(real);
        }
        if (unit > 1)
            real /= unit;
        sum += real * real;
        finite++;
    }
    return finite > 0 ? unit * sqrt(sum / (double)finite) : 0;
}

/* ---- results of a reference function ---- */

size_t expected_bytes(enum element_type type, size_t count, bool magnitudes)
{
    const size_t each = element_is_real(type) ? sizeof(double) : element_bytes(type);
    return count * each * (element_is_real(type) && magnitudes ? 2 : 1);
}

struct expected_output expected_in(const void *room, enum element_type type, size_t count,
                                   bool magnitudes)
{
    struct expected_output out = {0};
    if (!element_is_real(type)) {
        out.elements = room;
        return out;
    }
    out.reals = room;
    out.magnitudes = magnitudes ? out.reals + count : NULL;
    return out;
}

void expected_keep(const struct tune_expected *expected, enum element_type type, size_t all,
                   bool magnitudes, size_t first, size_t count, void *room)
{
    const size_t size = element_bytes(type);
    double *reals = room;
    for (size_t i = first; i < first + count; i++) {
        long long integer = expected[i].integer;
        const double real = expected[i].real;
        if (element_is_real(type)) {
            reals[i] = real == 0 && integer != 0 ? (double)integer : real;
            if (magnitudes)
                reals[all + i] = expected[i].magnitude;
            continue;
        }
        if (integer == 0 && fabs(real) < 0x1p63 && real == trunc(real))
            integer = (long long)real;
        memcpy((unsigned char *)room + i * size, &integer,
               size); /* little-endian: low bytes first */
    }
}

/* ---- quick pass over matching elements ---- */

static uint64_t first_unequal(const struct comparing *comparing, enum element_type type, uint64_t i)
{
    const size_t size = element_bytes(type);
    if (comparing->expected.reals) {
        /* Gigabytes are compared, and most types are one of these. */
        const double *reals = comparing->expected.reals;
        const void *got = comparing->got;
        const uint64_t count = comparing->count;
        if (type == ELEMENT_F32)
            while (i < count && (double)((const float *)got)[i] == reals[i])
                i++;
        else if (type == ELEMENT_F64)
            while (i < count && ((const double *)got)[i] == reals[i])
                i++;
        return i;
    }
    const unsigned char *got = comparing->got, *expected = comparing->expected.elements;
    while (i + PIECE <= comparing->count &&
           memcmp(got + i * size, expected + i * size, PIECE * size) == 0)
        i += PIECE;
    while (i < comparing->count && memcmp(got + i * size, expected + i * size, size) == 0)
        i++;
    return i;
}

/* Converts a piece of reals to numbers. */
struct piece {
    double got[PIECE];
    double expected[PIECE];
    double magnitude[PIECE];
};

/* Returns false for types that are not compared in pieces. */
static bool read_numbers(const void *elements, enum element_type type, uint64_t first, double *out)
{
    if (type == ELEMENT_F32)
        for (size_t i = 0; i < PIECE; i++)
            out[i] = (double)((const float *)elements)[first + i];
    else if (type == ELEMENT_F64)
        memcpy(out, (const double *)elements + first, PIECE * sizeof *out);
    return type == ELEMENT_F32 || type == ELEMENT_F64;
}

static bool read_piece(const struct comparing *comparing, enum element_type type, uint64_t first,
                       struct piece *piece)
{
    const struct expected_output *expected = &comparing->expected;
    if (!read_numbers(comparing->got, type, first, piece->got))
        return false;
    if (!expected->reals) {
        (void)read_numbers(expected->elements, type, first, piece->expected);
        for (size_t i = 0; i < PIECE; i++) {
            double size = fabs(piece->expected[i]);
            piece->magnitude[i] = size > expected->scale ? size : expected->scale;
        }
        return true;
    }
    memcpy(piece->expected, expected->reals + first, sizeof piece->expected);
    if (expected->magnitudes)
        memcpy(piece->magnitude, expected->magnitudes + first, sizeof piece->magnitude);
    else
        for (size_t i = 0; i < PIECE; i++)
            piece->magnitude[i] = expected->scale;
    return true;
}

/* Returns whether all elements of a piece are finite and within the tolerance, except for units in
 * the last place: as difference_of computes it, but without a branch for each, since every element
 * of a large output may differ a little. */
static bool piece_is_within(const struct comparing *comparing, enum element_type type,
                            uint64_t first)
{
    const struct tolerance *tolerance = &comparing->tolerance;
    struct piece piece;
    int64_t outside = 0;
    if (!read_piece(comparing, type, first, &piece))
        return false;
    for (size_t i = 0; i < PIECE; i++) {
        double size = fabs(piece.got[i] - piece.expected[i]);
        double by_magnitude = tolerance->magnitude * piece.magnitude[i];
        double relative = tolerance->relative * fabs(piece.expected[i]);
        double allowed = by_magnitude > relative ? by_magnitude : relative;
        allowed = allowed > tolerance->absolute ? allowed : tolerance->absolute;
        outside += !(size <= allowed) | !(size <= DBL_MAX); /* NaN fails both */
    }
    return outside == 0;
}

/* Returns whether each element is within the tolerance. */
static bool all_within(const struct comparing *comparing, enum element_type type)
{
    for (uint64_t i = 0; (i = first_unequal(comparing, type, i)) < comparing->count;) {
        const uint64_t from = i;
        while (i + PIECE <= comparing->count && piece_is_within(comparing, type, i))
            i += PIECE;
        if (i > from)
            continue;
        if (!difference_of(comparing, type, element_raw(comparing->got, type, i), i).within)
            return false;
        i++;
    }
    return true;
}

/* ---- the report of wrong elements ---- */

static struct findings look_through(const struct comparing *comparing, enum element_type type)
{
    struct findings out = findings_none();
    for (uint64_t i = 0; i < compare_chunks(comparing->count); i++) {
        const struct findings chunk = compare_chunk(comparing, type, i);
        findings_join(&out, &chunk);
    }
    return out;
}

bool findings_match(const struct findings *findings, const struct tolerance *tolerance)
{
    return tolerance->total > 0 ? findings->total <= tolerance->total : findings->wrong == 0;
}

void findings_describe(const struct findings *findings, const struct comparing *comparing,
                       enum element_type type, const uint64_t got_raw[2], const char *name,
                       char *detail, size_t detail_bytes)
{
    const struct tolerance *tolerance = &comparing->tolerance;
    const bool by_total = tolerance->total > 0;
    const uint64_t at = by_total ? findings->largest : findings->first;
    const struct difference difference =
        difference_of(comparing, type, got_raw[by_total ? 1 : 0], at);
    struct text text = {0};
    if (by_total)
        text_printf(&text,
                    "the differences in '%s' add up to %.6g, more than %.6g; the largest: ", name,
                    findings->total, tolerance->total);
    text_printf(&text, "%s[%" PRIu64 "] is ", name, at);
    if (element_is_real(type))
        text_printf(&text, "%.9g, not %.9g", difference.got, difference.expected);
    else if (type == ELEMENT_U64)
        text_printf(&text, "%" PRIu64 ", not %" PRIu64, difference.got_bits,
                    difference.expected_bits);
    else
        text_printf(&text, "%" PRId64 ", not %" PRId64, (int64_t)difference.got_bits,
                    (int64_t)difference.expected_bits);
    if (!by_total) {
        double allowed = difference.allowed;
        uint32_t ulps = element_is_real(type) ? tolerance->ulps : 0;
        if (allowed > 0 && ulps > 0)
            text_printf(&text, " (allowed difference %.3g, or %s)", allowed,
                        count_text(ulps, "ulp").text);
        else if (ulps > 0)
            text_printf(&text, " (allowed: %s)", count_text(ulps, "ulp").text);
        else if (allowed > 0 || element_is_real(type))
            text_printf(&text, " (allowed difference %.3g)", allowed);
        text_printf(&text, "; %" PRIu64 " of %s %s wrong", findings->wrong,
                    count_text(comparing->count, "element").text,
                    findings->wrong == 1 ? "is" : "are");
        if (findings->wrong > 1)
            text_printf(&text, ", the largest difference is %.3g at %s[%" PRIu64 "]",
                        findings->largest_size, name, findings->largest);
    }
    (void)string_format(detail, detail_bytes, "%s",
                        text.failed ? "wrong; no memory to say where" : text_string(&text));
    text_free(&text);
}

bool output_matches(const void *got, enum element_type type, size_t count,
                    const struct expected_output *expected, const struct tolerance *tolerance,
                    const char *name, char *detail, size_t detail_bytes)
{
    const struct comparing comparing = comparing_of(got, type, count, expected, tolerance);
    if (!(tolerance->total > 0) && all_within(&comparing, type))
        return true;
    const struct findings findings = look_through(&comparing, type);
    if (findings_match(&findings, tolerance))
        return true;
    const uint64_t at[2] = {findings.first, findings.largest};
    uint64_t got_raw[2] = {0};
    for (size_t i = 0; i < 2; i++)
        if (at[i] != COMPARE_NONE)
            got_raw[i] = element_raw(got, type, at[i]);
    findings_describe(&findings, &comparing, type, got_raw, name, detail, detail_bytes);
    return false;
}

double output_deviation(const void *got, enum element_type type, size_t count,
                        const struct expected_output *expected)
{
    const struct tolerance none = {0};
    const struct comparing comparing = comparing_of(got, type, count, expected, &none);
    const struct findings findings = look_through(&comparing, type);
    return findings.largest == COMPARE_NONE ? 0 : findings.largest_size;
}
