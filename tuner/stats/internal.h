/* Shared by the files of this room. */
#ifndef TUNE_TRIAL_INTERNAL_H
#define TUNE_TRIAL_INTERNAL_H

#include <stddef.h>

#include "tuner/base/launch.h"

/* distributed.c: fill_vector for FILL_CONSTANT, FILL_UNIFORM, FILL_NORMAL. */
void fill_distributed(void *out, const struct argument *argument, uint64_t first, uint64_t count);
/* distributed.c: the nearest element, held within the type's range; NaN is 0 as an integer. */
void element_from_real(double real, enum element_type type, void *out);
/* The number that an element is; of 64-bit integers the nearest one. */
double element_to_real(const void *element, enum element_type type);

#endif
