/* One case of the gauntlet, in the measuring child. */
#include "tuner/base/text.h"
#include "tuner/worker/measure.h"

/* The runs, one after the other, until one is wrong. The first finds its scratch zeroed, the others
 * as the run before left it. */
static enum status run_case(struct measuring *state, const struct launch_plan *plan,
                            const struct expectations *expected, int64_t repeats,
                            struct measure_answer *answer, enum judgement *judged,
                            struct error *error)
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
                                struct measure_answer *answer, struct error *error)
{
    char detail[ERROR_TEXT_BYTES] = "";
    bool intact = true;
    enum status status =
        state->api->guards(state->device, plan, &intact, detail, sizeof detail, error);
    if (status == STATUS_OK && !intact)
        (void)string_format(answer->wrong, sizeof answer->wrong, "%s", detail);
    return status;
}

enum status serve_check(struct measuring *state, const void *request, struct measure_answer *answer,
                        struct arena *arena, struct error *error)
{
    const struct worker_case *what = &((const struct case_request *)request)->what;
    const struct launch_plan *plan = what->plan;
    struct expectations expected = {0};
    const void *inputs[ARGUMENTS_MAX];
    (void)arena;
    enum status status = inputs_for_check(state, plan, inputs, error);
    if (status == STATUS_OK)
        status = expectations_make(state, &what->checks, plan, inputs, &expected, error);
    if (status == STATUS_OK)
        status = load_binary(state, what->binary_path, error);
    enum judgement judged = JUDGED_AGAIN;
    for (int tries = 0; status == STATUS_OK && judged == JUDGED_AGAIN && tries < 2; tries++) {
        status = state->api->bind(state->device, plan, inputs, 0, error);
        if (status == STATUS_OK)
            status = run_case(state, plan, &expected, what->repeats > 0 ? what->repeats : 1, answer,
                              &judged, error);
    }
    if (status == STATUS_OK && !answer->wrong[0])
        status = check_guards(state, plan, answer, error);
    expectations_free(&expected);
    return status;
}
