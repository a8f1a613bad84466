/* Energy of a block: its graph is launched without a pause, while the host watches the energy
 * counter, which moves in steps: every 100 ms on an H200. */
#include <math.h>
#include <time.h>

#include "tuner/base/clock.h"
#include "tuner/device/cuda/measure.h"

enum {
    BATCH_LAUNCHES_MAX = 256, /* more would fill the driver's queue and hold up the host */
    FIRST_STEP = 2, /* step of the counter that begins the window: by then the device is at work */
};

static const double batch_ns = 5e6;
static const int64_t step_deadline_ns = INT64_C(2000000000);
static const struct timespec between_looks = {.tv_nsec = 100000};

struct meter {
    struct device *device;
    const struct block *block;
    CUgraphExec graph;
    uint32_t batch; /* launches between two events */
    double window_ns;
    const char *failure; /* the counter's failure; NULL: none */
    /* The counter. */
    double energy_j;
    int64_t stepped_ns; /* time of the last step */
    int steps;
    double step_j; /* the smallest */
    /* The window, from a step to another. */
    double from_j;
    int64_t from_ns;
    bool is_over;
    /* Launches that were completed, and between the first and the last batch in the window. */
    double first_launches, last_launches, launches;
    int64_t first_ns, last_ns;
};

/* Reads the counter. False: the window is over, or reading failed. */
static bool read_counter(struct meter *meter)
{
    double joules = 0;
    if (meter->is_over)
        return false;
    const bool counts = cuda_read_energy(meter->device, &joules, &meter->failure);
    const int64_t now_ns = clock_now_ns();
    if (counts && joules > meter->energy_j) {
        double step = joules - meter->energy_j;
        meter->energy_j = joules;
        meter->stepped_ns = now_ns;
        meter->step_j = meter->steps == 0 ? step : fmin(meter->step_j, step);
        if (++meter->steps == FIRST_STEP) {
            meter->from_j = joules;
            meter->from_ns = now_ns;
        }
        meter->is_over =
            meter->steps > FIRST_STEP && (double)(now_ns - meter->from_ns) >= meter->window_ns;
    }
    return counts && !meter->is_over && now_ns - meter->stepped_ns < step_deadline_ns;
}

static CUresult submit_batch(struct meter *meter, CUevent behind)
{
    const struct cuda_driver *driver = meter->device->driver;
    for (uint32_t i = 0; i < meter->batch; i++)
        CUDA_PASS(driver->cuGraphLaunch(meter->graph, meter->device->stream));
    return driver->cuEventRecord(behind, meter->device->stream);
}

/* Waits for the batch in front of the event, reading the counter meanwhile. */
static CUresult watch(struct meter *meter, CUevent event, bool *goes_on)
{
    CUresult result = CUDA_ERROR_NOT_READY;
    *goes_on = read_counter(meter);
    while (*goes_on) {
        result = meter->device->driver->cuEventQuery(event);
        if (result != CUDA_ERROR_NOT_READY)
            break;
        (void)nanosleep(&between_looks, NULL);
        *goes_on = read_counter(meter);
    }
    if (result == CUDA_SUCCESS) {
        int64_t now_ns = clock_now_ns();
        meter->launches += meter->batch;
        if (meter->steps >= FIRST_STEP && !meter->is_over) {
            if (meter->first_ns == 0) {
                meter->first_ns = now_ns;
                meter->first_launches = meter->launches;
            }
            meter->last_ns = now_ns;
            meter->last_launches = meter->launches;
        }
    }
    return result == CUDA_ERROR_NOT_READY ? CUDA_SUCCESS : result;
}

/* Runs batches, two at a time, so that the device never waits for the host. */
static CUresult run_batches(struct meter *meter)
{
    struct device *device = meter->device;
    bool goes_on = true;
    const CUevent events[2] = {device->begin, device->end};
    CUresult result = submit_batch(meter, events[0]);
    for (int next = 0; result == CUDA_SUCCESS && goes_on; next ^= 1) {
        result = submit_batch(meter, events[1 - next]);
        if (result == CUDA_SUCCESS)
            result = watch(meter, events[next], &goes_on);
    }
    const CUresult end = device->driver->cuStreamSynchronize(device->stream);
    device->busy_until_ns = clock_now_ns();
    return result == CUDA_SUCCESS ? end : result;
}

/* Sets the number of launches in a batch to about batch_ns. */
static CUresult size_batch(struct meter *meter)
{
    struct device *device = meter->device;
    double elapsed_ns = 0;
    meter->batch = 1;
    CUDA_PASS(device->driver->cuEventRecord(device->begin, device->stream));
    CUDA_PASS(submit_batch(meter, device->end));
    CUDA_PASS(device->driver->cuEventSynchronize(device->end));
    CUDA_PASS(cuda_elapsed(device, &elapsed_ns));
    meter->batch = (uint32_t)fmin(fmax(batch_ns / fmax(elapsed_ns, 1), 1), BATCH_LAUNCHES_MAX);
    return CUDA_SUCCESS;
}

static enum status no_counter(struct error *error, const char *why)
{
    return error_set(error, STATUS_UNAVAILABLE, "no energy counter that may be read: %s", why);
}

enum status cuda_measure_energy(struct device *device, const struct block *block, double window_ms,
                                struct energy *out, struct error *error)
{
    struct block as_graph = *block; /* energy is that of the work, whoever issues it */
    as_graph.issue = ISSUE_GRAPH;
    struct meter meter = {.device = device, .block = &as_graph, .window_ns = window_ms * 1e6};
    if (!cuda_read_energy(device, &meter.energy_j, &meter.failure))
        return no_counter(error, meter.failure);
    meter.stepped_ns = clock_now_ns();
    TRY(cuda_block_ready(device, &as_graph, &meter.graph, error));
    if (!meter.graph)
        return error_set(error, STATUS_UNAVAILABLE,
                         "energy is measured with graphs, and the function cannot be captured: %s",
                         device->remark);
    CUresult result = size_batch(&meter);
    meter.stepped_ns = clock_now_ns();
    if (result == CUDA_SUCCESS)
        result = run_batches(&meter);
    if (result != CUDA_SUCCESS) {
        char text[ERROR_TEXT_BYTES / 2];
        cuda_plan_text(block->plan, text, sizeof text);
        return cuda_error(device, result, error, "%s", text);
    }
    if (meter.failure)
        return no_counter(error, meter.failure);
    if (!meter.is_over)
        return no_counter(error, "it does not move");
    if (meter.last_launches <= meter.first_launches)
        return error_set(error, STATUS_UNAVAILABLE,
                         "energy: a window of %.0f ms is too short for a block of this plan",
                         meter.window_ns * 1e-6);
    double launch_ns =
        (double)(meter.last_ns - meter.first_ns) / (meter.last_launches - meter.first_launches);
    double window_ns = (double)(meter.stepped_ns - meter.from_ns);
    *out = (struct energy){.window_ns = window_ns,
                           .energy_j = meter.energy_j - meter.from_j,
                           .runs = window_ns / launch_ns * meter.block->runs,
                           .resolution_j = meter.step_j};
    return STATUS_OK;
}
