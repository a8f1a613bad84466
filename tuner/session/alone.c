/* Doubts about the reference: if all results disagree with the reference, or most do and agree with
 * one another, the reference may be wrong, and the problem gets no winner. */
#include <stdlib.h>
#include <string.h>

#include "tuner/base/text.h"
#include "tuner/device/traits.h"
#include "tuner/experiment/model.h"
#include "tuner/session/contest.h"

enum {
    AGAINST_MIN = 2, /* one against one is undecided */
    LOOKED_AT = 8,   /* disagreeing candidates examined */
    JUDGES_MAX = 3,  /* candidates among these whose results serve as the reference */
    NAMED = 4,
    CASE_TIMEOUT_MS = 60000,
};

struct votes {
    struct candidate *own; /* the reference configuration, or a candidate that launches the same;
                              NULL: not tried */
    char key[CONFIGURATION_KEY_BYTES]; /* "": the reference is no configuration */
    size_t with, against;
    struct candidate *others[LOOKED_AT]; /* candidates that disagree */
};

static bool is_right(const struct candidate *candidate)
{
    return candidate->status == TRIAL_OK || candidate->status == TRIAL_UNSTABLE;
}

static void count_votes(const struct work *work, const struct sweep *sweep, struct votes *out)
{
    const struct point point = work_point(work, NULL, 1);
    struct configuration reference;
    struct arena arena = {0};
    struct error ignored = {0};
    bool found = false;
    *out = (struct votes){0};
    /* A binary comes from a program, whose own launch of the binary is right. */
    const char *compiler = experiment_head(work->experiment)->compiler;
    if (device_traits(work->options->device_kind)->computes_nothing ||
        (compiler && strcmp(compiler, BINARY_AS_IT_IS) == 0))
        return;
    if (point_reference(&point, &arena, &reference, &found, &ignored) == STATUS_OK && found &&
        configuration_key(&reference, out->key))
        out->own = candidates_at_key(&sweep->candidates, out->key);
    arena_free(&arena);
    while (out->own && out->own->same_as)
        out->own = out->own->same_as;
    for (size_t i = 0; i < sweep->candidates.count; i++) {
        struct candidate *candidate = sweep->candidates.items[i];
        if (candidate == out->own || candidate->state != CANDIDATE_DONE || candidate->same_as)
            continue;
        out->with += is_right(candidate) ? 1 : 0;
        if (candidate->status != TRIAL_WRONG_RESULT)
            continue;
        if (out->against < LOOKED_AT)
            out->others[out->against] = candidate;
        out->against++;
    }
}

/* Returns true if no candidate agrees with the reference, or if the reference's second result
 * differs from its first. A reference that is not tried has its first result only. */
static bool is_alone(const struct votes *votes)
{
    if (!votes->own || votes->own->state != CANDIDATE_DONE)
        return votes->key[0] && votes->with == 0 && votes->against >= LOOKED_AT;
    return votes->with == 0 && ((is_right(votes->own) && votes->against >= AGAINST_MIN) ||
                                votes->own->status == TRIAL_WRONG_RESULT);
}

bool sweep_reference_is_alone(const struct work *work, const struct sweep *sweep)
{
    struct votes votes;
    count_votes(work, sweep, &votes);
    return is_alone(&votes);
}

/* Finds whether the results of two slots agree within the tolerances of the problem's checks. */
static enum status compare(const struct work *work, const struct sweep *sweep, struct lane *lane,
                           const struct slot *one, const struct slot *other, bool *agree,
                           struct error *error)
{
    const struct launch_plan *expected = &one->prepared->plan, *plan = &other->prepared->plan;
    struct worker_checks checks = sweep->inputs.problem->checks;
    struct worker_outcome outcome = {.status = TRIAL_OK};
    *agree = true;
    for (size_t i = 0; i < checks.count; i++) {
        const struct argument *left = &expected->arguments[checks.items[i].output];
        const struct argument *right = &plan->arguments[checks.items[i].output];
        checks.items[i].kind = REFERENCE_PLAN;
        checks.items[i].plan = expected;
        checks.items[i].path = candidate_binary(work, one->candidate)->path;
        *agree = *agree && left->count == right->count &&
                 element_is_real(left->type) == element_is_real(right->type);
    }
    if (!*agree)
        return STATUS_OK;
    const struct worker_task task = {
        .binary_path = candidate_binary(work, other->candidate)->path,
        .plan = plan,
        .checks = checks,
        .repeats = 1,
        .timeout_ms = CASE_TIMEOUT_MS,
    };
    int64_t left_ns = lane_leave(lane);
    enum status status = worker_check(lane->worker, &task, &outcome, error);
    lane_enter(lane, left_ns, &lane->measuring_ns);
    *agree = outcome.status == TRIAL_OK;
    return status == STATUS_OK ? lane_probe_after(lane, &outcome, error) : lane_lose(lane, error);
}

/* Finds the candidate with which most others agree, and marks these in `agreeing`. */
static enum status find_agreement(const struct work *work, struct sweep *sweep, struct lane *lane,
                                  const struct votes *votes, bool agreeing[LOOKED_AT], size_t *most,
                                  struct error *error)
{
    struct track track = sweep_track(work, sweep, lane, "race");
    struct slot slots[LOOKED_AT] = {0};
    const size_t count = votes->against < LOOKED_AT ? votes->against : LOOKED_AT;
    enum status status = inputs_send(work, &sweep->inputs, lane, true, error);
    *most = 0;
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        slots[i] = (struct slot){.candidate = votes->others[i], .outcome = {.status = TRIAL_OK}};
        status = track_load(work, &track, &slots[i], error);
    }
    for (size_t i = 0; status == STATUS_OK && i < count && i < JUDGES_MAX && *most < count; i++) {
        bool with[LOOKED_AT] = {false};
        size_t agree = 0;
        with[i] = slots[i].outcome.status == TRIAL_OK;
        for (size_t j = 0; status == STATUS_OK && with[i] && j < count; j++) {
            if (j != i && slots[j].outcome.status == TRIAL_OK)
                status = compare(work, sweep, lane, &slots[i], &slots[j], &with[j], error);
            agree += with[j] ? 1 : 0;
        }
        if (agree <= *most)
            continue;
        *most = agree;
        memcpy(agreeing, with, sizeof with);
    }
    for (size_t i = 0; i < count; i++)
        slot_free(&slots[i]);
    return status;
}

static void note_alone(const struct work *work, struct sweep *sweep, const struct votes *votes,
                       const bool agreeing[LOOKED_AT], size_t agree)
{
    struct session *session = work->session;
    const size_t count = votes->against < LOOKED_AT ? votes->against : LOOKED_AT;
    char room[CONFIGURATION_KEY_BYTES];
    struct configuration usual;
    struct error ignored = {0};
    const bool is_default = experiment_default(work->experiment, &work->problem, work->facts,
                                               &usual, &ignored) == STATUS_OK &&
                            configuration_key(&usual, room) && strcmp(room, votes->key) == 0;
    struct text line = {0};
    text_printf(&line, "%s: ", problem_name(work->problem.key, work->problem.n).text);
    if (votes->with > 0)
        text_printf(&line, "only %zu of %zu other results agree", votes->with,
                    votes->with + votes->against);
    else
        text_append(&line, "no result agrees");
    if (votes->key[0])
        text_printf(&line, " with that of %s'%s', the reference of all",
                    is_default ? "the default configuration, " : "", votes->key);
    else
        text_append(&line, " with the reference of the file's 'check'");
    if (votes->own && votes->own->state == CANDIDATE_DONE && !is_right(votes->own))
        text_append(&line, ", nor does its own second result");
    if (agree >= AGAINST_MIN) {
        size_t named = 0;
        text_printf(&line, "; of the %zu %s %s%zu agree with one another (", votes->against,
                    votes->key[0] ? "others" : "results",
                    votes->against > LOOKED_AT ? "at least " : "", agree);
        for (size_t i = 0; i < count && named < NAMED; i++)
            if (agreeing[i])
                text_printf(&line, "%s'%s'", named++ > 0 ? ", " : "",
                            candidate_key(&sweep->candidates, votes->others[i], room));
        text_printf(
            &line, "%s): it may be the one that is wrong%s", named < agree ? ", ..." : "",
            votes->key[0] ? ". Name the right one under 'check': one of these, or a function" : "");
    } else {
        text_printf(&line,
                    "%s: kernels may read data that the file does not describe (inputs, counts). "
                    "Describe these, or name the right result under 'check'",
                    votes->against >= AGAINST_MIN ? ", and of the others no two agree" : "");
    }
    text_append(&line, "; no winner is chosen");
    session_note(session, "%s", text_string(&line));
    if (!session->summary->unsupported[0])
        (void)string_format(session->summary->unsupported, sizeof session->summary->unsupported,
                            "%s", text_string(&line));
    text_free(&line);
}

enum status contest_doubt_reference(struct contest *contest, struct lane *lane, struct error *error)
{
    struct sweep *sweep = contest->sweep;
    struct votes votes;
    bool agreeing[LOOKED_AT] = {false};
    size_t agree = 0;
    count_votes(&contest->work, sweep, &votes);
    contest->unsupported = is_alone(&votes);
    /* No result agrees with a function, or most disagree with a configuration that the file does
     * not name. */
    const bool are_all_wrong = !votes.key[0] && votes.with == 0 && votes.against >= AGAINST_MIN;
    if (!contest->unsupported && !are_all_wrong &&
        !(votes.own && is_right(votes.own) && !contest->work.experiment->checks[0].setting.given &&
          votes.against >= AGAINST_MIN * (votes.with + 1)))
        return STATUS_OK;
    (void)lane_enter_stage(lane, STAGE_CHECK);
    enum status status =
        find_agreement(&contest->work, sweep, lane, &votes, agreeing, &agree, error);
    (void)lane_enter_stage(lane, STAGE_RACE);
    const size_t count = votes.against < LOOKED_AT ? votes.against : LOOKED_AT;
    contest->unsupported = contest->unsupported || agree > count * 3 / 4;
    if (status == STATUS_OK && contest->unsupported)
        note_alone(&contest->work, sweep, &votes, agreeing, agree);
    return status;
}
