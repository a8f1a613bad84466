/* Whole sessions on null devices: how they end in every case, and that the next one continues. */
#include "faulty_device.h"

#include "tuner/base/lock.h"

static struct run *create(const char *wanted_faults, const char *objective)
{
    set_faults(wanted_faults);
    struct run *run = run_create(usual_text, objective);
    run->options.protocol.confirm_processes = 2;
    run->options.protocol.confirm_rounds = 3;
    return run;
}

/* Checks after any end of a session: no process of it is left, no launch is in flight, and another
 * session may have the device at once. */
static void expect_nothing_left(struct run *run)
{
    char path[64];
    char line[64] = "";
    struct lock *lock = NULL;
    (void)snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    (void)!fgets(line, sizeof line, file);
    (void)fclose(file);
    assert_string_equal(line, "");
    assert_int_equal(run_count(run, "SELECT count(*) FROM in_flight"), 0);
    RUN_OK(run, lock_take("null-0", &lock, &run->error));
    lock_release(lock);
}

static void end(struct run *run)
{
    run_free(run);
    set_faults("");
}

/* Checks that all results of the experiment are there. */
static void expect_complete(struct run *run)
{
    assert_int_equal(run_count(run, "SELECT count(*) FROM trials WHERE stage = 'sweep'"), 24);
    assert_int_equal(run_count(run, "SELECT count(*) FROM trials WHERE stage = 'sweep' AND status "
                                    "= 'ok' AND NOT EXISTS (SELECT 1 FROM samples WHERE trial_id = "
                                    "trials.id)"),
                     0);
    assert_int_equal(run_count(run, "SELECT count(*) FROM winners WHERE stage = 'confirm' AND "
                                    "processes = 2"),
                     2);
    assert_int_equal(run_count(run, "SELECT count(*) > 0 FROM ranges"), 1);
    expect_nothing_left(run);
}

TEST(test_a_session_is_told_and_kept)
{
    struct run *run = create("", "time");
    const struct session_summary *summary = &run->summary;
    RUN_OK(run, run_session(run));
    expect_complete(run);
    assert_int_equal(summary->problems, 2);
    assert_int_equal(summary->devices, 1);
    assert_int_equal(summary->points_legal, 24);
    assert_int_equal(summary->trials, 24);
    assert_int_equal(summary->duplicates, 8);
    assert_int_equal(summary->failures, 0);
    assert_int_equal(summary->winners, 2);
    assert_int_equal(summary->binaries_compiled, 2); /* kernels', not those of references */
    assert_int_equal(summary->cut_short, 0);
    assert_int_equal(run->winners, 4);
    int64_t stages_ns = 0;
    for (size_t i = 0; i < SESSION_STAGES; i++)
        stages_ns += summary->stage_ns[i];
    assert_true(stages_ns > 0 && summary->wall_ns > 0 && summary->measuring_ns > 0);
    assert_int_equal(run_count(run, "SELECT count(*) FROM runs WHERE outcome = 'complete' AND "
                                    "ended_at IS NOT NULL AND wall_ns > 0"),
                     1);
    assert_int_equal(run_count(run, "SELECT count(*) FROM ceilings"), 1);
    /* The next session has no work, and changes nothing. */
    const int64_t samples = run_count(run, "SELECT count(*) FROM samples");
    RUN_OK(run, run_session(run));
    assert_int_equal(summary->trials, 0);
    assert_int_equal(summary->trials_known, 24);
    assert_int_equal(summary->binaries_compiled, 0);
    assert_int_equal(run->winners, 0);
    assert_int_equal(run_count(run, "SELECT count(*) FROM samples"), samples);
    expect_complete(run);
    end(run);
}

TEST(test_devices_share_a_session)
{
    struct run *run = create("", "time");
    run->options.device_count = 3;
    for (int i = 0; i < 3; i++)
        run->options.device_indices[i] = i;
    RUN_OK(run, run_session(run));
    expect_complete(run);
    assert_int_equal(run->summary.devices, 3);
    assert_int_equal(run->summary.trials, 24);
    assert_int_equal(run_count(run, "SELECT count(*) FROM runs WHERE outcome = 'complete'"), 3);
    /* Binaries are counted once, not for each device. */
    assert_int_equal(run_count(run, "SELECT sum(binaries_compiled) FROM runs"), 2);
    end(run);
}

/* A device that is not there is no reason to leave the others idle. */
TEST(test_a_missing_device_is_left_out)
{
    struct run *run = create("", "time");
    run->options.device_indices[0] = 9;
    assert_int_equal(run_session(run), STATUS_NOT_FOUND);
    assert_non_null(strstr(run->error.text, "null:9"));
    assert_int_equal(run_count(run, "SELECT count(*) FROM runs"), 0);
    expect_nothing_left(run);
    run->options.device_count = 2;
    run->options.device_indices[1] = 0;
    RUN_OK(run, run_session(run));
    assert_non_null(strstr(run->notes, "null:9"));
    assert_non_null(strstr(run->notes, "the other devices are tuned"));
    expect_complete(run);
    end(run);
}

/* Only one tuner at a time has a device. */
TEST(test_a_taken_device_is_not_touched)
{
    struct run *run = create("", "time");
    struct lock *lock = NULL;
    RUN_OK(run, lock_take("null-0", &lock, &run->error));
    assert_int_not_equal(run_session(run), STATUS_OK);
    assert_non_null(strstr(run->error.text, "null:0"));
    assert_int_equal(run_count(run, "SELECT count(*) FROM trials"), 0);
    lock_release(lock);
    RUN_OK(run, run_session(run));
    expect_complete(run);
    end(run);
}

/* Impossible requests are reported before the first measurement. */
TEST(test_wrong_wishes_end_a_session_at_its_start)
{
    struct run *run = create("", "time");
    run->options.sizes[0] = 7;
    run->options.size_count = 1;
    assert_int_equal(run_session(run), STATUS_NOT_FOUND);
    assert_non_null(strstr(run->error.text, "there are: 1000 100000"));
    expect_nothing_left(run);
    run->options.size_count = 0;
    run->options.objective = "tme_ns";
    assert_int_equal(run_session(run), STATUS_USAGE);
    assert_non_null(strstr(run->error.text, "did you mean 'time_ns'"));
    run->options.objective = "time";
    run->options.device_kind = "cpu";
    assert_int_equal(run_session(run), STATUS_BAD_INPUT);
    assert_non_null(strstr(run->error.text, "is for cuda devices, not for cpu"));
    assert_int_equal(run_count(run, "SELECT count(*) FROM runs"), 0);
    expect_nothing_left(run);
    end(run);
}

TEST(test_sizes_may_be_named)
{
    struct run *run = create("", "time");
    run->options.sizes[0] = 100000;
    run->options.size_count = 1;
    RUN_OK(run, run_session(run));
    assert_int_equal(run->summary.problems, 1);
    assert_int_equal(run_count(run, "SELECT count(*) FROM problems WHERE n = 1000"), 0);
    assert_int_equal(run_count(run, "SELECT count(*) FROM winners"), 1);
    expect_nothing_left(run);
    end(run);
}

/* ---- stops ---- */

static volatile sig_atomic_t stop;
static int events_left;

static void stop_after_some(void *context, const struct session_progress *progress)
{
    (void)context, (void)progress;
    stop = --events_left <= 0;
}

/* Wherever a user stops the run, all measurements are kept, and none is repeated. */
TEST(test_a_stop_anywhere_loses_nothing)
{
    struct run *run = create("", "time");
    run->events.progress = stop_after_some;
    run->options.stop = &stop;
    enum status status = STATUS_INTERRUPTED;
    int64_t trials = 0;
    int64_t sessions = 0;
    for (int events = 4; status == STATUS_INTERRUPTED; events += 7) {
        stop = 0;
        events_left = events;
        status = run_session(run);
        sessions++;
        trials += (int64_t)run->summary.trials;
        assert_true(status == STATUS_OK || status == STATUS_INTERRUPTED);
        assert_int_equal(run_count(run, "SELECT count(*) FROM trials WHERE stage = 'sweep'"),
                         trials);
        assert_int_equal(run_count(run, "SELECT count(*) FROM runs WHERE outcome = 'interrupted'"),
                         sessions - (status == STATUS_OK));
        expect_nothing_left(run);
    }
    assert_true(sessions > 3);
    assert_int_equal(trials, 24);
    expect_complete(run);
    end(run);
}

/* A stop in the sweep leaves a best so far, marked as such. */
TEST(test_a_stop_leaves_a_best_so_far)
{
    struct run *run = create("", "time");
    run->events.progress = stop_after_some;
    run->options.stop = &stop;
    stop = 0;
    events_left = 8;
    assert_int_equal(run_session(run), STATUS_INTERRUPTED);
    assert_non_null(strstr(run->error.text, "all measurements are kept"));
    assert_int_equal(run_count(run, "SELECT count(*) FROM winners WHERE stage = 'sweep' AND trust "
                                    "= 'unstable'"),
                     1);
    assert_int_equal(run_count(run, "SELECT t.median_ns = (SELECT min(median_ns) FROM trials) FROM "
                                    "winners JOIN trials AS t ON t.id = trial_id"),
                     1);
    end(run);
}

TEST(test_a_budget_that_is_spent_is_said)
{
    struct run *run = create("", "time");
    run->options.budget_ns = 1;
    assert_int_equal(run_session(run), STATUS_NO_WINNER);
    assert_string_equal(run->error.text, "2 of 2 problems have no winner");
    assert_true(run->summary.cut_short != 0);
    assert_int_equal(run->summary.problems_left_out, 2);
    expect_nothing_left(run);
    run->options.budget_ns = 0;
    RUN_OK(run, run_session(run));
    expect_complete(run);
    end(run);
}

/* ---- workers that die ---- */

/* Whenever a worker is killed, in whichever stage: the session comes to the same end. */
TEST(test_a_worker_may_be_killed_at_any_time)
{
    static const int when[] = {0, 5, 40, 90, 170, 260, 400};
    for (size_t i = 0; i < sizeof when / sizeof *when; i++) {
        char wanted[64];
        (void)snprintf(wanted, sizeof wanted, "killed at=time after=%d once=a", when[i]);
        struct run *run = create(wanted, "time");
        RUN_OK(run, run_session(run));
        assert_true(has_struck("a"));
        expect_complete(run);
        assert_int_equal(run->summary.trials, 24);
        assert_int_equal(run->summary.failures, 0);
        assert_int_equal(run->summary.winners, 2);
        end(run);
    }
}

/* A crash caused by a configuration costs that configuration, in each stage that it reaches. */
TEST(test_a_crash_costs_one_configuration)
{
    static const int when[] = {0, 30, 90, 170};
    for (size_t i = 0; i < sizeof when / sizeof *when; i++) {
        char wanted[64];
        (void)snprintf(wanted, sizeof wanted, "crash at=time after=%d once=a", when[i]);
        struct run *run = create(wanted, "time");
        RUN_OK(run, run_session(run));
        assert_true(has_struck("a"));
        expect_complete(run);
        assert_true(run_count(run, "SELECT count(*) FROM trials WHERE status = 'crashed'") <= 1);
        assert_int_equal(run_count(run, "SELECT count(*) FROM winners JOIN trials AS t ON t.id = "
                                        "trial_id WHERE t.status = 'ok'"),
                         2);
        end(run);
    }
}

/* A device that is lost for good ends the session; the next one uses its measurements. */
TEST(test_a_lost_device_fails_the_run)
{
    struct run *run = create("crash at=time after=40 once=a; lost at=open if=a", "time");
    assert_int_equal(run_session(run), STATUS_DEVICE_LOST);
    assert_non_null(strstr(run->error.text, "it fell off the bus"));
    const int64_t kept = run_count(run, "SELECT count(*) FROM trials WHERE stage = 'sweep'");
    assert_true(kept > 0 && kept < 24);
    assert_int_equal(kept, (int64_t)run->summary.trials);
    assert_int_equal(run_count(run, "SELECT count(*) FROM runs WHERE outcome = 'failed' AND "
                                    "ended_at IS NOT NULL"),
                     1);
    set_faults("");
    RUN_OK(run, run_session(run));
    assert_int_equal((int64_t)run->summary.trials, 24 - kept);
    expect_complete(run);
    end(run);
}

/* ---- objectives ---- */

TEST(test_energy_is_measured_for_who_wants_it)
{
    struct run *run = create("", "energy");
    run->options.protocol.energy_window_ms = 1;
    RUN_OK(run, run_session(run));
    assert_int_equal(run_count(run, "SELECT count(*) FROM winners WHERE objective = 'energy' AND "
                                    "value > 0"),
                     2);
    assert_int_equal(run_count(run, "SELECT count(*) FROM trials WHERE stage <> 'sweep' AND status "
                                    "= 'ok' AND energy_j IS NULL"),
                     0);
    assert_int_equal(run_count(run, "SELECT count(*) FROM trials WHERE stage = 'sweep' AND "
                                    "energy_j IS NOT NULL"),
                     0);
    assert_non_null(strstr(run->notes, "the energy counter's step is"));
    /* The winner by time is another question, which the same sweep serves. */
    run->options.objective = "time";
    RUN_OK(run, run_session(run));
    assert_int_equal(run->summary.trials, 0);
    assert_int_equal(run_count(run, "SELECT count(*) FROM winners"), 4);
    expect_nothing_left(run);
    end(run);
}

TEST_MAIN_WITH_WORKERS(NULL, NULL)
