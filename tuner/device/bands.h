/* Bands around vectors, which reveal accesses out of bounds: around inputs, while these are
 * checked, numbers that change any result computed from them; around others guard bytes. */
#ifndef TUNE_DEVICE_BANDS_H
#define TUNE_DEVICE_BANDS_H

#include <stddef.h>
#include <stdint.h>

#include "tuner/base/element.h"

enum { BAND_TURNS = 3 };

/* Fills `bytes` bytes, whole elements of the type as counted from `out`. By turn: NaN (the largest
 * integer), the largest, the smallest number. Neighbours differ, and numbers that a sum, a product,
 * a minimum or a maximum ignores in one turn count in another. */
void band_fill(void *out, size_t bytes, enum element_type type, unsigned turn);

/* Returns the guard byte at an address, from 0x80 to 0xfe: no byte of a small number. Neighbours,
 * and the guards of two vectors, differ: elements that a kernel copies from one guard into another,
 * or replaces by their mean, are seen. */
static inline unsigned char guard_byte(uint64_t address)
{
    const uint32_t mixed = (uint32_t)address * UINT32_C(0x9e3779b1) >> 25;
    return (unsigned char)(0x80 + mixed % 127);
}

#endif
