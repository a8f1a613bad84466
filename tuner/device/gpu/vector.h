/* Where a vector lies on the device, and what it holds. */
#ifndef TUNE_DEVICE_GPU_VECTOR_H
#define TUNE_DEVICE_GPU_VECTOR_H

#include "tuner/device/device.h"
#include "tuner/device/gpu/check.h"

/* The device memory of one argument. Kept from plan to plan, as its size allows. Outputs and
 * scratch have a guard band right before and right behind them. */
struct vector {
    gpu_address base;
    size_t capacity;
    size_t offset; /* of the bound plan's vector behind base */
    size_t wander; /* the part of it that changes: the place in use, times place_bytes */
    size_t place_bytes;
    uint32_t places;      /* that runs rotate over; 1: it stays */
    bool stays;           /* kernels find it by a variable: it has one copy and one place */
    size_t bytes;         /* of the bound plan's vector */
    gpu_address variable; /* of the current binary, which kernels find instead of it; 0: none */
    /* Inputs and updates: what is there. Copy k that runs are given begins at base + offset + k *
     * stride. Of updates there is one before these (memory.c). */
    const void *host;  /* NULL: it was made here */
    uint64_t contents; /* argument_contents of it */
    size_t uploaded;   /* bytes of the first copy that are those of `host`, or were made; 0: none */
    size_t stride;
    size_t copy_bytes; /* bytes of the further copies that are equal to the first */
    uint32_t filled;
    uint32_t copies; /* that runs rotate over, <= filled */
    bool changed;    /* runs have written to copies */
    /* Inputs: of so many copies every second one has the elements of a patch, by its hash. */
    uint32_t patched;
    uint64_t patch;
    uint64_t patched_sum; /* of such a copy */
    size_t shown;         /* where, behind copy 0, what is looked at lies: 0 but after gpu_show */
    /* Inputs: the sum of a copy as it was uploaded, of `summed` bytes (SIZE_MAX: not known), and
     * the copies that runs were given since it was looked at: so many from the first. */
    uint64_t sum;
    size_t summed;
    uint32_t used_first, used;
    unsigned char band[2][GUARD_BYTES]; /* written last before and behind an input */
};

#endif
