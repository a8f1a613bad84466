void csr_reference(void *const *arguments, struct tune_expected *expected)
{
    const int *start = arguments[0], *column = arguments[1];
    const float *value = arguments[2], *x = arguments[3];
    const int n = *(const int *)arguments[5];
    for (int row = 0; row < n; row++) {
        double sum = 0, magnitude = 0;
        for (int k = start[row]; k < start[row + 1]; k++) {
            double part = (double)value[k] * x[column[k]];
            sum += part;
            magnitude += part < 0 ? -part : part;
        }
        expected[row].real = sum;
        expected[row].magnitude = magnitude;
    }
}
