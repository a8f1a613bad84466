#include <math.h>

void stencil_reference(void *const *arguments, struct tune_expected *expected)
{
    const float *in = arguments[0];
    const long long n = *(const int *)arguments[2];
    for (long long y = 0; y < n; y++)
        for (long long x = 0; x < n; x++) {
            const long long at = y * n + x;
            const double middle = in[at];
            const double left = x > 0 ? in[at - 1] : middle,
                         right = x + 1 < n ? in[at + 1] : middle;
            const double above = y > 0 ? in[at - n] : middle,
                         below = y + 1 < n ? in[at + n] : middle;
            const double factor = 0.2f;
            expected[at].real = middle + factor * (left + right + above + below - 4 * middle);
            expected[at].magnitude = 5;
        }
}

void triad_reference(void *const *arguments, struct tune_expected *expected)
{
    const float *a = arguments[0];
    const float *b = arguments[1];
    const long long n = *(const long long *)arguments[3];
    for (long long i = 0; i < n; i++) {
        expected[i].real = (double)a[i] + 3.0 * (double)b[i];
        expected[i].magnitude = fabs((double)a[i]) + 3.0 * fabs((double)b[i]);
    }
}
