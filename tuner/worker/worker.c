/* The parent's side of a measuring worker. */
#include "tuner/worker/worker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/failpoint.h"
#include "tuner/base/text.h"
#include "tuner/worker/frame.h"
#include "tuner/worker/message.h"
#include "tuner/worker/spawn.h"

enum {
    START_TIMEOUT_MS = 60000,
    LOAD_TIMEOUT_MS = 30000,
    PROBLEM_TIMEOUT_MS = 300000, /* inputs and references of large problems are made on one core */
    BANDWIDTH_TIMEOUT_MS = 120000,
    STARTS_IN_A_ROW_MAX = 3,
};

struct worker {
    char kind[16];
    char index[16];
    struct child child;
    struct facts facts;
    struct calibration calibration;
    json_t *problem; /* the requests, to be sent again to a new child */
    json_t *load;
    char how[128]; /* the last child ended, where that was noticed */
    bool absent;   /* no child could be started: the device does not come back */
    int restarts;
};

/* Whatever the child said of itself; *answered: it did so. */
static enum status greeted(struct worker *worker, bool *answered, struct error *error)
{
    json_t *hello = NULL;
    enum status status = frame_read(worker->child.output, START_TIMEOUT_MS, &hello, error);
    *answered = status == STATUS_OK;
    if (status == STATUS_OK)
        status = message_to_error(hello, error);
    if (status == STATUS_OK && worker->facts.count == 0) {
        status = message_to_facts(json_object_get(hello, "facts"), &worker->facts, error);
        worker->calibration.tick_ns = message_real(hello, "tick_ns", 0);
        worker->calibration.empty_pair_ns = message_real(hello, "empty_pair_ns", 0);
    }
    json_decref(hello);
    return status;
}

/* *killed: somebody ended the child before it was ready, which says nothing about the device. */
static enum status start_once(struct worker *worker, bool *killed, struct error *error)
{
    char program[] = "tune";
    char entry[] = "__measure";
    /* A new child takes the same device, even when its number has changed. */
    const char *known = facts_text(&worker->facts, "uuid", "");
    char uuid[128];
    bool is_known = *known && string_format(uuid, sizeof uuid, "%s", known);
    char *arguments[] = {program, entry, worker->kind, worker->index, is_known ? uuid : NULL, NULL};
    enum status status = child_start(arguments, &worker->child, error);
    if (status != STATUS_OK)
        return status;
    bool answered = false;
    status = greeted(worker, &answered, error);
    if (status == STATUS_OK)
        return STATUS_OK;
    char how[128];
    *killed = child_kill(&worker->child, how, sizeof how) == CHILD_WAS_KILLED;
    if (!answered && how[0])
        return error_set(error, status, "the worker for %s:%s ended at its start (%s)",
                         worker->kind, worker->index, how);
    return status;
}

static enum status start_child(struct worker *worker, struct error *error)
{
    bool killed = false;
    enum status status = start_once(worker, &killed, error);
    for (int i = 1; killed && i < STARTS_IN_A_ROW_MAX; i++) {
        killed = false;
        status = start_once(worker, &killed, error);
    }
    return status;
}

enum status worker_start(const char *kind, int index, struct worker **out, struct error *error)
{
    struct worker *worker = calloc(1, sizeof *worker);
    *out = NULL;
    if (!worker)
        return error_no_memory(error);
    worker->child = (struct child){.input = -1, .output = -1};
    if (!string_format(worker->kind, sizeof worker->kind, "%s", kind) ||
        !string_format(worker->index, sizeof worker->index, "%d", index)) {
        free(worker);
        return error_set(error, STATUS_INTERNAL, "device name too long");
    }
    enum status status = start_child(worker, error);
    if (status != STATUS_OK) {
        worker_stop(worker);
        return status;
    }
    *out = worker;
    return STATUS_OK;
}

void worker_stop(struct worker *worker)
{
    if (!worker)
        return;
    child_kill(&worker->child, NULL, 0);
    facts_free(&worker->facts);
    json_decref(worker->problem);
    json_decref(worker->load);
    free(worker);
}

const struct facts *worker_facts(const struct worker *worker)
{
    return &worker->facts;
}

struct calibration worker_calibration(const struct worker *worker)
{
    return worker->calibration;
}

int worker_restarts(const struct worker *worker)
{
    return worker->restarts;
}

/* Sends a request and waits for its answer; takes the request over. */
static enum status ask(struct worker *worker, json_t *request, int64_t timeout_ms, json_t **answer,
                       struct error *error)
{
    if (!request)
        return error_no_memory(error);
    enum status status = frame_write(worker->child.input, request, error);
    json_decref(request);
    FAILPOINT("worker.asked");
    if (status == STATUS_OK)
        status = frame_read(worker->child.output, timeout_ms, answer, error);
    FAILPOINT("worker.answered");
    if (status == STATUS_OK)
        status = message_to_error(*answer, error);
    return status;
}

static enum status send_again(struct worker *worker, json_t *request, int64_t timeout_ms,
                              struct error *error)
{
    json_t *answer = NULL;
    if (!request)
        return STATUS_OK;
    enum status status = ask(worker, json_incref(request), timeout_ms, &answer, error);
    json_decref(answer);
    return status;
}

static enum status send_problem(struct worker *worker, struct error *error)
{
    return send_again(worker, worker->problem, PROBLEM_TIMEOUT_MS, error);
}

/* A child that is there and knows the problem; a new one where the old one died. */
static enum status ensure_child(struct worker *worker, struct error *error)
{
    enum status status = STATUS_OK;
    for (int i = 0; worker->child.pid == 0 && i < STARTS_IN_A_ROW_MAX; i++) {
        worker->restarts++;
        status = start_child(worker, error);
        if (status == STATUS_OK)
            status = send_problem(worker, error);
        if (status != STATUS_OK)
            child_kill(&worker->child, NULL, 0);
    }
    if (worker->child.pid == 0)
        (void)error_prefix(error, "device %s:%s does not come back", worker->kind, worker->index);
    worker->absent = worker->child.pid == 0;
    return worker->absent ? status : STATUS_OK;
}

/* As ask, of a child that has loaded what is to be measured when `loaded`. Does away with a child
 * that cannot go on. One that was killed from outside says nothing about what it was doing: that is
 * tried once more, with another child. */
static enum status ask_surely(struct worker *worker, bool loaded, json_t *request,
                              int64_t timeout_ms, json_t **answer, struct error *error)
{
    enum status status = request ? STATUS_OK : error_no_memory(error);
    bool again = status == STATUS_OK;
    for (int tries = 0; again && tries < 2; tries++) {
        json_decref(*answer);
        *answer = NULL;
        worker->how[0] = '\0';
        bool fresh = worker->child.pid == 0;
        status = ensure_child(worker, error);
        if (status == STATUS_OK && fresh && loaded)
            status = send_again(worker, worker->load, LOAD_TIMEOUT_MS, error);
        if (status == STATUS_OK)
            status = ask(worker, json_incref(request), timeout_ms, answer, error);
        again = false;
        if (status == STATUS_TIMED_OUT)
            (void)child_kill(&worker->child, NULL, 0);
        else if (worker->absent)
            break;
        else if (status == STATUS_DEVICE_LOST || status == STATUS_INTERNAL)
            /* One that answered ends by our doing, and what it said stands. */
            again =
                child_kill(&worker->child, worker->how, sizeof worker->how) == CHILD_WAS_KILLED &&
                !*answer;
    }
    json_decref(request);
    return status;
}

enum status worker_probe(struct worker *worker, struct error *error)
{
    return ensure_child(worker, error);
}

enum status worker_bandwidth(struct worker *worker, struct bandwidth *out, struct error *error)
{
    json_t *answer = NULL;
    enum status status = ask_surely(worker, false, json_pack("{s:s}", "do", "bandwidth"),
                                    BANDWIDTH_TIMEOUT_MS, &answer, error);
    if (status == STATUS_OK)
        *out = (struct bandwidth){
            .host_to_device_gbs = message_real(answer, "host_to_device", 0),
            .device_to_host_gbs = message_real(answer, "device_to_host", 0),
            .copy_gbs = message_real(answer, "copy", 0),
            .read_gbs = message_real(answer, "read", 0),
            .write_gbs = message_real(answer, "write", 0),
            .bytes = message_integer(answer, "bytes", 0),
        };
    else
        child_kill(&worker->child, NULL, 0);
    json_decref(answer);
    return status;
}

enum status worker_problem(struct worker *worker, const struct worker_problem *problem,
                           struct error *error)
{
    json_decref(worker->problem);
    worker->problem = json_pack("{s:s, s:o, s:s*, s:s*, s:I, s:f}", "do", "problem", "plan",
                                message_from_plan(problem->plan), "reference_path",
                                problem->reference_path, "reference", problem->reference, "output",
                                (json_int_t)problem->output, "tolerance", problem->tolerance);
    if (!worker->problem)
        return error_no_memory(error);
    if (worker->child.pid == 0)
        return ensure_child(worker, error);
    json_t *answer = NULL;
    enum status status =
        ask_surely(worker, false, json_incref(worker->problem), PROBLEM_TIMEOUT_MS, &answer, error);
    json_decref(answer);
    return status;
}

static enum trial_status trial_status_of(enum status status)
{
    switch (status) {
    case STATUS_OK:
        return TRIAL_OK;
    case STATUS_COMPILE_FAILED:
        return TRIAL_COMPILE_FAILED;
    case STATUS_TIMED_OUT:
        return TRIAL_TIMED_OUT;
    case STATUS_DEVICE_LOST:
        return TRIAL_CRASHED;
    default:
        return TRIAL_LAUNCH_FAILED;
    }
}

/* Turns a failed answer into an outcome. `answered`: the child itself said what failed, and that is
 * more than how it then ended. */
static void settle(const struct worker *worker, enum status status, bool answered,
                   int64_t timeout_ms, const struct error *error, struct worker_outcome *outcome)
{
    outcome->status = trial_status_of(status);
    (void)string_format(outcome->detail, sizeof outcome->detail, "%s",
                        status == STATUS_OK ? "" : error->text);
    if (status == STATUS_DEVICE_LOST || status == STATUS_INTERNAL)
        outcome->status = TRIAL_CRASHED;
    if (answered)
        return;
    if (status == STATUS_TIMED_OUT)
        (void)string_format(outcome->detail, sizeof outcome->detail,
                            "no result after %lld ms; its process was killed",
                            (long long)timeout_ms);
    else if (outcome->status == TRIAL_CRASHED && worker->how[0])
        (void)string_format(outcome->detail, sizeof outcome->detail, "it ended its process with %s",
                            worker->how);
}

enum status worker_load(struct worker *worker, const char *binary_path,
                        const struct worker_kernel *kernels, size_t count,
                        struct kernel_resources *resources, struct worker_outcome *outcome,
                        struct error *error)
{
    json_t *list = json_array();
    json_t *answer = NULL;
    for (size_t i = 0; i < count; i++)
        list = message_with(list, json_pack("{s:s, s:I, s:I}", "kernel", kernels[i].kernel,
                                            "threads", (json_int_t)kernels[i].block_threads,
                                            "shared", (json_int_t)kernels[i].shared_bytes));
    json_decref(worker->load);
    worker->load =
        json_pack("{s:s, s:s, s:o}", "do", "load", "binary", binary_path, "kernels", list);
    enum status status =
        ask_surely(worker, false, json_incref(worker->load), LOAD_TIMEOUT_MS, &answer, error);
    const json_t *rows = json_object_get(answer, "resources");
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        status = message_to_resources(json_array_get(rows, i), &resources[i], error);
    if (!worker->load || worker->absent)
        return status;
    settle(worker, status, answer != NULL, LOAD_TIMEOUT_MS, error, outcome);
    json_decref(answer);
    return STATUS_OK;
}

static void take_samples(const json_t *answer, struct worker_samples *samples)
{
    const json_t *list = json_object_get(answer, "samples");
    samples->runs = (uint32_t)message_integer(answer, "runs", 0);
    samples->count = 0;
    for (size_t i = 0; i < json_array_size(list) && i < WORKER_SAMPLES_MAX; i++)
        samples->elapsed_ns[samples->count++] = json_number_value(json_array_get(list, i));
}

static json_t *trial_request(const struct worker_trial *trial)
{
    uint32_t blocks = trial->blocks < WORKER_SAMPLES_MAX ? trial->blocks : WORKER_SAMPLES_MAX;
    return json_pack("{s:s, s:o, s:i, s:b, s:I, s:I, s:f}", "do", "trial", "plan",
                     message_from_plan(trial->plan), "mode", (int)trial->l2_mode, "verify",
                     (int)trial->verify, "blocks", (json_int_t)blocks, "runs",
                     (json_int_t)trial->runs, "stop_above_ns", trial->stop_above_ns);
}

enum status worker_trial(struct worker *worker, const struct worker_trial *trial,
                         struct worker_samples *samples, struct worker_outcome *outcome,
                         struct error *error)
{
    json_t *answer = NULL;
    *samples = (struct worker_samples){0};
    json_t *request = trial_request(trial);
    if (!request)
        return error_no_memory(error);
    enum status status = ask_surely(worker, true, request, trial->timeout_ms, &answer, error);
    if (worker->absent)
        return status;
    const char *wrong = message_text(answer, "wrong", NULL);
    settle(worker, status, answer != NULL, trial->timeout_ms, error, outcome);
    if (status == STATUS_OK)
        take_samples(answer, samples);
    if (status == STATUS_OK && wrong) {
        outcome->status = TRIAL_WRONG_RESULT;
        (void)string_format(outcome->detail, sizeof outcome->detail, "%s", wrong);
    }
    json_decref(answer);
    return STATUS_OK;
}
