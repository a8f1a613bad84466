#include <math.h>

#include "tuner/base/clock.h"
#include "tuner/device/cuda/internal.h"

static enum status launch_failed(struct device *device, CUresult result,
                                 const struct launch *launch, struct error *error)
{
    char text[256];
    cuda_launch_text(launch, text, sizeof text);
    return cuda_error(device, result, error, "%s", text);
}

static CUresult submit_dependent(struct device *device, const struct prepared_launch *prepared)
{
    const struct launch *launch = prepared->launch;
    CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION};
    attribute.value.programmaticStreamSerializationAllowed = 1;
    const CUlaunchConfig config = {
        .gridDimX = launch->grid[0],
        .gridDimY = launch->grid[1],
        .gridDimZ = launch->grid[2],
        .blockDimX = launch->block[0],
        .blockDimY = launch->block[1],
        .blockDimZ = launch->block[2],
        .sharedMemBytes = launch->shared_bytes,
        .hStream = device->stream,
        .attrs = &attribute,
        .numAttrs = 1,
    };
    return device->driver->cuLaunchKernelEx(&config, prepared->kernel->function,
                                            (void **)(uintptr_t)prepared->arguments, NULL);
}

static CUresult submit(struct device *device, const struct prepared_launch *prepared)
{
    const struct launch *launch = prepared->launch;
    return device->driver->cuLaunchKernel(
        prepared->kernel->function, launch->grid[0], launch->grid[1], launch->grid[2],
        launch->block[0], launch->block[1], launch->block[2], launch->shared_bytes, device->stream,
        (void **)(uintptr_t)prepared->arguments, NULL);
}

enum status cuda_submit(struct device *device, const struct prepared_plan *prepared,
                        struct error *error)
{
    for (size_t i = 0; i < prepared->launch_count; i++) {
        const struct prepared_launch *launch = &prepared->launches[i];
        for (uint32_t repeat = 0; repeat < launch_repeats(launch->launch); repeat++) {
            CUresult result = launch->launch->dependent ? submit_dependent(device, launch)
                                                        : submit(device, launch);
            if (result != CUDA_SUCCESS)
                return launch_failed(device, result, launch->launch, error);
        }
    }
    return STATUS_OK;
}

enum status cuda_fill(struct device *device, const struct launch_plan *plan,
                      enum argument_role role, unsigned char byte, struct error *error)
{
    for (size_t i = 0; i < plan->argument_count; i++) {
        const struct vector *vector = &device->vectors[i];
        if (plan->arguments[i].role != role || plan->arguments[i].symbol || vector->bytes == 0)
            continue;
        CUresult result = device->driver->cuMemsetD8Async(cuda_vector_start(vector), byte,
                                                          vector->bytes, device->stream);
        if (result != CUDA_SUCCESS)
            return cuda_error(device, result, error, "filling argument '%s'",
                              plan->arguments[i].name);
    }
    return STATUS_OK;
}

enum status cuda_fill_places(struct device *device, const struct launch_plan *plan,
                             enum argument_role role, unsigned char byte, struct error *error)
{
    for (size_t i = 0; i < plan->argument_count; i++) {
        const struct vector *vector = &device->vectors[i];
        if (plan->arguments[i].role != role || plan->arguments[i].symbol || vector->bytes == 0)
            continue;
        CUresult result = device->driver->cuMemsetD8Async(
            cuda_vector_start(vector) - vector->wander, byte,
            vector->places > 1 ? vector->places * vector->place_bytes : vector->bytes,
            device->stream);
        if (result != CUDA_SUCCESS)
            return cuda_error(device, result, error, "filling argument '%s'",
                              plan->arguments[i].name);
    }
    return STATUS_OK;
}

static enum status wait_for_run(struct device *device, const struct launch_plan *plan,
                                double *elapsed_ns, struct error *error)
{
    const struct cuda_driver *cuda = device->driver;
    char text[ERROR_TEXT_BYTES / 2];
    float elapsed_ms = 0;
    CUresult result = cuda->cuEventRecord(device->end, device->stream);
    if (result == CUDA_SUCCESS)
        result = cuda->cuStreamSynchronize(device->stream);
    if (result == CUDA_SUCCESS)
        result = cuda->cuEventElapsedTime(&elapsed_ms, device->begin, device->end);
    device->busy_until_ns = clock_now_ns();
    if (result != CUDA_SUCCESS) {
        cuda_plan_text(plan, text, sizeof text);
        return cuda_error(device, result, error, "%s", text);
    }
    *elapsed_ns = fmax((double)elapsed_ms * 1e6 - device->calibration.empty_pair_ns,
                       device->calibration.tick_ns);
    return STATUS_OK;
}

/* Launches once and waits. The scratch is then not as a slot's blocks left it. */
static enum status launch_once(struct device *device, const struct launch_plan *plan,
                               const struct prepared_plan *prepared, double *elapsed_ns,
                               struct error *error)
{
    device->scratch_slot = NO_SLOT;
    cuda_show_first(device);
    cuda_note_updates(device, plan);
    cuda_note_inputs(device, plan, 0, 1);
    CUresult result = device->driver->cuEventRecord(device->begin, device->stream);
    if (result != CUDA_SUCCESS)
        return cuda_error(device, result, error, "starting the timer");
    enum status status = cuda_submit(device, prepared, error);
    return status == STATUS_OK ? wait_for_run(device, plan, elapsed_ns, error) : status;
}

enum status cuda_run(struct device *device, const struct launch_plan *plan, double *elapsed_ns,
                     struct error *error)
{
    struct prepared_plan prepared;
    enum status status = cuda_prepare(device, plan, &prepared, error);
    if (status == STATUS_OK)
        status = cuda_fill(device, plan, ARGUMENT_OUTPUT, POISON, error);
    if (status == STATUS_OK)
        status = cuda_restore(device, plan, error);
    if (status == STATUS_OK)
        status = cuda_write_guards(device, plan, error);
    if (status == STATUS_OK)
        status = cuda_fill(device, plan, ARGUMENT_SCRATCH, 0, error);
    return status == STATUS_OK ? launch_once(device, plan, &prepared, elapsed_ns, error) : status;
}

enum status cuda_run_again(struct device *device, const struct launch_plan *plan,
                           struct error *error)
{
    struct prepared_plan prepared;
    double elapsed_ns = 0;
    enum status status = cuda_prepare(device, plan, &prepared, error);
    if (status == STATUS_OK)
        status = cuda_fill(device, plan, ARGUMENT_OUTPUT, POISON, error);
    if (status == STATUS_OK)
        status = cuda_restore(device, plan, error);
    if (status == STATUS_OK)
        status = cuda_turn_bands(device, plan, error);
    return status == STATUS_OK ? launch_once(device, plan, &prepared, &elapsed_ns, error) : status;
}

enum status cuda_run_on(struct device *device, const struct launch_plan *plan, struct error *error)
{
    struct prepared_plan prepared;
    double elapsed_ns = 0;
    enum status status = cuda_prepare(device, plan, &prepared, error);
    return status == STATUS_OK ? launch_once(device, plan, &prepared, &elapsed_ns, error) : status;
}
