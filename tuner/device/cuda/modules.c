#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/hash.h"
#include "tuner/device/cuda/internal.h"

/* ---- a binary's variables as arguments ---- */

static enum status add_symbol(struct module *module, const char *name, const char *lowered,
                              struct error *error)
{
    if (!array_grow(&module->symbols, module->symbol_count, &module->symbol_capacity,
                    sizeof *module->symbols))
        return error_no_memory(error);
    struct symbol *symbol = &module->symbols[module->symbol_count++];
    *symbol = (struct symbol){.name = strdup(name), .lowered = strdup(lowered)};
    return symbol->name && symbol->lowered ? STATUS_OK : error_no_memory(error);
}

/* Returns the current binary's symbol, with room for the argument. Variables not requested when
 * compiling may be there under their plain name. */
static enum status symbol_for(struct device *device, const struct argument *argument,
                              struct symbol **out, struct error *error)
{
    struct module *module = device->current;
    const char *name = argument->symbol;
    size_t i = 0;
    if (!module)
        return error_set(error, STATUS_INTERNAL, "variable %s: no binary was loaded", name);
    while (i < module->symbol_count && strcmp(module->symbols[i].name, name) != 0)
        i++;
    if (i == module->symbol_count)
        TRY(add_symbol(module, name, name, error));
    struct symbol *symbol = *out = &module->symbols[i];
    if (!symbol->address) {
        const CUresult result = device->driver->cuModuleGetGlobal(&symbol->address, &symbol->bytes,
                                                                  module->handle, symbol->lowered);
        if (result != CUDA_SUCCESS)
            symbol->address = 0;
        if (result == CUDA_ERROR_NOT_FOUND)
            return error_set(
                error, STATUS_BAD_INPUT,
                "argument '%s': no kernel uses a __constant__ or __device__ variable '%s'",
                argument->name, symbol->name);
        TRY(cuda_error(device, result, error, "variable %s", symbol->name));
    }
    return argument_fits_symbol(argument, symbol->bytes, error);
}

enum status cuda_find_variable(struct device *device, const struct argument *argument,
                               CUdeviceptr *out, struct error *error)
{
    struct symbol *symbol = NULL;
    TRY(symbol_for(device, argument, &symbol, error));
    symbol->holds = 0;
    *out = symbol->address;
    return STATUS_OK;
}

enum status cuda_set_symbol(struct device *device, const struct argument *argument,
                            const void *input, struct error *error)
{
    unsigned char value[VALUE_BYTES_MAX];
    struct symbol *symbol = NULL;
    size_t bytes = argument_symbol_bytes(argument);
    enum status status = symbol_for(device, argument, &symbol, error);
    if (status == STATUS_OK && !input) {
        status = argument_pack(argument, value, &bytes, error);
        input = value;
    }
    uint64_t hash = status == STATUS_OK ? hash_u64(input, bytes, bytes) | 1 : 0;
    if (status != STATUS_OK || symbol->holds == hash)
        return status;
    device->uploads = true;
    symbol->holds = 0;
    CUresult result =
        device->driver->cuMemcpyHtoDAsync(symbol->address, input, bytes, device->stream);
    if (result == CUDA_SUCCESS) /* the source of a copy must stay until the copy is done */
        result = device->driver->cuStreamSynchronize(device->stream);
    TRY(cuda_error(device, result, error, "copying '%s' to the variable %s", argument->name,
                   symbol->name));
    symbol->holds = hash;
    return STATUS_OK;
}

/* ---- binaries and kernels ---- */

static void free_module(struct device *device, struct module *module)
{
    if (module->handle)
        (void)device->driver->cuModuleUnload(module->handle);
    if (module->object)
        (void)dlclose(module->object);
    for (size_t i = 0; i < module->kernel_count; i++)
        free(module->kernels[i].name);
    free(module->kernels);
    for (size_t i = 0; i < module->symbol_count; i++) {
        free(module->symbols[i].name);
        free(module->symbols[i].lowered);
    }
    free(module->symbols);
    free(module->path);
    *module = (struct module){0};
}

void cuda_modules_free(struct device *device)
{
    for (size_t i = 0; i < device->module_count; i++)
        free_module(device, &device->modules[i]);
    device->module_count = 0;
    device->current = NULL;
}

enum { CLUSTER_PORTABLE_BLOCKS = 8 };

static int function_attribute(struct device *device, const struct kernel *kernel,
                              CUfunction_attribute attribute)
{
    int value = -1;
    if (device->driver->cuFuncGetAttribute(&value, attribute, kernel->function) != CUDA_SUCCESS)
        return -1;
    return value;
}

void cuda_cluster_of(const struct launch *launch, const struct kernel *kernel, uint32_t out[3])
{
    const bool own = launch_cluster_blocks(launch) > 1;
    for (size_t i = 0; i < 3; i++)
        out[i] = !own ? kernel->cluster[i] : launch->cluster[i] > 1 ? launch->cluster[i] : 1;
}

void cuda_allow_cluster(struct device *device, struct kernel *kernel, const uint32_t cluster[3])
{
    if (kernel->large_clusters || cluster[0] * cluster[1] * cluster[2] <= CLUSTER_PORTABLE_BLOCKS)
        return;
    kernel->large_clusters = true;
    (void)device->driver->cuFuncSetAttribute(
        kernel->function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
}

static enum status load_module(struct device *device, const char *path, struct arena *arena,
                               struct module *module, struct error *error)
{
    struct container container;
    if (functions_are_in(path)) {
        module->object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        const char *why = module->object ? NULL : dlerror();
        return module->object
                   ? STATUS_OK
                   : error_set(error, STATUS_LAUNCH_FAILED, "cannot load the functions' object: %s",
                               why ? why : path);
    }
    TRY(container_open(arena, path, &container, error));
    CUresult result = device->driver->cuModuleLoadData(&module->handle, container.cubin);
    if (result != CUDA_SUCCESS) {
        module->handle = NULL;
        return cuda_error(device, result, error, "loading %s (driver for CUDA %d.%d)", path,
                          device->driver->version / 1000, device->driver->version % 1000 / 10);
    }
    module->kernels = calloc(container.kernel_count + 1, sizeof *module->kernels);
    TRY_MEMORY(module->kernels);
    for (size_t i = 0; i < container.kernel_count; i++) {
        const struct container_name *from = &container.kernels[i];
        struct kernel *kernel = &module->kernels[module->kernel_count++];
        kernel->spill_bytes = from->spill_bytes;
        kernel->name = strdup(from->name);
        TRY_MEMORY(kernel->name);
        result =
            device->driver->cuModuleGetFunction(&kernel->function, module->handle, from->lowered);
        TRY(cuda_error(device, result, error, "kernel %s", from->name));
        static const CUfunction_attribute sizes[] = {CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH,
                                                     CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT,
                                                     CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH};
        for (size_t j = 0; j < 3; j++) {
            int size =
                device->compute_major >= 9 ? function_attribute(device, kernel, sizes[j]) : 0;
            kernel->cluster[j] = size > 1 ? (uint32_t)size : 1;
        }
        cuda_allow_cluster(device, kernel, kernel->cluster);
        cuda_take_parameters(device->driver, &container, from->lowered, kernel);
    }
    for (size_t i = 0; i < container.symbol_count; i++)
        TRY(add_symbol(module, container.symbols[i].name, container.symbols[i].lowered, error));
    return STATUS_OK;
}

enum status cuda_load(struct device *device, const char *binary_path, struct error *error)
{
    struct stat file;
    device->current = NULL;
    device->code = 0;
    if (stat(binary_path, &file) != 0)
        return error_set(error, STATUS_NOT_FOUND, "%s: no such binary: compile it first",
                         binary_path);
    for (size_t i = 0; i < device->module_count; i++) {
        struct module *module = &device->modules[i];
        if (!(module->file.st_dev == file.st_dev && module->file.st_ino == file.st_ino &&
              module->file.st_size == file.st_size &&
              module->file.st_mtim.tv_sec == file.st_mtim.tv_sec &&
              module->file.st_mtim.tv_nsec == file.st_mtim.tv_nsec) ||
            strcmp(module->path, binary_path) != 0)
            continue;
        module->used = ++device->module_clock;
        device->current = module;
        device->code = module->serial;
        return STATUS_OK;
    }
    struct arena arena = {0};
    struct module module = {.path = strdup(binary_path), .file = file};
    enum status status = module.path ? load_module(device, binary_path, &arena, &module, error)
                                     : error_no_memory(error);
    arena_free(&arena);
    if (status != STATUS_OK) {
        free_module(device, &module);
        return status;
    }
    /* A new slot, or the least recently used, whose kernels' graphs are freed first. */
    struct module *slot = &device->modules[0];
    if (device->module_count < MODULES_MAX) {
        slot = &device->modules[device->module_count++];
    } else {
        for (size_t i = 1; i < device->module_count; i++)
            if (device->modules[i].used < slot->used)
                slot = &device->modules[i];
        for (size_t i = 0; i < DEVICE_SLOTS; i++)
            if (device->slots[i].code == slot->serial)
                cuda_drop_graph(device, &device->slots[i]);
        free_module(device, slot);
    }
    device->current = slot;
    *slot = module;
    slot->used = ++device->module_clock;
    device->code = slot->serial = ++device->module_serial;
    return STATUS_OK;
}

enum status cuda_find_kernel(struct device *device, const char *name, struct kernel **out,
                             struct error *error)
{
    if (!device->current)
        return error_set(error, STATUS_INTERNAL, "kernel %s: no binary was loaded", name);
    for (size_t i = 0; i < device->current->kernel_count; i++) {
        *out = &device->current->kernels[i];
        if (strcmp((*out)->name, name) == 0)
            return STATUS_OK;
    }
    return error_set(error, STATUS_NOT_FOUND, "kernel %s: not in %s", name, device->current->path);
}

enum status cuda_allow_shared(struct device *device, struct kernel *kernel, uint32_t bytes,
                              struct error *error)
{
    if (bytes == 0)
        return STATUS_OK;
    int fixed = function_attribute(device, kernel, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
    int64_t whole = (int64_t)bytes + (fixed > 0 ? fixed : 0);
    if (whole <= device->shared_default || (int64_t)bytes <= kernel->shared_optin)
        return STATUS_OK;
    if (bytes > INT32_MAX)
        return error_set(error, STATUS_LAUNCH_FAILED, "kernel %s: %u bytes of shared memory",
                         kernel->name, bytes);
    CUDA_TRY(cuFuncSetAttribute(kernel->function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                (int)bytes),
             "kernel %s: %lld bytes of shared memory per block, more than the device "
             "gives",
             kernel->name, (long long)whole);
    kernel->shared_optin = (int32_t)bytes;
    return STATUS_OK;
}

/* Finds the number of blocks that the device holds at a time. */
static CUresult blocks_of_clusters(struct device *device, const struct kernel *kernel,
                                   const struct launch *launch, const uint32_t cluster[3],
                                   int *blocks)
{
    CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION};
    attribute.value.clusterDim.x = cluster[0];
    attribute.value.clusterDim.y = cluster[1];
    attribute.value.clusterDim.z = cluster[2];
    const CUlaunchConfig config = {.gridDimX = cluster[0],
                                   .gridDimY = cluster[1],
                                   .gridDimZ = cluster[2],
                                   .blockDimX = launch->block[0],
                                   .blockDimY = launch->block[1],
                                   .blockDimZ = launch->block[2],
                                   .sharedMemBytes = launch->shared_bytes,
                                   .hStream = device->stream,
                                   .attrs = &attribute,
                                   .numAttrs = launch_cluster_blocks(launch) > 1 ? 1 : 0};
    int clusters = 0;
    CUresult result =
        device->driver->cuOccupancyMaxActiveClusters
            ? device->driver->cuOccupancyMaxActiveClusters(&clusters, kernel->function, &config)
            : CUDA_ERROR_NOT_FOUND;
    *blocks = clusters * (int)(cluster[0] * cluster[1] * cluster[2]);
    return result;
}

enum status cuda_resources(struct device *device, const struct launch *launch,
                           struct kernel_resources *out, struct error *error)
{
    const uint32_t block_threads = launch_block_threads(launch);
    struct kernel *kernel = NULL;
    if (launch->is_function) {
        *out = resources_unknown();
        return STATUS_OK;
    }
    TRY(cuda_find_kernel(device, launch->kernel, &kernel, error));
    TRY(cuda_allow_shared(device, kernel, launch->shared_bytes, error));
    out->registers = function_attribute(device, kernel, CU_FUNC_ATTRIBUTE_NUM_REGS);
    out->static_shared_bytes =
        function_attribute(device, kernel, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
    out->local_bytes = function_attribute(device, kernel, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
    out->max_threads_per_block =
        function_attribute(device, kernel, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    out->spill_bytes = kernel->spill_bytes;
    out->active_blocks_per_sm = 0;
    out->occupancy = 0;
    /* A block that is too large has no occupancy; the driver reports an invalid value. */
    if (block_threads > 0 && block_threads <= (uint32_t)out->max_threads_per_block) {
        /* A cluster lies within a group of SMs, some of which may stay empty: less than one block
         * per SM counts as one. */
        const int threads = (int)launch_block_threads(launch);
        int on_device = 0;
        int blocks = 0;
        CUDA_TRY(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel->function, threads,
                                                             launch->shared_bytes),
                 "kernel %s: its occupancy", kernel->name);
        int warps_a_block = (threads + device->warp_size - 1) / device->warp_size;
        int warps_an_sm = device->max_threads_per_sm / device->warp_size;
        double share = blocks;
        uint32_t cluster[3];
        cuda_cluster_of(launch, kernel, cluster);
        cuda_allow_cluster(device, kernel, cluster);
        if (cluster[0] * cluster[1] * cluster[2] > 1 &&
            blocks_of_clusters(device, kernel, launch, cluster, &on_device) == CUDA_SUCCESS) {
            share = (double)on_device / device->sm_count;
            blocks = on_device / device->sm_count;
            if (on_device > 0 && blocks < 1)
                blocks = 1;
        }
        out->active_blocks_per_sm = blocks;
        out->occupancy = share * warps_a_block / warps_an_sm;
    }
    out->suggested_grid = -1;
    out->suggested_block = -1;
    int grid = 0;
    int block = 0;
    if (device->driver->cuOccupancyMaxPotentialBlockSize(&grid, &block, kernel->function, NULL,
                                                         launch->shared_bytes, 0) == CUDA_SUCCESS) {
        out->suggested_grid = grid;
        out->suggested_block = block;
    }
    return STATUS_OK;
}

enum status cuda_want(struct device *device, struct launch_plan *plan, struct error *error)
{
    return functions_want(device->current ? device->current->object : NULL, plan, device->stream,
                          error);
}
