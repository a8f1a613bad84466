#include <math.h>
void softmax_reference(void *const *arguments, struct tune_expected *expected)
{
    const float *x = arguments[0];
    const int rows = *(const int *)arguments[2], columns = *(const int *)arguments[3];
    for (int row = 0; row < rows; row++) {
        const float *in = x + (long long)row * columns;
        struct tune_expected *out = expected + (long long)row * columns;
        double most = in[0], sum = 0;
        for (int k = 1; k < columns; k++)
            most = in[k] > most ? in[k] : most;
        for (int k = 0; k < columns; k++)
            sum += out[k].real = exp(in[k] - most);
        for (int k = 0; k < columns; k++)
            out[k].magnitude = out[k].real /= sum;
    }
}
