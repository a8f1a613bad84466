void batched_reference(void *const *arguments, struct tune_expected *expected)
{
    const float *a = arguments[0], *b = arguments[1];
    const int m = *(const int *)arguments[3], n = *(const int *)arguments[4];
    const int k = *(const int *)arguments[5], count = *(const int *)arguments[6];
    for (int matrix = 0; matrix < count; matrix++)
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++) {
                double sum = 0, magnitude = 0;
                for (int l = 0; l < k; l++) {
                    double part = (double)a[((long long)matrix * m + i) * k + l] *
                                  b[((long long)matrix * k + l) * n + j];
                    sum += part;
                    magnitude += part < 0 ? -part : part;
                }
                struct tune_expected *out = &expected[((long long)matrix * m + i) * n + j];
                out->real = sum;
                out->magnitude = magnitude;
            }
}
