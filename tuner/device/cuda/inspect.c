#include <string.h>

#include "tuner/base/files.h"
#include "tuner/base/seal.h"
#include "tuner/device/cuda/cubin.h"
#include "tuner/device/cuda/internal.h"

/* From sm_90 on a kernel's section of shared memory begins with what the driver keeps. */
enum { RESERVED_SHARED_BYTES = 1024, RESOURCE_LIMIT = 1 << 30 };

static int32_t held(uint64_t value)
{
    return value < RESOURCE_LIMIT ? (int32_t)value : RESOURCE_LIMIT;
}

static bool symbol_is(const struct cubin *cubin, const char *index_bytes, const char *name)
{
    uint32_t index = 0;
    Elf64_Sym symbol;
    const char *is = NULL;
    memcpy(&index, index_bytes, sizeof index);
    return cubin_symbol(cubin, index, &symbol, &is) && strcmp(is, name) == 0;
}

/* What .nv.info says of each function by its symbol. */
static void take_numbers(const struct cubin *cubin, const char *lowered,
                         struct kernel_resources *out)
{
    Elf64_Shdr section;
    struct cubin_attribute_row row;
    size_t left = 0;
    if (!cubin_find(cubin, ".nv.info", "", &section))
        return;
    const char *at = cubin_bytes(cubin, &section, &left);
    while (at && cubin_attribute(&at, &left, &row)) {
        uint32_t number = 0;
        if (row.bytes != 8 || !symbol_is(cubin, row.value, lowered))
            continue;
        memcpy(&number, row.value + 4, sizeof number);
        if (row.attribute == CUBIN_REGISTERS)
            out->registers = held(number);
        /* The stack of a kernel with calls is more than its own frame. */
        if (row.attribute == CUBIN_MIN_STACK_SIZE ||
            (row.attribute == CUBIN_FRAME_SIZE && out->local_bytes < held(number)))
            out->local_bytes = held(number);
    }
}

/* The most threads per block of __launch_bounds__ (or __block_size__), and barriers. */
static void take_bounds(const struct cubin *cubin, const char *lowered,
                        struct kernel_resources *out)
{
    Elf64_Shdr section;
    struct cubin_attribute_row row;
    size_t left = 0;
    if (!cubin_find(cubin, ".nv.info.", lowered, &section))
        return;
    const char *at = cubin_bytes(cubin, &section, &left);
    while (at && cubin_attribute(&at, &left, &row)) {
        uint32_t sides[3];
        bool bound = row.attribute == CUBIN_MAX_THREADS || row.attribute == CUBIN_REQUIRED_THREADS;
        if (row.attribute == CUBIN_BARRIERS && row.format == 2)
            out->barriers = row.small & 0xff;
        if (!bound || row.bytes != sizeof sides)
            continue;
        memcpy(sides, row.value, sizeof sides);
        if (sides[0] <= 1024 && sides[1] <= 1024 && sides[2] <= 1024)
            out->max_threads_per_block = held((uint64_t)sides[0] * sides[1] * sides[2]);
    }
}

static void take_shared(const struct cubin *cubin, const char *lowered,
                        struct kernel_resources *out)
{
    Elf64_Shdr section;
    Elf64_Shdr reserved;
    uint64_t bytes = cubin_find(cubin, ".nv.shared.", lowered, &section) ? section.sh_size : 0;
    if (bytes >= RESERVED_SHARED_BYTES && cubin_find(cubin, ".nv.shared.reserved.0", "", &reserved))
        bytes -= RESERVED_SHARED_BYTES;
    out->static_shared_bytes = held(bytes);
}

enum status cuda_cubin_resources(const struct cubin *cubin, const char *lowered,
                                 struct kernel_resources *out, struct error *error)
{
    Elf64_Shdr code;
    *out = (struct kernel_resources){.registers = -1,
                                     .static_shared_bytes = -1,
                                     .local_bytes = -1,
                                     .spill_bytes = -1,
                                     .max_threads_per_block = -1,
                                     .active_blocks_per_sm = -1,
                                     .occupancy = -1,
                                     .suggested_block = -1,
                                     .suggested_grid = -1};
    if (!cubin_find(cubin, ".text.", lowered, &code))
        return error_set(error, STATUS_NOT_FOUND, "kernel %s: not in the machine code", lowered);
    take_numbers(cubin, lowered, out);
    take_bounds(cubin, lowered, out);
    take_shared(cubin, lowered, out);
    return STATUS_OK;
}

static enum status resources_of(const struct container *container, const struct cubin *cubin,
                                const char *kernel, struct kernel_resources *out,
                                struct error *error)
{
    for (size_t i = 0; i < container->kernel_count; i++) {
        if (strcmp(container->kernels[i].name, kernel) != 0)
            continue;
        enum status status = cuda_cubin_resources(cubin, container->kernels[i].lowered, out, error);
        out->spill_bytes = container->kernels[i].spill_bytes;
        return status;
    }
    return error_set(error, STATUS_NOT_FOUND, "kernel %s: not in it", kernel);
}

static enum status inspect_file(struct arena *arena, const char *path, const char *kernel,
                                struct kernel_resources *resources, char *code_hash,
                                struct error *error)
{
    char *file = NULL;
    size_t bytes = 0;
    struct container container;
    struct cubin cubin;
    enum status status = file_read(arena, path, SEALED_BYTES_MAX, &file, &bytes, error);
    if (status != STATUS_OK)
        return status;
    status = container_read(file, seal_contents(file, bytes), &container, error);
    if (status == STATUS_OK)
        status = cubin_open(container.cubin, container.cubin_bytes, &cubin, error);
    if (status == STATUS_OK && resources)
        status = resources_of(&container, &cubin, kernel, resources, error);
    if (status == STATUS_OK && code_hash)
        status = cuda_code_hash(arena, &container, &cubin, code_hash, error);
    return status == STATUS_OK ? status : error_prefix(error, "%s", path);
}

enum status cuda_inspect(const char *binary_path, const char *kernel,
                         struct kernel_resources *resources, char *code_hash, struct error *error)
{
    struct arena arena = {0};
    enum status status = inspect_file(&arena, binary_path, kernel, resources, code_hash, error);
    arena_free(&arena);
    return status;
}

static enum status fits_launch(const struct container *container, const struct launch_plan *plan,
                               const struct launch *launch, struct error *error)
{
    struct kernel kernel = {.name = (char *)launch->kernel};
    for (size_t i = 0; i < container->kernel_count; i++)
        if (strcmp(container->kernels[i].name, launch->kernel) == 0 &&
            cuda_binary_parameters(container, container->kernels[i].lowered, &kernel))
            return cuda_check_parameters(plan, launch, &kernel, error);
    return STATUS_OK;
}

static enum status fits_symbol(const struct container *container, const struct cubin *cubin,
                               const struct argument *argument, struct error *error)
{
    const char *lowered = argument->symbol;
    for (size_t i = 0; i < container->symbol_count; i++)
        if (strcmp(container->symbols[i].name, argument->symbol) == 0)
            lowered = container->symbols[i].lowered;
    for (uint32_t i = 0; i < cubin_symbol_count(cubin); i++) {
        Elf64_Sym symbol;
        const char *name = NULL;
        if (cubin_symbol(cubin, i, &symbol, &name) && strcmp(name, lowered) == 0 &&
            ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT && symbol.st_size > 0)
            return argument_fits_symbol(argument, symbol.st_size, error);
    }
    return STATUS_OK;
}

static enum status fits_file(struct arena *arena, const char *path, const struct launch_plan *plan,
                             struct error *error)
{
    char *file = NULL;
    size_t bytes = 0;
    struct container container;
    struct cubin cubin;
    enum status status = file_read(arena, path, SEALED_BYTES_MAX, &file, &bytes, error);
    if (status == STATUS_OK)
        status = container_read(file, seal_contents(file, bytes), &container, error);
    if (status == STATUS_OK)
        status = cubin_open(container.cubin, container.cubin_bytes, &cubin, error);
    for (size_t i = 0; status == STATUS_OK && i < plan->launch_count; i++)
        status = fits_launch(&container, plan, &plan->launches[i], error);
    for (size_t i = 0; status == STATUS_OK && i < plan->argument_count; i++)
        if (plan->arguments[i].symbol)
            status = fits_symbol(&container, &cubin, &plan->arguments[i], error);
    return status;
}

enum status cuda_fits(const char *binary_path, const struct launch_plan *plan, struct error *error)
{
    struct arena arena = {0};
    enum status status = fits_file(&arena, binary_path, plan, error);
    arena_free(&arena);
    return status;
}
