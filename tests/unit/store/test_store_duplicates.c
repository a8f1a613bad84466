/* Configurations that launch the same: one is measured for all. */
#include "store_fixture.h"

TEST_WITH(test_duplicates_point_to_what_was_measured, setup, teardown)
{
    struct fixture *f = *state;
    int64_t ids[3];
    int64_t configurations[3];
    struct store_trial trial = ok_trial(f, 100);
    for (int i = 0; i < 3; i++)
        add_configuration(f, 32 * (i + 1), &configurations[i]);
    trial.configuration_id = configurations[0];
    must(store_trial(f->store, &trial, &ids[0], &f->error));
    struct store_trial twin = failed_trial(f, TRIAL_OK, NULL);
    twin.configuration_id = configurations[1];
    twin.same_as_trial_id = ids[0];
    must(store_trial(f->store, &twin, &ids[1], &f->error));
    /* A twin of a twin is a twin of the first. */
    twin.configuration_id = configurations[2];
    twin.same_as_trial_id = ids[1];
    must(store_trial(f->store, &twin, &ids[2], &f->error));
    char expected[32];
    (void)snprintf(expected, sizeof expected, "%lld", (long long)ids[0]);
    assert_one("SELECT same_as_trial_id FROM trials ORDER BY id DESC LIMIT 1", expected);

    /* A circle and a missing trial are refused and leave no rows behind. */
    twin.configuration_id = configurations[0];
    assert_int_equal(store_trial(f->store, &twin, &ids[2], &f->error), STATUS_INTERNAL);
    twin.same_as_trial_id = 12345;
    assert_int_equal(store_trial(f->store, &twin, &ids[2], &f->error), STATUS_INTERNAL);
    assert_one("SELECT median_ns FROM trials ORDER BY id LIMIT 1", "100.0");
    assert_one("SELECT count(*) FROM samples", "6");

    /* If the measured trial becomes a twin itself, those that pointed to it follow. */
    add_configuration(f, 1024, &trial.configuration_id);
    int64_t root = 0;
    must(store_trial(f->store, &trial, &root, &f->error));
    twin.same_as_trial_id = root;
    must(store_trial(f->store, &twin, &ids[0], &f->error));
    (void)snprintf(expected, sizeof expected, "%lld", (long long)root);
    assert_one("SELECT min(same_as_trial_id) FROM trials", expected);
    assert_one("SELECT max(same_as_trial_id) FROM trials", expected);
    assert_one("SELECT count(same_as_trial_id) FROM trials", "3");
}

/* Three launch the same, and the second was raced: all three have its time, a fourth has not. */
TEST_WITH(test_one_of_a_kind_races_for_all, setup, teardown)
{
    struct fixture *f = *state;
    int64_t ids[4];
    int64_t configurations[4];
    struct store_trial trial = ok_trial(f, 100);
    struct store_trial twin = failed_trial(f, TRIAL_OK, NULL);
    for (int i = 0; i < 4; i++)
        add_configuration(f, 32 * (i + 1), &configurations[i]);
    trial.configuration_id = configurations[0];
    must(store_trial(f->store, &trial, &ids[0], &f->error));
    twin.same_as_trial_id = ids[0];
    for (int i = 1; i < 3; i++) {
        twin.configuration_id = configurations[i];
        must(store_trial(f->store, &twin, &ids[i], &f->error));
    }
    trial.configuration_id = configurations[3];
    must(store_trial(f->store, &trial, &ids[3], &f->error));
    trial.configuration_id = configurations[1];
    trial.stage = "race";
    trial.median_ns = 90;
    must(store_trial(f->store, &trial, &ids[1], &f->error));
    assert_one("SELECT group_concat(coalesce(race_ns, '-'), ' ')"
               " FROM (SELECT * FROM points ORDER BY configuration_id)",
               "90.0 90.0 90.0 -");
    assert_one("SELECT count(*) FROM points WHERE measured_configuration_id = configuration_id",
               "2");
    trial.stage = "confirm";
    trial.median_ns = 80;
    must(store_trial(f->store, &trial, &ids[1], &f->error));
    assert_one("SELECT group_concat(final_ns, ' ')"
               " FROM (SELECT * FROM points ORDER BY configuration_id)",
               "80.0 80.0 80.0");
}

TEST_MAIN(NULL, NULL)
