// A program of the CUDA runtime as others write them, built in several ways: `app WORK`. Its
// result goes to standard output as one line, the same in each run.
#include <cuda.h>
#include <cuda_runtime.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        const cudaError_t error_ = (call);                                                         \
        if (error_ != cudaSuccess) {                                                               \
            std::fprintf(stderr, "app: %s: %s\n", #call, cudaGetErrorString(error_));              \
            std::exit(3);                                                                          \
        }                                                                                          \
    } while (0)

namespace own
{
template <class T> __global__ void add(const T *a, const T *b, T *out, int n, T scale)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = a[i] + scale * b[i];
}
} // namespace own

struct view {
    int n;
    const int *from;
    int *to;
};
__global__ void view_copy(view v)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < v.n)
        v.to[i] = v.from[i];
}

__constant__ int factors[4];
__device__ int bias;
__global__ void scaled(const int *in, int *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = factors[i & 3] * in[i] + bias;
}

__global__ void read_texture(cudaTextureObject_t from, int *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = tex1Dfetch<int>(from, i);
}

__global__ void nothing()
{
}

static int *filled(int n, int by)
{
    int *out = nullptr;
    std::vector<int> host(n);
    for (int i = 0; i < n; i++)
        host[i] = i * by;
    CHECK(cudaMalloc(&out, n * sizeof *out));
    CHECK(cudaMemcpy(out, host.data(), n * sizeof *out, cudaMemcpyHostToDevice));
    CHECK(cudaDeviceSynchronize()); // the copy may still be under way, and streams do not wait
    return out;
}

static long long sum(const int *device, int n)
{
    std::vector<int> host(n);
    long long total = 0;
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(host.data(), device, n * sizeof(int), cudaMemcpyDeviceToHost));
    for (int value : host)
        total += value;
    return total;
}

static long long do_add()
{
    long long total = 0;
    for (int n = 1000; n <= 1000000; n *= 10) {
        int *a = filled(n, 1), *b = filled(n, 3), *out = filled(n, 0);
        own::add<int><<<(n + 255) / 256, 256>>>(a, b, out, n, 2);
        own::add<int><<<8, 128>>>(a + n / 2, b + n / 2, out + n / 2, n - n / 2, 2);
        total += sum(out, n) % 1000003;
    }
    return total;
}

static long long do_view()
{
    const int n = 5000;
    int *a = filled(n, 7), *out = filled(n, 0);
    view_copy<<<(n + 127) / 128, 128>>>({n - 10, a + 10, out});
    return sum(out, n);
}

static long long do_memory()
{
    const int n = 4096, host[4] = {1, 2, 3, 4}, seven = 7;
    int *in = nullptr, *out = filled(n, 0);
    CHECK(cudaMallocManaged(&in, n * sizeof *in));
    for (int i = 0; i < n; i++)
        in[i] = i;
    CHECK(cudaMemcpyToSymbol(factors, host, sizeof host));
    CHECK(cudaMemcpyToSymbol(bias, &seven, sizeof seven));
    scaled<<<n / 256, 256>>>(in, out, n);
    return sum(out, n);
}

static long long do_streams()
{
    const int n = 100000;
    cudaStream_t streams[4];
    long long total = 0;
    int *outs[4], *a = filled(n, 1), *b = filled(n, 3);
    for (int i = 0; i < 4; i++) {
        CHECK(cudaStreamCreateWithFlags(&streams[i],
                                        i % 2 ? cudaStreamNonBlocking : cudaStreamDefault));
        outs[i] = filled(n, 0);
        own::add<int><<<64, 256, 0, streams[i]>>>(a, b, outs[i], n, i);
    }
    CHECK(cudaDeviceSynchronize()); // the default stream's copies do not wait for these
    for (int *out : outs)
        total += sum(out, n) % 1000003;
    return total;
}

static long long do_pool()
{
    const int n = 65536;
    int *out = nullptr, *a = filled(n, 1), *b = filled(n, 3);
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMallocAsync(&out, n * sizeof *out, stream));
    CHECK(cudaMemsetAsync(out, 0, n * sizeof *out, stream));
    own::add<int><<<64, 256, 0, stream>>>(a, b, out, n, 5);
    CHECK(cudaStreamSynchronize(stream));
    return sum(out, n);
}

static long long do_graph()
{
    const int n = 10000;
    int *a = filled(n, 1), *b = filled(n, 3), *out = filled(n, 0);
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t made;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    own::add<int><<<16, 256, 0, stream>>>(a, b, out, n, 2);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&made, graph, 0));
    for (int i = 0; i < 3; i++)
        CHECK(cudaGraphLaunch(made, stream));
    CHECK(cudaStreamSynchronize(stream));
    // One that is made node by node.
    int count = n, scale = 3;
    void *arguments[] = {&a, &b, &out, &count, &scale};
    cudaKernelNodeParams parameters = {};
    cudaGraphNode_t node;
    parameters.func = (void *)own::add<int>;
    parameters.gridDim = dim3(16);
    parameters.blockDim = dim3(256);
    parameters.kernelParams = arguments;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &parameters));
    CHECK(cudaGraphInstantiate(&made, graph, 0));
    CHECK(cudaGraphLaunch(made, stream));
    CHECK(cudaStreamSynchronize(stream));
    own::add<int><<<16, 256, 0, stream>>>(a, out, out, n, 1);
    return sum(out, n);
}

static long long do_texture()
{
    const int n = 4096;
    int *in = filled(n, 3), *out = filled(n, 0);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = in;
    resource.res.linear.desc = cudaCreateChannelDesc<int>();
    resource.res.linear.sizeInBytes = n * sizeof(int);
    cudaTextureDesc reading = {};
    reading.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture = 0;
    CHECK(cudaCreateTextureObject(&texture, &resource, &reading, nullptr));
    read_texture<<<n / 256, 256>>>(texture, out, n);
    return sum(out, n);
}

static long long do_cooperative()
{
    int n = 10000, scale = 2;
    int *a = filled(n, 1), *b = filled(n, 3), *out = filled(n, 0);
    void *arguments[] = {&a, &b, &out, &n, &scale};
    CHECK(cudaLaunchCooperativeKernel((const void *)own::add<int>, dim3(8), dim3(256), arguments));
    return sum(out, n);
}

static long long do_threads()
{
    std::vector<std::thread> threads;
    std::vector<long long> totals(16);
    for (int t = 0; t < 16; t++)
        threads.emplace_back([t, &totals] {
            const int n = 1000 + t;
            for (int i = 0; i < 20; i++) {
                int *a = filled(n, 1), *b = filled(n, 3), *out = filled(n, 0);
                own::add<int><<<4, 256>>>(a, b, out, n, t);
                totals[t] += sum(out, n);
                CHECK(cudaFree(a));
                CHECK(cudaFree(b));
                CHECK(cudaFree(out));
            }
        });
    long long total = 0;
    for (int t = 0; t < 16; t++) {
        threads[t].join();
        total += totals[t] % 1000003;
    }
    return total;
}

static long long do_reset()
{
    long long total = do_add();
    CHECK(cudaDeviceReset());
    return total + do_add();
}

// Runs PTX by the driver's own functions, with one block of parameters.
static long long do_driver()
{
    static const char ptx[] =
        ".version 7.0\n.target sm_70\n.address_size 64\n"
        ".visible .entry twice(.param .u64 x, .param .u32 n)\n{\n"
        ".reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %rd<5>;\n"
        "ld.param.u64 %rd1, [x]; ld.param.u32 %r1, [n];\n"
        "mov.u32 %r2, %ntid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %tid.x;\n"
        "mad.lo.s32 %r5, %r2, %r3, %r4; setp.ge.u32 %p1, %r5, %r1; @%p1 bra DONE;\n"
        "cvta.to.global.u64 %rd2, %rd1; mul.wide.u32 %rd3, %r5, 4; add.s64 %rd4, %rd2, %rd3;\n"
        "ld.global.u32 %r6, [%rd4]; add.s32 %r7, %r6, %r6; st.global.u32 [%rd4], %r7;\n"
        "DONE: ret;\n}\n";
    const int n = 3000;
    int *x = filled(n, 3);
    void *load = nullptr, *get = nullptr, *launch = nullptr;
    cudaDriverEntryPointQueryResult status;
    CHECK(cudaGetDriverEntryPointByVersion("cuModuleLoadData", &load, 12000, cudaEnableDefault,
                                           &status));
    CHECK(cudaGetDriverEntryPointByVersion("cuModuleGetFunction", &get, 12000, cudaEnableDefault,
                                           &status));
    CHECK(cudaGetDriverEntryPointByVersion("cuLaunchKernel", &launch, 12000, cudaEnableDefault,
                                           &status));
    CUmodule module;
    CUfunction function;
    char *copy = strdup(ptx);
    if (((decltype(&cuModuleLoadData))load)(&module, copy) != CUDA_SUCCESS)
        std::exit(4);
    std::memset(copy, 'x', std::strlen(copy));
    free(copy);
    if (((decltype(&cuModuleGetFunction))get)(&function, module, "twice") != CUDA_SUCCESS)
        std::exit(4);
    struct {
        int *x;
        int n;
    } block = {x, n};
    size_t bytes = 12;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &block, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     CU_LAUNCH_PARAM_END};
    if (((decltype(&cuLaunchKernel))launch)(function, 24, 1, 1, 128, 1, 1, 0, nullptr, nullptr,
                                            extra) != CUDA_SUCCESS)
        std::exit(4);
    return sum(x, n);
}

// Prints the cost of a launch to standard error.
static long long do_loop()
{
    const int launches = 100000;
    nothing<<<1, 32>>>();
    CHECK(cudaDeviceSynchronize());
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < launches; i++)
        nothing<<<1, 32>>>();
    const std::chrono::duration<double, std::micro> elapsed =
        std::chrono::steady_clock::now() - begin;
    CHECK(cudaDeviceSynchronize());
    std::fprintf(stderr, "app: %.3f us a launch\n", elapsed.count() / launches);
    return launches;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        long long (*run)();
    } whats[] = {{"add", do_add},
                 {"view", do_view},
                 {"memory", do_memory},
                 {"streams", do_streams},
                 {"pool", do_pool},
                 {"graph", do_graph},
                 {"cooperative", do_cooperative},
                 {"texture", do_texture},
                 {"threads", do_threads},
                 {"reset", do_reset},
                 {"driver", do_driver},
                 {"loop", do_loop}};
    for (const auto &what : whats)
        if (argc == 2 && std::strcmp(what.name, argv[1]) == 0) {
            std::printf("%lld\n", what.run());
            return 0;
        }
    return 2;
}
