/* Values of tuned.conf for a captured launch: written and read again; no other value is taken for
 * them. */
#include <string.h>

#include "frontends/capture/applied.h"
#include "tests/unit/suite.h"
#include "tuner/base/array.h"

#define HASH "00112233445566778899aabbccddeeff"

/* Two addresses and a number of 4 bytes, with 4 unused bytes between. */
static const struct cap_parameter parameters[] = {{0, 8}, {8, 4}, {16, 8}};
static const struct captured_kernel kernel = {.is.parameter_count = COUNT(parameters),
                                              .parameters = parameters};

static void read_again(const uint32_t words[6], size_t word_count, struct apply_row *out)
{
    static const uint32_t pointers[] = {0, 16}, any[] = {8};
    const struct applied_places places = {pointers, any, COUNT(pointers), word_count};
    const struct captured_launch launch = {.is = {.grid = {7, 2, 1},
                                                  .block = {32, 4, 1},
                                                  .shared_bytes = 48,
                                                  .parameter_bytes = 6 * sizeof *words},
                                           .kernel = &kernel,
                                           .parameters = (const uint8_t *)words};
    struct text key = {0};
    applied_key(&launch, &places, &key);
    assert_false(key.failed);
    assert_true(applied_key_read(text_string(&key), out));
    text_free(&key);
}

TEST(reads_what_it_writes)
{
    struct apply_row row = {0};
    read_again((const uint32_t[]){1, 2, 3, 4, 5, 6}, 0, &row);
    const uint32_t grid[] = {7, 2, 1}, block[] = {32, 4, 1}, cluster[] = {1, 1, 1};
    assert_memory_equal(row.from.grid, grid, sizeof grid);
    assert_memory_equal(row.from.block, block, sizeof block);
    assert_memory_equal(row.from.cluster, cluster, sizeof cluster);
    assert_int_equal(row.from.shared_bytes, 48);
    assert_int_equal(row.pointer_count, 2);
    assert_int_equal(row.pointers[0], 0);
    assert_int_equal(row.pointers[1], 16);
}

TEST(goes_by_the_numbers)
{
    struct apply_row row = {0}, elsewhere = {0}, other = {0};
    read_again((const uint32_t[]){1, 2, 3, 4, 5, 6}, 0, &row);
    read_again((const uint32_t[]){10, 20, 3, 40, 50, 60}, 0, &elsewhere);
    read_again((const uint32_t[]){1, 2, 4, 4, 5, 6}, 0, &other);
    assert_memory_equal(row.numbers, elsewhere.numbers, sizeof row.numbers);
    assert_memory_not_equal(row.numbers, other.numbers, sizeof row.numbers);
}

/* Free numbers are in `numbers` alone. */
TEST(leaves_numbers_open)
{
    struct apply_row row = {0}, other = {0}, closed = {0};
    read_again((const uint32_t[]){1, 2, 3, 4, 5, 6}, 1, &row);
    read_again((const uint32_t[]){1, 2, 4, 4, 5, 6}, 1, &other);
    read_again((const uint32_t[]){1, 2, 3, 4, 5, 6}, 0, &closed);
    assert_int_equal(row.word_count, 1);
    assert_int_equal(row.words[0], 8);
    assert_int_equal(closed.word_count, 0);
    assert_memory_equal(row.numbers, closed.numbers, sizeof row.numbers);
    assert_memory_not_equal(row.numbers, other.numbers, sizeof row.numbers);
    assert_memory_equal(row.others, other.others, sizeof row.others);
}

TEST(refuses_all_else)
{
    static const char *const keys[] = {
        "",
        "4x1x1",
        "4x1x1/256x1x1/1x1x1/64/" HASH,
        "4x1x1/256x1x1/1x1x1/64/" HASH "/",
        "4x1x1/256x1x1/1x1x1/64/" HASH "0/none",
        "4x1x1/256x1x1/1x1x1/64/" HASH "/nonesuch",
        "4x1x1/256x1x1/1x1x1/64/" HASH "/0+",
        "4x1x1/256x1x1/1x1x1/64/" HASH "/+8",
        "4x1x1/256x1x1/1x1x1/64/" HASH "/0+8 ",
        "4x1x1/256x1x1/1x1x1/64/" HASH "/32757",
        "4x1x1/256x1x1/1x1x1/64/" HASH "/0/" HASH,
        "4x1x1/256x1x1/1x1x1/64/" HASH "/0/" HASH "/",
        "4x1x1/256x1x1/1x1x1/64/" HASH "/none/" HASH "/8+",
        "4x1x1/256x1x1/1x1x1/64/" HASH "/none/" HASH "/32761",
        "4x1x1/256x1x1/1x1x1/64/" HASH "/none/8",
        "4x1x1/256x1x1/1x1x1/64/" HASH "/99999999999999999999999",
        "0x1x1/256x1x1/1x1x1/64/" HASH "/none",
        "4x1/256x1x1/1x1x1/64/" HASH "/none",
        "4x1x1/2048x1x1/1x1x1/64/" HASH "/none",
        "4x1x1/256x1x1/1x1x1/-1/" HASH "/none",
        "2147483648x1x1/256x1x1/1x1x1/64/" HASH "/none",
        "4x1x1/256x1x1/1x1x1/64/00112233445566778899aabbccddeefg/none",
    };
    struct apply_row row = {0};
    struct text many = {0};
    for (size_t i = 0; i < COUNT(keys); i++)
        if (applied_key_read(keys[i], &row))
            fail_msg("taken: %s", keys[i]);
    text_append(&many, "4x1x1/256x1x1/1x1x1/64/" HASH "/0");
    for (size_t i = 1; i < APPLY_POINTERS_MAX; i++)
        text_append(&many, "+8");
    assert_true(applied_key_read(text_string(&many), &row));
    assert_int_equal(row.pointer_count, APPLY_POINTERS_MAX);
    text_append(&many, "+8");
    assert_false(applied_key_read(text_string(&many), &row));
    text_free(&many);
    assert_true(applied_key_read("4x1x1/256x1x1/1x1x1/64/" HASH "/none", &row));
    assert_int_equal(row.pointer_count, 0);
    assert_true(applied_image_read(HASH, &row));
    assert_false(applied_image_read(HASH "0", &row));
    assert_false(applied_image_read("", &row));
}

TEST_MAIN(NULL, NULL)
