/* Compiling for CUDA, between NVRTC and nvcc. */
#ifndef TUNE_DEVICE_CUDA_COMPILE_H
#define TUNE_DEVICE_CUDA_COMPILE_H

#include "tuner/device/cuda/host_part.h"
#include "tuner/device/cuda/internal.h"

/* units.c */
struct cuda_cubin {
    const char *name; /* for messages */
    const void *data;
    size_t bytes;
    bool is_ptx; /* what is linked may be: NUL-terminated, which `bytes` counts */
};
/* Which of the units defines what a name expression names, a kernel or a variable; the first when
 * none is seen to. */
size_t cuda_defining_unit(const struct source *units, size_t count, const char *expression,
                          bool is_function);
/* Relocatable cubins, or PTX, to one that can be loaded, in arena memory. `flags`: of the request;
 * -maxrregcount=32 is the one that matters. */
enum status cuda_link(struct arena *arena, const struct cuda_cubin *units, size_t count,
                      const struct binary_request *flags, struct cuda_cubin *out, struct text *log,
                      struct error *error);

enum { OPTIONS_MAX = DEFINES_MAX + FLAGS_MAX + UNITS_MAX + 8 };

struct options {
    struct arena *arena;
    const char *items[OPTIONS_MAX];
    int count;
    bool failed; /* memory was short */
};

/* What a unit is asked for by name. */
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
    const char *binary_path; /* files of nvcc's lie beside it */
    nvrtcProgram program;
    struct text *log;
    enum leave leaves_out;
    struct device_part part;
};

/* compile_error.c. The error of the log's first line that names one; `otherwise` where none does.
 * Always STATUS_COMPILE_FAILED. */
enum status cuda_compile_failed(const struct compilation *compilation, const char *otherwise,
                                const char *log, struct error *error);

/* compile.c */
/* As cuda_compile, from a text. `container` is filled with arena memory. */
enum status cuda_compile_text(struct arena *arena, const char *source, const char *name,
                              const struct binary_request *request, struct container *out,
                              struct text *log, struct error *error);
/* As cuda_compile_text, as quickly as the compiler can: somebody waits for names alone. */
enum status cuda_compile_question(struct arena *arena, const char *source,
                                  const struct binary_request *request, struct container *out,
                                  struct text *log, struct error *error);
/* take_image.c */
/* In place of compiling: what a program has its kernels from, with the request's architecture,
 * names and flags. Code is taken as it is; PTX is compiled, with the flags, where nvJitLink is
 * there, else left to the driver. `data`, behind which a NUL stands, must stay as long as `out`. */
enum status cuda_take_image(struct arena *arena, const struct binary_request *request,
                            const void *data, size_t bytes, struct container *out, struct text *log,
                            struct error *error);

/* nvcc.c */
/* The compiler's file, looked for at the first call of the process; NULL with STATUS_UNAVAILABLE
 * and what to install. */
const char *cuda_nvcc(struct error *error);
/* A unit to a cubin. Names go to the places that they have in the request. */
enum status cuda_compile_with_nvcc(const struct compilation *compilation, const char *source,
                                   const char *name, struct container *out,
                                   struct cuda_cubin *cubin, struct error *error);

#endif
