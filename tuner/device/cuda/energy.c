/* Energy of a block: its graph is launched again and again without a pause, while the host watches
 * the energy counter, which moves in steps: every 100 ms on an H200. */
#include <math.h>
#include <time.h>

#include "tuner/base/clock.h"
#include "tuner/device/cuda/internal.h"

enum {
    BATCH_LAUNCHES_MAX = 256, /* more would fill the driver's queue and hold up the host */
    FIRST_STEP = 2, /* of the counter, that begins the window: then the device is at work */
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
    int result; /* of the library */
    /* The counter. */
    double energy_j;
    int64_t stepped_ns; /* when it moved last */
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

static void take_step(struct meter *meter, double joules, int64_t now_ns)
{
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

/* Looks at the counter. False when there is no more to be seen: the window is over, or it fails. */
static bool look(struct meter *meter)
{
    double joules = 0;
    if (meter->is_over)
        return false;
    meter->result = cuda_energy_counter(&meter->device->nvml, &joules);
    int64_t now_ns = clock_now_ns();
    if (meter->result == NVML_SUCCESS && joules > meter->energy_j)
        take_step(meter, joules, now_ns);
    return meter->result == NVML_SUCCESS && !meter->is_over &&
           now_ns - meter->stepped_ns < step_deadline_ns;
}

static void note_batch(struct meter *meter)
{
    int64_t now_ns = clock_now_ns();
    meter->launches += meter->batch;
    if (meter->steps < FIRST_STEP || meter->is_over)
        return;
    if (meter->first_ns == 0) {
        meter->first_ns = now_ns;
        meter->first_launches = meter->launches;
    }
    meter->last_ns = now_ns;
    meter->last_launches = meter->launches;
}

static CUresult submit_batch(struct meter *meter, CUevent behind)
{
    const struct cuda_driver *cuda = meter->device->driver;
    CUresult result = CUDA_SUCCESS;
    for (uint32_t i = 0; i < meter->batch && result == CUDA_SUCCESS; i++)
        result = cuda->cuGraphLaunch(meter->graph, meter->device->stream);
    return result == CUDA_SUCCESS ? cuda->cuEventRecord(behind, meter->device->stream) : result;
}

/* Until the batch in front of the event is through; the counter is looked at meanwhile. */
static CUresult watch(struct meter *meter, CUevent event, bool *goes_on)
{
    CUresult result = CUDA_ERROR_NOT_READY;
    *goes_on = look(meter);
    while (*goes_on) {
        result = meter->device->driver->cuEventQuery(event);
        if (result != CUDA_ERROR_NOT_READY)
            break;
        (void)nanosleep(&between_looks, NULL);
        *goes_on = look(meter);
    }
    if (result == CUDA_SUCCESS)
        note_batch(meter);
    return result == CUDA_ERROR_NOT_READY ? CUDA_SUCCESS : result;
}

/* Two batches are under way at any time, so that the device never waits for the host. */
static CUresult run_batches(struct meter *meter)
{
    struct device *device = meter->device;
    CUevent events[] = {device->begin, device->end};
    bool goes_on = true;
    CUresult result = submit_batch(meter, events[0]);
    for (int next = 0; result == CUDA_SUCCESS && goes_on; next ^= 1) {
        result = submit_batch(meter, events[1 - next]);
        if (result == CUDA_SUCCESS)
            result = watch(meter, events[next], &goes_on);
    }
    CUresult end = device->driver->cuStreamSynchronize(device->stream);
    device->busy_until_ns = clock_now_ns();
    return result == CUDA_SUCCESS ? end : result;
}

/* So many launches that a batch takes batch_ns. */
static CUresult size_batch(struct meter *meter)
{
    const struct cuda_driver *cuda = meter->device->driver;
    struct device *device = meter->device;
    float elapsed_ms = 0;
    meter->batch = 1;
    CUresult result = cuda->cuEventRecord(device->begin, device->stream);
    if (result == CUDA_SUCCESS)
        result = submit_batch(meter, device->end);
    if (result == CUDA_SUCCESS)
        result = cuda->cuEventSynchronize(device->end);
    if (result == CUDA_SUCCESS)
        result = cuda->cuEventElapsedTime(&elapsed_ms, device->begin, device->end);
    double launches = batch_ns / fmax((double)elapsed_ms * 1e6, 1);
    meter->batch = (uint32_t)fmin(fmax(launches, 1), BATCH_LAUNCHES_MAX);
    return result;
}

static enum status no_counter(struct error *error, const char *why)
{
    return error_set(error, STATUS_UNAVAILABLE, "no energy counter that may be read: %s", why);
}

static enum status start_counter(struct meter *meter, struct error *error)
{
    const struct nvml *nvml = &meter->device->nvml;
    if (!nvml->library)
        return no_counter(error, "NVML (libnvidia-ml.so.1) is missing or does not know the device");
    if (!nvml->nvmlDeviceGetTotalEnergyConsumption)
        return no_counter(error, "the driver is too old");
    meter->result = cuda_energy_counter(nvml, &meter->energy_j);
    if (meter->result != NVML_SUCCESS)
        return no_counter(error, nvml->nvmlErrorString(meter->result));
    meter->stepped_ns = clock_now_ns();
    return STATUS_OK;
}

static enum status conclude(const struct meter *meter, struct energy *out, struct error *error)
{
    const struct nvml *nvml = &meter->device->nvml;
    if (meter->result != NVML_SUCCESS)
        return no_counter(error, nvml->nvmlErrorString(meter->result));
    if (!meter->is_over)
        return no_counter(error, "it does not move");
    if (meter->last_launches <= meter->first_launches)
        return error_set(error, STATUS_UNAVAILABLE,
                         "energy: a window of %.0f ms is too short for a block of this plan",
                         meter->window_ns * 1e-6);
    double launch_ns =
        (double)(meter->last_ns - meter->first_ns) / (meter->last_launches - meter->first_launches);
    double window_ns = (double)(meter->stepped_ns - meter->from_ns);
    *out = (struct energy){.window_ns = window_ns,
                           .energy_j = meter->energy_j - meter->from_j,
                           .runs = window_ns / launch_ns * meter->block->runs,
                           .resolution_j = meter->step_j};
    return STATUS_OK;
}

enum status cuda_measure_energy(struct device *device, const struct block *block, double window_ms,
                                struct energy *out, struct error *error)
{
    struct meter meter = {.device = device, .block = block, .window_ns = window_ms * 1e6};
    enum status status = start_counter(&meter, error);
    if (status == STATUS_OK)
        status = cuda_block_ready(device, block, &meter.graph, error);
    if (status != STATUS_OK)
        return status;
    CUresult result = size_batch(&meter);
    meter.stepped_ns = clock_now_ns();
    if (result == CUDA_SUCCESS)
        result = run_batches(&meter);
    if (result != CUDA_SUCCESS) {
        char text[ERROR_TEXT_BYTES / 2];
        cuda_plan_text(block->plan, text, sizeof text);
        return cuda_error(device, result, error, "%s", text);
    }
    return conclude(&meter, out, error);
}
