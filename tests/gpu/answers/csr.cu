// y = A x; A has n rows in compressed form. LANES threads share a row, a warp has 32 / LANES rows.
enum { none, stride };

extern "C" __global__ void __launch_bounds__(BLOCK)
    csr(const int *start, const int *column, const float *value, const float *x, float *y, int n)
{
    const int lane = threadIdx.x % LANES;
    const long long step = LOOP == stride ? (long long)gridDim.x * BLOCK / LANES : n;
    // The first row of the warp, so that its threads stay together.
    for (long long first = ((long long)blockIdx.x * BLOCK + threadIdx.x / 32 * 32) / LANES;
         first < n; first += step) {
        const long long row = first + threadIdx.x % 32 / LANES;
        float sum = 0;
        if (row < n)
            for (int k = start[row] + lane; k < start[row + 1]; k += LANES)
                sum += value[k] * x[column[k]];
        for (int offset = LANES / 2; offset > 0; offset /= 2)
            sum += __shfl_xor_sync(0xffffffffu, sum, offset);
        if (lane == 0 && row < n)
            y[row] = sum;
    }
}
