/* reduce_cuda [TUNED_CONF [N [REDUCE_CU]]]: sums N ints (default 10^8) on GPU 0 as tuned.conf says,
 * checks the sum, and shows what that gains over the textbook's launch: 1024 threads on 2 blocks an
 * SM, a tree in shared memory, two launches. Without an entry it runs the textbook's.
 *
 * Driver API and NVRTC. Exit code 1: a wrong result, or CUDA failed. */
#include <cuda.h>
#include <nvrtc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tuned.h>

#ifndef REDUCE_SOURCE
#define REDUCE_SOURCE "kernels/reduce/reduce.cu"
#endif

/* What does not succeed ends the program. */
static void check_cuda(CUresult result, const char *call)
{
    const char *text = "unknown error";
    if (result == CUDA_SUCCESS)
        return;
    (void)cuGetErrorString(result, &text);
    fprintf(stderr, "reduce_cuda: %s: %s\n", call, text);
    exit(1);
}
#define CUDA(call) check_cuda(call, #call)

static void check_nvrtc(nvrtcResult result, const char *call)
{
    if (result == NVRTC_SUCCESS)
        return;
    fprintf(stderr, "reduce_cuda: %s: %s\n", call, nvrtcGetErrorString(result));
    exit(1);
}
#define NVRTC(call) check_nvrtc(call, #call)

static void *allocate(size_t bytes)
{
    void *memory = malloc(bytes);
    if (!memory) {
        fprintf(stderr, "reduce_cuda: out of memory (%zu bytes)\n", bytes);
        exit(1);
    }
    return memory;
}

/* ---- the device ---- */

struct gpu {
    char name[256];
    int sm_count;
    struct tuned_device device;
};

static void open_gpu(struct gpu *gpu)
{
    CUdevice device;
    CUcontext context;
    size_t bytes = 0;
    int major = 0, minor = 0;
    CUDA(cuInit(0));
    CUDA(cuDeviceGet(&device, 0));
    CUDA(cuDeviceGetName(gpu->name, (int)sizeof gpu->name, device));
    CUDA(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
    CUDA(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));
    CUDA(cuDeviceGetAttribute(&gpu->sm_count, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device));
    CUDA(cuDeviceTotalMem(&bytes, device));
    CUDA(cuDevicePrimaryCtxRetain(&context, device));
    CUDA(cuCtxSetCurrent(context));
    gpu->device =
        (struct tuned_device){"cuda", gpu->name, major, minor, gpu->sm_count, (long long)bytes};
}

/* ---- what is launched ---- */

struct plan {
    char variant[32];
    bool shuffle;
    int block, vector, loads, grid;
    CUfunction first, second; /* second: of two launches, else NULL */
};

static struct plan textbook(const struct gpu *gpu)
{
    return (struct plan){.variant = "two_launches",
                         .block = 1024,
                         .vector = 1,
                         .loads = 1,
                         .grid = 2 * gpu->sm_count};
}

/* False when the entry is not one of this kernel. */
static bool plan_from(const struct tuned_entry *entry, struct plan *plan)
{
    *plan = (struct plan){
        .shuffle = strcmp(tuned_text(entry, "step", "tree"), "shuffle") == 0,
        .block = (int)tuned_integer(entry, "block", 0),
        .vector = (int)tuned_integer(entry, "vector", 1),
        .loads = (int)tuned_integer(entry, "loads", 1),
        .grid = (int)tuned_integer(entry, "grid", 0),
    };
    snprintf(plan->variant, sizeof plan->variant, "%s", tuned_text(entry, "variant", ""));
    return plan->block > 0 && plan->vector > 0 && plan->loads > 0 && plan->grid > 0 &&
           plan->variant[0] != '\0';
}

static char *read_source(const char *path)
{
    FILE *file = fopen(path, "rb");
    long bytes = -1;
    if (file && fseek(file, 0, SEEK_END) == 0)
        bytes = ftell(file);
    if (bytes < 0) {
        fprintf(stderr, "reduce_cuda: %s: cannot be read\n", path);
        exit(1);
    }
    char *source = allocate((size_t)bytes + 1);
    rewind(file);
    source[fread(source, 1, (size_t)bytes, file)] = '\0';
    fclose(file);
    return source;
}

static void print_log(nvrtcProgram program)
{
    size_t bytes = 0;
    NVRTC(nvrtcGetProgramLogSize(program, &bytes));
    char *log = allocate(bytes + 1);
    NVRTC(nvrtcGetProgramLog(program, log));
    fprintf(stderr, "%.*s\n", (int)bytes, log);
    free(log);
}

/* With the defines of configs/reduce.yaml. */
static void compile_plan(const struct gpu *gpu, const char *source, struct plan *plan)
{
    char options[6][64], kernel[64];
    const char *pointers[6];
    nvrtcProgram program;
    CUmodule module;
    size_t bytes = 0;
    snprintf(options[0], sizeof options[0], "--gpu-architecture=sm_%d%d",
             gpu->device.compute_capability_major, gpu->device.compute_capability_minor);
    snprintf(options[1], sizeof options[1], "-DBLOCK=%d", plan->block);
    snprintf(options[2], sizeof options[2], "-DLOADS=%d", plan->loads);
    snprintf(options[3], sizeof options[3], "-DVECTOR=%d", plan->vector);
    snprintf(options[4], sizeof options[4], "-DSHUFFLE=%d", plan->shuffle);
    snprintf(options[5], sizeof options[5], "-DELEMENT=int");
    for (int i = 0; i < 6; i++)
        pointers[i] = options[i];
    NVRTC(nvrtcCreateProgram(&program, source, "reduce.cu", 0, NULL, NULL));
    nvrtcResult result = nvrtcCompileProgram(program, 6, pointers);
    if (result != NVRTC_SUCCESS)
        print_log(program);
    NVRTC(result);
    NVRTC(nvrtcGetCUBINSize(program, &bytes));
    char *binary = allocate(bytes);
    NVRTC(nvrtcGetCUBIN(program, binary));
    NVRTC(nvrtcDestroyProgram(&program));
    CUDA(cuModuleLoadData(&module, binary));
    free(binary);
    snprintf(kernel, sizeof kernel, "reduce_%s", plan->variant);
    CUDA(cuModuleGetFunction(&plan->first, module, kernel));
    if (strcmp(plan->variant, "two_launches") == 0)
        CUDA(cuModuleGetFunction(&plan->second, module, "reduce_one_block"));
}

/* ---- running and timing ---- */

struct data {
    CUdeviceptr in, out, partials, ticket;
    long long n;
    int expected;
};

static void reduce(const struct plan *plan, struct data *data)
{
    long long partial_count = plan->grid;
    void *first[] = {&data->in, &data->out, &data->partials, &data->ticket, &data->n};
    void *second[] = {&data->partials, &data->out, &data->partials, &data->ticket, &partial_count};
    CUDA(cuLaunchKernel(plan->first, (unsigned)plan->grid, 1, 1, (unsigned)plan->block, 1, 1, 0,
                        NULL, first, NULL));
    if (plan->second)
        CUDA(cuLaunchKernel(plan->second, 1, 1, 1, (unsigned)plan->block, 1, 1, 0, NULL, second,
                            NULL));
}

static bool is_right(struct data *data)
{
    int out = 0;
    CUDA(cuMemcpyDtoH(&out, data->out, sizeof out));
    if (out != data->expected)
        fprintf(stderr, "reduce_cuda: wrong result: %d, expected %d\n", out, data->expected);
    return out == data->expected;
}

static int compare_times(const void *a, const void *b)
{
    float left = *(const float *)a, right = *(const float *)b;
    return (left > right) - (left < right);
}

enum { SAMPLES = 21 };

/* The median of SAMPLES, each of so many runs that the clock's step does not matter. L2 holds what
 * the run before left in it. False: a wrong sum. */
static bool time_plan(const struct plan *plan, struct data *data, double *median_ns)
{
    float times[SAMPLES];
    CUevent start, end;
    int wrong = ~data->expected;
    long long runs = 1 + 200000000 / (data->n + 200000);
    CUDA(cuMemAlloc(&data->partials, (size_t)plan->grid * sizeof(int)));
    CUDA(cuMemcpyHtoD(data->out, &wrong, sizeof wrong));
    CUDA(cuMemsetD32(data->ticket, 0, 1));
    CUDA(cuEventCreate(&start, CU_EVENT_DEFAULT));
    CUDA(cuEventCreate(&end, CU_EVENT_DEFAULT));
    reduce(plan, data);
    bool right = is_right(data);
    for (int i = 0; right && i < SAMPLES; i++) {
        CUDA(cuEventRecord(start, NULL));
        for (long long run = 0; run < runs; run++)
            reduce(plan, data);
        CUDA(cuEventRecord(end, NULL));
        CUDA(cuEventSynchronize(end));
        CUDA(cuEventElapsedTime(&times[i], start, end));
        right = is_right(data);
    }
    CUDA(cuEventDestroy(start));
    CUDA(cuEventDestroy(end));
    CUDA(cuMemFree(data->partials));
    if (!right)
        return false;
    qsort(times, SAMPLES, sizeof times[0], compare_times);
    *median_ns = (double)times[SAMPLES / 2] * 1e6 / (double)runs;
    return true;
}

static struct data make_data(long long n)
{
    struct data data = {.n = n};
    size_t bytes = (size_t)n * sizeof(unsigned);
    unsigned *host = allocate(bytes), state = 1, total = 0;
    for (long long i = 0; i < n; i++) {
        state = state * 1664525u + 1013904223u;
        host[i] = state;
        total += state; /* wraps, as the kernel's sum does */
    }
    data.expected = (int)total;
    CUDA(cuMemAlloc(&data.in, bytes));
    CUDA(cuMemAlloc(&data.out, sizeof(int)));
    CUDA(cuMemAlloc(&data.ticket, sizeof(int)));
    CUDA(cuMemcpyHtoD(data.in, host, bytes));
    free(host);
    return data;
}

static void print_time(const char *name, const struct plan *plan, double ns, long long n)
{
    printf("%-9s %12.2f us  %8.1f GB/s  (%s, %s, %d blocks of %d, %d loads of %d)\n", name,
           ns / 1e3, (double)n * sizeof(int) / ns, plan->variant,
           plan->shuffle ? "shuffle" : "tree", plan->grid, plan->block, plan->loads, plan->vector);
}

/* Runs the textbook's launch, then what the entry says. */
static bool compare(const struct gpu *gpu, const struct tuned_answer *answer, const char *source,
                    long long n)
{
    struct data data = make_data(n);
    struct plan baseline = textbook(gpu), plan;
    double baseline_ns = 0, tuned_ns = 0;
    compile_plan(gpu, source, &baseline);
    if (!time_plan(&baseline, &data, &baseline_ns))
        return false;
    print_time("baseline", &baseline, baseline_ns, n);
    if (!answer->entry || !plan_from(answer->entry, &plan)) {
        printf("no entry for this kernel: the baseline is what runs\n");
        return true;
    }
    compile_plan(gpu, source, &plan);
    if (!time_plan(&plan, &data, &tuned_ns))
        return false;
    print_time("tuned", &plan, tuned_ns, n);
    printf("gain      %12.2f x", baseline_ns / tuned_ns);
    if (tuned_expected_ns(answer->entry) > 0)
        printf("   (tuned.conf: %.2f us at n = %lld)", tuned_expected_ns(answer->entry) / 1e3,
               tuned_entry_n(answer->entry));
    printf("\n");
    return true;
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "tuned.conf";
    char *end = NULL;
    long long n = argc > 2 ? strtoll(argv[2], &end, 10) : 100000000;
    if (argc > 4 || (end && *end) || n < 1 || n > 1LL << 34) {
        fprintf(stderr, "usage: reduce_cuda [TUNED_CONF [N [REDUCE_CU]]]   N from 1 to 2^34\n");
        return 2;
    }
    struct gpu gpu;
    struct tuned_error error;
    struct tuned_answer answer;
    char reason[TUNED_REASON_BYTES];
    open_gpu(&gpu);
    struct tuned *tuned = tuned_load(path, &error);
    if (!tuned)
        printf("%s\n", error.text);
    tuned_find(tuned, &gpu.device, "reduce.sum.i32", n, &answer);
    tuned_reason(&answer, reason, sizeof reason);
    printf("device    %s, compute capability %d.%d, %d SMs\nproblem   reduce.sum.i32, n = %lld\n"
           "answer    %s: %s\n",
           gpu.name, gpu.device.compute_capability_major, gpu.device.compute_capability_minor,
           gpu.sm_count, n, tuned_grade_name(answer.grade), reason);
    char *source = read_source(argc > 3 ? argv[3] : REDUCE_SOURCE);
    bool right = compare(&gpu, &answer, source, n);
    free(source);
    tuned_free(tuned);
    return right ? 0 : 1;
}
