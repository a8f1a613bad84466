// A program's sums by CUB under the policies that tune found: for each device and n that of the
// header, else CUB's own.
//   tune run examples/cub/reduce.yaml && tune export --header policies.h
//   nvcc -std=c++17 -arch=native -include policies.h -I... sum.cu $(pkg-config --cflags --libs
//   tuned) -o sum
#include "policies.cuh"

#include <tuned_cuda.h>

#include <cstdio>
#include <vector>

namespace
{

// Adds up by the configuration's policy; by CUB's for 0 and where the configuration says so.
cudaError_t sum(int configuration, const float *in, float *out, long long n,
                tune_cub::workspace memory, cudaStream_t stream)
{
    switch (configuration) {
#define CASE(number, own, threads, items, vector, load)                                            \
    case number:                                                                                   \
        if (own)                                                                                   \
            return cub::DeviceReduce::Sum(                                                         \
                in, out, n,                                                                        \
                tune_cub::environment(                                                             \
                    stream, memory,                                                                \
                    tune_cub::reduce_selector<threads, items, vector, cub::load>{}));              \
        break;
        TUNED_CONFIGURATIONS_cub_reduce_f32(CASE)
#undef CASE
    }
    return cub::DeviceReduce::Sum(in, out, n,
                                  tune_cub::environment(stream, memory, tune_cub::policy_of_cub{}));
}

} // namespace

int main()
{
    const long long n = 1 << 20;
    tuned_error error;
    tuned *tuned = tuned_header_load(&error);
    tuned_cuda_device gpu;
    if (!tuned || tuned_cuda_describe(&gpu) != cudaSuccess)
        return std::fprintf(stderr, "no device, or no header\n"), 1;
    const tuned_cub_reduce_f32_answer answer = tuned_cub_reduce_f32(tuned, &gpu.device, n);
    std::vector<float> host(n, 1);
    float *in = nullptr, *out = nullptr, got = 0;
    void *memory = nullptr;
    cudaMalloc(&in, n * sizeof *in);
    cudaMalloc(&out, sizeof *out);
    cudaMemcpy(in, host.data(), n * sizeof *in, cudaMemcpyHostToDevice);
    const size_t bytes = tune_cub::bytes_of([=](tune_cub::workspace none) {
        return sum(answer.configuration, in, out, n, none, nullptr);
    });
    cudaMalloc(&memory, bytes);
    const cudaError_t status = sum(answer.configuration, in, out, n, {memory, bytes}, nullptr);
    cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost);
    std::printf("%s: %g of %lld, configuration %d (grade %d)\n", cudaGetErrorName(status), got, n,
                answer.configuration, (int)answer.grade);
    tuned_free(tuned);
    return status != cudaSuccess || got != (float)n;
}
