/* Facts of a kernel in a binary that a program loads, as opposed to one that tune compiled. */
#ifndef TUNE_DEVICE_IMAGE_H
#define TUNE_DEVICE_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

enum { IMAGE_PARAMETERS_MAX = 256 };
struct image_parameter {
    uint32_t offset, bytes;
};

/* Launch dimensions that a kernel's code reads, so that a launch with others may differ: bits. */
enum image_reads {
    IMAGE_READS_BLOCK = 1 << 0,   /* blockDim */
    IMAGE_READS_GRID = 1 << 1,    /* gridDim */
    IMAGE_READS_CLUSTER = 1 << 2, /* the cluster's extents, or a place in the cluster */
    IMAGE_READS_SHARED = 1 << 3,  /* how much dynamic shared memory there is */
    IMAGE_USES_DYNAMIC = 1 << 4,  /* extern __shared__ */
    IMAGE_CALLS = 1 << 5,         /* functions, whose reads are included */
};

struct image_kernel {
    int parameter_count; /* -1: not known */
    struct image_parameter parameters[IMAGE_PARAMETERS_MAX];
    uint32_t required_block[3];   /* 0: any */
    uint32_t max_threads;         /* threads of a block, by __launch_bounds__; 0: no bound */
    uint32_t required_cluster[3]; /* 0: none */
    int32_t registers, static_shared_bytes, local_bytes; /* -1: not known */
    bool has_ptx;                                        /* `reads` is known */
    unsigned reads;                                      /* enum image_reads */
};

#endif
