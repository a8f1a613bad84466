/* The measuring child's life: its start message, and its reports about the device. */
#include <sys/stat.h>

#include "tuner/stats/data.h"
#include "worker_fixture.h"

static int set_up(void **state)
{
    if (clear_marks(state) != 0 || start_quick_worker(state) != 0)
        return -1;
    tell_problem(ELEMENTS);
    return 0;
}

/* How many runs a block gets follows from the protocol. */
TEST_WITH(the_protocol_reaches_the_child, set_up, stop_worker)
{
    struct protocol protocol = quick_protocol();
    struct worker_samples samples;
    (void)stop_worker(state);
    protocol.block_ns = 1e12;
    protocol.block_most_ns = 1e12;
    start_worker(&protocol);
    tell_problem(ELEMENTS);
    load_kernels();
    assert_int_equal(try_kernel("right", 1, 0, L2_HOT, &samples).status, TRIAL_OK);
    assert_int_equal(samples.runs, 512);
    assert_int_equal(samples.count, 1);
    (void)stop_worker(state);
    protocol.block_most_ns = 1;
    start_worker(&protocol);
    tell_problem(ELEMENTS);
    load_kernels();
    assert_int_equal(try_kernel("right", 1, 0, L2_HOT, &samples).status, TRIAL_OK);
    assert_int_equal(samples.runs, 1);
}

TEST_WITH(no_blocks_is_verification_only, set_up, stop_worker)
{
    struct worker_samples samples;
    load_kernels();
    assert_int_equal(try_kernel("right", 0, 0, L2_COLD, &samples).status, TRIAL_OK);
    assert_int_equal(samples.count, 0);
    expect_marks("t");
    assert_int_equal(try_kernel("wrong", 0, 0, L2_COLD, &samples).status, TRIAL_WRONG_RESULT);
    assert_int_equal(try_kernel("once", 2, 2, L2_HOT, &samples).status, TRIAL_OK);
    assert_int_equal(samples.count, 2);
}

TEST_WITH(all_cache_modes_are_timed, set_up, stop_worker)
{
    struct worker_samples samples;
    load_kernels();
    for (int mode = 0; mode < L2_MODES; mode++) {
        struct worker_outcome outcome = try_kernel("right", 2, 3, (enum l2_mode)mode, &samples);
        assert_string_equal(outcome.detail, "");
        assert_int_equal(samples.count, 2);
        assert_int_equal(samples.runs, 3);
    }
}

/* However short the blocks are to be. */
TEST_WITH(what_streams_by_is_five_times_the_cache, set_up, stop_worker)
{
    struct protocol protocol = quick_protocol();
    struct worker_samples samples;
    (void)stop_worker(state);
    protocol.block_most_ns = 1;
    start_worker(&protocol);
    tell_problem(ELEMENTS);
    load_kernels();
    assert_int_equal(try_kernel("right", 1, 0, L2_STREAM, &samples).status, TRIAL_OK);
    assert_int_equal(samples.runs, 5 * CACHE_BYTES / (4 * ELEMENTS));
    assert_int_equal(try_kernel("right", 1, 0, L2_COLD, &samples).status, TRIAL_OK);
    assert_int_equal(samples.runs, 1);
}

/* Tries a kernel whose run before any block takes 20 ms; with `mark` 'a', all runs do. */
static struct worker_samples try_sleepy(double block_ns, char mark)
{
    struct protocol protocol = quick_protocol();
    struct error error = {0};
    struct worker_samples samples;
    struct worker_outcome outcome;
    struct launch_plan plan = plan_of("sleepy", ELEMENTS, mark);
    struct worker_task trial = {.binary_path = kernels_path,
                                .plan = &plan,
                                .l2_mode = L2_COLD,
                                .verify = true,
                                .blocks = 5,
                                .stop_above_ns = 2e6,
                                .timeout_ms = TIMEOUT_MS};
    (void)stop_worker(NULL);
    protocol.block_ns = block_ns;
    protocol.block_most_ns = 1e12;
    start_worker(&protocol);
    tell_problem(ELEMENTS);
    load_kernels();
    if (worker_trial(worker, &trial, &samples, &outcome, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    assert_string_equal(outcome.detail, "");
    return samples;
}

/* Ten times the limit, whether it fills a block or not. */
TEST_WITH(one_slow_run_decides_nothing, set_up, stop_worker)
{
    struct worker_samples samples = try_sleepy(1e9, 's');
    assert_int_equal(samples.count, 5);
    assert_int_equal(samples.runs, 512); /* not those 50 that the slow run asks for */
    samples = try_sleepy(1, 's');
    assert_int_equal(samples.count, 5);
    assert_true(samples.elapsed_ns[0] > 19e6);
}

TEST_WITH(slow_blocks_end_a_trial, set_up, stop_worker)
{
    assert_int_equal(try_sleepy(1, 'a').count, 3);
    assert_int_equal(try_sleepy(40e6, 'a').count, 3);
}

/* A missing member of a request is reported by the function that needs it; the child lives on. */
TEST_WITH(a_trial_of_nothing_is_refused, set_up, stop_worker)
{
    struct error error = {0};
    struct worker_samples samples;
    struct worker_outcome outcome;
    struct launch_plan plan = plan_of("right", ELEMENTS, 't');
    const struct worker_task tasks[] = {{.plan = &plan, .timeout_ms = TIMEOUT_MS},
                                        {.binary_path = kernels_path, .timeout_ms = TIMEOUT_MS}};
    for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++) {
        assert_int_equal(worker_trial(worker, &tasks[i], &samples, &outcome, &error), STATUS_OK);
        assert_int_equal(outcome.status, TRIAL_CRASHED);
        assert_non_null(strstr(outcome.detail, "'trial'"));
    }
}

TEST_WITH(a_moment_tells_conditions_and_anchor, set_up, stop_worker)
{
    struct error error = {0};
    struct worker_moment moment;
    assert_int_equal(worker_moment(worker, false, &moment, &error), STATUS_OK);
    assert_true(isnan(moment.anchor_ns));
    assert_true(moment.conditions.other_processes >= 0); /* from /proc, which is here */
    assert_int_equal(worker_moment(worker, true, &moment, &error), STATUS_OK);
    assert_true(moment.anchor_ns > 0);
    assert_int_equal(kill(child_of_ours(), SIGKILL), 0);
    assert_int_equal(worker_moment(worker, true, &moment, &error), STATUS_OK);
    assert_true(moment.anchor_ns > 0);
    assert_int_equal(worker_head(worker)->restarts, 1);
}

TEST_WITH(a_fresh_process_is_another_one, set_up, stop_worker)
{
    struct error error = {0};
    struct worker_samples samples;
    load_kernels();
    must_arm(0, "right", 'a', L2_COLD, 1);
    pid_t before = child_of_ours();
    assert_int_equal(worker_fresh(worker, &error), STATUS_OK);
    assert_true(child_of_ours() != before);
    assert_int_equal(worker_head(worker)->restarts, 0);
    /* The child receives the data when it needs them. */
    must_visit(0, 1);
    assert_int_equal(try_kernel("right", 1, 1, L2_COLD, &samples).status, TRIAL_OK);
    expect_marks("att");
}

static void allowed_processors(pid_t pid, char out[64])
{
    char path[64];
    char line[256];
    (void)snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *file = fopen(path, "r");
    out[0] = '\0';
    assert_non_null(file);
    while (fgets(line, sizeof line, file))
        (void)sscanf(line, "Cpus_allowed_list: %63s", out);
    assert_int_equal(fclose(file), 0);
}

/* Returns the last processor that this process may use. */
static void last_processor(char out[64])
{
    char ours[64];
    allowed_processors(getpid(), ours);
    const char *cut = strpbrk(ours, "-,");
    while (cut && strpbrk(cut + 1, "-,"))
        cut = strpbrk(cut + 1, "-,");
    (void)snprintf(out, 64, "%s", cut ? cut + 1 : ours);
}

TEST_WITH(pinned_children_stay_pinned, set_up, stop_worker)
{
    struct error error = {0};
    char theirs[64];
    char last[64];
    bool pinned = true;
    last_processor(last);
    assert_int_equal(worker_pin(worker, "no processor", &pinned, &error), STATUS_OK);
    assert_false(pinned);
    assert_int_equal(worker_pin(worker, last, &pinned, &error), STATUS_OK);
    assert_true(pinned);
    allowed_processors(child_of_ours(), theirs);
    assert_string_equal(theirs, last);
    assert_int_equal(kill(child_of_ours(), SIGKILL), 0);
    struct worker_moment moment;
    assert_int_equal(worker_moment(worker, false, &moment, &error), STATUS_OK);
    allowed_processors(child_of_ours(), theirs);
    assert_string_equal(theirs, last);
}

TEST_WITH(compilers_are_pinned, set_up, stop_worker)
{
    static const char script[] = "#!/bin/sh\n"
                                 "grep Cpus_allowed_list /proc/self/status >\"$TEST_MARKS\"\n"
                                 "exec cc \"$@\"\n";
    char last[64];
    char line[128] = "";
    char pinned[64] = "";
    char path[128];
    last_processor(last);
    FILE *file = fopen(in_folder("compiler"), "w");
    assert_non_null(file);
    assert_true(fputs(script, file) >= 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(in_folder("compiler"), 0700), 0);
    assert_int_equal(setenv("CC", in_folder("compiler"), 1), 0);
    compile("pinned", "PINNED", reference_source, last, path);
    assert_int_equal(unsetenv("CC"), 0);
    file = fopen(in_folder("marks"), "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    assert_int_equal(fclose(file), 0);
    assert_int_equal(sscanf(line, "Cpus_allowed_list: %63s", pinned), 1);
    assert_string_equal(pinned, last);
}

static void expect_input(int64_t count, uint64_t seed)
{
    struct error error = {0};
    struct worker_outcome outcome;
    struct launch_plan plan = plan_of("dump", count, 'k');
    struct worker_task what = {
        .binary_path = kernels_path, .plan = &plan, .repeats = 1, .timeout_ms = TIMEOUT_MS};
    plan.arguments[0].seed = seed;
    plan.arguments[1].count = 1;
    assert_int_equal(clear_marks(NULL), 0);
    assert_int_equal(worker_check(worker, &what, &outcome, &error), STATUS_OK);
    assert_int_equal(outcome.status, TRIAL_OK);
    int32_t *expected = calloc((size_t)count, sizeof *expected);
    int32_t *got = calloc((size_t)count, sizeof *got);
    FILE *file = fopen(in_folder("marks"), "r");
    assert_true(expected && got && file);
    fill_vector(expected, &plan.arguments[0], 0, (uint64_t)count);
    assert_int_equal(fread(got, sizeof *got, (size_t)count, file), count);
    assert_true(memcmp(got, expected, (size_t)count * sizeof *got) == 0);
    assert_int_equal(fclose(file), 0);
    free(expected);
    free(got);
}

/* Several threads fill large inputs; each element equals that of one thread. */
TEST_WITH(inputs_are_what_their_seeds_make, set_up, stop_worker)
{
    expect_input(9000001, 99);
    for (uint64_t seed = 1; seed < 4; seed++)
        expect_input(ELEMENTS, seed);
    expect_input(ELEMENTS + 1, 3);
    expect_input(ELEMENTS, 1);
}

TEST_MAIN_WITH_WORKERS(make_folder, remove_folder)
