/* Place and contents of a vector on the device. */
#ifndef TUNE_DEVICE_GPU_VECTOR_H
#define TUNE_DEVICE_GPU_VECTOR_H

#include "tuner/device/device.h"
#include "tuner/device/gpu/check.h"

/* The device memory of one argument, kept from plan to plan as the size allows. Outputs and scratch
 * have a guard band right before and right behind the data. */
struct vector {
    gpu_address base;
    size_t capacity;
    size_t offset; /* offset of the bound plan's vector behind base */
    size_t wander; /* variable part of the offset: the current place times place_bytes */
    size_t place_bytes;
    uint32_t places;      /* places over which runs rotate; 1: a fixed place */
    bool stays;           /* found by a variable: one copy and one place */
    size_t bytes;         /* bytes of the bound plan's vector */
    gpu_address variable; /* variable of the current binary that kernels use instead; 0: none */
    /* Contents of inputs and updates. Copy k for runs begins at base + offset + k * stride. Updates
     * have one more copy in front (memory.c). */
    const void *host;  /* NULL: generated on the device */
    uint64_t contents; /* argument_contents of `host` */
    size_t uploaded;   /* bytes of the first copy that are those of `host`, or were made; 0: none */
    size_t stride;
    size_t copy_bytes; /* bytes of the further copies that are equal to the first */
    uint32_t filled;
    uint32_t copies; /* copies over which runs rotate, <= filled */
    bool changed;    /* runs have written to copies */
    /* Inputs: number of copies of which every second has a patch's elements, and the patch's hash.
     */
    uint32_t patched;
    uint64_t patch;
    uint64_t patched_sum; /* sum of a patched copy */
    size_t shown;         /* offset of the checked copy behind copy 0: not 0 only after gpu_show */
    /* Inputs: the sum of a copy's `summed` bytes at upload (SIZE_MAX: unknown), and the range of
     * copies used by runs since the last check. */
    uint64_t sum;
    size_t summed;
    uint32_t used_first, used;
    unsigned char band[2][GUARD_BYTES]; /* written last before and behind an input */
};

#endif
