// The kernel of gemm.yaml, and its reference.
#include "t1/gemm.cu"

// An element of C per thread, the simplest way to write it.
extern "C" __global__ void gemm_plain(int m, int n, int k, const float *a, const float *b, float *c)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y;
    float sum = 0;
    for (int l = 0; i < m && l < k; l++)
        sum += a[static_cast<long long>(l) * m + i] * b[static_cast<long long>(l) * n + j];
    if (i < m)
        c[static_cast<long long>(j) * m + i] = sum;
}
