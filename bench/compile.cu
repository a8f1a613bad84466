// The kernel of bench_compile: a weighted sum of neighbours along a vector, y[i] = sum over j of
// w[j] * x[i + j - RADIUS]. BLOCK threads per block, LOADS outputs per thread, through shared
// memory or not (SHARED), the sum unrolled or not (UNROLL): 1,000 kernels that differ.
extern "C" __global__ void __launch_bounds__(BLOCK)
    neighbours(const float *__restrict__ x, float *__restrict__ y, const float *__restrict__ w,
               int n)
{
    const int first = blockIdx.x * BLOCK * LOADS;
    float sum[LOADS] = {};
#if SHARED
    __shared__ float piece[BLOCK * LOADS + 2 * RADIUS];
    for (int i = threadIdx.x; i < BLOCK * LOADS + 2 * RADIUS; i += BLOCK) {
        const int at = first + i - RADIUS;
        piece[i] = at >= 0 && at < n ? x[at] : 0.0f;
    }
    __syncthreads();
#endif
#if UNROLL
#pragma unroll
#else
#pragma unroll 1
#endif
    for (int j = 0; j <= 2 * RADIUS; j++) {
        const float weight = w[j];
#pragma unroll
        for (int i = 0; i < LOADS; i++) {
            const int own = threadIdx.x + i * BLOCK;
#if SHARED
            sum[i] += weight * piece[own + j];
#else
            const int at = first + own + j - RADIUS;
            sum[i] += at >= 0 && at < n ? weight * x[at] : 0.0f;
#endif
        }
    }
#pragma unroll
    for (int i = 0; i < LOADS; i++) {
        const int at = first + threadIdx.x + i * BLOCK;
        if (at < n)
            y[at] = sum[i];
    }
}
