/* Plans that are timed in turn: the parent's side. */
#include "tuner/worker/internal.h"
#include "tuner/worker/message.h"

enum status worker_arm(struct worker *worker, uint32_t slot, const struct worker_slot *what,
                       struct error *error)
{
    if (slot >= WORKER_SLOTS)
        return error_set(error, STATUS_INTERNAL, "there is no slot %u", slot);
    const struct worker_results none = {0};
    struct kept *kept = &worker->slots[slot];
    enum status status = worker_keep(
        kept,
        json_pack("{s:s, s:I, s:s, s:o, s:i, s:I, s:b, s:o}", "do", "arm", "slot", (json_int_t)slot,
                  "binary", what->binary_path, "plan", message_from_plan(what->plan), "mode",
                  (int)what->l2_mode, "runs", (json_int_t)what->runs, "keeps", (int)what->keeps,
                  "results", message_from_results(what->results ? what->results : &none)),
        error);
    kept->timeout_ms = LOAD_TIMEOUT_MS;
    return status;
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
    json_t *answer = NULL;
    *samples = (struct worker_samples){0};
    enum status status = check_armed(worker, slot, error);
    if (status != STATUS_OK)
        return status;
    if (blocks > WORKER_SAMPLES_MAX)
        blocks = WORKER_SAMPLES_MAX;
    json_t *request = json_pack("{s:s, s:I, s:I}", "do", "visit", "slot", (json_int_t)slot,
                                "blocks", (json_int_t)blocks);
    if (!request)
        return error_no_memory(error);
    status = worker_ask(worker, true, &worker->slots[slot], request, timeout_ms, &answer, error);
    bool wrong = json_object_get(answer, "wrong") != NULL;
    worker_take_samples(worker, answer, wrong ? 0 : blocks, blocks, samples, &status, error);
    message_to_results(json_object_get(answer, "results"), &samples->results);
    if (!worker->absent) {
        status = worker_settle(worker, status, answer != NULL, timeout_ms, error, outcome);
        worker_settle_wrong(answer, outcome);
    }
    json_decref(answer);
    return status;
}

static enum status take_energy(struct worker *worker, const json_t *answer, struct energy *out,
                               struct error *error)
{
    *out = (struct energy){
        .window_ns = message_real(answer, "window_ns", 0),
        .energy_j = message_real(answer, "energy_j", -1),
        .runs = message_real(answer, "runs", 0),
        .resolution_j = message_real(answer, "resolution_j", 0),
    };
    if (out->window_ns > 0 && out->energy_j >= 0 && out->runs > 0)
        return STATUS_OK;
    *out = (struct energy){0};
    child_kill(&worker->child, NULL, 0);
    return error_set(error, STATUS_INTERNAL, "the worker answered with no energy");
}

enum status worker_energy(struct worker *worker, uint32_t slot, double window_ms,
                          int64_t timeout_ms, struct energy *out, struct worker_outcome *outcome,
                          struct error *error)
{
    json_t *answer = NULL;
    *out = (struct energy){0};
    enum status status = check_armed(worker, slot, error);
    if (status != STATUS_OK)
        return status;
    json_t *request = json_pack("{s:s, s:I, s:f}", "do", "energy", "slot", (json_int_t)slot,
                                "window_ms", window_ms);
    if (!request)
        return error_no_memory(error);
    status = worker_ask(worker, true, &worker->slots[slot], request, timeout_ms, &answer, error);
    if (status == STATUS_OK)
        status = take_energy(worker, answer, out, error);
    if (!worker->absent) {
        bool no_counter = status == STATUS_UNAVAILABLE && answer;
        status = worker_settle(worker, no_counter ? STATUS_OK : status, answer != NULL, timeout_ms,
                               error, outcome);
        if (no_counter)
            status = STATUS_UNAVAILABLE;
        worker_settle_wrong(answer, outcome);
    }
    json_decref(answer);
    return status;
}
