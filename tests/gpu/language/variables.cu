// Sums that a kernel writes into its own variables, and values that it moves there.
static __device__ float sums[4096];
namespace counts
{
__device__ unsigned long long seen;
}
extern "C" __global__ void __launch_bounds__(BLOCK) add_rows(const float *in, int width)
{
    __shared__ float part[BLOCK];
    float sum = 0;
    for (int i = threadIdx.x; i < width; i += BLOCK)
        sum += in[(long long)blockIdx.x * width + i];
    part[threadIdx.x] = sum;
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        __syncthreads();
        if ((int)threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
    }
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = part[0];
        atomicAdd(&counts::seen, (unsigned long long)width);
    }
}
