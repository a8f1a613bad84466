/* What lies before and behind inputs while they are checked: numbers that change a result which
 * takes them in. */
#ifndef TUNE_DEVICE_BANDS_H
#define TUNE_DEVICE_BANDS_H

#include <stddef.h>

#include "tuner/base/element.h"

enum { BAND_TURNS = 3 };

/* Fills `bytes` bytes, whole elements of the type as counted from `out`. By turn: what is not a
 * number, and of integers the largest; the largest; the smallest. No two neighbours are alike, and
 * what a sum, a product, a minimum or a maximum ignores in one turn it does not in another. */
void band_fill(void *out, size_t bytes, enum element_type type, unsigned turn);

#endif
