/* All problems of all experiments on one group of devices that are alike. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/clock.h"
#include "tuner/base/text.h"
#include "tuner/session/internal.h"
#include "tuner/session/watch.h"

static bool wants_size(const struct session_options *options, int64_t n)
{
    for (size_t i = 0; i < options->size_count; i++)
        if (options->sizes[i] == n)
            return true;
    return options->size_count == 0;
}

/* The `index`-th problem of an experiment; whether it is among those that the run is about. */
static bool wants_problem(const struct session *session,
                          const struct session_experiment *experiment, size_t index,
                          struct problem *out)
{
    experiment_problem(experiment->experiment, index, out);
    return (!experiment->wanted || experiment->wanted[index]) &&
           wants_size(session->options, out->n) && session_only_has(session->options, out);
}

static uint64_t add_up(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static void count_space(struct session *session, const struct space *space)
{
    struct session_summary *summary = session->summary;
    uint64_t count = space_count(space);
    session->progress.points_total =
        (size_t)add_up(session->progress.points_total, session_points(session->options, count));
    summary->points_legal = add_up(summary->points_legal, count);
    summary->points_product = add_up(summary->points_product, space_product_count(space));
}

/* Counts the problems and points that are asked for, and thereby reads every space once: what is
 * wrong with an experiment is said before anything is measured. */
enum status group_count_work(struct group *group, struct error *error)
{
    struct session *session = group->session;
    for (size_t e = 0; e < session->experiment_count; e++) {
        const struct session_experiment *at = &session->experiments[e];
        const struct experiment *experiment = at->experiment;
        for (size_t i = 0; i < experiment_problem_count(experiment); i++) {
            struct problem problem;
            struct space *space = NULL;
            if (!wants_problem(session, at, i, &problem))
                continue;
            enum status status = space_create(experiment, &problem, group->facts, &space, error);
            if (status != STATUS_OK)
                return status;
            session->progress.problem_count++;
            group->problems_left++;
            count_space(session, space);
            space_free(space);
        }
    }
    return STATUS_OK;
}

static enum status store_this_problem(struct sweep *sweep, struct error *error)
{
    struct configuration room;
    struct point point = sweep_point(sweep, &sweep->any, 0, &room);
    enum status status = point_bytes(&point, &sweep->bytes_moved, error);
    if (status == STATUS_OK)
        status = point_ceiling(&point, &sweep->ceiling, error);
    double operations = 0;
    enum element_type type = ELEMENT_F32;
    if (status == STATUS_OK)
        status = point_operations(&point, &operations, &type, error);
    if (status != STATUS_OK)
        return status;
    struct store_problem row = {
        .experiment_id = sweep->experiment_id,
        .key = sweep->problem.key,
        .axes = sweep->problem.axes,
        .axis_count = sweep->problem.axis_count,
        .n = sweep->problem.n,
        .bytes_moved = sweep->bytes_moved,
        .ceiling = ceiling_name(sweep->ceiling),
        .operations = operations,
        .operations_type = element_name(type),
    };
    return store_problem(sweep->group->session->store, &row, &sweep->problem_id, error);
}

/* Whether an earlier run has chosen as thoroughly as this one would. */
static enum status has_winner(const struct sweep *sweep, bool *has, struct error *error)
{
    const struct session *session = sweep->group->session;
    int64_t trial_id = 0;
    char stage[16] = "";
    enum status status = store_winner_get(
        session->store, sweep->group->environment_id, sweep->problem_id, session->options->l2_mode,
        objective_text(sweep->objective), &trial_id, stage, error);
    bool confirms = session->options->protocol.confirm_processes > 1;
    *has = trial_id != 0 &&
           (strcmp(stage, "confirm") == 0 || (strcmp(stage, "race") == 0 && !confirms));
    return status;
}

/* Whether a finalist is left that may win and that the race did not show to be slow. */
static bool has_finalist(const struct contest *contest)
{
    for (size_t i = 0; i < contest->finalist_count; i++) {
        const struct finalist *finalist = &contest->finalists[i];
        if (finalist_can_win(finalist) && !finalist->left)
            return true;
    }
    return false;
}

static size_t count_rejected(const struct sweep *sweep)
{
    size_t count = 0;
    for (size_t i = 0; i < sweep->table.count; i++)
        count += sweep->table.items[i]->rejected ? 1 : 0;
    return count;
}

/* When race and gauntlet have thrown out everybody, the next ones race: until one passes, or nobody
 * is left. */
static enum status race_until_right(struct contest *contest, struct lane *lane, struct error *error)
{
    for (;;) {
        size_t rejected = count_rejected(contest->sweep);
        (void)stage_enter(contest->sweep->group, STAGE_RACE);
        enum status status = contest_race(contest, lane, error);
        (void)stage_enter(contest->sweep->group, STAGE_CHECK);
        if (status == STATUS_OK)
            status = contest_check(contest, lane, error);
        bool pardoned = false;
        bool nobody_left = count_rejected(contest->sweep) == rejected;
        if (status == STATUS_OK && !has_finalist(contest) && nobody_left)
            status = promise_pardon(contest, lane, &pardoned, error);
        (void)stage_enter(contest->sweep->group, STAGE_RACE);
        if (status != STATUS_OK || has_finalist(contest) || (nobody_left && !pardoned))
            return status;
        contest_reset(contest);
    }
}

/* On one device, since times of two are not to be compared that finely; on another one when that is
 * lost. */
enum status contest_compete(struct contest *contest, bool *found, struct error *error)
{
    struct group *group = contest->sweep->group;
    for (;;) {
        struct lane *lane = group_lane(group);
        if (!lane)
            return error_set(error, STATUS_DEVICE_LOST, "no device is left: %s",
                             group->lanes[0]->error.text);
        size_t rejected = count_rejected(contest->sweep);
        enum status status = race_until_right(contest, lane, error);
        bool raced = status == STATUS_OK && has_finalist(contest);
        if (status == STATUS_OK)
            status = contest_choose(contest, lane, "race", found, error);
        /* All were wrong while they were watched: the next ones race. */
        if (status == STATUS_OK && raced && !*found && !has_finalist(contest) &&
            count_rejected(contest->sweep) > rejected) {
            arena_free(&lane->scratch);
            contest_reset(contest);
            continue;
        }
        arena_free(&lane->scratch);
        if (!lane->lost) {
            for (size_t i = 0; i < contest->finalist_count; i++)
                runner_free(&contest->finalists[i].runner); /* its samples are in the store */
            return status;
        }
        contest_reset(contest);
    }
}

static void add_contest(struct group *group, struct contest *contest)
{
    contest->previous = group->last_contest;
    if (group->last_contest)
        group->last_contest->next = contest;
    else
        group->contests = contest;
    group->last_contest = contest;
}

/* Chooses again when something was measured, or when nothing was ever chosen as thoroughly. */
static enum status choose_winner(struct sweep *sweep, struct contest **contest, struct error *error)
{
    bool has = false;
    bool found = false;
    enum status status = has_winner(sweep, &has, error);
    *contest = NULL;
    bool again = sweep->group->session->options->only_count > 0;
    if (status != STATUS_OK || (has && !again && sweep->measured == 0))
        return status;
    *contest = contest_create(sweep);
    if (!*contest)
        return error_no_memory(error);
    return contest_compete(*contest, &found, error);
}

static void forget_sweep(struct group *group, const struct sweep *sweep)
{
    for (size_t i = 0; i < group->lane_count; i++)
        if (group->lanes[i]->told == sweep)
            group->lanes[i]->told = NULL;
    group->best_key = "";
    group->problem_key = "";
}

/* What is stopped half-way has a best so far, too; but what a race has found is better. */
static void save_early(struct sweep *sweep)
{
    const struct session *session = sweep->group->session;
    int64_t trial_id = 0;
    char stage[16] = "";
    struct error ignored = {0};
    enum status status = store_winner_get(
        session->store, sweep->group->environment_id, sweep->problem_id, session->options->l2_mode,
        objective_text(sweep->objective), &trial_id, stage, &ignored);
    if (status == STATUS_OK && (trial_id == 0 || strcmp(stage, "sweep") == 0))
        (void)sweep_choose_early(sweep, &ignored);
}

/* For want of time; what was measured of it is in the store. */
static enum status leave_out(struct sweep *sweep, struct contest **contest, struct error *error)
{
    struct session *session = sweep->group->session;
    int64_t trial_id = 0;
    error_clear(error);
    if (*contest)
        (*contest)->sweep = NULL;
    contest_free(*contest);
    *contest = NULL;
    session->summary->problems_left_out++;
    enum status status = store_winner_get(session->store, sweep->group->environment_id,
                                          sweep->problem_id, session->options->l2_mode,
                                          objective_text(sweep->objective), &trial_id, NULL, error);
    session->summary->problems_without_winner += status == STATUS_OK && trial_id == 0 ? 1 : 0;
    return status;
}

static enum status compete_over(struct sweep *sweep, struct contest **contest, struct error *error)
{
    struct group *group = sweep->group;
    group->problem_key = sweep->problem.key;
    group->n = sweep->problem.n;
    group->best_ns = (double)NAN;
    (void)stage_enter(group, STAGE_SET_UP);
    enum status status = sweep_open(sweep, error);
    if (status == STATUS_OK)
        status = store_this_problem(sweep, error);
    if (status == STATUS_OK && !budget_fits_problem(group))
        return leave_out(sweep, contest, error);
    if (status == STATUS_OK)
        status = sweep_problem(sweep, error);
    bool nothing = !sweep->best && budget_ended(group->session);
    if (status == STATUS_NO_TIME || (status == STATUS_OK && nothing))
        return leave_out(sweep, contest, error);
    if (status == STATUS_OK)
        status = choose_winner(sweep, contest, error);
    if (status == STATUS_NO_TIME)
        return leave_out(sweep, contest, error);
    if (status == STATUS_INTERRUPTED)
        save_early(sweep);
    return status;
}

static enum status run_problem(struct group *group, const struct sweep *like,
                               const struct problem *problem, struct error *error)
{
    struct contest *contest = NULL;
    struct sweep *sweep = malloc(sizeof *sweep);
    if (!sweep)
        return error_no_memory(error);
    *sweep = *like;
    sweep->problem = *problem;
    enum status status = compete_over(sweep, &contest, error);
    group->session->summary->problems++;
    group->session->progress.problem_index++;
    group->problems_left -= group->problems_left > 0 ? 1 : 0;
    (void)stage_enter(group, STAGE_SET_UP);
    budget_end_problem(sweep, contest != NULL);
    forget_sweep(group, sweep);
    if (contest && status == STATUS_OK) {
        add_contest(group, contest);
        return STATUS_OK;
    }
    if (contest)
        contest->sweep = NULL;
    contest_free(contest);
    sweep_free(sweep);
    free(sweep);
    return status;
}

static enum status run_experiment(struct group *group, const struct session_experiment *at,
                                  struct objective *objective, int64_t *experiment_id,
                                  struct error *error)
{
    struct session *session = group->session;
    const struct experiment *experiment = at->experiment;
    struct store_experiment row = {
        .name = experiment_name(experiment),
        .device_kind = experiment_device_kind(experiment),
        .content_hash = experiment_content_hash(experiment),
        .definition_hash = experiment_definition_hash(experiment),
        .path = experiment_path(experiment),
        .text = experiment_text(experiment),
    };
    enum status status = store_experiment(session->store, &row, experiment_id, error);
    struct sweep like = {.group = group,
                         .experiment = experiment,
                         .experiment_id = *experiment_id,
                         .objective = objective};
    for (size_t i = 0; status == STATUS_OK && i < experiment_problem_count(experiment); i++) {
        struct problem problem;
        if (wants_problem(session, at, i, &problem))
            status = run_problem(group, &like, &problem, error);
        if (status == STATUS_OK && !store_is_in_place(session->store))
            status = error_set(error, STATUS_IO, "the database was removed or replaced");
    }
    return status;
}

static void tell_of_no_winner(const struct contest *contest)
{
    const struct sweep *sweep = contest->sweep;
    struct session *session = sweep->group->session;
    size_t most = ROUND_VALID + 1;
    session->summary->problems_without_winner++;
    for (size_t i = most; i < ROUND_FAULTS; i++)
        most = contest->faults[i] > contest->faults[most] ? i : most;
    if (contest->rounds > 0 && contest->rounds_dropped == contest->rounds)
        session_note(
            session,
            "%s n=%lld: no winner, since all of its %zu rounds were dropped, mostly: %s; run it "
            "again when the machine is idle",
            sweep->problem.key, (long long)sweep->problem.n, contest->rounds,
            round_fault_name((enum round_fault)most));
    else
        session_note(session, "%s n=%lld: no configuration works; see 'tune show --failures'",
                     sweep->problem.key, (long long)sweep->problem.n);
}

static void summarize_contests(const struct group *group)
{
    struct session_summary *summary = group->session->summary;
    enum verdict worst = VERDICT_SOUND;
    for (size_t i = 0; i < VERDICTS; i++)
        if (summary->verdicts[i] > 0)
            worst = (enum verdict)i;
    for (const struct contest *contest = group->contests; contest; contest = contest->next) {
        if (!contest->announced) {
            tell_of_no_winner(contest);
            continue;
        }
        summary->winners++;
        summary->tied += contest->tied > 1 ? 1 : 0;
        summary->rounds += contest->rounds;
        summary->rounds_dropped += contest->rounds_dropped;
        summary->verdicts[contest->verdict]++;
        if (contest->verdict >= worst) {
            worst = contest->verdict;
            (void)string_format(summary->worst_reason, sizeof summary->worst_reason,
                                "%s n=%lld: %s", contest->sweep->problem.key,
                                (long long)contest->sweep->problem.n, contest->reason);
        }
        if (isfinite(contest->floor.floor) && !(summary->floor_worst >= contest->floor.floor))
            summary->floor_worst = contest->floor.floor;
    }
}

static void free_contests(struct group *group)
{
    while (group->contests) {
        struct contest *next = group->contests->next;
        forget_sweep(group, group->contests->sweep);
        contest_free(group->contests);
        group->contests = next;
    }
    group->last_contest = NULL;
}

/* The ranges of all; of a run that was stopped by what is known, which takes no time. */
static enum status cover_all(struct group *group, struct objective *const *objectives,
                             const int64_t *experiment_ids, enum status status, struct error *error)
{
    const struct session *session = group->session;
    for (size_t i = 0; i < session->experiment_count && experiment_ids[i] != 0; i++) {
        struct error covering = {0};
        enum status covered = group_ranges(group, &session->experiments[i], experiment_ids[i],
                                           objectives[i], &covering);
        if (status == STATUS_OK && covered != STATUS_OK)
            *error = covering;
        status = status == STATUS_OK ? covered : status;
        if (covered != STATUS_OK && covered != STATUS_INTERRUPTED)
            break;
    }
    return status;
}

/* Races of all problems first; then what the whole is needed for. */
static enum status run_all(struct group *group, struct objective **objectives,
                           int64_t *experiment_ids, struct error *error)
{
    const struct session *session = group->session;
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < session->experiment_count; i++)
        status = objective_create(session->experiments[i].experiment, session->options->objective,
                                  &objectives[i], error);
    for (size_t i = 0; status == STATUS_OK && i < session->experiment_count; i++)
        status = run_experiment(group, &session->experiments[i], objectives[i], &experiment_ids[i],
                                error);
    (void)stage_enter(group, STAGE_CONFIRM);
    if (status == STATUS_OK)
        status = group_confirm(group, error);
    (void)stage_enter(group, STAGE_RANGES);
    if (session->options->only_count == 0 && (status == STATUS_OK || status == STATUS_INTERRUPTED))
        status = cover_all(group, objectives, experiment_ids, status, error);
    (void)stage_enter(group, STAGE_END);
    summarize_contests(group);
    return status;
}

void group_run(struct group *group)
{
    size_t count = group->session->experiment_count;
    struct objective **objectives = calloc(count + 1, sizeof(struct objective *));
    int64_t *experiment_ids = calloc(count + 1, sizeof *experiment_ids);
    group->status = objectives && experiment_ids
                        ? run_all(group, objectives, experiment_ids, &group->error)
                        : error_no_memory(&group->error);
    free_contests(group);
    for (size_t i = 0; objectives && i < count; i++)
        objective_free(objectives[i]);
    free(objectives);
    free(experiment_ids);
}
