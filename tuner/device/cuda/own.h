/* Kernels of tune's own. */
#ifndef TUNE_DEVICE_CUDA_OWN_H
#define TUNE_DEVICE_CUDA_OWN_H

#include "tuner/device/cuda/driver.h"
#include "tuner/device/gpu/gpu.h"

/* A kernel loaded at first use. */
struct own_kernel {
    CUmodule module;
    CUfunction function;  /* NULL: not requested yet, or unavailable */
    struct error failure; /* why not */
};

/* Loads kernels of tune's own, compiled with the request's defines and flags now or by an earlier
 * process (the cache keeps the results). `what` names these kernels in errors: "measuring kernels".
 */
enum status cuda_load_own(struct device *device, const char *source, const char *name,
                          const struct binary_request *request, const char *what, CUmodule *out,
                          struct error *error);
enum status cuda_compare(struct device *device, enum element_type type,
                         const struct comparing *what, uint64_t chunks, gpu_address findings,
                         struct error *error);
bool cuda_generates(struct device *device, struct error *why);
enum status cuda_generate(struct device *device, gpu_address to, const struct filling *filling,
                          uint64_t count, struct error *error);
void cuda_own_free(struct device *device);

#endif
