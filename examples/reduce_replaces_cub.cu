// cub::DeviceReduce::Sum and tune::reduce on the same data: the lines to change, the launch and its
// reason, and equal sums.
//
//   reduce_replaces_cub [TUNED_CONF [N]]
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cub/device/device_reduce.cuh>
#include <tune/reduce.cuh>

#define CHECK(call) check((call), #call)
static void check(cudaError_t result, const char *call)
{
    if (result == cudaSuccess)
        return;
    std::fprintf(stderr, "reduce_replaces_cub: %s: %s\n", call, cudaGetErrorString(result));
    std::exit(1);
}

// Sums as before: with a workspace whose size depends on type, operator and n.
static void sum_by_cub(const int *in, size_t n, int *out, cudaStream_t stream)
{
    void *workspace = nullptr;
    size_t bytes = 0;
    CHECK(cub::DeviceReduce::Sum(workspace, bytes, in, out, n, stream));
    CHECK(cudaMalloc(&workspace, bytes));
    CHECK(cub::DeviceReduce::Sum(workspace, bytes, in, out, n, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaFree(workspace));
}

// Sums as after: with one workspace per stream, prepared once, for all reductions on it.
static void sum_by_tune(const struct tuned *tuned, const int *in, size_t n, int *out,
                        cudaStream_t stream)
{
    void *workspace = nullptr;
    const size_t bytes = tune::reduce_workspace_bytes();
    CHECK(cudaMalloc(&workspace, bytes));
    CHECK(tune::reduce_prepare(workspace, bytes, stream));
    tune::choice why; // optional
    CHECK(tune::reduce<tune::sum>(tuned, in, n, out, workspace, bytes, stream, &why));
    std::printf("launched: %s\n     why: %s: %s\n", why.configuration, tuned_grade_name(why.grade),
                why.reason);
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaFree(workspace));
}

int main(int count, char **words)
{
    const char *path = count > 1 ? words[1] : "tuned.conf";
    const size_t n = count > 2 ? std::strtoull(words[2], nullptr, 10) : 1 << 24;
    struct tuned_error error;
    struct tuned *tuned = tuned_load(path, &error); // without it defaults are used
    if (tuned == nullptr)
        std::fprintf(stderr, "%s\n", error.text);

    std::vector<int> host(n);
    unsigned int state = 1;
    for (int &element : host)
        element = (int)(state = state * 1664525u + 1013904223u);
    int *in = nullptr, *out = nullptr, sums[2] = {0, 0};
    cudaStream_t stream = nullptr;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMalloc(&in, n * sizeof(int)));
    CHECK(cudaMalloc(&out, sizeof sums));
    CHECK(cudaMemcpyAsync(in, host.data(), n * sizeof(int), cudaMemcpyHostToDevice, stream));
    sum_by_cub(in, n, out, stream);
    sum_by_tune(tuned, in, n, out + 1, stream);
    CHECK(cudaMemcpyAsync(sums, out, sizeof sums, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    std::printf("sum of %zu ints: CUB %d, tune %d: %s\n", n, sums[0], sums[1],
                sums[0] == sums[1] ? "equal" : "NOT EQUAL");
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    CHECK(cudaStreamDestroy(stream));
    tuned_free(tuned);
    return sums[0] == sums[1] ? 0 : 1;
}
