/* The measuring child: one device, one problem at a time, one configuration in flight. */
#include <stdlib.h>
#include <string.h>

#include "tuner/base/cpus.h"
#include "tuner/device/traits.h"
#include "tuner/worker/child.h"
#include "tuner/worker/frame.h"
#include "tuner/worker/measure.h"
#include "tuner/worker/message.h"
#include "tuner/worker/spawn.h"

static enum status serve_pin(struct measuring *state, const json_t *request, json_t *answer,
                             struct arena *arena, struct error *error)
{
    (void)state, (void)arena;
    bool pinned = cpus_pin(message_text(request, "cpus", ""));
    return message_set(answer, "pinned", json_boolean(pinned), error);
}

/* The conditions come last: those of a device that has just worked. */
static enum status serve_moment(struct measuring *state, const json_t *request, json_t *answer,
                                struct arena *arena, struct error *error)
{
    struct conditions conditions;
    double anchor_ns = 0;
    bool anchor = json_is_true(json_object_get(request, "anchor"));
    enum status status = STATUS_OK;
    (void)arena;
    state->draw++;
    if (anchor)
        status = state->api->anchor(state->device, &anchor_ns, error);
    if (status != STATUS_OK)
        return status;
    state->api->conditions(state->device, &conditions);
    status = message_set(answer, "conditions", message_from_conditions(&conditions), error);
    if (status == STATUS_OK && anchor)
        status = message_set(answer, "anchor_ns", json_real(anchor_ns), error);
    return status;
}

static enum status serve_bandwidth(struct measuring *state, const json_t *request, json_t *answer,
                                   struct arena *arena, struct error *error)
{
    (void)arena;
    struct bandwidth bandwidth = {0};
    enum status status = state->api->bandwidth(state->device, message_integer(request, "bytes", 0),
                                               &bandwidth, error);
    const struct {
        const char *key;
        double gbs;
    } rows[] = {{"host_to_device", bandwidth.host_to_device_gbs},
                {"device_to_host", bandwidth.device_to_host_gbs},
                {"copy", bandwidth.copy_gbs},
                {"read", bandwidth.read_gbs},
                {"write", bandwidth.write_gbs}};
    for (size_t i = 0; status == STATUS_OK && i < sizeof rows / sizeof rows[0]; i++)
        status = message_set(answer, rows[i].key, json_real(rows[i].gbs), error);
    if (status == STATUS_OK)
        status = message_set(answer, "bytes", json_integer(bandwidth.bytes), error);
    return status;
}

static enum status serve_arithmetic(struct measuring *state, const json_t *request, json_t *answer,
                                    struct arena *arena, struct error *error)
{
    (void)request, (void)arena;
    struct arithmetic arithmetic;
    enum status status = state->api->arithmetic(state->device, &arithmetic, error);
    for (int i = 0; status == STATUS_OK && i < ELEMENT_TYPE_COUNT; i++)
        status = message_set(answer, element_name((enum element_type)i),
                             json_real(arithmetic.gops[i]), error);
    return status;
}

static enum status serve(void *context, const json_t *request, json_t **answer, struct error *error)
{
    static const struct {
        const char *what;
        measure_serve *serve;
    } rows[] = {{"problem", serve_problem},     {"load", serve_load},
                {"trial", serve_trial},         {"arm", serve_arm},
                {"visit", serve_visit},         {"energy", serve_energy},
                {"check", serve_check},         {"watch", serve_watch},
                {"moment", serve_moment},       {"pin", serve_pin},
                {"bandwidth", serve_bandwidth}, {"arithmetic", serve_arithmetic}};
    struct arena arena = {0};
    const char *what = message_text(request, "do", "");
    *answer = json_object();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(what, rows[i].what) != 0)
            continue;
        enum status status = rows[i].serve(context, request, *answer, &arena, error);
        arena_free(&arena);
        return status;
    }
    return error_set(error, STATUS_INTERNAL, "worker was asked to '%s'", what);
}

static enum status describe(struct measuring *state, int index, struct error *error)
{
    facts_free(&state->facts);
    state->facts = (struct facts){0};
    return state->api->describe(index, &state->facts, error);
}

/* When a device has gone, those behind it have other numbers. */
static enum status find_device(struct measuring *state, int *index, const char *uuid,
                               struct error *error)
{
    int count = 0;
    if (describe(state, *index, error) == STATUS_OK &&
        strcmp(facts_text(&state->facts, "uuid", ""), uuid) == 0)
        return STATUS_OK;
    error_clear(error);
    enum status status = state->api->count(&count, error);
    for (int i = 0; status == STATUS_OK && i < count; i++) {
        struct error ignored = {0};
        if (describe(state, i, &ignored) != STATUS_OK ||
            strcmp(facts_text(&state->facts, "uuid", ""), uuid) != 0)
            continue;
        *index = i;
        return STATUS_OK;
    }
    return status == STATUS_OK
               ? error_set(error, STATUS_UNAVAILABLE, "%s is gone, other devices are there", uuid)
               : status;
}

/* Where the parent wants this process. Whether that can be had, it heard when it first asked. */
static void pin(const json_t *start)
{
    const char *cpus = message_text(start, "cpus", "");
    if (*cpus)
        (void)cpus_pin(cpus);
}

/* What the parent says before anything else. Pinned before the device is opened, so that what its
 * driver allocates is near. */
static enum status take_start(struct measuring *state, const json_t *start, struct error *error)
{
    if (sched_getaffinity(0, sizeof state->processors, &state->processors) == 0)
        state->processor_count = CPU_COUNT(&state->processors);
    pin(start);
    return protocol_parse(message_text(start, "protocol", ""), &state->protocol, error);
}

static enum status open_device(struct measuring *state, int index, const char *uuid,
                               struct error *error)
{
    const struct protocol *protocol = &state->protocol;
    const struct warm_up warm_up = {.window_ms = protocol->warm_window_ms,
                                    .settled = protocol->warm_settled,
                                    .least_ms = protocol->warm_least_ms,
                                    .most_ms = protocol->warm_most_ms,
                                    .pause_ms = protocol->pause_ms};
    enum status status =
        *uuid ? find_device(state, &index, uuid, error) : describe(state, index, error);
    if (status == STATUS_OK)
        status = state->api->open(index, &warm_up, &state->device, error);
    if (status == STATUS_OK)
        state->api->calibration(state->device, &state->calibration);
    return status;
}

/* The first message: who we are, or why we cannot be. */
static enum status greet(struct measuring *state, int index, const json_t *start,
                         struct error *error)
{
    enum status status = take_start(state, start, error);
    if (status == STATUS_OK)
        status = open_device(state, index, message_text(start, "uuid", ""), error);
    pin(start); /* a device binds the thread that opens it as it thinks best */
    json_t *hello = status == STATUS_OK ? json_pack("{s:o, s:f, s:f, s:f}", "facts",
                                                    message_from_facts(&state->facts), "tick_ns",
                                                    state->calibration.tick_ns, "empty_pair_ns",
                                                    state->calibration.empty_pair_ns, "node_gap_ns",
                                                    state->calibration.node_gap_ns)
                                        : message_from_error(error);
    struct error sending = {0};
    if (!hello || frame_write(CHILD_OUTPUT, hello, &sending) != STATUS_OK)
        status = STATUS_INTERNAL;
    json_decref(hello);
    return status;
}

static void free_all(struct measuring *state)
{
    slots_forget(state);
    if (state->device)
        state->api->close(state->device);
    inputs_free(state);
    for (size_t i = 0; i < WORKER_SIDES; i++)
        expectations_free(&state->expected[i]);
    free(state->varied);
    facts_free(&state->facts);
    free(state->binary);
    free(state);
}

int measure_child(const char *kind, int index)
{
    struct measuring *state = calloc(1, sizeof *state);
    struct error error = {0};
    json_t *start = NULL;
    int code = EXIT_CODE_FAILED;
    if (!state)
        return code;
    state->api = device_kind(kind);
    if (state->api)
        state->vigilant = state->api->intact_is_cheap;
    state->computes_nothing = device_traits(kind)->computes_nothing;
    if (!state->api)
        code = EXIT_CODE_USAGE;
    else if (frame_read(CHILD_INPUT, -1, &start, &error) == STATUS_OK &&
             greet(state, index, start, &error) == STATUS_OK)
        code = child_loop(serve, state);
    json_decref(start);
    if (state->api)
        free_all(state);
    else
        free(state);
    return code;
}
