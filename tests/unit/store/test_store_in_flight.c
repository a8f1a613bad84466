/* Launches in flight: known to a run after a crash, at the least cost for the disk. */
#include "tests/unit/store/store_fixture.h"
#include "tuner/store/internal.h"

enum { ROWS_MAX = 4 };

struct seen {
    struct store *store;
    size_t count;
    int64_t configurations[ROWS_MAX];
    int64_t attempts[ROWS_MAX];
    char boots[ROWS_MAX][32];
    bool clear;
};

static enum status take(void *context, const struct store_in_flight *row, struct error *error)
{
    struct seen *seen = context;
    assert_true(seen->count < ROWS_MAX);
    seen->configurations[seen->count] = row->configuration_id;
    seen->attempts[seen->count] = row->attempts;
    (void)snprintf(seen->boots[seen->count], sizeof seen->boots[0], "%s", row->boot_id);
    assert_int_equal(strlen(row->started_at), strlen("2026-01-01T00:00:00Z"));
    seen->count++;
    if (seen->clear)
        return store_in_flight_clear(seen->store, row->environment_id, row->problem_id,
                                     row->configuration_id, error);
    return STATUS_OK;
}

static struct seen look(struct fixture *f, bool clear)
{
    struct seen seen = {.store = f->store, .clear = clear};
    must(store_in_flight_each(f->store, f->environment, f->problem, take, &seen, &f->error));
    return seen;
}

static void launch(struct fixture *f, const char *boot_id, bool durable)
{
    const struct store_in_flight row = {.environment_id = f->environment,
                                        .problem_id = f->problem,
                                        .configuration_id = f->configuration,
                                        .run_id = f->run,
                                        .boot_id = boot_id};
    must(store_in_flight_put(f->store, &row, durable, &f->error));
}

TEST_WITH(test_attempts_are_counted_until_it_is_cleared, setup, teardown)
{
    struct fixture *f = *state;
    assert_int_equal(look(f, false).count, 0);
    launch(f, "boot-1", true);
    launch(f, "boot-2", false);
    struct seen seen = look(f, false);
    assert_int_equal(seen.count, 1);
    assert_int_equal(seen.configurations[0], f->configuration);
    assert_int_equal(seen.attempts[0], 2);
    assert_string_equal(seen.boots[0], "boot-2");
    assert_int_equal(look(f, true).count, 1);
    assert_int_equal(look(f, false).count, 0);
    launch(f, "", false);
    assert_int_equal(look(f, false).attempts[0], 1);
}

TEST_WITH(test_it_is_there_for_the_next_process, setup, teardown)
{
    struct fixture *f = *state;
    launch(f, "boot-1", true);
    store_close(f->store);
    must(store_open(f->path, STORE_CREATE, &f->store, &f->error));
    assert_int_equal(look(f, false).count, 1);
}

static void expect_full(struct fixture *f)
{
    int64_t synchronous = 0;
    must(store_pragma(f->store, "PRAGMA synchronous", &synchronous, &f->error));
    assert_int_equal(synchronous, 2);
}

TEST_WITH(test_trials_wait_for_the_disk_whatever_came_before, setup, teardown)
{
    struct fixture *f = *state;
    int64_t id = 0;
    expect_full(f);
    launch(f, "boot-1", false);
    expect_full(f);
    must(store_in_flight_clear(f->store, f->environment, f->problem, f->configuration, &f->error));
    expect_full(f);
    add_configuration(f, 512, &id);
    expect_full(f);
    /* Also after a failure: there is no such run. */
    struct store_in_flight row = {.environment_id = f->environment,
                                  .problem_id = f->problem,
                                  .configuration_id = f->configuration,
                                  .run_id = 4711,
                                  .boot_id = ""};
    assert_true(store_in_flight_put(f->store, &row, false, &f->error) != STATUS_OK);
    expect_full(f);
}

TEST_WITH(test_trials_of_other_environments_are_counted, setup, teardown)
{
    struct fixture *f = *state;
    int64_t trial_id = 0;
    int64_t other = 0;
    int64_t trials = -1;
    struct store_trial trial = ok_trial(f, 100);
    must(store_trial(f->store, &trial, &trial_id, &f->error));
    must(store_other_trials(f->store, f->environment, &trials, &f->error));
    assert_int_equal(trials, 0);
    add_environment(f, "590.2", &other);
    must(store_other_trials(f->store, other, &trials, &f->error));
    assert_int_equal(trials, 1);
}

TEST_MAIN(NULL, NULL)
