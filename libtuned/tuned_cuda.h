/* tuned_cuda.h: libtuned for programs with CUDA; nothing but this header, on top of tuned.h.
 *
 *     struct tuned_cuda_device gpu;
 *     tuned_cuda_describe(&gpu);                     once a device: the current one, with limits
 *
 *     struct tuned_cuda_launch launch = tuned_cuda_launch_of(264, 256);     your own launch
 *     tuned_cuda_find(tuned, &gpu, "saxpy.f32", n, &launch);     what the file says, if anything
 *     if (!launch.has_grid)                          a grid that covers n is for you to work out
 *         launch.grid[0] = (unsigned)((n + launch.block[0] - 1) / launch.block[0]);
 *     tuned_cuda_prepare(&launch, kernel);           once a kernel and configuration
 *     tuned_cuda_launch_kernel(&launch, kernel, arguments, stream);
 *
 * The CUDA runtime API; the driver API with `#define TUNED_CUDA_DRIVER` in front of the #include,
 * and then kernels are CUfunction. A program may use both, each in sources of its own.
 *
 * C99 and C++11. Errors are CUDA's, as return codes; nothing is printed, allocated or kept. Any
 * number of threads may call at the same time, each with structs of its own to write to. */
#ifndef TUNED_CUDA_H
#define TUNED_CUDA_H

#include <limits.h>
#include <stddef.h>
#include <string.h>

#include "tuned.h"

#ifdef TUNED_CUDA_DRIVER
#include <cuda.h>
typedef CUresult tuned_cuda_status; /* CUDA_SUCCESS is 0 */
typedef CUdevice_attribute tuned_cuda_question;
typedef CUfunction tuned_cuda_kernel;
typedef CUstream tuned_cuda_stream;
#define TUNED_CUDA_TOO_MUCH CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES
#else
#include <cuda_runtime_api.h>
typedef cudaError_t tuned_cuda_status; /* cudaSuccess is 0 */
typedef enum cudaDeviceAttr tuned_cuda_question;
typedef const void *tuned_cuda_kernel; /* (const void *)kernel; C++ takes the kernel itself, too */
typedef cudaStream_t tuned_cuda_stream;
#define TUNED_CUDA_TOO_MUCH cudaErrorLaunchOutOfResources
#endif

#define TUNED_CUDA_NAME_BYTES 256

/* A described device. Not to be copied: device.name points at its own `name`. */
struct tuned_cuda_device {
    struct tuned_device device; /* for tuned_find, tuned_resolve ... */
    int index;                  /* as cudaSetDevice and cuDeviceGet count; the CUdevice */
    char name[TUNED_CUDA_NAME_BYTES];
};

/* A launch: the caller's own before it is filled in, and plain data after that: keep it for as long
 * as n and the device are the same. Of grid and block 0 counts as 1. */
struct tuned_cuda_launch {
    unsigned grid[3];    /* blocks: x, y, z */
    unsigned block[3];   /* threads per block */
    size_t shared_bytes; /* dynamic shared memory of a block */
    const char *variant; /* which kernel, in the words of the experiment; NULL: not said */
    /* Given: 1 when the kernel computes the same with any grid (a grid-stride loop). Else a grid is
     * taken only where it was measured at this very n on this very device: one that was to
     * cover another n would leave elements out. */
    int any_grid;
    /* Told by tuned_cuda_fill. */
    int has_grid;           /* 1: the grid is the answer's; 0: it is still the caller's */
    enum tuned_grade grade; /* TUNED_NONE: all is still the caller's */
};

/* ---- the device ---- */

#ifdef TUNED_CUDA_DRIVER
static inline tuned_cuda_status tuned_cuda_ask(int *out, tuned_cuda_question question, int index)
{
    return cuDeviceGetAttribute(out, question, (CUdevice)index);
}

static inline tuned_cuda_status tuned_cuda_name(struct tuned_cuda_device *out)
{
    size_t bytes = 0;
    tuned_cuda_status result =
        cuDeviceGetName(out->name, TUNED_CUDA_NAME_BYTES, (CUdevice)out->index);
    if (result == CUDA_SUCCESS)
        result = cuDeviceTotalMem(&bytes, (CUdevice)out->index);
    out->device.memory_bytes = (long long)bytes;
    return result;
}
#else
static inline tuned_cuda_status tuned_cuda_ask(int *out, tuned_cuda_question question, int index)
{
    return cudaDeviceGetAttribute(out, question, index);
}

static inline tuned_cuda_status tuned_cuda_name(struct tuned_cuda_device *out)
{
    struct cudaDeviceProp properties;
    tuned_cuda_status result = cudaGetDeviceProperties(&properties, out->index);
    if (result != cudaSuccess)
        return result;
    memcpy(out->name, properties.name, sizeof out->name);
    out->name[sizeof out->name - 1] = '\0';
    out->device.memory_bytes = (long long)properties.totalGlobalMem;
    return result;
}
#endif

enum {
    TUNED_CUDA_MAJOR,
    TUNED_CUDA_MINOR,
    TUNED_CUDA_UNITS,
    TUNED_CUDA_THREADS,
    TUNED_CUDA_SHARED,
    TUNED_CUDA_REGISTERS,
    TUNED_CUDA_CLOCK_KHZ,
    TUNED_CUDA_BUS_BITS,
    TUNED_CUDA_QUESTIONS
};

static inline tuned_cuda_status tuned_cuda_ask_all(int index, int answers[TUNED_CUDA_QUESTIONS])
{
#ifdef TUNED_CUDA_DRIVER
    static const tuned_cuda_question questions[TUNED_CUDA_QUESTIONS] = {
        CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
        CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
        CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
        CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
        CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
        CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR,
        CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE,
        CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH};
#else
    static const tuned_cuda_question questions[TUNED_CUDA_QUESTIONS] = {
        cudaDevAttrComputeCapabilityMajor,
        cudaDevAttrComputeCapabilityMinor,
        cudaDevAttrMultiProcessorCount,
        cudaDevAttrMaxThreadsPerBlock,
        cudaDevAttrMaxSharedMemoryPerBlockOptin,
        cudaDevAttrMaxRegistersPerMultiprocessor,
        cudaDevAttrMemoryClockRate,
        cudaDevAttrGlobalMemoryBusWidth};
#endif
    tuned_cuda_status result = (tuned_cuda_status)0;
    int i;
    for (i = 0; i < TUNED_CUDA_QUESTIONS && result == (tuned_cuda_status)0; i++)
        result = tuned_cuda_ask(&answers[i], questions[i], index);
    return result;
}

/* Describes a device by its index: some 10 questions to the driver, no context is needed. With the
 * driver API after cuInit. When it fails, *out is as if it were unknown: nothing is found for it.
 */
static inline tuned_cuda_status tuned_cuda_describe_device(int index, struct tuned_cuda_device *out)
{
    int answers[TUNED_CUDA_QUESTIONS] = {0};
    tuned_cuda_status result;
    memset(out, 0, sizeof *out);
    out->index = index;
    result = tuned_cuda_ask_all(index, answers);
    if (result == (tuned_cuda_status)0)
        result = tuned_cuda_name(out);
    if (result != (tuned_cuda_status)0)
        return result;
    out->device.kind = "cuda";
    out->device.name = out->name;
    out->device.compute_capability_major = answers[TUNED_CUDA_MAJOR];
    out->device.compute_capability_minor = answers[TUNED_CUDA_MINOR];
    out->device.unit_count = answers[TUNED_CUDA_UNITS];
    /* Of the pins, as tune has it: two transfers a clock. */
    out->device.bandwidth_gbs =
        2.0 * answers[TUNED_CUDA_CLOCK_KHZ] * answers[TUNED_CUDA_BUS_BITS] / 8 / 1e6;
    out->device.max_threads_per_block = answers[TUNED_CUDA_THREADS];
    out->device.max_shared_bytes = answers[TUNED_CUDA_SHARED];
    out->device.registers_per_unit = answers[TUNED_CUDA_REGISTERS];
    return result;
}

/* Describes the current device of this thread; with the driver API that of its current context. */
static inline tuned_cuda_status tuned_cuda_describe(struct tuned_cuda_device *out)
{
    int index = 0;
    tuned_cuda_status result;
    memset(out, 0, sizeof *out);
#ifdef TUNED_CUDA_DRIVER
    {
        CUdevice device = 0;
        result = cuCtxGetDevice(&device);
        index = (int)device;
    }
#else
    result = cudaGetDevice(&index);
#endif
    return result == (tuned_cuda_status)0 ? tuned_cuda_describe_device(index, out) : result;
}

/* ---- the launch ---- */

/* A value of the answer under one of several names; 0: none of them, `out` is as it was; -1: not
 * one that a launch can have. */
static inline int tuned_cuda_value(const struct tuned_answer *answer, const char *const names[],
                                   int name_count, long long most, long long *out)
{
    int i;
    for (i = 0; i < name_count; i++) {
        const long long value = tuned_answer_integer(answer, names[i], LLONG_MIN);
        if (value == LLONG_MIN)
            continue;
        if (value < 0 || value > most)
            return -1;
        *out = value;
        return 1;
    }
    return 0;
}

/* Three axes; how many of them were found, -1: one that no launch can have. */
static inline int tuned_cuda_axes(const struct tuned_answer *answer, const char *const names[3][3],
                                  const long long most[3], unsigned out[3])
{
    int axis, count = 0;
    for (axis = 0; axis < 3; axis++) {
        long long value = 0;
        const int found =
            tuned_cuda_value(answer, names[axis], axis == 0 ? 3 : 2, most[axis], &value);
        if (found < 0 || (found > 0 && value == 0))
            return -1;
        if (found > 0)
            out[axis] = (unsigned)value;
        count += found;
    }
    return count;
}

static inline unsigned tuned_cuda_at_least_one(unsigned count)
{
    return count > 0 ? count : 1;
}

/* Whether its blocks have at most so many threads; 0: as many as any device can have. */
static inline int tuned_cuda_fits(const struct tuned_cuda_launch *launch, int most)
{
    return (unsigned long long)tuned_cuda_at_least_one(launch->block[0]) *
               tuned_cuda_at_least_one(launch->block[1]) *
               tuned_cuda_at_least_one(launch->block[2]) <=
           (most > 0 ? (unsigned long long)most : 1024);
}

/* A launch of one dimension, to be filled in. */
static inline struct tuned_cuda_launch tuned_cuda_launch_of(unsigned grid, unsigned block)
{
    struct tuned_cuda_launch launch;
    memset(&launch, 0, sizeof launch);
    launch.grid[0] = grid;
    launch.block[0] = block;
    return launch;
}

/* Takes over what an answer (of tuned_find, tuned_find_resolved ...) says of a launch, and leaves
 * the rest of *launch as the caller had it. The values go by these names, the first that is there:
 *
 *     grid[0]  grid, grid_x, grid_size_x      block[0]  block, block_x, block_size_x
 *     grid[1]  grid_y, grid_size_y            block[1]  block_y, block_size_y
 *     grid[2]  grid_z, grid_size_z            block[2]  block_z, block_size_z
 *     shared_bytes  shared_bytes, shared      variant   variant
 *
 * Values by the number of multiprocessors are those for this device. All or nothing: what this
 * device could not launch, or no device could, changes nothing, and the grade is TUNED_NONE.
 * Returns launch->grade. */
static inline enum tuned_grade tuned_cuda_fill(const struct tuned_answer *answer,
                                               struct tuned_cuda_launch *launch)
{
    static const char *const grids[3][3] = {{"grid", "grid_x", "grid_size_x"},
                                            {"grid_y", "grid_size_y", NULL},
                                            {"grid_z", "grid_size_z", NULL}};
    static const char *const blocks[3][3] = {{"block", "block_x", "block_size_x"},
                                             {"block_y", "block_size_y", NULL},
                                             {"block_z", "block_size_z", NULL}};
    static const char *const shared_names[2] = {"shared_bytes", "shared"};
    static const long long most_blocks[3] = {2147483647, 65535, 65535};
    static const long long most_threads[3] = {1024, 1024, 64};
    const struct tuned_device *device = answer->device;
    struct tuned_cuda_launch filled = *launch;
    long long shared_bytes = (long long)launch->shared_bytes;
    const long long most_shared =
        device && device->max_shared_bytes > 0 ? device->max_shared_bytes : INT_MAX;
    launch->has_grid = 0;
    launch->grade = TUNED_NONE;
    if (!answer->entry || answer->grade == TUNED_NONE)
        return TUNED_NONE;
    filled.has_grid = 0;
    if (launch->any_grid || answer->grade == TUNED_EXACT)
        filled.has_grid = tuned_cuda_axes(answer, grids, most_blocks, filled.grid);
    if (filled.has_grid < 0 || tuned_cuda_axes(answer, blocks, most_threads, filled.block) < 0 ||
        tuned_cuda_value(answer, shared_names, 2, most_shared, &shared_bytes) < 0 ||
        !tuned_cuda_fits(&filled, device ? device->max_threads_per_block : 0))
        return TUNED_NONE;
    filled.has_grid = filled.has_grid > 0;
    filled.shared_bytes = (size_t)shared_bytes;
    filled.variant = tuned_text(answer->entry, "variant", launch->variant);
    filled.grade = answer->grade;
    *launch = filled;
    return launch->grade;
}

/* tuned_find for a described device, and tuned_cuda_fill. */
static inline enum tuned_grade tuned_cuda_find(const struct tuned *tuned,
                                               const struct tuned_cuda_device *gpu,
                                               const char *problem, long long n,
                                               struct tuned_cuda_launch *launch)
{
    struct tuned_answer answer;
    tuned_find(tuned, &gpu->device, problem, n, &answer);
    return tuned_cuda_fill(&answer, launch);
}

/* What a kernel allows: threads per block, bytes of dynamic shared memory that it was given leave
 * for, in this order. */
static inline tuned_cuda_status tuned_cuda_ask_kernel(tuned_cuda_kernel kernel, int limits[2])
{
#ifdef TUNED_CUDA_DRIVER
    tuned_cuda_status result =
        cuFuncGetAttribute(&limits[0], CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel);
    if (result == CUDA_SUCCESS)
        result =
            cuFuncGetAttribute(&limits[1], CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, kernel);
    return result;
#else
    struct cudaFuncAttributes attributes;
    tuned_cuda_status result = cudaFuncGetAttributes(&attributes, kernel);
    if (result != cudaSuccess)
        return result;
    limits[0] = attributes.maxThreadsPerBlock;
    limits[1] = attributes.maxDynamicSharedSizeBytes;
    return result;
#endif
}

/* To be called once for a kernel and a configuration, before it is launched: asks whether the
 * kernel, as it was compiled, can have so many threads per block (TUNED_CUDA_TOO_MUCH: it cannot,
 * so launch your own), and gives it leave for more dynamic shared memory where it has not got it.
 */
static inline tuned_cuda_status tuned_cuda_prepare(const struct tuned_cuda_launch *launch,
                                                   tuned_cuda_kernel kernel)
{
    int limits[2] = {0, 0};
    const tuned_cuda_status result = tuned_cuda_ask_kernel(kernel, limits);
    if (result != (tuned_cuda_status)0)
        return result;
    if (!tuned_cuda_fits(launch, limits[0]) || launch->shared_bytes > INT_MAX)
        return TUNED_CUDA_TOO_MUCH;
    if (launch->shared_bytes <= (size_t)limits[1])
        return result;
#ifdef TUNED_CUDA_DRIVER
    return cuFuncSetAttribute(kernel, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                              (int)launch->shared_bytes);
#else
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                (int)launch->shared_bytes);
#endif
}

/* cudaLaunchKernel, or cuLaunchKernel: arguments[i] points at the value of argument i. */
static inline tuned_cuda_status tuned_cuda_launch_kernel(const struct tuned_cuda_launch *launch,
                                                         tuned_cuda_kernel kernel, void **arguments,
                                                         tuned_cuda_stream stream)
{
    unsigned grid[3], block[3];
    int axis;
    for (axis = 0; axis < 3; axis++) {
        grid[axis] = tuned_cuda_at_least_one(launch->grid[axis]);
        block[axis] = tuned_cuda_at_least_one(launch->block[axis]);
    }
#ifdef TUNED_CUDA_DRIVER
    return cuLaunchKernel(kernel, grid[0], grid[1], grid[2], block[0], block[1], block[2],
                          (unsigned)launch->shared_bytes, stream, arguments, NULL);
#else
    {
        struct dim3 blocks, threads;
        blocks.x = grid[0], blocks.y = grid[1], blocks.z = grid[2];
        threads.x = block[0], threads.y = block[1], threads.z = block[2];
        return cudaLaunchKernel(kernel, blocks, threads, arguments, launch->shared_bytes, stream);
    }
#endif
}

#if defined(__cplusplus) && !defined(TUNED_CUDA_DRIVER)
template <typename... P>
static inline cudaError_t tuned_cuda_prepare(const tuned_cuda_launch *launch, void (*kernel)(P...))
{
    return tuned_cuda_prepare(launch, (const void *)kernel);
}
template <typename... P>
static inline cudaError_t tuned_cuda_launch_kernel(const tuned_cuda_launch *launch,
                                                   void (*kernel)(P...), void **arguments,
                                                   cudaStream_t stream)
{
    return tuned_cuda_launch_kernel(launch, (const void *)kernel, arguments, stream);
}
#endif

#endif
