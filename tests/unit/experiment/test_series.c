/* Series: elements of each type, and expressions without a value or with one that does not fit. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/golden.h"
#include "tests/unit/suite.h"
#include "tuner/base/half.h"
#include "tuner/experiment/series.h"

static struct series *read_or_fail(const char *text)
{
    struct series *series = NULL;
    struct error error;
    if (series_read(text, &series, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    return series;
}

static void fill_or_fail(const char *text, enum element_type type, uint64_t first, uint64_t count,
                         void *out)
{
    struct series *series = read_or_fail(text);
    struct error error;
    if (series_fill(series, type, first, count, out, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    series_free(series);
}

TEST(elements_are_those_of_the_expression)
{
    float singles[20];
    double doubles[20];
    int32_t integers[20];
    fill_or_fail("1+(i//4)*(0.1 + 0.05*(i%4)) if i%4 < 3 else ((i//4)%10)*0.1", ELEMENT_F32, 0, 20,
                 singles);
    fill_or_fail("2 * i + 3", ELEMENT_I32, 100, 20, integers);
    fill_or_fail("2 * i + 3", ELEMENT_F64, 100, 20, doubles);
    for (int i = 0; i < 20; i++) {
        const double real = i % 4 < 3 ? 1 + (i / 4) * (0.1 + 0.05 * (i % 4)) : ((i / 4) % 10) * 0.1;
        assert_true(singles[i] == (float)real);
        assert_int_equal(integers[i], 2 * (100 + i) + 3);
        assert_true(doubles[i] == 2 * (100 + i) + 3);
    }
    fill_or_fail("sin(i) * exp(-i / 10) + log(i + 1) - cos(2 * i)", ELEMENT_F64, 0, 20, doubles);
    for (int i = 0; i < 20; i++)
        assert_true(doubles[i] == sin(i) * exp(-i / 10.0) + log(i + 1) - cos(2 * i));
    fill_or_fail("-7 // 2 + i % -3", ELEMENT_F64, 0, 4, doubles); /* Python's, not C's */
    assert_true(doubles[0] == -4 && doubles[1] == -6 && doubles[2] == -5 && doubles[3] == -4);
    fill_or_fail("max(0, i - 1.5)", ELEMENT_F64, 0, 4, doubles);
    assert_true(doubles[0] == 0 && doubles[1] == 0 && doubles[2] == 0.5 && doubles[3] == 1.5);
}

/* Parts give the same elements as one call, from any beginning. */
TEST(parts_make_the_whole)
{
    int16_t whole[1000];
    int16_t part[7];
    fill_or_fail("i * 37 % 1009 - 500", ELEMENT_I16, 0, 1000, whole);
    for (uint64_t first = 0; first + 7 <= 1000; first += 91) {
        fill_or_fail("i * 37 % 1009 - 500", ELEMENT_I16, first, 7, part);
        assert_memory_equal(part, whole + first, sizeof part);
    }
    int64_t last = 0;
    fill_or_fail("i", ELEMENT_I64, INT64_MAX, 1, &last);
    assert_true(last == INT64_MAX);
}

TEST(each_type_holds_its_own)
{
    int8_t i8[3];
    uint8_t u8[3];
    uint16_t half[3];
    uint32_t u32[1];
    uint64_t u64[1];
    fill_or_fail("127 - 255 * i // 2", ELEMENT_I8, 0, 3, i8);
    assert_int_equal(i8[0], 127);
    assert_int_equal(i8[1], 0);
    assert_int_equal(i8[2], -128);
    fill_or_fail("i * 127.5", ELEMENT_U8, 0, 1, u8);
    fill_or_fail("i * 127.5", ELEMENT_U8, 2, 1, u8 + 2); /* a real that is whole */
    assert_int_equal(u8[2], 255);
    fill_or_fail("i * 0.1", ELEMENT_F16, 0, 3, half);
    assert_int_equal(half[2], f16_from_real(0.2));
    fill_or_fail("i * 0.1", ELEMENT_BF16, 0, 3, half);
    assert_int_equal(half[2], bf16_from_real(0.2));
    fill_or_fail("4294967295", ELEMENT_U32, 0, 1, u32);
    assert_true(u32[0] == UINT32_MAX);
    fill_or_fail("i < 3", ELEMENT_U64, 0, 1, u64);
    assert_true(u64[0] == 1);
}

TEST(what_does_not_fit_is_refused_with_its_index)
{
    static const struct {
        const char *text;
        enum element_type type;
        uint64_t first;
        const char *error;
    } rows[] = {
        {"i", ELEMENT_I8, 100, "'i' ... holds"},
        {"5 - i", ELEMENT_U32, 0, "'5 - i' ... holds"},
        {"5 - i", ELEMENT_U64, 0, "'5 - i' ... holds"},
        {"i / 2", ELEMENT_I32, 4, "'i / 2' ... holds"},
        {"65519.9 + i", ELEMENT_F16, 0, "'65519.9 + i' ... holds"},
        {"1e38 * i", ELEMENT_F32, 0, "'1e38 * i' ... holds"},
        {"'a'", ELEMENT_F32, 0, "'a' ... holds"},
        {"10 // (3 - i)", ELEMENT_I32, 0, "the series '10 // (3 - i)' at i = 3: division by"},
        {"i * 9223372036854775807", ELEMENT_F64, 0,
         "the series 'i * 9223372036854775807' at i = 2: result does"},
        {"sqrt(2 - i)", ELEMENT_F64, 0, "the series 'sqrt(2 - i)' at i = 3: sqrt needs"},
        {"i", ELEMENT_I64, INT64_MAX, "'i' ... beyond"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double out[64];
        struct series *series = read_or_fail(rows[i].text);
        struct error error = {0};
        assert_int_equal(series_fill(series, rows[i].type, rows[i].first, 64, out, &error),
                         STATUS_BAD_INPUT);
        expect_message(error.text, rows[i].error);
        series_free(series);
    }
}

TEST(what_is_no_series_is_refused)
{
    static const struct {
        const char *text, *error;
    } rows[] = {
        {"j + 1", "series:1:1: 'j' ... did you mean 'i'"},
        {"[i]", "series:1:1: a list has no value here"},
        {"2 *", "series:1:4: ends where"},
        {"", "series:1:1: ends where"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct series *series = NULL;
        struct error error = {0};
        assert_int_equal(series_read(rows[i].text, &series, &error), STATUS_BAD_INPUT);
        expect_message(error.text, rows[i].error);
        assert_null(series);
    }
}

TEST_MAIN(NULL, NULL)
