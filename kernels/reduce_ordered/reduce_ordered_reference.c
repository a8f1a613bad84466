/* All n elements combined one after another, plainly. Each first becomes one that hides no other:
 * operator.cuh says how and why. Arguments: 0 in, 4 n. */
#include <stdint.h>

/* x -> a x + b mod 2^32 of a u64: a in the low half, b in the high one. */
void reduce_ordered_affine_u32(void *const *arguments, struct tune_expected *expected)
{
    const uint64_t *in = arguments[0];
    const long long n = *(const long long *)arguments[4];
    uint32_t a = 1, b = 0;
    for (long long i = 0; i < n; i++) {
        b += a * (uint32_t)(in[i] >> 32);
        a *= (uint32_t)in[i] | 1;
    }
    expected[0].integer = (long long)((uint64_t)b << 32 | a);
}

/* Four words a matrix, row by row. */
void reduce_ordered_matrix_u32(void *const *arguments, struct tune_expected *expected)
{
    const uint32_t *in = arguments[0];
    const long long n = *(const long long *)arguments[4];
    uint32_t p[4] = {1, 0, 0, 1};
    for (long long i = 0; i < n; i++, in += 4) {
        const uint32_t m[4] = {in[0] | 1, in[1] & ~1u, in[2], in[3] | 1};
        for (int row = 0; row < 4; row += 2) {
            const uint32_t left = p[row], right = p[row + 1];
            p[row] = left * m[0] + right * m[2];
            p[row + 1] = left * m[1] + right * m[3];
        }
    }
    for (int i = 0; i < 4; i++)
        expected[i].integer = p[i];
}

/* {s b; 0 t}: s and t are 1 or -1, b is a small integer, and so all are exact. */
void reduce_ordered_matrix_f32(void *const *arguments, struct tune_expected *expected)
{
    const float *in = arguments[0];
    const long long n = *(const long long *)arguments[4];
    double s = 1, b = 0, t = 1;
    for (long long i = 0; i < n; i++, in += 4) {
        const double right = in[3] < 0 ? -1 : 1;
        b = s * (double)in[1] + b * right;
        s *= in[0] < 0 ? -1 : 1;
        t *= right;
    }
    expected[0].real = s;
    expected[1].real = b;
    expected[3].real = t;
}
