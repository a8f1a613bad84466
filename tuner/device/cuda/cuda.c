#include "tuner/device/cuda/cuda.h"

#include "tuner/device/cuda/internal.h"

const struct device_api device_cuda = {
    .kind = "cuda",
    .about = "NVIDIA GPUs; kernels in CUDA C++, compiled by NVRTC",
    .compiles_beside_measuring = true,
    .count = cuda_count,
    .describe = cuda_describe,
    .compile = cuda_compile,
    .open = cuda_open,
    .close = cuda_close,
    .calibration = cuda_calibration,
    .load = cuda_load,
    .resources = cuda_resources,
    .bind = cuda_bind,
    .run = cuda_run,
    .time_block = cuda_time_block,
    .read = cuda_read,
    .bandwidth = cuda_bandwidth,
};
