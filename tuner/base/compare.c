#include "tuner/base/compare.h"

#include "tuner/base/compare_lane.h"

struct findings compare_chunk(const struct comparing *comparing, enum element_type type,
                              uint64_t chunk)
{
    struct findings lanes[COMPARE_LANES];
    for (unsigned lane = 0; lane < COMPARE_LANES; lane++)
        lanes[lane] = compare_lane(comparing, type, chunk, lane);
    for (unsigned half = COMPARE_LANES / 2; half > 0; half /= 2)
        for (unsigned lane = 0; lane < half; lane++)
            findings_join(&lanes[lane], &lanes[lane + half]);
    return lanes[0];
}

uint64_t compare_chunks(uint64_t count)
{
    return count / COMPARE_CHUNK + (count % COMPARE_CHUNK > 0 ? 1 : 0);
}

struct comparing comparing_of(const void *got, enum element_type type, uint64_t count,
                              const struct expected_output *expected,
                              const struct tolerance *tolerance)
{
    const bool free_of_units =
        tolerance->magnitude > 0 || tolerance->absolute > 0 || tolerance->relative > 0;
    return (struct comparing){
        .got = got,
        .expected = *expected,
        .tolerance = *tolerance,
        .count = count,
        .rounds = element_bytes(type) == 2 && !free_of_units && !(tolerance->total > 0),
    };
}
