#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tuner/base/half.h"
#include "tuner/base/random.h"
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

/* What databases were filled with before: a change here would make their trials lies. */
static void fills_stay_as_they_were(void **state)
{
    (void)state;
    for (int type = 0; type < ELEMENT_F16; type++) {
        uint64_t item = 0;
        for (uint64_t i = 0; i < COUNT; i++) {
            uint64_t whole = random_at(7, i);
            uint64_t vector[COUNT];
            size_t bytes = element_bytes((enum element_type)type);
            if (i == 0)
                assert_true(whole == UINT64_C(0x63cbe1e459320dd7));
            fill_vector(vector, (enum element_type)type, FILL_RANDOM, 7, 0, i + 1);
            item = 0;
            memcpy(&item, (const unsigned char *)vector + i * bytes, bytes);
            assert_true(item == (bytes == 8 ? whole : whole & ((UINT64_C(1) << 8 * bytes) - 1)));
            i += i / 3;
        }
    }
    float f32 = 0;
    double f64 = 0;
    fill_vector(&f32, ELEMENT_F32, FILL_RANDOM, 7, 0, 1);
    fill_vector(&f64, ELEMENT_F64, FILL_RANDOM_EXACT, 7, 0, 1);
    assert_true((double)f32 == (double)0x63cbe1 * 0x1p-23 - 1.0);
    assert_true(f64 == (double)(0x63cbe1e4 % 17) - 8.0);
}

static double half_of(enum element_type type, uint16_t bits)
{
    return type == ELEMENT_F16 ? f16_to_real(bits) : bf16_to_real(bits);
}

static void halves_are_filled_with_values_of_theirs(void **state)
{
    (void)state;
    enum { MANY = 100000 };
    static uint16_t bits[MANY];
    static float reals[MANY];
    for (int type = ELEMENT_F16; type <= ELEMENT_BF16; type++) {
        enum element_type half = (enum element_type)type;
        double least = 2, most = -2, sum = 0;
        fill_vector(bits, half, FILL_RANDOM, 5, 0, MANY);
        for (int i = 0; i < MANY; i++) {
            double real = half_of(half, bits[i]);
            least = fmin(least, real);
            most = fmax(most, real);
            sum += real;
        }
        assert_true(least == -1 && most < 1 && most > 0.99 && fabs(sum / MANY) < 0.01);
        for (int fill = FILL_RANDOM_EXACT; fill <= FILL_RANDOM_ODD; fill++) {
            fill_vector(bits, half, (enum argument_fill)fill, 5, 0, MANY);
            fill_vector(reals, ELEMENT_F32, (enum argument_fill)fill, 5, 0, MANY);
            for (int i = 0; i < MANY; i++)
                assert_true(half_of(half, bits[i]) == (double)reals[i]);
        }
    }
}

static void odd_fills_lose_nothing_in_a_product(void **state)
{
    (void)state;
    unsigned char whole[COUNT * 8];
    unsigned char odd[COUNT * 8];
    for (int type = 0; type < ELEMENT_F16; type++) {
        size_t bytes = element_bytes((enum element_type)type);
        fill_vector(whole, (enum element_type)type, FILL_RANDOM, 42, 0, COUNT);
        fill_vector(odd, (enum element_type)type, FILL_RANDOM_ODD, 42, 0, COUNT);
        for (size_t i = 0; i < COUNT; i++)
            whole[i * bytes] |= 1;
        assert_memory_equal(whole, odd, COUNT * bytes);
    }
    double reals[COUNT];
    int negative = 0;
    fill_vector(reals, ELEMENT_F64, FILL_RANDOM_ODD, 42, 0, COUNT);
    for (int i = 0; i < COUNT; i++) {
        assert_true(reals[i] == 1 || reals[i] == -1);
        negative += reals[i] < 0 ? 1 : 0;
    }
    assert_in_range(negative, COUNT / 3, COUNT * 2 / 3);
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
    uint16_t half = 0;
    assert_true(scalar_bytes(value_real(-1.5), ELEMENT_F16, bytes));
    memcpy(&half, bytes, 2);
    assert_int_equal(half, 0xbe00);
    assert_true(scalar_bytes(value_integer(3), ELEMENT_BF16, bytes));
    memcpy(&half, bytes, 2);
    assert_int_equal(half, 0x4040);
    assert_false(scalar_bytes(value_text("3"), ELEMENT_BF16, bytes));
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

/* A reference has no type to round to, so its result is rounded here; not where a tolerance covers
 * the rounding. */
static void halves_are_compared_as_the_numbers_they_hold(void **state)
{
    (void)state;
    char detail[128] = "";
    struct tune_expected expected = {.real = 1.0 / 3, .magnitude = 1};
    uint16_t got = f16_from_real(1.0 / 3);
    assert_true(output_matches(&got, ELEMENT_F16, 1, &expected, 0, "out", detail, 128));
    assert_true(output_matches(&got, ELEMENT_F16, 1, &expected, 0x1p-12, "out", detail, 128));
    assert_false(output_matches(&got, ELEMENT_F16, 1, &expected, 0x1p-15, "out", detail, 128));
    assert_false(output_matches(&got, ELEMENT_BF16, 1, &expected, 0, "out", detail, 128));
    got++;
    assert_false(output_matches(&got, ELEMENT_F16, 1, &expected, 0, "out", detail, 128));
    got = bf16_from_real(1.0 / 3);
    assert_true(output_matches(&got, ELEMENT_BF16, 1, &expected, 0, "out", detail, 128));
    expected.real = 2;
    assert_false(output_matches(&got, ELEMENT_BF16, 1, &expected, 0, "out", detail, 128));
    assert_string_equal(detail, "out[0] is 0.333984375, not 2 (allowed difference 0)");
    got = 0x7e00;
    expected.real = (double)NAN;
    assert_true(output_matches(&got, ELEMENT_F16, 1, &expected, 0, "out", detail, 128));
    got = 0x7c00;
    expected.real = (double)INFINITY;
    assert_true(output_matches(&got, ELEMENT_F16, 1, &expected, 0, "out", detail, 128));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shorter_vector_is_the_beginning_of_a_longer_one),
        cmocka_unit_test(random_reals_have_both_signs_and_their_range),
        cmocka_unit_test(exact_reals_are_small_integers_that_sum_exactly),
        cmocka_unit_test(fills_stay_as_they_were),
        cmocka_unit_test(halves_are_filled_with_values_of_theirs),
        cmocka_unit_test(odd_fills_lose_nothing_in_a_product),
        cmocka_unit_test(scalars_are_converted_or_refused),
        cmocka_unit_test(integers_are_compared_in_the_bits_of_their_type),
        cmocka_unit_test(reals_are_compared_within_the_tolerance),
        cmocka_unit_test(halves_are_compared_as_the_numbers_they_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
