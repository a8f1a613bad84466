// A program whose kernels are a library's: CUB's sum and sort.
#include <cub/cub.cuh>

#include <cstdio>
#include <vector>

int main()
{
    const int n = 1 << 20;
    std::vector<unsigned> host(n);
    for (int i = 0; i < n; i++)
        host[i] = static_cast<unsigned>(i) * 2654435761U;
    unsigned *in = nullptr, *out = nullptr, *sum = nullptr, result[2] = {0, 0};
    void *work = nullptr;
    size_t sum_bytes = 0, sort_bytes = 0;
    cub::DeviceReduce::Sum(nullptr, sum_bytes, in, sum, n);
    cub::DeviceRadixSort::SortKeys(nullptr, sort_bytes, in, out, n);
    if (cudaMalloc(&in, n * sizeof *in) != cudaSuccess || cudaMalloc(&out, n * sizeof *out) != cudaSuccess ||
        cudaMalloc(&sum, sizeof *sum) != cudaSuccess ||
        cudaMalloc(&work, sum_bytes > sort_bytes ? sum_bytes : sort_bytes) != cudaSuccess)
        return 3;
    cudaMemcpy(in, host.data(), n * sizeof *in, cudaMemcpyHostToDevice);
    cub::DeviceReduce::Sum(work, sum_bytes, in, sum, n);
    cub::DeviceRadixSort::SortKeys(work, sort_bytes, in, out, n);
    cudaMemcpy(&result[0], sum, sizeof *sum, cudaMemcpyDeviceToHost);
    cudaMemcpy(&result[1], out + n / 2, sizeof *out, cudaMemcpyDeviceToHost);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 3;
    std::printf("%u %u\n", result[0], result[1]);
    return 0;
}
