#include <math.h>
/* Adds integers from -8 to 8: exact in any order. */
void add_rows(void *const *arguments, struct tune_expected *expected)
{
    const float *in = arguments[0];
    const int width = *(const int *)arguments[1];
    for (long long row = 0; row < 4096; row++)
        for (int i = 0; i < width; i++) {
            expected[row].real += in[row * width + i];
            expected[row].magnitude += fabs(in[row * width + i]);
        }
}
