/* Contents around inputs during checks: whole elements of their type, which change a result that
 * includes them. */
#include <math.h>
#include <string.h>

#include "tests/unit/suite.h"
#include "tuner/device/bands.h"
#include "tuner/device/device.h"

TEST(test_every_element_differs_from_its_neighbours)
{
    static unsigned char band[GUARD_BYTES + 1];
    for (int type = 0; type < ELEMENT_TYPE_COUNT; type++) {
        const size_t size = element_bytes((enum element_type)type);
        for (unsigned turn = 0; turn < 2 * BAND_TURNS; turn++) {
            memset(band, 0xa5, sizeof band);
            band_fill(band, GUARD_BYTES, (enum element_type)type, turn);
            for (size_t at = size; at < GUARD_BYTES; at += size)
                assert_memory_not_equal(band + at, band + at - size, size);
            assert_int_equal(band[GUARD_BYTES], 0xa5);
        }
    }
}

TEST(test_turns_are_what_no_result_ignores)
{
    enum { COUNT = 100 };
    float reals[COUNT];
    int8_t bytes[COUNT];
    uint64_t words[COUNT];
    for (unsigned turn = 0; turn < BAND_TURNS; turn++) {
        band_fill(reals, sizeof reals, ELEMENT_F32, turn);
        band_fill(bytes, sizeof bytes, ELEMENT_I8, turn);
        band_fill(words, sizeof words, ELEMENT_U64, turn);
        for (int i = 0; i < COUNT; i++) {
            assert_true(turn == 0   ? reals[i] != reals[i]
                        : turn == 1 ? reals[i] > 3e38F && reals[i] < INFINITY
                                    : reals[i] < -3e38F && reals[i] > -INFINITY);
            assert_true(turn == 2 ? bytes[i] < -100 : bytes[i] > 100);
            assert_true(turn == 2 ? words[i] < 100 : words[i] > UINT64_MAX - 100);
        }
    }
}

TEST(test_a_part_of_an_element_is_left)
{
    unsigned char band[24];
    for (size_t bytes = 0; bytes <= 23; bytes++) {
        memset(band, 0xa5, sizeof band);
        band_fill(band, bytes, ELEMENT_I32, 2);
        for (size_t i = 0; i < sizeof band; i++)
            assert_int_equal(band[i] == 0xa5, i >= bytes / 4 * 4);
    }
}

TEST_MAIN(NULL, NULL)
