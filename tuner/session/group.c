/* All problems of all experiments on one group of like devices. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/pack.h"
#include "tuner/base/text.h"
#include "tuner/device/traits.h"
#include "tuner/session/check.h"
#include "tuner/session/covering.h"
#include "tuner/session/recorded.h"

/* Gets the `turn`-th problem of an experiment. Returns whether the run includes the problem. */
static bool wants_problem(const struct group *group, const struct session_experiment *experiment,
                          size_t turn, struct problem *problem)
{
    const struct session_options *options = group->session->options;
    for (size_t i = 0; i < group->empty.count; i++)
        if (group->empty.items[i].experiment == experiment && group->empty.items[i].turn == turn)
            return false;
    const size_t index = experiment->order ? experiment->order[turn] : turn;
    experiment_problem(experiment->experiment, index, problem);
    return session_has_size(options, problem) &&
           (!experiment->wanted || experiment->wanted[index]) &&
           session_picks_problem(options, problem);
}

static uint64_t add_up(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Makes the default launch of a problem that a program looked up, at a size that the experiment may
 * not be made for. STATUS_BAD_INPUT: a number, a count or the memory does not fit this size. */
static enum status try_size(const struct group *group, const struct session_experiment *at,
                            const struct problem *problem, struct error *error)
{
    struct arena arena = {0};
    struct configuration usual;
    const struct point point = {at->experiment, problem, group->facts, &usual, 1};
    struct launch_plan *plan = arena_alloc(&arena, 1, sizeof *plan);
    enum status status = plan ? STATUS_OK : error_no_memory(error);
    TRY_OR_CLEANUP(status);
    TRY_OR_CLEANUP(experiment_default(at->experiment, problem, group->facts, &usual, error));
    TRY_OR_CLEANUP(point_plan(&point, &arena, plan, error));
    const double memory = (double)facts_integer(group->facts, "memory_bytes", INT64_MAX);
    double bytes = 0;
    for (size_t i = 0; i < plan->argument_count; i++)
        bytes += (double)argument_bytes(&plan->arguments[i]);
    if (bytes > memory)
        status = error_set(error, STATUS_BAD_INPUT,
                           "its arguments take %.4g GB, and the device has %.4g", bytes / 1e9,
                           memory / 1e9);
cleanup:
    arena_free(&arena);
    return status;
}

/* Makes the space of a problem, and counts problem and points; *is_empty: the constraints leave no
 * configuration, or a recorded size does not fit, as the error says. */
static enum status count_problem(struct group *group, const struct session_experiment *at,
                                 size_t turn, bool *is_empty, struct error *error)
{
    struct session *session = group->session;
    struct session_summary *summary = session->summary;
    struct problem problem;
    struct space *space = NULL;
    if (!wants_problem(group, at, turn, &problem))
        return STATUS_OK;
    enum status status = space_create(at->experiment, &problem, group->facts, &space, error);
    if (status == STATUS_OK && session->options->are_looked_up)
        status = try_size(group, at, &problem, error);
    if (status == STATUS_NOT_FOUND ||
        (status == STATUS_BAD_INPUT && session->options->are_looked_up)) {
        space_free(space);
        if (!array_grow(&group->empty.items, group->empty.count, &group->empty.capacity,
                        sizeof *group->empty.items))
            return error_no_memory(error);
        group->empty.items[group->empty.count].experiment = at;
        group->empty.items[group->empty.count++].turn = turn;
        *is_empty = true;
        return STATUS_OK;
    }
    if (status == STATUS_OK)
        status = recorded_restrict(session, at->experiment, &problem, space, error);
    if (status == STATUS_OK && !array_grow(&group->spaces.items, group->spaces.count,
                                           &group->spaces.capacity, sizeof space))
        status = error_no_memory(error);
    if (status != STATUS_OK) {
        space_free(space);
        return status;
    }
    group->spaces.items[group->spaces.count++] = space;
    const uint64_t count = space_count(space);
    session->progress.problem_count++;
    session->progress.points_total =
        (size_t)add_up(session->progress.points_total, session_points(session->options, count));
    summary->points_legal = add_up(summary->points_legal, count);
    summary->points_product = add_up(summary->points_product, space_product_count(space));
    return STATUS_OK;
}

/* Counts the requested problems and points, and makes every space, so that errors of an experiment
 * are reported before any measurement. Problems without a legal configuration are noted, and left
 * out if the experiment has others. */
enum status group_count_work(struct group *group, struct error *error)
{
    const bool are_looked_up = group->session->options->are_looked_up;
    struct error none = {0};
    for (size_t e = 0; e < group->session->experiment_count; e++) {
        const struct session_experiment *at = &group->session->experiments[e];
        const size_t before = group->spaces.count;
        struct error first = {0};
        struct text others = {0};
        enum status status = STATUS_OK;
        for (size_t i = 0; status == STATUS_OK && i < experiment_problem_count(at->experiment);
             i++) {
            bool is_empty = false;
            status = count_problem(group, at, i, &is_empty, error);
            if (!is_empty)
                continue;
            struct problem problem;
            experiment_problem(at->experiment, at->order ? at->order[i] : i, &problem);
            none = none.status == STATUS_OK ? *error : none;
            if (error->status == STATUS_BAD_INPUT) {
                session_note(group->session, "%s %s=%lld is left out: %s", problem.key,
                             problem.size_name, (long long)problem.n, error->text);
                error_clear(error);
                continue;
            }
            if (first.status != STATUS_OK)
                text_printf(&others, ", nor for %s", problem.key);
            if (first.status != STATUS_OK && !problem.shape)
                text_printf(&others, " with %s = %lld", problem.size_name, (long long)problem.n);
            first = first.status == STATUS_OK ? *error : first;
            error_clear(error);
        }
        if (status == STATUS_OK && first.status != STATUS_OK && group->spaces.count == before &&
            !are_looked_up) {
            *error = first;
            status = error->status = STATUS_BAD_INPUT;
        } else if (status == STATUS_OK && first.status != STATUS_OK) {
            session_note(group->session, "%s%s; the other sizes are tuned", first.text,
                         text_string(&others));
        }
        text_free(&others);
        TRY(status);
    }
    if (group->spaces.count == 0 && are_looked_up && none.status != STATUS_OK) {
        *error = none;
        return error->status = STATUS_BAD_INPUT;
    }
    group->problems_left = group->spaces.count;
    return STATUS_OK;
}

static enum status store_this_problem(struct work *work, const struct configuration *usual,
                                      struct error *error)
{
    struct point point = work_point(work, usual, 0);
    char family[PROBLEM_KEY_BYTES];
    struct figures figures;
    TRY(point_figures(&point, &figures, error));
    work->bytes_moved = figures.bytes;
    work->ceiling = figures.ceiling;
    (void)string_format(family, sizeof family, "%.*s", (int)work->problem.family_length,
                        work->problem.key);
    struct store_problem row = {
        .experiment_id = work->experiment_id,
        .key = work->problem.key,
        .family = work->problem.shape ? family : NULL,
        .axes = work->problem.axes,
        .axis_count = work->problem.axis_count,
        .n = work->problem.n,
        .bytes_moved = work->bytes_moved,
        .ceiling = ceiling_names[work->ceiling],
        .operations = figures.operations,
        .operations_type = element_name(figures.operations_type),
    };
    return store_problem(work->store, &row, &work->problem_id, error);
}

static enum status stored_winner(const struct work *work, struct store_choice *out,
                                 struct error *error)
{
    return store_winner_get(work->store, work->environment_id, work->problem_id,
                            work->options->l2_mode, objective_text(work->objective), out, error);
}

/* Invalidates the lanes' copies of the sweep's inputs; workers are not notified. */
static void forget_sweep(struct group *group, const struct sweep *sweep)
{
    for (size_t i = 0; i < group->lane_count; i++)
        if (group->lanes[i]->known == &sweep->inputs)
            group->lanes[i]->known = NULL;
    group->position.best_key = "";
    group->position.problem_key = "";
}

/* Counts a problem that is left out for lack of time; the measurements are in the store, and the
 * fastest so far is chosen if no earlier run has a winner. */
static enum status leave_out(const struct work *work, struct sweep *sweep, struct error *error)
{
    struct store_choice winner;
    struct session_summary *summary = work->session->summary;
    error_clear(error);
    summary->problems_left_out++;
    TRY(stored_winner(work, &winner, error));
    if (winner.trial_id != 0)
        return STATUS_OK;
    if (sweep_has_contenders(work, sweep))
        TRY(sweep_choose_early(work, sweep, error));
    TRY(stored_winner(work, &winner, error));
    summary->problems_without_winner += winner.trial_id == 0 ? 1 : 0;
    return STATUS_OK;
}

/* Requests the baselines of coming problems from idle compilers under a budget, so that no problem
 * waits later. Errors are reported when the problem is measured. */
static void request_ahead(const struct work *work)
{
    struct group *group = work->group;
    struct binaries *binaries = &group->binaries;
    struct baseline *baselines = NULL;
    const struct session_options *options = work->options;
    struct work next = *work;
    if (options->budget_ns == 0 || !options->compiles_beside_measuring ||
        !(baselines = calloc(EXPERIMENT_BASELINES_MAX, sizeof *baselines)))
        return;
    while (group->ahead.baseline_next < experiment_problem_count(work->experiment) &&
           compile_pool_pending(binaries->pool) < (binaries->workers + 1) / 2) {
        struct error ignored = {0};
        size_t count = 0;
        if (!wants_problem(group, group->ahead.experiment, group->ahead.baseline_next++,
                           &next.problem) ||
            experiment_baselines(next.experiment, &next.problem, next.facts, baselines, &count,
                                 &ignored) != STATUS_OK)
            continue;
        for (size_t i = 0; i < count; i++) {
            struct candidate wanted = {.binary = NO_BINARY};
            (void)candidate_request_binary(&next, &wanted, &baselines[i].configuration, true,
                                           &ignored);
        }
    }
    free(baselines);
}

/* Makes references of coming problems with idle compilers, one in each process, since a user's C
 * need not be safe in threads. */
static void make_references_ahead(const struct work *work)
{
    enum { AHEAD_MAX = 4 };
    struct group *group = work->group;
    const struct session_options *options = work->options;
    struct work next = *work;
    size_t spaces = 0;
    bool taken = true;
    if (!options->compiles_beside_measuring || options->host_count > 0 ||
        device_traits(options->device_kind)->computes_nothing)
        return;
    for (size_t i = group->ahead.problem_index + 1;
         taken && i < experiment_problem_count(work->experiment) && spaces < AHEAD_MAX; i++) {
        struct configuration usual;
        if (!wants_problem(group, group->ahead.experiment, i, &next.problem))
            continue;
        struct space *space = group->spaces.items[group->spaces.next + spaces++];
        if (i < group->ahead.reference_next || space_count(space) == 0)
            continue;
        work_representative(&next, space, &usual);
        inputs_ahead(&next, &usual, &taken);
        group->ahead.reference_next = taken ? i + 1 : group->ahead.reference_next;
    }
}

/* Sweeps the problem; *swept: there are trials, new or known. */
static enum status sweep_over(struct work *work, struct sweep *sweep, struct space *space,
                              bool *swept, struct error *error)
{
    struct group *group = work->group;
    group->position.problem_key = work->problem.key;
    group->position.n = work->problem.n;
    group->position.best_ns = (double)NAN;
    (void)stage_enter(group, STAGE_SET_UP);
    enum status status = sweep_open(sweep, work, space, error);
    session_progress(group, "compile");
    if (status == STATUS_OK)
        status = store_this_problem(work, &sweep->representative, error);
    *swept = status == STATUS_OK && budget_fits_problem(group);
    if (*swept) {
        request_ahead(work);
        make_references_ahead(work);
        status = sweep_problem(work, sweep, error);
        request_ahead(work);
        make_references_ahead(work);
    }
    *swept = *swept && status == STATUS_OK &&
             (sweep->best || !budget_ended(group->session, STAGE_SWEEP)) &&
             sweep_has_contenders(work, sweep);
    if (*swept || (status != STATUS_OK && status != STATUS_NO_TIME))
        return status;
    return leave_out(work, sweep, error);
}

/* Counts a problem that ended with `status`, and keeps a raced contest for the confirmation. */
static enum status end_problem(struct contest *contest, bool raced, enum status status,
                               struct error *error)
{
    const struct work *work = &contest->work;
    struct group *group = work->group;
    struct error ignored = {0};
    struct store_choice winner;
    raced = raced && status != STATUS_NO_TIME;
    if (status == STATUS_NO_TIME)
        status = leave_out(work, contest->sweep, error);
    /* A problem that ends half-way has a best so far, but a race's result is better. */
    if (status != STATUS_OK && stored_winner(work, &winner, &ignored) == STATUS_OK &&
        (winner.trial_id == 0 || strcmp(winner.stage, "sweep") == 0))
        (void)sweep_choose_early(work, contest->sweep, &ignored);
    group->session->summary->problems++;
    group->session->progress.problem_index++;
    group->problems_left -= group->problems_left > 0 ? 1 : 0;
    (void)stage_enter(group, STAGE_SET_UP);
    budget_end_problem(group, &contest->sweep->allowance, raced);
    forget_sweep(group, contest->sweep);
    if (!raced || status != STATUS_OK) {
        contest_free(contest);
        return status;
    }
    contest->previous = group->last_contest;
    *(group->last_contest ? &group->last_contest->next : &group->contests) = contest;
    group->last_contest = contest;
    group->costs.contests++;
    group->costs.confirm_ns += contest_process_ns(contest);
    return STATUS_OK;
}

/* Returns whether an earlier run has chosen at least as thoroughly as this one would. Uncertain
 * winners are chosen again if the user gave an effort. */
static bool is_chosen_well(const struct session_options *options, const struct store_choice *winner)
{
    enum effort earlier = options->effort;
    const bool is_known = effort_parse(winner->effort, &earlier);
    if (strcmp(winner->stage, "confirm") != 0 &&
        (strcmp(winner->stage, "race") != 0 || options->protocol.confirm_processes > 1))
        return false;
    if (is_known && earlier < options->effort)
        return false;
    return !options->effort_given || earlier > options->effort || options->effort == EFFORT_QUICK ||
           verdict_named(winner->trust) == VERDICT_SOUND;
}

/* Finds whether the problem needs a choice: there are new trials, no earlier run chose well, the
 * winner is no longer a configuration of the experiment, or its checks lacked time. */
static enum status wants_contest(struct contest *contest, bool *wants, struct error *error)
{
    const struct work *work = &contest->work;
    struct text winner = {0};
    bool found = false;
    struct store_choice choice;
    enum status status = stored_winner(work, &choice, error);
    *wants = work->options->pick_count > 0 || contest->sweep->measured > 0 ||
             !is_chosen_well(work->options, &choice);
    if (status != STATUS_OK || *wants)
        return status;
    status =
        store_incumbent(work->store, work->environment_id, work->problem_id, work->options->l2_mode,
                        objective_text(work->objective), &found, &winner, NULL, error);
    struct candidate *candidate =
        found ? candidates_at_key(&contest->sweep->candidates, text_string(&winner)) : NULL;
    text_free(&winner);
    *wants = found && !candidate;
    if (status == STATUS_OK && candidate && candidate->binary != NO_BINARY)
        status = candidate_recall_domain(contest, candidate, wants, error);
    return status;
}

/* Races all swept problems at once, each on one device; none if `status` shows that an earlier
 * failure has ended the run. */
static enum status race_swept(struct group *group, enum status status, struct error *error)
{
    const size_t count = group->swept_count;
    struct competing competing[SESSION_DEVICES_MAX] = {0};
    struct lane_job *jobs = NULL;
    for (size_t i = count; i-- > 0 && status == STATUS_OK;) {
        bool wants = false;
        status = wants_contest(group->swept[i], &wants, error);
        if (status != STATUS_OK || !wants)
            continue;
        competing[i] = (struct competing){
            .contest = group->swept[i],
            .job = {.task = contest_compete_on, .context = &competing[i], .next = jobs}};
        jobs = &competing[i].job;
    }
    if (status == STATUS_OK)
        group_do(group, jobs);
    group->swept_count = 0;
    enum status first = status;
    for (size_t i = 0; i < count; i++) {
        const bool competed = competing[i].contest && status == STATUS_OK;
        struct error ending = competed ? competing[i].job.error : *error;
        enum status ended = end_problem(group->swept[i], competing[i].contest != NULL,
                                        competed ? competing[i].job.status : status, &ending);
        first = first_failure(first, ended, &ending, error);
    }
    return first;
}

/* Sweeps a problem, and races the swept ones once there is one for each device. */
static enum status run_problem(const struct work *work, struct error *error)
{
    struct group *group = work->group;
    struct sweep *sweep = calloc(1, sizeof *sweep);
    struct contest *contest = sweep ? contest_create(work, sweep) : NULL;
    bool swept = false;
    if (!contest) {
        free(sweep);
        return error_no_memory(error);
    }
    struct space *space = group->spaces.items[group->spaces.next];
    group->spaces.items[group->spaces.next++] = NULL;
    enum status status = sweep_over(&contest->work, sweep, space, &swept, error);
    if (!swept)
        return end_problem(contest, false, status, error);
    group->swept[group->swept_count++] = contest;
    return group->swept_count < group_width(group) ? STATUS_OK
                                                   : race_swept(group, STATUS_OK, error);
}

/* Notes defaults that are not legal for the problem. Returns whether there are such. */
static bool note_defaults(const struct group *group, const struct work *work)
{
    struct arena arena = {0};
    struct error why = {0};
    struct configuration ignored;
    const char *reason = NULL;
    const bool is_illegal =
        experiment_defaults_reason(work->experiment, &work->problem, group->facts, &arena, &reason,
                                   &why) == STATUS_OK &&
        reason &&
        experiment_default(work->experiment, &work->problem, group->facts, &ignored, &why) !=
            STATUS_OK;
    if (is_illegal)
        session_note(group->session, "%s; they are a baseline, and cannot win", why.text);
    arena_free(&arena);
    return is_illegal;
}

static enum status run_experiment(struct group *group, const struct session_experiment *at,
                                  const struct objective *objective, int64_t *experiment_id,
                                  struct error *error)
{
    struct session *session = group->session;
    const struct experiment *experiment = at->experiment;
    struct store_experiment row = {
        .name = experiment_head(experiment)->name,
        .device_kind = experiment_head(experiment)->device->section,
        .content_hash = experiment_head(experiment)->content_hash,
        .definition_hash = experiment_head(experiment)->definition_hash,
        .path = experiment_head(experiment)->path,
        .text = experiment_head(experiment)->text,
    };
    TRY(store_experiment(session->store, &row, experiment_id, error));
    struct work work = work_of(group, experiment, *experiment_id, objective);
    group->ahead.experiment = at;
    group->ahead.baseline_next = 0;
    group->ahead.reference_next = 0;
    bool is_noted = false;
    for (size_t i = 0; i < experiment_problem_count(experiment); i++) {
        group->ahead.problem_index = i;
        if (wants_problem(group, at, i, &work.problem)) {
            is_noted = is_noted || note_defaults(group, &work);
            TRY(run_problem(&work, error));
        }
        if (!store_is_in_place(session->store))
            return error_set(error, STATUS_IO, "the database was removed or replaced");
    }
    return STATUS_OK;
}

/* Appends the failure that most configurations of the problem share, if some failed. */
static void append_main_failure(struct text *out, const struct contest *contest, const char *before)
{
    const struct work *work = &contest->work;
    struct arena arena = {0};
    struct error ignored = {0};
    const char *words = "";
    if (store_main_failure(work->store, work->environment_id, work->problem_id, &arena, &words,
                           &ignored) == STATUS_OK &&
        words[0])
        text_printf(out, "%s%s", before, words);
    arena_free(&arena);
}

static void summarize_contests(const struct group *group)
{
    struct session_summary *summary = group->session->summary;
    enum verdict worst = VERDICT_SOUND;
    for (size_t i = 0; i < VERDICTS; i++)
        if (summary->verdicts[i] > (i == VERDICT_UNSTABLE ? summary->unseen : 0))
            worst = (enum verdict)i;
    for (const struct contest *contest = group->contests; contest; contest = contest->next) {
        if (!contest->winner.announced) {
            const struct problem *problem = &contest->work.problem;
            struct session *session = contest->work.session;
            size_t most = ROUND_VALID + 1;
            session->summary->problems_without_winner++;
            if (!contest->unsupported) {
                for (size_t i = most; i < ROUND_FAULTS; i++)
                    most = contest->rounds.faults[i] > contest->rounds.faults[most] ? i : most;
                if (contest->rounds.count > 0 && contest->rounds.dropped == contest->rounds.count)
                    problem_note(
                        session, problem,
                        "no winner, since all rounds were dropped (%zu), mostly: %s; run it "
                        "again when the machine is idle",
                        contest->rounds.count, round_fault_name((enum round_fault)most));
                else {
                    struct text why = {0};
                    append_main_failure(&why, contest, ", mostly: ");
                    problem_note(session, problem,
                                 "no configuration works%s; see 'tune show --failures'",
                                 text_string(&why));
                    text_free(&why);
                }
            }
            continue;
        }
        summary->winners++;
        summary->tied += contest->winner.as_fast > 0 ? 1 : 0;
        summary->rounds += contest->rounds.count;
        summary->rounds_dropped += contest->rounds.dropped;
        const enum coverage coverage = coverage_of(&contest->winner.coverage);
        const enum verdict headline = verdict_headline(contest->winner.verdict, coverage);
        const struct problem *problem = &contest->work.problem;
        struct text tried = {0};
        summary->verdicts[headline]++;
        if (headline != contest->winner.verdict) {
            coverage_append(&tried, &contest->winner.coverage);
            if (coverage == COVERAGE_FAILED)
                append_main_failure(&tried, contest, ", mostly as: ");
            if (summary->unseen++ == 0)
                (void)string_format(summary->worst_coverage, sizeof summary->worst_coverage,
                                    "%s: its space is %s: %s",
                                    problem_name(problem->key, problem->n).text,
                                    coverage_name(coverage), text_string(&tried));
            text_free(&tried);
        }
        if (contest->winner.verdict >= worst) {
            worst = contest->winner.verdict;
            (void)string_format(
                summary->worst_reason, sizeof summary->worst_reason, "%s: %s",
                problem_name(contest->work.problem.key, contest->work.problem.n).text,
                contest->winner.reason);
        }
        if (isfinite(contest->floor.floor) && !(summary->floor_worst >= contest->floor.floor))
            summary->floor_worst = contest->floor.floor;
    }
}

/* Races all problems, then confirms winners and covers ranges, which need all results. */
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
    status = race_swept(group, status, error);
    (void)stage_enter(group, STAGE_CONFIRM);
    if (status == STATUS_OK)
        status = group_confirm(group, error);
    (void)stage_enter(group, STAGE_RANGES);
    if (session->options->pick_count == 0 &&
        (status == STATUS_OK || status == STATUS_INTERRUPTED)) {
        /* After a stop from known results, which takes no time. */
        for (size_t i = 0; i < session->experiment_count && experiment_ids[i] != 0; i++) {
            struct error covering = {0};
            enum status covered = group_ranges(group, &session->experiments[i], experiment_ids[i],
                                               objectives[i], &covering);
            status = first_failure(status, covered, &covering, error);
            if (covered != STATUS_OK && covered != STATUS_INTERRUPTED)
                break;
        }
    }
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
    while (group->contests) {
        struct contest *next = group->contests->next;
        forget_sweep(group, group->contests->sweep);
        contest_free(group->contests);
        group->contests = next;
    }
    group->last_contest = NULL;
    for (size_t i = 0; i < group->spaces.count; i++)
        space_free(group->spaces.items[i]);
    free(group->spaces.items);
    free(group->empty.items);
    group->spaces.items = NULL;
    group->empty.items = NULL;
    group->empty.count = group->empty.capacity = 0;
    group->spaces.count = group->spaces.capacity = group->spaces.next = 0;
    for (size_t i = 0; objectives && i < count; i++)
        objective_free(objectives[i]);
    free(objectives);
    free(experiment_ids);
}
