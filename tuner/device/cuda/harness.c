#include <math.h>

#include "tuner/base/array.h"
#include "tuner/base/clock.h"
#include "tuner/device/cuda/compile.h"
#include "tuner/device/embedded.h"

static const struct {
    const char *name;
    size_t offset;
} harness_kernels[] = {
    {"tune_gate", offsetof(struct harness, gate)},
    {"tune_empty", offsetof(struct harness, empty)},
    {"tune_clean_read", offsetof(struct harness, clean_read)},
    {"tune_anchor", offsetof(struct harness, anchor)},
    {"tune_sum", offsetof(struct harness, sum)},
    {"tune_patch", offsetof(struct harness, patch)},
    {"tune_spoil", offsetof(struct harness, spoil)},
};

enum status cuda_harness_load(struct device *device, struct error *error)
{
    struct harness *harness = &device->harness;
    const struct binary_request plain = {0};
    TRY(cuda_load_own(device, cuda_harness_source, "harness.cu", &plain, "measuring kernels",
                      &harness->module, error));
    for (size_t i = 0; i < sizeof harness_kernels / sizeof *harness_kernels; i++) {
        CUfunction *function = (CUfunction *)(void *)((char *)harness + harness_kernels[i].offset);
        CUDA_TRY(cuModuleGetFunction(function, harness->module, harness_kernels[i].name),
                 "loading the measuring kernel %s", harness_kernels[i].name);
    }
    int bytes = 0;
    if (device->driver->cuDeviceGetAttribute(&bytes,
                                             CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
                                             device->handle) == CUDA_SUCCESS &&
        device->driver->cuFuncSetAttribute(
            harness->spoil, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes) == CUDA_SUCCESS)
        harness->spoilt_bytes = bytes;
    return STATUS_OK;
}

CUresult cuda_spoil_shared(struct device *device)
{
    /* Each is no number or near the largest as a real of any width, and unusual as an integer. */
    static const uint32_t patterns[] = {0x7fffffff, 0xfe96fe96, 0x7bd37bd3};
    enum { BLOCKS_PER_SM = 2, THREADS = 512 };
    struct harness *harness = &device->harness;
    uint32_t words = (uint32_t)harness->spoilt_bytes / sizeof(uint32_t);
    uint32_t pattern = patterns[device->spoils++ % (sizeof patterns / sizeof *patterns)];
    void *arguments[] = {&words, &pattern};
    if (words == 0)
        return CUDA_SUCCESS;
    return device->driver->cuLaunchKernel(
        harness->spoil, (uint32_t)device->sm_count * BLOCKS_PER_SM, 1, 1, THREADS, 1, 1,
        (uint32_t)harness->spoilt_bytes, device->stream, arguments, NULL);
}

CUresult cuda_pass(struct device *device, CUfunction function)
{
    unsigned long long count = device->flush_bytes / 16;
    void *arguments[] = {(void *)(uintptr_t)&device->flush, &count,
                         (void *)(uintptr_t)&device->sink};
    return cuda_launch(device, function, (uint32_t)device->sm_count * 4, 512, arguments);
}

/* Flushes the cache with lines that need no write-back: a memset would leave dirty lines, whose
 * write-back would be charged to the timed kernel. Dirty flushes write zeros, as a clean pass needs
 * zeros there. */
CUresult cuda_flush(struct device *device, bool dirty)
{
    return dirty ? device->driver->cuMemsetD8Async(device->flush, 0, device->flush_bytes,
                                                   device->stream)
                 : cuda_pass(device, device->harness.clean_read);
}

CUresult cuda_elapsed(struct device *device, double *elapsed_ns)
{
    float elapsed_ms = 0;
    const CUresult result =
        device->driver->cuEventElapsedTime(&elapsed_ms, device->begin, device->end);
    *elapsed_ns = (double)elapsed_ms * 1e6;
    return result;
}

CUresult cuda_gate_begin(struct device *device)
{
    struct gate *gate = &device->gate;
    gate->ticket = gate->ticket % 0x7fffffff + 1; /* neither 0 nor the complement of another */
    void *arguments[] = {&gate->open_on_device, &gate->seen_on_device, &gate->ticket};
    CUDA_PASS(cuda_launch(device, device->harness.gate, 1, 1, arguments));
    return device->driver->cuEventRecord(device->begin, device->stream);
}

CUresult cuda_gate_end(struct device *device, CUresult submitted, double *elapsed_ns, bool *late)
{
    const struct cuda_driver *cuda = device->driver;
    struct gate *gate = &device->gate;
    CUresult result = submitted;
    if (result == CUDA_SUCCESS)
        result = cuda->cuEventRecord(device->end, device->stream);
    __atomic_store_n(gate->open, gate->ticket, __ATOMIC_SEQ_CST);
    CUDA_PASS(result);
    CUDA_PASS(cuda->cuEventSynchronize(device->end));
    *late = __atomic_load_n(gate->seen, __ATOMIC_SEQ_CST) != gate->ticket;
    return cuda_elapsed(device, elapsed_ns);
}

enum status cuda_too_busy(struct error *error)
{
    return error_set(error, STATUS_TIMED_OUT,
                     "this process was stopped for over 2 s, %d times in a row: the machine is too "
                     "busy to measure on",
                     GATE_TRIES);
}

enum status cuda_time_gated(struct device *device, CUresult (*work)(struct device *, void *),
                            void *context, const char *what, double *elapsed_ns,
                            struct error *error)
{
    for (int tries = 0; tries < GATE_TRIES; tries++) {
        bool late = false;
        CUresult result = cuda_gate_begin(device);
        if (result == CUDA_SUCCESS)
            result = work(device, context);
        result = cuda_gate_end(device, result, elapsed_ns, &late);
        device->busy_until_ns = clock_now_ns();
        TRY(cuda_error(device, result, error, "%s", what));
        if (!late)
            return STATUS_OK;
    }
    return cuda_too_busy(error);
}

/* ---- the timer ---- */

enum { PAIRS = 101, TICK_SAMPLES = 256, GAP_SAMPLES = 31, GAP_NODES = 64 };

static CUresult submit_empty(struct device *device, void *context)
{
    for (int remaining = *(int *)context; remaining > 0; remaining--)
        CUDA_PASS(cuda_launch(device, device->harness.empty, 1, 32, NULL));
    return CUDA_SUCCESS;
}

/* Measures `kernels` empty kernels behind the gate. */
static enum status timed_empty(struct device *device, int kernels, double *elapsed_ns,
                               struct error *error)
{
    return cuda_time_gated(device, submit_empty, &kernels, "calibrating the timer", elapsed_ns,
                           error);
}

static CUresult submit_graph(struct device *device, void *context)
{
    return device->driver->cuGraphLaunch(*(CUgraphExec *)context, device->stream);
}

/* Finds the median time of a graph of `nodes` empty kernels in a row. */
static enum status timed_empty_graph(struct device *device, int nodes, double *median_ns,
                                     struct error *error)
{
    static const char calibrating[] = "calibrating the gap in graphs";
    const CUDA_KERNEL_NODE_PARAMS node = {.func = device->harness.empty,
                                          .gridDimX = 1,
                                          .gridDimY = 1,
                                          .gridDimZ = 1,
                                          .blockDimX = 32,
                                          .blockDimY = 1,
                                          .blockDimZ = 1};
    double times[GAP_SAMPLES];
    CUgraph made = NULL;
    CUgraphNode last = NULL;
    CUgraphExec graph = NULL;
    enum status status = STATUS_OK;
    CUDA_TRY(cuGraphCreate(&made, 0), "making a graph");
    CUresult result = CUDA_SUCCESS;
    for (int i = 0; i < nodes && result == CUDA_SUCCESS; i++)
        result = cuda_graph_append(device, made, &last, &node, false);
    if (result == CUDA_SUCCESS)
        result = cuda_graph_finish(device, made, &graph);
    (void)device->driver->cuGraphDestroy(made);
    TRY(cuda_error(device, result, error, calibrating));
    for (size_t i = 0; i < GAP_SAMPLES && status == STATUS_OK; i++)
        status = cuda_time_gated(device, submit_graph, &graph, calibrating, &times[i], error);
    (void)device->driver->cuGraphExecDestroy(graph);
    TRY(status);
    reals_sort(times, GAP_SAMPLES);
    *median_ns = reals_median(times, GAP_SAMPLES);
    return STATUS_OK;
}

enum status cuda_calibrate(struct device *device, struct error *error)
{
    double pairs[PAIRS];
    double times[TICK_SAMPLES];
    for (size_t i = 0; i < PAIRS; i++)
        TRY(timed_empty(device, 0, &pairs[i], error));
    for (size_t i = 0; i < TICK_SAMPLES; i++)
        TRY(timed_empty(device, (int)(i % 8), &times[i], error));
    reals_sort(pairs, PAIRS);
    device->calibration.empty_pair_ns = reals_median(pairs, PAIRS);
    /* The timer counts in ticks: different times lie a whole number of ticks apart. */
    double tick = INFINITY;
    reals_sort(times, TICK_SAMPLES);
    for (size_t i = 1; i < TICK_SAMPLES; i++) {
        double step = times[i] - times[i - 1];
        if (step >= 0.5 && step < tick)
            tick = step;
    }
    device->calibration.tick_ns = isfinite(tick) ? tick : 0;
    double one = 0;
    double many = 0;
    TRY(timed_empty_graph(device, 1, &one, error));
    TRY(timed_empty_graph(device, 1 + GAP_NODES, &many, error));
    device->calibration.node_gap_ns = fmax((many - one) / GAP_NODES, 0);
    return STATUS_OK;
}
