/* Verification of runs. Each timed result is represented by a checksum; the first result for each
 * set of inputs, and every one with a different checksum, is compared with the reference. */
#include <string.h>

#include "tuner/base/text.h"
#include "tuner/worker/measure.h"

static const char on_changed[] = ", on changed inputs";
static const char writes_input[] = "it writes its input";

bool wrong_on_changed(const char *reason)
{
    return strstr(reason, on_changed) && !strstr(reason, writes_input);
}

/* Judges outputs that were compared already: `right`, or the reason in `detail`. A changed input is
 * this plan's fault only if the inputs were verified before; from the first change on inputs are
 * verified after every run. */
static enum status judge_found(struct measuring *state, bool right, const char *detail,
                               const struct launch_plan *plan, bool with_inputs, const char *run,
                               struct measure_answer *answer, enum judgement *out,
                               struct error *error)
{
    char change[ERROR_TEXT_BYTES] = "";
    bool intact = true;
    if (with_inputs || !right || state->vigilant)
        TRY(state->api->inputs_intact(state->device, plan, &intact, &answer->worn, change,
                                      sizeof change, error));
    *out = intact && right                             ? JUDGED_RIGHT
           : intact || state->vigilant || answer->worn ? JUDGED_WRONG
                                                       : JUDGED_AGAIN;
    state->vigilant = state->vigilant || !intact;
    if (*out == JUDGED_WRONG)
        (void)string_format(answer->wrong, sizeof answer->wrong, "%s%s", run,
                            intact ? detail : change);
    return STATUS_OK;
}

enum status outputs_judge(struct measuring *state, const struct expectations *expected,
                          const struct launch_plan *plan, bool with_inputs, const char *run,
                          struct measure_answer *answer, enum judgement *out, struct error *error)
{
    char detail[ERROR_TEXT_BYTES] = "";
    bool right = true;
    if (expected)
        TRY(expectations_compare(state, expected, plan, &right, detail, sizeof detail, error));
    return judge_found(state, right, detail, plan, with_inputs, run, answer, out, error);
}

/* ---- results of timed runs ---- */

/* Most bytes read after each visit, of results that differ from run to run. */
static const size_t cheap_bytes = 1 << 20;

bool results_are_costly(const struct launch_plan *plan, const struct worker_results *results)
{
    size_t bytes = 0;
    for (size_t i = 0; i < plan->argument_count; i++)
        bytes += results->outputs >> i & 1 ? argument_bytes(&plan->arguments[i]) : 0;
    return results->unsteady && bytes > cheap_bytes;
}

struct found {
    bool right;
    char detail[ERROR_TEXT_BYTES];
};

/* Verifies a result whose checksum is not the known one. */
static enum status compare_outputs(struct measuring *state, const struct block *block,
                                   const struct run_result *run, struct worker_results *results,
                                   struct found *found, struct error *error)
{
    const struct expectations *expected = &state->expected[run->varied];
    bool known = results->known[run->varied];
    found->right = !known || !results->exact;
    if (!found->right)
        (void)string_format(found->detail, sizeof found->detail,
                            "its result differs from its earlier, correct one");
    if (expected->count == 0) {
        results->unsure = results->unsure || found->right;
        return STATUS_OK;
    }
    bool holds = true;
    char detail[ERROR_TEXT_BYTES] = "";
    TRY(state->api->show(state->device, block, run->run, error));
    TRY(expectations_compare(state, expected, block->plan, &holds, detail, sizeof detail, error));
    if (!holds)
        (void)string_format(found->detail, sizeof found->detail, "%s", detail);
    found->right = found->right && holds;
    if (!found->right)
        return STATUS_OK;
    state->varied_right = state->varied_right || run->varied;
    results->compared++;
    results->unsteady = results->unsteady || known;
    results->known[run->varied] = true;
    if (!known)
        results->sums[run->varied] = run->sum;
    return STATUS_OK;
}

enum status judge_results(struct measuring *state, const struct block *block,
                          struct worker_results *results, bool with_inputs,
                          struct measure_answer *answer, enum judgement *out, struct error *error)
{
    struct run_result runs[BLOCK_RUNS_MAX];
    struct found found = {.right = true};
    char text[96] = "";
    uint32_t count = 0;
    enum status status = STATUS_OK;
    struct worker_results own = {0};
    const bool kept = results != NULL;
    results = kept ? results : &own;
    results->compared = 0;
    results->unsure = false;
    if (results->outputs == 0) {
        const struct expectations *expected = &state->expected[0];
        results->exact = true;
        for (size_t i = 0; i < expected->count; i++) {
            const struct expectation *item = &expected->items[i];
            const struct tolerance *tolerance = &item->tolerance;
            results->outputs |= UINT64_C(1) << item->output;
            results->exact &= !element_is_real(block->plan->arguments[item->output].type) &&
                              !(tolerance->absolute > 0) && !(tolerance->relative > 0) &&
                              !(tolerance->total > 0) && tolerance->ulps == 0;
        }
    }
    /* A large output has only the last run's copy. */
    const struct launch_plan *plan = block->plan;
    bool is_large = false;
    for (size_t i = 0; i < plan->argument_count; i++)
        if ((results->outputs >> i & 1) && argument_bytes(&plan->arguments[i]) > cheap_bytes) {
            is_large = true;
            break;
        }
    const bool summed = kept || !is_large;
    if (results->outputs != 0)
        status = state->api->results(state->device, block, summed ? results->outputs : 0, runs,
                                     &count, error);
    for (uint32_t i = summed || count == 0 ? 0 : count - 1;
         status == STATUS_OK && found.right && i < count; i++) {
        const struct run_result *run = &runs[i];
        if (results->known[run->varied] && results->sums[run->varied] == run->sum)
            results->compared++;
        else if (!results->unsteady || i + 1 == count)
            status = compare_outputs(state, block, run, results, &found, error);
        (void)string_format(text, sizeof text, "run %u of %u timed in a row%s: ", run->run + 1,
                            block->runs, run->varied ? on_changed : "");
    }
    return status == STATUS_OK ? judge_found(state, found.right, found.detail, block->plan,
                                             with_inputs, text, answer, out, error)
                               : status;
}
