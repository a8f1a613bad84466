/* What of a source only the host runs, left out of what NVRTC is given: it takes none of it. */
#ifndef TUNE_DEVICE_CUDA_HOST_PART_H
#define TUNE_DEVICE_CUDA_HOST_PART_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/arena.h"
#include "tuner/base/launch.h"

enum leave {
    LEAVE_NOTHING,
    LEAVE_DEFINES,   /* a #define that gives way; texture references are made ours */
    LEAVE_HOST_PART, /* and what only the host runs */
};

struct device_part {
    /* The source without functions and variables of the host and without headers <...> that nobody
     * has, line by line where it was; functions that are constexpr are made __host__ __device__,
     * and texture references are made __constant__ variables. */
    const char *text;
    const char *left_out;     /* names of the functions that were left out: "main\nusage\n" */
    const char *left_headers; /* the headers, likewise */
};

/* The compiler's folders of headers. */
struct header_folders {
    size_t count;
    const char *const *items;
};

/* A #define of one of the `defines` gives way to it, unless there is an #undef as well. All of
 * `out` belongs to the arena. False: memory is short. Of text whose braces do not match no
 * function is left out. */
bool cuda_device_part(struct arena *arena, const char *source, enum leave leave,
                      const struct named_value *defines, size_t define_count,
                      const struct header_folders *folders, struct device_part *out);
/* Whether a function of that name was left out. */
bool cuda_left_out(const struct device_part *part, const char *name, size_t length);

/* include/textures.h: texture references, and how kernels read them. */
extern const char cuda_header_textures[];
/* headers.c: the names that nvcc knows in every source. */
extern const char cuda_header_always[];
/* headers.c: small headers of our own in place of the host's, for nvrtcCreateProgram. */
size_t cuda_own_headers(const char *const **names, const char *const **texts);
bool cuda_is_own_header(const char *name, size_t length);
/* Whether it is one of the C++ standard library's, which stands for the toolkit's cuda::std. */
bool cuda_is_std_header(const char *name, size_t length);

#endif
