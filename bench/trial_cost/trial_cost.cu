// Kernels with large outputs, for bench/trial_cost.py.

extern "C" __global__ void __launch_bounds__(BLOCK_X *BLOCK_Y)
stencil(const float *__restrict__ in, float *__restrict__ out, int n)
{
    int x = blockIdx.x * BLOCK_X + threadIdx.x;
    int first = (blockIdx.y * BLOCK_Y + threadIdx.y) * ROWS;
#pragma unroll
    for (int row = 0; row < ROWS; row++) {
        int y = first + row;
        if (x >= n || y >= n)
            return;
        long long at = (long long)y * n + x;
        float middle = in[at];
        float left = x > 0 ? in[at - 1] : middle, right = x + 1 < n ? in[at + 1] : middle;
        float above = y > 0 ? in[at - n] : middle, below = y + 1 < n ? in[at + n] : middle;
        out[at] = middle + 0.2f * (left + right + above + below - 4.0f * middle);
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK_X)
triad(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ out, long long n)
{
    long long width = (long long)gridDim.x * BLOCK_X * ROWS;
    for (long long tile = (long long)blockIdx.x * BLOCK_X * ROWS; tile < n; tile += width)
#pragma unroll
        for (int row = 0; row < ROWS; row++) {
            long long i = tile + row * BLOCK_X + threadIdx.x;
            if (i < n)
                out[i] = a[i] + 3.0f * b[i];
        }
}
