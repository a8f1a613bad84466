/* Each row of LENGTH elements reduced to one, plainly: their sum, or, with AFFINE, the composition
 * of the maps x -> a x + b mod 2^32 in their order (a: high half, made odd; b: low half). Integers
 * wrap; reals are added in float64, and what a tolerance is relative to is the sum of |x|.
 * Arguments: 0 in, 2 rows. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#if AFFINE
static void reduce_row(const ELEMENT *row, struct tune_expected *expected)
{
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < LENGTH; i++) {
        b += a * (uint32_t)row[i];
        a *= (uint32_t)((uint64_t)row[i] >> 32) | 1;
    }
    expected->integer = (long long)((uint64_t)a << 32 | b);
}
#else
static void reduce_row(const ELEMENT *row, struct tune_expected *expected)
{
    const int is_real = (ELEMENT)0.5 != 0;
    uint64_t sum = 0;
    for (size_t i = 0; i < LENGTH; i++) {
        if (is_real) {
            expected->real += (double)row[i];
            expected->magnitude += fabs((double)row[i]);
        } else {
            sum += (uint64_t)row[i];
        }
    }
    expected->integer = (long long)sum;
}
#endif

void reduce_rows_reference(void *const *arguments, struct tune_expected *expected)
{
    const ELEMENT *in = arguments[0];
    const size_t rows = (size_t) * (const long long *)arguments[2];

    for (size_t row = 0; row < rows; row++) {
        expected[row] = (struct tune_expected){0};
        reduce_row(in + row * LENGTH, &expected[row]);
    }
}
