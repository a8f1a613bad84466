#include "tuner/device/bands.h"

#include <stdint.h>
#include <string.h>

enum { VARIETY = 7 }; /* neighbours differ by less: no type's numbers end before */

/* Returns NaN, the largest finite number, or the lowest, as bits. */
static uint64_t real_bits(enum element_type type, unsigned turn, uint64_t i)
{
    size_t bits = element_bytes(type) * 8;
    size_t mantissa = type == ELEMENT_F16    ? 10
                      : type == ELEMENT_BF16 ? 7
                      : type == ELEMENT_F32  ? 23
                                             : 52;
    uint64_t sign = UINT64_C(1) << (bits - 1);
    uint64_t infinite = (sign - 1) >> mantissa << mantissa;
    if (turn == 0)
        return infinite | UINT64_C(1) << (mantissa - 1) | i;
    return (infinite - 1 - i) | (turn == 2 ? sign : 0);
}

static uint64_t integer_bits(enum element_type type, unsigned turn, uint64_t i)
{
    size_t bits = element_bytes(type) * 8;
    const bool is_signed = element_is_signed(type);
    uint64_t largest = UINT64_MAX >> (64 - (is_signed ? bits - 1 : bits));
    uint64_t smallest = is_signed ? largest + 1 : 0;
    return turn == 2 ? smallest + i : largest - i - (turn == 1 ? VARIETY : 0);
}

void band_fill(void *out, size_t bytes, enum element_type type, unsigned turn)
{
    const size_t size = element_bytes(type);
    size_t filled = bytes / size < VARIETY ? bytes / size * size : VARIETY * size;
    turn %= BAND_TURNS;
    for (uint64_t i = 0; i < filled / size; i++) {
        const uint64_t value =
            element_is_real(type) ? real_bits(type, turn, i) : integer_bits(type, turn, i);
        memcpy((char *)out + i * size, &value, size); /* little-endian, as every device here is */
    }
    /* Repeats the written part: fast, since bands are written before each check. */
    for (const size_t whole = bytes / size * size; filled < whole;) {
        const size_t more = filled < whole - filled ? filled : whole - filled;
        memcpy((char *)out + filled, out, more);
        filled += more;
    }
}
