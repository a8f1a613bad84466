/* The results of earlier runs that a changed experiment keeps, and the possible winners. */
#include "session_fixture.h"

static struct run *create(void)
{
    struct run *run = run_create(usual_text, "time");
    run->options.protocol.look_between = 0;
    return run;
}

/* Runs a whole session of the experiment with `from` replaced. */
static void run_changed(struct run *run, const char *from, const char *to)
{
    struct text text = {0};
    char path[64];
    const char *at = strstr(usual_text, from);
    assert_non_null(at);
    text_printf(&text, "%.*s%s%s", (int)(at - usual_text), usual_text, to, at + strlen(from));
    run_write(run, "t.yaml", text_string(&text));
    text_free(&text);
    objective_free(run->objective);
    experiment_free(run->experiment);
    (void)string_format(path, sizeof path, "%s/t.yaml", run->folder);
    RUN_OK(run, experiment_load(path, run->folder, &run->experiment, &run->error));
    RUN_OK(run,
           objective_create(run->experiment, run->options.objective, &run->objective, &run->error));
    run->summary = (struct session_summary){0};
    RUN_OK(run, run_session(run));
}

static int64_t sweep_trials(struct run *run)
{
    return run_count(run, "SELECT count(*) FROM trials WHERE stage = 'sweep'");
}

TEST(test_more_values_make_nothing_stale)
{
    struct run *run = create();
    RUN_OK(run, run_session(run));
    assert_int_equal(sweep_trials(run), 2 * 12);
    run_changed(run, "block: [64, 128]", "block: [64, 128, 256]");
    assert_int_equal(run->summary.trials_known, 2 * 12);
    assert_int_equal(sweep_trials(run), 2 * 18);
    assert_int_equal(run_count(run,
                               "SELECT max(trials) FROM (SELECT count(*) AS trials FROM trials "
                               "WHERE stage = 'sweep' GROUP BY problem_id, configuration_id)"),
                     1);
    assert_null(strstr(run->notes, "stale"));
    run_changed(run, "sizes: {n: [1000, 100000]}", "sizes: {n: [1000, 5000, 100000]}");
    assert_int_equal(sweep_trials(run), 2 * 18 + 12);
    run_free(run);
}

/* However it was measured, a configuration that the experiment no longer allows is neither raced
 * nor chosen. */
TEST(test_what_is_no_longer_allowed_does_not_win)
{
    static const char winners_of_64[] =
        "SELECT count(*) FROM latest_winners AS w JOIN trials AS t ON t.id = w.trial_id JOIN "
        "configurations AS c ON c.id = t.configuration_id WHERE c.key LIKE '%block=64%'";
    struct run *run = create();
    RUN_OK(run, run_session(run));
    run_changed(run, "derived:", "constraints: ['block == 64', 'part < 3']\nderived:");
    assert_int_equal(sweep_trials(run), 2 * 12);
    assert_int_equal(run->summary.trials_known, 2 * 4);
    assert_int_equal(run_count(run, winners_of_64), 2);
    assert_null(strstr(run->notes, "stale"));
    run_changed(run, "block: [64, 128]", "block: [128]");
    assert_int_equal(sweep_trials(run), 2 * 12);
    assert_int_equal(run_count(run, winners_of_64), 0);
    run_free(run);
}

/* Equal values with another launch, other arguments or another reference are measured again. */
TEST(test_another_meaning_is_measured_again)
{
    static const char *const changes[][2] = {
        {"grid: 'ceil_div(n, block * least)'", "grid: '2 * ceil_div(n, block * least)'"},
        {"value: least}", "value: least + 1}"},
        {"tolerance: 0", "tolerance: 0.5"},
    };
    struct run *run = create();
    RUN_OK(run, run_session(run));
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        run_changed(run, changes[i][0], changes[i][1]);
        assert_int_equal(run->summary.trials_known, 0);
        assert_int_equal(sweep_trials(run), (int64_t)(2 * 12 * (i + 2)));
    }
    run_free(run);
}

static int64_t winners_of(struct run *run, const char *condition)
{
    char sql[160];
    (void)string_format(sql, sizeof sql, "SELECT count(*) FROM winners WHERE %s", condition);
    return run_count(run, sql);
}

/* A more thorough run continues a quick one; a later quick run takes nothing back. */
TEST(test_what_was_swept_is_confirmed_later)
{
    struct run *run = create();
    RUN_OK(run, run_session(run));
    assert_int_equal(winners_of(run, "stage = 'race'"), 2);
    run->options.protocol.confirm_processes = 2;
    run->options.protocol.confirm_rounds = 3;
    run->summary = (struct session_summary){0};
    RUN_OK(run, run_session(run));
    assert_int_equal(run->summary.trials_known, 2 * 12);
    assert_int_equal(sweep_trials(run), 2 * 12);
    assert_int_equal(winners_of(run, "stage = 'confirm' AND processes = 2"), 2);
    const int64_t rounds = run_count(run, "SELECT count(*) FROM rounds");
    run->options.protocol.confirm_processes = 0;
    RUN_OK(run, run_session(run));
    assert_int_equal(winners_of(run, "stage = 'confirm' AND processes = 2"), 2);
    assert_int_equal(run_count(run, "SELECT count(*) FROM rounds"), rounds);
    run_free(run);
}

/* Times with a warm cache say nothing about a cold one: each has its own trials and winners. */
TEST(test_cold_and_hot_caches_are_apart)
{
    struct run *run = create();
    RUN_OK(run, run_session(run));
    run->options.l2_mode = run->options.l2_mode == L2_COLD ? L2_HOT : L2_COLD;
    run->summary = (struct session_summary){0};
    RUN_OK(run, run_session(run));
    assert_int_equal(run->summary.trials_known, 0);
    assert_int_equal(sweep_trials(run), 2 * 2 * 12);
    assert_int_equal(winners_of(run, "l2_mode = 'cold'"), 2);
    assert_int_equal(winners_of(run, "l2_mode = 'hot'"), 2);
    run_free(run);
}

/* Another objective does not repeat the sweep, and has its own winners beside the others. */
TEST(test_another_objective_chooses_among_what_is_known)
{
    struct run *run = create();
    RUN_OK(run, run_session(run));
    run->options.objective = "time_ns * block";
    run_changed(run, "experiment: twins", "experiment: twins");
    assert_int_equal(run->summary.trials_known, 2 * 12);
    assert_int_equal(sweep_trials(run), 2 * 12);
    assert_int_equal(winners_of(run, "objective = 'time'"), 2);
    assert_int_equal(winners_of(run, "objective = 'time_ns * block'"), 2);
    run_free(run);
}

TEST_MAIN_WITH_WORKERS(NULL, NULL)
