/* Batches: stored whole or not at all, whatever they contain. */
#include <signal.h>
#include <sys/wait.h>

#include "store_fixture.h"
#include "tuner/store/evidence.h"

/* Stores one row of each kind that may be stored while a race ends. */
static enum status store_all(struct fixture *f)
{
    struct store_trial trial = ok_trial(f, 100);
    int64_t id = 0;
    trial.stage = "race";
    add_configuration(f, 512, &trial.configuration_id);
    enum status status = store_trial(f->store, &trial, &id, &f->error);
    const struct store_round round = {
        .run_id = f->run, .problem_id = f->problem, .stage = "race", .at_ns = 1};
    if (status == STATUS_OK)
        status = store_rounds(f->store, &round, 1, &f->error);
    const struct store_contender contender = {.configuration_id = trial.configuration_id};
    const struct store_winner winner = {.environment_id = f->environment,
                                        .problem_id = f->problem,
                                        .trial_id = id,
                                        .run_id = f->run,
                                        .stage = "race",
                                        .contenders = &contender,
                                        .contender_count = 1};
    if (status == STATUS_OK)
        status = store_winner_put(f->store, &winner, &f->error);
    const struct store_in_flight in_flight = {.environment_id = f->environment,
                                              .problem_id = f->problem,
                                              .configuration_id = trial.configuration_id,
                                              .run_id = f->run,
                                              .boot_id = ""};
    if (status == STATUS_OK)
        status = store_in_flight_put(f->store, &in_flight, false, &f->error);
    return status;
}

static const char everything[] = "SELECT (SELECT count(*) FROM trials) ||"
                                 " (SELECT count(*) FROM samples) ||"
                                 " (SELECT count(*) FROM rounds) ||"
                                 " (SELECT count(*) FROM winners) ||"
                                 " (SELECT count(*) FROM contenders) ||"
                                 " (SELECT count(*) FROM in_flight) ||"
                                 " (SELECT count(*) FROM configurations)";

/* Checks the rows that another program sees. */
static void assert_seen(struct fixture *f, const char *expected)
{
    struct fixture other = *f;
    char text[256];
    must(store_open(f->path, STORE_READ, &other.store, &f->error));
    (void)one(&other, everything, text);
    store_close(other.store);
    assert_string_equal(text, expected);
}

TEST_WITH(test_committed_at_the_end, setup, teardown)
{
    struct fixture *f = *state;
    must(store_batch_begin(f->store, &f->error));
    must(store_all(f));
    assert_one(everything, "1611112");
    assert_seen(f, "0000001");
    must(store_batch_end(f->store, STATUS_OK, &f->error));
    assert_seen(f, "1611112");
    /* The disk is waited for again, and others may write. */
    int64_t synchronous = 0;
    must(store_pragma(f->store, "PRAGMA synchronous", &synchronous, &f->error));
    assert_int_equal(synchronous, 2);
    assert_int_equal(sqlite3_get_autocommit(f->store->db), 1);
}

TEST_WITH(test_rolled_back_by_the_caller, setup, teardown)
{
    struct fixture *f = *state;
    must(store_batch_begin(f->store, &f->error));
    must(store_all(f));
    assert_int_equal(store_batch_end(f->store, STATUS_INTERRUPTED, &f->error), STATUS_INTERRUPTED);
    assert_seen(f, "0000001");
    must(store_all(f)); /* separate again */
    assert_seen(f, "1611112");
}

/* A failed call in between leaves no half of its rows behind, even if its error is ignored. */
TEST_WITH(test_a_failure_between, setup, teardown)
{
    struct fixture *f = *state;
    const struct store_sample samples[2] = {{.runs = 1, .elapsed_ns = 5},
                                            {.runs = 1, .elapsed_ns = (double)NAN}};
    struct store_trial broken = ok_trial(f, 100);
    struct store_trial good = ok_trial(f, 100);
    int64_t id = 0;
    broken.samples = samples;
    broken.sample_count = 2;
    must(store_batch_begin(f->store, &f->error));
    must(store_all(f));
    assert_int_equal(store_trial(f->store, &broken, &id, &f->error), STATUS_INTERNAL);
    assert_int_equal(store_trial(f->store, &good, &id, &f->error), STATUS_INTERNAL);
    assert_int_equal(store_batch_end(f->store, STATUS_OK, &f->error), STATUS_INTERNAL);
    assert_non_null(strstr(f->error.text, "a part of it failed"));
    assert_seen(f, "0000001");
    must(store_batch_begin(f->store, &f->error));
    must(store_all(f));
    must(store_batch_end(f->store, STATUS_OK, &f->error));
    assert_seen(f, "1611112");
}

TEST_WITH(test_wrong_use, setup, teardown)
{
    struct fixture *f = *state;
    assert_int_equal(store_batch_end(f->store, STATUS_OK, &f->error), STATUS_INTERNAL);
    must(store_batch_begin(f->store, &f->error));
    assert_int_equal(store_batch_begin(f->store, &f->error), STATUS_INTERNAL);
    must(store_all(f));
    must(store_batch_end(f->store, STATUS_OK, &f->error));
    assert_seen(f, "1611112");
    /* A batch that is open when the database is closed is discarded. */
    must(store_batch_begin(f->store, &f->error));
    add_configuration(f, 1, &f->configuration);
    store_close(f->store);
    must(store_open(f->path, STORE_CREATE, &f->store, &f->error));
    assert_seen(f, "1611112");
}

TEST_WITH(test_another_writes, setup, teardown)
{
    struct fixture *f = *state;
    struct store *other = NULL;
    must(store_open(f->path, STORE_CREATE, &other, &f->error));
    must(store_batch_begin(other, &f->error));
    assert_int_equal(sqlite3_busy_timeout(f->store->db, 20), SQLITE_OK);
    assert_int_equal(store_batch_begin(f->store, &f->error), STATUS_IO);
    assert_non_null(strstr(f->error.text, "locked"));
    must(store_batch_end(other, STATUS_OK, &f->error));
    store_close(other);
    must(store_batch_begin(f->store, &f->error));
    must(store_all(f));
    must(store_batch_end(f->store, STATUS_OK, &f->error));
    assert_seen(f, "1611112");
}

/* No room in the middle of a batch: SQLite rolls back by itself. */
TEST_WITH(test_full, setup, teardown)
{
    struct fixture *f = *state;
    int64_t pages = 0;
    char limit[64];
    must(store_pragma(f->store, "PRAGMA page_count", &pages, &f->error));
    (void)snprintf(limit, sizeof limit, "PRAGMA max_page_count = %lld", (long long)pages + 8);
    must(store_pragma(f->store, limit, NULL, &f->error));
    must(store_batch_begin(f->store, &f->error));
    enum status status = STATUS_OK;
    for (int i = 0; status == STATUS_OK && i < 100000; i++) {
        struct store_trial trial = ok_trial(f, 100);
        int64_t id = 0;
        char key[32];
        (void)snprintf(key, sizeof key, "block=%d", i);
        status = store_configuration(f->store, f->experiment, key, NULL, 0, &trial.configuration_id,
                                     &f->error);
        if (status == STATUS_OK)
            status = store_trial(f->store, &trial, &id, &f->error);
    }
    assert_int_equal(status, STATUS_IO);
    assert_int_equal(store_batch_end(f->store, status, &f->error), STATUS_IO);
    assert_non_null(strstr(f->error.text, "disk is full"));
    assert_seen(f, "0000001");
    must(store_pragma(f->store, "PRAGMA max_page_count = 100000", NULL, &f->error));
    must(store_all(f));
    assert_seen(f, "1611112");
}

TEST_WITH(test_killed_in_between, setup, teardown)
{
    struct fixture *f = *state;
    store_close(f->store);
    f->store = NULL;
    pid_t child = fork();
    if (child == 0) {
        if (store_open(f->path, STORE_CREATE, &f->store, &f->error) != STATUS_OK ||
            store_batch_begin(f->store, &f->error) != STATUS_OK || store_all(f) != STATUS_OK)
            _exit(1);
        (void)kill(getpid(), SIGKILL);
    }
    int result = 0;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFSIGNALED(result));
    must(store_open(f->path, STORE_CREATE, &f->store, &f->error));
    assert_seen(f, "0000001");
}

TEST_MAIN(NULL, NULL)
