/* A cubin as a file: an ELF whose sections describe the kernels. Readers accept data from anywhere
 * and return an error for malformed parts. */
#ifndef TUNE_DEVICE_CUDA_CUBIN_H
#define TUNE_DEVICE_CUDA_CUBIN_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/error.h"

struct cubin {
    const char *data; /* borrowed */
    size_t bytes;
    uint64_t sections_at;
    uint32_t section_count;
    Elf64_Shdr names;   /* the table of the sections' names */
    Elf64_Shdr symbols; /* sh_size 0: none */
    Elf64_Shdr symbol_names;
};

/* Opens a cubin; STATUS_BAD_INPUT when `data` is none, or only part of one. */
enum status cubin_open(const void *data, size_t bytes, struct cubin *out, struct error *error);
/* Reads section `index`, below section_count. False when the section exceeds the file. */
bool cubin_section(const struct cubin *cubin, uint32_t index, Elf64_Shdr *out);
/* Returns the section's name, or "". */
const char *cubin_section_name(const struct cubin *cubin, const Elf64_Shdr *section);
/* Finds the section named `prefix` and `name`; false: none. */
bool cubin_find(const struct cubin *cubin, const char *prefix, const char *name, Elf64_Shdr *out);
/* Returns the section's bytes; NULL for a section that takes no room in the file. */
const char *cubin_bytes(const struct cubin *cubin, const Elf64_Shdr *section, size_t *bytes);

uint32_t cubin_symbol_count(const struct cubin *cubin);
/* Reads symbol `index`; false: none. */
bool cubin_symbol(const struct cubin *cubin, uint32_t index, Elf64_Sym *out, const char **name);

/* Attributes of .nv.info, each with a format and a value. cuobjdump -elf shows these numbers by
 * name (EIATTR_REGCOUNT ...). */
enum cubin_attribute {
    CUBIN_MAX_THREADS = 0x05,      /* three numbers: __launch_bounds__ */
    CUBIN_PARAM_CBANK = 0x0a,      /* a symbol, then where the parameters lie */
    CUBIN_EXTERNS = 0x0f,          /* symbols */
    CUBIN_REQUIRED_THREADS = 0x10, /* three numbers */
    CUBIN_FRAME_SIZE = 0x11,       /* a symbol, bytes per thread */
    CUBIN_MIN_STACK_SIZE = 0x12,   /* a symbol, bytes per thread */
    CUBIN_KERNEL_PARAMETER = 0x17, /* for each parameter: ordinal, offset, size */
    CUBIN_REGISTERS = 0x2f,        /* a symbol, registers per thread */
    CUBIN_CLUSTER = 0x3d,          /* three numbers: blocks of a cluster, 1 where none is given */
    CUBIN_BARRIERS = 0x4c,         /* barriers of a block */
};
struct cubin_attribute_row {
    unsigned attribute;
    unsigned format; /* 1 none, 2 a byte, 3 two bytes, 4 `bytes` bytes behind */
    uint16_t small;  /* formats 2, 3: the value */
    const char *value;
    size_t bytes;
};
/* Rows that were not taken yet. */
struct cubin_rows {
    const char *at;
    size_t bytes;
};
/* Finds the rows of a section; `at` is NULL without any. */
struct cubin_rows cubin_rows(const struct cubin *cubin, const char *prefix, const char *name);
/* Takes the next row. False at the end, and at a row that is cut short. */
bool cubin_next(struct cubin_rows *rows, struct cubin_attribute_row *out);
/* Reads the kernel parameter that a row describes. False: the row describes none. */
bool cubin_parameter(const struct cubin_attribute_row *row, uint16_t *ordinal, uint32_t *offset,
                     uint32_t *bytes);

#endif
