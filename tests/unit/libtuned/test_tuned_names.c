/* libtuned: the names of a file cannot be chosen to collide in one bucket, even with knowledge of
 * the hash function: a look-up would then cost as much as there are names. */

#include <stdlib.h>
#include <string.h>

#include "libtuned/tuned.c" /* NOLINT(bugprone-suspicious-include): hash_name is nobody else's */
#include "tests/unit/suite.h"

enum { PAIRS = 12, NAMES_COUNT = 1 << PAIRS, NAME_BYTES = 16 * PAIRS };

static int compare_hashes(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

/* Checks hashes of names that differ in this bit of a word of eight characters, and in those of the
 * next that would compensate if the first were multiplied once by an odd number and folded. */
static void expect_hashes_that_differ(const void *seed, unsigned char bit)
{
    static uint32_t hashes[NAMES_COUNT];
    for (unsigned i = 0; i < NAMES_COUNT; i++) {
        char name[NAME_BYTES];
        memset(name, 'a', sizeof name);
        for (unsigned pair = 0; pair < PAIRS; pair++) {
            unsigned char flipped = i >> pair & 1 ? bit : 0;
            name[16 * pair + 7] = (char)('a' ^ flipped);
            name[16 * pair + 11] = (char)('a' ^ flipped);
            name[16 * pair + 15] = (char)('a' ^ flipped);
        }
        hashes[i] = hash_name(seed, name, sizeof name);
    }
    qsort(hashes, NAMES_COUNT, sizeof *hashes, compare_hashes);
    int same = 0;
    for (unsigned i = 1; i < NAMES_COUNT; i++)
        same += hashes[i] == hashes[i - 1];
    assert_in_range(same, 0, 8);
}

TEST(chosen_names_do_not_collide)
{
    static const char seeds[4096];
    for (size_t seed = 0; seed < sizeof seeds; seed += 256) {
        expect_hashes_that_differ(seeds + seed, 0x80);
        expect_hashes_that_differ(seeds + seed, 0x40);
    }
}

TEST_MAIN(NULL, NULL)
