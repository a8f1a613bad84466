/* Plans timed in turn, by a child that may be replaced in between. */
#include "worker_fixture.h"

static int set_up(void **state)
{
    if (clear_marks(state) != 0 || start_quick_worker(state) != 0)
        return -1;
    tell_problem(ELEMENTS);
    return 0;
}

TEST_WITH(slots_take_turns, set_up, stop_worker)
{
    struct worker_samples samples;
    must_arm(0, "right", 'a', L2_COLD, 3);
    must_arm(WORKER_SLOTS - 1, "right", 'b', L2_HOT, 2);
    must_visit(0, 2);
    expect_marks("aaaaaa");
    must_visit(WORKER_SLOTS - 1, 1);
    expect_marks("bbbb"); /* two of them untimed */
    must_visit(0, 1);
    expect_marks("aaa");
    must_arm(0, "right", 'c', L2_COLD, 1);
    must_visit(0, 1);
    expect_marks("c");
    assert_int_equal(visit(0, 1, TIMEOUT_MS, &samples).status, TRIAL_OK);
    assert_int_equal(samples.runs, 1);
}

/* A trial uses the loaded binary, a visit that of its armed slot. */
TEST_WITH(each_has_its_binary, set_up, stop_worker)
{
    struct error error = {0};
    struct worker_samples samples;
    struct launch_plan plan = plan_of("right", ELEMENTS, 'b');
    struct worker_task what = {
        .binary_path = others_path, .plan = &plan, .l2_mode = L2_COLD, .runs = 1};
    load_kernels();
    must_arm(0, "right", 'a', L2_COLD, 1);
    assert_int_equal(worker_arm(worker, 1, &what, &error), STATUS_OK);
    must_visit(1, 2);
    must_visit(0, 1);
    must_visit(1, 1);
    expect_marks("b!b!ab!");
    assert_int_equal(try_kernel("right", 0, 0, L2_COLD, &samples).status, TRIAL_OK);
    must_visit(1, 1);
    expect_marks("tb!");
}

/* The device zeroes the scratch when another plan was timed in between, and only then; the trial's
 * slot may be one that is armed. */
TEST_WITH(scratch_is_zeroed_between_plans, set_up, stop_worker)
{
    struct error error = {0};
    struct worker_samples samples;
    struct worker_outcome outcome;
    struct launch_plan plan = plan_of("once", ELEMENTS, 't');
    struct worker_task trial = {.binary_path = kernels_path,
                                .plan = &plan,
                                .blocks = 1,
                                .runs = 1,
                                .timeout_ms = TIMEOUT_MS};
    load_kernels();
    must_arm(0, "once", 'a', L2_COLD, 2);
    must_arm(WORKER_SLOTS - 1, "once", 'b', L2_COLD, 2);
    must_visit(0, 1);
    must_visit(0, 1);
    must_visit(WORKER_SLOTS - 1, 2);
    must_visit(0, 1);
    expect_marks("aba");
    must_visit(WORKER_SLOTS - 1, 1);
    assert_int_equal(worker_trial(worker, &trial, &samples, &outcome, &error), STATUS_OK);
    must_visit(WORKER_SLOTS - 1, 1);
    expect_marks("btb");
}

/* Data that is not kept is made again for each visit. */
TEST_WITH(what_is_not_kept_is_made_anew, set_up, stop_worker)
{
    struct error error = {0};
    struct launch_plan plan = plan_of("once", ELEMENTS, 'a');
    struct worker_task what = {
        .binary_path = kernels_path, .plan = &plan, .l2_mode = L2_COLD, .runs = 2};
    load_kernels();
    assert_int_equal(worker_arm(worker, 0, &what, &error), STATUS_OK);
    must_visit(0, 1);
    must_visit(0, 2);
    must_visit(0, 1);
    expect_marks("aaa");
}

TEST_WITH(trials_between_visits_disturb_nothing, set_up, stop_worker)
{
    struct worker_samples samples;
    load_kernels();
    must_arm(WORKER_SLOTS - 1, "right", 'a', L2_HOT, 1);
    must_visit(WORKER_SLOTS - 1, 1);
    expect_marks("aaa");
    assert_int_equal(try_kernel("right", 1, 1, L2_HOT, &samples).status, TRIAL_OK);
    expect_marks("tttt");
    must_visit(WORKER_SLOTS - 1, 1);
    expect_marks("aaa");
}

TEST_WITH(a_child_that_was_killed_is_told_again, set_up, stop_worker)
{
    must_arm(0, "right", 'a', L2_COLD, 1);
    must_arm(1, "right", 'b', L2_COLD, 2);
    must_visit(0, 1);
    must_visit(1, 1);
    expect_marks("abb");
    assert_int_equal(kill(child_of_ours(), SIGKILL), 0);
    must_visit(1, 1);
    expect_marks("bb");
    assert_int_equal(worker_head(worker)->restarts, 1);
    must_visit(0, 1);
    expect_marks("a");
    assert_int_equal(worker_head(worker)->restarts, 1);
}

TEST_WITH(a_visit_that_crashes_or_hangs_costs_one_child, set_up, stop_worker)
{
    struct worker_samples samples;
    must_arm(0, "right", 'a', L2_COLD, 1);
    must_arm(1, "crash", 'b', L2_COLD, 1);
    must_arm(2, "hang", 'c', L2_COLD, 1);
    struct worker_outcome outcome = visit(1, 1, TIMEOUT_MS, &samples);
    assert_int_equal(outcome.status, TRIAL_CRASHED);
    assert_non_null(strstr(outcome.detail, "signal"));
    assert_int_equal(samples.count, 0);
    must_visit(0, 1);
    outcome = visit(2, 1, 300, &samples);
    assert_int_equal(outcome.status, TRIAL_TIMED_OUT);
    must_visit(0, 1);
    assert_int_equal(worker_head(worker)->restarts, 2);
    expect_marks("aa");
}

TEST_WITH(the_problem_forgets_slots, set_up, stop_worker)
{
    struct error error = {0};
    struct worker_samples samples;
    struct worker_outcome outcome;
    must_arm(0, "right", 'a', L2_COLD, 1);
    must_visit(0, 1);
    tell_problem(ELEMENTS);
    assert_int_equal(worker_visit(worker, 0, 1, TIMEOUT_MS, &samples, &outcome, &error),
                     STATUS_INTERNAL);
    assert_int_equal(worker_visit(worker, WORKER_SLOTS, 1, TIMEOUT_MS, &samples, &outcome, &error),
                     STATUS_INTERNAL);
    struct launch_plan plan = plan_of("right", ELEMENTS, 'a');
    struct worker_task what = {
        .binary_path = kernels_path, .plan = &plan, .l2_mode = L2_COLD, .runs = 1};
    assert_int_equal(worker_arm(worker, WORKER_SLOTS, &what, &error), STATUS_INTERNAL);
}

TEST_WITH(what_fails_to_load_is_the_slots_fault, set_up, stop_worker)
{
    struct error error = {0};
    struct worker_samples samples;
    struct launch_plan plan = plan_of("absent", ELEMENTS, 'a');
    struct worker_task what = {
        .binary_path = kernels_path, .plan = &plan, .l2_mode = L2_COLD, .runs = 1};
    assert_int_equal(worker_arm(worker, 0, &what, &error), STATUS_OK);
    assert_int_equal(visit(0, 1, TIMEOUT_MS, &samples).status, TRIAL_LAUNCH_FAILED);
    what.binary_path = in_folder("marks"); /* no binary of ours */
    assert_int_equal(worker_arm(worker, 0, &what, &error), STATUS_OK);
    assert_int_equal(visit(0, 1, TIMEOUT_MS, &samples).status, TRIAL_LAUNCH_FAILED);
    assert_int_equal(worker_head(worker)->restarts, 0);
}

/* Few machines let everybody read the counter. */
TEST_WITH(energy_is_measured_or_unavailable, set_up, stop_worker)
{
    struct error error = {0};
    struct energy energy;
    struct worker_outcome outcome;
    must_arm(0, "right", 'a', L2_COLD, 1);
    enum status status = worker_energy(worker, 0, 20, TIMEOUT_MS, &energy, &outcome, &error);
    assert_int_equal(outcome.status, TRIAL_OK);
    if (status == STATUS_OK) {
        assert_true(energy.energy_j > 0 && energy.runs > 0 && energy.window_ns >= 20e6);
    } else {
        assert_int_equal(status, STATUS_UNAVAILABLE);
        assert_true(error.text[0] != '\0');
    }
    assert_int_equal(worker_head(worker)->restarts, 0);
    must_arm(1, "crash", 'b', L2_COLD, 1);
    status = worker_energy(worker, 1, 20, TIMEOUT_MS, &energy, &outcome, &error);
    if (status == STATUS_OK)
        assert_int_equal(outcome.status, TRIAL_CRASHED);
}

TEST_MAIN_WITH_WORKERS(make_folder, remove_folder)
