/* Arrays that grow, the index of numbers, and reals in order. */
#include <math.h>
#include <stdlib.h>

#include "tests/unit/suite.h"
#include "tuner/base/array.h"
#include "tuner/base/index.h"

TEST(items_stay_while_the_array_grows)
{
    uint16_t *items = NULL;
    size_t capacity = 0;
    for (size_t count = 0; count < 1000; count++) {
        assert_true(array_grow(&items, count, &capacity, sizeof *items));
        assert_true(count < capacity);
        items[count] = (uint16_t)count;
    }
    assert_true(array_grow_by(&items, 1000, 5000, &capacity, sizeof *items));
    assert_true(capacity >= 6000);
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(items[i], i);
    const size_t before = capacity;
    assert_true(array_grow_by(&items, 1000, before - 1000, &capacity, sizeof *items));
    assert_int_equal(capacity, before);
    free(items);
}

/* Refused before a product of sizes wraps around, without a change. */
TEST(more_than_there_can_be_is_refused)
{
    double *items = NULL;
    size_t capacity = 0;
    assert_false(array_grow_by(&items, 0, SIZE_MAX, &capacity, sizeof *items));
    assert_false(array_grow_by(&items, 0, SIZE_MAX / sizeof *items + 2, &capacity, sizeof *items));
    assert_null(items);
    assert_int_equal(capacity, 0);
}

TEST(numbers_lead_to_their_places)
{
    enum { NUMBERS = 5000 };
    struct index index = {0};
    size_t place = 0;
    assert_false(index_find(&index, 0, &place));
    for (uint64_t i = 0; i < NUMBERS; i++)
        assert_true(index_put(&index, i << 52 | i * i, i)); /* equal in their low bits */
    for (uint64_t i = 0; i < NUMBERS; i++) {
        assert_true(index_find(&index, i << 52 | i * i, &place));
        assert_int_equal(place, i);
    }
    assert_false(index_find(&index, 3, &place));
    assert_true(index_put(&index, 4, 7));
    assert_true(index_put(&index, 4, 8));
    assert_true(index_find(&index, 4, &place));
    assert_int_equal(place, 8);
    index_free(&index);
}

TEST(medians_are_of_the_middle)
{
    double values[] = {4, -1, 10, 2, INFINITY, -3};
    reals_sort(values, 6);
    const double sorted[] = {-3, -1, 2, 4, 10, INFINITY};
    for (size_t i = 0; i < 6; i++)
        assert_true(values[i] == sorted[i]);
    assert_true(reals_median(values, 6) == 3);
    assert_true(reals_median(values, 5) == 2);
    assert_true(reals_median(values, 1) == -3);
    assert_true(isnan(reals_median(values, 0)));
    reals_sort(NULL, 0);
}

TEST_MAIN(NULL, NULL)
