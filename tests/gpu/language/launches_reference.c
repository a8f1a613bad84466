/* Sums the first argument; n is the last of three or four. */
void total(void *const *arguments, struct tune_expected *expected)
{
    const int *in = arguments[0];
    const long long n = *(const long long *)arguments[N];
    for (long long i = 0; i < n; i++)
        expected[0].integer += in[i];
}
