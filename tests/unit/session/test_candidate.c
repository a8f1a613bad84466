/* Candidates are found by point, key, launches and trial, and keep their addresses. */

#include "tests/unit/suite.h"
#include "tuner/base/text.h"
#include "tuner/session/sweep.h"

enum { MANY = 5000 };

static struct candidate *add(struct candidates *table, int64_t value, uint64_t point)
{
    char key[32];
    struct configuration configuration = {.count = 1};
    configuration.values[0] = (struct named_value){"x", value_integer(value)};
    (void)string_format(key, sizeof key, "x=%lld", (long long)value);
    return candidates_add(table, &configuration, key, point);
}

TEST(test_candidates_stay_and_are_found)
{
    struct candidates table = {0};
    struct candidate *all[MANY];
    for (int i = 0; i < MANY; i++) {
        all[i] = add(&table, i, i == 7 ? NO_POINT : (uint64_t)i * 1000000007u);
        assert_non_null(all[i]);
    }
    for (int i = 0; i < MANY; i++) {
        char key[32];
        (void)string_format(key, sizeof key, "x=%d", i);
        if (i == 7) /* the others' keys are made from their points, without a space */
            assert_ptr_equal(candidates_at_key(&table, key), all[i]);
        assert_ptr_equal(candidates_at_point(&table, (uint64_t)i * 1000000007u),
                         i == 7 ? NULL : all[i]);
        assert_ptr_equal(candidates_outside(&table, key), i == 7 ? all[i] : NULL);
        assert_int_equal(all[i]->place, i);
    }
    assert_int_equal(all[7]->outsider->configuration.values[0].value.integer, 7);
    assert_null(candidates_at_key(&table, "x=-1"));
    candidates_free(&table);
}

TEST(test_only_what_was_measured_has_launches)
{
    struct candidates table = {0};
    struct candidate *first = add(&table, 1, 1);
    struct candidate *twin = add(&table, 2, 2);
    first->launch_hash = twin->launch_hash = 99;
    assert_null(candidates_at_launch(&table, 99));
    first->state = twin->state = CANDIDATE_DONE;
    first->trial_id = 10;
    twin->trial_id = 11;
    twin->same_as = first;
    assert_true(candidates_done(&table, first) && candidates_done(&table, twin));
    assert_ptr_equal(candidates_at_launch(&table, 99), first);
    assert_null(candidates_at_launch(&table, 0));
    candidates_free(&table);
}

TEST(test_points_that_may_be_tried)
{
    struct session_options options = {0};
    assert_int_equal(session_points(&options, 1000), 1000);
    options.points = 30;
    assert_int_equal(session_points(&options, 1000), 30);
    assert_int_equal(session_points(&options, 20), 20);
    options = (struct session_options){.points_share = 0.05};
    assert_int_equal(session_points(&options, 1000), 50);
    assert_int_equal(session_points(&options, 1001), 51);
    assert_int_equal(session_points(&options, 1), 1);
    options.points_share = 1;
    assert_int_equal(session_points(&options, UINT64_C(1) << 40), UINT64_C(1) << 40);
}

TEST_MAIN(NULL, NULL)
