#include "tuner/device/cuda/measure.h"
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
    .compiler_settings = cuda_compiler_settings,
    .inspect = cuda_inspect,
    .arguments_fit = cuda_arguments_fit,
    .occupancy = cuda_occupancy,
    .reserve = cuda_reserve,
    .open = cuda_open,
    .close = cuda_close,
    .load = cuda_load,
    .resources = cuda_resources,
    .want = cuda_want,
    .generates = cuda_generates,
    .bind = cuda_bind,
    .run = cuda_run,
    .guards_intact = cuda_guards_intact,
    .inputs_intact = cuda_inputs_intact,
    .time_block = cuda_time_block,
    .take_remark = cuda_take_remark,
    .results = cuda_results,
    .show = cuda_show,
    .drop_slots = cuda_drop_all,
    .anchor = cuda_anchor,
    .conditions = cuda_conditions,
    .measure_energy = cuda_measure_energy,
    .read = cuda_read,
    .look = cuda_look,
    .compare = cuda_compare,
    .ceilings = cuda_ceilings,
};
