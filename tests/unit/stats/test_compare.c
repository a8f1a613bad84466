/* Comparison of outputs with the expected ones, within each tolerance. */
#include <math.h>
#include <string.h>

#include "tests/unit/suite.h"
#include "tuner/base/half.h"
#include "tuner/stats/data.h"

enum { DETAIL_BYTES = 256, MANY = 1000 };

/* Compares with a function's results, within a tolerance times the magnitude. */
static bool is_near(const void *got, enum element_type type, size_t count,
                    const struct tune_expected *expected, double tolerance, char *detail)
{
    double room[4];
    const struct tolerance within = {.magnitude = tolerance};
    assert_true(expected_bytes(type, count, true) <= sizeof room);
    expected_keep(expected, type, count, true, 0, count, room);
    const struct expected_output must = expected_in(room, type, count, true);
    return output_matches(got, type, count, &must, &within, "out", detail, DETAIL_BYTES);
}

/* Compares with elements of the output's own type. */
static bool alike(const void *got, const void *expected, enum element_type type, size_t count,
                  struct tolerance within, char *detail)
{
    const struct expected_output must = {.elements = expected,
                                         .scale = expected_scale(expected, type, count)};
    return output_matches(got, type, count, &must, &within, "out", detail, DETAIL_BYTES);
}

static bool near_f32(float got, float expected, struct tolerance within)
{
    char detail[DETAIL_BYTES] = "";
    return alike(&got, &expected, ELEMENT_F32, 1, within, detail);
}

TEST(integers_are_compared_in_the_bits_of_their_type)
{
    char detail[DETAIL_BYTES] = "";
    int32_t got[2] = {-1, 8};
    struct tune_expected expected[2] = {{.integer = 0xffffffffLL}, {.integer = 8}};
    assert_true(is_near(got, ELEMENT_I32, 2, expected, 0, detail));
    expected[1].integer = 7;
    assert_false(is_near(got, ELEMENT_I32, 2, expected, 0, detail));
    assert_string_equal(detail, "out[1] is 8, not 7; 1 of 2 elements is wrong");
}

/* An output's type may be a parameter, and the function need not know that. */
TEST(a_value_counts_in_either_member)
{
    char detail[DETAIL_BYTES] = "";
    const float real[2] = {-7, 0};
    const int32_t integer[2] = {-7, 0};
    struct tune_expected expected[2] = {{.integer = -7}, {.integer = 0}};
    assert_true(is_near(real, ELEMENT_F32, 2, expected, 0, detail));
    expected[0] = (struct tune_expected){.real = -7};
    assert_true(is_near(integer, ELEMENT_I32, 2, expected, 0, detail));
    expected[0].real = -7.5; /* no whole number */
    assert_false(is_near(integer, ELEMENT_I32, 2, expected, 0, detail));
    expected[0] = (struct tune_expected){.integer = -7, .real = 3};
    assert_false(is_near(real, ELEMENT_F32, 2, expected, 0, detail));
}

TEST(reals_are_compared_within_the_tolerance)
{
    char detail[DETAIL_BYTES] = "";
    float got = 10.5f;
    struct tune_expected expected = {.real = 10.0, .magnitude = 100.0};
    assert_true(is_near(&got, ELEMENT_F32, 1, &expected, 0.005, detail));
    assert_false(is_near(&got, ELEMENT_F32, 1, &expected, 0.004, detail));
    assert_false(is_near(&got, ELEMENT_F32, 1, &expected, 0, detail));
    got = (float)NAN;
    assert_false(is_near(&got, ELEMENT_F32, 1, &expected, 1e9, detail));
    expected.real = (double)NAN;
    assert_true(is_near(&got, ELEMENT_F32, 1, &expected, 0, detail));
    got = (float)INFINITY;
    expected = (struct tune_expected){.real = 1.0, .magnitude = (double)INFINITY};
    assert_false(is_near(&got, ELEMENT_F32, 1, &expected, 1.0, detail));
}

/* A reference has no type to round to, so its result is rounded here, unless a tolerance covers the
 * rounding. */
TEST(halves_are_compared_as_the_numbers_they_hold)
{
    char detail[DETAIL_BYTES] = "";
    struct tune_expected expected = {.real = 1.0 / 3, .magnitude = 1};
    uint16_t got = f16_from_real(1.0 / 3);
    assert_true(is_near(&got, ELEMENT_F16, 1, &expected, 0, detail));
    assert_true(is_near(&got, ELEMENT_F16, 1, &expected, 0x1p-12, detail));
    assert_false(is_near(&got, ELEMENT_F16, 1, &expected, 0x1p-15, detail));
    assert_false(is_near(&got, ELEMENT_BF16, 1, &expected, 0, detail));
    got++;
    assert_false(is_near(&got, ELEMENT_F16, 1, &expected, 0, detail));
    got = bf16_from_real(1.0 / 3);
    assert_true(is_near(&got, ELEMENT_BF16, 1, &expected, 0, detail));
    expected.real = 2;
    assert_false(is_near(&got, ELEMENT_BF16, 1, &expected, 0, detail));
    assert_string_equal(detail,
                        "out[0] is 0.333984375, not 2 (allowed difference 0); 1 of 1 element "
                        "is wrong");
    got = 0x7e00;
    expected.real = (double)NAN;
    assert_true(is_near(&got, ELEMENT_F16, 1, &expected, 0, detail));
    got = 0x7c00;
    expected.real = (double)INFINITY;
    assert_true(is_near(&got, ELEMENT_F16, 1, &expected, 0, detail));
}

TEST(elements_of_every_type_are_held_against_elements)
{
    char detail[DETAIL_BYTES] = "";
    unsigned char got[MANY * 8], expected[MANY * 8];
    for (int i = 0; i < ELEMENT_TYPE_COUNT; i++) {
        enum element_type type = (enum element_type)i;
        const struct argument argument = {.type = type, .fill = FILL_RANDOM, .seed = 3};
        const struct tolerance none = {0};
        fill_vector(got, &argument, 0, MANY);
        memcpy(expected, got, sizeof got);
        assert_true(alike(got, expected, type, MANY, none, detail));
        got[777 * element_bytes(type)] ^= 1;
        assert_false(alike(got, expected, type, MANY, none, detail));
        assert_non_null(strstr(detail, "out[777] is "));
        assert_non_null(strstr(detail, "; 1 of 1000 elements is wrong"));
        assert_true(alike(got, expected, type, 777, none, detail));
    }
    assert_true(near_f32(0.0f, -0.0f, (struct tolerance){0}));
}

TEST(each_tolerance_allows_as_much_as_it_says)
{
    assert_true(near_f32(100.5f, 100.0f, (struct tolerance){.absolute = 0.5}));
    assert_false(near_f32(100.5f, 100.0f, (struct tolerance){.absolute = 0.499}));
    assert_true(near_f32(-100.5f, -100.0f, (struct tolerance){.relative = 0.005}));
    assert_false(near_f32(-100.5f, -100.0f, (struct tolerance){.relative = 0.0049}));
    assert_false(near_f32(0.5f, 0.0f, (struct tolerance){.relative = 1}));
    /* Within any of those that are given. */
    assert_true(near_f32(100.5f, 100.0f, (struct tolerance){.absolute = 0.1, .relative = 0.005}));
    assert_true(near_f32(100.5f, 100.0f, (struct tolerance){.absolute = 0.5, .ulps = 1}));
    assert_false(near_f32((float)NAN, 1.0f, (struct tolerance){.absolute = 1e30}));
    assert_false(near_f32(1.0f, (float)INFINITY, (struct tolerance){.relative = 1}));
    assert_true(near_f32((float)NAN, (float)NAN, (struct tolerance){.total = 1}));
}

TEST(units_in_the_last_place_are_steps_between_numbers)
{
    const struct tolerance two = {.ulps = 2};
    float one = 1.0f, next = nextafterf(1.0f, 2.0f), below = nextafterf(1.0f, 0.0f);
    assert_true(near_f32(nextafterf(next, 2.0f), one, two));
    assert_false(near_f32(nextafterf(nextafterf(next, 2.0f), 2.0f), one, two));
    assert_true(near_f32(next, below, two));
    assert_true(near_f32(nextafterf(0.0f, 1.0f), nextafterf(0.0f, -1.0f), two)); /* over 0 */
    assert_false(near_f32(-one, one, (struct tolerance){.ulps = 1000}));
    char detail[DETAIL_BYTES] = "";
    /* A reported value is rounded first: the nearest f32 to 1/3 is 0 steps away. */
    const double third = 1.0 / 3;
    const struct expected_output must = {.reals = &third};
    const struct tolerance step = {.ulps = 1};
    float got = nextafterf(1.0f / 3, 1.0f);
    assert_true(output_matches(&got, ELEMENT_F32, 1, &must, &step, "out", detail, DETAIL_BYTES));
    got = nextafterf(got, 1.0f);
    assert_false(output_matches(&got, ELEMENT_F32, 1, &must, &step, "out", detail, DETAIL_BYTES));
    assert_non_null(strstr(detail, "(allowed: 1 ulp)"));
    double far = nextafter(nextafter(nextafter(-2, 0), 0), 0), from = -2;
    assert_false(alike(&far, &from, ELEMENT_F64, 1, two, detail));
    from = nextafter(from, 0);
    assert_true(alike(&far, &from, ELEMENT_F64, 1, two, detail));
    uint16_t half = f16_from_real(2), other = (uint16_t)(half + 3);
    assert_false(alike(&other, &half, ELEMENT_F16, 1, two, detail));
    other--;
    assert_true(alike(&other, &half, ELEMENT_F16, 1, two, detail));
}

/* Elements near 0 of a vector that is not: rounding is judged by the vector's size. */
TEST(magnitudes_nobody_told_are_those_of_the_vector)
{
    char detail[DETAIL_BYTES] = "";
    const double expected[4] = {0, 6, -8, 0}; /* root mean square 5 */
    assert_true(fabs(expected_scale(expected, ELEMENT_F64, 4) - 5) < 1e-12);
    double got[4] = {0.005, 6, -8, 0};
    assert_true(
        alike(got, expected, ELEMENT_F64, 4, (struct tolerance){.magnitude = 1.01e-3}, detail));
    assert_false(
        alike(got, expected, ELEMENT_F64, 4, (struct tolerance){.magnitude = 0.99e-3}, detail));
    got[0] = 0;
    got[2] = -8.008;
    assert_true(
        alike(got, expected, ELEMENT_F64, 4, (struct tolerance){.magnitude = 1.01e-3}, detail));
    assert_false(
        alike(got, expected, ELEMENT_F64, 4, (struct tolerance){.magnitude = 0.99e-3}, detail));
    const float wild[3] = {3, (float)NAN, (float)INFINITY};
    assert_true(expected_scale(wild, ELEMENT_F32, 3) == 3);
    const double huge[3] = {3, -4e300, 3e300}; /* whose squares are infinite */
    assert_true(fabs(expected_scale(huge, ELEMENT_F64, 3) / (5e300 / sqrt(3)) - 1) < 1e-12);
}

TEST(integers_have_no_magnitude)
{
    char detail[DETAIL_BYTES] = "";
    const int64_t expected[2] = {INT64_MIN, 1000};
    int64_t got[2] = {INT64_MAX, 1000};
    assert_false(
        alike(got, expected, ELEMENT_I64, 2, (struct tolerance){.absolute = 1e18}, detail));
    got[0] = INT64_MIN + 2;
    assert_false(alike(got, expected, ELEMENT_I64, 2, (struct tolerance){.magnitude = 1}, detail));
    assert_true(alike(got, expected, ELEMENT_I64, 2, (struct tolerance){.absolute = 2}, detail));
    assert_true(alike(got, expected, ELEMENT_I64, 2, (struct tolerance){.ulps = 2}, detail));
    assert_false(alike(got, expected, ELEMENT_I64, 2, (struct tolerance){.ulps = 1}, detail));
    const uint8_t few = 3;
    const uint8_t most = 255;
    assert_false(alike(&most, &few, ELEMENT_U8, 1, (struct tolerance){.absolute = 251}, detail));
    assert_true(alike(&most, &few, ELEMENT_U8, 1, (struct tolerance){.absolute = 252}, detail));
    const int8_t minus = -2, plus = 2;
    assert_true(alike(&minus, &plus, ELEMENT_I8, 1, (struct tolerance){.relative = 2}, detail));
    assert_false(alike(&minus, &plus, ELEMENT_I8, 1, (struct tolerance){.relative = 1.9}, detail));
}

TEST(a_total_is_of_all_elements)
{
    char detail[DETAIL_BYTES] = "";
    float expected[MANY] = {0}, got[MANY];
    for (int i = 0; i < MANY; i++)
        got[i] = 0.25f;
    assert_true(alike(got, expected, ELEMENT_F32, MANY, (struct tolerance){.total = 250}, detail));
    assert_false(alike(got, expected, ELEMENT_F32, MANY, (struct tolerance){.total = 249}, detail));
    got[5] = 3;
    assert_false(alike(got, expected, ELEMENT_F32, MANY, (struct tolerance){.total = 250}, detail));
    assert_string_equal(detail, "the differences in 'out' add up to 252.75, more than 250; the "
                                "largest: out[5] is 3, not 0");
    got[7] = (float)NAN;
    assert_false(alike(got, expected, ELEMENT_F32, MANY, (struct tolerance){.total = 1e9}, detail));
}

TEST(what_is_wrong_is_counted_and_the_worst_is_named)
{
    char detail[DETAIL_BYTES] = "";
    float expected[MANY] = {0}, got[MANY] = {0};
    got[10] = 0.05f;
    got[20] = 0.5f;
    got[30] = -8;
    got[999] = 2;
    assert_false(
        alike(got, expected, ELEMENT_F32, MANY, (struct tolerance){.absolute = 0.1}, detail));
    assert_string_equal(detail,
                        "out[20] is 0.5, not 0 (allowed difference 0.1); 3 of 1000 elements "
                        "are wrong, the largest difference is 8 at out[30]");
    char few[12];
    const struct expected_output must = {.elements = expected};
    const struct tolerance none = {0};
    assert_false(output_matches(got, ELEMENT_F32, MANY, &must, &none, "out", few, sizeof few));
    assert_string_equal(few, "out[10] is ");
}

TEST_MAIN(NULL, NULL)
