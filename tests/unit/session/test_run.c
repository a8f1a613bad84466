/* Lanes: losses, time limits, waiting without polling, inputs sent once. */
#include "session_fixture.h"

#include "tuner/base/clock.h"
#include "tuner/session/jobs.h"

/* Loses its lane the first `losses` times. */
struct task {
    int losses, calls;
    const struct lane *last;
};

static enum status lose_some(void *context, struct lane *lane, struct error *error)
{
    struct task *task = context;
    assert_ptr_not_equal(lane, task->last);
    task->last = lane;
    if (++task->calls > task->losses)
        return STATUS_OK;
    lane->lost = true;
    (void)error_set(&lane->error, STATUS_DEVICE_LOST, "it fell off");
    return error_set(error, STATUS_DEVICE_LOST, "it fell off");
}

static enum status fail_at_once(void *context, struct lane *lane, struct error *error)
{
    (void)lane;
    *(int *)context += 1;
    return error_set(error, STATUS_IO, "the disk is full");
}

TEST(test_a_task_goes_on_where_a_device_is_left)
{
    struct lane lanes[3] = {{.index = 0}, {.index = 1}, {.index = 2}};
    struct group group = {.lanes = {&lanes[0], &lanes[1], &lanes[2]}, .lane_count = 3};
    struct task task = {.losses = 2};
    struct error error = {0};
    int calls = 0;
    assert_int_equal(on_some_lane(&group, lose_some, &task, &error), STATUS_OK);
    assert_int_equal(task.calls, 3);
    assert_ptr_equal(task.last, &lanes[2]);
    /* Another failure than a loss is not tried again. */
    assert_int_equal(on_some_lane(&group, fail_at_once, &calls, &error), STATUS_IO);
    assert_int_equal(calls, 1);
    lanes[2].lost = true;
    assert_null(group_lane(&group));
    assert_int_equal(on_some_lane(&group, fail_at_once, &calls, &error), STATUS_DEVICE_LOST);
    assert_string_equal(error.text, "no device is left: it fell off");
    assert_int_equal(calls, 1);
}

/* Two devices whose jobs wait for each other: one lane alone would never come to an end. */
struct meeting {
    struct run *run;
    size_t there;
};

static enum status meet(void *context, struct lane *lane, struct error *error)
{
    struct meeting *meeting = context;
    (void)error;
    meeting->there++;
    (void)lane_enter_stage(lane, STAGE_RACE);
    while (meeting->there < 2)
        session_pause(&meeting->run->session);
    return STATUS_OK;
}

TEST(test_jobs_are_done_on_all_devices_at_once)
{
    struct run *run = run_create(usual_text, "time");
    run_start(run, 2);
    struct group *group = run->work.group;
    struct meeting meeting = {.run = run};
    int calls = 0;
    struct lane_job jobs[3] = {{.next = &jobs[1], .task = meet, .context = &meeting},
                               {.next = &jobs[2], .task = meet, .context = &meeting},
                               {.task = fail_at_once, .context = &calls}};
    group_do(group, jobs);
    assert_int_equal(meeting.there, 2);
    assert_int_equal(jobs[0].status, STATUS_OK);
    assert_int_equal(jobs[1].status, STATUS_OK);
    assert_int_equal(jobs[2].status, STATUS_IO);
    assert_string_equal(jobs[2].error.text, "the disk is full");
    assert_int_equal(calls, 1);
    assert_int_equal(group->clock.stage, STAGE_RACE);
    for (size_t i = 0; i < SESSION_STAGES; i++)
        assert_int_equal(group->clock.lanes[i], 0);
    assert_false(group->lanes[0]->at_work || group->lanes[1]->at_work);
    /* After a failure no more jobs begin; a lost device leaves its work to the other. */
    struct task task = {.losses = 1};
    struct lane_job more[3] = {{.next = &more[1], .task = lose_some, .context = &task},
                               {.next = &more[2], .task = fail_at_once, .context = &calls},
                               {.task = lose_some, .context = &task}};
    group->lanes[1]->lost = true;
    group_do(group, &more[1]);
    assert_int_equal(task.calls, 0);
    assert_int_equal(more[2].status, STATUS_IO);
    group->lanes[1]->lost = false;
    more[0].next = NULL;
    group_do(group, more);
    assert_int_equal(more[0].status, STATUS_OK);
    assert_int_equal(task.calls, 2);
    assert_ptr_equal(task.last, group->lanes[1]);
    run_free(run);
}

TEST(test_stages_share_the_time)
{
    struct group group = {.clock = {.stage = STAGE_START}};
    const int64_t started_ns = clock_running_ns();
    group.clock.since_ns = started_ns - 1000;
    assert_int_equal(stage_enter(&group, STAGE_SWEEP), STAGE_START);
    group.clock.since_ns -= 5000;
    assert_true(stage_ns(&group, STAGE_SWEEP) >= 5000); /* the present one, too */
    assert_int_equal(stage_enter(&group, STAGE_RACE), STAGE_SWEEP);
    assert_true(stage_ns(&group, STAGE_START) >= 1000);
    assert_true(stage_ns(&group, STAGE_SWEEP) >= 5000);
    const int64_t race_ns = stage_ns(&group, STAGE_RACE);
    assert_true(race_ns >= 0 && race_ns < 1000000000);
    assert_int_equal(stage_ns(&group, STAGE_CHECK), 0);
    /* Three lanes at jobs of their own: each accounts for a third of the passing time. */
    group.clock.lanes[STAGE_CHECK] = 1;
    group.clock.lanes[STAGE_RACE] = 2;
    group.clock.since_ns = clock_running_ns() - 3000 * INT64_C(1000000000);
    assert_in_range(stage_ns(&group, STAGE_CHECK) / INT64_C(1000000000), 1000, 1100);
    assert_in_range(stage_ns(&group, STAGE_RACE) / INT64_C(1000000000), 2000, 2200);
}

/* 50 times the best for the blocks and their surroundings; more if uploads may be included. */
TEST(test_time_limits)
{
    struct run *run = run_create(usual_text, "time");
    run_start(run, 1);
    struct lane *lane = &run->session.lanes[0];
    assert_int_equal(lane_timeout_ms(lane, 1e6, 6, true), 15000);
    assert_int_equal(lane_timeout_ms(lane, 0, 6, false), 15000); /* no earlier times */
    assert_int_equal(lane_timeout_ms(lane, 1e6, 6, false), 5000);
    assert_int_equal(lane_timeout_ms(lane, 1e8, 6, false), 50000);
    (void)setenv("TUNE_TRIAL_TIMEOUT_MS", "200", 1);
    RUN_OK(run, session_read_environment(&run->session, &run->error));
    assert_int_equal(lane_timeout_ms(lane, 1e6, 6, true), 200);
    assert_int_equal(lane_timeout_ms(lane, 1e6, 6, false), 500);
    static const char *const nonsense[] = {"1s", "-5", "20", "99999999999"};
    for (size_t i = 0; i < sizeof nonsense / sizeof *nonsense; i++) {
        (void)setenv("TUNE_TRIAL_TIMEOUT_MS", nonsense[i], 1);
        assert_int_equal(session_read_environment(&run->session, &run->error), STATUS_BAD_INPUT);
        assert_non_null(strstr(run->error.text, "TUNE_TRIAL_TIMEOUT_MS"));
    }
    (void)unsetenv("TUNE_TRIAL_TIMEOUT_MS");
    RUN_OK(run, session_read_environment(&run->session, &run->error));
    lane->restarts_seen--; /* a new process uploads again */
    assert_int_equal(lane_timeout_ms(lane, 1e6, 6, false), 15000);
    assert_int_equal(lane_timeout_ms(lane, 1e6, 6, false), 5000);
    run_free(run);
}

struct waking {
    struct run *run;
    pthread_t thread;
};

/* Takes the mutex, which the waiter must have released. */
static void *wake_others(void *context)
{
    struct waking *waking = context;
    (void)pthread_mutex_lock(&waking->run->session.mutex);
    group_wake(&waking->run->session.groups[0]);
    (void)pthread_mutex_unlock(&waking->run->session.mutex);
    return NULL;
}

TEST(test_a_waiting_lane_is_woken_by_another)
{
    struct run *run = run_create(usual_text, "time");
    run_start(run, 2);
    struct group *group = run->work.group;
    struct waking waking = {.run = run};
    const int64_t started_ns = clock_now_ns();
    assert_int_equal(pthread_create(&waking.thread, NULL, wake_others, &waking), 0);
    RUN_OK(run, group_await_compilers(group, &group->binaries, 60000, &run->error));
    assert_true(clock_now_ns() - started_ns < 30000000000);
    (void)pthread_join(waking.thread, NULL);
    /* Without a wake-up the waiter looks again after a while. */
    RUN_OK(run, group_await_compilers(group, &group->binaries, 1, &run->error));
    run_free(run);
}

TEST(test_a_waiting_lane_is_woken_by_a_compiler)
{
    struct run *run = run_create(usual_text, "time");
    run_start(run, 1);
    struct group *group = run->work.group;
    struct sweep *sweep = run_sweep(run);
    struct candidate *candidate = NULL;
    RUN_OK(run, sweep_candidate(&run->work, sweep, 0, &candidate, &run->error));
    RUN_OK(run, sweep_request_binary(&run->work, sweep, candidate, true, &run->error));
    assert_int_equal(candidate_binary(&run->work, candidate)->state, BINARY_PENDING);
    const int64_t started_ns = clock_now_ns();
    while (candidate_binary(&run->work, candidate)->state == BINARY_PENDING)
        RUN_OK(run, group_await_compilers(group, &group->binaries, 60000, &run->error));
    assert_true(clock_now_ns() - started_ns < 30000000000);
    assert_int_equal(candidate_binary(&run->work, candidate)->state, BINARY_READY);
    /* A budget that is spent waits for none. */
    struct candidate *other = NULL;
    RUN_OK(run, sweep_candidate(&run->work, sweep, 6, &other, &run->error));
    RUN_OK(run, sweep_request_binary(&run->work, sweep, other, true, &run->error));
    run->options.budget_ns = 1;
    assert_int_equal(budget_await(group, &group->binaries, other->binary, &run->error),
                     STATUS_NO_TIME);
    run_end_sweep(sweep);
    run_free(run);
}

TEST(test_inputs_are_told_once)
{
    struct run *run = run_create(usual_text, "time");
    run_start(run, 1);
    struct lane *lane = group_lane(run->work.group);
    struct sweep *sweep = run_sweep(run);
    struct inputs *inputs = &sweep->inputs;
    assert_null(inputs->problem);
    RUN_OK(run, inputs_send(&run->work, inputs, lane, false, &run->error));
    assert_ptr_equal(lane->known, inputs);
    assert_false(lane->has_expected);
    const struct worker_task *problem = inputs->problem;
    assert_int_equal(problem->plan->arguments[0].count, 1000);
    RUN_OK(run, inputs_send(&run->work, inputs, lane, true, &run->error));
    assert_ptr_equal(inputs->problem, problem);
    assert_true(lane->has_expected);
    const int64_t sent_ns = inputs->setup_ns;
    RUN_OK(run, inputs_send(&run->work, inputs, lane, true, &run->error));
    RUN_OK(run, inputs_send(&run->work, inputs, lane, false, &run->error));
    assert_int_equal(inputs->setup_ns, sent_ns); /* the worker was not asked again */
    assert_true(inputs_are_cheap(inputs));
    inputs->reference_ns = WORKER_COSTLY_NS + 1;
    assert_false(inputs_are_cheap(inputs));
    run_end_sweep(sweep);
    run_free(run);
}

TEST_MAIN_WITH_WORKERS(NULL, NULL)
