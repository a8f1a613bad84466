/* The measuring child: one device, one problem and one configuration at a time. */
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/clock.h"
#include "tuner/base/cpus.h"
#include "tuner/base/text.h"
#include "tuner/worker/child.h"
#include "tuner/worker/frame.h"
#include "tuner/worker/host.h"
#include "tuner/worker/measure.h"

static enum status serve_problem(struct measuring *state, const struct measure_request *request,
                                 struct measure_answer *answer, struct arena *arena,
                                 struct error *error)
{
    const struct worker_task *problem = &request->task;
    const struct launch_plan *plan = problem->plan;
    const void *inputs[ARGUMENTS_MAX];
    (void)arena;
    slots_forget(state);
    state->varied_right = false;
    free(state->varied);
    state->varied = NULL;
    TRY(expectations_begin(state, problem->checks_key, error));
    for (size_t i = 0; i < plan->argument_count; i++)
        if (has_data(state, &plan->arguments[i]))
            TRY(make_input(state, &state->inputs[i], &plan->arguments[i], false, error));
    TRY(inputs_of_problem(state, plan, inputs, error));
    int64_t started_ns = clock_now_ns();
    state->recalled_ns = 0;
    TRY(expectations_make(state, &problem->checks, plan, inputs, NULL, &state->expected[0], error));
    answer->reference_ns = state->expected[0].count > 0 ? clock_now_ns() - started_ns : 0;
    /* The cost counts whether or not the cache has the result: variants must not depend on the
     * cache. */
    state->reference_ns = answer->reference_ns + state->recalled_ns;
    /* The variants that every second copy of the inputs gets for timing, and their expectations;
     * with a single copy there are none. */
    if (!problem->varies || copies_for(state, plan, L2_COLD) < 2 ||
        state->reference_ns > WORKER_COSTLY_NS)
        return STATUS_OK;
    state->varied = malloc(sizeof *state->varied);
    TRY_MEMORY(state->varied);
    *state->varied = *plan;
    (void)vary_together(state->varied, true);
    for (size_t i = 0; i < plan->argument_count; i++)
        vary_patch(&state->varied->arguments[i], &state->patches[i]);
    if (state->expected[0].count == 0)
        return STATUS_OK;
    TRY(inputs_in(state, state->others, state->varied, inputs, error));
    return expectations_make(state, &problem->checks, state->varied, inputs, &state->expected[0],
                             &state->expected[1], error);
}

static enum status serve_pin(struct measuring *state, const struct measure_request *request,
                             struct measure_answer *answer, struct arena *arena,
                             struct error *error)
{
    (void)state, (void)arena, (void)error;
    answer->pinned = cpus_pin(request->cpus ? request->cpus : "");
    return STATUS_OK;
}

/* Reads the conditions last, when the device has just worked. */
static enum status serve_moment(struct measuring *state, const struct measure_request *request,
                                struct measure_answer *answer, struct arena *arena,
                                struct error *error)
{
    enum status status = STATUS_OK;
    (void)arena;
    state->draw++;
    if (request->anchor)
        status = state->api->anchor(state->device, &answer->anchor_ns, error);
    if (status == STATUS_OK)
        state->api->conditions(state->device, &answer->conditions);
    int64_t *others = &answer->conditions.other_processes;
    if (*others > 0)
        *others = *others > request->spares ? *others - request->spares : 0;
    return status;
}

static enum status serve_ceilings(struct measuring *state, const struct measure_request *request,
                                  struct measure_answer *answer, struct arena *arena,
                                  struct error *error)
{
    (void)arena;
    return state->api->ceilings(state->device, request->bytes,
                                request->bandwidth ? &answer->bandwidth : NULL,
                                request->arithmetic ? &answer->arithmetic : NULL, error);
}

/* Requests, and the members that each needs. */
static const struct {
    const char *act;
    measure_serve *serve;
    bool plan, binary;
} served[] = {{"problem", serve_problem, true, false},   {"load", serve_load, false, true},
              {"trial", serve_trial, true, true},        {"arm", serve_arm, true, true},
              {"visit", serve_visit, false, false},      {"energy", serve_energy, false, false},
              {"check", serve_check, true, true},        {"watch", serve_watch, true, true},
              {"moment", serve_moment, false, false},    {"pin", serve_pin, false, false},
              {"ceilings", serve_ceilings, false, false}};

static enum status serve(void *context, const json_t *json, json_t **answer, struct error *error)
{
    struct measuring *state = context;
    struct arena arena = {0};
    struct measure_answer out = measure_answer_empty();
    struct measure_request request;
    enum status status = STATUS_OK;
    size_t i = 0;
    TRY_OR_CLEANUP(message_decode(&message_request, json, &arena, &request, error));
    while (i < COUNT(served) && strcmp(request.act, served[i].act) != 0)
        i++;
    if (i == COUNT(served) || (served[i].plan && !request.task.plan) ||
        (served[i].binary && !request.task.binary_path))
        TRY_OR_CLEANUP(error_set(error, STATUS_INTERNAL, "the worker received the request '%s'%s",
                                 request.act,
                                 i == COUNT(served) ? "" : " without its plan or binary"));
    TRY_OR_CLEANUP(served[i].serve(state, &request, &out, &arena, error));
    char remark[ERROR_TEXT_BYTES] = "";
    if (state->device && state->api->take_remark &&
        state->api->take_remark(state->device, remark, sizeof remark))
        measure_remark(state, "%s", remark);
    (void)string_format(out.remark, sizeof out.remark, "%s", state->remark);
    state->remark[0] = '\0';
    if (!(*answer = message_encode(&message_answer, &out)))
        status = error_no_memory(error);
cleanup:
    arena_free(&arena);
    return status;
}

static enum status describe(struct measuring *state, int index, struct error *error)
{
    facts_free(&state->facts);
    state->facts = (struct facts){0};
    return state->api->describe(index, NULL, &state->facts, error);
}

/* Finds the device by UUID: the numbers of devices change when one is lost. */
static enum status find_device(struct measuring *state, int *index, const char *uuid,
                               struct error *error)
{
    int count = 0;
    if (describe(state, *index, error) == STATUS_OK &&
        strcmp(facts_text(&state->facts, "uuid", ""), uuid) == 0)
        return STATUS_OK;
    error_clear(error);
    TRY(state->api->count(&count, error));
    for (int i = 0; i < count; i++) {
        struct error ignored = {0};
        if (describe(state, i, &ignored) != STATUS_OK ||
            strcmp(facts_text(&state->facts, "uuid", ""), uuid) != 0)
            continue;
        *index = i;
        return STATUS_OK;
    }
    return error_set(error, STATUS_UNAVAILABLE, "%s is gone, other devices are there", uuid);
}

/* Describes and opens the device. Pins the process before, so that the driver allocates memory
 * nearby, and again after, since a device binds the thread that opens it. The parent has verified
 * earlier that pinning works. */
static enum status start_measuring(struct measuring *state, int *index,
                                   const struct start_message *message, struct error *error)
{
    const bool was_spare = state->facts.count > 0;
    if (!was_spare) {
        machine_describe(&state->machine);
        if (sched_getaffinity(0, sizeof state->processors, &state->processors) == 0)
            state->processor_count = CPU_COUNT(&state->processors);
    }
    if (*message->cpus)
        (void)cpus_pin(message->cpus);
    TRY(protocol_parse(message->protocol, &state->protocol, error));
    if (!was_spare)
        TRY(*message->uuid ? find_device(state, index, message->uuid, error)
                           : describe(state, *index, error));
    if (!message->is_spare) {
        const struct protocol *protocol = &state->protocol;
        const struct warm_up warm_up = {.window_ms = protocol->warm_window_ms,
                                        .settled = protocol->warm_settled,
                                        .least_ms = protocol->warm_least_ms,
                                        .most_ms = protocol->warm_most_ms,
                                        .pause_ms = protocol->pause_ms};
        const int64_t found_ns = clock_now_ns() - state->started_ns;
        TRY(state->api->open(*index, &warm_up, &state->device, &state->calibration, error));
        if (state->calibration.reserved_ns > 0)
            state->calibration.reserved_ns += found_ns;
    } else if (state->api->reserve)
        TRY(state->api->reserve(*index, error));
    if (*message->cpus)
        (void)cpus_pin(message->cpus);
    return STATUS_OK;
}

/* Receives the first message and answers with our description, or with the error. */
static enum status greet(struct measuring *state, int *index, bool *is_spare, struct error *error)
{
    struct arena arena = {0};
    struct start_message message = {0};
    json_t *request = NULL;
    enum status status = frame_read(CHILD_INPUT, -1, &request, error);
    if (status != STATUS_OK)
        return status;
    status = message_decode(&message_start, request, &arena, &message, error);
    if (status == STATUS_OK)
        status = start_measuring(state, index, &message, error);
    *is_spare = message.is_spare;
    const struct hello_message described = {*is_spare ? NULL : state->facts.items,
                                            *is_spare ? 0 : state->facts.count, state->calibration,
                                            state->machine};
    json_t *hello = status == STATUS_OK ? message_encode(&message_hello, &described)
                                        : message_from_error(error);
    struct error sending = {0};
    if (!hello || frame_write(CHILD_OUTPUT, hello, &sending) != STATUS_OK)
        status = STATUS_INTERNAL;
    json_decref(hello);
    json_decref(request);
    arena_free(&arena);
    return status;
}

int measure_child(const char *kind, int index)
{
    struct measuring *state = calloc(1, sizeof *state);
    struct error error = {0};
    bool is_spare = true; /* until a message orders measuring */
    int code = EXIT_CODE_FAILED;
    if (!state)
        return code;
    state->started_ns = clock_now_ns();
    state->api = device_kind(kind);
    state->traits = device_traits(kind);
    state->vigilant = state->traits->intact_is_cheap;
    if (!state->api)
        code = EXIT_CODE_USAGE;
    while (state->api && is_spare && greet(state, &index, &is_spare, &error) == STATUS_OK)
        code = is_spare ? EXIT_CODE_OK : frames_answer(serve, state);
    if (state->api) {
        slots_forget(state);
        if (state->device)
            state->api->close(state->device);
        inputs_free(state);
        expectations_drop(state);
        free(state->varied);
        facts_free(&state->facts);
    }
    free(state);
    return code;
}
