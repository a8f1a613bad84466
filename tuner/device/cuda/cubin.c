#include "tuner/device/cuda/cubin.h"

#include <string.h>

static enum status damaged(struct error *error)
{
    return error_set(error, STATUS_BAD_INPUT,
                     "its machine code is damaged: delete it, it will be "
                     "compiled again");
}

bool cubin_section(const struct cubin *cubin, uint32_t index, Elf64_Shdr *out)
{
    if (index >= cubin->section_count)
        return false;
    memcpy(out, cubin->data + cubin->sections_at + index * sizeof *out, sizeof *out);
    /* Tells whether the section lies in the file, as one without contents does. */
    if (out->sh_type == SHT_NOBITS || out->sh_type == SHT_NULL)
        return true;
    return out->sh_offset <= cubin->bytes && out->sh_size <= cubin->bytes - out->sh_offset;
}

/* Returns the text at `offset` of a section of texts; NULL when absent. */
static const char *text_at(const struct cubin *cubin, const Elf64_Shdr *texts, uint64_t offset)
{
    if (texts->sh_type != SHT_STRTAB || offset >= texts->sh_size)
        return NULL;
    const char *text = cubin->data + texts->sh_offset + offset;
    return memchr(text, '\0', texts->sh_size - offset) ? text : NULL;
}

const char *cubin_section_name(const struct cubin *cubin, const Elf64_Shdr *section)
{
    const char *name = text_at(cubin, &cubin->names, section->sh_name);
    return name ? name : "";
}

bool cubin_find(const struct cubin *cubin, const char *prefix, const char *name, Elf64_Shdr *out)
{
    size_t length = strlen(prefix);
    for (uint32_t i = 0; i < cubin->section_count; i++) {
        if (!cubin_section(cubin, i, out))
            continue;
        const char *is = cubin_section_name(cubin, out);
        if (strncmp(is, prefix, length) == 0 && strcmp(is + length, name) == 0)
            return true;
    }
    *out = (Elf64_Shdr){0};
    return false;
}

const char *cubin_bytes(const struct cubin *cubin, const Elf64_Shdr *section, size_t *bytes)
{
    bool there = section->sh_type != SHT_NOBITS && section->sh_type != SHT_NULL;
    *bytes = there ? section->sh_size : 0;
    return there ? cubin->data + section->sh_offset : NULL;
}

enum status cubin_open(const void *data, size_t bytes, struct cubin *out, struct error *error)
{
    Elf64_Ehdr header;
    *out = (struct cubin){.data = data, .bytes = bytes};
    if (bytes < sizeof header)
        return damaged(error);
    memcpy(&header, data, sizeof header);
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_machine != EM_CUDA ||
        header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shnum == 0)
        return damaged(error);
    if (header.e_shoff > bytes || header.e_shnum > (bytes - header.e_shoff) / sizeof(Elf64_Shdr))
        return damaged(error);
    out->sections_at = header.e_shoff;
    out->section_count = header.e_shnum;
    bool has_symbols = false; /* the first table counts */
    for (uint32_t i = 0; i < out->section_count; i++) {
        Elf64_Shdr section;
        if (!cubin_section(out, i, &section))
            return damaged(error);
        if (has_symbols || section.sh_type != SHT_SYMTAB)
            continue;
        has_symbols = true;
        out->symbols = section;
        if (section.sh_size % sizeof(Elf64_Sym) != 0 ||
            !cubin_section(out, section.sh_link, &out->symbol_names))
            return damaged(error);
    }
    if (!cubin_section(out, header.e_shstrndx, &out->names))
        return damaged(error);
    return STATUS_OK;
}

uint32_t cubin_symbol_count(const struct cubin *cubin)
{
    return (uint32_t)(cubin->symbols.sh_size / sizeof(Elf64_Sym));
}

bool cubin_symbol(const struct cubin *cubin, uint32_t index, Elf64_Sym *out, const char **name)
{
    if (index >= cubin_symbol_count(cubin))
        return false;
    memcpy(out, cubin->data + cubin->symbols.sh_offset + index * sizeof *out, sizeof *out);
    *name = text_at(cubin, &cubin->symbol_names, out->st_name);
    return *name != NULL;
}

struct cubin_rows cubin_rows(const struct cubin *cubin, const char *prefix, const char *name)
{
    Elf64_Shdr section;
    struct cubin_rows rows = {0};
    if (cubin_find(cubin, prefix, name, &section))
        rows.at = cubin_bytes(cubin, &section, &rows.bytes);
    return rows;
}

bool cubin_next(struct cubin_rows *rows, struct cubin_attribute_row *out)
{
    if (rows->bytes < 4)
        return false;
    *out = (struct cubin_attribute_row){.format = (unsigned char)rows->at[0],
                                        .attribute = (unsigned char)rows->at[1]};
    memcpy(&out->small, rows->at + 2, sizeof out->small);
    rows->at += 4;
    rows->bytes -= 4;
    if (out->format != 4)
        return true;
    if (out->small > rows->bytes)
        return false;
    out->value = rows->at;
    out->bytes = out->small;
    rows->at += out->bytes;
    rows->bytes -= out->bytes;
    return true;
}

bool cubin_parameter(const struct cubin_attribute_row *row, uint16_t *ordinal, uint32_t *offset,
                     uint32_t *bytes)
{
    uint16_t numbers[2];
    uint32_t size = 0;
    if (row->attribute != CUBIN_KERNEL_PARAMETER || row->bytes != 12)
        return false;
    memcpy(numbers, row->value + 4, sizeof numbers);
    memcpy(&size, row->value + 8, sizeof size);
    *ordinal = numbers[0];
    *offset = numbers[1];
    *bytes = size >> 18; /* the size is in the upper 14 bits */
    return true;
}
