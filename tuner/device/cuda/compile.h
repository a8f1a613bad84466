/* Compiling for CUDA, between NVRTC and nvcc. */
#ifndef TUNE_DEVICE_CUDA_COMPILE_H
#define TUNE_DEVICE_CUDA_COMPILE_H

#include "tuner/device/compiling.h"
#include "tuner/device/cuda/host_part.h"
#include "tuner/device/cuda/internal.h"

/* units.c */
struct cuda_cubin {
    const char *name; /* for messages */
    const void *data;
    size_t bytes;
    bool is_ptx; /* PTX for the linker, with a NUL that `bytes` counts */
};
/* Returns the unit that defines the kernel or variable of a name expression; the first when none is
 * found to. */
size_t cuda_defining_unit(const struct source *units, size_t count, const char *expression,
                          bool is_function);
/* Links relocatable cubins or PTX to one loadable cubin in arena memory. Only -maxrregcount=32
 * matters among `flags`, the request's. */
enum status cuda_link(struct arena *arena, const struct cuda_cubin *units, size_t count,
                      const struct binary_request *flags, struct cuda_cubin *out, struct text *log,
                      struct error *error);

/* The names that a unit must define. */
struct wanted {
    bool kernels[LAUNCHES_MAX];
    bool symbols[ARGUMENTS_MAX];
};

/* One compilation of one unit: by NVRTC, or else by nvcc. */
struct compilation {
    const struct cuda_compiler *nvrtc;
    const char *nvcc; /* its file */
    const struct binary_request *request;
    const struct wanted *wanted;
    const struct options *options;
    struct arena *arena;
    const char *binary_path; /* nvcc's files lie beside this path */
    nvrtcProgram program;
    struct text *log;
    enum leave leaves_out;
    struct device_part part;
};

/* Said of a define that breaks the headers that a compiler reads by itself. */
#define CUDA_NAME_REPLACED "replaces a name in CUDA's own headers"
/* compile_error.c: Sets the error of the log's first line that states one, else `otherwise`. Always
 * STATUS_COMPILE_FAILED. */
enum status cuda_compile_failed(const struct compilation *compilation, const char *otherwise,
                                const char *log, struct error *error);

/* compile.c */
/* Compiles a text as cuda_compile does a file. `container` is filled with arena memory. */
enum status cuda_compile_text(struct arena *arena, const char *source, const char *name,
                              const struct binary_request *request, struct container *out,
                              struct text *log, struct error *error);

/* nvcc.c */
/* Returns nvcc's path, searched at the process's first call; NULL with STATUS_UNAVAILABLE and the
 * package to install. */
const char *cuda_nvcc(struct error *error);
/* Compiles a unit to a cubin. Names go to their places in the request. */
enum status cuda_compile_with_nvcc(const struct compilation *compilation, const char *source,
                                   const char *name, struct container *out,
                                   struct cuda_cubin *cubin, struct error *error);
/* Compiles host functions to a shared object: the texts of all units, in the request's order. */
enum status cuda_compile_functions(const struct compilation *compilation, const char *const *texts,
                                   struct error *error);

#endif
