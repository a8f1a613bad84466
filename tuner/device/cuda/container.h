/* The binary file of a CUDA kernel: a cubin with names, symbols and logs. */
#ifndef TUNE_DEVICE_CUDA_CONTAINER_H
#define TUNE_DEVICE_CUDA_CONTAINER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/arena.h"
#include "tuner/base/error.h"
#include "tuner/base/launch.h"

/* A kernel of a binary, or a variable that arguments are copied into. */
struct container_name {
    const char *name;    /* name as requested: "reduce<int, 4>", "tables::filter<3>" */
    const char *lowered; /* symbol in the cubin */
    int32_t spill_bytes; /* a thread, stores and loads; -1: the log did not tell, or a variable's */
};

struct container {
    size_t kernel_count;
    struct container_name kernels[LAUNCHES_MAX];
    size_t symbol_count;
    struct container_name symbols[ARGUMENTS_MAX];
    const void *cubin;
    size_t cubin_bytes;
    const char *ptx; /* the first kernel's unit; not in the file */
    bool is_foreign; /* PTX, or another format that only the driver may know, in place of a cubin */
};

/* Writes a container to memory; `*data` belongs to the arena. */
enum status container_write(struct arena *arena, const struct container *container, void **data,
                            size_t *bytes, struct error *error);
/* Reads a container whose texts and cubin are borrowed from `data`. STATUS_BAD_INPUT unless
 * container_write of this version made the data. */
enum status container_read(const void *data, size_t bytes, struct container *out,
                           struct error *error);

/* Reads a container file, whose seal (tuner/base/seal.h), if any, must fit. The contents belong to
 * the arena. */
enum status container_open(struct arena *arena, const char *path, struct container *out,
                           struct error *error);

/* Reads a kernel's spills from the output of ptxas -v; -1 when the kernel is not named. */
int32_t ptxas_spill_bytes(const char *log, const char *lowered);

#endif
