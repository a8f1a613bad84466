/* The driver's functions that the recorder itself calls, looked up in the driver that the program
 * uses. Those that a driver lacks are NULL. */
#ifndef TUNE_CAPTURE_DRIVER_H
#define TUNE_CAPTURE_DRIVER_H

#include <cuda.h>
#include <stdbool.h>

/* X(member, symbol, parameters) */
#define DRIVER_FUNCTIONS(X)                                                                        \
    X(get_version, "cuDriverGetVersion", (int *))                                                  \
    X(function_name, "cuFuncGetName", (const char **, CUfunction))                                 \
    X(function_module, "cuFuncGetModule", (CUmodule *, CUfunction))                                \
    X(function_attribute, "cuFuncGetAttribute", (int *, CUfunction_attribute, CUfunction))         \
    X(function_set_attribute, "cuFuncSetAttribute", (CUfunction, CUfunction_attribute, int))       \
    X(function_parameter, "cuFuncGetParamInfo", (CUfunction, size_t, size_t *, size_t *))          \
    X(kernel_name, "cuKernelGetName", (const char **, CUkernel))                                   \
    X(kernel_function, "cuKernelGetFunction", (CUfunction *, CUkernel))                            \
    X(occupancy, "cuOccupancyMaxActiveBlocksPerMultiprocessor", (int *, CUfunction, int, size_t))  \
    X(pointer_attributes, "cuPointerGetAttributes",                                                \
      (unsigned, CUpointer_attribute *, void **, CUdeviceptr))                                     \
    X(current_context, "cuCtxGetCurrent", (CUcontext *))                                           \
    X(current_device, "cuCtxGetDevice", (CUdevice *))                                              \
    X(device_name, "cuDeviceGetName", (char *, int, CUdevice))                                     \
    X(device_uuid, "cuDeviceGetUuid", (CUuuid *, CUdevice))                                        \
    X(device_memory, "cuDeviceTotalMem_v2", (size_t *, CUdevice))                                  \
    X(device_attribute, "cuDeviceGetAttribute", (int *, CUdevice_attribute, CUdevice))             \
    X(exchange_mode, "cuThreadExchangeStreamCaptureMode", (CUstreamCaptureMode *))                 \
    X(is_capturing, "cuStreamIsCapturing", (CUstream, CUstreamCaptureStatus *))                    \
    X(is_capturing_ptsz, "cuStreamIsCapturing_ptsz", (CUstream, CUstreamCaptureStatus *))          \
    X(stream_create, "cuStreamCreate", (CUstream *, unsigned))                                     \
    X(stream_destroy, "cuStreamDestroy_v2", (CUstream))                                            \
    X(stream_synchronize, "cuStreamSynchronize", (CUstream))                                       \
    X(copy_to_host, "cuMemcpyDtoHAsync_v2", (void *, CUdeviceptr, size_t, CUstream))               \
    X(event_create, "cuEventCreate", (CUevent *, unsigned))                                        \
    X(event_destroy, "cuEventDestroy_v2", (CUevent))                                               \
    X(event_record, "cuEventRecord", (CUevent, CUstream))                                          \
    X(event_record_ptsz, "cuEventRecord_ptsz", (CUevent, CUstream))                                \
    X(event_query, "cuEventQuery", (CUevent))                                                      \
    X(event_elapsed, "cuEventElapsedTime_v2", (float *, CUevent, CUevent))

struct driver {
#define DRIVER_MEMBER(member, symbol, parameters) CUresult(CUDAAPI *member) parameters;
    DRIVER_FUNCTIONS(DRIVER_MEMBER)
#undef DRIVER_MEMBER
};
/* Returns the driver's functions, found when the program first has the driver. */
const struct driver *driver_get(void);

typedef void (*anything)(void);
/* Looks up a symbol with the program's own dlsym. */
anything look_up(void *library, const char *symbol);
/* Returns the driver's library, or NULL if the program has not loaded it yet. */
void *driver_library(void);
/* The program's own, named by hooks.c in assembly; find_next finds them. */
extern void *(*tune_capture_next_dlsym)(void *, const char *)__attribute__((visibility("hidden")));
extern void *(*tune_capture_next_dlopen)(const char *, int)__attribute__((visibility("hidden")));
void find_next(void);

#endif
