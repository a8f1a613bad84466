/* Checks of the results of timed runs, outside the timed part. */
#include "worker_fixture.h"

/* Sends the problem with its references, or without; every second copy of the input differs. */
static void tell(bool checked, double absolute, bool is_update)
{
    struct error error = {0};
    struct launch_plan plan = plan_of("", ELEMENTS, 0);
    struct worker_task problem = {.plan = &plan, .varies = true};
    if (is_update) {
        plan.arguments[1].role = ARGUMENT_UPDATE;
        plan.arguments[1].fill = FILL_CONSTANT;
        plan.arguments[1].fill_low = 1;
    }
    if (checked)
        problem.checks = checks_of();
    problem.checks.items[0].tolerance.absolute = absolute;
    if (worker_problem(worker, &problem, &error) != STATUS_OK)
        fail_msg("%s", error.text);
}

static void arm(const char *kernel, uint32_t runs, enum l2_mode mode, bool is_update,
                const struct worker_results *results)
{
    struct error error = {0};
    struct launch_plan plan = plan_of(kernel, ELEMENTS, 'r');
    struct worker_task what = {.binary_path = kernels_path,
                               .plan = &plan,
                               .l2_mode = mode,
                               .runs = runs,
                               .results = results};
    if (is_update) {
        plan.arguments[1].role = ARGUMENT_UPDATE;
        plan.arguments[1].fill = FILL_CONSTANT;
        plan.arguments[1].fill_low = 1;
    }
    if (worker_arm(worker, 0, &what, &error) != STATUS_OK)
        fail_msg("%s", error.text);
}

/* Begins another round, whose blocks begin with another copy. */
static void next_round(void)
{
    struct error error = {0};
    struct worker_moment moment;
    assert_int_equal(worker_moment(worker, false, &moment, &error), STATUS_OK);
}

/* Visits until a failure, at most `most` times; `results` are those of the last visit. */
static struct worker_outcome visit_often(int most, uint32_t blocks, struct worker_results *results)
{
    struct worker_outcome outcome = {.status = TRIAL_OK};
    struct worker_samples samples;
    for (int i = 0; i < most && outcome.status == TRIAL_OK; i++) {
        next_round();
        outcome = visit(0, blocks, TIMEOUT_MS, &samples);
        *results = samples.results;
    }
    return outcome;
}

TEST_WITH(right_ones_are_counted, start_quick_worker, stop_worker)
{
    struct worker_results results;
    tell(true, 0, false);
    arm("right", 4, L2_COLD, false, NULL);
    assert_string_equal(visit_often(6, 2, &results).detail, "");
    assert_int_equal(results.compared, 1);
    assert_int_equal(results.outputs, 1 << 1);
    assert_true(results.exact && !results.unsteady && !results.unsure);
    assert_true(results.known[0] && results.known[1] && results.sums[0] != results.sums[1]);
    for (enum l2_mode mode = L2_HOT; mode <= L2_DIRTY; mode++) {
        arm("right", 3, mode, false, NULL);
        assert_string_equal(visit_often(4, 1, &results).detail, "");
    }
}

TEST_WITH(wrong_ones_are_named, start_quick_worker, stop_worker)
{
    static const char *const kernels[] = {"lately", "recall", "skip"};
    struct worker_results results;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        tell(true, 0, false);
        arm(kernels[i], 2, L2_COLD, false, NULL);
        struct worker_outcome outcome = visit_often(6, 1, &results);
        assert_int_equal(outcome.status, TRIAL_WRONG_RESULT);
        if (!strstr(outcome.detail, "run 2 of 2 timed in a row") || !strstr(outcome.detail, "out["))
            fail_msg("%s: %s", kernels[i], outcome.detail);
    }
    /* Equal copies: a kernel that remembers its result is not detected. */
    tell_problem(ELEMENTS);
    arm("recall", 2, L2_COLD, false, NULL);
    assert_string_equal(visit_often(6, 1, &results).detail, "");
}

/* A trial keeps no sums of outputs of more than a mebibyte: these are compared with the reference.
 */
TEST_WITH(large_ones_of_a_trial_are_looked_at, start_quick_worker, stop_worker)
{
    enum { LARGE = 300000, BLOCKS = 4, RUNS = 2 };
    struct error error = {0};
    struct worker_samples samples;
    struct worker_outcome outcome;
    static const char *const kernels[] = {"right", "lately"};
    tell_problem(LARGE);
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        const struct launch_plan plan = plan_of(kernels[i], LARGE, 'r');
        const struct worker_task task = {.binary_path = kernels_path,
                                         .plan = &plan,
                                         .checks = checks_of(),
                                         .verify = true,
                                         .blocks = BLOCKS,
                                         .runs = RUNS,
                                         .timeout_ms = TIMEOUT_MS};
        assert_int_equal(worker_trial(worker, &task, &samples, &outcome, &error), STATUS_OK);
        assert_int_equal(outcome.status, i == 0 ? TRIAL_OK : TRIAL_WRONG_RESULT);
        assert_true(i == 0 || strstr(outcome.detail, "run 2 of 2 timed in a row: out[3]"));
    }
}

TEST_WITH(sums_serve_another_process, start_quick_worker, stop_worker)
{
    struct worker_results results, later;
    struct error error = {0};
    tell(true, 0, false);
    arm("right", 2, L2_COLD, false, NULL);
    assert_string_equal(visit_often(4, 1, &results).detail, "");
    assert_int_equal(worker_fresh(worker, &error), STATUS_OK);
    tell(false, 0, false);
    arm("right", 2, L2_COLD, false, &results);
    assert_string_equal(visit_often(4, 1, &later).detail, "");
    assert_true(later.compared == 1 && !later.unsure);
    arm("wrong", 2, L2_COLD, false, &results); /* only the sums can tell */
    struct worker_outcome outcome = visit_often(1, 1, &later);
    assert_int_equal(outcome.status, TRIAL_WRONG_RESULT);
    assert_non_null(strstr(outcome.detail, "its result differs from its earlier, correct one"));
    /* Where others may be right as well, references are wanted. */
    results.exact = false;
    arm("wrong", 2, L2_COLD, false, &results);
    assert_string_equal(visit_often(1, 1, &later).detail, "");
    assert_true(later.unsure && later.compared == 0);
    tell(true, 0, false);
    arm("wrong", 2, L2_COLD, false, &results);
    assert_int_equal(visit_often(1, 1, &later).status, TRIAL_WRONG_RESULT);
}

TEST_WITH(within_the_tolerance_results_may_differ, start_quick_worker, stop_worker)
{
    struct worker_results results;
    tell(true, 2, false);
    arm("wobble", 2, L2_COLD, false, NULL);
    assert_string_equal(visit_often(8, 1, &results).detail, "");
    assert_true(results.unsteady && !results.exact && results.compared == 1);
    tell(true, 1, false);
    arm("wobble", 2, L2_COLD, false, NULL);
    assert_int_equal(visit_often(8, 1, &results).status, TRIAL_WRONG_RESULT);
}

TEST_WITH(updates_are_looked_at_after_the_first_block, start_quick_worker, stop_worker)
{
    struct worker_results results;
    tell(true, 0, true);
    arm("add", 3, L2_COLD, true, NULL);
    assert_string_equal(visit_often(4, 2, &results).detail, "");
    assert_int_equal(results.compared, 1);
    arm("add", 3, L2_HOT, true, NULL);
    assert_string_equal(visit_often(2, 1, &results).detail, "");
    assert_int_equal(results.compared, 0);
    arm("add_twice", 3, L2_COLD, true, NULL);
    assert_int_equal(visit_often(4, 2, &results).status, TRIAL_WRONG_RESULT);
}

TEST_MAIN_WITH_WORKERS(make_folder, remove_folder)
