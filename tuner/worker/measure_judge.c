/* Whether runs were right, and left alone what is not theirs. */
#include "tuner/base/text.h"
#include "tuner/worker/measure.h"

static void say_wrong(struct measure_answer *answer, const char *run, const char *detail)
{
    (void)string_format(answer->wrong, sizeof answer->wrong, "%s%s", run, detail);
}

/* Who wrote is known when inputs were whole before: that is looked after from the first time on
 * that they are not. */
static enum status judge_inputs(struct measuring *state, const struct launch_plan *plan,
                                const char *run, struct measure_answer *answer, enum judgement *out,
                                struct error *error)
{
    char detail[ERROR_TEXT_BYTES] = "";
    bool intact = true;
    enum status status = state->api->intact(state->device, plan, &intact, &answer->worn, detail,
                                            sizeof detail, error);
    if (status != STATUS_OK || intact)
        return status;
    *out = state->vigilant || answer->worn ? JUDGED_WRONG : JUDGED_AGAIN;
    state->vigilant = true;
    if (*out == JUDGED_WRONG)
        say_wrong(answer, run, detail);
    return STATUS_OK;
}

enum status judge_found(struct measuring *state, bool right, const char *detail,
                        const struct launch_plan *plan, bool look_at_inputs, const char *run,
                        struct measure_answer *answer, enum judgement *out, struct error *error)
{
    enum status status = STATUS_OK;
    *out = JUDGED_RIGHT;
    if (look_at_inputs || !right || state->vigilant)
        status = judge_inputs(state, plan, run, answer, out, error);
    if (status != STATUS_OK || right || *out != JUDGED_RIGHT)
        return status;
    *out = JUDGED_WRONG;
    say_wrong(answer, run, detail);
    return STATUS_OK;
}

enum status judge(struct measuring *state, const struct expectations *expected,
                  const struct launch_plan *plan, bool look_at_inputs, const char *run,
                  struct measure_answer *answer, enum judgement *out, struct error *error)
{
    char detail[ERROR_TEXT_BYTES] = "";
    bool right = true;
    enum status status = STATUS_OK;
    if (expected)
        status = expectations_hold(state, expected, plan, &right, detail, sizeof detail, error);
    return status == STATUS_OK
               ? judge_found(state, right, detail, plan, look_at_inputs, run, answer, out, error)
               : status;
}
