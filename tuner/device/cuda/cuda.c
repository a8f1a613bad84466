#include "tuner/device/cuda/cuda.h"

#include "tuner/device/cuda/internal.h"
#include "tuner/device/cuda/signatures.h"

const struct device_api device_cuda = {
    .kind = "cuda",
    .about = "NVIDIA GPUs; kernels in CUDA C++, compiled by NVRTC",
    .compiles_beside_measuring = true,
    .blocks_to_judge = 1,
    .intact_is_cheap = false,
    .count = cuda_count,
    .describe = cuda_describe,
    .compile = cuda_compile,
    .imagine = cuda_imagine,
    .inspect = cuda_inspect,
    .fits = cuda_fits,
    .occupancy = cuda_occupancy,
    .signatures = cuda_signatures,
    .open = cuda_open,
    .close = cuda_close,
    .calibration = cuda_calibration,
    .load = cuda_load,
    .resources = cuda_resources,
    .bind = cuda_bind,
    .run = cuda_run,
    .run_again = cuda_run_again,
    .guards = cuda_guards,
    .intact = cuda_intact,
    .time_block = cuda_time_block,
    .drop_slots = cuda_drop_slots,
    .anchor = cuda_anchor,
    .conditions = cuda_conditions,
    .measure_energy = cuda_measure_energy,
    .read = cuda_read,
    .look = cuda_look,
    .bandwidth = cuda_bandwidth,
    .arithmetic = cuda_arithmetic,
};
