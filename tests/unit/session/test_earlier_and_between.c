/* Configurations for sizes that were not measured; and results that earlier runs leave to later
 * ones. */
#include "faulty_device.h"

#include <sqlite3.h>

/* Creates a run of the usual experiment with those sizes: of n, or "'m, n': [[1, 8], [2, 9]]". */
static struct run *create(const char *sizes, const char *wanted_faults)
{
    static const char usual_sizes[] = "n: [1000, 100000]";
    struct text text = {0};
    const char *at = strstr(usual_text, usual_sizes);
    set_faults(wanted_faults);
    text_printf(&text, "%.*s%s%s%s", (int)(at - usual_text), usual_text,
                strchr(sizes, ':') ? "" : "n: ", sizes, at + strlen(usual_sizes));
    struct run *run = run_create(text_string(&text), "time");
    text_free(&text);
    run->options.protocol.confirm_processes = 2;
    run->options.protocol.confirm_rounds = 3;
    run->options.protocol.look_between = 2;
    return run;
}

static void end(struct run *run)
{
    run_free(run);
    set_faults("");
}

/* ---- ranges ---- */

/* Checks that the ranges cover all sizes from least to largest, without gaps and overlaps. */
static void expect_cover(struct run *run, int64_t low, int64_t high)
{
    assert_int_equal(run_count(run, "SELECT min(n_low) FROM ranges"), low);
    assert_int_equal(run_count(run, "SELECT max(n_high) FROM ranges"), high);
    assert_int_equal(run_count(run,
                               "SELECT count(*) FROM ranges AS r WHERE n_low <> (SELECT min("
                               "n_low) FROM ranges) AND NOT EXISTS (SELECT 1 FROM ranges WHERE "
                               "n_high = r.n_low - 1)"),
                     0);
    assert_int_equal(run_count(run, "SELECT sum(n_high - n_low + 1) FROM ranges"), high - low + 1);
}

TEST(test_ranges_cover_all_sizes)
{
    struct run *run = create("[1000, 4000, 16000, 100000]", "");
    RUN_OK(run, run_session(run));
    expect_cover(run, 1000, 100000);
    assert_int_equal(run->summary.sizes, 4);
    assert_int_equal((int64_t)run->summary.ranges, run_count(run, "SELECT count(*) FROM ranges"));
    /* Stored losses include those seen between the measured sizes. */
    assert_int_equal(run_count(run,
                               "SELECT count(*) > 0 FROM range_checks WHERE n NOT IN (SELECT n "
                               "FROM problems)"),
                     1);
    assert_int_equal(run_count(run, "SELECT count(*) FROM ranges WHERE bound > within"), 0);
    /* Looks leave no trials. */
    assert_int_equal(run_count(run, "SELECT count(*) FROM problems"), 4);
    end(run);
}

/* A candidate that could serve two sizes and is wrong between them does not serve the sizes
 * between. */
TEST(test_who_fails_between_sizes_does_not_span_them)
{
    static const char only_two[] = "slow at=time step=2 n=1000; wrong at=time step=1 n=100000";
    static const char spans[] =
        "SELECT count(*) FROM ranges WHERE n_low <= 1000 AND n_high >= 100000";
    char wanted[192];
    (void)snprintf(wanted, sizeof wanted, "%s; wrong at=time step=2 above=1000 below=100000",
                   only_two);
    struct run *run = create("[1000, 100000]", wanted);
    run->options.protocol.within = 0.5; /* so that the one could serve both */
    RUN_OK(run, run_session(run));
    assert_int_equal(run_count(run, spans), 0);
    assert_int_equal(run_count(run, "SELECT count(*) FROM ranges WHERE n_low = n_high"), 2);
    assert_non_null(strstr(run->notes, "is wrong at this size; it serves the measured ones alone"));
    end(run);
    run = create("[1000, 100000]", only_two);
    run->options.protocol.within = 0.5;
    RUN_OK(run, run_session(run));
    assert_int_equal(run_count(run, spans), 1);
    end(run);
}

/* A configuration of several sizes that is wrong between two tuples serves none. */
TEST(test_who_is_wrong_between_tuples_serves_none)
{
    static const char tuples[] = "'m, n': [[2, 1000], [2, 100000]]";
    static const char only_two[] = "slow at=time step=2 n=1000; wrong at=time step=1 n=100000";
    static const char spans[] = "SELECT count(*) FROM ranges WHERE n_low <= 1000 AND n_high >= "
                                "100000 AND further = 'm@2' AND problem_key = 'twins'";
    struct run *run = create(tuples, only_two);
    run->options.protocol.within = 0.5; /* so that one could serve both */
    RUN_OK(run, run_session(run));
    assert_int_equal(run_count(run, spans), 1);
    assert_int_equal(run_count(run, "SELECT count(*) FROM range_checks WHERE measured"), 2);
    assert_true(run_count(run, "SELECT count(*) FROM range_checks WHERE NOT measured") > 0);
    end(run);
    char wanted[192];
    (void)snprintf(wanted, sizeof wanted, "%s; wrong at=time step=2 above=1000 below=100000",
                   only_two);
    run = create(tuples, wanted);
    run->options.protocol.within = 0.5;
    RUN_OK(run, run_session(run));
    assert_int_equal(run_count(run, "SELECT count(*) FROM ranges"), 1);
    assert_int_equal(run_count(run, "SELECT count(*) FROM ranges AS r JOIN configurations AS c ON "
                                    "c.id = r.configuration_id WHERE c.key LIKE '%part=1%'"),
                     1);
    end(run);
}

static volatile sig_atomic_t stop;

static void stop_at_ranges(void *context, const struct session_progress *progress)
{
    (void)context;
    stop |= strcmp(progress->phase, "ranges") == 0;
}

/* A stop, or the loss of the device, during the looks: results so far are written. */
TEST(test_ranges_are_written_however_the_looks_end)
{
    /* Another one wins at each size. */
    struct run *run =
        create("[1000, 100000]", "slow at=time step=2 n=1000; slow at=time step=1 n=100000");
    run->events.progress = stop_at_ranges;
    run->options.stop = &stop;
    stop = 0;
    assert_int_equal(run_session(run), STATUS_INTERRUPTED);
    expect_cover(run, 1000, 100000);
    assert_int_equal(run_count(run, "SELECT count(*) FROM winners WHERE stage = 'confirm'"), 2);
    end(run);
    run =
        create("[1000, 100000]", "slow at=time step=2 n=1000; slow at=time step=1 n=100000; "
                                 "crash at=time above=1000 below=100000 once=a; lost at=open if=a");
    assert_int_equal(run_session(run), STATUS_DEVICE_LOST);
    assert_true(has_struck("a"));
    expect_cover(run, 1000, 100000);
    assert_int_equal(run_count(run, "SELECT count(*) FROM winners WHERE stage = 'confirm'"), 2);
    end(run);
}

TEST(test_ranges_without_looks_are_of_what_was_measured)
{
    struct run *run = create("[1000, 100000]", "");
    run->options.protocol.look_between = 0;
    RUN_OK(run, run_session(run));
    expect_cover(run, 1000, 100000);
    assert_int_equal(run_count(run, "SELECT count(*) FROM range_checks"), 0);
    /* A replaced winner takes its ranges with it. */
    run->options.retry_mask = 1u << TRIAL_OK;
    run->options.protocol.look_between = 1;
    RUN_OK(run, run_session(run));
    expect_cover(run, 1000, 100000);
    end(run);
}

/* ---- earlier runs ---- */

static struct sweep *sweep_through(struct run *run)
{
    struct sweep *sweep = run_sweep(run);
    RUN_OK(run, sweep_problem(&run->work, sweep, &run->error));
    return sweep;
}

/* Trials of another source, and so of another binary, do not count, however often the source has
 * changed. */
TEST(test_trials_of_another_source_are_stale)
{
    struct run *run = create("[1000, 100000]", "");
    sqlite3 *db = NULL;
    char path[64];
    (void)string_format(path, sizeof path, "%s/tune.db", run->folder);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    run_start(run, 1);
    for (int i = 0; i < 3; i++) {
        struct sweep *sweep = sweep_through(run);
        assert_int_equal(sweep->measured, 12);
        assert_true(i == 0 || strstr(run->notes, "12 trials are stale"));
        run_end_sweep(sweep);
        assert_int_equal(
            sqlite3_exec(db, "UPDATE trials SET binary_hash = 'another'", NULL, NULL, NULL),
            SQLITE_OK);
    }
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    end(run);
}

/* A winner under another driver is tried before untried points. */
TEST(test_who_won_elsewhere_is_tried_first)
{
    struct run *run = create("[1000, 100000]", "");
    run_start(run, 1);
    struct contest *contest = contest_create(&run->work, sweep_through(run));
    char key[CONFIGURATION_KEY_BYTES];
    bool found = false;
    RUN_OK(run, contest_compete(contest, &found, &run->error));
    assert_true(found);
    (void)snprintf(key, sizeof key, "%s", contest->winner.key);
    contest_free(contest);
    const struct store_environment environment = {
        .facts = &worker_head(run->session.lanes[0].worker)->facts,
        .tool_version = "2",
        .host = "here"};
    RUN_OK(run,
           store_environment(run->store, &environment, &run->work.environment_id, &run->error));
    run->work.group->environment_id = run->work.environment_id;
    struct sweep *sweep = sweep_through(run);
    assert_int_equal(sweep->measured, 12); /* trials count for their environment alone */
    const struct candidate *winner = candidates_at_key(&sweep->candidates, key);
    assert_true(winner->wanted & WANTED_FIRST);
    for (size_t i = 0; i < sweep->candidates.count; i++)
        assert_true(sweep->candidates.items[i] == winner ||
                    sweep->candidates.items[i]->trial_id > winner->trial_id);
    run_end_sweep(sweep);
    end(run);
}

TEST_MAIN_WITH_WORKERS(NULL, NULL)
