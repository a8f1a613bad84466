// Softmax of each row; a block per row.
enum { scalar, guarded, wide };
enum { online, separate };

struct part {
    float most, sum;
};
__device__ part combine(part a, part b)
{
    const float most = fmaxf(a.most, b.most);
    return {most, a.sum * expf(a.most - most) + b.sum * expf(b.most - most)};
}
__device__ part of_block(part mine)
{
    __shared__ float most[32], sum[32];
    for (int offset = 16; offset > 0; offset /= 2) {
        const float m = __shfl_xor_sync(0xffffffffu, mine.most, offset);
        const float s = __shfl_xor_sync(0xffffffffu, mine.sum, offset);
        mine = combine(mine, {m, s});
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        most[threadIdx.x / 32] = mine.most;
        sum[threadIdx.x / 32] = mine.sum;
    }
    __syncthreads();
    part all = {most[0], sum[0]};
    for (int w = 1; w < BLOCK / 32; w++)
        all = combine(all, {most[w], sum[w]});
    return all;
}
struct alignas(16) four {
    float x, y, z, w;
};
__device__ void take(part &mine, float v)
{
    if (PASSES == separate)
        mine.most = fmaxf(mine.most, v);
    else
        mine = combine(mine, {v, 1});
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    softmax(const float *x, float *y, int rows, int columns)
{
    constexpr float least = -3.0e38f;
    const float *in = x + (long long)blockIdx.x * columns;
    float *out = y + (long long)blockIdx.x * columns;
    const bool by_four = LOAD == wide || (LOAD == guarded && columns % 4 == 0);
    part mine = {least, 0};
    if (by_four) {
        const four *in4 = (const four *)in;
        for (int k = threadIdx.x; k < columns / 4; k += BLOCK) {
            const four v = in4[k];
            take(mine, v.x), take(mine, v.y), take(mine, v.z), take(mine, v.w);
        }
    } else {
        for (int k = threadIdx.x; k < columns; k += BLOCK)
            take(mine, in[k]);
    }
    part all = of_block(mine);
    if (PASSES == separate) {
        mine = {all.most, 0};
        for (int k = threadIdx.x; k < columns; k += BLOCK)
            mine.sum += expf(in[k] - all.most);
        all = of_block(mine);
    }
    const float scale = 1 / all.sum;
    if (by_four) {
        const four *in4 = (const four *)in;
        four *out4 = (four *)out;
        for (int k = threadIdx.x; k < columns / 4; k += BLOCK) {
            const four v = in4[k];
            out4[k] = {expf(v.x - all.most) * scale, expf(v.y - all.most) * scale,
                       expf(v.z - all.most) * scale, expf(v.w - all.most) * scale};
        }
    } else {
        for (int k = threadIdx.x; k < columns; k += BLOCK)
            out[k] = expf(in[k] - all.most) * scale;
    }
}
