/* Kernels that are right but change things that are not theirs: they are named, and later ones are
 * not blamed. */
#include "worker_fixture.h"

static int set_up(void **state)
{
    if (clear_marks(state) != 0 || start_quick_worker(state) != 0)
        return -1;
    tell_problem(ELEMENTS);
    load_kernels();
    return 0;
}

static struct worker_outcome check_placed(const char *kernel, bool at_end)
{
    struct error error = {0};
    struct worker_outcome outcome;
    struct launch_plan plan = plan_of(kernel, ELEMENTS, 'k');
    for (size_t i = 0; i < plan.argument_count; i++) {
        plan.arguments[i].at_end = at_end;
        plan.arguments[i].alignment_bytes = 4;
    }
    struct worker_task what = {.binary_path = kernels_path,
                               .plan = &plan,
                               .checks = checks_of(),
                               .repeats = 3,
                               .timeout_ms = TIMEOUT_MS};
    if (worker_check(worker, &what, &outcome, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    return outcome;
}

static struct worker_outcome check_kernel(const char *kernel)
{
    return check_placed(kernel, false);
}

static void expect_wrong(const struct worker_outcome *outcome, const char *detail)
{
    assert_int_equal(outcome->status, TRIAL_WRONG_RESULT);
    if (!strstr(outcome->detail, detail))
        fail_msg("'%s', not '%s'", outcome->detail, detail);
}

/* Checks a trial, a case of the gauntlet and a visit. */
static void expect_nobody_else_suffers(void)
{
    struct worker_samples samples;
    struct worker_outcome outcome = try_kernel("rounds", 1, 2, L2_COLD, &samples);
    assert_string_equal(outcome.detail, "");
    outcome = check_kernel("rounds");
    assert_string_equal(outcome.detail, "");
    load_kernels();
}

TEST_WITH(who_writes_its_input_is_named, set_up, stop_worker)
{
    struct worker_samples samples;
    struct worker_outcome outcome = try_kernel("mutate", 2, 2, L2_COLD, &samples);
    expect_wrong(&outcome, "it writes its input: in[999] is changed");
    assert_int_equal(samples.count, 0); /* its time does not count */
    expect_nobody_else_suffers();
    outcome = check_kernel("mutate");
    expect_wrong(&outcome, "it writes its input: in[999] is changed");
    expect_nobody_else_suffers();
    assert_int_equal(worker_head(worker)->restarts, 0);
}

/* Writes to other copies than the checked one, during timing. */
TEST_WITH(also_when_it_is_timed, set_up, stop_worker)
{
    struct worker_samples samples;
    struct worker_outcome outcome = try_kernel("later", 2, 5, L2_COLD, &samples);
    expect_wrong(&outcome, "it writes its input: in[7] is changed");
    expect_nobody_else_suffers();
    must_arm(0, "later", 'a', L2_COLD, 5);
    outcome = visit(0, 1, TIMEOUT_MS, &samples);
    expect_wrong(&outcome, "it writes its input: in[7] is changed");
    expect_nobody_else_suffers();
}

TEST_WITH(who_writes_what_is_there_is_no_liar, set_up, stop_worker)
{
    struct worker_samples samples;
    assert_string_equal(try_kernel("same", 2, 2, L2_COLD, &samples).detail, "");
    assert_string_equal(check_kernel("same").detail, "");
}

TEST_WITH(modes_are_reset, set_up, stop_worker)
{
    struct worker_samples samples;
    assert_string_equal(try_kernel("modes", 2, 2, L2_COLD, &samples).detail, "");
    expect_nobody_else_suffers();
    assert_int_equal(worker_head(worker)->restarts, 0);
}

TEST_WITH(who_changes_the_process_is_named, set_up, stop_worker)
{
    struct worker_samples samples;
    struct worker_outcome outcome = try_kernel("limits", 2, 2, L2_COLD, &samples);
    expect_wrong(&outcome, "it changes its process: its limits (setrlimit)");
    expect_nobody_else_suffers();
    assert_int_equal(worker_head(worker)->restarts, 1);
    outcome = check_kernel("signals");
    expect_wrong(&outcome, "it changes its process: its signal handlers (sigaction)");
    expect_nobody_else_suffers();
    assert_int_equal(worker_head(worker)->restarts, 2);
}

TEST_WITH(what_lies_outside_changes_results, set_up, stop_worker)
{
    struct worker_outcome outcome = check_kernel("behind");
    expect_wrong(&outcome, "out[0] is ");
    outcome = check_kernel("before");
    expect_wrong(&outcome, "out[0] is ");
    assert_string_equal(check_kernel("ignored").detail, "");
}

/* A read behind an input that changes no result. */
TEST_WITH(reads_behind_the_end_of_memory_are_seen, set_up, stop_worker)
{
    struct worker_outcome outcome = check_placed("ignored", true);
    expect_wrong(&outcome, "input 'in' of 4000 bytes was read or written behind its end: byte ");
    expect_nobody_else_suffers();
    outcome = check_placed("ignored", true);
    expect_wrong(&outcome, "input 'in' of 4000 bytes was read or written behind its end: byte ");
    assert_string_equal(check_placed("rounds", true).detail, "");
    assert_int_equal(worker_head(worker)->restarts, 0);
}

TEST_MAIN_WITH_WORKERS(make_folder, remove_folder)
