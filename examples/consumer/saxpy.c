/* saxpy [N]: y = a x + y on the current GPU, launched as tuned.conf says, or as this program would
 * by itself: tuned_cuda.h with the driver API and NVRTC. tuned.conf is looked for in the usual
 * places. Exit code 1: a wrong result, or CUDA failed. */
#define TUNED_CUDA_DRIVER
#include <nvrtc.h>
#include <stdio.h>
#include <stdlib.h>
#include <tuned_cuda.h>

/* Right for any grid. */
static const char source[] =
    "extern \"C\" __global__ void saxpy(float a, const float *x, float *y, long long n)\n"
    "{\n"
    "    long long step = (long long)gridDim.x * blockDim.x;\n"
    "    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)\n"
    "        y[i] = a * x[i] + y[i];\n"
    "}\n";

static void check(int is_good, const char *call)
{
    if (is_good)
        return;
    fprintf(stderr, "saxpy: failed: %s\n", call);
    exit(1);
}
#define CUDA(call)  check((call) == CUDA_SUCCESS, #call)
#define NVRTC(call) check((call) == NVRTC_SUCCESS, #call)

static CUfunction compile(const struct tuned_device *device)
{
    char architecture[64];
    const char *options[] = {architecture};
    nvrtcProgram program;
    CUmodule module;
    CUfunction kernel;
    size_t bytes = 0;
    snprintf(architecture, sizeof architecture, "--gpu-architecture=sm_%d%d",
             device->compute_capability_major, device->compute_capability_minor);
    NVRTC(nvrtcCreateProgram(&program, source, "saxpy.cu", 0, NULL, NULL));
    NVRTC(nvrtcCompileProgram(program, 1, options));
    NVRTC(nvrtcGetCUBINSize(program, &bytes));
    char *binary = malloc(bytes);
    check(binary != NULL, "malloc");
    NVRTC(nvrtcGetCUBIN(program, binary));
    NVRTC(nvrtcDestroyProgram(&program));
    CUDA(cuModuleLoadData(&module, binary));
    CUDA(cuModuleGetFunction(&kernel, module, "saxpy"));
    free(binary);
    return kernel;
}

/* Returns the launch: this program's own, replaced by tuned.conf's if it has one. */
static struct tuned_cuda_launch choose(const struct tuned_cuda_device *gpu, CUfunction kernel,
                                       long long n)
{
    const struct tuned_cuda_launch own =
        tuned_cuda_launch_of(2 * (unsigned)gpu->device.unit_count, 256);
    struct tuned_cuda_launch launch = own;
    struct tuned *tuned = tuned_open(NULL, NULL);
    tuned_cuda_find(tuned, gpu, "saxpy.f32", n, &launch);
    launch.variant = NULL; /* its text ends with the file */
    tuned_free(tuned);
    return tuned_cuda_prepare(&launch, kernel) == CUDA_SUCCESS ? launch : own;
}

static int run(const struct tuned_cuda_launch *launch, CUfunction kernel, long long n)
{
    size_t bytes = (size_t)n * sizeof(float);
    float *host = malloc(bytes), a = 2;
    long long wrong = 0, i;
    CUdeviceptr x, y;
    void *arguments[] = {&a, &x, &y, &n};
    check(host != NULL, "malloc");
    for (i = 0; i < n; i++)
        host[i] = (float)(i % 1000);
    CUDA(cuMemAlloc(&x, bytes));
    CUDA(cuMemAlloc(&y, bytes));
    CUDA(cuMemcpyHtoD(x, host, bytes));
    CUDA(cuMemcpyHtoD(y, host, bytes));
    CUDA(tuned_cuda_launch_kernel(launch, kernel, arguments, NULL));
    CUDA(cuMemcpyDtoH(host, y, bytes));
    for (i = 0; i < n; i++)
        wrong += host[i] != 3 * (float)(i % 1000);
    CUDA(cuMemFree(x));
    CUDA(cuMemFree(y));
    free(host);
    printf("%u blocks of %u threads (%s): %lld of %lld elements wrong\n", launch->grid[0],
           launch->block[0], tuned_grade_name(launch->grade), wrong, n);
    return wrong == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
    long long n = argc > 1 ? strtoll(argv[1], NULL, 10) : 1000003;
    CUcontext context;
    CUdevice device;
    struct tuned_cuda_device gpu;
    if (argc > 2 || n < 1 || n > 1LL << 30) {
        fprintf(stderr, "usage: saxpy [N]   N from 1 to 2^30\n");
        return 2;
    }
    CUDA(cuInit(0));
    CUDA(cuDeviceGet(&device, 0));
    CUDA(cuDevicePrimaryCtxRetain(&context, device));
    CUDA(cuCtxSetCurrent(context));
    CUDA(tuned_cuda_describe(&gpu));
    CUfunction kernel = compile(&gpu.device);
    struct tuned_cuda_launch launch = choose(&gpu, kernel, n);
    return run(&launch, kernel, n);
}
