/* Requests to a measuring worker, one at a time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/pack.h"
#include "tuner/base/text.h"
#include "tuner/worker/internal.h"
#include "tuner/worker/measure.h"

enum {
    PROBLEM_TIMEOUT_MS = 300000, /* references of large problems are computed on one core */
    INPUT_BYTES_PER_MS = 100000, /* slowest filling on the host */
    CEILINGS_TIMEOUT_MS = 120000,
    MOMENT_TIMEOUT_MS = 10000,
    PIN_TIMEOUT_MS = 10000,
};

enum status worker_pin(struct worker *worker, const char *cpus, bool *pinned, struct error *error)
{
    struct measure_answer answer;
    char *kept = strdup(cpus ? cpus : "");
    *pinned = false;
    TRY_MEMORY(kept);
    free(worker->cpus);
    worker->cpus = kept;
    if (!*kept)
        return STATUS_OK;
    const struct measure_request request = {.act = "pin", .cpus = kept};
    enum status status = worker_ask(worker, &request, false, NULL, PIN_TIMEOUT_MS, &answer, error);
    *pinned = answer.pinned;
    return status;
}

/* Ends a child that fails to measure them. */
enum status worker_ceilings(struct worker *worker, int64_t bytes, struct bandwidth *bandwidth,
                            struct arithmetic *arithmetic, struct error *error)
{
    const struct measure_request request = {.act = "ceilings",
                                            .bytes = bytes,
                                            .bandwidth = bandwidth != NULL,
                                            .arithmetic = arithmetic != NULL};
    struct measure_answer answer;
    enum status status =
        worker_ask(worker, &request, false, NULL, CEILINGS_TIMEOUT_MS, &answer, error);
    if (status != STATUS_OK)
        child_kill(&worker->child, NULL, 0);
    if (bandwidth)
        *bandwidth = answer.bandwidth;
    if (arithmetic)
        *arithmetic = answer.arithmetic;
    return status;
}

/* Tries twice, since no configuration is at fault here, with a new child if the old one was
 * lost. */
enum status worker_moment(struct worker *worker, bool anchor, struct worker_moment *moment,
                          struct error *error)
{
    struct measure_request request = {.act = "moment", .anchor = anchor};
    enum status status = STATUS_OK;
    for (int tries = 0; tries < 2; tries++) {
        struct measure_answer answer;
        request.spares = worker_await_spares(worker);
        status = worker_ask(worker, &request, false, NULL, MOMENT_TIMEOUT_MS, &answer, error);
        *moment =
            (struct worker_moment){answer.conditions, anchor ? answer.anchor_ns : (double)NAN};
        if (status == STATUS_OK || status == STATUS_NO_TIME || worker->absent)
            break;
    }
    return status;
}

/* Returns the name of the first function that computes expected results; NULL: none. */
static const char *function_of(const struct worker_task *problem)
{
    for (size_t i = 0; i < problem->checks.count; i++)
        if (problem->checks.items[i].kind == REFERENCE_FUNCTION)
            return problem->checks.items[i].name;
    return NULL;
}

/* Returns the plan whose kernels alone compute the expected results, without any function; NULL:
 * functions are needed, too. */
static const struct launch_plan *only_plan(const struct worker_task *problem)
{
    const struct launch_plan *plan = NULL;
    for (size_t i = 0; i < problem->checks.count && !function_of(problem); i++)
        if (problem->checks.items[i].kind == REFERENCE_PLAN)
            plan = problem->checks.items[i].plan;
    return plan;
}

enum status worker_problem(struct worker *worker, const struct worker_task *problem,
                           struct error *error)
{
    /* Shorter for references that only run on the device, since kernels may never end. */
    int64_t bytes = 0;
    int64_t timeout_ms = PROBLEM_TIMEOUT_MS;
    if (only_plan(problem) && problem->timeout_ms != 0) {
        for (size_t i = 0; i < problem->plan->argument_count; i++)
            bytes += (int64_t)argument_bytes(&problem->plan->arguments[i]);
        timeout_ms = problem->timeout_ms + bytes / INPUT_BYTES_PER_MS;
    }
    const struct measure_request request = {.act = "problem", .task = *problem};
    struct measure_answer answer;
    for (size_t i = 0; i < WORKER_SLOTS; i++)
        worker_forget(&worker->slots[i]);
    worker->head.reference_ns = 0;
    TRY(worker_keep(&worker->problem, &request, timeout_ms, error));
    if (worker->child.pid == 0)
        return worker_ensure(worker, true, error);
    enum status status = worker_ask(worker, &request, false, NULL, timeout_ms, &answer, error);
    worker->head.reference_ns = answer.reference_ns;
    if (status == STATUS_OK)
        worker->problem.generation = worker->generation;
    if (!worker->absent &&
        ((status == STATUS_DEVICE_LOST && answer.answered) || status == STATUS_INTERNAL))
        return worker_ensure(worker, true, error); /* once more, with new children */
    const char *function = function_of(problem);
    if (status == STATUS_TIMED_OUT && (function || only_plan(problem))) {
        worker_forget(&worker->problem);
        if (worker_ensure(worker, false, error) != STATUS_OK) /* the device or its host failed */
            return error->status;
        (void)error_set(error, STATUS_BAD_INPUT,
                        "no result after %lld ms%s; its process was killed", (long long)timeout_ms,
                        function ? "" : " (TUNE_TRIAL_TIMEOUT_MS)");
        return blame_reference(function ? problem->plan : only_plan(problem), function, error);
    }
    return status;
}

/* ---- outcomes ---- */

/* Derives the outcome of a request: by the failure that the child reported, else by its end.
 * STATUS_BAD_INPUT when the child blames the experiment. */
static enum status settle(const struct worker *worker, enum status status,
                          const struct measure_answer *answer, int64_t timeout_ms,
                          struct worker_outcome *outcome, const struct error *error)
{
    const bool answered = answer->answered;
    if (worker->absent || status == STATUS_NO_TIME)
        return status;
    outcome->status = status == STATUS_OK               ? TRIAL_OK
                      : status == STATUS_COMPILE_FAILED ? TRIAL_COMPILE_FAILED
                      : status == STATUS_TIMED_OUT      ? TRIAL_TIMED_OUT
                      : status == STATUS_DEVICE_LOST || status == STATUS_INTERNAL
                          ? TRIAL_CRASHED
                          : TRIAL_LAUNCH_FAILED;
    outcome->starved = !answered && status == STATUS_TIMED_OUT && worker->starved;
    const char *detail = status == STATUS_OK ? answer->wrong : error->text;
    if (status == STATUS_OK && answer->wrong[0])
        outcome->status = TRIAL_WRONG_RESULT;
    if (outcome->starved)
        (void)string_format(outcome->detail, sizeof outcome->detail,
                            "the machine is too busy: in %lld ms its process had a processor for "
                            "%lld; it was killed, and the next run tries it again",
                            (long long)LOAD_MAX * timeout_ms,
                            (long long)(worker->had_ns / 1000000));
    else if (!answered && status == STATUS_TIMED_OUT)
        (void)string_format(outcome->detail, sizeof outcome->detail,
                            "no result after %lld ms; its process was killed",
                            (long long)timeout_ms);
    else if (!answered && outcome->status == TRIAL_CRASHED && worker->how[0])
        (void)string_format(outcome->detail, sizeof outcome->detail, "it ended its process with %s",
                            worker->how);
    else
        (void)string_format(outcome->detail, sizeof outcome->detail, "%s", detail);
    return answered && status == STATUS_BAD_INPUT ? status : STATUS_OK;
}

enum status worker_load(struct worker *worker, const char *binary_path,
                        const struct launch *launches, size_t count,
                        struct kernel_resources *resources, struct worker_outcome *outcome,
                        struct error *error)
{
    const struct measure_request request = {.act = "load",
                                            .task.binary_path = binary_path,
                                            .launch_count = count,
                                            .launches = launches};
    struct measure_answer answer;
    enum status status = worker_ask(worker, &request, true, NULL, LOAD_TIMEOUT_MS, &answer, error);
    if (status == STATUS_OK && answer.resource_count != count)
        status = error_set(error, STATUS_INTERNAL, "the worker answered with %zu kernels, not %zu",
                           answer.resource_count, count);
    if (status == STATUS_OK)
        memcpy(resources, answer.resources, count * sizeof *resources);
    return settle(worker, status, &answer, LOAD_TIMEOUT_MS, outcome, error);
}

/* Checks the number of samples; ends a child that answered with another number. */
static enum status take_samples(struct worker *worker, const struct measure_answer *answer,
                                uint32_t least, uint32_t most, struct worker_samples *samples,
                                struct error *error)
{
    uint32_t count = answer->samples.count;
    if ((answer->wrong[0] || count >= least) && count <= most) {
        *samples = answer->samples;
        return STATUS_OK;
    }
    child_kill(&worker->child, NULL, 0);
    return error_set(error, STATUS_INTERNAL, "the worker answered with %u samples, not %u", count,
                     most);
}

enum status worker_trial(struct worker *worker, const struct worker_task *task,
                         struct worker_samples *samples, struct worker_outcome *outcome,
                         struct error *error)
{
    struct measure_request request = {.act = "trial", .task = *task};
    struct measure_answer answer;
    *samples = (struct worker_samples){0};
    if (task->blocks > WORKER_SAMPLES_MAX)
        request.task.blocks = WORKER_SAMPLES_MAX;
    enum status status = worker_ask(worker, &request, true, NULL, task->timeout_ms, &answer, error);
    if (status == STATUS_OK)
        status = take_samples(worker, &answer, task->blocks == 0 ? 0 : 1, WORKER_SAMPLES_MAX,
                              samples, error);
    return settle(worker, status, &answer, task->timeout_ms, outcome, error);
}

static enum status run_case(struct worker *worker, const char *act, const struct worker_task *task,
                            int64_t *compared, struct worker_outcome *outcome, struct error *error)
{
    const struct measure_request request = {.act = act, .task = *task};
    struct measure_answer answer;
    enum status status =
        worker_ask(worker, &request, false, NULL, task->timeout_ms, &answer, error);
    *compared = answer.compared;
    return settle(worker, status, &answer, task->timeout_ms, outcome, error);
}

enum status worker_check(struct worker *worker, const struct worker_task *task,
                         struct worker_outcome *outcome, struct error *error)
{
    int64_t ignored = 0;
    return run_case(worker, "check", task, &ignored, outcome, error);
}

enum status worker_watch(struct worker *worker, const struct worker_task *task, int64_t *compared,
                         struct worker_outcome *outcome, struct error *error)
{
    return run_case(worker, "watch", task, compared, outcome, error);
}

/* ---- plans that are timed in turn ---- */

enum status worker_arm(struct worker *worker, uint32_t slot, const struct worker_task *task,
                       struct error *error)
{
    const struct measure_request request = {.act = "arm", .task = *task, .slot = slot};
    if (slot >= WORKER_SLOTS)
        return error_set(error, STATUS_INTERNAL, "there is no slot %u", slot);
    return worker_keep(&worker->slots[slot], &request, LOAD_TIMEOUT_MS, error);
}

static enum status check_armed(const struct worker *worker, uint32_t slot, struct error *error)
{
    if (slot < WORKER_SLOTS && worker->slots[slot].request)
        return STATUS_OK;
    return error_set(error, STATUS_INTERNAL, "slot %u holds no plan", slot);
}

enum status worker_visit(struct worker *worker, uint32_t slot, uint32_t blocks, int64_t timeout_ms,
                         struct worker_samples *samples, struct worker_outcome *outcome,
                         struct error *error)
{
    if (blocks > WORKER_SAMPLES_MAX)
        blocks = WORKER_SAMPLES_MAX;
    const struct measure_request request = {.act = "visit", .task.blocks = blocks, .slot = slot};
    struct measure_answer answer;
    *samples = (struct worker_samples){0};
    TRY(check_armed(worker, slot, error));
    enum status status =
        worker_ask(worker, &request, true, &worker->slots[slot], timeout_ms, &answer, error);
    if (status == STATUS_OK)
        status = take_samples(worker, &answer, blocks, blocks, samples, error);
    return settle(worker, status, &answer, timeout_ms, outcome, error);
}

enum status worker_energy(struct worker *worker, uint32_t slot, double window_ms,
                          int64_t timeout_ms, struct energy *out, struct worker_outcome *outcome,
                          struct error *error)
{
    const struct measure_request request = {.act = "energy", .slot = slot, .window_ms = window_ms};
    struct measure_answer answer;
    *out = (struct energy){0};
    TRY(check_armed(worker, slot, error));
    enum status status =
        worker_ask(worker, &request, true, &worker->slots[slot], timeout_ms, &answer, error);
    const struct energy *energy = &answer.energy;
    if (status == STATUS_OK && energy->window_ns > 0 && energy->energy_j >= 0 && energy->runs > 0) {
        *out = *energy;
    } else if (status == STATUS_OK) {
        child_kill(&worker->child, NULL, 0);
        status = error_set(error, STATUS_INTERNAL, "the worker answered with no energy");
    }
    bool no_counter = status == STATUS_UNAVAILABLE && answer.answered && !worker->absent;
    status = settle(worker, no_counter ? STATUS_OK : status, &answer, timeout_ms, outcome, error);
    return no_counter ? STATUS_UNAVAILABLE : status;
}
