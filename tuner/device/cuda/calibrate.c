#include <math.h>

#include "tuner/base/reals.h"
#include "tuner/device/cuda/internal.h"

enum { PAIRS = 101, TICK_SAMPLES = 256, GAP_SAMPLES = 31, GAP_NODES = 64 };

static int submit_empty(struct device *device, void *context)
{
    CUresult result = CUDA_SUCCESS;
    for (int left = *(int *)context; left > 0 && result == CUDA_SUCCESS; left--)
        result = cuda_launch(device, cuda_of(device)->harness.empty, 1, 32, NULL);
    return (int)result;
}

/* The time read around `kernels` empty kernels behind the gate. */
static enum status timed_empty(struct device *device, int kernels, double *elapsed_ns,
                               struct error *error)
{
    return gpu_time_gated(device, submit_empty, &kernels, "calibrating the timer", elapsed_ns,
                          error);
}

/* The timer counts in ticks: times of unlike lengths lie a whole number of them apart. */
static double smallest_step(double *times, size_t count)
{
    double tick = INFINITY;
    reals_sort(times, count);
    for (size_t i = 1; i < count; i++) {
        double step = times[i] - times[i - 1];
        if (step >= 0.5 && step < tick)
            tick = step;
    }
    return isfinite(tick) ? tick : 0;
}

static enum status make_empty_graph(struct device *device, int nodes, CUgraphExec *out,
                                    struct error *error)
{
    const CUDA_KERNEL_NODE_PARAMS node = {.func = cuda_of(device)->harness.empty,
                                          .gridDimX = 1,
                                          .gridDimY = 1,
                                          .gridDimZ = 1,
                                          .blockDimX = 32,
                                          .blockDimY = 1,
                                          .blockDimZ = 1};
    CUgraph graph = NULL;
    CUgraphNode last = NULL;
    *out = NULL;
    CUresult result = cuda_of(device)->driver->cuGraphCreate(&graph, 0);
    if (result != CUDA_SUCCESS)
        return cuda_error(device, result, error, "making a graph");
    for (int i = 0; i < nodes && result == CUDA_SUCCESS; i++)
        result = cuda_graph_append(device, graph, &last, &node, false);
    if (result == CUDA_SUCCESS)
        result = cuda_graph_finish(device, graph, out);
    (void)cuda_of(device)->driver->cuGraphDestroy(graph);
    return result == CUDA_SUCCESS
               ? STATUS_OK
               : cuda_error(device, result, error, "calibrating the gap in graphs");
}

static int submit_graph(struct device *device, void *context)
{
    return (int)cuda_of(device)->driver->cuGraphLaunch(*(CUgraphExec *)context,
                                                       cuda_of(device)->stream);
}

/* The median time of a graph of so many empty kernels, one after the other. */
static enum status timed_empty_graph(struct device *device, int nodes, double *median_ns,
                                     struct error *error)
{
    double times[GAP_SAMPLES];
    CUgraphExec graph = NULL;
    enum status status = make_empty_graph(device, nodes, &graph, error);
    for (size_t i = 0; i < GAP_SAMPLES && status == STATUS_OK; i++)
        status = gpu_time_gated(device, submit_graph, &graph, "calibrating the gap in graphs",
                                &times[i], error);
    if (graph)
        (void)cuda_of(device)->driver->cuGraphExecDestroy(graph);
    if (status != STATUS_OK)
        return status;
    reals_sort(times, GAP_SAMPLES);
    *median_ns = reals_median(times, GAP_SAMPLES);
    return STATUS_OK;
}

static enum status calibrate_gap(struct device *device, struct error *error)
{
    double one = 0;
    double many = 0;
    enum status status = timed_empty_graph(device, 1, &one, error);
    if (status == STATUS_OK)
        status = timed_empty_graph(device, 1 + GAP_NODES, &many, error);
    if (status == STATUS_OK)
        device->calibration.node_gap_ns = fmax((many - one) / GAP_NODES, 0);
    return status;
}

enum status cuda_calibrate(struct device *device, struct error *error)
{
    double pairs[PAIRS];
    double times[TICK_SAMPLES];
    enum status status = STATUS_OK;
    for (size_t i = 0; i < PAIRS && status == STATUS_OK; i++)
        status = timed_empty(device, 0, &pairs[i], error);
    for (size_t i = 0; i < TICK_SAMPLES && status == STATUS_OK; i++)
        status = timed_empty(device, (int)(i % 8), &times[i], error);
    if (status != STATUS_OK)
        return status;
    reals_sort(pairs, PAIRS);
    device->calibration.empty_pair_ns = reals_median(pairs, PAIRS);
    device->calibration.tick_ns = smallest_step(times, TICK_SAMPLES);
    return calibrate_gap(device, error);
}
