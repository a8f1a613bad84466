/* What references said, as little of it as tells the rest, in memory and in the cache. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/suite.h"
#include "tuner/worker/measure.h"
#include "tuner/worker/reference.h"

enum { COUNT = 5000 };
static struct error error;

/* What a function told: numbers, and magnitudes that are all 5 or not. */
static struct said make(enum element_type type, bool flat)
{
    struct said said = {.type = type, .count = COUNT, .magnitudes = true, .made_ns = 1000000000};
    struct tune_expected *told = calloc(COUNT, sizeof *told);
    said.room = malloc(said_bytes(&said));
    assert_true(told && said.room);
    for (int i = 0; i < COUNT; i++)
        told[i] = (struct tune_expected){.integer = i, .real = i / 3.0, .magnitude = flat ? 5 : i};
    expected_keep(told, type, COUNT, true, 0, COUNT, said.room);
    free(told);
    return said;
}

/* Of `count` elements, each 7th from the 3rd on. */
static void change(struct said *said, int count)
{
    const size_t width = element_is_real(said->type) ? 8 : element_bytes(said->type);
    for (size_t i = 0; i < (size_t)count; i++)
        ((unsigned char *)said->room)[(3 + 7 * i) * width] ^= 0x10;
}

static void expect_same(const struct expected_output *one, const struct expected_output *other,
                        enum element_type type)
{
    const size_t width = element_is_real(type) ? 8 : element_bytes(type);
    assert_memory_equal(one->reals ? (const void *)one->reals : one->elements,
                        other->reals ? (const void *)other->reals : other->elements, COUNT * width);
    assert_int_equal(!one->magnitudes, !other->magnitudes);
    assert_true(one->scale == other->scale);
    if (one->magnitudes)
        assert_memory_equal(one->magnitudes, other->magnitudes, COUNT * sizeof(double));
}

TEST(test_magnitudes_that_are_one_take_no_room)
{
    for (int flat = 0; flat < 2; flat++) {
        struct said said = make(ELEMENT_F32, flat);
        const size_t before = said_bytes(&said);
        said_flatten(&said);
        const struct expected_output elements = said_elements(&said);
        assert_int_equal(said_bytes(&said), flat ? before / 2 : before);
        assert_true(flat ? elements.scale == 5 && !elements.magnitudes
                         : elements.magnitudes[COUNT - 1] == COUNT - 1);
        free(said.room);
    }
}

TEST(test_few_differences_are_as_good_as_all)
{
    static const enum element_type types[] = {ELEMENT_U8, ELEMENT_I32, ELEMENT_F32, ELEMENT_F64};
    for (size_t i = 0; i < 2 * sizeof types / sizeof *types; i++)
        for (int changed = 0; changed <= COUNT / 8; changed += COUNT / 32) {
            struct said base = make(types[i / 2], i % 2), said = make(types[i / 2], i % 2);
            struct said whole = make(types[i / 2], i % 2);
            struct expected_output again;
            void *room = NULL;
            said_flatten(&base);
            change(&said, changed);
            said_flatten(&said);
            change(&whole, changed);
            said_flatten(&whole);
            const struct expected_output base_of = said_elements(&base);
            const struct expected_output wanted = said_elements(&whole);
            said_differ(&said, &base_of);
            assert_int_equal(said.differing, changed <= COUNT / 16 ? changed : 0);
            if (said.differing > 0) {
                assert_true(said_bytes(&said) < said_bytes(&whole));
                assert_int_equal(said_whole(&said, &base_of, &room, &again, &error), STATUS_OK);
                expect_same(&again, &wanted, types[i / 2]);
            }
            free(room);
            free(base.room);
            free(said.room);
            free(whole.room);
        }
}

/* What has another form than the base is kept whole. */
TEST(test_other_forms_are_whole)
{
    struct said base = make(ELEMENT_F32, true), said = make(ELEMENT_F32, false);
    said_flatten(&base);
    const struct expected_output base_of = said_elements(&base);
    said_differ(&said, &base_of);
    assert_int_equal(said.differing, 0);
    free(base.room);
    free(said.room);
}

TEST(test_the_cache_has_it_as_it_was)
{
    static struct measuring measuring;
    static const char hash[] = "0123456789abcdef";
    char folder[] = "/tmp/tune-test-said-XXXXXX";
    assert_non_null(mkdtemp(folder));
    assert_int_equal(setenv("TUNE_CACHE_DIR", folder, 1), 0);
    for (int kind = 0; kind < 4; kind++) {
        struct said base = make(ELEMENT_F64, kind % 2), said = make(ELEMENT_F64, kind % 2);
        struct said got = {.type = ELEMENT_F64, .count = COUNT, .magnitudes = true};
        said_flatten(&base);
        const struct expected_output base_of = said_elements(&base);
        change(&said, 9);
        said_flatten(&said);
        if (kind > 1)
            said_differ(&said, &base_of);
        reference_keep(&measuring, hash, &said);
        assert_true(reference_recall(&measuring, hash, &got));
        assert_int_equal(said_bytes(&got), said_bytes(&said));
        assert_memory_equal(got.room, said.room, said_bytes(&said));
        assert_true(got.flat == said.flat && got.differing == said.differing &&
                    got.magnitude == said.magnitude && got.made_ns == said.made_ns);
        free(got.room);
        struct said shorter = {.type = ELEMENT_F64, .count = 8, .magnitudes = true};
        assert_false(reference_recall(&measuring, hash, &shorter));
        assert_null(shorter.room);
        assert_false(reference_recall(&measuring, hash, &got)); /* it was removed */
        free(base.room);
        free(said.room);
    }
    assert_int_equal(rmdir(folder), 0);
}

TEST_MAIN(NULL, NULL)
