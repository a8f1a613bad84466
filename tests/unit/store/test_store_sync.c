/* Syncs: trials do not wait for the disk one by one, because a sync takes longer than most of them.
 */
#include <sys/syscall.h>

#include "store_fixture.h"
#include "tuner/base/clock.h"

/* In place of the C library's, for SQLite. */
static int syncs;

int fdatasync(int file)
{
    syncs++;
    return (int)syscall(SYS_fdatasync, file);
}

int fsync(int file)
{
    syncs++;
    return (int)syscall(SYS_fsync, file);
}

static void store_trials(struct fixture *f, int first, int count)
{
    for (int i = first; i < first + count; i++) {
        struct store_trial trial = ok_trial(f, 100);
        int64_t id = 0;
        add_configuration(f, i, &trial.configuration_id);
        must(store_trial(f->store, &trial, &id, &f->error));
    }
}

/* The log's first frames after a checkpoint take a sync of their own. */
TEST_WITH(test_trials_in_a_row_share_a_sync, setup, teardown)
{
    struct fixture *f = *state;
    enum { TRIALS = 200 };
    store_trials(f, 1000, 1);
    int64_t started_ns = clock_now_ns();
    syncs = 0;
    store_trials(f, 2000, TRIALS);
    int64_t passed_ms = (clock_now_ns() - started_ns) / 1000000;
    assert_true(syncs <= 4 + 2 * passed_ms / STORE_SYNC_MS);
    assert_one("SELECT count(*) FROM trials", "201");
    /* One that others follow is not left waiting for long. */
    f->store->synced_ns = clock_now_ns() - (int64_t)STORE_SYNC_MS * 1000000;
    syncs = 0;
    store_trials(f, 3000, 1);
    assert_in_range(syncs, 1, 2);
    int64_t synchronous = 0;
    must(store_pragma(f->store, "PRAGMA synchronous", &synchronous, &f->error));
    assert_int_equal(synchronous, 2);
}

/* A first launch is on the disk before it is made, and with it all trials. */
TEST_WITH(test_what_is_launched_is_on_the_disk_before, setup, teardown)
{
    struct fixture *f = *state;
    const struct store_in_flight row = {.environment_id = f->environment,
                                        .problem_id = f->problem,
                                        .configuration_id = f->configuration,
                                        .run_id = f->run,
                                        .boot_id = ""};
    store_trials(f, 1000, 2);
    syncs = 0;
    must(store_in_flight_put(f->store, &row, true, &f->error));
    assert_in_range(syncs, 1, 2);
}

TEST_MAIN(NULL, NULL)
