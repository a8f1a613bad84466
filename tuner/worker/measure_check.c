/* One case of the gauntlet, and thousands of verified runs of a plan, in the measuring child. */
#include <stdlib.h>
#include <string.h>

#include "tuner/base/clock.h"
#include "tuner/base/text.h"
#include "tuner/worker/measure.h"

enum status serve_check(struct measuring *state, const struct measure_request *request,
                        struct measure_answer *answer, struct arena *arena, struct error *error)
{
    const struct worker_task *task = &request->task;
    const struct launch_plan *plan = task->plan;
    const void *inputs[ARGUMENTS_MAX];
    TRY(inputs_in(state, state->cases, plan, inputs, error));
    /* Finalists are checked one after the other on the same case, with expectations computed once:
     * the key holds the arguments' contents and the references. */
    struct launch_plan *contents = arena_copy(arena, plan, sizeof *contents);
    char *key = NULL;
    if (contents) {
        contents->launch_count = 0;
        for (size_t i = 0; i < contents->argument_count; i++) {
            contents->arguments[i].offset_bytes = 0;
            contents->arguments[i].at_end = false;
        }
        const struct measure_request named = {.act = "check",
                                              .task = {.plan = contents, .checks = task->checks}};
        json_t *json = message_encode(&message_request, &named);
        key = json ? json_dumps(json, JSON_COMPACT) : NULL;
        json_decref(json);
    }
    const bool is_known = key && state->case_key && strcmp(key, state->case_key) == 0;
    free(state->case_key);
    state->case_key = NULL;
    enum status status = is_known ? STATUS_OK
                                  : expectations_make(state, &task->checks, task->plan, inputs,
                                                      NULL, &state->case_expected, error);
    if (status == STATUS_OK)
        state->case_key = key;
    else
        free(key);
    TRY(status);
    TRY(load_binary(state, task->binary_path, error));
    enum judgement judged = JUDGED_AGAIN;
    for (int tries = 0; judged == JUDGED_AGAIN && tries < 2; tries++) {
        TRY(inputs_bind(state, plan, inputs, 0, NULL, error));
        /* The first run finds the scratch zeroed, later ones as the run before left it. */
        const int64_t repeats = task->repeats > 0 ? task->repeats : 1;
        judged = JUDGED_RIGHT;
        for (int64_t i = 0; judged == JUDGED_RIGHT && i < repeats; i++) {
            char which[64] = "";
            double ignored_ns = 0;
            if (i > 0)
                (void)string_format(which, sizeof which,
                                    "run %lld of %lld, the first was right: ", (long long)i + 1,
                                    (long long)repeats);
            TRY(state->api->run(state->device, plan, i == 0 ? RUN_FIRST : RUN_AGAIN, &ignored_ns,
                                error));
            TRY(outputs_judge(state, &state->case_expected, plan, true, which, answer, &judged,
                              error));
        }
    }
    char detail[ERROR_TEXT_BYTES] = "";
    bool intact = true;
    if (!answer->wrong[0])
        TRY(state->api->guards_intact(state->device, plan, &intact, detail, sizeof detail, error));
    if (!intact)
        (void)string_format(answer->wrong, sizeof answer->wrong, "%s", detail);
    return STATUS_OK;
}

/* ---- many runs ---- */

/* One of two sets of inputs that differ in a few elements, and the expectations: a kernel that
 * reuses an earlier result is wrong on one of the two. */
struct side {
    struct launch_plan plan;
    const void *inputs[ARGUMENTS_MAX];
    const struct expectations *expected;
    struct expectations own; /* unless the problem's are used */
};
enum { SIDES = 2, TURNS = 4 };

/* Returns whether the problem's expectations serve this side. */
static bool is_known(const struct measuring *state, const struct worker_task *task,
                     const struct launch_plan *plan, size_t side)
{
    bool known = task->problem_known && state->expected[side].count > 0;
    for (size_t i = 0; side > 0 && known && i < plan->argument_count; i++)
        known = plan->arguments[i].variant == state->varied->arguments[i].variant;
    return known;
}

/* Returns whether to vary inputs: not if references are expensive to recompute; without checks any
 * inputs will do. */
static bool varies(const struct measuring *state, const struct worker_task *task)
{
    if (!task->varies)
        return false;
    bool costly = task->problem_known && state->expected[0].count > 0 &&
                  state->reference_ns > WORKER_COSTLY_NS;
    return (task->checks.count == 0 || checks_follow_inputs(&task->checks)) && !costly;
}

static enum status watch(struct measuring *state, const struct worker_task *task,
                         const struct side *sides, struct measure_answer *answer,
                         struct error *error)
{
    const int64_t wanted = ((int64_t)task->repeats + TURNS - 1) / TURNS; /* per turn */
    enum judgement judged = JUDGED_RIGHT;
    bool repeated = false;
    TRY(load_binary(state, task->binary_path, error));
    for (int turn = 0; turn < TURNS && judged != JUDGED_WRONG; turn++) {
        /* The first run starts with the outputs of the other side, later ones with poisoned
         * outputs. */
        const struct side *side = &sides[turn % SIDES];
        double ignored_ns = 0;
        int64_t end_ns = clock_now_ns() + task->most_ms * 1000000 / TURNS;
        judged = JUDGED_RIGHT;
        TRY(inputs_bind(state, &side->plan, side->inputs, 0, NULL, error));
        for (int64_t i = 0; judged == JUDGED_RIGHT; i++) {
            char run[64] = "";
            bool last = i + 1 >= wanted || (i > 0 && clock_now_ns() > end_ns);
            const enum run_start start = i > 0 ? RUN_AGAIN : turn > 0 ? RUN_ON : RUN_FIRST;
            TRY(state->api->run(state->device, &side->plan, start, &ignored_ns, error));
            (void)string_format(run, sizeof run, "run %lld of %s: ", (long long)++answer->compared,
                                turn % SIDES == 0 ? "many" : "many, on changed inputs");
            TRY(outputs_judge(state, side->expected, &side->plan, i == 0 || last, run, answer,
                              &judged, error));
            if (last)
                break;
        }
        if (judged == JUDGED_AGAIN && !repeated) {
            repeated = true;
            turn = -1; /* once more, on intact inputs */
        }
    }
    return STATUS_OK;
}

enum status serve_watch(struct measuring *state, const struct measure_request *request,
                        struct measure_answer *answer, struct arena *arena, struct error *error)
{
    struct side *sides = arena_alloc(arena, SIDES, sizeof *sides);
    enum status status = STATUS_OK;
    TRY_MEMORY(sides);
    sides[0].plan = *request->task.plan;
    if (request->task.problem_known)
        TRY(expectations_choose(state, &request->task, error));
    TRY_OR_CLEANUP(inputs_in(state, state->cases, &sides[0].plan, sides[0].inputs, error));
    sides[1].plan = sides[0].plan;
    const bool varied = varies(state, &request->task) && vary_together(&sides[1].plan, false);
    TRY_OR_CLEANUP(inputs_in(state, state->others, &sides[1].plan, sides[1].inputs, error));
    for (size_t i = 0; i < SIDES; i++) {
        sides[i].expected = &sides[i].own;
        if (i > 0 && !varied)
            sides[i].expected = sides[0].expected;
        else if (is_known(state, &request->task, &sides[i].plan, i))
            sides[i].expected = &state->expected[i];
        else
            TRY_OR_CLEANUP(expectations_make(state, &request->task.checks, &sides[i].plan,
                                             sides[i].inputs, NULL, &sides[i].own, error));
    }
    status = watch(state, &request->task, sides, answer, error);
cleanup:
    for (size_t i = 0; i < SIDES; i++)
        expectations_free(&sides[i].own);
    return status;
}
