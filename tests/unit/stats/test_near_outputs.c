/* Outputs that differ a little everywhere: pieces are looked at as elements are. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/suite.h"
#include "tuner/base/random.h"
#include "tuner/stats/data.h"

enum { COUNT = 1500, PLANTS = 200 };

struct outputs {
    enum element_type type;
    double scale;
    union {
        float f32[COUNT];
        double f64[COUNT];
    } got, expected;
    double reals[COUNT], magnitudes[COUNT];
};

static double real_at(enum element_type type, const void *elements, size_t i)
{
    return type == ELEMENT_F32 ? (double)((const float *)elements)[i]
                               : ((const double *)elements)[i];
}

static void put(enum element_type type, void *elements, size_t i, double value)
{
    if (type == ELEMENT_F32)
        ((float *)elements)[i] = (float)value;
    else
        ((double *)elements)[i] = value;
}

/* Makes outputs whose elements all differ, by a share of about 1e-6. */
static void make(struct outputs *out, enum element_type type)
{
    *out = (struct outputs){.type = type};
    for (size_t i = 0; i < COUNT; i++) {
        double value = (double)(int64_t)(random_at(1, i) >> 40) / 1000 - 8000;
        put(type, &out->expected, i, value);
        put(type, &out->got, i, value * (1 + (i % 2 ? 1e-6 : -1e-6)));
        out->reals[i] = real_at(type, &out->expected, i);
        out->magnitudes[i] = fabs(value) + 100;
    }
    out->scale = expected_scale(&out->expected, type, COUNT);
}

static bool matches(const struct outputs *outputs, const struct tolerance *tolerance,
                    bool with_reals, size_t first, size_t count)
{
    char detail[256];
    const size_t bytes = element_bytes(outputs->type);
    const struct expected_output expected = {.reals = with_reals ? outputs->reals + first : NULL,
                                             .magnitudes = outputs->magnitudes + first,
                                             .elements =
                                                 (const char *)&outputs->expected + first * bytes,
                                             .scale = outputs->scale};
    return output_matches((const char *)&outputs->got + first * bytes, outputs->type, count,
                          &expected, tolerance, "out", detail, sizeof detail);
}

/* Compares element by element: pieces that are too short are compared so. */
static bool each_matches(const struct outputs *outputs, const struct tolerance *tolerance,
                         bool with_reals)
{
    for (size_t i = 0; i < COUNT; i++)
        if (!matches(outputs, tolerance, with_reals, i, 1))
            return false;
    return true;
}

static const struct tolerance tolerances[] = {
    {.magnitude = 2e-6},  {.relative = 2e-6},
    {.absolute = 0.05},   {.magnitude = 1e-7},
    {.relative = 1.5e-6}, {.magnitude = 1e-7, .relative = 1e-8, .absolute = 0.02},
    {.ulps = 40},         {.absolute = INFINITY},
};

TEST(pieces_are_looked_at_as_elements_are)
{
    static const double plants[] = {NAN,     INFINITY,   -INFINITY,  0,
                                    DBL_MAX, 1 + 1.9e-6, 1 + 2.1e-6, 1 - 1e-4};
    static struct outputs outputs;
    size_t matched = 0, mismatched = 0;
    for (size_t turn = 0; turn < PLANTS; turn++) {
        make(&outputs, turn % 2 ? ELEMENT_F32 : ELEMENT_F64);
        const size_t at = random_at(2, turn) % COUNT;
        const double plant = plants[turn / 2 % (sizeof plants / sizeof plants[0])];
        const double expected = real_at(outputs.type, &outputs.expected, at);
        put(outputs.type, &outputs.got, at, fabs(plant - 1) < 0.5 ? expected * plant : plant);
        if (turn % 3 == 0 && !isfinite(plant)) { /* expected there, too */
            put(outputs.type, &outputs.expected, at, plant);
            outputs.reals[at] = plant;
        }
        for (size_t i = 0; i < sizeof tolerances / sizeof tolerances[0]; i++)
            for (int with_reals = 0; with_reals < 2; with_reals++) {
                const bool whole = matches(&outputs, &tolerances[i], with_reals != 0, 0, COUNT);
                assert_int_equal(whole, each_matches(&outputs, &tolerances[i], with_reals != 0));
                matched += whole;
                mismatched += !whole;
            }
    }
    assert_true(matched > PLANTS && mismatched > PLANTS);
}

TEST(a_single_wrong_one_is_found_wherever_it_is)
{
    static struct outputs outputs;
    const struct tolerance tolerance = {.relative = 2e-6};
    make(&outputs, ELEMENT_F32);
    assert_true(matches(&outputs, &tolerance, false, 0, COUNT));
    for (size_t at = 0; at < COUNT; at++) {
        const float was = outputs.got.f32[at];
        outputs.got.f32[at] = was * 1.0001f;
        assert_false(matches(&outputs, &tolerance, false, 0, COUNT));
        outputs.got.f32[at] = was;
    }
}

TEST_MAIN(NULL, NULL)
