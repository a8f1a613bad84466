/* A hash of what a binary does, whatever its kernels are called and whatever it was made of: of the
 * sections that the device gets, and of what the driver must know to launch them. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/hash.h"
#include "tuner/device/cuda/cubin.h"
#include "tuner/device/cuda/internal.h"

/* In st_other: a function that can be launched. */
enum { SYMBOL_IS_KERNEL = 0x10 };

struct digest {
    char text[HASH_TEXT_BYTES];
};

struct signature {
    const struct container *container;
    const struct cubin *cubin;
    struct digest *others; /* of what belongs to no kernel, in no order */
    size_t other_count;
};

/* Of a section's name: what kind it is, and, behind it, the function that it belongs to; NULL where
 * it belongs to none. */
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

/* Names, debugging and notes: not what the device runs. (.nv.merc and .nv.capmerc: the same code
 * once more, for other members of the family.) */
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

/* The kernel's place in the container; -1: none of those that were asked for. */
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

/* A symbol by what it stands for: a kernel by its place, all else by its name. */
static void add_symbol(const struct signature *signature, uint32_t index, struct hash_state *hash)
{
    Elf64_Sym symbol = {0};
    const char *name = "";
    if (!cubin_symbol(signature->cubin, index, &symbol, &name))
        name = "";
    const char *owner = owner_of(name); /* of the symbol of a section */
    int place = place_of(signature->container, owner ? owner : name);
    hash_add(hash, &place, sizeof place);
    hash_add_string(hash, place < 0 ? name : "");
    hash_add(hash, &symbol.st_value, sizeof symbol.st_value);
}

static void add_attributes(const struct signature *signature, const char *at, size_t left,
                           struct hash_state *hash)
{
    struct cubin_attribute_row row;
    while (cubin_attribute(&at, &left, &row)) {
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
    hash_add(hash, at, left);
}

static void add_relocations(const struct signature *signature, const Elf64_Shdr *section,
                            const char *at, size_t bytes, struct hash_state *hash)
{
    size_t step = section->sh_type == SHT_RELA ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
    for (; bytes >= step; at += step, bytes -= step) {
        Elf64_Rela row = {0};
        memcpy(&row, at, step);
        const uint64_t fixed[3] = {row.r_offset, ELF64_R_TYPE(row.r_info), (uint64_t)row.r_addend};
        hash_add(hash, fixed, sizeof fixed);
        add_symbol(signature, (uint32_t)ELF64_R_SYM(row.r_info), hash);
    }
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
    if (section->sh_type == SHT_REL || section->sh_type == SHT_RELA)
        add_relocations(signature, section, contents, bytes, hash);
    else if (kind_length >= 9 && strncmp(kind, ".nv.info.", 9) == 0)
        add_attributes(signature, contents, bytes, hash);
    else
        hash_add(hash, contents, bytes);
}

static enum status add_other(struct signature *signature, struct hash_state *hash,
                             struct error *error)
{
    if (!hash)
        return error_no_memory(error);
    hash_finish(hash, signature->others[signature->other_count++].text);
    return STATUS_OK;
}

/* What is no kernel's: functions that are called, constants and variables. */
static enum status add_others(struct signature *signature, struct error *error)
{
    const struct cubin *cubin = signature->cubin;
    enum status status = STATUS_OK;
    for (uint32_t i = 0; status == STATUS_OK && i < cubin->section_count; i++) {
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
        status = add_other(signature, hash, error);
    }
    return status;
}

/* Which variable lies where, since they are written by name. */
static enum status add_variables(struct signature *signature, struct error *error)
{
    const struct cubin *cubin = signature->cubin;
    enum status status = STATUS_OK;
    for (uint32_t i = 0; status == STATUS_OK && i < cubin_symbol_count(cubin); i++) {
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
        status = add_other(signature, hash, error);
    }
    return status;
}

static enum status add_kernel(const struct signature *signature, const char *lowered,
                              struct hash_state *hash, struct error *error)
{
    struct kernel_resources resources;
    enum status status = cuda_cubin_resources(signature->cubin, lowered, &resources, error);
    if (status != STATUS_OK)
        return status;
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
    if (!signature.others)
        return error_no_memory(error);
    enum status status = add_others(&signature, error);
    if (status == STATUS_OK)
        status = add_variables(&signature, error);
    if (status != STATUS_OK)
        return status;
    qsort(signature.others, signature.other_count, sizeof *signature.others, by_text);
    struct hash_state *hash = hash_start();
    if (!hash)
        return error_no_memory(error);
    hash_add(hash, cubin->data + offsetof(Elf64_Ehdr, e_flags), sizeof(Elf64_Word));
    for (size_t i = 0; status == STATUS_OK && i < container->kernel_count; i++)
        status = add_kernel(&signature, container->kernels[i].lowered, hash, error);
    hash_add(hash, signature.others, signature.other_count * sizeof *signature.others);
    hash_finish(hash, out);
    return status;
}
