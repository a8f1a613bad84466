void qsort(void *, unsigned long, unsigned long, int (*)(const void *, const void *));
static int bitonic_order(const void *a, const void *b)
{
    const double left = ((const struct tune_expected *)a)->real,
                 right = ((const struct tune_expected *)b)->real;
    return (left > right) - (left < right);
}
void bitonic_reference(void *const *arguments, struct tune_expected *expected)
{
    const float *x = arguments[0];
    const long long n = *(const long long *)arguments[2];
    for (long long i = 0; i < n; i++)
        expected[i].real = expected[i].magnitude = x[i];
    for (long long i = 0; i < n; i += 1024)
        qsort(expected + i, (unsigned long)(n - i < 1024 ? n - i : 1024), sizeof *expected,
              bitonic_order);
    for (long long i = 0; i < n; i++)
        expected[i].magnitude = 1;
}
