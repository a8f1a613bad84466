/* Leaves out the parts of a source that only the host runs, which NVRTC refuses. */
#ifndef TUNE_DEVICE_CUDA_HOST_PART_H
#define TUNE_DEVICE_CUDA_HOST_PART_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/arena.h"
#include "tuner/base/launch.h"

enum leave {
    LEAVE_NONE,
    LEAVE_DEFINES,   /* a #define that gives way; texture references are made ours */
    LEAVE_HOST_PART, /* leave out host-only code, too */
};

struct device_part {
    /* The source without the host's functions and variables and without headers <...> that are not
     * installed, each line at its old number; constexpr functions become __host__ __device__, and
     * texture references __constant__ variables. */
    const char *text;
    const char *left_out;     /* names of the functions that were left out: "main\nusage\n" */
    const char *left_headers; /* the headers, likewise */
};

/* The compiler's folders of headers. */
struct header_folders {
    size_t count;
    const char *const *items;
};

/* Cuts the device's part out of a source. A #define in `defines` is left out, except with an #undef
 * as well. All of `out` belongs to the arena. False: memory is short. Where braces do not match, no
 * function is left out. */
bool cuda_device_part(struct arena *arena, const char *source, enum leave leave,
                      const struct named_value *defines, size_t define_count,
                      const struct header_folders *folders, struct device_part *out);
/* Tells whether a function of this name was left out. */
bool cuda_left_out(const struct device_part *part, const char *name, size_t length);

/* include/textures.h: texture references and functions that read textures. */
extern const char cuda_header_textures[];
/* headers.c: the names that nvcc knows in every source. */
extern const char cuda_header_always[];
/* headers.c: Returns tune's own small headers in place of the host's, for nvrtcCreateProgram. */
size_t cuda_own_headers(const char *const **names, const char *const **texts);
/* Tells whether a header is one of these. *is_std: one of the C++ standard library's, for which the
 * toolkit has cuda::std. */
bool cuda_is_own_header(const char *name, size_t length, bool *is_std);

#endif
