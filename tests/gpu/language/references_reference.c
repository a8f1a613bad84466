void weigh(void *const *arguments, struct tune_expected *expected)
{
    const int width = *(const int *)arguments[1], height = *(const int *)arguments[2];
    const float *weights = arguments[3], *ramp = arguments[5];
    const unsigned char *texels = arguments[4];
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            const long long at = (long long)y * width + x;
            const double texel = (texels[4 * at] + texels[4 * at + 3]) / 255.0;
            expected[at].real =
                weights[x] * texel + (ramp[x] + ramp[x + 1 < width ? x + 1 : x]) / 2;
        }
}
