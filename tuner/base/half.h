/* Numbers of 16 bits: f16 (IEEE binary16) and bf16 (the upper half of a binary32), which C has no
 * type for. */
#ifndef TUNE_BASE_HALF_H
#define TUNE_BASE_HALF_H

#include <stdint.h>

/* The number that the bits are, exactly: subnormal ones, infinities and NaN (with its payload)
 * included. */
double f16_to_real(uint16_t bits);
double bf16_to_real(uint16_t bits);

/* The bits of the nearest number, ties to even: what is too large becomes infinite, what is too
 * small a zero of its sign, and NaN stays NaN (a quiet one). */
uint16_t f16_from_real(double real);
uint16_t bf16_from_real(double real);

#endif
