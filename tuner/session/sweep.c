/* The sweep of one problem by all devices of a group. */
#include "tuner/session/sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/clock.h"

/* Longest wait for compilers between looks for other work. */
enum { WAIT_MS = 100 };

static enum status measure_candidate(const struct work *work, struct sweep *sweep,
                                     struct lane *lane, struct candidate *candidate,
                                     struct error *error)
{
    struct group *group = work->group;
    enum status status = inputs_send(work, &sweep->inputs, lane, true, error);
    if (status == STATUS_OK)
        status = sweep_try(work, sweep, lane, candidate, error);
    group_wake(group);
    if (status == STATUS_NO_TIME)
        error_clear(error);
    if ((lane->lost && status != STATUS_OK) || status == STATUS_NO_TIME)
        return window_put_back(work, sweep, candidate, error);
    if (status != STATUS_OK)
        return status;
    sweep->window.in_hand--;
    sweep->window.baselines_left -= candidate->wanted & WANTED_BASELINE ? 1 : 0;
    if (candidate->point != NO_POINT)
        search_tell(sweep->search, candidate->point, candidate->value);
    sweep->allowance.setup_ns = sweep->inputs.setup_ns;
    if (stage_enter(group, STAGE_SWEEP) == STAGE_SET_UP)
        budget_begin_sweep(group, &sweep->allowance); /* its set-up time is known now */
    else
        budget_learn(group, &sweep->allowance);
    if (sweep->best) {
        group->position.best_ns = sweep->best->median_ns;
        group->position.best_key = candidate_key(&sweep->candidates, sweep->best, sweep->best_key);
    }
    session_progress(group, "sweep");
    return STATUS_OK;
}

/* Tries one point with one lane; *idle: none is left. */
static enum status lane_step(const struct work *work, struct sweep *sweep, struct lane *lane,
                             bool *idle, struct error *error)
{
    struct group *group = work->group;
    enum status status = window_fill(work, sweep, error);
    if (status == STATUS_OK)
        status = binaries_collect(&group->binaries, 0, error);
    if (status != STATUS_OK)
        return status;
    /* Candidates of other lanes may bring the search further points. */
    *idle = sweep->window.count == 0 && sweep->window.in_hand == 0;
    if (*idle)
        return STATUS_OK;
    /* If compilers use the cores that kernels are timed on, a batch is compiled before it is timed.
     */
    bool compiles_first =
        !work->options->compiles_beside_measuring && compile_pool_pending(group->binaries.pool) > 0;
    struct candidate *candidate = compiles_first ? NULL : window_take(work, sweep);
    if (candidate)
        return measure_candidate(work, sweep, lane, candidate, error);
    if (lane->known == &sweep->inputs) {
        if (worker_head(lane->worker)->restarts > 0) /* more restarts are likely */
            budget_reserve(lane, 1);
        session_progress(group, "compile");
        int64_t started_ns = clock_now_ns();
        status = group_await_compilers(group, &group->binaries, WAIT_MS, error);
        lane->compile_wait_ns += clock_now_ns() - started_ns;
        return status;
    }
    /* Inputs and expected results are made while others compile. */
    status = inputs_send(work, &sweep->inputs, lane, true, error);
    if (!lane->lost && status != STATUS_NO_TIME)
        return status;
    error_clear(error); /* the loop ends by itself */
    return STATUS_OK;
}

/* So many failures alone make success unlikely. */
enum { FAILURES_ENOUGH = 16 };

/* Counts tried candidates other than baselines; *works: one of them does. */
static size_t others_tried(const struct sweep *sweep, bool *works)
{
    size_t count = 0;
    *works = false;
    for (size_t i = 0; i < sweep->candidates.count; i++) {
        const struct candidate *candidate = sweep->candidates.items[i];
        if (candidate->wanted & WANTED_BASELINE || candidate->state != CANDIDATE_DONE)
            continue;
        *works = *works || candidate_works(candidate);
        count += candidate->status != TRIAL_SKIPPED;
    }
    return count;
}

bool sweep_has_contenders(const struct work *work, const struct sweep *sweep)
{
    bool works = false;
    const bool enough = others_tried(sweep, &works) >= FAILURES_ENOUGH;
    return works || enough || sweep->searched_all || work->options->pick_count > 0 ||
           work->options->budget_ns == 0;
}

/* Returns whether the sweep's time is spent. A problem once begun should get an answer: the sweep
 * exceeds the share until a candidate other than the baselines works, unless many failures make
 * that unlikely, or later stages would end too late. */
static bool is_spent(const struct work *work, struct sweep *sweep)
{
    const struct session *session = work->session;
    const struct allowance *allowance = &sweep->allowance;
    bool works = false;
    if (budget_sweep_ended(work->group, allowance))
        return true;
    if (!sweep->best || sweep->window.baselines_left > 0 || allowance->sweep_end_ns == 0)
        return false;
    const bool over = budget_over(session, STAGE_SWEEP, allowance->sweep_end_ns);
    if (!over && (!window_waits(work, sweep) || budget_awaits_compilers(work->group, allowance)))
        return false;
    const bool many = others_tried(sweep, &works) >= FAILURES_ENOUGH;
    if (!works)
        return many && budget_over(session, STAGE_SWEEP, allowance->race_end_ns);
    sweep->window.is_closed = over && allowance->tries_few && sweep->window.count > 0 &&
                              budget_awaits_compilers(work->group, allowance);
    session->summary->cut_short |= 1U << STAGE_SWEEP;
    return !sweep->window.is_closed;
}

/* Runs a lane's part of a sweep, with the mutex held. */
static enum status lane_loop(struct sweeping *sweeping, struct lane *lane, struct error *error)
{
    const struct work *work = sweeping->work;
    struct sweep *sweep = sweeping->sweep;
    bool idle = false;
    while (!idle && !lane->lost && !sweeping->failed && !is_spent(work, sweep)) {
        if (session_stopped(work->session))
            return session_stop_error(error);
        enum status status = lane_step(work, sweep, lane, &idle, error);
        if (status != STATUS_OK) {
            sweeping->failed = true;
            return status;
        }
    }
    sweep->searched_all = sweep->searched_all || idle;
    return STATUS_OK;
}

static void *run_lane(void *context)
{
    struct lane_share *share = context;
    pthread_mutex_t *mutex = &share->lane->site->session->mutex;
    (void)pthread_mutex_lock(mutex);
    share->status = lane_loop(share->sweeping, share->lane, &share->error);
    share->lane->at_work = false;
    (void)pthread_mutex_unlock(mutex);
    return NULL;
}

void sweep_admit(struct sweeping *sweeping, struct lane *lane)
{
    struct lane_share *share = &sweeping->shares[sweeping->share_count];
    if (lane->lost || lane->at_work || sweeping->share_count == SWEEP_SHARES_MAX)
        return;
    *share = (struct lane_share){.sweeping = sweeping, .lane = lane};
    if (pthread_create(&share->thread, NULL, run_lane, share) != 0)
        return;
    lane->at_work = true;
    sweeping->share_count++;
}

/* Runs all lanes at once, including those that join later: the first in this thread, the others in
 * threads of their own. */
static enum status run_lanes(struct sweeping *sweeping, struct error *error)
{
    struct group *group = sweeping->work->group;
    pthread_mutex_t *mutex = &group->session->mutex;
    struct lane *first = NULL;
    TRY(group_await_lane(group, &first, error));
    first->at_work = true;
    sweeping->share_count = 0;
    for (size_t i = 0; i < group->lane_count; i++)
        sweep_admit(sweeping, group->lanes[i]);
    group->sweeping = sweeping;
    enum status status = lane_loop(sweeping, first, error);
    first->at_work = false;
    for (size_t i = 0; i < sweeping->share_count; i++) {
        const struct lane_share *share = &sweeping->shares[i];
        (void)pthread_mutex_unlock(mutex);
        (void)pthread_join(share->thread, NULL);
        (void)pthread_mutex_lock(mutex);
        status = first_failure(status, share->status, &share->error, error);
    }
    group->sweeping = NULL;
    return status;
}

/* Trials within this share of the best are the useful ones. */
static const double near_the_best = 0.02;

/* Adds counts to the summary and the store, also after a stop. */
static enum status sum_up(const struct work *work, const struct sweep *sweep,
                          struct store_search *row, enum status status, struct error *error)
{
    struct session_summary *summary = work->session->summary;
    row->run_id = work->group->lanes[0]->run_id;
    row->problem_id = work->problem_id;
    row->asked = work->options->strategy ? work->options->strategy : "auto";
    row->strategy = sweep->strategy ? sweep->strategy : "";
    row->product_count = space_product_count(sweep->space);
    row->space_count = sweep->space_count;
    row->points_most = sweep->allowance.points_most;
    row->trials = sweep->measured;
    row->unlaunchable = sweep->unlaunchable;
    row->duplicates = sweep->duplicates;
    row->failures = sweep->failures;
    for (size_t i = 0; i < sweep->candidates.count; i++) {
        const struct candidate *candidate = sweep->candidates.items[i];
        row->points += candidate->state == CANDIDATE_DONE && candidate->point != NO_POINT;
        row->sweep_ns += candidate->spent_ns;
        if (sweep->best && candidate->median_ns <= sweep->best->median_ns * (1 + near_the_best))
            row->near_ns += candidate->spent_ns;
    }
    summary->points += row->points;
    summary->unlaunchable += sweep->unlaunchable;
    summary->duplicates += sweep->duplicates;
    if (!sweep->strategy || (status != STATUS_OK && status != STATUS_INTERRUPTED))
        return status;
    if (!summary->strategy)
        summary->strategy = row->strategy;
    else if (strcmp(summary->strategy, row->strategy) != 0)
        summary->strategy = "several strategies";
    struct error storing = {0};
    return first_failure(status, store_search_put(work->store, row, &storing), &storing, error);
}

/* Measures while there are candidates and time; again if a lost lane left candidates to the others.
 */
static enum status measure_all(const struct work *work, struct sweep *sweep, struct error *error)
{
    struct group *group = work->group;
    TRY(sweep_add_baselines(work, sweep, error));
    sweep->allowance.baselines = sweep->candidates.count;
    budget_share(group, &sweep->allowance);
    const double needed_ns = budget_needed_ns(group, &sweep->allowance);
    if (needed_ns > 0 && group->costs.problems + group->swept_count == 0)
        session_note(work->session,
                     "the budget may be too short to compare energies: give at least %.0fs, or a "
                     "shorter window (--set energy_window_ms=...), or fewer sizes",
                     ceil(needed_ns / 1e9));
    TRY(sweep_take_known(work, sweep, error));
    TRY(window_start(work, sweep, error));
    struct sweeping *sweeping = calloc(1, sizeof *sweeping);
    if (!sweeping)
        return error_no_memory(error);
    sweeping->work = work;
    sweeping->sweep = sweep;
    group->position.strategy = sweep->strategy = search_strategy(sweep->search);
    enum status status = STATUS_OK;
    do {
        status = run_lanes(sweeping, error);
    } while (status == STATUS_OK && sweep->window.count > 0 && !is_spent(work, sweep));
    free(sweeping);
    /* The next problem's binaries need not wait for those whose compilation has not begun. */
    uint64_t tag = 0;
    while (compile_pool_withdraw(group->binaries.pool, &tag))
        group->binaries.items[tag].state = BINARY_KNOWN;
    if (status != STATUS_NO_TIME)
        return status;
    error_clear(error);
    return STATUS_OK;
}

enum status sweep_problem(const struct work *work, struct sweep *sweep, struct error *error)
{
    struct store_search row = {.chance_of_better = (double)NAN, .most_better = (double)NAN};
    enum status status = measure_all(work, sweep, error);
    if (status == STATUS_OK) {
        struct search *search = sweep->search;
        struct session_summary *summary = work->session->summary;
        if (search_was_misled(search) && is_first_problem(&summary->misled))
            problem_note(
                work->session, &work->problem,
                "results from elsewhere did not hold here: the search continued without them");
        row.chance_of_better = search_chance_of_better(search, 0.01);
        row.most_better = search_most_better(search, 0.1);
        if (search_learns_from_elsewhere(search) && !isnan(row.chance_of_better) &&
            is_first_problem(&summary->modelled))
            problem_note(
                work->session, &work->problem,
                "by the search's model, the chance that an untried configuration is more than 1 %% "
                "better is %.0f %%, and with 90 %% none is better by more than %.2g %%",
                100 * row.chance_of_better, 100 * row.most_better);
    }
    sweep->chance_of_better = row.chance_of_better;
    sweep->most_better = row.most_better;
    struct session_summary *summary = work->session->summary;
    char key[CONFIGURATION_KEY_BYTES];
    bool found = false;
    for (size_t i = 0; !found && i < sweep->candidates.count; i++) {
        const struct candidate *candidate = sweep->candidates.items[i];
        found = candidate->wanted & WANTED_BASELINE && candidate->state == CANDIDATE_DONE &&
                candidate->status != TRIAL_OK && candidate->status != TRIAL_SKIPPED;
        if (found && is_first_problem(&summary->baselines_failed))
            (void)string_format(summary->baseline_failure, sizeof summary->baseline_failure,
                                "%s, '%s': %s",
                                problem_name(work->problem.key, work->problem.n).text,
                                candidate_key(&sweep->candidates, candidate, key),
                                trial_status_name(candidate->status));
    }
    candidates_settle(&sweep->candidates);
    window_end(sweep);
    return sum_up(work, sweep, &row, status, error);
}
