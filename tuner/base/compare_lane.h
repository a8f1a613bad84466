/* One lane's part of a comparison. The host's compilers and the device's (NVRTC, behind the headers
 * that this text includes: the common part of C and C++) compile this text, so that both find the
 * same. Lanes may run in parallel; their findings are joined in a fixed order, so that totals have
 * the same bits everywhere. */
#ifndef TUNE_BASE_COMPARE_LANE_H
#define TUNE_BASE_COMPARE_LANE_H

#include <math.h>

#ifndef __CUDACC_RTC__
#include "tuner/base/compare.h"
#include "tuner/base/element_bits.h"
#endif

static inline struct difference integer_difference(const struct comparing *comparing,
                                                   enum element_type type, uint64_t got_raw,
                                                   uint64_t i)
{
    const struct tolerance *tolerance = &comparing->tolerance;
    const bool is_signed = element_is_signed(type);
    const uint64_t got = integer_extended(got_raw, type);
    const uint64_t expected =
        integer_extended(element_raw(comparing->expected.elements, type, i), type);
    const bool more = is_signed ? (int64_t)got > (int64_t)expected : got > expected;
    struct difference out;
    out.got = is_signed ? (double)(int64_t)got : (double)got;
    out.expected = is_signed ? (double)(int64_t)expected : (double)expected;
    out.size = (double)(more ? got - expected : expected - got);
    out.allowed = fmax(tolerance->absolute, tolerance->relative * fabs(out.expected));
    out.allowed = fmax(out.allowed, (double)tolerance->ulps);
    out.got_bits = got;
    out.expected_bits = expected;
    out.within = got == expected || out.size <= out.allowed;
    return out;
}

/* Maps the type's numbers to integers in the same order. */
static inline int64_t place_among(uint64_t raw, enum element_type type)
{
    const unsigned bits = (unsigned)element_bytes(type) * 8;
    const int64_t size = (int64_t)(raw & (~(uint64_t)0 >> (65 - bits)));
    return (raw >> (bits - 1)) & 1 ? -size : size;
}

/* Counts the steps between adjacent numbers of the type from one element to the other. */
static inline uint64_t steps_between(uint64_t from, uint64_t to, enum element_type type)
{
    const int64_t x = place_among(from, type), y = place_among(to, type);
    return x > y ? (uint64_t)x - (uint64_t)y : (uint64_t)y - (uint64_t)x;
}

static inline double expected_real(const struct comparing *comparing, enum element_type type,
                                   uint64_t i)
{
    const struct expected_output *expected = &comparing->expected;
    if (!expected->reals)
        return element_real_of(element_raw(expected->elements, type, i), type);
    return comparing->rounds ? element_real_of(element_raw_of(expected->reals[i], type), type)
                             : expected->reals[i];
}

static inline double expected_magnitude(const struct expected_output *expected, double real,
                                        uint64_t i)
{
    if (!expected->reals)
        return fmax(fabs(real), expected->scale);
    return expected->magnitudes ? expected->magnitudes[i] : expected->scale;
}

static inline struct difference real_difference(const struct comparing *comparing,
                                                enum element_type type, uint64_t got_raw,
                                                uint64_t i)
{
    const struct tolerance *tolerance = &comparing->tolerance;
    struct difference out;
    out.got = element_real_of(got_raw, type);
    out.expected = expected_real(comparing, type, i);
    out.got_bits = out.expected_bits = 0;
    out.allowed = fmax(tolerance->absolute, tolerance->relative * fabs(out.expected));
    if (tolerance->magnitude > 0)
        out.allowed =
            fmax(tolerance->magnitude * expected_magnitude(&comparing->expected, out.expected, i),
                 out.allowed);
    out.size = fabs(out.got - out.expected);
    if (!isfinite(out.got) || !isfinite(out.expected)) {
        out.within = out.got == out.expected || (isnan(out.got) && isnan(out.expected));
        out.size = out.within ? 0 : (double)INFINITY;
        return out;
    }
    out.within = out.size <= out.allowed;
    if (!out.within && tolerance->ulps > 0)
        out.within =
            steps_between(got_raw, element_raw_of(out.expected, type), type) <= tolerance->ulps;
    return out;
}

/* Compares element `i`, whose bytes in the output are `got_raw`. */
static inline struct difference difference_of(const struct comparing *comparing,
                                              enum element_type type, uint64_t got_raw, uint64_t i)
{
    return element_is_real(type) ? real_difference(comparing, type, got_raw, i)
                                 : integer_difference(comparing, type, got_raw, i);
}

static inline uint64_t sum_mixed(uint64_t word, uint64_t place)
{
    uint64_t x = word ^ (place * (uint64_t)0x9e3779b97f4a7c15);
    x *= (uint64_t)0xbf58476d1ce4e5b9;
    return x ^ (x >> 31);
}

/* Returns the checksum of the expected element `i` as if its index were `place`. */
static inline uint64_t expected_sum_at(const struct expected_output *expected,
                                       enum element_type type, uint64_t i, uint64_t place)
{
    if (!expected->reals)
        return sum_mixed(element_raw(expected->elements, type, i), place);
    uint64_t sum = sum_mixed(element_raw(expected->reals, ELEMENT_F64, i), place);
    if (expected->magnitudes)
        sum += sum_mixed(element_raw(expected->magnitudes, ELEMENT_F64, i), ~place);
    return sum;
}

static inline uint64_t expected_sum(const struct expected_output *expected, enum element_type type,
                                    uint64_t i)
{
    return expected_sum_at(expected, type, i, i);
}

static inline struct findings findings_none(void)
{
    struct findings out;
    out.first = out.largest = COMPARE_NONE;
    out.wrong = out.sum = 0;
    out.largest_size = out.total = 0;
    return out;
}

static inline void findings_join(struct findings *into, const struct findings *other)
{
    if (other->first < into->first)
        into->first = other->first;
    if (other->largest_size > into->largest_size ||
        (other->largest_size == into->largest_size && other->largest < into->largest)) {
        into->largest_size = other->largest_size;
        into->largest = other->largest;
    }
    into->wrong += other->wrong;
    into->total += other->total;
    into->sum += other->sum;
}

/* Compares one lane's elements of a chunk. */
static inline struct findings compare_lane(const struct comparing *comparing,
                                           enum element_type type, uint64_t chunk, unsigned lane)
{
    struct findings out = findings_none();
    const uint64_t first = chunk * COMPARE_CHUNK;
    const uint64_t end =
        comparing->count - first < COMPARE_CHUNK ? comparing->count : first + COMPARE_CHUNK;
    for (uint64_t i = first + lane; i < end; i += COMPARE_LANES) {
        const uint64_t got = element_raw(comparing->got, type, i);
        out.sum += expected_sum(&comparing->expected, type, i);
        const struct difference difference = difference_of(comparing, type, got, i);
        if (difference.size > out.largest_size) {
            out.largest_size = difference.size;
            out.largest = i;
        }
        out.total += difference.size;
        if (!difference.within && out.wrong++ == 0)
            out.first = i;
    }
    return out;
}

#endif
