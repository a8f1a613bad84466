void stencil_reference(void *const *arguments, struct tune_expected *expected)
{
    static const double weight[7] = {-0.03f, -0.07f, 0.2f, 0.5f, 0.2f, -0.07f, 0.03f};
    const float *x = arguments[0];
    const int n = *(const int *)arguments[2];
    for (int i = 0; i < n; i++) {
        double sum = 0, magnitude = 0;
        for (int d = -3; d <= 3; d++)
            if (i + d >= 0 && i + d < n) {
                double part = weight[d + 3] * x[i + d];
                sum += part;
                magnitude += part < 0 ? -part : part;
            }
        expected[i].real = sum;
        expected[i].magnitude = magnitude;
    }
}
