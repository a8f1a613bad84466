/* Neighbours change places. */
void scale(void *const *arguments, struct tune_expected *expected)
{
    const float *x = arguments[0], *taps = arguments[4];
    const double a = *(const double *)arguments[2];
    const int n = *(const int *)arguments[3];
    for (int i = 0; i < n; i++) {
        const double real = ((i ^ 1) < n ? (float)(a * x[i ^ 1]) : 0) + taps[0];
        expected[i] = (struct tune_expected){.real = real, .magnitude = 1};
    }
}
