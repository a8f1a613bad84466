/* tuned_cuda.h over the driver API, on a GPU: the device in tune's description, and kernels
 * launched by a tuned.conf. Skipped without a GPU. */
#define TUNED_CUDA_DRIVER
#include "libtuned/tuned_cuda.h"

#include "tests/gpu/device/cuda_fixture.h"

#include <dlfcn.h>

#include "tuner/base/seal.h"
#include "tuner/device/cuda/container.h"

/* Finds a function of libcuda, which a program would link; the test must also start without it. */
static void *driver_function(const char *name)
{
    static void *driver;
    if (!driver)
        driver = dlopen("libcuda.so.1", RTLD_NOW);
    return driver ? dlsym(driver, name) : NULL;
}
#define TEXT_OF(name) #name
#define FORWARD(name, parameters, given)                                                           \
    CUresult name parameters                                                                       \
    {                                                                                              \
        CUresult(*real) parameters;                                                                \
        *(void **)&real = driver_function(TEXT_OF(name));                                          \
        return real ? real given : CUDA_ERROR_NOT_INITIALIZED;                                     \
    }
FORWARD(cuCtxGetDevice, (CUdevice * out), (out))
FORWARD(cuDeviceGetName, (char *out, int bytes, CUdevice index), (out, bytes, index))
FORWARD(cuDeviceTotalMem, (size_t * out, CUdevice index), (out, index))
FORWARD(cuDeviceGetAttribute, (int *out, CUdevice_attribute which, CUdevice index),
        (out, which, index))
FORWARD(cuFuncGetAttribute, (int *out, CUfunction_attribute which, CUfunction kernel),
        (out, which, kernel))
FORWARD(cuFuncSetAttribute, (CUfunction kernel, CUfunction_attribute which, int value),
        (kernel, which, value))
FORWARD(cuLaunchKernel,
        (CUfunction kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
         unsigned block_y, unsigned block_z, unsigned shared, CUstream stream, void **arguments,
         void **extra),
        (kernel, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream, arguments,
         extra))
FORWARD(cuLaunchKernelEx,
        (const CUlaunchConfig *config, CUfunction kernel, void **arguments, void **extra),
        (config, kernel, arguments, extra))
FORWARD(cuOccupancyMaxActiveClusters,
        (int *clusters, CUfunction kernel, const CUlaunchConfig *config),
        (clusters, kernel, config))
FORWARD(cuOccupancyMaxActiveBlocksPerMultiprocessor,
        (int *blocks, CUfunction kernel, int threads, size_t shared),
        (blocks, kernel, threads, shared))
FORWARD(cuModuleLoadData, (CUmodule * out, const void *data), (out, data))
FORWARD(cuModuleGetFunction, (CUfunction * out, CUmodule module, const char *name),
        (out, module, name))
FORWARD(cuMemAlloc, (CUdeviceptr * out, size_t bytes), (out, bytes))
FORWARD(cuMemFree, (CUdeviceptr memory), (memory))
FORWARD(cuMemcpyHtoDAsync, (CUdeviceptr to, const void *from, size_t bytes, CUstream stream),
        (to, from, bytes, stream))
FORWARD(cuMemcpyDtoHAsync, (void *to, CUdeviceptr from, size_t bytes, CUstream stream),
        (to, from, bytes, stream))
FORWARD(cuCtxSynchronize, (void), ())

static struct tuned_cuda_device gpu;
static struct tuned *tuned;

#define assert_cuda(call) assert_int_equal((call), CUDA_SUCCESS)

/* Returns the kernel of a binary compiled by the fixture. */
static CUfunction kernel_of(const char *name)
{
    struct arena arena = {0};
    struct container container;
    CUmodule module;
    CUfunction kernel;
    char path[80];
    (void)snprintf(path, sizeof path, "%s.glue", binary);
    struct text log = {0};
    struct binary_request request = {.source_path = source,
                                     .architecture = facts_text(&facts, "architecture", ""),
                                     .kernel_count = 1,
                                     .kernels = {name}};
    assert_ok(cuda->compile(&request, path, &log, &error));
    text_free(&log);
    assert_ok(container_open(&arena, path, &container, &error));
    (void)unlink(path);
    assert_cuda(cuModuleLoadData(&module, container.cubin));
    assert_cuda(cuModuleGetFunction(&kernel, module, container.kernels[0].lowered));
    arena_free(&arena);
    return kernel;
}

/* Loads a file tuned on this device, with entries that no device can launch beside. */
static void load_file(void)
{
    char text[1024];
    struct tuned_error why;
    int bytes = snprintf(
        text, sizeof text,
        "tuned-conf 4\n[cuda \"%s\"] compute_capability=%d.%d sm_count=%d\n"
        "add n=%d grid=391 block=256 variant=plain | launch.grid=\"ceil_div(n,block)\" "
        "launch.block=block\n"
        "add n=200000 block=2048 | launch.grid=1 launch.block=block\n"
        "together n=%d grid=391 block=256 | launch.grid=\"ceil_div(n,block)\" launch.block=block "
        "launch.cooperative=1\n"
        "reverse n=25000 block=512 | launch.grid=1 launch.block=block launch.shared=\"4*n\"\n"
        "end\n",
        gpu.device.name, gpu.device.compute_capability_major, gpu.device.compute_capability_minor,
        gpu.device.unit_count, COUNT, COUNT);
    tuned = tuned_load_memory(text, (size_t)bytes, "glue", &why);
    if (!tuned)
        fail_msg("%s", why.text);
}

TEST(device_is_the_one_that_tune_describes)
{
    need_gpu();
    assert_cuda(tuned_cuda_describe(&gpu));
    assert_int_equal(gpu.index, 0);
    assert_string_equal(gpu.device.kind, "cuda");
    assert_ptr_equal(gpu.device.name, gpu.name);
    assert_string_equal(gpu.name, facts_text(&facts, "name", ""));
    assert_int_equal(gpu.device.unit_count, facts_integer(&facts, "sm_count", -1));
    assert_int_equal(gpu.device.memory_bytes, facts_integer(&facts, "memory_bytes", -1));
    assert_int_equal(gpu.device.max_threads_per_block,
                     facts_integer(&facts, "max_threads_per_block", -1));
    assert_int_equal(gpu.device.max_shared_bytes,
                     facts_integer(&facts, "shared_bytes_per_block_optin", -1));
    assert_int_equal(gpu.device.registers_per_unit, facts_integer(&facts, "registers_per_sm", -1));
    assert_true(gpu.device.compute_capability_major >= 7);
    assert_true(gpu.device.bandwidth_gbs > 1 && gpu.device.bandwidth_gbs < 1e5);
}

TEST(unknown_device_is_an_error_and_finds_nothing)
{
    struct tuned_cuda_device none;
    struct tuned_cuda_launch launch = tuned_cuda_launch_of(5, 64);
    need_gpu();
    assert_int_not_equal(tuned_cuda_describe_device(4711, &none), CUDA_SUCCESS);
    assert_null(none.device.name);
    load_file();
    assert_int_equal(tuned_cuda_find(tuned, &none, "add", COUNT, &launch), TUNED_NONE);
    assert_int_equal(launch.block[0], 64);
    tuned_free(tuned);
}

static CUdeviceptr on_device(const int *from, size_t count)
{
    CUdeviceptr memory = 0;
    assert_cuda(cuMemAlloc(&memory, count * sizeof *from));
    if (from)
        assert_cuda(cuMemcpyHtoDAsync(memory, from, count * sizeof *from, NULL));
    return memory;
}

/* Checks that the launch found for COUNT covers it: every element is right only with that grid and
 * block. */
static void launch_found(const char *problem)
{
    struct tuned_cuda_launch launch = tuned_cuda_launch_of(1, 32);
    CUfunction kernel = kernel_of("scaled_add");
    CUdeviceptr left = on_device(a, COUNT), right = on_device(b, COUNT),
                sum = on_device(NULL, COUNT);
    int *out = calloc(COUNT, sizeof *out), scale = -3;
    long long n = COUNT;
    void *arguments[] = {&left, &right, &sum, &scale, &n};
    assert_non_null(out);
    assert_int_equal(tuned_cuda_find(tuned, &gpu, problem, COUNT, &launch), TUNED_EXACT);
    assert_int_equal(launch.grid[0], (COUNT + 255) / 256);
    assert_int_equal(launch.is_cooperative, strcmp(problem, "together") == 0);
    assert_cuda(tuned_cuda_prepare(&launch, kernel));
    assert_cuda(tuned_cuda_launch_kernel(&launch, kernel, arguments, NULL));
    assert_cuda(cuMemcpyDtoHAsync(out, sum, COUNT * sizeof *out, NULL));
    assert_cuda(cuCtxSynchronize());
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(out[i], a[i] - 3 * b[i]);
    assert_cuda(cuMemFree(left));
    assert_cuda(cuMemFree(right));
    assert_cuda(cuMemFree(sum));
    free(out);
    launch.grid[1] = 40; /* more blocks than any device holds at once */
    assert_int_equal(tuned_cuda_prepare(&launch, kernel),
                     launch.is_cooperative ? TUNED_CUDA_TOO_MUCH : CUDA_SUCCESS);
}

TEST(found_launch_is_launched)
{
    need_gpu();
    load_file();
    launch_found("add");
    launch_found("together");
    tuned_free(tuned);
}

/* More shared memory than the default limit of a kernel. */
TEST(shared_memory_is_asked_for)
{
    enum { WORDS = 25000 };
    need_gpu();
    load_file();
    struct tuned_cuda_launch launch = tuned_cuda_launch_of(1, 32), less = launch;
    CUfunction kernel = kernel_of("reverse_block");
    CUdeviceptr in = on_device(a, WORDS), reversed = on_device(NULL, WORDS);
    int *out = calloc(WORDS, sizeof *out);
    void *arguments[] = {&in, &reversed};
    assert_non_null(out);
    if (gpu.device.max_shared_bytes >= 100000) {
        assert_int_equal(tuned_cuda_find(tuned, &gpu, "reverse", WORDS, &launch), TUNED_EXACT);
        assert_int_equal(launch.shared_bytes, 100000);
        assert_int_not_equal(tuned_cuda_launch_kernel(&launch, kernel, arguments, NULL),
                             CUDA_SUCCESS);
        assert_cuda(tuned_cuda_prepare(&launch, kernel));
        assert_cuda(tuned_cuda_prepare(&less, kernel)); /* limits are never lowered */
        assert_cuda(tuned_cuda_launch_kernel(&launch, kernel, arguments, NULL));
        assert_cuda(cuMemcpyDtoHAsync(out, reversed, WORDS * sizeof *out, NULL));
        assert_cuda(cuCtxSynchronize());
        for (int i = 0; i < WORDS; i++)
            assert_int_equal(out[i], a[WORDS - 1 - i]);
    }
    assert_cuda(cuMemFree(in));
    assert_cuda(cuMemFree(reversed));
    free(out);
    tuned_free(tuned);
}

TEST(what_cannot_be_launched_is_not_filled_in)
{
    need_gpu();
    load_file();
    struct tuned_cuda_launch launch = tuned_cuda_launch_of(7, 96);
    CUfunction kernel = kernel_of("scaled_add");
    assert_int_equal(tuned_cuda_find(tuned, &gpu, "add", 200000, &launch), TUNED_NONE);
    assert_true(launch.grid[0] == 7 && launch.block[0] == 96);
    launch.block[0] = 2048;
    assert_int_equal(tuned_cuda_prepare(&launch, kernel), TUNED_CUDA_TOO_MUCH);
    tuned_free(tuned);
}

TEST_MAIN(open_device, close_device)
