#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tuner/trial/data.h"

enum { COUNT = 1000 };

static void a_shorter_vector_is_the_beginning_of_a_longer_one(void **state)
{
    (void)state;
    for (int type = 0; type < ELEMENT_TYPE_COUNT; type++) {
        unsigned char whole[COUNT * 8];
        unsigned char parts[COUNT * 8];
        size_t bytes = element_bytes((enum element_type)type);
        fill_vector(whole, (enum element_type)type, FILL_RANDOM, 42, 0, COUNT);
        fill_vector(parts, (enum element_type)type, FILL_RANDOM, 42, 0, 333);
        fill_vector(parts, (enum element_type)type, FILL_RANDOM, 42, 333, COUNT - 333);
        assert_memory_equal(whole, parts, COUNT * bytes);
        fill_vector(parts, (enum element_type)type, FILL_RANDOM, 43, 0, COUNT);
        assert_memory_not_equal(whole, parts, COUNT * bytes);
    }
}

static void random_reals_have_both_signs_and_their_range(void **state)
{
    (void)state;
    float values[COUNT];
    fill_vector(values, ELEMENT_F32, FILL_RANDOM, 1, 0, COUNT);
    int negative = 0;
    for (int i = 0; i < COUNT; i++) {
        assert_true(values[i] >= -1.0f && values[i] < 1.0f);
        negative += values[i] < 0 ? 1 : 0;
    }
    assert_in_range(negative, COUNT / 3, COUNT * 2 / 3);
}

static void exact_reals_are_small_integers_that_sum_exactly(void **state)
{
    (void)state;
    float values[COUNT];
    double exact = 0;
    float forward = 0;
    float backward = 0;
    fill_vector(values, ELEMENT_F32, FILL_RANDOM_EXACT, 1, 0, COUNT);
    for (int i = 0; i < COUNT; i++) {
        assert_true(values[i] == floorf(values[i]) && fabsf(values[i]) <= 8.0f);
        exact += (double)values[i];
        forward += values[i];
        backward += values[COUNT - 1 - i];
    }
    assert_true((double)forward == exact && (double)backward == exact);
}

static void scalars_are_converted_or_refused(void **state)
{
    (void)state;
    unsigned char bytes[8];
    int32_t i32 = 0;
    assert_true(scalar_bytes(value_integer(-5), ELEMENT_I32, bytes));
    memcpy(&i32, bytes, 4);
    assert_int_equal(i32, -5);
    assert_false(scalar_bytes(value_integer(INT64_C(1) << 31), ELEMENT_I32, bytes));
    assert_true(scalar_bytes(value_integer(UINT32_MAX), ELEMENT_U32, bytes));
    assert_false(scalar_bytes(value_integer(-1), ELEMENT_U32, bytes));
    assert_false(scalar_bytes(value_integer(-1), ELEMENT_U64, bytes));
    assert_false(scalar_bytes(value_integer(128), ELEMENT_I8, bytes));
    assert_true(scalar_bytes(value_real(3.0), ELEMENT_I64, bytes));
    assert_false(scalar_bytes(value_real(3.5), ELEMENT_I64, bytes));
    assert_false(scalar_bytes(value_text("3"), ELEMENT_I64, bytes));
    float f32 = 0;
    assert_true(scalar_bytes(value_integer(7), ELEMENT_F32, bytes));
    memcpy(&f32, bytes, 4);
    assert_true(f32 == 7.0f);
}

static void integers_are_compared_in_the_bits_of_their_type(void **state)
{
    (void)state;
    char detail[128] = "";
    int32_t got[2] = {-1, 8};
    struct tune_expected expected[2] = {{.integer = 0xffffffffLL}, {.integer = 8}};
    assert_true(output_matches(got, ELEMENT_I32, 2, expected, 0, "out", detail, sizeof detail));
    expected[1].integer = 7;
    assert_false(output_matches(got, ELEMENT_I32, 2, expected, 0, "out", detail, sizeof detail));
    assert_string_equal(detail, "out[1] is 8, not 7");
}

static void reals_are_compared_within_the_tolerance(void **state)
{
    (void)state;
    char detail[128] = "";
    float got = 10.5f;
    struct tune_expected expected = {.real = 10.0, .magnitude = 100.0};
    assert_true(output_matches(&got, ELEMENT_F32, 1, &expected, 0.005, "out", detail, 128));
    assert_false(output_matches(&got, ELEMENT_F32, 1, &expected, 0.004, "out", detail, 128));
    assert_false(output_matches(&got, ELEMENT_F32, 1, &expected, 0, "out", detail, 128));
    got = (float)NAN;
    assert_false(output_matches(&got, ELEMENT_F32, 1, &expected, 1e9, "out", detail, 128));
    expected.real = (double)NAN;
    assert_true(output_matches(&got, ELEMENT_F32, 1, &expected, 0, "out", detail, 128));
    got = (float)INFINITY;
    expected = (struct tune_expected){.real = 1.0, .magnitude = (double)INFINITY};
    assert_false(output_matches(&got, ELEMENT_F32, 1, &expected, 1.0, "out", detail, 128));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shorter_vector_is_the_beginning_of_a_longer_one),
        cmocka_unit_test(random_reals_have_both_signs_and_their_range),
        cmocka_unit_test(exact_reals_are_small_integers_that_sum_exactly),
        cmocka_unit_test(scalars_are_converted_or_refused),
        cmocka_unit_test(integers_are_compared_in_the_bits_of_their_type),
        cmocka_unit_test(reals_are_compared_within_the_tolerance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
