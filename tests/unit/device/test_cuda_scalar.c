/* Scalars are passed to a kernel in the declared type of the argument. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#ifdef TUNE_WITH_CUDA
#include "tuner/device/cuda/internal.h"

static uint64_t stored(struct value value, enum element_type type)
{
    uint64_t bits = ~UINT64_C(0);
    assert_true(cuda_scalar(value, type, &bits));
    return bits;
}

static void test_integers_wrap_to_their_type(void **state)
{
    (void)state;
    assert_int_equal(stored(value_integer(-1), ELEMENT_I8), 0xff);
    assert_int_equal(stored(value_integer(300), ELEMENT_U8), 44);
    assert_int_equal(stored(value_integer(-2), ELEMENT_I32), 0xfffffffeu);
    assert_int_equal(stored(value_integer(INT64_C(1) << 40), ELEMENT_I64), INT64_C(1) << 40);
    assert_int_equal(stored(value_boolean(true), ELEMENT_U16), 1);
}

static void test_reals_are_cut_and_held_in_range(void **state)
{
    (void)state;
    assert_int_equal(stored(value_real(2.9), ELEMENT_I32), 2);
    assert_int_equal(stored(value_real(-2.9), ELEMENT_I64), (uint64_t)-2);
    assert_int_equal(stored(value_real(1e30), ELEMENT_I32), INT32_MAX);
    assert_int_equal(stored(value_real(-1e30), ELEMENT_I8), 0x80);
    assert_int_equal(stored(value_real(-5), ELEMENT_U32), 0);
    assert_int_equal(stored(value_real(1e30), ELEMENT_I64), INT64_MAX);
}

static void test_reals_keep_their_bits(void **state)
{
    uint64_t bits = stored(value_real(0.1), ELEMENT_F64);
    float narrow = 0;
    double wide = 0;
    (void)state;
    memcpy(&wide, &bits, sizeof wide);
    assert_true(wide >= 0.1 && wide <= 0.1);
    bits = stored(value_integer(3), ELEMENT_F32);
    memcpy(&narrow, &bits, sizeof narrow);
    assert_true(narrow >= 3 && narrow <= 3);
    assert_int_equal(bits >> 32, 0);
}

static void test_halves_are_their_bits(void **state)
{
    (void)state;
    assert_int_equal(stored(value_real(1.5), ELEMENT_F16), 0x3e00);
    assert_int_equal(stored(value_integer(-2), ELEMENT_F16), 0xc000);
    assert_int_equal(stored(value_real(1e30), ELEMENT_F16), 0x7c00);
    assert_int_equal(stored(value_real(1.5), ELEMENT_BF16), 0x3fc0);
    assert_int_equal(stored(value_integer(-2), ELEMENT_BF16), 0xc000);
}

static void test_refuses_a_text(void **state)
{
    uint64_t bits = 0;
    (void)state;
    assert_false(cuda_scalar(value_text("many"), ELEMENT_I32, &bits));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integers_wrap_to_their_type),
        cmocka_unit_test(test_reals_are_cut_and_held_in_range),
        cmocka_unit_test(test_reals_keep_their_bits),
        cmocka_unit_test(test_halves_are_their_bits),
        cmocka_unit_test(test_refuses_a_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void)
{
    (void)puts("skipped: built without CUDA");
    return 0;
}
#endif
