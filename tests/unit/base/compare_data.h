/* Outputs that are nearly, or not at all, the expected ones, of every type: for tests of the host's
 * and the devices' comparisons. */
#ifndef TUNE_TESTS_COMPARE_DATA_H
#define TUNE_TESTS_COMPARE_DATA_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/compare_lane.h"
#include "tuner/base/random.h"

enum compare_form { FORM_ELEMENTS, FORM_REALS, FORM_MAGNITUDES, COMPARE_FORMS };
enum compare_kind { KIND_EQUAL, KIND_NEAR, KIND_WILD, COMPARE_KINDS };

static const struct tolerance compare_tolerances[] = {
    {0},
    {.absolute = 0.05},
    {.relative = 2e-6},
    {.magnitude = 3e-6},
    {.ulps = 3},
    {.absolute = 1e-3, .relative = 1e-7, .ulps = 1},
    {.magnitude = 1e-7, .relative = 1e-8, .absolute = 0.02},
    {.total = 10},
    {.total = 1e300},
    {.absolute = INFINITY},
};
enum { COMPARE_TOLERANCES = sizeof compare_tolerances / sizeof *compare_tolerances };

struct compare_data {
    enum element_type type;
    uint64_t count;
    void *got;
    void *elements;
    double *reals, *magnitudes;
    double scale;
};

/* Returns a special number of a type by its bits: NaN, infinities, zeros, subnormal numbers. */
static inline uint64_t compare_special(enum element_type type, uint64_t which)
{
    static const double reals[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0, 1e-310, 3e-45, 6e-8, 1e300};
    const size_t specials = sizeof reals / sizeof *reals;
    const uint64_t integers[] = {0, ~(uint64_t)0, (uint64_t)1 << (element_bytes(type) * 8 - 1), 1};
    return element_is_real(type) ? element_raw_of(reals[which % specials], type)
                                 : integers[which % 4];
}

static inline void compare_put(void *elements, enum element_type type, uint64_t i, uint64_t raw)
{
    memcpy((char *)elements + i * element_bytes(type), &raw, element_bytes(type));
}

/* Makes ordinary numbers with special ones now and then; NEAR: a few units, and now and then more,
 * from the expected ones. */
static inline struct compare_data compare_make(enum element_type type, enum compare_kind kind,
                                               uint64_t count, uint64_t seed)
{
    const size_t width = element_bytes(type);
    struct compare_data out = {.type = type, .count = count, .scale = 700};
    out.got = malloc(count * width + 8);
    out.elements = malloc(count * width + 8);
    out.reals = malloc(count * sizeof *out.reals + 8);
    out.magnitudes = malloc(count * sizeof *out.magnitudes + 8);
    if (!out.got || !out.elements || !out.reals || !out.magnitudes)
        abort();
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t bits = random_at(seed, i);
        const double number = (double)(int64_t)(bits >> 40) / 1000 - 8000;
        uint64_t raw = element_is_real(type) ? element_raw_of(number, type) : bits;
        if (bits % 37 == 0)
            raw = compare_special(type, bits / 37);
        compare_put(out.elements, type, i, raw);
        out.reals[i] =
            element_is_real(type) ? element_real_of(element_raw(out.elements, type, i), type) : 0;
        if (bits % 5 == 0) /* no number of the type */
            out.reals[i] += number * 1e-9;
        out.magnitudes[i] = bits % 41 == 0 ? (double)INFINITY : fabs(number) + 1;
        raw = element_raw(out.elements, type, i);
        if (kind == KIND_NEAR && bits % 3 == 0)
            raw += bits / 3 % 5 - 2;
        if (kind == KIND_WILD && bits % 11 == 0)
            raw = bits % 2 ? compare_special(type, bits / 11) : ~bits;
        compare_put(out.got, type, i, raw);
    }
    return out;
}

static inline void compare_free(struct compare_data *data)
{
    free(data->got);
    free(data->elements);
    free(data->reals);
    free(data->magnitudes);
}

/* Returns the expected output in the given form. Integers have one form. */
static inline struct expected_output compare_expected(const struct compare_data *data,
                                                      enum compare_form form)
{
    struct expected_output out = {.scale = data->scale};
    if (form == FORM_ELEMENTS || !element_is_real(data->type))
        out.elements = data->elements;
    else
        out.reals = data->reals;
    if (out.reals && form == FORM_MAGNITUDES)
        out.magnitudes = data->magnitudes;
    return out;
}

#endif
