#include "tuner/base/fill.h"

#include <math.h>
#include <string.h>

#include "tuner/base/fill_lane.h"
#include "tuner/base/half.h"
#include "tuner/base/launch.h"

/* ---- reals as elements of any type ---- */

/* Returns the bits of the nearest integer that the type can represent. */
static uint64_t integer_from_real(double real, enum element_type type)
{
    int bits = (int)element_bytes(type) * 8;
    double beyond =
        ldexp(1, element_is_signed(type) ? bits - 1
                                         : bits); /* the smallest number too large for the type */
    double rounded = nearbyint(real);
    if (isnan(rounded))
        return 0;
    if (rounded >= beyond)
        return element_is_signed(type) ? UINT64_MAX >> (65 - bits) : UINT64_MAX >> (64 - bits);
    if (!element_is_signed(type))
        return rounded <= 0 ? 0 : (uint64_t)rounded;
    return (uint64_t)(int64_t)fmax(rounded, -beyond);
}

void element_from_real(double real, enum element_type type, void *out)
{
    element_write(out, type, 0,
                  element_is_real(type) ? element_raw_of(real, type)
                                        : integer_from_real(real, type));
}

double element_to_real(const void *element, enum element_type type)
{
    const uint64_t raw = element_raw(element, type, 0);
    if (element_is_real(type))
        return element_real_of(raw, type);
    const uint64_t bits = integer_extended(raw, type);
    return element_is_signed(type) ? (double)(int64_t)bits : (double)bits;
}

/* Returns the type's number next to `real`, in the direction of `towards`. */
static double neighbour(double real, enum element_type type, double towards)
{
    if (type == ELEMENT_F64)
        return nextafter(real, towards);
    if (type == ELEMENT_F32)
        return (double)nextafterf((float)real, (float)towards);
    /* one unit in the last place, or the smallest number */
    int digits = type == ELEMENT_F16 ? 11 : 8;
    int least = type == ELEMENT_F16 ? -24 : -133;
    int exponent = 0;
    (void)frexp(real, &exponent);
    int unit = real != 0 && exponent - digits > least ? exponent - digits : least;
    return real + copysign(ldexp(1, unit), towards - real);
}

static double rounded_to(double real, enum element_type type)
{
    unsigned char element[8];
    element_from_real(real, type, element);
    return element_to_real(element, type);
}

/* ---- fills ---- */

/* Fills 16-bit reals. Converts each of the few possible values once. */
static void fill_halves(uint16_t *out, enum element_type type, enum argument_fill fill,
                        uint64_t seed, uint64_t first, uint64_t count)
{
    uint16_t (*const convert)(double) = type == ELEMENT_F16 ? f16_from_real : bf16_from_real;
    const int random_bits = random_bits_of(type);
    const uint64_t end = first + count;
    uint16_t values[1 << F16_RANDOM_BITS];
    if (fill == FILL_RANDOM_EXACT) {
        for (uint64_t i = 0; i < EXACT_COUNT; i++)
            values[i] = convert(exact_value(i));
        for (uint64_t i = first; i < end; i++)
            out[i] = values[exact_index(random_at(seed, i))];
        return;
    }
    const int used_bits = fill == FILL_RANDOM_ODD
                              ? 1
                              : random_bits; /* bits of the random number that select the value */
    for (uint64_t i = 0; i < UINT64_C(1) << used_bits; i++)
        values[i] = convert(fill == FILL_RANDOM_ODD ? sign_value(i) : unit_value(i, random_bits));
    for (uint64_t i = first; i < end; i++)
        out[i] = values[random_at(seed, i) >> (64 - used_bits)];
}

/* Writes the low bits of random numbers, with the bits of `set` set. One loop for each width:
 * gigabytes are filled, and a store of variable width would cost more than the random number. */
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

bool fill_is_arithmetic(enum argument_fill fill)
{
    return fill != FILL_NORMAL && fill != FILL_SERIES && fill != FILL_FILE;
}

struct filling filling_of(const struct argument *argument)
{
    const enum element_type type = argument->type;
    struct filling out = {.fill = argument->fill, .type = type, .seed = argument->seed};
    if (argument->fill == FILL_CONSTANT)
        element_from_real(argument->fill_low, type, &out.constant);
    if (argument->fill != FILL_UNIFORM)
        return out;
    if (element_is_real(type)) {
        /* The upper end is excluded also after rounding, and so are numbers below the lower end. */
        out.low = argument->fill_low;
        out.span = argument->fill_high - argument->fill_low;
        out.least = rounded_to(argument->fill_low, type);
        out.most = rounded_to(argument->fill_high, type);
        if (out.least < argument->fill_low)
            out.least = neighbour(out.least, type, INFINITY);
        if (out.most >= argument->fill_high)
            out.most = neighbour(out.most, type, -INFINITY);
        if (out.most < out.least) /* no number of the type lies in the range */
            out.most = out.least;
        return out;
    }
    out.first = integer_from_real(ceil(argument->fill_low), type);
    out.bound = integer_from_real(floor(argument->fill_high), type) - out.first + 1;
    return out;
}

void fill_vector(void *out, const struct argument *argument, uint64_t first, uint64_t count)
{
    const size_t bytes = element_bytes(argument->type);
    const struct filling filling = filling_of(argument);
    switch (argument->fill) {
    case FILL_ZERO:
        memset((unsigned char *)out + first * bytes, 0, count * bytes);
        break;
    case FILL_RANDOM:
    case FILL_RANDOM_EXACT:
    case FILL_RANDOM_ODD: {
        const enum element_type type = argument->type;
        const enum argument_fill fill = argument->fill;
        const uint64_t seed = argument->seed;
        float *floats = out;
        double *doubles = out;
        /* The most frequent fills have loops of their own, since gigabytes are filled. */
        if (type == ELEMENT_F32)
            for (uint64_t i = first; i < first + count; i++)
                floats[i] = (float)random_real(fill, F32_RANDOM_BITS, random_at(seed, i));
        else if (type == ELEMENT_F64)
            for (uint64_t i = first; i < first + count; i++)
                doubles[i] = random_real(fill, F32_RANDOM_BITS, random_at(seed, i));
        else if (element_is_real(type))
            fill_halves(out, type, fill, seed, first, count);
        else
            fill_integers(out, element_bytes(type), random_set(fill), seed, first, count);
        break;
    }
    case FILL_CONSTANT:
    case FILL_UNIFORM:
        for (uint64_t i = first; i < first + count; i++)
            element_write(out, filling.type, i, fill_raw(&filling, i));
        break;
    case FILL_NORMAL:
        for (uint64_t i = first; i < first + count; i++) {
            /* Box and Muller's method, from two streams. */
            const uint64_t other = argument->seed ^ UINT64_C(0x5851f42d4c957f2d);
            const double distance = sqrt(-2 * log(1 - unit_at(argument->seed, i)));
            const double normal = distance * cos(6.283185307179586477 * unit_at(other, i));
            element_from_real(argument->fill_low + argument->fill_high * normal, argument->type,
                              (unsigned char *)out + i * bytes);
        }
        break;
    case FILL_SERIES:
    case FILL_FILE:
        break;
    }
}

enum { VARIED_MIN = 3 }; /* elements: the first and the last never change */

/* Returns whether elements are drawn at random, so that other elements would do as well. */
static bool is_drawn(enum argument_fill fill)
{
    return fill == FILL_RANDOM || fill == FILL_RANDOM_EXACT || fill == FILL_RANDOM_ODD ||
           fill == FILL_UNIFORM || fill == FILL_NORMAL;
}

bool vary_together(struct launch_plan *plan, bool timed)
{
    bool varies = false;
    for (size_t i = 0; i < plan->argument_count; i++) {
        uint64_t among = UINT64_MAX;
        plan->arguments[i].variant = 0;
        if (!role_is_filled(plan->arguments[i].role) || !is_drawn(plan->arguments[i].fill))
            continue;
        for (size_t j = 0; j < plan->argument_count; j++) {
            const struct argument *other = &plan->arguments[j];
            if (!role_is_filled(other->role) || !is_drawn(other->fill) ||
                other->seed != plan->arguments[i].seed)
                continue;
            const bool may = !timed || (other->role == ARGUMENT_INPUT && argument_rotates(other));
            const uint64_t count = may ? (uint64_t)other->count : 0;
            among = count < among ? count : among;
        }
        plan->arguments[i].variant = among >= VARIED_MIN ? among : 0;
        varies = varies || among >= VARIED_MIN;
    }
    return varies;
}

void vary_patch(const struct argument *argument, struct patch *patch)
{
    const size_t bytes = element_bytes(argument->type);
    unsigned char drawn[PATCH_ELEMENTS * sizeof(uint64_t)];
    struct argument other = *argument;
    *patch = (struct patch){0};
    if (argument->variant < VARIED_MIN || argument->variant > (uint64_t)argument->count ||
        !is_drawn(argument->fill))
        return;
    other.seed = random_at(argument->seed, argument->variant);
    fill_vector(drawn, &other, 0, PATCH_ELEMENTS);
    for (size_t i = 0; i < PATCH_ELEMENTS; i++) {
        uint64_t at = 1 + random_at(other.seed, i) % (argument->variant - 2);
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

/* Returns a number between half of the largest and the largest. Every second bit behind the first
 * eight of the mantissa is set, so that a kernel that truncates or rounds makes errors that all
 * have one sign. */
static double large_value(const struct argument *argument, double drawn)
{
    const bool random = argument->fill == FILL_RANDOM;
    const double low = random ? -1 : argument->fill_low, high = random ? 1 : argument->fill_high;
    const double most = argument->fill == FILL_NORMAL ? 2 * high : high > -low ? high : low;
    double part = fabs(drawn / most);
    uint64_t bits = 0;
    part = 0.5 + 0.5 * (part - floor(part));
    memcpy(&bits, &part, sizeof bits);
    if (argument->type == ELEMENT_F64)
        bits = (bits & ~(UINT64_MAX >> 19)) | (UINT64_C(0x5555555555555555) >> 19);
    else if (argument->type == ELEMENT_F32)
        bits = (bits & ~(UINT64_MAX >> 19)) |
               (UINT64_C(0x5555555555555555) >> 19 & ~(UINT64_C(0x1fffffff)));
    memcpy(&part, &bits, sizeof bits);
    return most * part;
}

void few_vector(void *out, const struct argument *argument)
{
    const size_t bytes = element_bytes(argument->type);
    const uint64_t count = (uint64_t)argument->count;
    const uint64_t few = argument->few < count ? argument->few : count;
    unsigned char *elements = out;
    uint64_t next = 0;
    for (uint64_t i = 0; few > 0 && i < few; i++) {
        const uint64_t end = (i + 1) == few ? count : (count / few) * (i + 1);
        const uint64_t at =
            end - 1 - ((i + 1) == few ? 0 : random_at(argument->seed, i) % (end - next));
        const double drawn = element_to_real(elements + at * bytes, argument->type);
        memset(elements + next * bytes, 0, (end - next) * bytes);
        element_from_real(large_value(argument, drawn), argument->type, elements + at * bytes);
        next = end;
    }
}

static void swap_elements(unsigned char *elements, size_t bytes, uint64_t a, uint64_t b)
{
    uint64_t kept = 0;
    memcpy(&kept, elements + a * bytes, bytes);
    memmove(elements + a * bytes, elements + b * bytes, bytes);
    memcpy(elements + b * bytes, &kept, bytes);
}

void ends_vector(void *out, const struct argument *argument)
{
    const size_t bytes = element_bytes(argument->type);
    const uint64_t count = (uint64_t)argument->count;
    unsigned char *elements = out;
    uint64_t at[2] = {0, 0}; /* the smallest and the largest */
    if (argument->ends == 0 || count < 2 || !is_drawn(argument->fill))
        return;
    double least = element_to_real(elements, argument->type), most = least;
    for (uint64_t i = 1; i < count; i++) {
        const double value = element_to_real(elements + i * bytes, argument->type);
        at[0] = value < least ? i : at[0];
        at[1] = value > most ? i : at[1];
        least = fmin(least, value);
        most = fmax(most, value);
    }
    const uint64_t to_last = at[argument->ends % 2], to_first = at[(argument->ends + 1) % 2];
    swap_elements(elements, bytes, to_last, count - 1);
    swap_elements(elements, bytes, to_first == count - 1 ? to_last : to_first, 0);
}
