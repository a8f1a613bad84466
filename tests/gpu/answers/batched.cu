// C = A B for `count` small matrices, row by row; a block computes PER of them in shared memory,
// where k is rounded up to UNROLL.
enum { zeroed, skipped };

extern __shared__ float pool[];

extern "C" __global__ void __launch_bounds__(THREADS)
    batched(const float *a, const float *b, float *c, int m, int n, int k, int count)
{
    const int deep = (k + UNROLL - 1) / UNROLL * UNROLL;
    float *as = pool, *bs = pool + PER * m * deep;
    const int first = blockIdx.x * PER;
    const int here = count - first < PER ? count - first : PER;
    for (int i = threadIdx.x; i < here * m * deep; i += THREADS) {
        const int l = i % deep, row = i / deep;
        if (l < k)
            as[i] = a[((long long)first * m + row) * k + l];
        else if (PADDING == zeroed)
            as[i] = 0;
    }
    for (int i = threadIdx.x; i < here * deep * n; i += THREADS) {
        const int column = i % n, l = i / n % deep, matrix = i / n / deep;
        if (l < k)
            bs[i] = b[(((long long)first + matrix) * k + l) * n + column];
        else if (PADDING == zeroed)
            bs[i] = 0;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < here * m * n; i += THREADS) {
        const int column = i % n, row = i / n, matrix = row / m;
        float sum = 0;
        for (int l = 0; l < deep; l += UNROLL)
#pragma unroll
            for (int u = 0; u < UNROLL; u++)
                sum += as[row * deep + l + u] * bs[(matrix * deep + l + u) * n + column];
        c[(long long)first * m * n + i] = sum;
    }
}
