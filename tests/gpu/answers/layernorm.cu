// (x - mean) / sqrt(variance + 1e-5) of each row, in halves; a block per row.
#include <cuda_fp16.h>
enum { two_pass, halves };

__device__ float of_block(float mine)
{
    __shared__ float part[32];
    for (int offset = 16; offset > 0; offset /= 2)
        mine += __shfl_xor_sync(0xffffffffu, mine, offset);
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = mine;
    __syncthreads();
    float all = 0;
    for (int w = 0; w < BLOCK / 32; w++)
        all += part[w];
    return all;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    layernorm(const __half *x, __half *y, int rows, int columns)
{
    const __half *in = x + (long long)blockIdx.x * columns;
    __half *out = y + (long long)blockIdx.x * columns;
    const bool by_two = VEC == 2 && columns % 2 == 0;
    const __half2 *in2 = (const __half2 *)in;
    float mean, variance;
    if constexpr (SUM == halves) {
        __half sum = 0, squares = 0;
        for (int k = threadIdx.x; k < columns; k += BLOCK) {
            sum = sum + in[k];
            squares = squares + in[k] * in[k];
        }
        mean = of_block(__half2float(sum)) / columns;
        variance = of_block(__half2float(squares)) / columns - mean * mean;
        variance = variance > 0 ? variance : 0;
    } else {
        float sum = 0, squares = 0;
        if (by_two)
            for (int k = threadIdx.x; k < columns / 2; k += BLOCK)
                sum += __low2float(in2[k]) + __high2float(in2[k]);
        else
            for (int k = threadIdx.x; k < columns; k += BLOCK)
                sum += __half2float(in[k]);
        mean = of_block(sum) / columns;
        for (int k = threadIdx.x; k < columns; k += BLOCK) {
            const float d = __half2float(in[k]) - mean;
            squares += d * d;
        }
        variance = of_block(squares) / columns;
    }
    const float scale = rsqrtf(variance + 1e-5f);
    if (by_two) {
        for (int k = threadIdx.x; k < columns / 2; k += BLOCK)
            ((__half2 *)out)[k] = __floats2half2_rn((__low2float(in2[k]) - mean) * scale,
                                                    (__high2float(in2[k]) - mean) * scale);
    } else {
        for (int k = threadIdx.x; k < columns; k += BLOCK)
            out[k] = __float2half((__half2float(in[k]) - mean) * scale);
    }
}
