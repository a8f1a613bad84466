/* libcuda, libnvrtc and libnvidia-ml, opened at run time: tables of functions. */
#ifndef TUNE_DEVICE_CUDA_DRIVER_H
#define TUNE_DEVICE_CUDA_DRIVER_H

#include <cuda.h>
#include <nvrtc.h>
#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/error.h"

/* cuda.h renames functions to the version that the header declares (cuMemAlloc to cuMemAlloc_v2).
 * The names below pass through that renaming, so member, prototype and symbol always belong
 * together. */
#define CUDA_FUNCTIONS(X)                                                                          \
    X(cuInit)                                                                                      \
    X(cuDriverGetVersion)                                                                          \
    X(cuGetErrorName)                                                                              \
    X(cuGetErrorString)                                                                            \
    X(cuDeviceGetCount)                                                                            \
    X(cuDeviceGet)                                                                                 \
    X(cuDeviceGetName)                                                                             \
    X(cuDeviceGetUuid)                                                                             \
    X(cuDeviceTotalMem)                                                                            \
    X(cuDeviceGetAttribute)                                                                        \
    X(cuDeviceGetPCIBusId)                                                                         \
    X(cuDevicePrimaryCtxRetain)                                                                    \
    X(cuDevicePrimaryCtxRelease)                                                                   \
    X(cuCtxSetCurrent)                                                                             \
    X(cuCtxSynchronize)                                                                            \
    X(cuModuleLoadData)                                                                            \
    X(cuModuleUnload)                                                                              \
    X(cuModuleGetFunction)                                                                         \
    X(cuModuleGetGlobal)                                                                           \
    X(cuTexObjectCreate)                                                                           \
    X(cuTexObjectDestroy)                                                                          \
    X(cuArray3DCreate)                                                                             \
    X(cuArrayDestroy)                                                                              \
    X(cuSurfObjectCreate)                                                                          \
    X(cuSurfObjectDestroy)                                                                         \
    X(cuMemcpy2DAsync)                                                                             \
    X(cuFuncGetAttribute)                                                                          \
    X(cuFuncSetAttribute)                                                                          \
    X(cuOccupancyMaxActiveBlocksPerMultiprocessor)                                                 \
    X(cuOccupancyMaxPotentialBlockSize)                                                            \
    X(cuMemGetInfo)                                                                                \
    X(cuMemAlloc)                                                                                  \
    X(cuMemFree)                                                                                   \
    X(cuMemHostAlloc)                                                                              \
    X(cuMemHostGetDevicePointer)                                                                   \
    X(cuMemFreeHost)                                                                               \
    X(cuMemcpyHtoDAsync)                                                                           \
    X(cuMemcpyDtoHAsync)                                                                           \
    X(cuMemcpyDtoDAsync)                                                                           \
    X(cuMemsetD8Async)                                                                             \
    X(cuStreamCreate)                                                                              \
    X(cuStreamDestroy)                                                                             \
    X(cuStreamSynchronize)                                                                         \
    X(cuEventCreate)                                                                               \
    X(cuEventDestroy)                                                                              \
    X(cuEventRecord)                                                                               \
    X(cuEventSynchronize)                                                                          \
    X(cuEventQuery)                                                                                \
    X(cuEventElapsedTime)                                                                          \
    X(cuLaunchKernel)                                                                              \
    X(cuGraphCreate)                                                                               \
    X(cuGraphDestroy)                                                                              \
    X(cuGraphAddKernelNode)                                                                        \
    X(cuGraphInstantiateWithFlags)                                                                 \
    X(cuGraphExecDestroy)                                                                          \
    X(cuGraphUpload)                                                                               \
    X(cuGraphLaunch)

/* NULL in drivers older than CUDA 11.8. */
#define CUDA_LATER_FUNCTIONS(X)                                                                    \
    X(cuStreamBeginCapture)                                                                        \
    X(cuStreamEndCapture)                                                                          \
    X(cuLaunchKernelEx)                                                                            \
    X(cuGraphKernelNodeSetAttribute)                                                               \
    X(cuOccupancyMaxActiveClusters)

/* CUgraphEdgeData and cuGraphAddDependencies_v2, which headers of toolkits before CUDA 12.3 lack.
 */
struct cuda_edge {
    unsigned char from_port;
    unsigned char to_port;
    unsigned char type;
    unsigned char reserved[5];
};
enum { CUDA_EDGE_PROGRAMMATIC = 1, CUDA_PORT_PROGRAMMATIC = 1 };
typedef CUresult CUDAAPI cuda_add_edges(CUgraph graph, const CUgraphNode *from,
                                        const CUgraphNode *to, const struct cuda_edge *edges,
                                        size_t count);

/* cuFuncGetParamInfo, which headers of toolkits before CUDA 12.4 lack. */
typedef CUresult CUDAAPI cuda_get_parameter(CUfunction function, size_t index, size_t *offset,
                                            size_t *bytes);

#define NVRTC_FUNCTIONS(X)                                                                         \
    X(nvrtcGetErrorString)                                                                         \
    X(nvrtcVersion)                                                                                \
    X(nvrtcGetNumSupportedArchs)                                                                   \
    X(nvrtcGetSupportedArchs)                                                                      \
    X(nvrtcCreateProgram)                                                                          \
    X(nvrtcDestroyProgram)                                                                         \
    X(nvrtcAddNameExpression)                                                                      \
    X(nvrtcCompileProgram)                                                                         \
    X(nvrtcGetProgramLogSize)                                                                      \
    X(nvrtcGetProgramLog)                                                                          \
    X(nvrtcGetLoweredName)                                                                         \
    X(nvrtcGetCUBINSize)                                                                           \
    X(nvrtcGetCUBIN)                                                                               \
    X(nvrtcGetPTXSize)                                                                             \
    X(nvrtcGetPTX)

#define LIBRARY_MEMBER(name) __typeof__(&(name)) name;

struct cuda_driver {
    CUDA_FUNCTIONS(LIBRARY_MEMBER)
    CUDA_LATER_FUNCTIONS(LIBRARY_MEMBER)
    cuda_add_edges *add_edges;         /* NULL in drivers older than CUDA 12.3 */
    cuda_get_parameter *get_parameter; /* NULL in drivers older than CUDA 12.4 */
    int version;                       /* 13000: CUDA 13.0 */
};

struct cuda_compiler {
    NVRTC_FUNCTIONS(LIBRARY_MEMBER)
    int major;
    int minor;
    char folder[1024];  /* where the library lies; "" when that is not known */
    char headers[1024]; /* the toolkit's, or "" */
    char cccl[1024];    /* headers of CUB and libcu++, where installed apart; else "" */
};

/* nvJitLink, whose header renames functions to versions; toolkits before CUDA 12.0 have none.
 * Result 0 is success. */
struct cuda_linker {
    int (*create)(void **link, uint32_t option_count, const char **options);
    int (*destroy)(void **link);
    int (*add_data)(void *link, int input_type, const void *data, size_t bytes, const char *name);
    int (*complete)(void *link);
    int (*get_cubin_size)(void *link, size_t *bytes);
    int (*get_cubin)(void *link, void *cubin);
    int (*get_error_log_size)(void *link, size_t *bytes);
    int (*get_error_log)(void *link, char *log);
};
enum { CUDA_LINK_CUBIN = 1, CUDA_LINK_PTX = 2 }; /* input types */

/* Returns the driver, opened and initialised at the process's first call; NULL with
 * STATUS_UNAVAILABLE or STATUS_PERMISSION and the remedy on failure. Never freed. Thread-safe. */
const struct cuda_driver *cuda_driver(struct error *error);
/* Returns NVRTC, as cuda_driver does the driver. Needs no driver and no device. */
const struct cuda_compiler *cuda_compiler(struct error *error);
/* Returns nvJitLink, as cuda_compiler does NVRTC; searched beside NVRTC, too. */
const struct cuda_linker *cuda_linker(struct error *error);

/* A row of a function table: name and place of the pointer. */
struct library_symbol {
    const char *name;
    size_t offset;
};
/* A library that may have several file names. */
struct library_files {
    const char *stem; /* "libnvrtc": a place with this name is the library itself */
    const char *const *names;
    size_t count;
};
/* Places that the loader always searches. */
#define LIBRARY_LOADER "*"
/* Opens the first library found. A place is a toolkit's root, a library folder, the library itself,
 * or LIBRARY_LOADER; NULL and "" are passed over. Returns NULL when none opens. */
void *library_open(const struct library_files *files, const char *const *places, size_t count);
/* Fills `table`, with NULL for missing functions; returns the first missing name, or NULL. */
const char *library_resolve(void *library, const struct library_symbol *symbols, size_t count,
                            void *table);

#define LIBRARY_NAME(name) #name
#define LIBRARY_TEXT(name) LIBRARY_NAME(name)

#endif
