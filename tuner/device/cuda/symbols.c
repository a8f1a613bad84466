/* Variables of a binary that arguments are copied into. */
#include <stdlib.h>
#include <string.h>

#include "tuner/base/hash.h"
#include "tuner/device/cuda/internal.h"

void cuda_free_symbols(struct module *module)
{
    for (size_t i = 0; i < module->symbol_count; i++) {
        free(module->symbols[i].name);
        free(module->symbols[i].lowered);
    }
    free(module->symbols);
}

static enum status add_symbol(struct module *module, const char *name, const char *lowered,
                              struct error *error)
{
    struct symbol *symbols =
        realloc(module->symbols, (module->symbol_count + 1) * sizeof *module->symbols);
    if (!symbols)
        return error_no_memory(error);
    module->symbols = symbols;
    struct symbol *symbol = &symbols[module->symbol_count++];
    *symbol = (struct symbol){.name = strdup(name), .lowered = strdup(lowered)};
    return symbol->name && symbol->lowered ? STATUS_OK : error_no_memory(error);
}

enum status cuda_take_symbols(const struct container *container, struct module *module,
                              struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < container->symbol_count; i++)
        status =
            add_symbol(module, container->symbols[i].name, container->symbols[i].lowered, error);
    return status;
}

/* One that was not asked for when it was compiled may be there by its name. */
static enum status find_symbol(struct module *module, const char *name, struct symbol **out,
                               struct error *error)
{
    for (size_t i = 0; i < module->symbol_count; i++) {
        *out = &module->symbols[i];
        if (strcmp((*out)->name, name) == 0)
            return STATUS_OK;
    }
    enum status status = add_symbol(module, name, name, error);
    *out = status == STATUS_OK ? &module->symbols[module->symbol_count - 1] : NULL;
    return status;
}

static enum status locate(struct device *device, struct module *module,
                          const struct argument *argument, struct symbol *symbol,
                          struct error *error)
{
    if (symbol->address)
        return STATUS_OK;
    CUresult result = cuda_of(device)->driver->cuModuleGetGlobal(&symbol->address, &symbol->bytes,
                                                                 module->handle, symbol->lowered);
    if (result == CUDA_SUCCESS)
        return STATUS_OK;
    symbol->address = 0;
    if (result != CUDA_ERROR_NOT_FOUND)
        return cuda_error(device, result, error, "variable %s", symbol->name);
    return error_set(error, STATUS_BAD_INPUT,
                     "argument '%s': no kernel uses a __constant__ or __device__ variable '%s'",
                     argument->name, symbol->name);
}

enum status cuda_set_symbol(struct device *device, const struct argument *argument,
                            const void *input, struct error *error)
{
    unsigned char value[VALUE_BYTES_MAX];
    struct symbol *symbol = NULL;
    size_t bytes = argument_bytes(argument);
    if (!cuda_of(device)->current)
        return error_set(error, STATUS_INTERNAL, "variable %s: no binary was loaded",
                         argument->symbol);
    enum status status = find_symbol(cuda_of(device)->current, argument->symbol, &symbol, error);
    if (status == STATUS_OK)
        status = locate(device, cuda_of(device)->current, argument, symbol, error);
    if (status == STATUS_OK)
        status = argument_fits_symbol(argument, symbol->bytes, error);
    if (status == STATUS_OK && !role_is_vector(argument->role)) {
        status = argument_pack(argument, value, &bytes, error);
        input = value;
    }
    uint64_t hash = status == STATUS_OK ? hash_u64(input, bytes, bytes) | 1 : 0;
    if (status != STATUS_OK || symbol->holds == hash)
        return status;
    device->uploads = true;
    symbol->holds = 0;
    CUresult result = cuda_of(device)->driver->cuMemcpyHtoDAsync(symbol->address, input, bytes,
                                                                 cuda_of(device)->stream);
    if (result == CUDA_SUCCESS) /* what is copied must stay until it is there */
        result = cuda_of(device)->driver->cuStreamSynchronize(cuda_of(device)->stream);
    if (result != CUDA_SUCCESS)
        return cuda_error(device, result, error, "copying '%s' to the variable %s", argument->name,
                          symbol->name);
    symbol->holds = hash;
    return STATUS_OK;
}
