// Host functions that functions.yaml tunes: the whole call of a program is timed.
#include <cuda_runtime.h>

#include <cstddef>

namespace
{

// Returns the block's sum to its first thread.
template <int BLOCK> __device__ float block_sum(float sum)
{
    __shared__ float sums[BLOCK];
    sums[threadIdx.x] = sum;
    for (int step = BLOCK / 2; step > 0; step /= 2) {
        __syncthreads();
        if (threadIdx.x < step)
            sums[threadIdx.x] += sums[threadIdx.x + step];
    }
    return sums[0];
}

template <int BLOCK> __global__ void squares(const float *in, float *partial, long long n)
{
    float sum = 0;
    for (long long i = blockIdx.x * (long long)BLOCK + threadIdx.x; i < n;
         i += gridDim.x * (long long)BLOCK)
        sum += in[i] * in[i];
    sum = block_sum<BLOCK>(sum);
    if (threadIdx.x == 0)
        partial[blockIdx.x] = sum;
}

template <int BLOCK> __global__ void add(const float *partial, int count, float *norm)
{
    float sum = 0;
    for (int i = threadIdx.x; i < count; i += BLOCK)
        sum += partial[i];
    sum = block_sum<BLOCK>(sum);
    if (threadIdx.x == 0)
        *norm = sqrtf(sum);
}

__global__ void scale(const float *in, const float *norm, float *out, long long n)
{
    const float factor = 1 / *norm;
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * (long long)blockDim.x)
        out[i] = in[i] * factor;
}

} // namespace

// Scales a vector by three kernels: out = in / |in|. The workspace has a number for each block, and
// the norm behind them.
template <int BLOCK>
cudaError_t normalize(const float *in, float *out, long long n, int blocks, void *workspace, size_t,
                      cudaStream_t stream)
{
    float *partial = static_cast<float *>(workspace);
    squares<BLOCK><<<blocks, BLOCK, 0, stream>>>(in, partial, n);
    add<BLOCK><<<1, BLOCK, 0, stream>>>(partial, blocks, partial + blocks);
    scale<<<blocks, BLOCK, 0, stream>>>(in, partial + blocks, out, n);
    return cudaGetLastError();
}
