#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/device/cpu/device.h"
#include "tuner/device/functions.h"
#include "tuner/device/kinds.h"

enum status cpu_count(int *count, struct error *error)
{
    (void)error;
    *count = 1;
    return STATUS_OK;
}

void cpu_close(struct device *device)
{
    if (!device)
        return;
    watch_stop(device);
    flush_free(device);
    for (size_t i = 0; i < ARGUMENTS_MAX; i++)
        shelf_free(&device->shelves[i]);
    sensors_close(&device->sensors);
    pool_stop(device->pool);
    for (size_t i = 0; i < device->binary_count; i++) {
        (void)dlclose(device->binaries[i].handle);
        free(device->binaries[i].path);
    }
    free(device->binaries);
    machine_free(&device->machine);
    free(device);
}

enum status cpu_open(int index, const struct warm_up *how, struct device **out,
                     struct calibration *calibration, struct error *error)
{
    if (index != 0)
        return error_set(error, STATUS_NOT_FOUND, "there is no device cpu:%d, only cpu", index);
    struct device *device = calloc(1, sizeof *device);
    TRY_MEMORY(device);
    device->timed_slot = -1;
    device->warm_up = *how;
    enum status status = machine_load(&device->machine, error);
    const size_t cores = (size_t)device->machine.cores;
    unsigned *processors = status == STATUS_OK ? calloc(cores, sizeof *processors) : NULL;
    if (status == STATUS_OK)
        status = processors ? pool_start(&device->machine, &device->pool, error)
                            : error_no_memory(error);
    if (status != STATUS_OK) {
        free(processors);
        machine_free(&device->machine);
        free(device);
        return status;
    }
    /* The sensors of one hardware thread a core, whose state is the core's. */
    for (size_t i = 0; i < cores; i++)
        processors[i] = device->machine.units[i]->os_index;
    sensors_open(&device->sensors, "", processors, cores);
    free(processors);
    status = warm_up(device, error);
    if (status != STATUS_OK) {
        cpu_close(device);
        return status;
    }
    calibrate(device);
    watch_start(device);
    if (calibration)
        *calibration = device->calibration;
    *out = device;
    return STATUS_OK;
}

enum status cpu_load(struct device *device, const char *binary_path, struct error *error)
{
    for (size_t i = 0; i < device->binary_count; i++)
        if (strcmp(device->binaries[i].path, binary_path) == 0) {
            device->current = i + 1;
            return STATUS_OK;
        }
    /* The loader would search the system's libraries for a name without a slash. */
    char beside[PATH_MAX];
    const bool is_bare =
        !strchr(binary_path, '/') && string_format(beside, sizeof beside, "./%s", binary_path);
    void *handle = dlopen(is_bare ? beside : binary_path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const char *why = dlerror();
        return error_set(error, STATUS_LAUNCH_FAILED, "cannot load the kernel's binary: %s",
                         why ? why : binary_path);
    }
    const struct binary binary = {.path = strdup(binary_path), .handle = handle};
    if (!binary.path || !array_grow(&device->binaries, device->binary_count,
                                    &device->binary_capacity, sizeof binary)) {
        free(binary.path);
        (void)dlclose(handle);
        return error_no_memory(error);
    }
    device->binaries[device->binary_count] = binary;
    device->current = ++device->binary_count;
    return STATUS_OK;
}

enum status cpu_want(struct device *device, struct launch_plan *plan, struct error *error)
{
    return functions_want(device->binaries[device->current - 1].handle, plan, NULL, error);
}

/* Fills in resources: a processor runs one block at a time; other resources of GPU kernels have no
 * limit. */
enum status cpu_resources(struct device *device, const struct launch *launch,
                          struct kernel_resources *out, struct error *error)
{
    (void)device, (void)launch, (void)error;
    *out = resources_unknown();
    out->active_blocks_per_sm = 1;
    return STATUS_OK;
}

enum status cpu_ceilings(struct device *device, int64_t bytes, struct bandwidth *bandwidth,
                         struct arithmetic *arithmetic, struct error *error)
{
    if (bandwidth)
        TRY(cpu_bandwidth(device, bytes, bandwidth, error));
    return arithmetic ? cpu_arithmetic(device, arithmetic, error) : STATUS_OK;
}

#define CPU_MEMBER(member) .member = cpu_##member,
const struct device_api device_cpu = {.kind = "cpu", CPU_DEVICE(CPU_MEMBER)};
