/* The shares of a budget. */

#include <string.h>

#include "tests/unit/suite.h"
#include "tuner/base/clock.h"
#include "tuner/session/run.h"

static const int64_t second = 1000000000;

/* A run with a budget, and a problem of it. */
struct budgeted {
    struct session_options options;
    struct session_summary summary;
    struct session session;
    struct group group;
    struct allowance allowance;
};

/* Begins a run that started `age_ns` ago, with a number of problems left. */
static void begin(struct budgeted *run, int64_t budget_ns, int64_t confirm_processes,
                  size_t problems, int64_t age_ns)
{
    memset(run, 0, sizeof *run);
    run->options.budget_ns = budget_ns;
    run->options.protocol.confirm_processes = confirm_processes;
    run->session.options = &run->options;
    run->session.summary = &run->summary;
    run->session.started_ns = clock_now_ns() - age_ns;
    run->group.session = &run->session;
    run->group.problems_left = problems;
    budget_share(&run->group, &run->allowance);
}

/* Makes the sweep last that long. */
static void let_pass(struct budgeted *run, int64_t ns)
{
    run->session.started_ns -= ns;
    run->allowance.sweep_end_ns -= ns;
    run->allowance.race_end_ns -= ns;
}

TEST(test_without_a_budget_there_is_no_end)
{
    struct budgeted run;
    begin(&run, 0, 0, 3, 0);
    assert_int_equal(budget_end_ns(&run.session), 0);
    assert_int_equal(run.allowance.sweep_end_ns, 0);
    assert_int_equal(budget_race_end_ns(&run.group, &run.allowance), 0);
    assert_false(budget_over(&run.session, STAGE_RACE, 0));
    assert_int_equal(run.summary.cut_short, 0);
}

TEST(test_a_budget_is_shared_out)
{
    struct budgeted run;
    begin(&run, 3600 * second, 8, 4, 0);
    int64_t start = run.session.started_ns;
    int64_t end = budget_end_ns(&run.session);
    int64_t race = budget_race_end_ns(&run.group, &run.allowance);
    /* Two seconds are reserved for writing the results. */
    assert_int_equal(end, start + 3598 * second);
    /* Time is left for the race, for three more problems like this, and for the confirmation. */
    assert_true(run.allowance.sweep_end_ns > start && run.allowance.sweep_end_ns < race);
    assert_true(race - start <= 3600 * second / 4);
    assert_true(4 * (race - start) < 3600 * second * 9 / 10);
    /* The last problem may use the time that earlier ones left. */
    run.group.problems_left = 1;
    budget_share(&run.group, &run.allowance);
    assert_true(budget_race_end_ns(&run.group, &run.allowance) - start > 3600 * second / 2);
    assert_true(budget_race_end_ns(&run.group, &run.allowance) < end);
    assert_false(budget_over(&run.session, STAGE_RACE, race));
    assert_int_equal(run.summary.cut_short, 0);
}

TEST(test_without_a_confirmation_sweeps_and_races_have_it_all)
{
    struct budgeted run;
    begin(&run, 3600 * second, 0, 1, 0);
    int64_t start = run.session.started_ns;
    assert_true(run.allowance.sweep_end_ns - start > 3600 * second * 8 / 10);
    assert_true(run.allowance.sweep_end_ns < budget_race_end_ns(&run.group, &run.allowance));
    assert_true(budget_race_end_ns(&run.group, &run.allowance) - start > 3600 * second * 99 / 100);
}

/* If a budget covers few of the points, points come before processes and rounds. */
TEST(test_points_come_before_processes)
{
    struct budgeted run;
    int64_t swept[2], raced[2];
    for (int many = 0; many < 2; many++) {
        begin(&run, 22 * second, 8, 1, second);
        run.group.costs.fresh_ns = second; /* eight processes take more than is kept at most */
        run.allowance.points_most = many ? 5000 : 100;
        budget_begin_sweep(&run.group, &run.allowance);
        const int64_t now = clock_now_ns();
        swept[many] = run.allowance.sweep_end_ns - now;
        raced[many] = budget_race_end_ns(&run.group, &run.allowance) - now;
    }
    assert_true(swept[1] > swept[0] * 3 / 2);
    assert_true(raced[1] > raced[0] + second); /* there are fewer processes to keep time for ... */
    assert_true(raced[1] < 17 * second);       /* ... but three */
}

/* Where compilers are so slow that a sweep would try a handful, it has the confirmation's time, and
 * waits for no binary that would come too late. */
TEST(test_a_slow_compiler_leaves_the_sweep_more)
{
    struct budgeted run;
    int64_t swept[2];
    for (int slow = 0; slow < 2; slow++) {
        begin(&run, 12 * second, 8, 1, 4 * second);
        run.options.compiles_beside_measuring = true;
        run.group.costs.fresh_ns = second;
        run.group.costs.trials = 1;
        run.group.binaries.workers = run.group.binaries.compiled = 2;
        run.group.binaries.least_compile_ns = slow ? second * 7 / 2 : second / 100;
        run.group.binaries.compile_ns = 2 * (double)run.group.binaries.least_compile_ns;
        run.allowance.points_most = 96;
        budget_begin_sweep(&run.group, &run.allowance);
        swept[slow] = run.allowance.sweep_end_ns - clock_budget_ns();
        assert_int_equal(run.allowance.tries_few, slow);
        assert_in_range(budget_trials(&run.group, &run.allowance), slow ? 2 : 60, slow ? 6 : 200);
        assert_true(budget_awaits_compilers(&run.group, &run.allowance));
    }
    assert_true(swept[1] > 2 * swept[0]);
    assert_in_range(budget_batch(&run.group, &run.allowance, 17), 4, 8); /* as many as fit */
    run.options.compiles_beside_measuring = false;
    assert_int_equal(budget_batch(&run.group, &run.allowance, 17), 2); /* one for each compiler */
    let_pass(&run, 4 * second);
    assert_false(budget_awaits_compilers(&run.group, &run.allowance));
    run.group.costs.trials = 5; /* most needed no compilation */
    assert_true(budget_awaits_compilers(&run.group, &run.allowance));
}

/* A fresh process needs less time for set-ups that are repeated: the sweep gets the rest. */
TEST(test_inputs_are_made_again_in_less_time)
{
    struct budgeted run;
    begin(&run, 22 * second, 8, 1, second);
    run.group.costs.fresh_ns = second / 2;
    run.allowance.points_most = 5000;
    run.allowance.setup_ns = second;
    budget_begin_sweep(&run.group, &run.allowance);
    /* 20.5 s remain; the checks are expected to take 2.8 s, and three processes 3.25 s. */
    const int64_t left_ns = run.allowance.race_end_ns - clock_now_ns();
    assert_true(left_ns > 13 * second && left_ns < 15 * second);
}

/* As many race as the race's share has a few rounds for, and as many are timed in other states of
 * the cache as the rest of it has time for. */
TEST(test_the_races_share_says_how_many_race)
{
    struct budgeted run;
    begin(&run, 0, 0, 1, 0);
    assert_int_equal(budget_entrants(&run.group, &run.allowance, 1e6), SIZE_MAX);
    assert_int_equal(budget_screened(&run.group, &run.allowance, 1e6, 8), SIZE_MAX);
    begin(&run, 100 * second, 0, 1, 0);
    const size_t of_short = budget_entrants(&run.group, &run.allowance, 5e6);
    assert_in_range(of_short, 300, 400); /* 15 s in rounds of 40 ms each */
    assert_in_range(budget_entrants(&run.group, &run.allowance, 50e6), of_short / 11, of_short / 9);
    assert_int_equal(budget_entrants(&run.group, &run.allowance, 60e9), 4);
    run.allowance.race_end_ns = clock_budget_ns() + 16 * second;
    assert_in_range(budget_screened(&run.group, &run.allowance, 0.25e9, 4), 2, 4);
    run.group.costs.state_visit_ns = 3e9; /* as before */
    assert_in_range(budget_screened(&run.group, &run.allowance, 0.25e9, 4), 0, 1);
    run.allowance.race_end_ns = clock_budget_ns() - second;
    assert_int_equal(budget_screened(&run.group, &run.allowance, 1e3, 4), 0);
}

/* A race by energy takes a window for each visit, which the sweep leaves it; a budget that has no
 * time for any names one that does. */
TEST(test_a_race_by_energy_has_time_for_its_windows)
{
    struct budgeted run;
    begin(&run, 20 * second, 8, 1, 0);
    run.session.needs_energy = true;
    run.options.protocol.energy_window_ms = 500;
    run.options.protocol.energy_rounds = 5;
    run.options.protocol.finalists = 12;
    run.allowance.points_most = 5000; /* few of these are tried: the sweep would get 88 % */
    run.allowance.baselines = 2;
    budget_begin_sweep(&run.group, &run.allowance);
    /* Two rounds of four candidates, two baselines and the twin. */
    const int64_t windows_ns = (int64_t)2 * 7 * second / 2;
    assert_true(run.allowance.race_end_ns - run.allowance.sweep_end_ns > windows_ns);
    assert_true(run.allowance.sweep_end_ns > clock_now_ns() + second);
    assert_int_equal(budget_entrants(&run.group, &run.allowance, 1e6), 4);
    assert_true(budget_needed_ns(&run.group, &run.allowance) == 0);
    run.group.problems_left = 2;
    assert_true(budget_needed_ns(&run.group, &run.allowance) > 20e9);
    begin(&run, 200 * second, 8, 1, 0);
    run.session.needs_energy = true;
    run.options.protocol.energy_rounds = 5;
    run.group.costs.energy_visit_ns = second / 2; /* as measured */
    budget_begin_sweep(&run.group, &run.allowance);
    assert_in_range(budget_entrants(&run.group, &run.allowance, 1e6), 12, 25);
}

/* The sweep also gets the time that three prepared processes save. */
TEST(test_what_spares_save_is_the_sweeps)
{
    struct budgeted run;
    int64_t left_ns[2];
    for (int spares = 0; spares < 2; spares++) {
        begin(&run, 22 * second, 8, 1, second);
        run.group.costs.fresh_ns = second;
        run.group.costs.spared_ns = spares ? second / 2 : 0;
        run.allowance.points_most = 5000;
        budget_begin_sweep(&run.group, &run.allowance);
        left_ns[spares] = run.allowance.race_end_ns - clock_now_ns();
    }
    assert_in_range(left_ns[1] - left_ns[0], second, 2 * second); /* three times half of one */
}

/* Each problem uses its share: the last one gets as much as the first. */
TEST(test_the_last_problem_gets_as_much_as_the_first)
{
    enum { PROBLEMS = 50 };
    struct budgeted run;
    begin(&run, 10 * second * PROBLEMS, 0, PROBLEMS, 0);
    for (; run.group.problems_left > 0; run.group.problems_left--) {
        int64_t now = clock_now_ns();
        budget_share(&run.group, &run.allowance);
        assert_in_range(run.allowance.sweep_end_ns - now, 8 * second, 9 * second);
        let_pass(&run, run.allowance.sweep_end_ns - now);
        now = clock_now_ns();
        int64_t race_ns = budget_race_end_ns(&run.group, &run.allowance) - now;
        assert_in_range(race_ns, second, 2 * second);
        let_pass(&run, race_ns);
    }
}

/* If the compiler delayed a sweep, its race is as long as others, not three rounds. */
TEST(test_a_late_sweep_leaves_its_race_a_share)
{
    struct budgeted run;
    begin(&run, 3600 * second, 0, 36, 0);
    let_pass(&run, 200 * second);
    assert_true(budget_race_end_ns(&run.group, &run.allowance) - clock_now_ns() > 13 * second);
}

/* Times of set-ups and checks, equal for each problem. */
struct fixed_costs {
    int64_t set_up_ns, checks_ns;
};

/* Runs one problem that uses its share; returns the duration of its sweep. */
static int64_t run_one(struct budgeted *run, const struct fixed_costs *costs)
{
    budget_share(&run->group, &run->allowance);
    let_pass(run, costs->set_up_ns);
    run->group.clock.spent_ns[STAGE_SET_UP] += costs->set_up_ns;
    budget_begin_sweep(&run->group, &run->allowance);
    int64_t sweep_ns = run->allowance.sweep_end_ns - clock_now_ns();
    let_pass(run, sweep_ns);
    let_pass(run, budget_race_end_ns(&run->group, &run->allowance) - clock_now_ns());
    let_pass(run, costs->checks_ns);
    run->group.clock.spent_ns[STAGE_CHECK] += costs->checks_ns;
    budget_end_problem(&run->group, &run->allowance, true);
    run->group.problems_left--;
    return sweep_ns;
}

/* Runs a number of problems in 60 s; gives the shortest and longest sweep, and returns the number
 * begun. */
static size_t run_many(struct budgeted *run, size_t problems, const struct fixed_costs *costs,
                       int64_t *least_ns, int64_t *most_ns)
{
    size_t begun = 0;
    *least_ns = INT64_MAX;
    *most_ns = 0;
    begin(run, 60 * second, 8, problems, 0);
    run->allowance.points_most = 60;
    for (; begun < problems && budget_fits_problem(&run->group); begun++) {
        int64_t sweep_ns = run_one(run, costs);
        *least_ns = sweep_ns < *least_ns ? sweep_ns : *least_ns;
        *most_ns = sweep_ns > *most_ns ? sweep_ns : *most_ns;
    }
    return begun;
}

TEST(test_set_ups_and_checks_are_not_taken_from_the_last)
{
    static const struct fixed_costs little = {second / 20, second / 10},
                                    much = {second / 2, second / 2}, most = {2 * second, second};
    struct budgeted run;
    int64_t least_ns = 0;
    int64_t most_ns = 0;
    assert_int_equal(run_many(&run, 33, &little, &least_ns, &most_ns), 33);
    assert_in_range(least_ns, most_ns / 2, most_ns);
    int64_t passed_ns = clock_now_ns() - run.session.started_ns;
    assert_in_range(passed_ns, 36 * second, 41 * second);
    /* If the problems leave too little of two thirds, the confirmation waits. */
    assert_int_equal(run_many(&run, 33, &much, &least_ns, &most_ns), 33);
    assert_in_range(least_ns, most_ns / 2, most_ns);
    assert_in_range(least_ns, second / 10, second);
    passed_ns = clock_now_ns() - run.session.started_ns;
    assert_in_range(passed_ns, 45 * second, 60 * second);
    /* If the budget cannot pay for all, no problem is begun that would not end in time. */
    assert_in_range(run_many(&run, 33, &most, &least_ns, &most_ns), 15, 20);
    passed_ns = clock_now_ns() - run.session.started_ns;
    assert_in_range(passed_ns, 50 * second, 62 * second);
    assert_int_equal(run.summary.cut_short, 1 << STAGE_SET_UP);
}

/* The expected checks of a single problem are taken from its sweep. */
TEST(test_the_checks_of_the_first_problem_are_expected)
{
    struct budgeted run;
    begin(&run, 20 * second, 0, 1, 0);
    run.allowance.setup_ns = second;
    run.group.clock.spent_ns[STAGE_SET_UP] = 2 * second;
    let_pass(&run, 2 * second);
    budget_begin_sweep(&run.group, &run.allowance);
    assert_in_range(run.allowance.race_end_ns - run.session.started_ns, 10 * second, 17 * second);
    /* Late all the same: fewer are checked, two at least; and none is watched for long. */
    assert_int_equal(budget_finalists(&run.group, &run.allowance, 12), 12);
    let_pass(&run, 16 * second);
    assert_in_range(budget_finalists(&run.group, &run.allowance, 12), 2, 6);
    let_pass(&run, 3 * second);
    assert_int_equal(budget_finalists(&run.group, &run.allowance, 12), 2);
    assert_in_range(budget_watch_ms(&run.group, &run.allowance, 500), 20, 50);
    /* Checks that do not fit at all leave the sweep a share of the rest. */
    begin(&run, 3 * second, 0, 1, 0);
    run.allowance.setup_ns = second;
    run.group.clock.spent_ns[STAGE_SET_UP] = second;
    let_pass(&run, 2 * second);
    budget_begin_sweep(&run.group, &run.allowance);
    assert_in_range(run.allowance.sweep_end_ns - clock_budget_ns(), second / 8, second / 3);
    begin(&run, 0, 0, 1, 0);
    assert_int_equal(budget_finalists(&run.group, &run.allowance, 12), 12);
    assert_int_equal(budget_watch_ms(&run.group, &run.allowance, 500), 500);
}

/* Checks at other sizes end in time for the problems behind, which are begun though such checks
 * would not fit for them. */
TEST(test_checks_that_may_be_missing_starve_no_problem)
{
    struct budgeted run;
    begin(&run, 40 * second, 0, 4, 0);
    run.session.watch_ms = WATCH_MOST_MS;
    let_pass(&run, 4 * second);
    int64_t watch_at_ns = 0;
    int64_t end_ns = budget_checks_end_ns(&run.group, &run.allowance, 1e9, &watch_at_ns);
    assert_in_range(end_ns - clock_budget_ns(), 8 * second, 9 * second);
    assert_in_range(watch_at_ns, budget_end_ns(&run.session) - second / 2,
                    budget_end_ns(&run.session) - second / 100);
    run.group.clock.spent_ns[STAGE_SET_UP] = second;
    run.group.clock.spent_ns[STAGE_CHECK] = 30 * second;
    run.group.costs.own_checks_ns = second;
    let_pass(&run, 32 * second);
    budget_end_problem(&run.group, &run.allowance, true);
    run.group.problems_left = 1;
    assert_true(budget_fits_problem(&run.group));
    assert_false(budget_sweep_ended(&run.group, &run.allowance));
    run.group.costs.own_checks_ns = 30 * second;
    assert_false(budget_fits_problem(&run.group));
    assert_true(budget_sweep_ended(&run.group, &run.allowance));
    begin(&run, 0, 0, 4, 0);
    assert_int_equal(budget_checks_end_ns(&run.group, &run.allowance, 1e9, &watch_at_ns), 0);
    assert_int_equal(watch_at_ns, 0);
}

TEST(test_a_spent_budget_leaves_a_moment_and_is_told)
{
    struct budgeted run;
    begin(&run, second, 0, 0, 2 * second);
    assert_true(run.allowance.sweep_end_ns != 0); /* 0 would be for ever */
    assert_true(budget_race_end_ns(&run.group, &run.allowance) <= clock_now_ns() + 1);
    assert_true(budget_over(&run.session, STAGE_RACE, budget_end_ns(&run.session)));
    assert_int_equal(run.summary.cut_short, 1 << STAGE_RACE);
}

TEST_MAIN(NULL, NULL)
