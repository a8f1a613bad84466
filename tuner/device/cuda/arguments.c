#include <string.h>

#include "tuner/base/text.h"
#include "tuner/device/cuda/measure.h"

/* Writes a vector's address, or a texture over the vector, to its parameter and to the structs that
 * point there. */
static enum status put_vector(struct device *device, const struct launch_plan *plan, size_t i,
                              CUdeviceptr address, struct prepared_plan *out, struct error *error)
{
    uint64_t passed = address;
    if (plan->arguments[i].texture.width > 0) {
        CUtexObject object = 0;
        TRY(cuda_texture(device, &plan->arguments[i], address, &object, error));
        passed = object;
    }
    memcpy(out->values[i], &passed, sizeof passed);
    for (size_t j = 0; j < plan->argument_count; j++)
        argument_point(&plan->arguments[j], i, passed, out->values[j]);
    return STATUS_OK;
}

/* Refuses clusters that the kernel cannot have, for which drivers say only "invalid argument". */
static enum status check_cluster(struct device *device, const struct launch *launch,
                                 struct kernel *kernel, struct error *error)
{
    struct launch whole = *launch; /* has the clusters of the kernel's source */
    const bool own = launch_cluster_blocks(launch) > 1;
    char text[256], why[160];
    cuda_cluster_of(launch, kernel, whole.cluster);
    cuda_launch_text(launch, text, sizeof text);
    if (own && device->compute_major < 9)
        return error_set(error, STATUS_LAUNCH_FAILED,
                         "%s: clusters need compute capability 9.0, this is %s", text,
                         device->architecture);
    if ((own || launch->cooperative) &&
        (!device->driver->cuLaunchKernelEx || !device->driver->cuGraphKernelNodeSetAttribute))
        return error_set(
            error, STATUS_LAUNCH_FAILED,
            "%s: %s need a driver for CUDA 11.8, this one is for CUDA %d.%d: update it", text,
            own ? "clusters" : "cooperative launches", device->driver->version / 1000,
            device->driver->version % 1000 / 10);
    for (size_t i = 0; own && i < 3; i++)
        if (kernel->cluster[i] > 1 && kernel->cluster[i] != whole.cluster[i])
            return error_set(error, STATUS_LAUNCH_FAILED,
                             "%s: clusters of %u blocks, and the kernel's source says %u", text,
                             whole.cluster[i], kernel->cluster[i]);
    if (launch_refused(&whole, &device->limits, 0, why, sizeof why))
        return error_set(error, STATUS_LAUNCH_FAILED, "%s: %s", text, why);
    cuda_allow_cluster(device, kernel, whole.cluster);
    return STATUS_OK;
}

static enum status prepare_launch(struct device *device, const struct launch_plan *plan,
                                  const struct launch *launch, struct prepared_plan *plan_out,
                                  struct prepared_launch *out, struct error *error)
{
    const struct module *module = device->current;
    out->launch = launch;
    if (launch->is_function)
        TRY(host_function_find(module ? module->object : NULL, launch->kernel, &out->function,
                               error));
    else {
        TRY(cuda_find_kernel(device, launch->kernel, &out->kernel, error));
        TRY(check_cluster(device, launch, out->kernel, error));
        const struct cuda_driver *cuda = device->driver;
        char text[256];
        if (launch->dependent) {
            cuda_launch_text(launch, text, sizeof text);
            if (launch == plan->launches)
                return error_set(error, STATUS_LAUNCH_FAILED,
                                 "%s: a dependent launch has none before it to depend on", text);
            if (device->compute_major < 9)
                return error_set(error, STATUS_LAUNCH_FAILED,
                                 "%s: a dependent launch needs compute capability 9.0, this is %s",
                                 text, device->architecture);
            if (!cuda->cuLaunchKernelEx || !cuda->add_edges)
                return error_set(
                    error, STATUS_LAUNCH_FAILED,
                    "%s: a dependent launch needs a driver for CUDA 12.3, this one is for "
                    "CUDA %d.%d: update it",
                    text, cuda->version / 1000, cuda->version % 1000 / 10);
        }
        TRY(cuda_allow_shared(device, out->kernel, launch->shared_bytes, error));
    }
    for (size_t i = 0; i < launch->argument_count; i++) {
        if (launch->arguments[i] >= plan->argument_count ||
            plan->arguments[launch->arguments[i]].symbol)
            return error_set(error, STATUS_INTERNAL, "kernel %s: argument %u of %zu",
                             launch->kernel, launch->arguments[i], plan->argument_count);
        else
            for (uint32_t repeat = 0; repeat < 2; repeat++)
                out->arguments[repeat][i] = plan_out->values[launch_argument(launch, i, repeat)];
    }
    return launch->is_function ? host_function_fits(&out->function, plan, launch,
                                                    launch->argument_count, true, error)
                               : cuda_check_parameters(plan, launch, out->kernel, error);
}

enum status cuda_prepare(struct device *device, const struct launch_plan *plan,
                         struct prepared_plan *out, struct error *error)
{
    *out = (struct prepared_plan){.launch_count = plan->launch_count, .plan = plan};
    if (plan->argument_count != device->argument_count)
        return error_set(error, STATUS_INTERNAL, "the plan is not the one that was bound");
    for (size_t i = 0; i < plan->argument_count; i++) {
        const struct argument *argument = &plan->arguments[i];
        size_t bytes = 0;
        if (!argument->symbol && !role_is_vector(argument->role))
            TRY(argument_pack(argument, out->values[i], &bytes, error));
    }
    for (size_t i = 0; i < plan->argument_count; i++) {
        const struct argument *argument = &plan->arguments[i];
        if (argument_is_bound(argument)) {
            if (argument_bytes(argument) > device->vectors[i].bytes)
                return error_set(error, STATUS_INTERNAL,
                                 "argument '%s' is larger than it was bound", argument->name);
            TRY(put_vector(device, plan, i, cuda_vector_start(&device->vectors[i]), out, error));
        }
    }
    for (size_t i = 0; i < plan->launch_count; i++)
        TRY(prepare_launch(device, plan, &plan->launches[i], out, &out->launches[i], error));
    return STATUS_OK;
}

enum status cuda_rotate(struct device *device, const struct launch_plan *plan, uint32_t run,
                        struct prepared_plan *prepared, struct error *error)
{
    const uint32_t turn = run + device->first;
    for (size_t i = 0; i < plan->argument_count; i++) {
        const struct vector *vector = &device->vectors[i];
        const struct argument *argument = &plan->arguments[i];
        CUdeviceptr address = cuda_vector_start(vector);
        if (argument_rotates(argument) && vector->copies > 0)
            address += turn % vector->copies * vector->stride;
        else if (argument_is_bound(argument) && vector->places > 1)
            address += turn % vector->places * vector->place_bytes - vector->wander;
        else
            continue;
        TRY(put_vector(device, plan, i, address, prepared, error));
    }
    return STATUS_OK;
}
