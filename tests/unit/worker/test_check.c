/* Cases of the gauntlet: faults that a trial at one size does not find. */
#include "worker_fixture.h"

static int set_up(void **state)
{
    if (clear_marks(state) != 0 || start_quick_worker(state) != 0)
        return -1;
    tell_problem(ELEMENTS);
    load_kernels();
    return 0;
}

static struct worker_outcome check_plan(const struct launch_plan *plan, uint32_t repeats,
                                        int64_t timeout_ms)
{
    struct error error = {0};
    struct worker_outcome outcome;
    struct worker_task what = {.binary_path = kernels_path,
                               .plan = plan,
                               .checks = checks_of(),
                               .repeats = repeats,
                               .timeout_ms = timeout_ms};
    if (worker_check(worker, &what, &outcome, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    return outcome;
}

static struct worker_outcome check(const char *kernel, int64_t n, uint32_t repeats)
{
    struct launch_plan plan = plan_of(kernel, n, 'k');
    return check_plan(&plan, repeats, TIMEOUT_MS);
}

static void expect_wrong(struct worker_outcome outcome, const char *part)
{
    assert_int_equal(outcome.status, TRIAL_WRONG_RESULT);
    if (!strstr(outcome.detail, part))
        fail_msg("'%s' is not in '%s'", part, outcome.detail);
}

TEST_WITH(what_is_right_passes_at_any_size_and_place, set_up, stop_worker)
{
    static const int64_t sizes[] = {1, 7, ELEMENTS, 5 * ELEMENTS, 3};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct launch_plan plan = plan_of("right", sizes[i], 'k');
        plan.arguments[0].offset_bytes = 4 * (uint32_t)i;
        plan.arguments[1].offset_bytes = 4;
        plan.arguments[0].seed = 1 + i / 2;
        struct worker_outcome outcome = check_plan(&plan, 3, TIMEOUT_MS);
        assert_string_equal(outcome.detail, "");
        assert_int_equal(outcome.status, TRIAL_OK);
        expect_marks("kkk");
    }
    assert_int_equal(worker_head(worker)->restarts, 0);
}

TEST_WITH(what_is_wrong_is_named, set_up, stop_worker)
{
    expect_wrong(check("wrong", ELEMENTS, 2), "out[3] is ");
    expect_wrong(check("beyond", ELEMENTS, 1), "out");
    expect_wrong(check("once", ELEMENTS, 3), "run 2 of 3");
    assert_int_equal(check("once", ELEMENTS, 1).status, TRIAL_OK);
    assert_int_equal(worker_head(worker)->restarts, 0);
}

/* The expected result is computed once for all candidates checked with it. */
TEST_WITH(the_same_case_is_expected_once, set_up, stop_worker)
{
    static const struct {
        const char *kernel;
        uint64_t seed;
        enum trial_status status;
    } cases[] = {{"right", 5, TRIAL_OK},
                 {"right", 5, TRIAL_OK},
                 {"wrong", 5, TRIAL_WRONG_RESULT},
                 {"right", 6, TRIAL_OK},
                 {"right", 5, TRIAL_OK}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error error = {0};
        struct worker_outcome outcome;
        struct launch_plan plan = plan_of(cases[i].kernel, ELEMENTS, 'k');
        struct launch_plan reference = plan_of("right", ELEMENTS, 'r');
        plan.arguments[0].seed = reference.arguments[0].seed = cases[i].seed;
        plan.arguments[1].offset_bytes = 4 * (uint32_t)i;
        const struct worker_task what = {.binary_path = kernels_path,
                                         .plan = &plan,
                                         .checks = {.count = 1,
                                                    .items = {{.kind = REFERENCE_PLAN,
                                                               .path = others_path,
                                                               .plan = &reference,
                                                               .output = 1}}},
                                         .timeout_ms = TIMEOUT_MS};
        assert_int_equal(worker_check(worker, &what, &outcome, &error), STATUS_OK);
        assert_int_equal(outcome.status, cases[i].status);
    }
    expect_marks("r!k"
                 "k"
                 "r!k"
                 "r!k");
}

/* Without a reference only errors and guard bands tell. */
TEST_WITH(guard_bands_tell_without_a_reference, set_up, stop_worker)
{
    struct error error = {0};
    struct worker_outcome outcome;
    struct launch_plan plan = plan_of("wrong", ELEMENTS, 'k');
    struct worker_task what = {
        .binary_path = kernels_path, .plan = &plan, .repeats = 2, .timeout_ms = TIMEOUT_MS};
    assert_int_equal(worker_check(worker, &what, &outcome, &error), STATUS_OK);
    assert_int_equal(outcome.status, TRIAL_OK);
    plan.launches[0].kernel = "beyond";
    assert_int_equal(worker_check(worker, &what, &outcome, &error), STATUS_OK);
    expect_wrong(outcome, "out");
}

/* The problem's own data is in place again, also after cases with as much data from other seeds. */
TEST_WITH(trials_after_a_check_have_their_data, set_up, stop_worker)
{
    struct worker_samples samples;
    must_arm(0, "right", 'a', L2_COLD, 1);
    for (uint64_t seed = 2; seed < 6; seed++) {
        struct launch_plan plan = plan_of("right", ELEMENTS, 'k');
        plan.arguments[0].seed = seed;
        assert_int_equal(check_plan(&plan, 1, TIMEOUT_MS).status, TRIAL_OK);
        if (seed % 2)
            continue;
        struct worker_outcome outcome = try_kernel("right", 1, 1, L2_COLD, &samples);
        assert_string_equal(outcome.detail, "");
        must_visit(0, 1);
    }
    expect_marks("ktt"
                 "ak"
                 "ktt"
                 "ak");
}

TEST_WITH(a_check_that_crashes_or_hangs_costs_one_child, set_up, stop_worker)
{
    struct worker_samples samples;
    assert_int_equal(check("crash", ELEMENTS, 1).status, TRIAL_CRASHED);
    struct launch_plan plan = plan_of("hang", ELEMENTS, 'k');
    assert_int_equal(check_plan(&plan, 1, 300).status, TRIAL_TIMED_OUT);
    assert_int_equal(try_kernel("right", 1, 1, L2_COLD, &samples).status, TRIAL_OK);
    assert_int_equal(worker_head(worker)->restarts, 2);
}

TEST_MAIN_WITH_WORKERS(make_folder, remove_folder)
