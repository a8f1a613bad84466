/* How many operations per second the device does: kernels that stay in registers. */
#include <math.h>

#include "tuner/base/clock.h"
#include "tuner/base/text.h"
#include "tuner/device/cuda/internal.h"

extern const char cuda_arithmetic_source[]; /* arithmetic.cu, embedded by the build */

/* BLOCK * BLOCKS_PER_SM threads are resident at once on every architecture. */
enum { CHAINS = 8, UNROLL = 16, BLOCK = 512, BLOCKS_PER_SM = 2, TIMINGS = 5 };
enum { REPEATS_FIRST = 64, REPEATS_MOST = 1 << 20 };
static const double wanted_ms = 2.5;

static const struct kernel_kind {
    const char *name;
    enum element_type type;
    int operations; /* of a step of a chain */
} kinds[] = {
    {"tune_fused_f16", ELEMENT_F16, 4}, /* two halves at once */
    {"tune_fused_f32", ELEMENT_F32, 2}, {"tune_fused_f64", ELEMENT_F64, 2},
    {"tune_fused_i32", ELEMENT_I32, 2}, {"tune_added_i32", ELEMENT_I32, 1},
    {"tune_fused_i64", ELEMENT_I64, 2}, {"tune_added_i64", ELEMENT_I64, 1},
};

static CUresult time_once(struct device *device, CUfunction function, uint32_t repeats,
                          float *elapsed_ms)
{
    const struct cuda_driver *cuda = cuda_of(device)->driver;
    uint32_t zero = 0;
    void *arguments[] = {&repeats, &zero, &cuda_of(device)->sink};
    CUresult result = cuda->cuEventRecord(cuda_of(device)->begin, cuda_of(device)->stream);
    if (result == CUDA_SUCCESS)
        result = cuda_launch(device, function, (uint32_t)device->sm_count * BLOCKS_PER_SM, BLOCK,
                             arguments);
    if (result == CUDA_SUCCESS)
        result = cuda->cuEventRecord(cuda_of(device)->end, cuda_of(device)->stream);
    if (result == CUDA_SUCCESS)
        result = cuda->cuEventSynchronize(cuda_of(device)->end);
    if (result == CUDA_SUCCESS)
        result = cuda->cuEventElapsedTime(elapsed_ms, cuda_of(device)->begin, cuda_of(device)->end);
    return result;
}

/* Raises *gops to the best of a few; the first, short ones tell how long to go on. */
static CUresult measure(struct device *device, CUfunction function, int operations, double *gops)
{
    uint32_t repeats = REPEATS_FIRST;
    float elapsed_ms = 0;
    CUresult result = time_once(device, function, repeats, &elapsed_ms); /* loads it, too */
    if (result == CUDA_SUCCESS)
        result = time_once(device, function, repeats, &elapsed_ms);
    double scaled = elapsed_ms > 0 ? repeats * wanted_ms / (double)elapsed_ms : REPEATS_MOST;
    repeats = (uint32_t)fmin(fmax(scaled, 1), REPEATS_MOST);
    double done =
        (double)repeats * UNROLL * CHAINS * operations * BLOCK * BLOCKS_PER_SM * device->sm_count;
    for (int i = 0; i < TIMINGS && result == CUDA_SUCCESS; i++) {
        result = time_once(device, function, repeats, &elapsed_ms);
        if (result == CUDA_SUCCESS && elapsed_ms > 0)
            *gops = fmax(*gops, done / ((double)elapsed_ms * 1e6));
    }
    return result;
}

enum status cuda_arithmetic(struct device *device, struct arithmetic *out, struct error *error)
{
    const struct cuda_driver *cuda = cuda_of(device)->driver;
    const struct named_value defines[] = {{"CHAINS", value_integer(CHAINS)},
                                          {"UNROLL", value_integer(UNROLL)},
                                          {"BLOCK", value_integer(BLOCK)}};
    CUmodule module = NULL;
    CUresult result = CUDA_SUCCESS;
    *out = (struct arithmetic){{0}};
    enum status status =
        cuda_load_own(device, cuda_arithmetic_source, "arithmetic.cu", defines,
                      sizeof defines / sizeof *defines, "kernels that calculate", &module, error);
    if (status == STATUS_OK)
        status = gpu_warm_again(device, error);
    for (size_t i = 0; status == STATUS_OK && i < sizeof kinds / sizeof *kinds; i++) {
        CUfunction function = NULL;
        result = cuda->cuModuleGetFunction(&function, module, kinds[i].name);
        if (result == CUDA_SUCCESS)
            result = measure(device, function, kinds[i].operations, &out->gops[kinds[i].type]);
        if (result != CUDA_SUCCESS)
            status = cuda_error(device, result, error, "measuring operations per second");
    }
    if (module)
        (void)cuda->cuModuleUnload(module);
    device->busy_until_ns = clock_now_ns();
    return status;
}
