/* reduce_cuda [TUNED_CONF [N [REDUCE_CU]]]: sums N ints (default 10^8) on GPU 0 as tuned.conf says,
 * checks the sum, and prints the gain over the textbook's launch: 1024 threads on 2 blocks an
 * SM, a tree in shared memory, two launches. Without an entry it runs the textbook's.
 *
 * Driver API and NVRTC. Exit code 1: a wrong result, or CUDA failed. */
#include <cuda.h>
#include <nvrtc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TUNED_CUDA_DRIVER
#include <tuned_cuda.h>

#ifndef REDUCE_SOURCE
#define REDUCE_SOURCE "kernels/reduce/reduce.cu"
#endif

/* Ends the program on an error. */
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

static void open_gpu(struct tuned_cuda_device *gpu)
{
    CUdevice device;
    CUcontext context;
    CUDA(cuInit(0));
    CUDA(cuDeviceGet(&device, 0));
    CUDA(cuDevicePrimaryCtxRetain(&context, device));
    CUDA(cuCtxSetCurrent(context));
    CUDA(tuned_cuda_describe(gpu)); /* limits too: an entry that cannot be launched is not found */
}

/* ---- the launch ---- */

/* The parameters of configs/reduce.yaml, and their derived values. Texts are tuned.conf's. */
struct plan {
    const char *variant, *map, *step, *cache;
    int block, count, loads, min_blocks, cluster_size, stages;
    int resident;                /* blocks per SM */
    unsigned grid, shared_bytes; /* shared memory: the dynamic one */
    CUfunction first, second;    /* second: of two launches, else NULL */
};

/* Makes a plan of the entry's values, and of the textbook's for missing ones or without an entry.
 */
static struct plan plan_from(const struct tuned_entry *entry)
{
    return (struct plan){
        .variant = tuned_text(entry, "variant", "two_launches"),
        .map = tuned_text(entry, "map", "strided"),
        .step = tuned_text(entry, "step", "tree"),
        .cache = tuned_text(entry, "cache", "no_allocate"),
        .block = (int)tuned_integer(entry, "block", 1024),
        .count = (int)tuned_integer(entry, "count", 1),
        .loads = (int)tuned_integer(entry, "loads", 1),
        .min_blocks = (int)tuned_integer(entry, "min_blocks", 1),
        .cluster_size = (int)tuned_integer(entry, "cluster_size", 1),
        .stages = (int)tuned_integer(entry, "stages", 0),
        .resident = (int)tuned_integer(entry, "resident", 2),
    };
}

/* Tells whether the entry is of this kernel. Entries beyond this device's limits were not found. */
static bool fits(const struct tuned_entry *entry)
{
    struct plan plan = plan_from(entry);
    return tuned_text(entry, "map", NULL) && plan.block > 0 && plan.count > 0 && plan.loads > 0 &&
           plan.cluster_size > 0 && plan.stages >= 0 && plan.resident > 0;
}

static bool is(const char *text, const char *other)
{
    return strcmp(text, other) == 0;
}

static bool is_one_block(const struct plan *plan)
{
    return is(plan->variant, "one_warp") || is(plan->variant, "one_block");
}

static bool is_two_launches(const struct plan *plan)
{
    return is(plan->variant, "two_launches") || is(plan->variant, "dependent_launches");
}

/* Computes the grid of configs/reduce.yaml for this n; the entry's is for its measured size.
 * `resident` blocks per SM, but none without a tile. Flagged partials: one block, or cluster, more
 * waits for them. */
static void size_plan(const struct tuned_cuda_device *gpu, long long n, struct plan *plan)
{
    long long tile = (long long)plan->block * plan->count * plan->loads;
    long long tiles = (n + tile - 1) / tile, size = plan->cluster_size;
    long long blocks = (long long)gpu->device.unit_count * plan->resident;
    if (is(plan->map, "tile") || blocks > tiles)
        blocks = tiles;
    blocks = (blocks + size - 1) / size * size;
    if (is_one_block(plan))
        blocks = 1;
    else if (is(plan->variant, "flagged") || is(plan->variant, "bulk"))
        blocks++;
    else if (is(plan->variant, "cluster") && blocks > size)
        blocks += size;
    plan->grid = (unsigned)blocks;
    plan->shared_bytes = (unsigned)(plan->stages * tile * (long long)sizeof(int));
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

enum { NAME_BYTES = 384 };

/* Writes the name of a template's instance as in C++: tune::reduce_KERNEL<...>. */
static void name_instance(const struct plan *plan, const char *kernel, const char *last, char *name)
{
    snprintf(name, NAME_BYTES,
             "tune::reduce_%s<tune::sum, tune::i32, tune::policy<%d, %d, %d, %d, tune::step::%s, "
             "tune::cache::%s, tune::map::%s>%s>",
             kernel, plan->block, plan->count, plan->loads, plan->min_blocks, plan->step,
             plan->cache, plan->map, last);
}

/* Writes the name of the variant's kernel. */
static void name_first(const struct plan *plan, char *name)
{
    char last[64];
    bool cluster = is(plan->variant, "cluster");
    if (is_one_block(plan)) {
        name_instance(plan, "one_block", "", name);
    } else if (cluster || is(plan->variant, "bulk")) {
        snprintf(last, sizeof last, ", %d", cluster ? plan->cluster_size : plan->stages);
        name_instance(plan, plan->variant, last, name);
    } else {
        snprintf(last, sizeof last, ", tune::finish::%s", plan->variant);
        name_instance(plan, "grid", last, name);
    }
}

static CUfunction find_kernel(nvrtcProgram program, CUmodule module, const char *name)
{
    const char *lowered;
    CUfunction kernel;
    NVRTC(nvrtcGetLoweredName(program, name, &lowered));
    CUDA(cuModuleGetFunction(&kernel, module, lowered));
    return kernel;
}

static CUmodule load_program(nvrtcProgram program)
{
    CUmodule module;
    size_t bytes = 0;
    NVRTC(nvrtcGetCUBINSize(program, &bytes));
    char *binary = allocate(bytes);
    NVRTC(nvrtcGetCUBIN(program, binary));
    CUDA(cuModuleLoadData(&module, binary));
    free(binary);
    return module;
}

/* Compiles the plan's kernels. The headers are in the source's folder. */
static void compile_plan(const struct tuned_cuda_device *gpu, const char *path, struct plan *plan)
{
    char architecture[64], folder[4096], first[NAME_BYTES], second[NAME_BYTES];
    const char *slash = strrchr(path, '/'), *options[] = {architecture, "-std=c++17", folder};
    char *source = read_source(path);
    nvrtcProgram program;
    snprintf(architecture, sizeof architecture, "--gpu-architecture=sm_%d%d",
             gpu->device.compute_capability_major, gpu->device.compute_capability_minor);
    snprintf(folder, sizeof folder, "-I%.*s", slash ? (int)(slash - path) + 1 : 1,
             slash ? path : ".");
    name_first(plan, first);
    name_instance(plan, "partials", "", second);
    NVRTC(nvrtcCreateProgram(&program, source, "reduce.cu", 0, NULL, NULL));
    NVRTC(nvrtcAddNameExpression(program, first));
    if (is_two_launches(plan))
        NVRTC(nvrtcAddNameExpression(program, second));
    nvrtcResult result = nvrtcCompileProgram(program, 3, options);
    if (result != NVRTC_SUCCESS)
        print_log(program);
    NVRTC(result);
    CUmodule module = load_program(program);
    plan->first = find_kernel(program, module, first);
    if (is_two_launches(plan))
        plan->second = find_kernel(program, module, second);
    NVRTC(nvrtcDestroyProgram(&program));
    free(source);
    if (plan->shared_bytes > 0)
        CUDA(cuFuncSetAttribute(plan->first, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                (int)plan->shared_bytes));
    if (plan->cluster_size > 8)
        CUDA(cuFuncSetAttribute(plan->first, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED,
                                1));
}

/* ---- running and timing ---- */

enum { SLOT_BYTES = 16, STATE_BYTES = 64 };

struct data {
    CUdeviceptr in, out, slots, state; /* slots: one per block */
    long long n;
    unsigned long long number; /* a number that no slot contains, whatever else they hold */
    int expected;
};

static void reduce(const struct plan *plan, struct data *data)
{
    long long partial_count = plan->grid;
    void *first[] = {&data->in, &data->out, &data->slots, &data->state, &data->n, &data->number};
    void *second[] = {&data->in, &data->out, &data->slots, &data->state, &partial_count};
    CUDA(cuLaunchKernel(plan->first, plan->grid, 1, 1, (unsigned)plan->block, 1, 1,
                        plan->shared_bytes, NULL, first, NULL));
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

/* Measures the median of SAMPLES, each of enough runs that the clock's step does not matter. L2
 * holds the data of the run before. Returns false for a wrong sum. */
static bool time_plan(const struct plan *plan, struct data *data, double *median_ns)
{
    float times[SAMPLES];
    CUevent start, end;
    int wrong = ~data->expected;
    long long runs = 1 + 200000000 / (data->n + 200000);
    size_t slot_bytes = (size_t)plan->grid * SLOT_BYTES;
    CUDA(cuMemAlloc(&data->slots, slot_bytes));
    CUDA(cuMemAlloc(&data->state, STATE_BYTES));
    CUDA(cuMemcpyHtoD(data->out, &wrong, sizeof wrong));
    /* Zeroed once: each launch leaves the state zero. */
    CUDA(cuMemsetD8(data->state, 0, STATE_BYTES));
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
    CUDA(cuMemFree(data->slots));
    CUDA(cuMemFree(data->state));
    if (!right)
        return false;
    qsort(times, SAMPLES, sizeof times[0], compare_times);
    *median_ns = (double)times[SAMPLES / 2] * 1e6 / (double)runs;
    return true;
}

static struct data make_data(long long n)
{
    struct data data = {.n = n, .number = 0x9e3779b97f4a7c15};
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
    CUDA(cuMemcpyHtoD(data.in, host, bytes));
    free(host);
    return data;
}

static void print_time(const char *name, const struct plan *plan, double ns, long long n)
{
    printf("%-9s %12.2f us  %8.1f GB/s  (%s, %s, %s, %u blocks of %d, %d loads of %d)\n", name,
           ns / 1e3, (double)n * sizeof(int) / ns, plan->variant, plan->map, plan->step, plan->grid,
           plan->block, plan->loads, plan->count);
}

/* Runs the textbook's launch, then the entry's. */
static bool compare(const struct tuned_cuda_device *gpu, const struct tuned_answer *answer,
                    const char *path, long long n)
{
    struct data data = make_data(n);
    struct plan baseline = plan_from(NULL), plan = plan_from(answer->entry);
    double baseline_ns = 0, tuned_ns = 0;
    size_plan(gpu, n, &baseline);
    compile_plan(gpu, path, &baseline);
    if (!time_plan(&baseline, &data, &baseline_ns))
        return false;
    print_time("baseline", &baseline, baseline_ns, n);
    if (!answer->entry || !fits(answer->entry)) {
        printf("no entry for this kernel on this device: the baseline is what runs\n");
        return true;
    }
    size_plan(gpu, n, &plan);
    compile_plan(gpu, path, &plan);
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
    struct tuned_cuda_device gpu;
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
           gpu.device.unit_count, n, tuned_grade_name(answer.grade), reason);
    bool right = compare(&gpu, &answer, argc > 3 ? argv[3] : REDUCE_SOURCE, n);
    tuned_free(tuned);
    return right ? 0 : 1;
}
