#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/hash.h"
#include "tuner/device/cuda/cubin.h"
#include "tuner/device/cuda/internal.h"

/* ---- a hash of the machine code, alike for binaries that do the same ---- */

/* In st_other: a function that can be launched. */
enum { SYMBOL_IS_KERNEL = 0x10 };

struct digest {
    char text[HASH_TEXT_BYTES];
};

struct signature {
    const struct container *container;
    const struct cubin *cubin;
    struct digest *others; /* contents that belong to no kernel, in no order */
    size_t other_count;
};

/* Returns the function that a section belongs to, by the section's name and kind; NULL: none. */
static const char *owner_of(const char *name)
{
    static const char *const kinds[] = {".text.",     ".nv.info.",  ".nv.shared.",
                                        ".nv.local.", ".rel.text.", ".rela.text."};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(name, kinds[i], strlen(kinds[i])) == 0)
            return name + strlen(kinds[i]);
    const char *constant = strstr(name, ".nv.constant");
    if (!constant || (constant != name && strncmp(name, ".rel", 4) != 0))
        return NULL;
    const char *at = constant + strlen(".nv.constant");
    while (isdigit((unsigned char)*at))
        at++;
    return *at == '.' ? at + 1 : NULL;
}

/* Tells whether the device does not run the section: names, debugging and notes. (.nv.merc and
 * .nv.capmerc repeat the code for other members of the family.) */
static bool is_beside(const char *name)
{
    static const char *const kinds[] = {".shstrtab",    ".strtab",     ".symtab",       ".debug_",
                                        ".nv_debug",    ".note.",      ".nv.callgraph", ".nv.merc",
                                        ".nv.capmerc",  ".rel.debug_", ".rela.debug_",  ".line",
                                        ".nv.prototype"};
    if (!*name || strcmp(name, ".nv.info") == 0)
        return true;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(name, kinds[i], strlen(kinds[i])) == 0)
            return true;
    return false;
}

/* Returns the kernel's place in the container; -1: not requested. */
static int place_of(const struct container *container, const char *lowered)
{
    for (size_t i = 0; i < container->kernel_count; i++)
        if (strcmp(container->kernels[i].lowered, lowered) == 0)
            return (int)i;
    return -1;
}

static bool is_other_kernel(const struct signature *signature, const char *function)
{
    const struct cubin *cubin = signature->cubin;
    for (uint32_t i = 0; i < cubin_symbol_count(cubin); i++) {
        Elf64_Sym symbol;
        const char *name = NULL;
        if (cubin_symbol(cubin, i, &symbol, &name) && strcmp(name, function) == 0 &&
            (symbol.st_other & SYMBOL_IS_KERNEL))
            return place_of(signature->container, name) < 0;
    }
    return false;
}

/* Adds a symbol to the hash: a kernel by its place, all else by name. */
static void add_symbol(const struct signature *signature, uint32_t index, struct hash_state *hash)
{
    Elf64_Sym symbol = {0};
    const char *name = "";
    if (!cubin_symbol(signature->cubin, index, &symbol, &name))
        name = "";
    const char *owner = owner_of(name); /* owner of the section that the symbol stands for */
    int place = place_of(signature->container, owner ? owner : name);
    hash_add(hash, &place, sizeof place);
    hash_add_string(hash, place < 0 ? name : "");
    hash_add(hash, &symbol.st_value, sizeof symbol.st_value);
}

static void add_section(const struct signature *signature, const Elf64_Shdr *section,
                        const char *kind, size_t kind_length, struct hash_state *hash)
{
    size_t bytes = 0;
    const char *contents = cubin_bytes(signature->cubin, section, &bytes);
    const uint64_t fixed[4] = {section->sh_type, section->sh_flags, section->sh_size,
                               section->sh_addralign};
    hash_add(hash, kind, kind_length);
    hash_add(hash, fixed, sizeof fixed);
    if (!contents)
        return;
    if (section->sh_type == SHT_REL || section->sh_type == SHT_RELA) {
        const size_t step = section->sh_type == SHT_RELA ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
        for (; bytes >= step; contents += step, bytes -= step) {
            Elf64_Rela row = {0};
            memcpy(&row, contents, step);
            const uint64_t facts[3] = {row.r_offset, ELF64_R_TYPE(row.r_info),
                                       (uint64_t)row.r_addend};
            hash_add(hash, facts, sizeof facts);
            add_symbol(signature, (uint32_t)ELF64_R_SYM(row.r_info), hash);
        }
    } else if (kind_length >= 9 && strncmp(kind, ".nv.info.", 9) == 0) {
        struct cubin_rows rows = {contents, bytes};
        struct cubin_attribute_row row;
        while (cubin_next(&rows, &row)) {
            const unsigned head[3] = {row.attribute, row.format, row.small};
            size_t symbols = row.attribute == CUBIN_EXTERNS       ? row.bytes / 4
                             : row.attribute == CUBIN_PARAM_CBANK ? row.bytes >= 4
                                                                  : 0;
            hash_add(hash, head, sizeof head);
            for (size_t i = 0; i < symbols; i++) {
                uint32_t index = 0;
                memcpy(&index, row.value + 4 * i, sizeof index);
                if (row.attribute == CUBIN_EXTERNS)
                    add_symbol(signature, index, hash);
            }
            if (row.bytes > 4 * symbols)
                hash_add(hash, row.value + 4 * symbols, row.bytes - 4 * symbols);
        }
        hash_add(hash, rows.at, rows.bytes);
    } else
        hash_add(hash, contents, bytes);
}

static enum status add_other(struct signature *signature, struct hash_state *hash,
                             struct error *error)
{
    TRY_MEMORY(hash);
    hash_finish(hash, signature->others[signature->other_count++].text);
    return STATUS_OK;
}

/* Adds all that belongs to no kernel: called functions, constants and variables. */
static enum status add_others(struct signature *signature, struct error *error)
{
    const struct cubin *cubin = signature->cubin;
    for (uint32_t i = 0; i < cubin->section_count; i++) {
        Elf64_Shdr section;
        if (!cubin_section(cubin, i, &section))
            continue;
        const char *name = cubin_section_name(cubin, &section);
        const char *owner = owner_of(name);
        if (is_beside(name) || (owner && (place_of(signature->container, owner) >= 0 ||
                                          is_other_kernel(signature, owner))))
            continue;
        struct hash_state *hash = hash_start();
        if (hash)
            add_section(signature, &section, name, strlen(name), hash);
        TRY(add_other(signature, hash, error));
    }
    return STATUS_OK;
}

/* Adds the address of each variable, since variables are written by name. */
static enum status add_variables(struct signature *signature, struct error *error)
{
    const struct cubin *cubin = signature->cubin;
    for (uint32_t i = 0; i < cubin_symbol_count(cubin); i++) {
        Elf64_Sym symbol;
        Elf64_Shdr section;
        const char *name = NULL;
        if (!cubin_symbol(cubin, i, &symbol, &name) ||
            ELF64_ST_TYPE(symbol.st_info) != STT_OBJECT || symbol.st_shndx == SHN_UNDEF ||
            !cubin_section(cubin, symbol.st_shndx, &section))
            continue;
        const uint64_t fixed[2] = {symbol.st_value, symbol.st_size};
        struct hash_state *hash = hash_start();
        if (hash) {
            hash_add_string(hash, name);
            hash_add_string(hash, cubin_section_name(cubin, &section));
            hash_add(hash, fixed, sizeof fixed);
        }
        TRY(add_other(signature, hash, error));
    }
    return STATUS_OK;
}

static enum status add_kernel(const struct signature *signature, const char *lowered,
                              struct hash_state *hash, struct error *error)
{
    struct kernel_resources resources;
    TRY(cuda_cubin_resources(signature->cubin, lowered, &resources, error));
    const int32_t fixed[3] = {resources.registers, resources.local_bytes,
                              resources.static_shared_bytes};
    hash_add(hash, fixed, sizeof fixed);
    for (uint32_t i = 0; i < signature->cubin->section_count; i++) {
        Elf64_Shdr section;
        if (!cubin_section(signature->cubin, i, &section))
            continue;
        const char *name = cubin_section_name(signature->cubin, &section);
        const char *owner = is_beside(name) ? NULL : owner_of(name);
        if (owner && strcmp(owner, lowered) == 0)
            add_section(signature, &section, name, (size_t)(owner - name), hash);
    }
    return STATUS_OK;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(((const struct digest *)a)->text, ((const struct digest *)b)->text);
}

enum status cuda_code_hash(struct arena *arena, const struct container *container,
                           const struct cubin *cubin, char out[HASH_TEXT_BYTES],
                           struct error *error)
{
    struct signature signature = {.container = container, .cubin = cubin};
    signature.others =
        arena_alloc(arena, cubin->section_count + cubin_symbol_count(cubin) + (size_t)1,
                    sizeof *signature.others);
    TRY_MEMORY(signature.others);
    enum status status = add_others(&signature, error);
    if (status == STATUS_OK)
        status = add_variables(&signature, error);
    if (status != STATUS_OK)
        return status;
    qsort(signature.others, signature.other_count, sizeof *signature.others, by_text);
    struct hash_state *hash = hash_start();
    TRY_MEMORY(hash);
    hash_add(hash, cubin->data + offsetof(Elf64_Ehdr, e_flags), sizeof(Elf64_Word));
    for (size_t i = 0; status == STATUS_OK && i < container->kernel_count; i++)
        status = add_kernel(&signature, container->kernels[i].lowered, hash, error);
    hash_add(hash, signature.others, signature.other_count * sizeof *signature.others);
    hash_finish(hash, out);
    return status;
}

/* ---- a kernel's parameters ---- */

static void add_parameter(struct kernel *kernel, size_t index, size_t bytes)
{
    if (index >= ARGUMENTS_MAX)
        return;
    kernel->parameter_bytes[index] = bytes;
    if ((int)index >= kernel->parameter_count)
        kernel->parameter_count = (int)index + 1;
}

static bool ask_cubin(const struct container *container, const char *lowered, struct kernel *kernel)
{
    struct cubin cubin;
    struct error ignored = {0};
    struct cubin_attribute_row row;
    kernel->parameter_count = 0;
    if (cubin_open(container->cubin, container->cubin_bytes, &cubin, &ignored) != STATUS_OK)
        return false;
    struct cubin_rows rows = cubin_rows(&cubin, ".nv.info.", lowered);
    bool is_known = false;
    while (cubin_next(&rows, &row)) {
        uint16_t ordinal = 0;
        uint32_t offset = 0, bytes = 0;
        is_known |= row.attribute == CUBIN_PARAM_CBANK;
        if (!cubin_parameter(&row, &ordinal, &offset, &bytes))
            continue;
        add_parameter(kernel, ordinal, bytes);
        is_known = true;
    }
    return is_known;
}

void cuda_take_parameters(const struct cuda_driver *driver, const struct container *container,
                          const char *lowered, struct kernel *kernel)
{
    /* Parameters are counted until the driver knows no more. */
    size_t offset = 0;
    size_t bytes = 0;
    CUresult result = driver->get_parameter ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
    kernel->parameter_count = 0;
    for (size_t i = 0; result == CUDA_SUCCESS && i <= ARGUMENTS_MAX; i++) {
        result = driver->get_parameter(kernel->function, i, &offset, &bytes);
        if (result == CUDA_SUCCESS)
            add_parameter(kernel, i, bytes);
    }
    if (result != CUDA_ERROR_INVALID_VALUE && !ask_cubin(container, lowered, kernel))
        kernel->parameter_count = PARAMETERS_UNKNOWN;
}

static void list_bytes(const size_t *bytes, size_t count, struct text *out)
{
    for (size_t i = 0; i < count; i++)
        text_printf(out, "%s%zu", i > 0 ? ", " : "", bytes[i]);
}

enum status cuda_check_parameters(const struct launch_plan *plan, const struct launch *launch,
                                  const struct kernel *kernel, struct error *error)
{
    size_t passed[ARGUMENTS_MAX];
    struct text text = {0};
    if (kernel->parameter_count == PARAMETERS_UNKNOWN)
        return STATUS_OK;
    size_t taken = (size_t)kernel->parameter_count;
    bool fits = launch->argument_count == taken;
    for (size_t i = 0; i < launch->argument_count; i++) {
        passed[i] = argument_passed_bytes(&plan->arguments[launch->arguments[i]]);
        fits = fits && passed[i] == kernel->parameter_bytes[i];
    }
    if (fits)
        return STATUS_OK;
    text_printf(&text, "kernel %s takes %s of ", kernel->name, count_text(taken, "argument").text);
    list_bytes(kernel->parameter_bytes, taken, &text);
    text_printf(&text, " bytes; the experiment passes %zu of ", launch->argument_count);
    list_bytes(passed, launch->argument_count, &text);
    enum status status = text.failed ? error_no_memory(error)
                                     : error_set(error, STATUS_BAD_INPUT, "%s", text_string(&text));
    text_free(&text);
    return status;
}

/* ---- resources of a binary ---- */

/* From sm_90 on, the driver reserves the beginning of a kernel's section of shared memory. */
enum { RESERVED_SHARED_BYTES = 1024, RESOURCE_LIMIT = 1 << 30 };

static int32_t held(uint64_t value)
{
    return value < RESOURCE_LIMIT ? (int32_t)value : RESOURCE_LIMIT;
}

enum status cuda_cubin_resources(const struct cubin *cubin, const char *lowered,
                                 struct kernel_resources *out, struct error *error)
{
    Elf64_Shdr code;
    *out = resources_unknown();
    if (!cubin_find(cubin, ".text.", lowered, &code))
        return error_set(error, STATUS_NOT_FOUND, "kernel %s: not in the machine code", lowered);
    /* The numbers in .nv.info for the function, by symbol. */
    struct cubin_rows rows = cubin_rows(cubin, ".nv.info", "");
    struct cubin_attribute_row row;
    while (cubin_next(&rows, &row)) {
        uint32_t index = 0, number = 0;
        Elf64_Sym symbol;
        const char *name = NULL;
        if (row.bytes != 8)
            continue;
        memcpy(&index, row.value, sizeof index);
        memcpy(&number, row.value + 4, sizeof number);
        if (!cubin_symbol(cubin, index, &symbol, &name) || strcmp(name, lowered) != 0)
            continue;
        if (row.attribute == CUBIN_REGISTERS)
            out->registers = held(number);
        /* Calls make a kernel's stack larger than its own frame. */
        if (row.attribute == CUBIN_MIN_STACK_SIZE ||
            (row.attribute == CUBIN_FRAME_SIZE && out->local_bytes < held(number)))
            out->local_bytes = held(number);
    }
    /* The maximum of threads per block from __launch_bounds__ (or __block_size__), and the
     * barriers. */
    rows = cubin_rows(cubin, ".nv.info.", lowered);
    while (cubin_next(&rows, &row)) {
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
    Elf64_Shdr section;
    Elf64_Shdr reserved;
    uint64_t bytes = cubin_find(cubin, ".nv.shared.", lowered, &section) ? section.sh_size : 0;
    if (bytes >= RESERVED_SHARED_BYTES && cubin_find(cubin, ".nv.shared.reserved.0", "", &reserved))
        bytes -= RESERVED_SHARED_BYTES;
    out->static_shared_bytes = held(bytes);
    return STATUS_OK;
}

enum status cuda_inspect(const char *binary_path, const char *kernel,
                         struct kernel_resources *resources, char *code_hash, struct error *error)
{
    struct arena arena = {0};
    struct container container;
    struct cubin cubin;
    enum status status = STATUS_OK;
    if (functions_are_in(binary_path))
        return error_set(error, STATUS_UNAVAILABLE, "a host function has no resources of its own");
    TRY_OR_CLEANUP(container_open(&arena, binary_path, &container, error));
    if (container.is_foreign)
        TRY_OR_CLEANUP(
            error_set(error, STATUS_UNAVAILABLE, "%s: no machine code that is known", binary_path));
    status = cubin_open(container.cubin, container.cubin_bytes, &cubin, error);
    if (status == STATUS_OK && resources) {
        size_t i = 0;
        while (i < container.kernel_count && strcmp(container.kernels[i].name, kernel) != 0)
            i++;
        status = i < container.kernel_count
                     ? cuda_cubin_resources(&cubin, container.kernels[i].lowered, resources, error)
                     : error_set(error, STATUS_NOT_FOUND, "kernel %s: not in it", kernel);
        if (i < container.kernel_count)
            resources->spill_bytes = container.kernels[i].spill_bytes;
    }
    if (status == STATUS_OK && code_hash)
        status = cuda_code_hash(&arena, &container, &cubin, code_hash, error);
    if (status != STATUS_OK)
        (void)error_prefix(error, "%s", binary_path);
cleanup:
    arena_free(&arena);
    return status;
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

enum status cuda_arguments_fit(const char *binary_path, const struct launch_plan *plan,
                               struct error *error)
{
    struct arena arena = {0};
    struct container container;
    struct cubin cubin;
    enum status status = STATUS_OK;
    if (plan_is_of_functions(plan)) /* compared when loaded */
        return STATUS_OK;
    TRY_OR_CLEANUP(container_open(&arena, binary_path, &container, error));
    if (container.is_foreign)
        goto cleanup;
    TRY_OR_CLEANUP(cubin_open(container.cubin, container.cubin_bytes, &cubin, error));
    for (size_t i = 0; i < plan->launch_count; i++) {
        const struct launch *launch = &plan->launches[i];
        struct kernel parameters = {.name = (char *)launch->kernel};
        size_t k = 0;
        while (k < container.kernel_count && strcmp(container.kernels[k].name, launch->kernel) != 0)
            k++;
        if (k < container.kernel_count &&
            ask_cubin(&container, container.kernels[k].lowered, &parameters))
            TRY_OR_CLEANUP(cuda_check_parameters(plan, launch, &parameters, error));
    }
    for (size_t i = 0; i < plan->argument_count; i++)
        if (plan->arguments[i].symbol)
            TRY_OR_CLEANUP(fits_symbol(&container, &cubin, &plan->arguments[i], error));
cleanup:
    arena_free(&arena);
    return status;
}
