void halve(void *const *arguments, struct tune_expected *expected)
{
    const float *image = arguments[0];
    const int width = *(const int *)arguments[2], height = *(const int *)arguments[3];
    for (int y = 0; y < height / 2; y++)
        for (int x = 0; x < width / 2; x++) {
            const float *at = image + (long long)2 * y * width + 2 * x;
            expected[(long long)y * (width / 2) + x].real =
                (at[0] + at[1] + at[width] + at[width + 1]) / 4;
        }
}
