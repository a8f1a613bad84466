#include <math.h>
static double layernorm_number(unsigned short half)
{
    const int exponent = half >> 10 & 31, digits = half & 1023;
    double value = exponent ? 1 + digits / 1024.0 : digits / 1024.0;
    for (int e = exponent ? exponent : 1; e > 15; e--)
        value *= 2;
    for (int e = exponent ? exponent : 1; e < 15; e++)
        value /= 2;
    return half >> 15 ? -value : value;
}
void layernorm_reference(void *const *arguments, struct tune_expected *expected)
{
    const unsigned short *x = arguments[0];
    const int rows = *(const int *)arguments[2], columns = *(const int *)arguments[3];
    for (int row = 0; row < rows; row++) {
        const unsigned short *in = x + (long long)row * columns;
        struct tune_expected *out = expected + (long long)row * columns;
        double mean = 0, variance = 0;
        for (int k = 0; k < columns; k++)
            mean += out[k].real = layernorm_number(in[k]);
        mean /= columns;
        for (int k = 0; k < columns; k++)
            variance += (out[k].real - mean) * (out[k].real - mean);
        variance = sqrt(variance / columns + 1e-5);
        for (int k = 0; k < columns; k++) {
            out[k].real = (out[k].real - mean) / variance;
            out[k].magnitude = 1;
        }
    }
}
