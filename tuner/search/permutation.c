/* A Feistel network over pairs of digits to the base `side` permutes side * side numbers; a number
 * outside 0 .. count - 1 is permuted again until it falls inside ("cycle walking": Black and
 * Rogaway, Ciphers with arbitrary finite domains, 2002). side * side is little more than count, so
 * that this is rare. */
#include "tuner/search/permutation.h"

#include "tuner/base/random.h"

enum { FEISTEL_ROUNDS = 8 };

struct permutation permutation_make(uint64_t count, uint64_t seed)
{
    uint64_t low = 1;
    uint64_t high = UINT64_C(1) << 32;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (middle > UINT32_MAX || middle * middle >= count)
            high = middle;
        else
            low = middle + 1;
    }
    return (struct permutation){.count = count, .side = low, .seed = seed};
}

uint64_t permutation_at(const struct permutation *permutation, uint64_t place)
{
    uint64_t number = place;
    do {
        uint64_t left_half = number / permutation->side;
        uint64_t right = number % permutation->side;
        for (uint64_t round = 0; round < FEISTEL_ROUNDS; round++) {
            const uint64_t key = random_at(permutation->seed, round);
            const uint64_t mixed = left_half + random_at(key, right) % permutation->side;
            left_half = right;
            right = mixed % permutation->side;
        }
        number = left_half * permutation->side + right;
    } while (number >= permutation->count);
    return number;
}
