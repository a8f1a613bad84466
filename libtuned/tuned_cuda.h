/* SPDX-FileCopyrightText: 2026 The tune authors
 * SPDX-License-Identifier: MIT */
/* tuned_cuda.h: libtuned for CUDA programs, a header without a library of its own.
 *
 *     struct tuned_cuda_device gpu;
 *     tuned_cuda_describe(&gpu);                     once per device: the current one, with limits
 *
 *     struct tuned_cuda_launch launch = tuned_cuda_launch_of(blocks_for(n), 256);     your own
 *     tuned_cuda_find(tuned, &gpu, "saxpy.f32", n, &launch);     replaced by the file's, if any
 *     tuned_cuda_prepare(&launch, kernel);           once per kernel and configuration
 *     tuned_cuda_launch_kernel(&launch, kernel, arguments, stream);
 *
 * The header uses the CUDA runtime API, or the driver API (kernels are CUfunction) after `#define
 * TUNED_CUDA_DRIVER` before the #include. A program may use both, in different sources.
 *
 * C99 and C++11. Functions return CUDA's error codes, 0 for success; none prints, allocates or
 * keeps state. Threads may call at the same time, each with its own structs as output. */
#ifndef TUNED_CUDA_H
#define TUNED_CUDA_H

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "tuned.h"

#if defined(__cplusplus) && defined(__GNUC__) /* the header is C as well */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wuseless-cast"
#endif
#endif

#ifdef TUNED_CUDA_DRIVER
#include <cuda.h>
typedef CUresult tuned_cuda_status; /* success, CUDA_SUCCESS, is 0 */
typedef CUdevice_attribute tuned_cuda_question;
typedef CUfunction tuned_cuda_kernel;
typedef CUstream tuned_cuda_stream;
#define TUNED_CUDA_OF(driver, runtime) driver
#else
#include <cuda_runtime_api.h>
typedef cudaError_t tuned_cuda_status; /* cudaSuccess is 0 */
typedef enum cudaDeviceAttr tuned_cuda_question;
typedef const void *tuned_cuda_kernel; /* (const void *)kernel; in C++ also the kernel itself */
typedef cudaStream_t tuned_cuda_stream;
#define TUNED_CUDA_OF(driver, runtime) runtime
#endif
#define TUNED_CUDA_OK ((tuned_cuda_status)0)
#define TUNED_CUDA_TOO_MUCH                                                                        \
    TUNED_CUDA_OF(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, cudaErrorLaunchOutOfResources)

#define TUNED_CUDA_NAME_BYTES 256

/* A described device. Copies are allowed: pass tuned_cuda_identity(&copy) to tuned_find. */
struct tuned_cuda_device {
    struct tuned_device device; /* description for tuned_find, tuned_resolve ... */
    int index; /* index as in cudaSetDevice and cuDeviceGet; equal to the CUdevice */
    char name[TUNED_CUDA_NAME_BYTES];
};

/* A launch: the caller's own before tuned_cuda_fill, plain data afterwards. Keep it while n and the
 * device stay the same. In grid, block and cluster 0 counts as 1. */
struct tuned_cuda_launch {
    unsigned grid[3];        /* blocks: x, y, z */
    unsigned block[3];       /* threads per block: x, y, z */
    unsigned cluster[3];     /* blocks per cluster, if the launch sets the cluster */
    unsigned cluster_blocks; /* cluster size that the kernel must be compiled for; 0: none */
    size_t shared_bytes;     /* dynamic shared memory per block */
    const char *variant; /* name of the kernel in the experiment, or NULL; lives until tuned_free */
    enum tuned_grade grade; /* grade of the entry; TUNED_NONE: the launch is still the caller's */
    int is_cooperative;     /* 1: all blocks must be resident at once */
    long long reserved[4];
};

/* ---- the device ---- */

static inline tuned_cuda_status tuned_cuda_ask(int *out, tuned_cuda_question question, int index)
{
    return TUNED_CUDA_OF(cuDeviceGetAttribute, cudaDeviceGetAttribute)(out, question, index);
}

#ifdef TUNED_CUDA_DRIVER
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
    tuned_cuda_status result = TUNED_CUDA_OK;
    int i;
    for (i = 0; i < TUNED_CUDA_QUESTIONS && result == TUNED_CUDA_OK; i++)
        result = tuned_cuda_ask(&answers[i], questions[i], index);
    return result;
}

/* Describes device `index` with some 10 driver calls and no context. The driver API needs cuInit
 * first. On an error *out is an unknown device, for which no entry is found. */
static inline tuned_cuda_status tuned_cuda_describe_device(int index, struct tuned_cuda_device *out)
{
    int answers[TUNED_CUDA_QUESTIONS] = {0};
    tuned_cuda_status result;
    memset(out, 0, sizeof *out);
    out->index = index;
    result = tuned_cuda_ask_all(index, answers);
    if (result == TUNED_CUDA_OK)
        result = tuned_cuda_name(out);
    if (result != TUNED_CUDA_OK)
        return result;
    out->device.kind = "cuda";
    out->device.name = out->name;
    out->device.compute_capability_major = answers[TUNED_CUDA_MAJOR];
    out->device.compute_capability_minor = answers[TUNED_CUDA_MINOR];
    out->device.unit_count = answers[TUNED_CUDA_UNITS];
    /* Peak bandwidth as tune computes it: two transfers per clock. */
    out->device.bandwidth_gbs =
        2.0 * answers[TUNED_CUDA_CLOCK_KHZ] * answers[TUNED_CUDA_BUS_BITS] / 8 / 1e6;
    out->device.max_threads_per_block = answers[TUNED_CUDA_THREADS];
    out->device.max_shared_bytes = answers[TUNED_CUDA_SHARED];
    out->device.registers_per_unit = answers[TUNED_CUDA_REGISTERS];
    return result;
}

/* Describes the calling thread's current device; with the driver API, its context's device. */
static inline tuned_cuda_status tuned_cuda_describe(struct tuned_cuda_device *out)
{
    TUNED_CUDA_OF(CUdevice, int) index = 0;
    const tuned_cuda_status result = TUNED_CUDA_OF(cuCtxGetDevice, cudaGetDevice)(&index);
    memset(out, 0, sizeof *out);
    return result == TUNED_CUDA_OK ? tuned_cuda_describe_device((int)index, out) : result;
}

/* Returns the device for tuned_find, tuned_resolve ...; valid while *gpu exists at this address. */
static inline const struct tuned_device *tuned_cuda_identity(struct tuned_cuda_device *gpu)
{
    gpu->device.name = gpu->device.kind ? gpu->name : NULL;
    return &gpu->device;
}

/* Environment of the program, for tuned_stale. tuned_cuda_describe_build fills in the driver as its
 * CUDA version; the caller adds build.source and others. A copy points into its original. */
struct tuned_cuda_build {
    struct tuned_build build;
    char driver[32];
};
static inline tuned_cuda_status tuned_cuda_describe_build(struct tuned_cuda_build *out)
{
    int version = 0;
    const tuned_cuda_status result =
        TUNED_CUDA_OF(cuDriverGetVersion, cudaDriverGetVersion)(&version);
    memset(out, 0, sizeof *out);
    if (result != TUNED_CUDA_OK)
        return result;
    snprintf(out->driver, sizeof out->driver, "CUDA %d.%d", version / 1000, version % 1000 / 10);
    out->build.driver = out->driver;
    return result;
}

/* ---- the launch ---- */

/* Copies three numbers; returns 0 if one exceeds its limit in `most`. */
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

/* Copies three numbers with 0 replaced by 1. */
static inline void tuned_cuda_sides(const unsigned from[3], unsigned to[3])
{
    int axis;
    for (axis = 0; axis < 3; axis++)
        to[axis] = from[axis] > 0 ? from[axis] : 1;
}

static inline unsigned long long tuned_cuda_volume(const unsigned sides[3])
{
    unsigned all[3];
    tuned_cuda_sides(sides, all);
    return (unsigned long long)all[0] * all[1] * all[2];
}

/* Returns whether a block has at most `most` threads; 0: at most 1024, any device's limit. */
static inline int tuned_cuda_fits(const struct tuned_cuda_launch *launch, int most)
{
    return tuned_cuda_volume(launch->block) <= (most > 0 ? (unsigned long long)most : 1024);
}

/* Returns a launch of one dimension: `grid` blocks of `block` threads, all else 0. */
static inline struct tuned_cuda_launch tuned_cuda_launch_of(unsigned grid, unsigned block)
{
    struct tuned_cuda_launch launch;
    memset(&launch, 0, sizeof launch);
    launch.grid[0] = grid;
    launch.block[0] = block;
    return launch;
}

/* Replaces *launch by launch `index` (from 0) of the answer for the requested size and device:
 * grid, block, cluster, dynamic shared memory and the cooperative flag. All or nothing: *launch
 * keeps its values, with grade TUNED_NONE, if the file has no such launch for this size and device
 * or the launch exceeds the device's limits. Returns launch->grade. */
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
    filled.is_cooperative = found.is_cooperative != 0;
    filled.cluster_blocks = (unsigned)tuned_evidence(answer->entry, "cluster", 0);
    filled.variant = tuned_text(answer->entry, "variant", launch->variant);
    filled.grade = answer->grade;
    return (*launch = filled).grade;
}

/* Replaces *launch by the answer's first launch, the only one of most kernels. */
static inline enum tuned_grade tuned_cuda_fill(const struct tuned_answer *answer,
                                               struct tuned_cuda_launch *launch)
{
    return tuned_cuda_fill_at(answer, 0, launch);
}

/* Finds as tuned_find_sizes for a described device, then calls tuned_cuda_fill. The second function
 * takes n alone. Both return launch->grade. */
static inline enum tuned_grade
tuned_cuda_find_sizes(const struct tuned *tuned, const struct tuned_cuda_device *gpu,
                      const char *problem, long long n, const struct tuned_size *sizes,
                      size_t size_count, struct tuned_cuda_launch *launch)
{
    struct tuned_device device = gpu->device;
    struct tuned_answer answer;
    device.name = device.kind ? gpu->name : NULL;
    tuned_find_sizes(tuned, &device, problem, n, sizes, size_count, &answer);
    return tuned_cuda_fill(&answer, launch);
}
static inline enum tuned_grade tuned_cuda_find(const struct tuned *tuned,
                                               const struct tuned_cuda_device *gpu,
                                               const char *problem, long long n,
                                               struct tuned_cuda_launch *launch)
{
    return tuned_cuda_find_sizes(tuned, gpu, problem, n, NULL, 0, launch);
}

/* Reads a kernel's limits: threads per block, then bytes of dynamic shared memory. */
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

/* Clusters and launches with attributes need CUDA 11.8. */
#define TUNED_CUDA_HAS_ATTRIBUTES (TUNED_CUDA_OF(CUDA_VERSION, CUDART_VERSION) >= 11080)

/* Returns whether the launch needs attributes: a cluster or the cooperative flag. */
static inline int tuned_cuda_needs_attributes(const struct tuned_cuda_launch *launch)
{
    return launch->is_cooperative || tuned_cuda_volume(launch->cluster) > 1;
}

#if TUNED_CUDA_HAS_ATTRIBUTES
typedef TUNED_CUDA_OF(CUlaunchConfig, cudaLaunchConfig_t) tuned_cuda_config;
typedef TUNED_CUDA_OF(CUlaunchAttribute, cudaLaunchAttribute) tuned_cuda_attribute;
typedef TUNED_CUDA_OF(CUlaunchAttributeValue, cudaLaunchAttributeValue) tuned_cuda_value;

/* Fills in *config from the launch, `cluster` and the cooperative flag. `cluster` is the launch's
 * own or, to count clusters, the one that the kernel was compiled for. *config points to
 * `attributes`. */
static inline void tuned_cuda_configure(const struct tuned_cuda_launch *launch,
                                        const unsigned cluster[3],
                                        tuned_cuda_attribute attributes[2],
                                        tuned_cuda_config *config)
{
    const unsigned has_cluster = tuned_cuda_volume(cluster) > 1;
    tuned_cuda_value *value = &attributes[0].TUNED_CUDA_OF(value, val);
    unsigned g[3], b[3], c[3];
    tuned_cuda_sides(launch->grid, g);
    tuned_cuda_sides(launch->block, b);
    tuned_cuda_sides(cluster, c);
    memset(attributes, 0, 2 * sizeof *attributes);
#ifdef __cplusplus
    *config = tuned_cuda_config();
#else
    memset(config, 0, sizeof *config);
#endif
    if (has_cluster) {
        attributes[0].id = TUNED_CUDA_OF(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
                                         cudaLaunchAttributeClusterDimension);
        value->clusterDim.x = c[0], value->clusterDim.y = c[1], value->clusterDim.z = c[2];
        value = &attributes[1].TUNED_CUDA_OF(value, val);
    }
    attributes[has_cluster].id =
        TUNED_CUDA_OF(CU_LAUNCH_ATTRIBUTE_COOPERATIVE, cudaLaunchAttributeCooperative);
    value->cooperative = 1;
#ifdef TUNED_CUDA_DRIVER
    config->gridDimX = g[0], config->gridDimY = g[1], config->gridDimZ = g[2];
    config->blockDimX = b[0], config->blockDimY = b[1], config->blockDimZ = b[2];
    config->sharedMemBytes = (unsigned)launch->shared_bytes;
#else
    config->gridDim.x = g[0], config->gridDim.y = g[1], config->gridDim.z = g[2];
    config->blockDim.x = b[0], config->blockDim.y = b[1], config->blockDim.z = b[2];
    config->dynamicSmemBytes = launch->shared_bytes;
#endif
    config->attrs = attributes;
    config->numAttrs = has_cluster + (launch->is_cooperative ? 1u : 0u);
}

/* Allows clusters of more than 8 blocks and counts the clusters that fit on the device. */
static inline tuned_cuda_status tuned_cuda_allow_cluster(const struct tuned_cuda_launch *launch,
                                                         tuned_cuda_kernel kernel,
                                                         const unsigned cluster[3], int *clusters)
{
    tuned_cuda_attribute attributes[2];
    tuned_cuda_config config;
    tuned_cuda_status result = TUNED_CUDA_OK;
    tuned_cuda_configure(launch, cluster, attributes, &config);
    config.numAttrs = 1; /* the cluster's */
    if (tuned_cuda_volume(cluster) > 8)
        result = TUNED_CUDA_OF(cuFuncSetAttribute, cudaFuncSetAttribute)(
            kernel,
            TUNED_CUDA_OF(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED,
                          cudaFuncAttributeNonPortableClusterSizeAllowed),
            1);
    if (result == TUNED_CUDA_OK)
        result = TUNED_CUDA_OF(cuOccupancyMaxActiveClusters,
                               cudaOccupancyMaxActiveClusters)(clusters, kernel, &config);
    return result;
}

/* Counts the kernel's blocks that are resident at once on the current device. */
static inline tuned_cuda_status tuned_cuda_count_resident(const struct tuned_cuda_launch *launch,
                                                          tuned_cuda_kernel kernel,
                                                          unsigned long long *blocks)
{
    TUNED_CUDA_OF(CUdevice, int) device = 0;
    int each = 0, units = 0;
    tuned_cuda_status result = TUNED_CUDA_OF(cuCtxGetDevice, cudaGetDevice)(&device);
    if (result == TUNED_CUDA_OK)
        result = tuned_cuda_ask(
            &units,
            TUNED_CUDA_OF(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, cudaDevAttrMultiProcessorCount),
            (int)device);
    if (result == TUNED_CUDA_OK)
        result = TUNED_CUDA_OF(cuOccupancyMaxActiveBlocksPerMultiprocessor,
                               cudaOccupancyMaxActiveBlocksPerMultiprocessor)(
            &each, kernel, (int)tuned_cuda_volume(launch->block), launch->shared_bytes);
    *blocks = (unsigned long long)each * (unsigned)units;
    return result;
}

/* Returns TUNED_CUDA_TOO_MUCH if no cluster, or not all blocks of a cooperative grid, fit. */
static inline tuned_cuda_status tuned_cuda_find_room(const struct tuned_cuda_launch *launch,
                                                     tuned_cuda_kernel kernel)
{
    const unsigned compiled[3] = {launch->cluster_blocks, 1, 1};
    const unsigned *cluster = tuned_cuda_volume(launch->cluster) > 1 ? launch->cluster : compiled;
    unsigned long long room = 1;
    int clusters = 0;
    tuned_cuda_status result = TUNED_CUDA_OK;
    if (tuned_cuda_volume(cluster) > 1) {
        result = tuned_cuda_allow_cluster(launch, kernel, cluster, &clusters);
        room = (unsigned)clusters * tuned_cuda_volume(cluster);
    } else if (launch->is_cooperative) {
        result = tuned_cuda_count_resident(launch, kernel, &room);
    }
    if (result != TUNED_CUDA_OK)
        return result;
    return room < (launch->is_cooperative ? tuned_cuda_volume(launch->grid) : 1)
               ? TUNED_CUDA_TOO_MUCH
               : result;
}
#endif

/* Prepares a kernel; call it once per kernel and configuration, before the launch. Raises the
 * kernel's limits of dynamic shared memory and cluster size as needed, never lowers them. Returns
 * TUNED_CUDA_TOO_MUCH (use your own launch) if the compiled kernel cannot have that many threads
 * per block, or the device cannot hold the cluster or all blocks of a cooperative grid at once. */
static inline tuned_cuda_status tuned_cuda_prepare(const struct tuned_cuda_launch *launch,
                                                   tuned_cuda_kernel kernel)
{
    int limits[2] = {0, 0};
    tuned_cuda_status result = tuned_cuda_ask_kernel(kernel, limits);
    if (result != TUNED_CUDA_OK)
        return result;
    if (!tuned_cuda_fits(launch, limits[0]) || launch->shared_bytes > INT_MAX)
        return TUNED_CUDA_TOO_MUCH;
    if (launch->shared_bytes > (size_t)limits[1])
        result = TUNED_CUDA_OF(cuFuncSetAttribute, cudaFuncSetAttribute)(
            kernel,
            TUNED_CUDA_OF(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                          cudaFuncAttributeMaxDynamicSharedMemorySize),
            (int)launch->shared_bytes);
    if (result != TUNED_CUDA_OK)
        return result;
#if TUNED_CUDA_HAS_ATTRIBUTES
    return tuned_cuda_find_room(launch, kernel);
#else
    return tuned_cuda_needs_attributes(launch) || launch->cluster_blocks > 1 ? TUNED_CUDA_TOO_MUCH
                                                                             : result;
#endif
}

/* Launches the kernel with cudaLaunchKernel or cuLaunchKernel, including its cluster and
 * cooperative flag (before CUDA 11.8 either is TUNED_CUDA_TOO_MUCH). arguments[i] points to
 * argument i. */
static inline tuned_cuda_status tuned_cuda_launch_kernel(const struct tuned_cuda_launch *launch,
                                                         tuned_cuda_kernel kernel, void **arguments,
                                                         tuned_cuda_stream stream)
{
    unsigned grid[3], block[3];
#if TUNED_CUDA_HAS_ATTRIBUTES
    if (tuned_cuda_needs_attributes(launch)) {
        tuned_cuda_attribute attributes[2];
        tuned_cuda_config config;
        tuned_cuda_configure(launch, launch->cluster, attributes, &config);
#ifdef TUNED_CUDA_DRIVER
        config.hStream = stream;
        return cuLaunchKernelEx(&config, kernel, arguments, NULL);
#else
        config.stream = stream;
        return cudaLaunchKernelExC(&config, kernel, arguments);
#endif
    }
#else
    if (tuned_cuda_needs_attributes(launch))
        return TUNED_CUDA_TOO_MUCH;
#endif
    tuned_cuda_sides(launch->grid, grid);
    tuned_cuda_sides(launch->block, block);
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

#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#endif
