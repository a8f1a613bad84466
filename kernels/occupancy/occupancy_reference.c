/* Sum of n words modulo 2^32, plainly. Arguments: 0 in, 3 n. */
void occupancy_reference(void *const *arguments, struct tune_expected *expected)
{
    const unsigned *in = arguments[0];
    const long long n = *(const long long *)arguments[3];
    unsigned sum = 0;
    for (long long i = 0; i < n; i++)
        sum += in[i];
    expected->integer = sum;
}
