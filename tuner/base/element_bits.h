/* Elements as bits and as numbers, for the compilers of host and device (compare_lane.h). */
#ifndef TUNE_BASE_ELEMENT_BITS_H
#define TUNE_BASE_ELEMENT_BITS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifndef __CUDACC_RTC__
#include "tuner/base/element.h"
#include "tuner/base/half.h"
#endif

/* Returns the bytes of element `i`, with zeros above. */
static inline uint64_t element_raw(const void *elements, enum element_type type, uint64_t i)
{
    uint64_t bits = 0;
#ifdef __CUDACC_RTC__
    switch (element_bytes(type)) {
    case 1:
        return ((const uint8_t *)elements)[i];
    case 2:
        return ((const uint16_t *)elements)[i];
    case 4:
        return ((const uint32_t *)elements)[i];
    default:
        return ((const uint64_t *)elements)[i];
    }
#endif
    memcpy(&bits, (const unsigned char *)elements + i * element_bytes(type), element_bytes(type));
    return bits; /* little-endian, as on every supported device */
}

/* Writes the low bytes of `raw` to element `i`. */
static inline void element_write(void *elements, enum element_type type, uint64_t i, uint64_t raw)
{
#ifdef __CUDACC_RTC__
    switch (element_bytes(type)) {
    case 1:
        ((uint8_t *)elements)[i] = (uint8_t)raw;
        break;
    case 2:
        ((uint16_t *)elements)[i] = (uint16_t)raw;
        break;
    case 4:
        ((uint32_t *)elements)[i] = (uint32_t)raw;
        break;
    default:
        ((uint64_t *)elements)[i] = raw;
        break;
    }
#else
    memcpy((unsigned char *)elements + i * element_bytes(type), &raw, element_bytes(type));
#endif
}

/* Converts a real element to a number. */
static inline double element_real_of(uint64_t raw, enum element_type type)
{
    const uint32_t word = (uint32_t)raw;
    float single = 0;
    double wide = 0;
    switch (type) {
    case ELEMENT_F16:
        return f16_to_real((uint16_t)raw);
    case ELEMENT_BF16:
        return bf16_to_real((uint16_t)raw);
    case ELEMENT_F32:
        memcpy(&single, &word, sizeof single);
        return (double)single;
    default:
        memcpy(&wide, &raw, sizeof wide);
        return wide;
    }
}

static inline uint64_t element_raw_of(double real, enum element_type type)
{
    const float single = (float)real;
    uint32_t word = 0;
    uint64_t raw = 0;
    switch (type) {
    case ELEMENT_F16:
        return f16_from_real(real);
    case ELEMENT_BF16:
        return bf16_from_real(real);
    case ELEMENT_F32:
        memcpy(&word, &single, sizeof word);
        return word;
    default:
        memcpy(&raw, &real, sizeof raw);
        return raw;
    }
}

static inline uint64_t integer_extended(uint64_t raw, enum element_type type)
{
    const unsigned bits = (unsigned)element_bytes(type) * 8;
    return element_is_signed(type) && bits < 64 && (raw >> (bits - 1)) & 1
               ? raw | ~(uint64_t)0 << bits
               : raw;
}

#endif
