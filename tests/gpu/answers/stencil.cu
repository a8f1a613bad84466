// y[i] = sum of weight[d] * x[i + d], d from -3 to 3; x is 0 outside.
enum { direct, staged, bare };
constexpr int RADIUS = 3;

__device__ float weight(int d)
{
    return d == 0 ? 0.5f : d == 1 || d == -1 ? 0.2f : d == 2 || d == -2 ? -0.07f : 0.01f * d;
}

extern "C" __global__ void __launch_bounds__(BLOCK) stencil(const float *x, float *y, int n)
{
    const long long first = (long long)blockIdx.x * BLOCK * ITEMS;
    if constexpr (STAGE == direct) {
        for (int k = threadIdx.x; k < BLOCK * ITEMS; k += BLOCK) {
            float sum = 0;
            for (int d = -RADIUS; d <= RADIUS; d++)
                if (first + k + d >= 0 && first + k + d < n)
                    sum += weight(d) * x[first + k + d];
            if (first + k < n)
                y[first + k] = sum;
        }
    } else {
        __shared__ float tile[BLOCK * ITEMS + 2 * RADIUS];
        for (int k = threadIdx.x; k < BLOCK * ITEMS + 2 * RADIUS; k += BLOCK) {
            const long long i = first + k - RADIUS;
            tile[k] = i >= 0 && i < n ? x[i] : 0;
        }
        if constexpr (STAGE == staged)
            __syncthreads();
        for (int k = threadIdx.x; k < BLOCK * ITEMS; k += BLOCK) {
            float sum = 0;
            for (int d = -RADIUS; d <= RADIUS; d++)
                sum += weight(d) * tile[k + RADIUS + d];
            if (first + k < n)
                y[first + k] = sum;
        }
    }
}
