#include <math.h>
#include <string.h>

#include "tuner/base/half.h"
#include "tuner/device/cuda/internal.h"

/* Held within the range, as C leaves the conversion of larger reals undefined. */
static int64_t integer_of_real(double real)
{
    if (isnan(real))
        return 0;
    if (real >= 9223372036854775807.0)
        return INT64_MAX;
    if (real <= -9223372036854775808.0)
        return INT64_MIN;
    return (int64_t)real;
}

static int64_t within(int64_t value, enum element_type type)
{
    size_t bits = 8 * element_bytes(type);
    bool is_unsigned = element_name(type)[0] == 'u';
    if (is_unsigned && value < 0)
        return 0;
    if (bits == 64)
        return value;
    int64_t most = (INT64_C(1) << (is_unsigned ? bits : bits - 1)) - 1;
    int64_t least = is_unsigned ? 0 : -most - 1;
    return value > most ? most : value < least ? least : value;
}

bool cuda_scalar(struct value value, enum element_type type, uint64_t *out)
{
    double real = 0;
    *out = 0;
    if (!value_number(value, &real))
        return false;
    if (type == ELEMENT_F64) {
        memcpy(out, &real, sizeof real);
        return true;
    }
    if (type == ELEMENT_F32) {
        float narrow = (float)real;
        memcpy(out, &narrow, sizeof narrow);
        return true;
    }
    if (type == ELEMENT_F16 || type == ELEMENT_BF16) {
        *out = type == ELEMENT_F16 ? f16_from_real(real) : bf16_from_real(real);
        return true;
    }
    int64_t integer =
        value.kind == VALUE_REAL ? within(integer_of_real(value.real), type) : value.integer;
    memcpy(out, &integer, element_bytes(type)); /* little-endian: the low bytes come first */
    return true;
}

static enum status prepare_values(struct device *device, const struct launch_plan *plan,
                                  struct prepared_plan *out, struct error *error)
{
    if (plan->argument_count != device->argument_count)
        return error_set(error, STATUS_INTERNAL, "the plan is not the one that was bound");
    for (size_t i = 0; i < plan->argument_count; i++) {
        const struct argument *argument = &plan->arguments[i];
        if (argument->role == ARGUMENT_SCALAR) {
            if (!cuda_scalar(argument->scalar, argument->type, &out->values[i]))
                return error_set(error, STATUS_BAD_INPUT, "argument '%s': %s needs a number",
                                 argument->name, element_name(argument->type));
            continue;
        }
        if ((uint64_t)argument->count * element_bytes(argument->type) > device->vectors[i].bytes)
            return error_set(error, STATUS_INTERNAL, "argument '%s' is larger than it was bound",
                             argument->name);
        out->values[i] = cuda_vector_start(&device->vectors[i]);
    }
    return STATUS_OK;
}

/* A driver's own words for these are "invalid argument". */
static enum status check_cluster(const struct launch *launch, const struct kernel *kernel,
                                 struct error *error)
{
    char text[256];
    for (size_t i = 0; i < 3; i++) {
        if (launch->grid[i] % kernel->cluster[i] == 0)
            continue;
        cuda_launch_text(launch, text, sizeof text);
        return error_set(error, STATUS_LAUNCH_FAILED,
                         "%s: a grid of %u blocks cannot be made of clusters of %u", text,
                         launch->grid[i], kernel->cluster[i]);
    }
    return STATUS_OK;
}

static enum status check_dependent(const struct device *device, const struct launch *launch,
                                   bool first, struct error *error)
{
    const struct cuda_driver *cuda = device->driver;
    char text[256];
    if (!launch->dependent)
        return STATUS_OK;
    cuda_launch_text(launch, text, sizeof text);
    if (first)
        return error_set(error, STATUS_LAUNCH_FAILED,
                         "%s: a dependent launch has none before it to depend on", text);
    if (device->compute_major < 9)
        return error_set(error, STATUS_LAUNCH_FAILED,
                         "%s: a dependent launch needs compute capability 9.0, this is %s", text,
                         device->architecture);
    if (!cuda->cuLaunchKernelEx || !cuda->add_edges)
        return error_set(error, STATUS_LAUNCH_FAILED,
                         "%s: a dependent launch needs a driver for CUDA 12.3, this one is for "
                         "CUDA %d.%d: update it",
                         text, cuda->version / 1000, cuda->version % 1000 / 10);
    return STATUS_OK;
}

static enum status prepare_launch(struct device *device, const struct launch_plan *plan,
                                  const struct launch *launch, struct prepared_plan *plan_out,
                                  struct prepared_launch *out, struct error *error)
{
    out->launch = launch;
    enum status status = cuda_find_kernel(device, launch->kernel, &out->kernel, error);
    if (status == STATUS_OK)
        status = check_cluster(launch, out->kernel, error);
    if (status == STATUS_OK)
        status = check_dependent(device, launch, launch == plan->launches, error);
    if (status == STATUS_OK)
        status = cuda_allow_shared(device, out->kernel, launch->shared_bytes, error);
    for (size_t i = 0; i < launch->argument_count && status == STATUS_OK; i++) {
        if (launch->arguments[i] >= plan->argument_count)
            status = error_set(error, STATUS_INTERNAL, "kernel %s: argument %u of %zu",
                               launch->kernel, launch->arguments[i], plan->argument_count);
        else
            out->arguments[i] = &plan_out->values[launch->arguments[i]];
    }
    return status;
}

enum status cuda_prepare(struct device *device, const struct launch_plan *plan,
                         struct prepared_plan *out, struct error *error)
{
    *out = (struct prepared_plan){.launch_count = plan->launch_count};
    enum status status = prepare_values(device, plan, out, error);
    for (size_t i = 0; i < plan->launch_count && status == STATUS_OK; i++)
        status = prepare_launch(device, plan, &plan->launches[i], out, &out->launches[i], error);
    return status;
}

void cuda_rotate(const struct device *device, const struct launch_plan *plan, uint32_t run,
                 struct prepared_plan *prepared)
{
    for (size_t i = 0; i < plan->argument_count; i++) {
        const struct vector *vector = &device->vectors[i];
        CUdeviceptr start = cuda_vector_start(vector);
        if (plan->arguments[i].role == ARGUMENT_INPUT && vector->copies > 0)
            prepared->values[i] = start + (run + device->first) % vector->copies * vector->stride;
        else if (plan->arguments[i].role != ARGUMENT_SCALAR && vector->places > 1)
            prepared->values[i] = start - vector->wander +
                                  (run + device->first) % vector->places * vector->place_bytes;
    }
}
