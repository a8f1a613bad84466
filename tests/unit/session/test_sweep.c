/* A sweep on null devices: tried, known and rejected configurations. */
#include "session_fixture.h"

#include <sqlite3.h>

#include "tuner/base/clock.h"

static const char last_key[] = "way=two block=128 part=3";

static struct sweep *sweep_through(struct run *run)
{
    struct sweep *sweep = run_sweep(run);
    RUN_OK(run, sweep_problem(&run->work, sweep, &run->error));
    return sweep;
}

static struct candidate *candidate_of(struct sweep *sweep, const char *key)
{
    struct candidate *candidate = candidates_at_key(&sweep->candidates, key);
    assert_non_null(candidate);
    return candidate;
}

/* Each configuration has one trial; duplicates of a launch are not launched. */
TEST(test_all_is_tried_once)
{
    struct run *run = run_create(usual_text, "time");
    run_start(run, 1);
    struct sweep *sweep = sweep_through(run);
    assert_int_equal(sweep->space_count, 12);
    assert_int_equal(sweep->candidates.count, 12);
    assert_int_equal(sweep->measured, 12);
    assert_int_equal(sweep->duplicates, 4);
    assert_int_equal(sweep->failures, 0);
    assert_true(sweep->searched_all);
    for (size_t i = 0; i < sweep->candidates.count; i++) {
        const struct candidate *candidate = sweep->candidates.items[i];
        const bool repeats = candidate->same_as != NULL; /* whichever came second */
        assert_int_equal(candidate->state, CANDIDATE_DONE);
        assert_int_equal(candidate->status, repeats ? TRIAL_SKIPPED : TRIAL_OK);
        assert_int_equal(isnan(candidate->median_ns), repeats);
        if (!repeats)
            assert_true(candidate->median_ns >= sweep->best->median_ns);
        if (repeats)
            assert_true(strstr(run_key(sweep, candidate), "part=1") == NULL &&
                        candidate->launch_hash == candidate->same_as->launch_hash);
    }
    assert_int_equal(run->summary.trials, 12);
    assert_int_equal(run_count(run, "SELECT count(*) FROM trials WHERE stage = 'sweep'"), 12);
    assert_int_equal(run_count(run, "SELECT count(*) FROM trials WHERE same_as_trial_id > 0"), 4);
    assert_int_equal(run_count(run, "SELECT count(DISTINCT binary_hash) FROM trials"), 2);
    assert_int_equal(run_count(run, "SELECT count(*) FROM in_flight"), 0);
    assert_int_equal(run_count(run, "SELECT duplicates FROM searches"), 4);
    run_end_sweep(sweep);
    run_free(run);
}

TEST(test_what_is_known_is_not_measured_again)
{
    struct run *run = run_create(usual_text, "time");
    run_start(run, 1);
    struct sweep *first = sweep_through(run);
    struct sweep *again = sweep_through(run);
    assert_int_equal(again->measured, 0);
    assert_int_equal(run->summary.trials_known, 12);
    assert_int_equal(again->best->point, first->best->point);
    assert_true(again->best->median_ns == first->best->median_ns);
    struct candidate *second = candidate_of(again, "way=two block=128 part=2");
    struct candidate *third = candidate_of(again, last_key);
    assert_true(second->same_as == third || third->same_as == second);
    /* Configurations with a failure that the user wants to retry are all tried again. */
    run->options.retry_mask = 1u << TRIAL_SKIPPED;
    struct sweep *retried = sweep_through(run);
    assert_int_equal(retried->measured, 4);
    assert_int_equal(retried->duplicates, 0); /* no plan is made for known results */
    run_end_sweep(retried);
    run_end_sweep(again);
    run_end_sweep(first);
    run_free(run);
}

/* The search receives the values of the objective, also of earlier runs. */
TEST(test_known_times_are_told_by_the_objective)
{
    struct run *run = run_create(usual_text, "time_ns * block");
    run_start(run, 1);
    struct sweep *first = sweep_through(run);
    struct sweep *again = sweep_through(run);
    for (size_t i = 0; i < again->candidates.count; i++) {
        const struct candidate *candidate = again->candidates.items[i];
        const double block = strstr(run_key(again, candidate), "block=64") ? 64 : 128;
        if (candidate->status == TRIAL_OK)
            assert_true(fabs(candidate->value / candidate->median_ns - block) < 1e-6);
        const struct candidate *before = candidate_of(first, run_key(again, candidate));
        assert_true(candidate->value == before->value || isnan(before->value));
    }
    run_end_sweep(again);
    run_end_sweep(first);
    run_free(run);
}

TEST(test_two_lanes_share_a_sweep)
{
    struct run *run = run_create(usual_text, "time");
    run_start(run, 2);
    assert_int_equal(run->session.group_count, 1);
    assert_int_equal(run->work.group->lane_count, 2);
    struct sweep *sweep = sweep_through(run);
    assert_int_equal(run_count(run, "SELECT count(*) FROM trials"), 12);
    assert_int_equal(run_count(run, "SELECT count(DISTINCT environment_id) FROM trials"), 1);
    /* A lost lane leaves its work to the other. */
    run->options.retry_mask = 1u << TRIAL_OK | 1u << TRIAL_SKIPPED;
    run->session.lanes[0].lost = true;
    struct sweep *again = sweep_through(run);
    assert_int_equal(again->measured, 12);
    run->session.lanes[1].lost = true;
    struct sweep *nobody = run_sweep(run);
    assert_int_equal(sweep_problem(&run->work, nobody, &run->error), STATUS_DEVICE_LOST);
    run_end_sweep(nobody);
    run_end_sweep(again);
    run_end_sweep(sweep);
    run_free(run);
}

TEST(test_a_run_may_be_limited_to_a_few)
{
    struct run *run = run_create(usual_text, "time");
    run_start(run, 1);
    const struct session_pick only[] = {
        {"twins", 1000, last_key, false},
        {"twins", 1000, "way=one block=64 part=1", true},
        {"twins", 1000, "way=one block=65 part=1", false},
        {"twins", 1000, "way=one block=64 part=1 more=1", false},
        {"twins", 100000, "way=two block=64 part=1", false},
    };
    run->options.picks = only;
    run->options.pick_count = 5;
    struct sweep *sweep = sweep_through(run);
    assert_int_equal(sweep->measured, 2);
    assert_int_equal(candidate_of(sweep, last_key)->wanted, WANTED_FIRST | WANTED_PICKED);
    assert_int_equal(candidate_of(sweep, only[1].configuration)->wanted,
                     WANTED_FIRST | WANTED_PICKED | WANTED_INCUMBENT);
    assert_non_null(strstr(run->notes, "n=1000: 'way=one block=65 part=1' is no configuration of"));
    assert_non_null(strstr(run->notes, "'way=one block=64 part=1 more=1' is no configuration of"));
    assert_null(strstr(run->notes, "way=two block=64"));
    struct problem problem = run->work.problem;
    assert_true(session_picks_problem(&run->options, &problem));
    problem.n = 5;
    assert_false(session_picks_problem(&run->options, &problem));
    run_end_sweep(sweep);
    run_free(run);
}

/* A configuration that was running when the machine went down is set aside, and so is one that
 * ended tune twice. */
TEST(test_what_never_ended_is_set_aside)
{
    struct run *run = run_create(usual_text, "time");
    run_start(run, 1);
    const struct machine machine = {.boot_id = "now"};
    run->work.group->machine = &machine;
    struct sweep *sweep = run_sweep(run);
    for (uint64_t i = 0; i < 3; i++) { /* once under another start; twice, once under this one */
        struct candidate *candidate = NULL;
        RUN_OK(run, sweep_candidate(&run->work, sweep, i, &candidate, &run->error));
        const struct store_in_flight row = {
            .environment_id = run->work.environment_id,
            .problem_id = run->work.problem_id,
            .configuration_id = candidate->configuration_id,
            .run_id = run->session.lanes[0].run_id,
            .boot_id = i == 0 ? "before" : "now",
        };
        for (int attempts = i == 1 ? 2 : 1; attempts > 0; attempts--)
            RUN_OK(run, store_in_flight_put(run->store, &row, false, &run->error));
    }
    run_end_sweep(sweep);
    sweep = sweep_through(run);
    assert_int_equal(candidate_of(sweep, "way=one block=64 part=1")->status, TRIAL_CRASHED);
    assert_int_equal(candidate_of(sweep, "way=one block=64 part=2")->status, TRIAL_CRASHED);
    assert_int_equal(candidate_of(sweep, "way=one block=64 part=3")->status, TRIAL_OK);
    assert_non_null(strstr(run->notes, "it was running when the machine went down"));
    assert_non_null(strstr(run->notes, "it was running when tune was killed, twice"));
    assert_int_equal(sweep->failures, 2);
    assert_int_equal(run_count(run, "SELECT count(*) FROM in_flight"), 0);
    run_end_sweep(sweep);
    run_free(run);
}

static volatile sig_atomic_t stop;

static void stop_after_two(void *context, const struct session_progress *progress)
{
    const struct run *run = context;
    (void)progress;
    stop = run->summary.trials >= 2;
}

TEST(test_a_stop_keeps_what_was_measured)
{
    struct run *run = run_create(usual_text, "time");
    run_start(run, 1);
    run->events.progress = stop_after_two;
    run->options.stop = &stop;
    struct sweep *sweep = run_sweep(run);
    assert_int_equal(sweep_problem(&run->work, sweep, &run->error), STATUS_INTERRUPTED);
    assert_int_equal(sweep->measured, 2);
    assert_int_equal(run_count(run, "SELECT count(*) FROM trials"), 2);
    stop = 0;
    run->events.progress = NULL;
    struct sweep *again = sweep_through(run);
    assert_int_equal(again->measured, 10);
    run_end_sweep(again);
    run_end_sweep(sweep);
    run_free(run);
}

/* Baselines come first, with the block that the device suggests, even if it is none of the
 * parameter's values; one that does not fit fails alone. */
static const char baselines_text[] =
    "experiment: twins\n"
    "source: k.cu\n"
    "sizes: {n: [1000]}\n"
    "parameters:\n"
    "  block: [64, 128, 1024]\n"
    "  shared: [0, 300000]\n"
    "baselines:\n"
    "  - {name: suggested, about: as the device says, occupancy: block, set: {block: 64, shared: "
    "0}}\n"
    "  - {name: plain, about: a point, set: {block: 128, shared: 0}}\n"
    "launches:\n"
    "  - {kernel: copy, grid: 'ceil_div(n, block)', block: block, shared: shared,\n"
    "     arguments: [in, out]}\n"
    "arguments:\n"
    "  - {name: in, type: i32, count: n, fill: random}\n"
    "  - {name: out, type: i32, count: n, output: true}\n"
    "check: {reference: f, source: r.c, output: out, tolerance: 0}\n";

TEST(test_baselines_go_first)
{
    struct run *run = run_create(baselines_text, "time");
    run_start(run, 1);
    struct sweep *sweep = sweep_through(run);
    const struct candidate *plain = candidate_of(sweep, "block=128 shared=0");
    const struct candidate *suggested = sweep->candidates.items[0];
    assert_int_equal(suggested->wanted, WANTED_BASELINE);
    assert_int_equal(plain->wanted, WANTED_BASELINE);
    assert_int_equal(suggested->trial_id, 1);
    assert_int_equal(plain->trial_id, 2);
    assert_int_equal(run_count(run, "SELECT count(*) FROM baselines"), 2);
    assert_int_equal(sweep->window.baselines_left, 0);
    assert_int_equal(sweep->unlaunchable, 3);
    assert_int_equal(candidate_of(sweep, "block=64 shared=300000")->status, TRIAL_LAUNCH_FAILED);
    assert_int_equal(run_count(run, "SELECT count(*) FROM trials WHERE detail LIKE 'set aside: no "
                                    "block of % threads with % registers each, %'"),
                     3);
    run_end_sweep(sweep);
    run_free(run);
}

static int64_t to_charge_ns;

/* Lets that much time pass once the first trial is done. */
static void let_time_pass(void *context, const struct session_progress *progress)
{
    (void)context;
    if (strcmp(progress->phase, "sweep") != 0)
        return;
    clock_charge(to_charge_ns);
    to_charge_ns = 0;
}

/* Sweeps one problem of ten with a budget of 1000 s, of which `passing_s` pass with its first
 * trial. */
static struct sweep *sweep_meanwhile(struct run *run, int64_t passing_s)
{
    to_charge_ns = passing_s * 1000000000;
    run->options.budget_ns = INT64_C(1000000000000);
    run->events.progress = let_time_pass;
    run->session.started_ns = clock_budget_ns();
    run->session.groups[0].problems_left = 10;
    struct sweep *sweep = run_sweep(run);
    RUN_OK(run, sweep_problem(&run->work, sweep, &run->error));
    return sweep;
}

/* A begun problem gets an answer even if its share is spent: baselines alone are no answer, and do
 * not race. */
TEST(test_baselines_are_no_answer)
{
    struct run *run = run_create(baselines_text, "time");
    run_start(run, 1);
    struct sweep *sweep = sweep_meanwhile(run, 300);
    assert_in_range(sweep->measured, 3, 5); /* until one configuration works */
    assert_true(sweep_has_contenders(&run->work, sweep));
    run_end_sweep(sweep);
    run_free(run);
    run = run_create(baselines_text, "time");
    run_start(run, 1);
    sweep = sweep_meanwhile(run, 1001);
    assert_in_range(sweep->measured, 1, 2);
    assert_false(sweep_has_contenders(&run->work, sweep));
    run_end_sweep(sweep);
    /* A whole run likewise: no race, and the results are those of the first problem. */
    run_free(run);
    run = run_create(baselines_text, "time");
    to_charge_ns = INT64_C(1001000000000);
    run->options.budget_ns = INT64_C(1000000000000);
    run->events.progress = let_time_pass;
    assert_int_equal(run_session(run), STATUS_NO_WINNER);
    assert_int_equal(run->summary.problems_left_out, run->summary.problems);
    assert_int_equal(run_count(run, "SELECT count(*) FROM rounds"), 0);
    run_free(run);
}

/* Starts a run of two sizes with 2400 configurations each. */
static struct run *create_large_run(void)
{
    struct text text = {0};
    const char *rest = strstr(usual_text, "derived:");
    text_append(&text, "experiment: twins\nsource: k.cu\nsizes: {n: [1000, 100000]}\n"
                       "parameters:\n  way: [one]\n  block: [64, 128, 256]\n  part: [1");
    for (int part = 2; part <= 800; part++)
        text_printf(&text, ", %d", part);
    text_append(&text, "]\n");
    text_append(&text, rest);
    struct run *run = run_create(text_string(&text), "time");
    text_free(&text);
    run_start(run, 1);
    return run;
}

/* Without a given number, some points of a large space are tried, and none if enough are known. A
 * search that begins with those of another size may end sooner if many are as good as its best. */
TEST(test_auto_says_how_many)
{
    struct run *run = create_large_run();
    struct sweep *first = sweep_through(run);
    assert_int_equal(first->space_count, 2400);
    assert_int_equal(first->measured, SEARCH_TRIALS);
    assert_true(first->searched_all);
    assert_non_null(strstr(run->notes, "n=1000: 300 of its 2400 configurations are tried; "));
    assert_int_equal(run->summary.searched_in_part, 1);
    run->summary.searched_in_part = 0; /* reported by a run for the first problem alone */
    const struct store_problem problem = {.experiment_id = run->work.experiment_id,
                                          .key = run->work.problem.key,
                                          .n = 100000,
                                          .ceiling = "read",
                                          .operations_type = "f32"};
    experiment_problem(run->experiment, 1, &run->work.problem);
    RUN_OK(run, store_problem(run->store, &problem, &run->work.problem_id, &run->error));
    struct sweep *second = sweep_through(run);
    assert_true(second->measured >= SEARCH_TRIALS_BEGUN && second->measured <= SEARCH_TRIALS);
    assert_non_null(strstr(run->notes, "n=100000: 300 of its 2400 configurations are tried at "
                                       "most, fewer when nothing better comes"));
    *run->notes = '\0';
    struct sweep *again = sweep_through(run);
    assert_int_equal(again->measured, 0);
    assert_null(strstr(run->notes, "configurations are tried"));
    run->options.points = (uint64_t)second->measured + 10;
    struct sweep *more = sweep_through(run);
    assert_int_equal(more->measured, 10);
    run_end_sweep(more);
    run_end_sweep(again);
    run_end_sweep(second);
    run_end_sweep(first);
    run_free(run);
}

/* A search that ended in a complete run before its limit is not continued, with another order of
 * its results either. */
TEST(test_a_search_that_has_ended_is_not_continued)
{
    enum { FEWER = 50 };
    struct run *run = create_large_run();
    struct sweep *first = sweep_through(run);
    assert_int_equal(first->measured, SEARCH_TRIALS);
    sqlite3 *db = NULL;
    char path[64];
    (void)string_format(path, sizeof path, "%s/tune.db", run->folder);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db,
                                  "DELETE FROM trials WHERE id IN (SELECT id FROM trials "
                                  "ORDER BY id DESC LIMIT 50);"
                                  "UPDATE searches SET points = points - 50;"
                                  "UPDATE runs SET outcome = 'complete'",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    struct sweep *again = sweep_through(run);
    assert_int_equal(again->measured, 0);
    assert_int_equal(sqlite3_exec(db, "UPDATE runs SET outcome = 'interrupted'", NULL, NULL, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    struct sweep *continued = sweep_through(run);
    assert_int_equal(continued->measured, FEWER);
    run_end_sweep(continued);
    run_end_sweep(again);
    run_end_sweep(first);
    run_free(run);
}

/* Makes another sweep whose search has requested all points of the pending binary and has no
 * others. */
static struct sweep *sweep_that_waits(struct run *run, const struct sweep *first, size_t pending)
{
    struct sweep *sweep = run_sweep(run);
    uint64_t point = 0;
    RUN_OK(run, window_start(&run->work, sweep, &run->error));
    sweep->window.capacity = first->candidates.count;
    sweep->window.items =
        realloc(sweep->window.items, sweep->window.capacity * sizeof *sweep->window.items);
    assert_non_null(sweep->window.items);
    for (size_t i = 0; i < first->candidates.count; i++) {
        struct candidate *requested = NULL;
        const struct candidate *candidate = first->candidates.items[i];
        if (candidate->binary != pending)
            continue;
        RUN_OK(run, sweep_candidate(&run->work, sweep, candidate->point, &requested, &run->error));
        requested->state = CANDIDATE_WAITS;
        requested->binary = pending;
        sweep->window.items[sweep->window.count++] = requested;
    }
    while (search_ask(sweep->search, &point))
        continue;
    return sweep;
}

static void end_sweep_that_waits(struct sweep *sweep)
{
    window_end(sweep);
    run_end_sweep(sweep);
}

/* Counts the configurations that the device gets until it waits: all of another binary, as fast at
 * the other size as the one before, or slower. */
static size_t count_given(struct run *run, struct sweep *sweep, struct sweep *first, size_t binary)
{
    double last_ns = 0;
    for (size_t count = 0;; count++) {
        RUN_OK(run, window_fill(&run->work, sweep, &run->error));
        struct candidate *taken = window_take(&run->work, sweep);
        if (!taken)
            return count;
        const struct candidate *same = candidate_of(first, run_key(sweep, taken));
        assert_int_equal(same->binary, binary);
        assert_true(same->median_ns >= last_ns);
        last_ns = same->median_ns;
        taken->state = CANDIDATE_DONE;
        sweep->window.in_hand--;
    }
}

/* Under a budget, while all requested points are being compiled, the device gets points tried at
 * another size that have their binary, the best first. */
TEST(test_the_device_does_not_wait_for_compilers)
{
    struct text text = {0};
    const char *const least = strstr(usual_text, "min(part, 2)");
    text_printf(&text, "%.*spart%s", (int)(least - usual_text), usual_text,
                least + strlen("min(part, 2)"));
    struct run *run = run_create(text_string(&text), "time");
    run_start(run, 1);
    run->options.budget_ns = INT64_MAX / 4;
    run->options.compiles_beside_measuring = true;
    run->options.strategy = "random";
    struct group *group = run->work.group;
    struct sweep *first = sweep_through(run);
    const size_t ready = candidate_of(first, "way=one block=64 part=1")->binary;
    const size_t pending = candidate_of(first, "way=two block=64 part=1")->binary;
    struct contest *contest = contest_create(&run->work, first);
    assert_non_null(contest);
    experiment_problem(run->experiment, 1, &run->work.problem);
    group->binaries.items[pending].state = BINARY_PENDING;
    struct sweep *alone = sweep_that_waits(run, first, pending);
    assert_int_equal(count_given(run, alone, first, ready), 0);
    group->last_contest = contest;
    struct sweep *second = sweep_that_waits(run, first, pending);
    assert_int_equal(count_given(run, second, first, ready), 6);
    group->binaries.items[pending].state = BINARY_READY;
    end_sweep_that_waits(second);
    end_sweep_that_waits(alone);
    contest_free(contest);
    run_free(run);
    text_free(&text);
}

TEST_MAIN_WITH_WORKERS(NULL, NULL)
