/* Bands around inputs while these are checked: numbers that change any result computed from them.
 */
#ifndef TUNE_DEVICE_BANDS_H
#define TUNE_DEVICE_BANDS_H

#include <stddef.h>

#include "tuner/base/element.h"

enum { BAND_TURNS = 3 };

/* Fills `bytes` bytes, whole elements of the type as counted from `out`. By turn: NaN (the largest
 * integer), the largest, the smallest number. Neighbours differ, and numbers that a sum, a product,
 * a minimum or a maximum ignores in one turn count in another. */
void band_fill(void *out, size_t bytes, enum element_type type, unsigned turn);

#endif
