// C = A B, of any m x k and k x n, row by row. gemm_mnk.yaml tunes it at many shapes.
//   BM, BN  elements of C of a block, in m and in n
//   BK      elements of k that go through shared memory at a time
//   RM, RN  elements of C of a thread
//   PAD     elements between the rows of A in shared memory

enum { THREADS_N = BN / RN, THREADS_M = BM / RM, THREADS = THREADS_N * THREADS_M };

extern "C" __global__ void __launch_bounds__(THREADS)
    gemm_mnk(int m, int n, int k, const float *a, const float *b, float *c)
{
    __shared__ float a_tile[BK][BM + PAD], b_tile[BK][BN];
    const int thread = threadIdx.x, thread_m = thread / THREADS_N, thread_n = thread % THREADS_N;
    const int first_m = blockIdx.y * BM, first_n = blockIdx.x * BN;
    float sum[RM][RN] = {};
    for (int first_k = 0; first_k < k; first_k += BK) {
        for (int i = thread; i < BM * BK; i += THREADS) {
            const int row = first_m + i / BK, column = first_k + i % BK;
            a_tile[i % BK][i / BK] =
                row < m && column < k ? a[static_cast<long long>(row) * k + column] : 0;
        }
        for (int i = thread; i < BK * BN; i += THREADS) {
            const int row = first_k + i / BN, column = first_n + i % BN;
            b_tile[i / BN][i % BN] =
                row < k && column < n ? b[static_cast<long long>(row) * n + column] : 0;
        }
        __syncthreads();
#pragma unroll
        for (int l = 0; l < BK; l++) {
            float a_part[RM], b_part[RN];
#pragma unroll
            for (int i = 0; i < RM; i++)
                a_part[i] = a_tile[l][thread_m + i * THREADS_M];
#pragma unroll
            for (int j = 0; j < RN; j++)
                b_part[j] = b_tile[l][thread_n + j * THREADS_N];
#pragma unroll
            for (int i = 0; i < RM; i++)
#pragma unroll
                for (int j = 0; j < RN; j++)
                    sum[i][j] += a_part[i] * b_part[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < RM; i++)
        for (int j = 0; j < RN; j++) {
            const int row = first_m + thread_m + i * THREADS_M,
                      column = first_n + thread_n + j * THREADS_N;
            if (row < m && column < n)
                c[static_cast<long long>(row) * n + column] = sum[i][j];
        }
}

// An element of C a thread.
extern "C" __global__ void gemm_mnk_plain(int m, int n, int k, const float *a, const float *b,
                                          float *c)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    float sum = 0;
    for (int l = 0; column < n && l < k; l++)
        sum += a[static_cast<long long>(row) * k + l] * b[static_cast<long long>(l) * n + column];
    if (column < n)
        c[static_cast<long long>(row) * n + column] = sum;
}
