/* A fault during measuring costs at most one trial, and no wrong configuration wins. */
#include "faulty_device.h"

#include "tuner/base/clock.h"
#include "tuner/session/check.h"

/* Starts a run with these faults from the start. */
static struct run *start_with(const char *text, const char *wanted, size_t devices)
{
    set_faults(wanted);
    struct run *run = run_create(text, "time");
    run->options.protocol.confirm_processes = 2;
    run->options.protocol.confirm_rounds = 3;
    run_start(run, devices);
    return run;
}

static struct run *start(const char *wanted, size_t devices)
{
    return start_with(usual_text, wanted, devices);
}

static struct sweep *sweep_through(struct run *run)
{
    struct sweep *sweep = run_sweep(run);
    RUN_OK(run, sweep_problem(&run->work, sweep, &run->error));
    return sweep;
}

static void end(struct run *run)
{
    run_free(run);
    set_faults("");
}

/* Returns the candidate measured for that key: itself, or one with the same launch. */
static struct candidate *candidate_of(struct sweep *sweep, const char *key)
{
    struct candidate *candidate = candidates_at_key(&sweep->candidates, key);
    assert_non_null(candidate);
    return candidate->same_as ? candidate->same_as : candidate;
}

/* ---- a sweep ---- */

TEST(test_a_crash_is_one_trial)
{
    struct run *run = start("crash at=time block=64 step=2", 1);
    struct sweep *sweep = sweep_through(run);
    assert_int_equal(sweep->measured, 12);
    assert_int_equal(sweep->failures, 2); /* both ways; part 3 makes the launch of part 2 */
    assert_int_equal(candidate_of(sweep, "way=one block=64 part=2")->status, TRIAL_CRASHED);
    assert_int_equal(candidate_of(sweep, "way=one block=64 part=1")->status, TRIAL_OK);
    assert_int_equal(candidate_of(sweep, "way=one block=128 part=2")->status, TRIAL_OK);
    assert_false(run->session.lanes[0].lost);
    assert_int_equal(run_count(run, "SELECT count(*) FROM trials WHERE status = 'crashed' AND "
                                    "detail LIKE 'it ended its process with %'"),
                     2);
    assert_int_equal(run_count(run, "SELECT count(*) FROM in_flight"), 0);
    run_end_sweep(sweep);
    /* The failure is known, and the configuration is tried again only on request. */
    sweep = sweep_through(run);
    assert_int_equal(sweep->measured, 0);
    run_end_sweep(sweep);
    set_faults("");
    run->options.retry_mask = 1u << TRIAL_CRASHED;
    RUN_OK(run, worker_fresh(run->session.lanes[0].worker, &run->error));
    sweep = sweep_through(run);
    assert_int_equal(sweep->measured, 2);
    assert_int_equal(sweep->failures, 0);
    assert_int_equal(run_count(run, "SELECT count(*) FROM trials WHERE status = 'crashed'"), 0);
    run_end_sweep(sweep);
    end(run);
}

TEST(test_what_hangs_is_ended)
{
    struct run *run = start("hang at=time block=128 step=1", 1);
    run->session.timeout_floor_ms = 100;
    struct sweep *sweep = sweep_through(run);
    assert_int_equal(sweep->failures, 2);
    assert_int_equal(run_count(run, "SELECT count(*) FROM trials WHERE status = 'timed_out' AND "
                                    "detail LIKE 'no result after % ms; its process was killed'"),
                     2);
    assert_int_equal(candidate_of(sweep, "way=two block=128 part=2")->status, TRIAL_OK);
    run_end_sweep(sweep);
    end(run);
}

/* A busy machine that gave the process no processor is to blame: the next run retries the
 * configuration. */
TEST(test_load_is_no_hang)
{
#ifndef TUNE_FAILPOINTS
    skip();
#endif
    struct run *run = start("hang at=time block=128 step=1 once=a", 1);
    run->session.timeout_floor_ms = 100;
    assert_int_equal(setenv("TUNE_FAILPOINT",
                            "worker.starved#1=error;worker.starved#2=error;worker.starved#3=error;"
                            "worker.starved#4=error;worker.starved#5=error;worker.starved#6=error;"
                            "worker.starved#7=error;worker.starved#8=error",
                            1),
                     0);
    struct sweep *sweep = sweep_through(run);
    assert_int_equal(unsetenv("TUNE_FAILPOINT"), 0);
    assert_int_equal(sweep->failures, 1);
    assert_int_equal(run_count(run, "SELECT count(*) FROM trials WHERE status = 'timed_out' AND "
                                    "detail LIKE 'the machine is too busy: %'"),
                     1);
    run_end_sweep(sweep);
    sweep = sweep_through(run);
    assert_int_equal(sweep->measured, 1);
    assert_int_equal(sweep->failures, 0);
    assert_int_equal(run_count(run, "SELECT count(*) FROM trials WHERE status = 'timed_out'"), 0);
    run_end_sweep(sweep);
    end(run);
}

/* When the budget is exceeded by more than its tolerance, a hanging configuration is abandoned
 * without blame. */
TEST(test_what_hangs_is_given_up_with_the_budget)
{
    struct run *run = start("hang at=time block=128 step=1", 1);
    const int64_t begun_ns = clock_running_ns();
    run->options.budget_ns = 1000000000;
    worker_end_by(run->session.lanes[0].worker, begun_ns + 500000000);
    struct sweep *sweep = sweep_through(run);
    assert_true(clock_running_ns() - begun_ns < 10000000000); /* its own limit is 15 s */
    assert_int_equal(sweep->failures, 0);
    assert_int_equal(run_count(run, "SELECT count(*) FROM trials WHERE status = 'timed_out'"), 0);
    assert_int_equal(run_count(run, "SELECT count(*) FROM in_flight"), 0);
    run_end_sweep(sweep);
    end(run);
}

/* Children killed from outside are no evidence against their configuration. */
TEST(test_who_was_killed_is_tried_again)
{
    struct run *run = start("killed at=time block=64 step=1 once=a;"
                            "killed at=time block=64 step=1 once=b",
                            1);
    struct sweep *sweep = sweep_through(run);
    assert_int_equal(sweep->failures, 0);
    assert_int_equal(worker_head(run->session.lanes[0].worker)->restarts, 2);
    assert_int_equal(run_count(run, "SELECT count(*) FROM trials WHERE status = 'ok'"), 8);
    run_end_sweep(sweep);
    end(run);
}

TEST(test_a_binary_that_ends_its_loader_fails_alone)
{
    struct run *run = start("crash at=load after=3 once=a", 1);
    struct sweep *sweep = sweep_through(run);
    assert_int_equal(sweep->measured, 12);
    assert_int_equal(sweep->failures, 1);
    assert_non_null(sweep->best);
    run_end_sweep(sweep);
    end(run);
}

/* A wrong fastest configuration is out: also in the results of a run that ends early, and in the
 * next run. */
TEST(test_a_wrong_result_never_wins)
{
    char key[CONFIGURATION_KEY_BYTES];
    char fault[96];
    struct run *run = start("", 1);
    struct sweep *sweep = sweep_through(run);
    (void)snprintf(key, sizeof key, "%s", run_key(sweep, sweep->best));
    (void)snprintf(fault, sizeof fault, "wrong at=time block=%d step=%d",
                   strstr(key, "block=64") ? 64 : 128, strstr(key, "part=1") ? 1 : 2);
    run_end_sweep(sweep);
    end(run);
    run = start(fault, 1);
    sweep = sweep_through(run);
    const struct candidate *wrong = candidate_of(sweep, key);
    assert_int_equal(wrong->status, TRIAL_WRONG_RESULT);
    assert_true(isnan(wrong->median_ns));
    assert_ptr_not_equal(sweep->best, wrong);
    struct contest *contest = contest_create(&run->work, sweep);
    bool found = false;
    RUN_OK(run, contest_compete(contest, &found, &run->error));
    assert_true(found);
    for (size_t i = 0; i < contest->finalist_count; i++)
        assert_ptr_not_equal(contest->finalists[i].slot.candidate, wrong);
    assert_int_equal(run_count(run, "SELECT count(*) FROM winners JOIN trials ON trials.id = "
                                    "winners.trial_id WHERE trials.status <> 'ok'"),
                     0);
    contest_free(contest);
    end(run);
}

/* ---- a race ---- */

/* Sweeps without faults, then sets these. */
static struct contest *contest_with(struct run *run, const char *wanted)
{
    struct sweep *sweep = sweep_through(run);
    set_faults(wanted);
    for (size_t i = 0; i < run->session.lane_count; i++)
        RUN_OK(run, worker_fresh(run->session.lanes[i].worker, &run->error));
    for (size_t i = 0; i < run->session.lane_count; i++)
        run->session.lanes[i].known = NULL;
    struct contest *contest = contest_create(&run->work, sweep);
    assert_non_null(contest);
    return contest;
}

static bool compete(struct run *run, struct contest *contest)
{
    bool found = false;
    RUN_OK(run, contest_compete(contest, &found, &run->error));
    return found;
}

/* A candidate that is wrong for the first time in the race is out, and a trial records it. */
TEST(test_who_is_wrong_in_the_race_is_out)
{
    struct run *run = start("", 1);
    struct contest *contest = contest_with(run, "wrong at=time step=2 after=20");
    assert_true(compete(run, contest));
    assert_non_null(strstr(contest->winner.key, "part=1"));
    for (size_t i = 0; i < contest->finalist_count; i++)
        assert_true(!finalist_can_win(&contest->finalists[i]) ||
                    strstr(contest->finalists[i].key, "part=1"));
    assert_int_equal(run_count(run, "SELECT count(*) > 0 FROM trials WHERE stage = 'race' AND "
                                    "status = 'wrong_result' AND detail LIKE 'race: %writes its "
                                    "input'"),
                     1);
    contest_free(contest);
    end(run);
}

/* A candidate wrong at an unlisted size keeps the sizes at which further probes are right; among
 * ties the one that serves all wins. */
TEST(test_who_is_wrong_at_a_size_nobody_asked_for_serves_less)
{
    struct run *run = start("", 1);
    struct contest *contest = contest_with(run, "wrong at=run block=64 n=33");
    assert_true(compete(run, contest));
    assert_non_null(strstr(contest->winner.key, "block=128"));
    assert_int_equal(run_count(run, "SELECT count(*) FROM gauntlets WHERE NOT passed"), 0);
    assert_true(run_count(run,
                          "SELECT count(*) FROM domains WHERE least > 33 OR 33 % multiple <> 0 "
                          "OR is_listed") > 0);
    contest_free(contest);
    end(run);
}

/* A candidate wrong at another size, in an experiment that promises all sizes, is out for good,
 * also in the next run, without a launch. */
TEST(test_who_is_wrong_at_another_size_is_out_for_good)
{
    char all[4096];
    (void)snprintf(all, sizeof all, "all_sizes: true\n%s", usual_text);
    struct run *run = start_with(all, "", 1);
    struct contest *contest = contest_with(run, "wrong at=run block=64 n=33");
    assert_true(compete(run, contest));
    assert_non_null(strstr(contest->winner.key, "block=128"));
    const struct sweep *sweep = contest->sweep;
    size_t rejected = 0;
    for (size_t i = 0; i < sweep->candidates.count; i++) {
        const struct candidate *candidate = sweep->candidates.items[i];
        const bool is_wrong =
            strstr(run_key(sweep, candidate), "block=64") && candidate->status == TRIAL_OK;
        assert_int_equal(candidate->rejected != NULL, is_wrong);
        if (!is_wrong)
            continue;
        assert_non_null(strstr(candidate->rejected, "gauntlet: n=33"));
        rejected++;
    }
    assert_int_equal(rejected, 4); /* not the finalists alone */
    assert_int_equal(run_count(run, "SELECT count(*) FROM gauntlets WHERE NOT passed"), 4);
    assert_int_equal(run->summary.gauntlet_failures > 0, 1);
    contest_free(contest);
    set_faults("");
    struct sweep *next = sweep_through(run);
    assert_int_equal(next->measured, 0);
    assert_non_null(strstr(run_key(next, next->best), "block=128"));
    contest = contest_create(&run->work, next);
    assert_true(compete(run, contest));
    for (size_t i = 0; i < contest->finalist_count; i++)
        assert_non_null(strstr(contest->finalists[i].key, "block=128"));
    contest_free(contest);
    end(run);
}

/* A size at which all fail is reported once, and no candidate is out. Its neighbours are right, so
 * that no least size explains it. */
TEST(test_a_size_at_which_all_fail_is_not_promised)
{
    struct run *run = start("", 1);
    struct contest *contest = contest_with(run, "wrong at=run n=33");
    assert_true(compete(run, contest));
    assert_non_null(strstr(run->notes, "serve only some sizes"));
    assert_non_null(strstr(run->notes, "' where it was measured: gauntlet: n=33"));
    assert_false(work_declares(&run->work, 33));
    assert_true(work_declares(&run->work, 1000));
    for (size_t i = 0; i < contest->sweep->candidates.count; i++)
        assert_null(contest->sweep->candidates.items[i]->rejected);
    contest_free(contest);
    end(run);
}

/* A worker that ends in the race costs a round, not the race; a candidate that crashes it twice is
 * out. */
TEST(test_a_race_outlives_its_worker)
{
    for (int after = 0; after < 60; after += 13) {
        char wanted[64];
        (void)snprintf(wanted, sizeof wanted, "killed at=time after=%d once=a", after);
        struct run *run = start("", 1);
        struct contest *contest = contest_with(run, wanted);
        assert_true(compete(run, contest));
        assert_true(has_struck("a"));
        assert_int_equal(worker_head(run->session.lanes[0].worker)->restarts, 1);
        for (size_t i = 0; i < contest->finalist_count; i++)
            assert_true(finalist_can_win(&contest->finalists[i]));
        assert_int_equal(run_count(run, "SELECT count(*) FROM rounds WHERE fault = 'incomplete'"),
                         1);
        assert_int_equal(run_count(run, "SELECT count(*) FROM samples JOIN trials ON trials.id = "
                                        "trial_id WHERE stage = 'race' AND invalid") > 0,
                         1);
        contest_free(contest);
        end(run);
    }
}

/* ---- devices that do not come back ---- */

/* The race is repeated from its start on another device; so is the confirmation. */
TEST(test_a_lost_device_leaves_its_stage_to_another)
{
    struct run *run = start("", 2);
    struct contest *contest =
        contest_with(run, "crash at=time device=0 after=30 once=a; lost at=open device=0 if=a");
    struct group *group = run->work.group;
    assert_true(compete(run, contest));
    assert_true(run->session.lanes[0].lost);
    assert_false(run->session.lanes[1].lost);
    assert_non_null(strstr(run->notes, "null:0 is lost: device null:0 does not come back"));
    assert_int_equal(run_count(run, "SELECT run_id FROM winners"), run->session.lanes[1].run_id);
    group->contests = group->last_contest = contest;
    RUN_OK(run, group_confirm(group, &run->error));
    assert_int_equal(contest->processes, 2);
    assert_int_equal(run_count(run, "SELECT count(*) FROM winners WHERE stage = 'confirm'"), 1);
    group->contests = group->last_contest = NULL;
    contest_free(contest);
    end(run);
}

/* Without any device left the run ends, and the next one uses its results. */
TEST(test_what_was_measured_outlives_the_device)
{
    struct run *run = start("crash at=time after=25 once=a; lost at=open if=a", 1);
    struct sweep *sweep = run_sweep(run);
    assert_int_equal(sweep_problem(&run->work, sweep, &run->error), STATUS_DEVICE_LOST);
    const int64_t kept = (int64_t)sweep->measured;
    assert_true(kept > 0 && kept < 12);
    assert_int_equal(run_count(run, "SELECT count(*) FROM trials"), kept);
    assert_int_equal(run_count(run, "SELECT count(*) FROM trials WHERE status = 'crashed'"), 0);
    run_end_sweep(sweep);
    run->session.lanes[0].lost = false; /* the device is back */
    set_faults("");
    RUN_OK(run, worker_fresh(run->session.lanes[0].worker, &run->error));
    sweep = sweep_through(run);
    assert_int_equal((int64_t)sweep->measured, 12 - kept);
    assert_int_equal(run_count(run, "SELECT count(*) FROM trials WHERE status IN ('ok', "
                                    "'skipped_by_constraint')"),
                     12);
    run_end_sweep(sweep);
    end(run);
}

/* If one of two lanes is lost in the sweep, the other does the rest, and nothing is done twice. */
TEST(test_a_lane_leaves_what_it_had_in_hand)
{
    struct run *run = start("crash at=time device=0 once=a; lost at=open device=0 if=a; "
                            "late at=time device=1",
                            2);
    struct sweep *sweep = sweep_through(run);
    assert_true(run->session.lanes[0].lost);
    assert_int_equal(sweep->measured, 12);
    assert_int_equal(sweep->failures, 0);
    assert_int_equal(run_count(run, "SELECT count(*) FROM trials"), 12);
    assert_int_equal(run_count(run, "SELECT min(run_id) FROM trials"),
                     run->session.lanes[1].run_id);
    run_end_sweep(sweep);
    end(run);
}

TEST_MAIN_WITH_WORKERS(NULL, NULL)
