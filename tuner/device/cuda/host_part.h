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
    /* The source without functions and variables of the host and without headers of the host, line
     * by line where it was; functions that are constexpr are made __host__ __device__, and texture
     * references are made __constant__ variables. */
    const char *text;
    const char *left_out; /* names of the functions that were left out: "main\nusage\n" */
    bool uses_std;        /* the standard library's namespace is named in what remains */
};

/* What is compiled alone, with what it needs. */
struct device_roots {
    const char *const *names; /* texts that name it */
    size_t count;
    const char *const *folders; /* the compiler's: an include of what is in none is left out */
    size_t folder_count;
};

/* A #define of one of the `defines` gives way to it, unless there is an #undef as well. All of
 * `out` belongs to the arena. False: memory is short. Of text whose brackets do not match no
 * function is left out. `roots`: with the host's part also all that they do not need; NULL: that
 * stays. */
bool cuda_device_part(struct arena *arena, const char *source, enum leave leave,
                      const struct named_value *defines, size_t define_count,
                      const struct device_roots *roots, struct device_part *out);
/* Whether a function of that name was left out. */
bool cuda_left_out(const struct device_part *part, const char *name, size_t length);

/* include/textures.h: texture references, and how kernels read them. */
extern const char cuda_header_textures[];
/* include/torch.h: PyTorch's accessors. */
extern const char cuda_header_torch[];
/* headers.c: small headers of our own in place of the host's, for nvrtcCreateProgram. */
size_t cuda_own_headers(const char *const **names, const char *const **texts);
bool cuda_is_own_header(const char *name, size_t length);
/* A header that only the host's part needs, and which is left out when no folder has it. */
bool cuda_is_host_header(const char *name, size_t length);
/* One of the C++ standard library, which stands for the toolkit's cuda::std. */
bool cuda_is_std_header(const char *name, size_t length);
/* The header of ours that has what sources name without including it ("INT_MAX",
 * "std::enable_if"); NULL: none. */
const char *cuda_header_of(const char *name, size_t length);

#endif
