void bases_reference(void *const *arguments, struct tune_expected *expected)
{
    const unsigned char *text = arguments[0];
    const long long n = *(const long long *)arguments[2];
    unsigned count[4] = {0, 0, 0, 0};
    for (long long i = 0; i < n; i++)
        count[text[i] & 3]++;
    for (int c = 0; c < 4; c++)
        expected[c].integer = count[c];
}
