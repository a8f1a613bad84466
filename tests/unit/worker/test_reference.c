/* Compact forms of reference results, in memory and in the cache. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/suite.h"
#include "tuner/worker/measure.h"
#include "tuner/worker/reference.h"

enum { COUNT = 5000 };
static struct error error;

/* Makes a function's result: numbers, and magnitudes that are all 5 or not. */
static struct reference_result make(enum element_type type, bool flat)
{
    struct reference_result result = {
        .type = type, .count = COUNT, .magnitudes = true, .made_ns = 1000000000};
    struct tune_expected *results = calloc(COUNT, sizeof *results);
    result.room = malloc(reference_bytes(&result));
    assert_true(results && result.room);
    for (int i = 0; i < COUNT; i++)
        results[i] =
            (struct tune_expected){.integer = i, .real = i / 3.0, .magnitude = flat ? 5 : i};
    expected_keep(results, type, COUNT, true, 0, COUNT, result.room);
    free(results);
    return result;
}

/* Changes every 7th of `count` elements, from the 3rd on. */
static void change(struct reference_result *result, int count)
{
    const size_t width = element_is_real(result->type) ? 8 : element_bytes(result->type);
    for (size_t i = 0; i < (size_t)count; i++)
        ((unsigned char *)result->room)[(3 + 7 * i) * width] ^= 0x10;
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
        struct reference_result result = make(ELEMENT_F32, flat);
        const size_t before = reference_bytes(&result);
        reference_flatten(&result);
        const struct expected_output elements = reference_elements(&result);
        assert_int_equal(reference_bytes(&result), flat ? before / 2 : before);
        assert_true(flat ? elements.scale == 5 && !elements.magnitudes
                         : elements.magnitudes[COUNT - 1] == COUNT - 1);
        free(result.room);
    }
}

TEST(test_few_differences_are_as_good_as_all)
{
    static const enum element_type types[] = {ELEMENT_U8, ELEMENT_I32, ELEMENT_F32, ELEMENT_F64};
    for (size_t i = 0; i < 2 * sizeof types / sizeof *types; i++)
        for (int changed = 0; changed <= COUNT / 8; changed += COUNT / 32) {
            struct reference_result base = make(types[i / 2], i % 2),
                                    result = make(types[i / 2], i % 2);
            struct reference_result whole = make(types[i / 2], i % 2);
            struct expected_output again;
            void *room = NULL;
            reference_flatten(&base);
            change(&result, changed);
            reference_flatten(&result);
            change(&whole, changed);
            reference_flatten(&whole);
            const struct expected_output base_of = reference_elements(&base);
            const struct expected_output wanted = reference_elements(&whole);
            reference_make_patch(&result, &base_of);
            assert_int_equal(result.differing, changed <= COUNT / 16 ? changed : 0);
            if (result.differing > 0) {
                assert_true(reference_bytes(&result) < reference_bytes(&whole));
                assert_int_equal(reference_complete(&result, &base_of, &room, &again, &error),
                                 STATUS_OK);
                expect_same(&again, &wanted, types[i / 2]);
            }
            free(room);
            free(base.room);
            free(result.room);
            free(whole.room);
        }
}

/* A result of another form than the base is kept whole. */
TEST(test_other_forms_are_whole)
{
    struct reference_result base = make(ELEMENT_F32, true), result = make(ELEMENT_F32, false);
    reference_flatten(&base);
    const struct expected_output base_of = reference_elements(&base);
    reference_make_patch(&result, &base_of);
    assert_int_equal(result.differing, 0);
    free(base.room);
    free(result.room);
}

TEST(test_the_cache_has_it_as_it_was)
{
    static struct measuring measuring;
    static const char hash[] = "0123456789abcdef";
    char folder[] = "/tmp/tune-test-said-XXXXXX";
    assert_non_null(mkdtemp(folder));
    assert_int_equal(setenv("TUNE_CACHE_DIR", folder, 1), 0);
    for (int kind = 0; kind < 4; kind++) {
        struct reference_result base = make(ELEMENT_F64, kind % 2),
                                result = make(ELEMENT_F64, kind % 2);
        struct reference_result got = {.type = ELEMENT_F64, .count = COUNT, .magnitudes = true};
        reference_flatten(&base);
        const struct expected_output base_of = reference_elements(&base);
        change(&result, 9);
        reference_flatten(&result);
        if (kind > 1)
            reference_make_patch(&result, &base_of);
        reference_store(&measuring, hash, &result);
        assert_true(reference_recall(&measuring, hash, &got));
        assert_int_equal(reference_bytes(&got), reference_bytes(&result));
        assert_memory_equal(got.room, result.room, reference_bytes(&result));
        assert_true(got.flat == result.flat && got.differing == result.differing &&
                    got.magnitude == result.magnitude && got.made_ns == result.made_ns);
        free(got.room);
        struct reference_result shorter = {.type = ELEMENT_F64, .count = 8, .magnitudes = true};
        assert_false(reference_recall(&measuring, hash, &shorter));
        assert_null(shorter.room);
        assert_false(reference_recall(&measuring, hash, &got)); /* removed */
        free(base.room);
        free(result.room);
    }
    assert_int_equal(rmdir(folder), 0);
}

TEST_MAIN(NULL, NULL)
