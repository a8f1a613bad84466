#include "tuner/device/cuda/internal.h"
#include "tuner/device/cuda/textures.h"
#include "tuner/device/kinds.h"

static bool compiles_beside_measuring(void)
{
    return true;
}

const struct device_api device_cuda = {
    .kind = "cuda",
    .compiles_beside_measuring = compiles_beside_measuring,
    .count = cuda_count,
    .describe = cuda_describe,
    .compile = cuda_compile,
    .compiler_version = cuda_compiler_version,
    .inspect = cuda_inspect,
    .arguments_fit = cuda_arguments_fit,
    .occupancy = cuda_occupancy,
    .reserve = cuda_reserve,
    .open = cuda_open,
    .close = cuda_close,
    .load = cuda_load,
    .resources = cuda_resources,
    .want = cuda_want,
    .generates = gpu_generates,
    .bind = gpu_bind,
    .run = gpu_run,
    .guards_intact = gpu_guards_intact,
    .inputs_intact = gpu_inputs_intact,
    .time_block = gpu_time_block,
    .take_remark = gpu_take_remark,
    .results = gpu_results,
    .show = gpu_show,
    .drop_slots = cuda_drop_slots,
    .anchor = gpu_anchor,
    .conditions = cuda_conditions,
    .measure_energy = gpu_measure_energy,
    .read = gpu_read,
    .look = gpu_look,
    .compare = gpu_compare,
    .ceilings = cuda_ceilings,
};
