/* The life of a measuring worker's child, seen from the parent, and requests to the child. */
#include "tuner/worker/worker.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/clock.h"
#include "tuner/base/failpoint.h"
#include "tuner/base/process.h"
#include "tuner/base/text.h"
#include "tuner/device/traits.h"
#include "tuner/worker/frame.h"
#include "tuner/worker/internal.h"
#include "tuner/worker/message.h"

enum {
    COUNT_TIMEOUT_MS = 60000,
    START_TIMEOUT_MS = 60000,
    STARTS_IN_A_ROW_MAX = 3,
    STOPS_MAX = 5,
    POLL_MAX_MS = 60000,
};
/* Longest delay of a frame from another host. */
static const int64_t slack_ns = 200000000, look_every_ns = 100000000;
static const int64_t first_look_ns = 1000000000, least_look_ns = 10000000;

/* State of waiting for an answer. Times are of clock_running_ns. */
struct awaiting {
    struct worker *worker;
    const struct child *child;
    int64_t given_ns;
    int64_t requested_ns, look_ns; /* start of waiting, and next check for lateness */
    int64_t late_ns;               /* remote host: end of the limit; 0: not reached yet */
    struct process_share before;
    bool has_before;
};

/* Returns whether a remote child is late: only after a beat of its host that came after the limit,
 * since frames come in order, so no answer is on its way then. After a silence of the host the
 * limit starts anew, since frames may have been delayed. */
static bool is_late_elsewhere(struct awaiting *awaiting, int64_t now_ns)
{
    const struct host_view host = host_view(awaiting->child->host);
    if (awaiting->late_ns == 0)
        awaiting->late_ns = now_ns + slack_ns;
    awaiting->look_ns = now_ns + look_every_ns;
    if (host.received_ns <= awaiting->late_ns)
        return false;
    if (host.silence_ended_ns < awaiting->requested_ns)
        return true;
    awaiting->requested_ns = now_ns;
    awaiting->look_ns = now_ns + awaiting->given_ns;
    awaiting->late_ns = 0;
    return false;
}

/* Returns whether a local child is late. The limit counts only time in which the child had a
 * processor or needed none: a loaded machine is no hang. A child that hangs in a loop uses a
 * processor, one that hangs in a lock waits for none. */
static bool is_late(struct awaiting *awaiting, int64_t now_ns)
{
    struct worker *worker = awaiting->worker;
    struct process_share now;
    const int64_t passed_ns = now_ns - awaiting->requested_ns;
    const bool is_known = process_share(awaiting->child->pid, &now);
    if (!awaiting->has_before) {
        awaiting->has_before = true;
        awaiting->before = now;
        awaiting->look_ns = awaiting->requested_ns + awaiting->given_ns;
        return false;
    }
    const int64_t ran_ns = now.ran_ns - awaiting->before.ran_ns;
    const int64_t wanted_none_ns = passed_ns - (now.waited_ns - awaiting->before.waited_ns);
    worker->had_ns = !is_known ? passed_ns : wanted_none_ns > ran_ns ? wanted_none_ns : ran_ns;
    if (FAILPOINT_FAILS("worker.starved"))
        worker->had_ns = 0;
    const int64_t missing_ns = awaiting->given_ns - worker->had_ns;
    worker->starved = missing_ns > 0;
    awaiting->look_ns = now_ns + (missing_ns > least_look_ns ? missing_ns : least_look_ns);
    return missing_ns <= 0 || passed_ns >= LOAD_MAX * awaiting->given_ns;
}

static bool has_no_time(const struct worker *worker)
{
    return worker->end_ns != 0 && clock_budget_ns() >= worker->end_ns;
}

/* Waits for input. Input that is present at the deadline is still read, since this process may have
 * been the late one. */
static enum status await_more(void *context, struct error *error)
{
    struct awaiting *awaiting = context;
    const struct worker *worker = awaiting->worker;
    for (;;) {
        int64_t left_ns = awaiting->look_ns - clock_running_ns();
        const int64_t end_ns = worker->end_ns - clock_budget_ns();
        left_ns = worker->end_ns != 0 && end_ns < left_ns ? end_ns : left_ns;
        const int64_t left_ms = left_ns > 0 ? (left_ns + 999999) / 1000000 : 0;
        struct pollfd poller = {.fd = awaiting->child->output, .events = POLLIN};
        const int ready = poll(&poller, 1, left_ms > POLL_MAX_MS ? POLL_MAX_MS : (int)left_ms);
        if (ready > 0)
            return STATUS_OK;
        if (ready < 0 && errno != EINTR)
            return error_set_errno(error, errno, "poll");
        if (ready == 0 && has_no_time(worker))
            return error_set(error, STATUS_NO_TIME, "the budget is spent");
        const int64_t now_ns = clock_running_ns();
        if (ready != 0 || now_ns < awaiting->look_ns)
            continue;
        if (awaiting->child->host->view ? is_late_elsewhere(awaiting, now_ns)
                                        : is_late(awaiting, now_ns))
            return error_set(error, STATUS_TIMED_OUT, "no answer within the time limit");
    }
}

static enum status await_answer(struct worker *worker, const struct child *child,
                                int64_t timeout_ms, json_t **answer, struct error *error)
{
    const int64_t now_ns = clock_running_ns(), given_ns = timeout_ms * 1000000;
    const int64_t first_ns = given_ns / 4 < first_look_ns ? given_ns / 4 : first_look_ns;
    struct awaiting awaiting = {.worker = worker,
                                .child = child,
                                .given_ns = given_ns,
                                .requested_ns = now_ns,
                                .look_ns = now_ns + (child->host->view ? given_ns : first_ns)};
    worker->starved = false;
    return frame_read_by(child->output, await_more, &awaiting, answer, error);
}

/* Receives the child's hello; the first one's description is kept. *answered: the child replied. */
static enum status greeted(struct worker *worker, bool *answered, struct error *error)
{
    struct arena arena = {0};
    struct hello_message hello = {0};
    json_t *answer = NULL;
    enum status status = await_answer(worker, &worker->child, START_TIMEOUT_MS, &answer, error);
    *answered = status == STATUS_OK;
    if (!*answered)
        goto cleanup;
    TRY_OR_CLEANUP(message_to_error(answer, error));
    TRY_OR_CLEANUP(message_decode(&message_hello, answer, &arena, &hello, error));
    if (worker->head.facts.count == 0) {
        for (size_t i = 0; i < hello.fact_count; i++)
            facts_add(&worker->head.facts, hello.facts[i].key, hello.facts[i].value);
        worker->head.calibration = hello.calibration;
        worker->head.machine = hello.machine;
    }
cleanup:
    if (worker->head.facts.failed)
        status = error_no_memory(error);
    json_decref(answer);
    arena_free(&arena);
    return status;
}

/* Sends the start message. A replacement opens the same device even if the number has changed. */
static enum status send_start(const struct worker *worker, const struct child *child, bool is_spare,
                              struct error *error)
{
    const struct start_message message = {worker->protocol, worker->cpus,
                                          facts_text(&worker->head.facts, "uuid", ""), is_spare};
    json_t *start = message_encode(&message_start, &message);
    TRY_MEMORY(start);
    enum status status = child_send(child, start, error);
    json_decref(start);
    return status;
}

static enum status start_process(struct worker *worker, struct child *child, struct error *error)
{
    char program[] = "tune";
    char entry[] = "__measure";
    char *arguments[] = {program, entry, worker->kind, worker->index, NULL};
    return worker->host->start(worker->host, arguments, child, error);
}

/* ---- spare children ---- */

int64_t worker_spare_age_ns(const struct worker *worker)
{
    return worker->head.spares > 0 ? clock_budget_ns() - worker->spares[0].begun_ns : 0;
}

static void end_spares_behind(struct worker *worker, size_t kept)
{
    while (worker->head.spares > kept)
        child_kill(&worker->spares[--worker->head.spares].child, NULL, 0);
}

void worker_end_spares(struct worker *worker)
{
    end_spares_behind(worker, 0);
}

void worker_reserve(struct worker *worker, size_t count)
{
    struct error ignored = {0};
    while (worker->head.calibration.reserved_ns > 0 && !worker->has_no_room &&
           worker->head.spares < count && worker->head.spares < WORKER_SPARES) {
        struct spare *spare = &worker->spares[worker->head.spares];
        *spare = (struct spare){.child = child_none(), .begun_ns = clock_budget_ns()};
        if (start_process(worker, &spare->child, &ignored) != STATUS_OK)
            return;
        worker->head.spares++;
        if (send_start(worker, &spare->child, true, &ignored) != STATUS_OK) {
            worker_end_spares(worker);
            return;
        }
    }
}

uint32_t worker_await_spares(struct worker *worker)
{
    for (size_t i = 0; i < worker->head.spares; i++) {
        struct spare *spare = &worker->spares[i];
        struct error ignored = {0};
        json_t *answer = NULL;
        if (!spare->is_ready)
            spare->is_ready = await_answer(worker, &spare->child, START_TIMEOUT_MS, &answer,
                                           &ignored) == STATUS_OK &&
                              message_to_error(answer, &ignored) == STATUS_OK;
        json_decref(answer);
        worker->has_no_room = worker->has_no_room || ignored.status == STATUS_UNAVAILABLE;
        if (!spare->is_ready)
            end_spares_behind(worker, i);
    }
    return (uint32_t)worker->head.spares;
}

/* ---- the child ---- */

/* Starts a child. *killed: killed before ready, which says nothing about the device. */
static enum status start_once(struct worker *worker, bool *killed, struct error *error)
{
    bool answered = false;
    char how[128];
    TRY(start_process(worker, &worker->child, error));
    worker->generation++;
    enum status status = send_start(worker, &worker->child, false, error);
    if (status == STATUS_OK)
        status = greeted(worker, &answered, error);
    if (status == STATUS_OK)
        return STATUS_OK;
    *killed = was_killed(child_kill(&worker->child, how, sizeof how));
    if (!answered && how[0])
        return error_set(error, status, "the worker for %s:%s ended at its start (%s)",
                         worker->kind, worker->index, how);
    return status;
}

static enum status start_child(struct worker *worker, struct error *error)
{
    bool killed = false, answered = false;
    enum status status = STATUS_OK;
    if (worker_await_spares(worker) > 0) { /* the oldest spare becomes the child */
        worker->child = worker->spares[0].child;
        worker->head.spares--;
        memmove(worker->spares, worker->spares + 1, worker->head.spares * sizeof *worker->spares);
        worker->generation++;
        status = send_start(worker, &worker->child, false, error);
        if (status == STATUS_OK)
            status = greeted(worker, &answered, error);
        if (status == STATUS_OK)
            return STATUS_OK;
        child_kill(&worker->child, NULL, 0);
    }
    worker_end_spares(worker); /* a new child reports the error */
    error_clear(error);
    status = start_once(worker, &killed, error);
    for (int i = 1; killed && i < STARTS_IN_A_ROW_MAX; i++) {
        killed = false;
        status = start_once(worker, &killed, error);
    }
    return status;
}

enum status worker_start(const struct host *host, const char *kind, int index,
                         const struct protocol *protocol, struct worker **out, struct error *error)
{
    struct worker *worker = calloc(1, sizeof *worker);
    enum status status = STATUS_OK;
    *out = NULL;
    TRY_MEMORY(worker);
    worker->host = host;
    worker->child = child_none();
    if (!string_format(worker->kind, sizeof worker->kind, "%s", kind) ||
        !string_format(worker->index, sizeof worker->index, "%d", index))
        TRY_OR_CLEANUP(error_set(error, STATUS_INTERNAL, "device name too long"));
    struct protocol defaults;
    struct text text = {0};
    if (!protocol) {
        protocol_defaults(EFFORT_NORMAL, device_traits(worker->kind)->is_shared, &defaults);
        protocol = &defaults;
    }
    protocol_format(protocol, &text);
    if (!text.failed)
        worker->protocol = strdup(text_string(&text));
    worker->cpus = strdup("");
    text_free(&text);
    if (!worker->protocol || !worker->cpus)
        TRY_OR_CLEANUP(error_no_memory(error));
    TRY_OR_CLEANUP(start_child(worker, error));
    *out = worker;
    return STATUS_OK;
cleanup:
    worker_stop(worker);
    return status;
}

void worker_forget(struct kept *kept)
{
    json_decref(kept->request);
    *kept = (struct kept){0};
}

enum status worker_keep(struct kept *kept, const struct measure_request *request,
                        int64_t timeout_ms, struct error *error)
{
    worker_forget(kept);
    kept->timeout_ms = timeout_ms;
    kept->request = message_encode(&message_request, request);
    return kept->request ? STATUS_OK : error_no_memory(error);
}

void worker_stop(struct worker *worker)
{
    if (!worker)
        return;
    child_kill(&worker->child, NULL, 0);
    worker_end_spares(worker);
    facts_free(&worker->head.facts);
    worker_forget(&worker->problem);
    for (size_t i = 0; i < WORKER_SLOTS; i++)
        worker_forget(&worker->slots[i]);
    free(worker->protocol);
    free(worker->cpus);
    free(worker);
}

const struct worker_head *worker_head(const struct worker *worker)
{
    return &worker->head;
}

void worker_end_by(struct worker *worker, int64_t end_ns)
{
    worker->end_ns = end_ns;
}

/* Sends a request and waits for the answer. */
static enum status exchange(struct worker *worker, const json_t *request, int64_t timeout_ms,
                            struct measure_answer *answer, struct error *error)
{
    json_t *message = NULL;
    bool answered = false;
    enum status status = child_send(&worker->child, request, error);
    FAILPOINT("worker.asked");
    if (status == STATUS_OK)
        status = await_answer(worker, &worker->child, timeout_ms, &message, error);
    FAILPOINT("worker.answered");
    if (status != STATUS_OK)
        goto cleanup;
    answered = true;
    TRY_OR_CLEANUP(message_to_error(message, error));
    TRY_OR_CLEANUP(message_decode(&message_answer, message, NULL, answer, error));
cleanup:
    json_decref(message);
    if (status != STATUS_OK)
        *answer = measure_answer_empty();
    answer->answered = answered;
    return status;
}

/* Sends a kept request to the child unless sent already. */
static enum status pass_on(struct worker *worker, struct kept *kept, struct error *error)
{
    struct measure_answer answer;
    if (!kept || !kept->request || kept->generation == worker->generation)
        return STATUS_OK;
    TRY(exchange(worker, kept->request, kept->timeout_ms, &answer, error));
    kept->generation = worker->generation;
    return STATUS_OK;
}

enum status worker_ensure(struct worker *worker, bool problem, struct error *error)
{
    enum status status = STATUS_OK;
    bool has_problem = false; /* for the last child */
    const unsigned connections = host_connections(worker->host);
    if (has_no_time(worker))
        return error_set(error, STATUS_NO_TIME, "the budget is spent");
    for (int i = 0; i < STARTS_IN_A_ROW_MAX; i++) {
        status = STATUS_OK;
        if (worker->child.pid == 0) {
            worker->head.restarts++;
            status = start_child(worker, error);
        }
        bool started = status == STATUS_OK;
        has_problem = started && problem;
        if (has_problem)
            status = pass_on(worker, &worker->problem, error);
        worker->absent = worker->head.host_was_lost = false;
        if (started && status == STATUS_NOT_FOUND) /* a file is missing, the child is well */
            return status;
        if (status == STATUS_OK)
            break;
        child_kill(&worker->child, NULL, 0);
        if (status == STATUS_NO_TIME)
            return status;
    }
    worker->absent = worker->child.pid == 0;
    worker->head.host_was_lost = worker->absent && host_was_lost(worker->host, connections);
    if (worker->head.host_was_lost)
        return status; /* the error names the host */
    const bool broke =
        status == STATUS_DEVICE_LOST || status == STATUS_INTERNAL || status == STATUS_TIMED_OUT;
    if (worker->absent && has_problem && broke) {
        /* If a child starts without the problem at which others failed, the problem is at fault,
         * not the device. The error is the problem's. */
        struct error ignored = {0};
        worker->head.restarts++;
        if (start_child(worker, &ignored) == STATUS_OK) {
            worker->absent = false;
            return error->status = STATUS_BAD_INPUT;
        }
        child_kill(&worker->child, NULL, 0);
    }
    if (worker->absent)
        return error_prefix(error, "device %s:%s does not come back", worker->kind, worker->index);
    error_clear(error);
    return STATUS_OK;
}

/* Sends a request, with retries. A child killed from outside says nothing about the request, which
 * is tried with as many children as a start, and again each time the host was lost and came back.
 * Failures and timings while this process was stopped or the machine slept do not count either: the
 * child may have been stopped, too, and devices do not always survive a sleep. Times of a device
 * that computes nothing are drawn in the order of requests: these count. */
enum status worker_ask(struct worker *worker, const struct measure_request *request, bool problem,
                       struct kept *also, int64_t timeout_ms, struct measure_answer *answer,
                       struct error *error)
{
    /* Requests that must not run while spares use the device. */
    static const char *const timings[] = {"trial", "visit", "energy", "moment", "ceilings"};
    const bool times = WORD_INDEX(request->act, timings, COUNT(timings)) < COUNT(timings);
    const bool draws = device_traits(worker->kind)->computes_nothing;
    json_t *message = message_encode(&message_request, request);
    enum status status = message ? STATUS_OK : error_no_memory(error);
    bool retry = status == STATUS_OK;
    int stops = 0; /* a machine that is always too busy looks stopped, too */
    *answer = measure_answer_empty();
    for (int tries = 0; retry && tries < STARTS_IN_A_ROW_MAX; tries++) {
        answer->answered = false;
        worker->how[0] = '\0';
        int64_t stopped_ns = clock_stopped_ns();
        status = worker_ensure(worker, problem, error);
        if (status == STATUS_OK)
            status = pass_on(worker, also, error);
        if (status == STATUS_OK && times)
            (void)worker_await_spares(worker);
        if (status == STATUS_OK)
            status = exchange(worker, message, timeout_ms, answer, error);
        retry = status == STATUS_NO_MEMORY && worker->head.spares > 0;
        if (retry) { /* the spares may take the memory */
            worker_end_spares(worker);
            worker->has_no_room = true;
        }
        if (status == STATUS_TIMED_OUT || status == STATUS_NO_TIME)
            (void)child_kill(&worker->child, NULL, 0);
        if (status == STATUS_NO_TIME)
            break;
        if (status == STATUS_TIMED_OUT)
            retry = false;
        else if (worker->absent)
            break;
        else if (status == STATUS_DEVICE_LOST || status == STATUS_INTERNAL) {
            enum child_end end = child_kill(&worker->child, worker->how, sizeof worker->how);
            /* A child that answered was ended by us, and the answer counts. */
            retry = was_killed(end) && !answer->answered;
            tries -= retry && end == CHILD_WAS_LOST;
        }
        if (stops < STOPS_MAX && !draws && (request->task.blocks > 0 || worker->child.pid == 0) &&
            clock_stopped_since(stopped_ns)) {
            retry = true;
            stops++;
            tries--;
        }
    }
    if (answer->worn)
        (void)child_kill(&worker->child, NULL, 0);
    const size_t length = strlen(worker->head.remark);
    if (answer->remark[0] && !strstr(worker->head.remark, answer->remark))
        (void)string_format(worker->head.remark + length, sizeof worker->head.remark - length,
                            "%s%s", length > 0 ? "; " : "", answer->remark);
    json_decref(message);
    return status;
}

enum status worker_probe(struct worker *worker, struct error *error)
{
    enum status status = worker_ensure(worker, true, error);
    return status == STATUS_NOT_FOUND && !worker->absent ? STATUS_OK : status;
}

/* Replaces the child; not counted as a restart. */
enum status worker_fresh(struct worker *worker, struct error *error)
{
    child_kill(&worker->child, NULL, 0);
    if (start_child(worker, error) == STATUS_OK) {
        worker->absent = worker->head.host_was_lost = false;
        return STATUS_OK;
    }
    return worker_ensure(worker, false, error);
}

/* Returns the only answer of a child that ends by itself; NULL with the error. */
static json_t *answer_of(const struct host *host, char *const *arguments, struct error *error)
{
    json_t *answer = NULL;
    char how[128];
    enum status status = STATUS_OK;
    bool killed = true; /* a person's act, so the driver is not at fault */
    for (int i = 0; killed && i < STARTS_IN_A_ROW_MAX; i++) {
        struct child child;
        if (host->start(host, arguments, &child, error) != STATUS_OK)
            return NULL;
        status = frame_read(child.output, COUNT_TIMEOUT_MS, &answer, error);
        killed = child_kill(&child, how, sizeof how) == CHILD_WAS_KILLED && status != STATUS_OK &&
                 status != STATUS_TIMED_OUT;
    }
    if (status != STATUS_OK)
        (void)error_set(error, status, "the driver of %s devices did not list them (%s)",
                        arguments[2], how[0] ? how : status_text(status));
    if (status == STATUS_OK && message_to_error(answer, error) == STATUS_OK)
        return answer;
    json_decref(answer);
    return NULL;
}

enum status worker_count(const struct host *host, const char *kind, int *count, struct error *error)
{
    char program[] = "tune", entry[] = "__describe", wanted[16];
    char *arguments[] = {program, entry, wanted, NULL};
    if (!string_format(wanted, sizeof wanted, "%s", kind))
        return error_set(error, STATUS_INTERNAL, "device name too long");
    json_t *answer = answer_of(host, arguments, error);
    if (!answer)
        return error->status;
    *count = (int)json_integer_value(json_object_get(answer, "count"));
    json_decref(answer);
    return STATUS_OK;
}

enum status worker_describe(const struct host *host, const char *kind, int index,
                            struct facts *facts, struct error *error)
{
    char program[] = "tune", entry[] = "__describe", wanted[16], number[16];
    char *arguments[] = {program, entry, wanted, number, NULL};
    struct arena arena = {0};
    struct hello_message hello;
    enum status status = STATUS_OK;
    if (!string_format(wanted, sizeof wanted, "%s", kind) ||
        !string_format(number, sizeof number, "%d", index))
        return error_set(error, STATUS_INTERNAL, "device name too long");
    json_t *answer = answer_of(host, arguments, error);
    if (!answer)
        return error->status;
    TRY_OR_CLEANUP(message_decode(&message_hello, answer, &arena, &hello, error));
    for (size_t i = 0; i < hello.fact_count; i++)
        facts_add(facts, hello.facts[i].key, hello.facts[i].value);
    if (facts->failed)
        status = error_no_memory(error);
cleanup:
    json_decref(answer);
    arena_free(&arena);
    return status;
}
