#include <math.h>
#include <stdbool.h>

#include "tests/unit/suite.h"
#include "tuner/base/half.h"

struct format {
    double (*to_real)(uint16_t bits);
    uint16_t (*from_real)(double real);
    int fraction_bits;
    int bias;
};
static const struct format formats[] = {{f16_to_real, f16_from_real, 10, 15},
                                        {bf16_to_real, bf16_from_real, 7, 127}};
enum { FORMATS = 2, PATTERNS = 65536, SIGN = 0x8000 };

static uint16_t infinity_of(const struct format *format)
{
    return (uint16_t)((2 * format->bias + 1) << format->fraction_bits);
}

/* Returns the number by its definition. */
static double defined(const struct format *format, unsigned pattern)
{
    const int fraction_end = 1 << format->fraction_bits;
    int fraction = (int)pattern & (fraction_end - 1);
    int exponent = (int)(pattern & 0x7fff) >> format->fraction_bits;
    double magnitude = exponent == 0 ? ldexp(fraction, 1 - format->bias - format->fraction_bits)
                                     : ldexp(fraction_end + fraction,
                                             exponent - format->bias - format->fraction_bits);
    return pattern & SIGN ? -magnitude : magnitude;
}

TEST(every_pattern_is_its_number_and_comes_back)
{
    for (int f = 0; f < FORMATS; f++) {
        const struct format *format = &formats[f];
        const unsigned infinity = infinity_of(format);
        for (unsigned pattern = 0; pattern < PATTERNS; pattern++) {
            double real = format->to_real((uint16_t)pattern);
            bool negative = (pattern & SIGN) != 0;
            assert_true((signbit(real) != 0) == negative);
            if ((pattern & 0x7fff) > infinity) { /* NaN: a quiet one of the same payload */
                assert_true(isnan(real));
                assert_int_equal(format->from_real(real),
                                 pattern | 1u << (format->fraction_bits - 1));
                continue;
            }
            if ((pattern & 0x7fff) == infinity)
                assert_true(isinf(real));
            else
                assert_true(real == defined(format, pattern));
            assert_int_equal(format->from_real(real), pattern);
        }
    }
}

/* Between each two neighbours: the middle goes to the even one, all else to the nearer. */
TEST(what_lies_between_goes_to_the_nearest)
{
    for (int f = 0; f < FORMATS; f++) {
        const struct format *format = &formats[f];
        for (unsigned low = 0; low + 1 < infinity_of(format); low++) {
            const unsigned high = low + 1;
            const unsigned even = low & 1 ? high : low;
            double middle = (defined(format, low) + defined(format, high)) / 2;
            assert_int_equal(format->from_real(middle), even);
            assert_int_equal(format->from_real(-middle), even | SIGN);
            assert_int_equal(format->from_real(nextafter(middle, 0)), low);
            assert_int_equal(format->from_real(nextafter(middle, INFINITY)), high);
            assert_int_equal(format->from_real(nextafter(defined(format, high), 0)), high);
            assert_int_equal(format->from_real(-nextafter(defined(format, low), INFINITY)),
                             low | SIGN);
        }
    }
}

TEST(what_is_too_large_is_infinite_and_what_is_too_small_zero)
{
    for (int f = 0; f < FORMATS; f++) {
        const struct format *format = &formats[f];
        const unsigned infinity = infinity_of(format);
        /* As if the exponent had no end: half way from the largest to the next. */
        double last = defined(format, infinity - 1);
        double next = ldexp(1, format->bias + 1);
        double middle = last + (next - last) / 2;
        assert_int_equal(format->from_real(nextafter(middle, 0)), infinity - 1);
        assert_int_equal(format->from_real(middle), infinity);
        assert_int_equal(format->from_real(-middle), infinity | SIGN);
        assert_int_equal(format->from_real(1.7976931348623157e308), infinity);
        assert_int_equal(format->from_real(-(double)INFINITY), infinity | SIGN);
        assert_int_equal(format->from_real(4.9406564584124654e-324), 0);
        assert_int_equal(format->from_real(-2.2250738585072014e-308), SIGN);
    }
}

TEST_MAIN(NULL, NULL)
