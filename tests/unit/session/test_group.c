/* All problems of a run on a group of null devices; and looks at unlisted sizes. */
#include "session_fixture.h"

#include "tuner/session/look.h"
#include "tuner/session/losses.h"

/* Starts a run of both sizes of the experiment without beginning it. */
static struct run *start(size_t devices, const struct session_experiment *experiment)
{
    struct run *run = run_create(usual_text, "time");
    struct session_experiment *of = (struct session_experiment *)experiment;
    run->options.protocol.confirm_processes = 2;
    run->options.protocol.confirm_rounds = 3;
    run_start(run, devices);
    of->experiment = run->experiment;
    run->session.experiments = experiment;
    run->session.experiment_count = 1;
    RUN_OK(run, group_count_work(run->work.group, &run->error));
    return run;
}

static void run_group(struct run *run)
{
    struct group *group = run->work.group;
    group_run(group);
    if (group->status != STATUS_OK)
        fail_msg("%s", group->error.text);
}

TEST(test_spaces_are_made_once_and_counted)
{
    struct session_experiment experiment = {0};
    struct run *run = start(1, &experiment);
    const struct group *group = run->work.group;
    assert_int_equal(group->spaces.count, 2);
    assert_int_equal(group->problems_left, 2);
    assert_int_equal(run->session.progress.problem_count, 2);
    assert_int_equal(run->session.progress.points_total, 24);
    assert_int_equal(run->summary.points_legal, 24);
    assert_int_equal(run->summary.points_product, 24);
    run_group(run);
    assert_int_equal(group->spaces.count, 0); /* each was passed to its sweep */
    run_free(run);
}

TEST(test_a_whole_run)
{
    struct session_experiment experiment = {0};
    struct run *run = start(1, &experiment);
    run_group(run);
    const struct session_summary *summary = &run->summary;
    assert_int_equal(summary->problems, 2);
    assert_int_equal(summary->problems_without_winner, 0);
    assert_int_equal(summary->points, 24);
    assert_int_equal(summary->trials, 24);
    assert_int_equal(summary->winners, 2);
    assert_int_equal(summary->verdicts[0] + summary->verdicts[1] + summary->verdicts[2], 2);
    assert_true(summary->ranges >= 1 && summary->sizes == 2);
    assert_int_equal(run->winners, 4); /* chosen by the race and by fresh processes */
    assert_int_equal(run_count(run, "SELECT count(*) FROM winners WHERE stage = 'confirm'"), 2);
    assert_int_equal(run_count(run, "SELECT count(*) FROM ranges"), (int64_t)summary->ranges);
    assert_int_equal(run_count(run, "SELECT min(n_low) FROM ranges"), 1000);
    assert_int_equal(run_count(run, "SELECT max(n_high) FROM ranges"), 100000);
    /* The second time there is no work left. */
    run->winners = 0;
    RUN_OK(run, group_count_work(run->work.group, &run->error));
    run_group(run);
    assert_int_equal(summary->trials, 24);
    assert_int_equal(summary->trials_known, 24);
    assert_int_equal(run->winners, 0);
    run_free(run);
}

/* Two devices that are alike race and confirm a problem each, all rounds of a problem on one. */
TEST(test_like_devices_race_a_problem_each)
{
    struct session_experiment experiment = {0};
    struct run *run = start(2, &experiment);
    run_group(run);
    assert_int_equal(run->summary.winners, 2);
    assert_int_equal(run->winners, 4);
    for (int i = 0; i < 2; i++) {
        char sql[256];
        (void)string_format(sql, sizeof sql,
                            "SELECT count(DISTINCT run_id) * 10 + count(DISTINCT problem_id) "
                            "FROM rounds WHERE stage = '%s'",
                            i == 0 ? "race" : "confirm");
        assert_int_equal(run_count(run, sql), 22);
    }
    assert_int_equal(run_count(run, "SELECT max(devices) FROM (SELECT count(DISTINCT run_id) AS "
                                    "devices FROM rounds GROUP BY problem_id, stage, process = 0)"),
                     1);
    run_free(run);
}

TEST(test_a_limited_run_has_no_ranges)
{
    const int64_t n = 1000;
    const struct session_pick only[] = {{"twins", n, "way=one block=64 part=1", false},
                                        {"twins", n, "way=two block=128 part=2", true}};
    struct session_experiment experiment = {0};
    struct run *run = run_create(usual_text, "time");
    run->options.picks = only;
    run->options.pick_count = 2;
    run_start(run, 1);
    experiment.experiment = run->experiment;
    run->session.experiments = &experiment;
    run->session.experiment_count = 1;
    RUN_OK(run, group_count_work(run->work.group, &run->error));
    assert_int_equal(run->work.group->spaces.count, 1); /* the listed size's */
    run_group(run);
    assert_int_equal(run->summary.trials, 2);
    assert_int_equal(run_count(run, "SELECT count(*) FROM ranges"), 0);
    /* Each has its interval, the slower one as well. */
    assert_int_equal(run_count(run, "SELECT count(*) FROM contenders WHERE difference_low IS NOT "
                                    "NULL"),
                     2);
    run_free(run);
}

TEST(test_a_spent_budget_leaves_problems_out)
{
    struct session_experiment experiment = {0};
    struct run *run = start(1, &experiment);
    run->options.budget_ns = 1; /* since the session began: long ago */
    run_group(run);
    assert_int_equal(run->summary.problems, 2);
    assert_int_equal(run->summary.problems_left_out, 2);
    assert_int_equal(run->summary.problems_without_winner, 2);
    assert_int_equal(run->summary.winners, 0);
    assert_true(run->summary.cut_short != 0);
    run_free(run);
}

/* Two configurations at a size that the file does not name. */
TEST(test_a_look_compares_a_few)
{
    struct run *run = run_create(usual_text, "time");
    run_start(run, 1);
    struct lane *lane = group_lane(run->work.group);
    struct sweep *sweep = run_sweep(run);
    struct configuration configurations[2];
    const struct configuration *list[2] = {&configurations[0], &configurations[1]};
    struct problem problem;
    struct look look;
    space_configuration(sweep->space, 0, &configurations[0]);
    space_configuration(sweep->space, 11, &configurations[1]);
    problem = problem_at(&run->work.problem, 30000);
    RUN_OK(run, look_at(&run->work, lane, &problem, list, 2, &look, &run->error));
    assert_true(look.works);
    assert_true(look.best < 2);
    assert_true(look.losses[look.best].estimate == 0);
    assert_true(look.losses[1 - look.best].estimate >= 0);
    assert_true(look.losses[1 - look.best].high >= look.losses[1 - look.best].estimate);
    /* No rows are left, and no problem of an unlisted size. */
    assert_int_equal(run_count(run, "SELECT count(*) FROM trials"), 0);
    assert_int_equal(run_count(run, "SELECT count(*) FROM rounds"), 0);
    assert_null(lane->known);
    assert_int_equal(run->work.problem.n, 1000);
    run_end_sweep(sweep);
    run_free(run);
}

TEST(test_losses_are_what_the_store_has)
{
    struct session_experiment experiment = {0};
    struct run *run = start(1, &experiment);
    struct losses losses;
    bool covered = true;
    RUN_OK(run, losses_covered(&run->work, run->work.problem.key, &covered, &run->error));
    assert_false(covered);
    run_group(run);
    RUN_OK(run, losses_covered(&run->work, run->work.problem.key, &covered, &run->error));
    assert_true(covered);
    RUN_OK(run, losses_load(&run->work, &losses, &run->error));
    assert_int_equal(losses.spot_count, 2);
    assert_int_equal(losses.sizes[0], 1000);
    assert_int_equal(losses.sizes[1], 100000);
    for (size_t size = 0; size < 2; size++) {
        assert_true(losses.winners[size] < losses.count);
        assert_true(losses.loss[size * losses.count + losses.winners[size]] == 0);
        assert_true(losses.bound[size * losses.count + losses.winners[size]] == 0);
        assert_non_null(losses_configuration(&losses, losses.winners[size]));
    }
    losses_free(&losses);
    run_free(run);
}

TEST_MAIN_WITH_WORKERS(NULL, NULL)
