/* A child that answers nonsense costs itself, never the parent. */

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/suite.h"
#include "tuner/worker/frame.h"
#include "tuner/worker/host.h"
#include "tuner/worker/worker.h"

enum { TIMEOUT_MS = 10000 };

static struct worker *worker;

/* Sends $TEST_HELLO, then answers each request with $TEST_ANSWER: as a frame if it is JSON, else
 * unchanged. If there is a file $TEST_DIES, the child removes it and ends instead. */
static int broken_child(void)
{
    struct error error = {0};
    json_t *request = NULL;
    const char *words = getenv("TEST_HELLO");
    while (words && frame_read(CHILD_INPUT, -1, &request, &error) == STATUS_OK) {
        json_t *answer = json_loads(words, 0, NULL);
        json_decref(request);
        if (words != getenv("TEST_HELLO") && unlink(getenv("TEST_DIES")) == 0)
            return 3;
        if (answer ? frame_write(CHILD_OUTPUT, answer, &error) != STATUS_OK
                   : write(CHILD_OUTPUT, words, strlen(words)) < 0)
            return 1;
        json_decref(answer);
        words = getenv("TEST_ANSWER");
    }
    return 0;
}

static int start(void **state)
{
    struct error error = {0};
    (void)state;
    (void)signal(SIGPIPE, SIG_IGN);
    if (setenv("TEST_HELLO", "{\"facts\":[]}", 1) != 0 || setenv("TEST_ANSWER", "{}", 1) != 0 ||
        setenv("TEST_DIES", "", 1) != 0)
        return -1;
    return worker_start(host_local(), "cpu", 0, NULL, &worker, &error) == STATUS_OK ? 0 : -1;
}

static int stop(void **state)
{
    (void)state;
    worker_stop(worker);
    worker = NULL;
    return 0;
}

/* Makes the next child answer so. */
static void be_answered(const char *answer)
{
    struct error error = {0};
    assert_int_equal(setenv("TEST_ANSWER", answer, 1), 0);
    assert_int_equal(worker_fresh(worker, &error), STATUS_OK);
}

static const char *const nonsense[] = {
    "TUN1 or so, and more of it",
    "TUN1\xff\xff\xff\x7f{}",
    "[1, 2]",
    "{\"error\": 4711, \"text\": 7}",
    "{\"error\": 19, \"text\": \"I am confused\"}",
};
_Static_assert(STATUS_INTERNAL == 19, "the last answer of nonsense is a fault of the child");
static const char *const no_samples[] = {
    "{}",
    "{\"samples\": 7}",
    "{\"samples\": {\"elapsed_ns\": [1]}}",
    "{\"samples\": {\"elapsed_ns\": [1, 2, 3]}}",
    "{\"samples\": {\"elapsed_ns\": [1, \"2\"], \"runs\": [7]}}",
};

static enum trial_status visit_twice(void)
{
    struct launch_plan plan = {0};
    struct worker_task slot = {
        .binary_path = "binary", .plan = &plan, .l2_mode = L2_COLD, .runs = 1};
    struct worker_samples samples;
    struct worker_outcome outcome = {.status = TRIAL_OK};
    struct error error = {0};
    assert_int_equal(worker_arm(worker, 0, &slot, &error), STATUS_OK);
    assert_int_equal(worker_visit(worker, 0, 2, TIMEOUT_MS, &samples, &outcome, &error), STATUS_OK);
    assert_true(outcome.status == TRIAL_OK || (outcome.detail[0] && samples.count == 0));
    return outcome.status;
}

TEST_WITH(visits, start, stop)
{
    for (size_t i = 0; i < sizeof nonsense / sizeof nonsense[0]; i++) {
        be_answered(nonsense[i]);
        assert_int_equal(visit_twice(), TRIAL_CRASHED);
    }
    for (size_t i = 0; i < sizeof no_samples / sizeof no_samples[0]; i++) {
        be_answered(no_samples[i]);
        assert_int_equal(visit_twice(), TRIAL_CRASHED);
    }
    be_answered("{\"samples\": {\"elapsed_ns\": [1, 2], \"runs\": 7}}");
    assert_int_equal(visit_twice(), TRIAL_OK);
}

TEST_WITH(energy, start, stop)
{
    struct launch_plan plan = {0};
    struct worker_task slot = {
        .binary_path = "binary", .plan = &plan, .l2_mode = L2_COLD, .runs = 1};
    static const char *const answers[] = {
        "{}", "{\"energy\": {\"window_ns\": 1e9, \"energy_j\": 5, \"runs\": 0}}",
        "{\"energy\": {\"window_ns\": [], \"energy_j\": \"\", \"runs\": {}}}", "no frame at all"};
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        struct worker_outcome outcome;
        struct energy energy;
        struct error error = {0};
        be_answered(answers[i]);
        assert_int_equal(worker_arm(worker, 3, &slot, &error), STATUS_OK);
        assert_int_equal(worker_energy(worker, 3, 10, TIMEOUT_MS, &energy, &outcome, &error),
                         STATUS_OK);
        assert_int_equal(outcome.status, TRIAL_CRASHED);
        assert_true(energy.runs == 0);
    }
}

TEST_WITH(moments, start, stop)
{
    struct worker_moment moment;
    struct error error = {0};
    be_answered("{\"conditions\": [3], \"anchor_ns\": \"long\"}");
    assert_int_not_equal(worker_moment(worker, true, &moment, &error), STATUS_OK);
    assert_true(isnan(moment.anchor_ns) && isnan(moment.conditions.sm_clock_mhz));
    assert_int_equal(moment.conditions.other_processes, -1);
    for (size_t i = 0; i < sizeof nonsense / sizeof nonsense[0]; i++) {
        be_answered(nonsense[i]);
        assert_int_not_equal(worker_moment(worker, true, &moment, &error), STATUS_OK);
        assert_true(isnan(moment.anchor_ns));
    }
}

/* If the device vanishes while idle, no configuration is to blame. */
TEST_WITH(a_moment_outlives_one_child, start, stop)
{
    struct worker_moment moment;
    struct error error = {0};
    char dies[] = "/tmp/tune-test-XXXXXX";
    int file = mkstemp(dies);
    assert_true(file >= 0);
    assert_int_equal(close(file), 0);
    assert_int_equal(setenv("TEST_DIES", dies, 1), 0);
    be_answered("{\"conditions\": {\"throttle\": 2}, \"anchor_ns\": 7}");
    assert_int_equal(worker_moment(worker, true, &moment, &error), STATUS_OK);
    assert_true(moment.anchor_ns == 7);
    assert_int_equal(moment.conditions.throttle, 2);
    assert_int_equal(worker_head(worker)->restarts, 1);
}

TEST_WITH(trials_and_checks, start, stop)
{
    struct launch_plan plan = {0};
    struct worker_task trial = {
        .binary_path = "b", .plan = &plan, .blocks = 2, .timeout_ms = TIMEOUT_MS};
    struct worker_task what = {.binary_path = "", .plan = &plan, .timeout_ms = TIMEOUT_MS};
    struct worker_samples samples;
    struct worker_outcome outcome;
    struct error error = {0};
    be_answered("{\"samples\": [null]}"); /* no object */
    assert_int_equal(worker_trial(worker, &trial, &samples, &outcome, &error), STATUS_OK);
    assert_int_equal(outcome.status, TRIAL_CRASHED);
    for (size_t i = 0; i < sizeof nonsense / sizeof nonsense[0]; i++) {
        be_answered(nonsense[i]);
        assert_int_equal(worker_trial(worker, &trial, &samples, &outcome, &error), STATUS_OK);
        assert_int_equal(outcome.status, TRIAL_CRASHED);
        assert_int_equal(worker_check(worker, &what, &outcome, &error), STATUS_OK);
        assert_int_equal(outcome.status, TRIAL_CRASHED);
    }
}

TEST_WITH(starts, start, stop)
{
    struct worker *none = NULL;
    struct error error = {0};
    for (size_t i = 0; i < sizeof nonsense / sizeof nonsense[0]; i++) {
        assert_int_equal(setenv("TEST_HELLO", nonsense[i], 1), 0);
        assert_int_not_equal(worker_start(host_local(), "cpu", 0, NULL, &none, &error), STATUS_OK);
        assert_null(none);
        assert_true(error.text[0] != '\0');
    }
    /* Now no new child can be had. */
    assert_int_not_equal(worker_fresh(worker, &error), STATUS_OK);
    assert_int_not_equal(worker_probe(worker, &error), STATUS_OK);
}

int main(int argc, char **argv)
{
    if (argc > 1 && worker_is_entry(argv[1]))
        return broken_child();
    return run_suite(NULL, NULL);
}
