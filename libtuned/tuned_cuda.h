/* SPDX-FileCopyrightText: 2026 The tune authors
 * SPDX-License-Identifier: MIT */
/* tuned_cuda.h: libtuned for programs with CUDA; nothing but this header, on top of tuned.h.
 *
 *     struct tuned_cuda_device gpu;
 *     tuned_cuda_describe(&gpu);                     once a device: the current one, with limits
 *
 *     struct tuned_cuda_launch launch = tuned_cuda_launch_of(blocks_for(n), 256);     your own
 *     tuned_cuda_find(tuned, &gpu, "saxpy.f32", n, &launch);     what the file says, if anything
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
#include <stdio.h>
#include <string.h>

#include "tuned.h"

#if defined(__cplusplus) && defined(__GNUC__) /* it is C, too */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wuseless-cast"
#endif
#endif

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

/* A described device. It may be copied and moved: ask by tuned_cuda_identity. */
struct tuned_cuda_device {
    struct tuned_device device; /* for tuned_find, tuned_resolve ... */
    int index;                  /* as cudaSetDevice and cuDeviceGet count; the CUdevice */
    char name[TUNED_CUDA_NAME_BYTES];
};

/* A launch: the caller's own before it is filled in, and plain data after that: keep it for as long
 * as n and the device are the same. Of grid, block and cluster 0 counts as 1. */
struct tuned_cuda_launch {
    unsigned grid[3];        /* blocks: x, y, z */
    unsigned block[3];       /* threads per block */
    unsigned cluster[3];     /* blocks of a cluster, where the launch sets it */
    unsigned cluster_blocks; /* of the clusters that the kernel was compiled for; 0: none */
    size_t shared_bytes;     /* dynamic shared memory of a block */
    const char *variant;     /* which kernel, in the words of the experiment; NULL: not said */
    enum tuned_grade grade;  /* of what filled it in; TUNED_NONE: all is still the caller's */
    long long reserved[4];
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

/* The device for tuned_find, tuned_resolve ...: valid while *gpu stays where it is. */
static inline const struct tuned_device *tuned_cuda_identity(struct tuned_cuda_device *gpu)
{
    gpu->device.name = gpu->device.kind ? gpu->name : NULL;
    return &gpu->device;
}

/* What this program runs on, for tuned_stale: the driver as the CUDA version that it is for. The
 * texts lie in the struct; fill in build.source and others as you know them. */
struct tuned_cuda_build {
    struct tuned_build build;
    char driver[32];
};
static inline tuned_cuda_status tuned_cuda_describe_build(struct tuned_cuda_build *out)
{
    int version = 0;
#ifdef TUNED_CUDA_DRIVER
    const tuned_cuda_status result = cuDriverGetVersion(&version);
#else
    const tuned_cuda_status result = cudaDriverGetVersion(&version);
#endif
    memset(out, 0, sizeof *out);
    if (result != (tuned_cuda_status)0)
        return result;
    snprintf(out->driver, sizeof out->driver, "CUDA %d.%d", version / 1000, version % 1000 / 10);
    out->build.driver = out->driver;
    return result;
}

/* ---- the launch ---- */

/* Three numbers of a launch, at most `most` each; 0: no launch can have them. */
static inline int tuned_cuda_take(const long long from[3], const long long most[3], unsigned to[3])
{
    int axis;
    for (axis = 0; axis < 3; axis++) {
        if (from[axis] > most[axis])
            return 0;
        to[axis] = (unsigned)from[axis];
    }
    return 1;
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

/* Takes launch `index`, from 0, of the answer's configuration (of tuned_find, tuned_find_resolved
 * ...) for the size and the device that were asked about: grid, block, cluster and dynamic shared
 * memory, as the file's formulas have them there. All or nothing: where the file does not tell a
 * launch for this size on this device, or this device could not launch it, *launch stays as it was,
 * and the grade is TUNED_NONE. Returns launch->grade. */
static inline enum tuned_grade tuned_cuda_fill_at(const struct tuned_answer *answer, int index,
                                                  struct tuned_cuda_launch *launch)
{
    static const long long most_blocks[3] = {2147483647, 65535, 65535};
    static const long long most_threads[3] = {1024, 1024, 64};
    static const long long most_clusters[3] = {16, 16, 16};
    const struct tuned_device *device = answer->device;
    const long long most_shared =
        device && device->max_shared_bytes > 0 ? device->max_shared_bytes : INT_MAX;
    struct tuned_cuda_launch filled = *launch;
    struct tuned_launch found;
    launch->grade = TUNED_NONE;
    if (!tuned_answer_launch(answer, index, &found) ||
        !tuned_cuda_take(found.grid, most_blocks, filled.grid) ||
        !tuned_cuda_take(found.block, most_threads, filled.block) ||
        !tuned_cuda_take(found.cluster, most_clusters, filled.cluster) ||
        found.shared_bytes > most_shared ||
        !tuned_cuda_fits(&filled, device ? device->max_threads_per_block : 0))
        return TUNED_NONE;
    filled.shared_bytes = (size_t)found.shared_bytes;
    filled.cluster_blocks = (unsigned)tuned_evidence(answer->entry, "cluster", 0);
    filled.variant = tuned_text(answer->entry, "variant", launch->variant);
    filled.grade = answer->grade;
    *launch = filled;
    return launch->grade;
}

/* The first launch, which of most kernels is the only one. */
static inline enum tuned_grade tuned_cuda_fill(const struct tuned_answer *answer,
                                               struct tuned_cuda_launch *launch)
{
    return tuned_cuda_fill_at(answer, 0, launch);
}

/* tuned_find for a described device, and tuned_cuda_fill. */
static inline enum tuned_grade tuned_cuda_find(const struct tuned *tuned,
                                               const struct tuned_cuda_device *gpu,
                                               const char *problem, long long n,
                                               struct tuned_cuda_launch *launch)
{
    struct tuned_device device = gpu->device;
    struct tuned_answer answer;
    device.name = device.kind ? gpu->name : NULL;
    tuned_find(tuned, &device, problem, n, &answer);
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

/* Clusters have come with CUDA 11.8. */
#ifdef TUNED_CUDA_DRIVER
#define TUNED_CUDA_HAS_CLUSTERS (CUDA_VERSION >= 11080)
#else
#define TUNED_CUDA_HAS_CLUSTERS (CUDART_VERSION >= 11080)
#endif

static inline unsigned tuned_cuda_cluster_of(const struct tuned_cuda_launch *launch)
{
    return tuned_cuda_at_least_one(launch->cluster[0]) *
           tuned_cuda_at_least_one(launch->cluster[1]) *
           tuned_cuda_at_least_one(launch->cluster[2]);
}

#if TUNED_CUDA_HAS_CLUSTERS
#ifdef TUNED_CUDA_DRIVER
typedef CUlaunchConfig tuned_cuda_config;
typedef CUlaunchAttribute tuned_cuda_attribute;
#else
typedef cudaLaunchConfig_t tuned_cuda_config;
typedef cudaLaunchAttribute tuned_cuda_attribute;
#endif

/* The launch with its cluster: that which it sets, or, to ask whether one finds room, that which
 * the kernel was compiled for. */
static inline void tuned_cuda_configure(const struct tuned_cuda_launch *launch,
                                        const unsigned cluster[3], tuned_cuda_attribute *attribute,
                                        tuned_cuda_config *config)
{
    memset(attribute, 0, sizeof *attribute);
#ifdef __cplusplus
    *config = tuned_cuda_config();
#else
    memset(config, 0, sizeof *config);
#endif
#ifdef TUNED_CUDA_DRIVER
    attribute->id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attribute->value.clusterDim.x = tuned_cuda_at_least_one(cluster[0]);
    attribute->value.clusterDim.y = tuned_cuda_at_least_one(cluster[1]);
    attribute->value.clusterDim.z = tuned_cuda_at_least_one(cluster[2]);
    config->gridDimX = tuned_cuda_at_least_one(launch->grid[0]);
    config->gridDimY = tuned_cuda_at_least_one(launch->grid[1]);
    config->gridDimZ = tuned_cuda_at_least_one(launch->grid[2]);
    config->blockDimX = tuned_cuda_at_least_one(launch->block[0]);
    config->blockDimY = tuned_cuda_at_least_one(launch->block[1]);
    config->blockDimZ = tuned_cuda_at_least_one(launch->block[2]);
    config->sharedMemBytes = (unsigned)launch->shared_bytes;
#else
    attribute->id = cudaLaunchAttributeClusterDimension;
    attribute->val.clusterDim.x = tuned_cuda_at_least_one(cluster[0]);
    attribute->val.clusterDim.y = tuned_cuda_at_least_one(cluster[1]);
    attribute->val.clusterDim.z = tuned_cuda_at_least_one(cluster[2]);
    config->gridDim.x = tuned_cuda_at_least_one(launch->grid[0]);
    config->gridDim.y = tuned_cuda_at_least_one(launch->grid[1]);
    config->gridDim.z = tuned_cuda_at_least_one(launch->grid[2]);
    config->blockDim.x = tuned_cuda_at_least_one(launch->block[0]);
    config->blockDim.y = tuned_cuda_at_least_one(launch->block[1]);
    config->blockDim.z = tuned_cuda_at_least_one(launch->block[2]);
    config->dynamicSmemBytes = launch->shared_bytes;
#endif
    config->attrs = attribute;
    config->numAttrs = 1;
}

/* Leave for a cluster of more than 8 blocks, and whether one finds room on the device. */
static inline tuned_cuda_status tuned_cuda_allow_cluster(const struct tuned_cuda_launch *launch,
                                                         tuned_cuda_kernel kernel)
{
    const unsigned compiled[3] = {launch->cluster_blocks, 1, 1};
    const unsigned *cluster = tuned_cuda_cluster_of(launch) > 1 ? launch->cluster : compiled;
    tuned_cuda_attribute attribute;
    tuned_cuda_config config;
    tuned_cuda_status result = (tuned_cuda_status)0;
    int clusters = 0;
    if (tuned_cuda_cluster_of(launch) <= 1 && launch->cluster_blocks <= 1)
        return result;
    tuned_cuda_configure(launch, cluster, &attribute, &config);
#ifdef TUNED_CUDA_DRIVER
    if (tuned_cuda_cluster_of(launch) > 8 || launch->cluster_blocks > 8)
        result = cuFuncSetAttribute(kernel, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
    if (result == (tuned_cuda_status)0)
        result = cuOccupancyMaxActiveClusters(&clusters, kernel, &config);
#else
    if (tuned_cuda_cluster_of(launch) > 8 || launch->cluster_blocks > 8)
        result = cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    if (result == (tuned_cuda_status)0)
        result = cudaOccupancyMaxActiveClusters(&clusters, kernel, &config);
#endif
    return result == (tuned_cuda_status)0 && clusters == 0 ? TUNED_CUDA_TOO_MUCH : result;
}
#endif

/* To be called once for a kernel and a configuration, before it is launched: asks whether the
 * kernel, as it was compiled, can have so many threads per block, and the device such a cluster
 * (TUNED_CUDA_TOO_MUCH: no, so launch your own), and gives it leave for more dynamic shared memory
 * and larger clusters where it has not got it. */
static inline tuned_cuda_status tuned_cuda_prepare(const struct tuned_cuda_launch *launch,
                                                   tuned_cuda_kernel kernel)
{
    int limits[2] = {0, 0};
    tuned_cuda_status result = tuned_cuda_ask_kernel(kernel, limits);
    if (result != (tuned_cuda_status)0)
        return result;
    if (!tuned_cuda_fits(launch, limits[0]) || launch->shared_bytes > INT_MAX)
        return TUNED_CUDA_TOO_MUCH;
    if (launch->shared_bytes > (size_t)limits[1])
#ifdef TUNED_CUDA_DRIVER
        result = cuFuncSetAttribute(kernel, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                    (int)launch->shared_bytes);
#else
        result = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      (int)launch->shared_bytes);
#endif
    if (result != (tuned_cuda_status)0)
        return result;
#if TUNED_CUDA_HAS_CLUSTERS
    return tuned_cuda_allow_cluster(launch, kernel);
#else
    return tuned_cuda_cluster_of(launch) > 1 || launch->cluster_blocks > 1 ? TUNED_CUDA_TOO_MUCH
                                                                           : result;
#endif
}

/* cudaLaunchKernel, or cuLaunchKernel, with a cluster where the launch sets one: arguments[i]
 * points at the value of argument i. */
static inline tuned_cuda_status tuned_cuda_launch_kernel(const struct tuned_cuda_launch *launch,
                                                         tuned_cuda_kernel kernel, void **arguments,
                                                         tuned_cuda_stream stream)
{
    unsigned grid[3], block[3];
    int axis;
#if TUNED_CUDA_HAS_CLUSTERS
    tuned_cuda_attribute attribute;
    tuned_cuda_config config;
    tuned_cuda_configure(launch, launch->cluster, &attribute, &config);
#endif
    for (axis = 0; axis < 3; axis++) {
        grid[axis] = tuned_cuda_at_least_one(launch->grid[axis]);
        block[axis] = tuned_cuda_at_least_one(launch->block[axis]);
    }
#ifdef TUNED_CUDA_DRIVER
#if TUNED_CUDA_HAS_CLUSTERS
    config.hStream = stream;
    if (tuned_cuda_cluster_of(launch) > 1)
        return cuLaunchKernelEx(&config, kernel, arguments, NULL);
#endif
    return cuLaunchKernel(kernel, grid[0], grid[1], grid[2], block[0], block[1], block[2],
                          (unsigned)launch->shared_bytes, stream, arguments, NULL);
#else
#if TUNED_CUDA_HAS_CLUSTERS
    config.stream = stream;
    if (tuned_cuda_cluster_of(launch) > 1)
        return cudaLaunchKernelExC(&config, kernel, arguments);
#endif
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

#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#endif
