void gray_reference(void *const *arguments, struct tune_expected *expected)
{
    const unsigned *x = arguments[0];
    const long long n = *(const long long *)arguments[3];
    unsigned sum = 0;
    for (long long i = 0; i < n; i++)
        expected[i].integer = sum ^= x[i];
}
