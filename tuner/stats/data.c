#include "tuner/stats/data.h"

#include <string.h>

#include "tuner/base/half.h"
#include "tuner/base/random.h"
#include "tuner/stats/internal.h"

enum {
    EXACT_BOUND = 8, /* reals of FILL_RANDOM_EXACT are integers in [-8, 8] */
    EXACT_COUNT = 2 * EXACT_BOUND + 1,
    /* How finely [-1, 1) is cut, so that each value is one of the type. */
    F32_RANDOM_BITS = 24,
    F16_RANDOM_BITS = 12,
    BF16_RANDOM_BITS = 9,
};

/* Which of how many values a fill of reals takes, and the value. */
static uint64_t exact_index(uint64_t bits)
{
    return (bits >> 32) % EXACT_COUNT;
}

static double exact_value(uint64_t index)
{
    return (double)((int64_t)index - EXACT_BOUND);
}

static double unit_value(uint64_t index, int random_bits)
{
    return (double)index / (double)(UINT64_C(1) << (random_bits - 1)) - 1.0;
}

static double sign_value(uint64_t index)
{
    return 1.0 - 2.0 * (double)index; /* no branch: none could be predicted */
}

static double random_real(enum argument_fill fill, uint64_t bits)
{
    if (fill == FILL_RANDOM_EXACT)
        return exact_value(exact_index(bits));
    if (fill == FILL_RANDOM_ODD)
        return sign_value(bits >> 63);
    return unit_value(bits >> (64 - F32_RANDOM_BITS), F32_RANDOM_BITS);
}

static void fill_f32(float *out, enum argument_fill fill, uint64_t seed, uint64_t first,
                     uint64_t count)
{
    for (uint64_t i = first; i < first + count; i++)
        out[i] = (float)random_real(fill, random_at(seed, i));
}

static void fill_f64(double *out, enum argument_fill fill, uint64_t seed, uint64_t first,
                     uint64_t count)
{
    for (uint64_t i = first; i < first + count; i++)
        out[i] = random_real(fill, random_at(seed, i));
}

/* Their few values are converted once each. */
static void fill_halves(uint16_t *out, enum element_type type, enum argument_fill fill,
                        uint64_t seed, uint64_t first, uint64_t count)
{
    uint16_t (*const convert)(double) = type == ELEMENT_F16 ? f16_from_real : bf16_from_real;
    const int random_bits = type == ELEMENT_F16 ? F16_RANDOM_BITS : BF16_RANDOM_BITS;
    const uint64_t end = first + count;
    uint16_t values[1 << F16_RANDOM_BITS];
    if (fill == FILL_RANDOM_EXACT) {
        for (uint64_t i = 0; i < EXACT_COUNT; i++)
            values[i] = convert(exact_value(i));
        for (uint64_t i = first; i < end; i++)
            out[i] = values[exact_index(random_at(seed, i))];
        return;
    }
    const int used_bits = fill == FILL_RANDOM_ODD ? 1 : random_bits; /* of a random number */
    for (uint64_t i = 0; i < UINT64_C(1) << used_bits; i++)
        values[i] = convert(fill == FILL_RANDOM_ODD ? sign_value(i) : unit_value(i, random_bits));
    for (uint64_t i = first; i < end; i++)
        out[i] = values[random_at(seed, i) >> (64 - used_bits)];
}

/* The low bits of random numbers, those of `set` set. A loop for each width: gigabytes are filled,
 * and a store of any width would cost more than the random number. */
static void fill_integers(void *out, size_t bytes, uint64_t set, uint64_t seed, uint64_t first,
                          uint64_t count)
{
    const uint64_t end = first + count;
    uint8_t *const out8 = out;
    uint16_t *const out16 = out;
    uint32_t *const out32 = out;
    uint64_t *const out64 = out;
    switch (bytes) {
    case 1:
        for (uint64_t i = first; i < end; i++)
            out8[i] = (uint8_t)(random_at(seed, i) | set);
        break;
    case 2:
        for (uint64_t i = first; i < end; i++)
            out16[i] = (uint16_t)(random_at(seed, i) | set);
        break;
    case 4:
        for (uint64_t i = first; i < end; i++)
            out32[i] = (uint32_t)(random_at(seed, i) | set);
        break;
    default:
        for (uint64_t i = first; i < end; i++)
            out64[i] = random_at(seed, i) | set;
    }
}

static void fill_random(void *out, const struct argument *argument, uint64_t first, uint64_t count)
{
    const enum element_type type = argument->type;
    const enum argument_fill fill = argument->fill;
    if (type == ELEMENT_F32)
        fill_f32(out, fill, argument->seed, first, count);
    else if (type == ELEMENT_F64)
        fill_f64(out, fill, argument->seed, first, count);
    else if (element_is_real(type))
        fill_halves(out, type, fill, argument->seed, first, count);
    else
        fill_integers(out, element_bytes(type), fill == FILL_RANDOM_ODD ? 1 : 0, argument->seed,
                      first, count);
}

void fill_vector(void *out, const struct argument *argument, uint64_t first, uint64_t count)
{
    size_t bytes = element_bytes(argument->type);
    switch (argument->fill) {
    case FILL_ZERO:
        memset((unsigned char *)out + first * bytes, 0, count * bytes);
        break;
    case FILL_RANDOM:
    case FILL_RANDOM_EXACT:
    case FILL_RANDOM_ODD:
        fill_random(out, argument, first, count);
        break;
    case FILL_CONSTANT:
    case FILL_UNIFORM:
    case FILL_NORMAL:
        fill_distributed(out, argument, first, count);
        break;
    case FILL_SERIES:
    case FILL_FILE:
        break;
    }
}

bool fill_draws(enum argument_fill fill)
{
    return fill == FILL_RANDOM || fill == FILL_RANDOM_EXACT || fill == FILL_RANDOM_ODD ||
           fill == FILL_UNIFORM || fill == FILL_NORMAL;
}

void vary_patch(const struct argument *argument, struct patch *patch)
{
    const size_t bytes = element_bytes(argument->type);
    unsigned char drawn[PATCH_ELEMENTS * sizeof(uint64_t)];
    struct argument other = *argument;
    *patch = (struct patch){0};
    if (argument->variant == 0 || argument->count < 3 || !fill_draws(argument->fill))
        return;
    other.seed = random_at(argument->seed, argument->variant);
    fill_vector(drawn, &other, 0, PATCH_ELEMENTS);
    for (size_t i = 0; i < PATCH_ELEMENTS; i++) {
        uint64_t at = 1 + random_at(other.seed, i) % (uint64_t)(argument->count - 2);
        uint32_t place = 0;
        while (place < patch->count && patch->at[place] != at)
            place++;
        patch->count += place == patch->count ? 1 : 0;
        patch->at[place] = at;
        memcpy(patch->values + place * bytes, drawn + i * bytes, bytes);
    }
}

void vary_vector(void *out, const struct argument *argument)
{
    struct patch patch;
    vary_patch(argument, &patch);
    patch_vector(out, argument->type, &patch);
}
