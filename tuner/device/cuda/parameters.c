/* What a kernel takes, as the driver tells it or, where that is too old to, the cubin. */
#include <string.h>

#include "tuner/device/cuda/cubin.h"
#include "tuner/device/cuda/internal.h"

static void add_parameter(struct kernel *kernel, size_t index, size_t bytes)
{
    if (index >= ARGUMENTS_MAX)
        return;
    kernel->parameter_bytes[index] = bytes;
    if ((int)index >= kernel->parameter_count)
        kernel->parameter_count = (int)index + 1;
}

/* Parameters are counted until the driver knows no more. */
static bool ask_driver(const struct cuda_driver *driver, struct kernel *kernel)
{
    size_t offset = 0;
    size_t bytes = 0;
    CUresult result = driver->get_parameter ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
    kernel->parameter_count = 0;
    for (size_t i = 0; result == CUDA_SUCCESS && i <= ARGUMENTS_MAX; i++) {
        result = driver->get_parameter(kernel->function, i, &offset, &bytes);
        if (result == CUDA_SUCCESS)
            add_parameter(kernel, i, bytes);
    }
    return result == CUDA_ERROR_INVALID_VALUE;
}

/* A row: which section of constants, ordinal and offset of 16 bits each, and a word whose upper 14
 * bits are the size. */
static bool ask_cubin(const struct container *container, const char *lowered, struct kernel *kernel)
{
    struct cubin cubin;
    struct error ignored = {0};
    Elf64_Shdr section;
    struct cubin_attribute_row row;
    size_t left = 0;
    kernel->parameter_count = 0;
    if (cubin_open(container->cubin, container->cubin_bytes, &cubin, &ignored) != STATUS_OK ||
        !cubin_find(&cubin, ".nv.info.", lowered, &section))
        return false;
    const char *at = cubin_bytes(&cubin, &section, &left);
    bool tells = false;
    while (at && cubin_attribute(&at, &left, &row)) {
        uint16_t ordinal = 0;
        uint32_t word = 0;
        tells |= row.attribute == CUBIN_PARAM_CBANK;
        if (row.attribute != CUBIN_KERNEL_PARAMETER || row.bytes != 12)
            continue;
        memcpy(&ordinal, row.value + 4, sizeof ordinal);
        memcpy(&word, row.value + 8, sizeof word);
        add_parameter(kernel, ordinal, word >> 18);
        tells = true;
    }
    return tells;
}

bool cuda_binary_parameters(const struct container *container, const char *lowered,
                            struct kernel *kernel)
{
    return ask_cubin(container, lowered, kernel);
}

void cuda_take_parameters(const struct cuda_driver *driver, const struct container *container,
                          const char *lowered, struct kernel *kernel)
{
    if (!ask_driver(driver, kernel) && !ask_cubin(container, lowered, kernel))
        kernel->parameter_count = PARAMETERS_UNKNOWN;
}
