void search_reference(void *const *arguments, struct tune_expected *expected)
{
    const unsigned char *text = arguments[0];
    const unsigned pattern = *(const unsigned *)arguments[2];
    const long long n = *(const long long *)arguments[3];
    unsigned count = 0, window = 0;
    for (long long i = 0; i < n; i++) {
        window = window >> 8 | (unsigned)text[i] << 24;
        count += i >= 3 && window == pattern;
    }
    expected[0].integer = count;
}
