/* One case of the gauntlet, in the measuring child. */
#include "tuner/base/text.h"
#include "tuner/worker/measure.h"
#include "tuner/worker/message.h"

/* The runs, one after the other, until one is wrong. The first finds its scratch zeroed, the others
 * as the run before left it. */
static enum status run_case(struct measuring *state, const struct launch_plan *plan,
                            const struct expectations *expected, int64_t repeats, json_t *answer,
                            enum judgement *judged, struct error *error)
{
    enum status status = STATUS_OK;
    *judged = JUDGED_RIGHT;
    for (int64_t i = 0; status == STATUS_OK && *judged == JUDGED_RIGHT && i < repeats; i++) {
        char which[64] = "";
        double ignored_ns = 0;
        if (i > 0)
            (void)string_format(which, sizeof which,
                                "run %lld of %lld, the first was right: ", (long long)i + 1,
                                (long long)repeats);
        status = i == 0 ? state->api->run(state->device, plan, &ignored_ns, error)
                        : state->api->run_again(state->device, plan, error);
        if (status == STATUS_OK)
            status = judge(state, expected, plan, true, which, answer, judged, error);
    }
    return status;
}

static enum status check_guards(struct measuring *state, const struct launch_plan *plan,
                                json_t *answer, struct error *error)
{
    char detail[ERROR_TEXT_BYTES] = "";
    bool intact = true;
    enum status status =
        state->api->guards(state->device, plan, &intact, detail, sizeof detail, error);
    return status == STATUS_OK && !intact ? message_set(answer, "wrong", json_string(detail), error)
                                          : status;
}

enum status serve_check(struct measuring *state, const json_t *request, json_t *answer,
                        struct arena *arena, struct error *error)
{
    struct launch_plan plan;
    struct expectations expected = {0};
    const void *inputs[ARGUMENTS_MAX];
    const char *binary = message_text(request, "binary", "");
    enum status status = message_to_plan(json_object_get(request, "plan"), arena, &plan, error);
    if (status == STATUS_OK)
        status = inputs_for_check(state, &plan, inputs, error);
    if (status == STATUS_OK)
        status = expectations_make(state, request, &plan, inputs, &expected, error);
    if (status == STATUS_OK)
        status = load_binary(state, binary, error);
    enum judgement judged = JUDGED_AGAIN;
    for (int tries = 0; status == STATUS_OK && judged == JUDGED_AGAIN && tries < 2; tries++) {
        status = state->api->bind(state->device, &plan, inputs, 0, error);
        if (status == STATUS_OK)
            status = run_case(state, &plan, &expected, message_integer(request, "repeats", 1),
                              answer, &judged, error);
    }
    if (status == STATUS_OK && !json_object_get(answer, "wrong"))
        status = check_guards(state, &plan, answer, error);
    expectations_free(&expected);
    return status;
}
