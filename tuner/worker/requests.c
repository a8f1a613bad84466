/* What a measuring worker is asked for, one after the other. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/text.h"
#include "tuner/worker/internal.h"
#include "tuner/worker/message.h"

enum {
    PROBLEM_TIMEOUT_MS = 300000, /* references of large problems are computed on one core */
    BANDWIDTH_TIMEOUT_MS = 120000,
    MOMENT_TIMEOUT_MS = 10000,
    PIN_TIMEOUT_MS = 10000,
};

enum status worker_pin(struct worker *worker, const char *cpus, bool *pinned, struct error *error)
{
    json_t *answer = NULL;
    char *kept = strdup(cpus ? cpus : "");
    *pinned = false;
    if (!kept)
        return error_no_memory(error);
    free(worker->cpus);
    worker->cpus = kept;
    if (!*kept)
        return STATUS_OK;
    enum status status =
        worker_ask(worker, false, NULL, json_pack("{s:s, s:s}", "do", "pin", "cpus", kept),
                   PIN_TIMEOUT_MS, &answer, error);
    if (status == STATUS_OK)
        *pinned = json_is_true(json_object_get(answer, "pinned"));
    json_decref(answer);
    return status;
}

enum status worker_bandwidth(struct worker *worker, int64_t bytes, struct bandwidth *out,
                             struct error *error)
{
    json_t *answer = NULL;
    json_t *request = json_pack("{s:s, s:I}", "do", "bandwidth", "bytes", (json_int_t)bytes);
    enum status status =
        worker_ask(worker, false, NULL, request, BANDWIDTH_TIMEOUT_MS, &answer, error);
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

enum status worker_arithmetic(struct worker *worker, struct arithmetic *out, struct error *error)
{
    json_t *answer = NULL;
    enum status status = worker_ask(worker, false, NULL, json_pack("{s:s}", "do", "arithmetic"),
                                    BANDWIDTH_TIMEOUT_MS, &answer, error);
    *out = (struct arithmetic){{0}};
    for (int i = 0; status == STATUS_OK && i < ELEMENT_TYPE_COUNT; i++)
        out->gops[i] = message_real(answer, element_name((enum element_type)i), 0);
    if (status != STATUS_OK)
        child_kill(&worker->child, NULL, 0);
    json_decref(answer);
    return status;
}

/* No configuration is to blame for what happens here, so it is tried again, with a new child where
 * the old one was lost. */
enum status worker_moment(struct worker *worker, bool anchor, struct worker_moment *out,
                          struct error *error)
{
    enum status status = STATUS_OK;
    *out = (struct worker_moment){conditions_unknown(), NAN};
    for (int tries = 0; tries < 2; tries++) {
        json_t *answer = NULL;
        status = worker_ask(worker, false, NULL,
                            json_pack("{s:s, s:b}", "do", "moment", "anchor", (int)anchor),
                            MOMENT_TIMEOUT_MS, &answer, error);
        if (status == STATUS_OK) {
            message_to_conditions(json_object_get(answer, "conditions"), &out->conditions);
            out->anchor_ns = anchor ? message_real(answer, "anchor_ns", NAN) : NAN;
        }
        json_decref(answer);
        if (status == STATUS_OK || worker->absent)
            break;
    }
    return status;
}

static json_t *from_reference(const struct worker_reference *reference)
{
    const struct tolerance *within = &reference->tolerance;
    json_t *plan = reference->plan ? message_from_plan(reference->plan) : json_null();
    return json_pack("{s:i, s:s*, s:s*, s:o, s:I, s:f, s:f, s:f, s:f, s:I}", "kind",
                     (int)reference->kind, "path", reference->path, "name", reference->name, "plan",
                     plan, "output", (json_int_t)reference->output, "magnitude", within->magnitude,
                     "absolute", within->absolute, "relative", within->relative, "total",
                     within->total, "ulps", (json_int_t)within->ulps);
}

/* What both the problem and a case of the gauntlet say. NULL when memory is short. */
static json_t *from_checks(const struct worker_checks *checks)
{
    json_t *list = json_array();
    for (size_t i = 0; i < checks->count; i++)
        list = message_with(list, from_reference(&checks->items[i]));
    return list;
}

/* Once more, with new children; where the device is well without the problem, that is what breaks
 * it. */
static enum status blame_problem(struct worker *worker, struct error *error)
{
    struct error first = *error;
    if (worker->absent || worker_ensure(worker, true, error) == STATUS_OK)
        return worker->absent ? error->status : STATUS_OK;
    worker_forget(&worker->problem);
    if (worker_ensure(worker, false, error) != STATUS_OK)
        return error->status;
    return error_set(error, STATUS_BAD_INPUT, "%s", first.text);
}

enum status worker_problem(struct worker *worker, const struct worker_problem *problem,
                           struct error *error)
{
    json_t *request =
        json_pack("{s:s, s:o, s:o, s:b}", "do", "problem", "plan", message_from_plan(problem->plan),
                  "checks", from_checks(&problem->checks), "varies", (int)problem->varies);
    for (size_t i = 0; i < WORKER_SLOTS; i++)
        worker_forget(&worker->slots[i]);
    worker->reference_ns = 0;
    enum status status = worker_keep(&worker->problem, request, error);
    worker->problem.timeout_ms = PROBLEM_TIMEOUT_MS;
    if (status != STATUS_OK)
        return status;
    if (worker->child.pid == 0)
        return worker_ensure(worker, true, error);
    json_t *answer = NULL;
    status =
        worker_ask(worker, false, NULL, json_incref(request), PROBLEM_TIMEOUT_MS, &answer, error);
    bool answered = answer != NULL;
    worker->reference_ns = message_integer(answer, "reference_ns", 0);
    json_decref(answer);
    if (status == STATUS_OK)
        worker->problem.told = worker->generation;
    if ((status == STATUS_DEVICE_LOST && answered) || status == STATUS_INTERNAL)
        return blame_problem(worker, error);
    return status;
}

int64_t worker_reference_ns(const struct worker *worker)
{
    return worker->reference_ns;
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
    case STATUS_INTERNAL:
        return TRIAL_CRASHED;
    default:
        return TRIAL_LAUNCH_FAILED;
    }
}

enum status worker_settle(const struct worker *worker, enum status status, bool answered,
                          int64_t timeout_ms, const struct error *error,
                          struct worker_outcome *outcome)
{
    outcome->status = trial_status_of(status);
    (void)string_format(outcome->detail, sizeof outcome->detail, "%s",
                        status == STATUS_OK ? "" : error->text);
    if (answered)
        return status == STATUS_BAD_INPUT ? status : STATUS_OK;
    if (status == STATUS_TIMED_OUT)
        (void)string_format(outcome->detail, sizeof outcome->detail,
                            "no result after %lld ms; its process was killed",
                            (long long)timeout_ms);
    else if (outcome->status == TRIAL_CRASHED && worker->how[0])
        (void)string_format(outcome->detail, sizeof outcome->detail, "it ended its process with %s",
                            worker->how);
    return STATUS_OK;
}

void worker_settle_wrong(const json_t *answer, struct worker_outcome *outcome)
{
    const char *wrong = message_text(answer, "wrong", NULL);
    if (outcome->status != TRIAL_OK || !wrong)
        return;
    outcome->status = TRIAL_WRONG_RESULT;
    (void)string_format(outcome->detail, sizeof outcome->detail, "%s", wrong);
}

static json_t *load_request(const char *binary_path, const struct worker_kernel *kernels,
                            size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        list = message_with(list, json_pack("{s:s, s:I, s:I}", "kernel", kernels[i].kernel,
                                            "threads", (json_int_t)kernels[i].block_threads,
                                            "shared", (json_int_t)kernels[i].shared_bytes));
    return json_pack("{s:s, s:s, s:o}", "do", "load", "binary", binary_path, "kernels", list);
}

enum status worker_load(struct worker *worker, const char *binary_path,
                        const struct worker_kernel *kernels, size_t count,
                        struct kernel_resources *resources, struct worker_outcome *outcome,
                        struct error *error)
{
    json_t *answer = NULL;
    enum status status =
        worker_keep(&worker->load, load_request(binary_path, kernels, count), error);
    worker->load.timeout_ms = LOAD_TIMEOUT_MS;
    if (status != STATUS_OK)
        return status;
    status = worker_ask(worker, true, NULL, json_incref(worker->load.request), LOAD_TIMEOUT_MS,
                        &answer, error);
    const json_t *rows = json_object_get(answer, "resources");
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        status = message_to_resources(json_array_get(rows, i), &resources[i], error);
    if (status == STATUS_OK)
        worker->load.told = worker->generation;
    bool answered = answer != NULL;
    json_decref(answer);
    if (worker->absent)
        return status;
    return worker_settle(worker, status, answered, LOAD_TIMEOUT_MS, error, outcome);
}

void worker_take_samples(struct worker *worker, const json_t *answer, uint32_t least, uint32_t most,
                         struct worker_samples *samples, enum status *status, struct error *error)
{
    if (*status != STATUS_OK)
        return;
    *status = message_to_samples(answer, samples, error);
    if (*status == STATUS_OK && (samples->count < least || samples->count > most))
        *status = error_set(error, STATUS_INTERNAL, "the worker answered with %u samples, not %u",
                            samples->count, most);
    if (*status == STATUS_OK)
        return;
    *samples = (struct worker_samples){0};
    child_kill(&worker->child, NULL, 0);
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
    enum status status =
        worker_ask(worker, true, &worker->load, request, trial->timeout_ms, &answer, error);
    const char *wrong = message_text(answer, "wrong", NULL);
    worker_take_samples(worker, answer, wrong || trial->blocks == 0 ? 0 : 1, WORKER_SAMPLES_MAX,
                        samples, &status, error);
    if (!worker->absent) {
        status = worker_settle(worker, status, answer != NULL, trial->timeout_ms, error, outcome);
        worker_settle_wrong(answer, outcome);
    }
    json_decref(answer);
    return status;
}

static enum status ask_case(struct worker *worker, const struct worker_case *what, const char *how,
                            int64_t most_ms, int64_t *compared, struct worker_outcome *outcome,
                            struct error *error)
{
    json_t *answer = NULL;
    json_t *request = json_pack("{s:s, s:s, s:o, s:I, s:I, s:b, s:o}", "do", how, "binary",
                                what->binary_path, "plan", message_from_plan(what->plan), "repeats",
                                (json_int_t)what->repeats, "most_ms", (json_int_t)most_ms, "told",
                                (int)what->told, "checks", from_checks(&what->checks));
    if (!request)
        return error_no_memory(error);
    enum status status = worker_ask(worker, false, NULL, request, what->timeout_ms, &answer, error);
    *compared = message_integer(answer, "compared", 0);
    if (!worker->absent) {
        status = worker_settle(worker, status, answer != NULL, what->timeout_ms, error, outcome);
        worker_settle_wrong(answer, outcome);
    }
    json_decref(answer);
    return status;
}

enum status worker_check(struct worker *worker, const struct worker_case *what,
                         struct worker_outcome *outcome, struct error *error)
{
    int64_t ignored = 0;
    return ask_case(worker, what, "check", 0, &ignored, outcome, error);
}

enum status worker_watch(struct worker *worker, const struct worker_case *what, int64_t most_ms,
                         int64_t *compared, struct worker_outcome *outcome, struct error *error)
{
    return ask_case(worker, what, "watch", most_ms, compared, outcome, error);
}
