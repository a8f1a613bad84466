// Clusters whose blocks add up through shared memory, and a grid whose blocks wait for one another.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void __launch_bounds__(BLOCK) cluster_sums(const int *in, long long *out, long long n)
{
#if __CUDA_ARCH__ >= 900
    __shared__ long long part[BLOCK];
    cg::cluster_group cluster = cg::this_cluster();
    const long long begin = (long long)blockIdx.x * TILE;
    part[threadIdx.x] = 0;
    for (long long i = begin + threadIdx.x; i < begin + TILE && i < n; i += BLOCK)
        part[threadIdx.x] += in[i];
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    cluster.sync();
    if (cluster.block_rank() == 0 && threadIdx.x == 0) {
        long long sum = 0;
        for (unsigned i = 0; i < cluster.num_blocks(); i++)
            sum += *cluster.map_shared_rank(part, i);
        atomicAdd((unsigned long long *)out, (unsigned long long)sum);
    }
    cluster.sync();
#endif
}

extern "C" __global__ void __launch_bounds__(BLOCK) grid_sum(const int *in, long long *part, long long *out, long long n)
{
    __shared__ long long held[BLOCK];
    cg::grid_group grid = cg::this_grid();
    long long sum = 0;
    for (long long i = grid.thread_rank(); i < n; i += grid.size())
        sum += in[i];
    held[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < BLOCK; i++)
            sum += held[i];
        part[blockIdx.x] = sum;
    }
    grid.sync();
    if (grid.thread_rank() > 0)
        return;
    for (sum = 0, n = 0; n < gridDim.x; n++)
        sum += part[n];
    out[0] = sum;
}
