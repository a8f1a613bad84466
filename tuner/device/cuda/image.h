/* What a program hands to the driver as its kernels: a cubin, PTX, or a fatbin with several of
 * both. Reads what comes from anywhere: whatever does not fit is an error, or not there. */
#ifndef TUNE_DEVICE_CUDA_IMAGE_H
#define TUNE_DEVICE_CUDA_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/arena.h"
#include "tuner/base/error.h"

/* Other: nothing of it is known, but the driver may take it. */
enum image_kind { IMAGE_OTHER, IMAGE_CUBIN, IMAGE_PTX, IMAGE_FATBIN };

struct image {
    enum image_kind kind;
    const void *data; /* all of it, borrowed */
    size_t bytes;
    /* What there is for the architecture; NULL: nothing, or nothing that can be read. */
    const void *cubin;
    size_t cubin_bytes;
    const char *ptx; /* NUL-terminated, in arena memory */
    size_t ptx_bytes;
    /* Why something was not read, "compressed: ..."; "": all was. */
    char unread[128];
};

/* `capability`: 90 for sm_90; of a fatbin, what the driver of such a device would take is taken.
 * STATUS_BAD_INPUT: a fatbin or a cubin that is cut short or damaged. */
enum status image_open(struct arena *arena, const void *data, size_t bytes, int capability,
                       struct image *out, struct error *error);
/* 90 of "sm_90a"; 0 of what is no architecture. */
int image_capability(const char *architecture);

enum { IMAGE_PARAMETERS_MAX = 256 };
struct image_parameter {
    uint32_t offset, bytes;
};

/* What a kernel's code finds out about its launch, so that a launch may differ in it: bits. */
enum image_reads {
    IMAGE_READS_BLOCK = 1 << 0,   /* blockDim */
    IMAGE_READS_GRID = 1 << 1,    /* gridDim */
    IMAGE_READS_CLUSTER = 1 << 2, /* the cluster's extents, or where in it */
    IMAGE_READS_SHARED = 1 << 3,  /* how much dynamic shared memory there is */
    IMAGE_USES_DYNAMIC = 1 << 4,  /* extern __shared__ */
    IMAGE_CALLS = 1 << 5,         /* functions; what these read is counted */
};

struct image_kernel {
    int parameter_count; /* -1: not known */
    struct image_parameter parameters[IMAGE_PARAMETERS_MAX];
    uint32_t required_block[3];   /* 0: any */
    uint32_t max_threads;         /* of a block, by __launch_bounds__; 0: nothing is said */
    uint32_t required_cluster[3]; /* 0: none */
    int32_t registers, static_shared_bytes, local_bytes; /* -1: not known */
    bool has_ptx;                                        /* `reads` is known */
    unsigned reads;                                      /* enum image_reads */
};
/* By its name in the image. STATUS_NOT_FOUND where what was read of the image has none of it. */
enum status image_kernel(const struct image *image, const char *name, struct image_kernel *out,
                         struct error *error);

#endif
