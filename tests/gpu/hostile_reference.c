void hostile_reference(void *const *arguments, struct tune_expected *expected)
{
    const int *in = arguments[0];
    const long long n = *(const long long *)arguments[2];
    for (long long i = 0; i < n; i++)
        expected[i].integer = in[i];
}
