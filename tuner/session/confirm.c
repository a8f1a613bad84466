/* The winner: races until a finalist is right, and the confirmation, which measures the finalists
 * of all problems again in fresh processes, so that no accident of one process decides. */
#include <math.h>
#include <string.h>

#include "tuner/base/clock.h"
#include "tuner/session/check.h"

/* Share of confirmed problems with a new winner. */
static const double won_anew = 0.4;

/* Returns whether any finalist may still win; with `fast`, any that the race did not show to be
 * slow. */
static bool has_finalist(const struct contest *contest, bool fast)
{
    for (size_t i = 0; i < contest->finalist_count; i++)
        if (finalist_can_win(&contest->finalists[i]) && !(fast && contest->finalists[i].raced_out))
            return true;
    return false;
}

static size_t count_rejected(const struct sweep *sweep)
{
    size_t count = 0;
    for (size_t i = 0; i < sweep->candidates.count; i++)
        count += sweep->candidates.items[i]->rejected ? 1 : 0;
    return count;
}

/* Races until a finalist passes the gauntlet, or until no candidate is left. */
static enum status race_until_right(struct contest *contest, struct lane *lane, struct error *error)
{
    struct sweep *sweep = contest->sweep;
    for (;;) {
        size_t rejected = count_rejected(sweep);
        (void)lane_enter_stage(lane, STAGE_RACE);
        enum status status = contest_race(contest, lane, error);
        (void)lane_enter_stage(lane, STAGE_CHECK);
        const struct group *group = contest->work.group;
        if (status == STATUS_OK &&
            group->spaces.next == group->spaces.count) /* after the last problem's race */
            budget_reserve(lane, contest->work.protocol->confirm_processes);
        if (status == STATUS_OK)
            status = contest_check(contest, lane, contest_process_ns(contest), error);
        bool inputs_blamed = false;
        if (status == STATUS_OK && !has_finalist(contest, true))
            status = contest_blame_inputs(contest, lane, &inputs_blamed, error);
        (void)lane_enter_stage(lane, STAGE_RACE);
        if (status != STATUS_OK || has_finalist(contest, true) ||
            (!inputs_blamed && count_rejected(sweep) == rejected))
            return status;
        contest_reset(contest);
    }
}

enum status contest_compete_on(void *context, struct lane *lane, struct error *error)
{
    struct competing *competing = context;
    struct contest *contest = competing->contest;
    bool *found = &competing->found;
    *found = false;
    enum status status = contest_doubt_reference(contest, lane, error);
    for (bool all_were_wrong = status == STATUS_OK && !contest->unsupported; all_were_wrong;) {
        size_t rejected = count_rejected(contest->sweep);
        contest_reset(contest);
        *found = false;
        status = race_until_right(contest, lane, error);
        bool raced = status == STATUS_OK && has_finalist(contest, true);
        if (status == STATUS_OK)
            status = contest_choose(contest, lane, "race", found, error);
        /* If all were wrong under the watch, the next ones race. */
        bool inputs_blamed = false;
        bool all_are_out = status == STATUS_OK && raced && !*found && !has_finalist(contest, true);
        if (all_are_out)
            status = contest_blame_inputs(contest, lane, &inputs_blamed, error);
        all_were_wrong = status == STATUS_OK && all_are_out &&
                         (inputs_blamed || count_rejected(contest->sweep) > rejected);
    }
    for (size_t i = 0; i < contest->finalist_count; i++)
        slot_drop_samples(&contest->finalists[i].slot); /* already in the store */
    return status;
}

enum status contest_compete(struct contest *contest, bool *found, struct error *error)
{
    struct competing competing = {.contest = contest};
    enum status status = on_some_lane(contest->work.group, contest_compete_on, &competing, error);
    *found = competing.found;
    return status;
}

/* ---- confirmation ---- */

/* One device's part of the confirmation: contests, each of which is on one device. */
struct confirming {
    struct group *group;
    size_t place; /* number of the part */
    struct lane *lane;
    int process;
    struct lane_job job;
};

/* Returns whether the contest is confirmed in this part. The place is compared first, since another
 * device changes the rest of those contests meanwhile. */
static bool takes_part(const struct confirming *confirming, const struct contest *contest)
{
    return contest->place == confirming->place && !contest->confirmed && !contest->left_out &&
           has_finalist(contest, false);
}

/* Returns the rounds of a confirming process. */
static size_t confirm_rounds(const struct work *work)
{
    return objective_needs_energy(work->objective) ? 1 : (size_t)work->protocol->confirm_rounds;
}

static enum status measure_process(struct confirming *confirming, struct contest *contest,
                                   struct track *track, const bool *wanted, struct error *error)
{
    TRY(track_begin(&contest->work, track, false, error));
    /* The incumbent or the winner so far is the twin. */
    size_t twin = contest->finalist_count;
    for (size_t i = contest->finalist_count; i > 0; i--)
        if (strcmp(contest->finalists[i - 1].key, contest->winner.key) == 0)
            twin = i - 1;
    for (size_t i = contest->finalist_count; i > 0; i--)
        if (contest->finalists[i - 1].is_incumbent)
            twin = i - 1;
    TRY(track_rounds(&contest->work, track, wanted, twin, confirm_rounds(&contest->work), error));
    TRY(contest_count_rounds(contest, track, error));
    TRY(contest_set_levels(contest, track, contest->processes, 0, track->round_count, error));
    TRY(contest_time_states(contest, confirming->lane, confirming->process, error));
    contest->processes++;
    contest->levels = contest->processes;
    /* Half of the processes settle slower finalists if that is at least four: intervals of fewer
     * are too wide. Runs of a few configurations need the interval of each. */
    enum { FEWEST = 4 };
    const size_t half = (size_t)contest->work.protocol->confirm_processes / 2;
    if (contest->processes == half && half >= FEWEST && contest->work.options->pick_count == 0)
        TRY(contest_settle_slower(contest, error));
    return STATUS_OK;
}

static enum status confirm_in(struct confirming *confirming, struct contest *contest,
                              struct arena *arena, struct error *error)
{
    bool *wanted = arena_alloc(arena, contest->finalist_count + 1, sizeof *wanted);
    struct track track = contest_track(contest, confirming->lane, "confirm");
    if (!wanted || !track.slots)
        return error_no_memory(error);
    track.process = confirming->process;
    track.random.seed = confirming->group->session->options->seed ^
                        (uint64_t)contest->work.problem.n ^ ((uint64_t)confirming->process << 32);
    for (size_t i = 0; i < contest->finalist_count; i++)
        wanted[i] = !contest->finalists[i].rejection && !contest->finalists[i].settled;
    enum status status = measure_process(confirming, contest, &track, wanted, error);
    if (status == STATUS_OK || status == STATUS_INTERRUPTED || status == STATUS_NO_TIME)
        status = contest_keep(contest, &track, CACHE_STATES, status, error);
    track_free(&track);
    return status;
}

/* Returns a contest's time in one process: the last process's, or else the set-up of the inputs and
 * the rounds at the race's last cost of a visit. */
double contest_process_ns(const struct contest *contest)
{
    size_t visits = 1; /* the twin's */
    if (contest->process_ns > 0)
        return (double)contest->process_ns;
    for (size_t i = 0; i < contest->finalist_count; i++)
        visits += contest->finalists[i].rejection ? 0 : 1;
    size_t rounds = confirm_rounds(&contest->work);
    for (size_t s = 0; s < CACHE_STATES; s++)
        rounds += contest_state(contest, s) ? (size_t)contest->work.protocol->state_rounds : 0;
    return (double)contest->sweep->inputs.setup_ns +
           (double)contest->visit_ns * (double)visits * (double)rounds;
}

/* Returns the cost of one more process over all contests of the part. */
static double processes_ns(const struct confirming *confirming)
{
    const struct group *group = confirming->group;
    double sum_ns = budget_start_ns(confirming->lane);
    for (const struct contest *contest = group->contests; contest; contest = contest->next)
        sum_ns += takes_part(confirming, contest) ? contest_process_ns(contest) : 0;
    return sum_ns;
}

/* Returns the cost of the choice after the last process, in which new winners are watched. */
static double settle_ns(const struct confirming *confirming)
{
    const struct group *group = confirming->group;
    double count = 0;
    for (const struct contest *contest = group->contests; contest; contest = contest->next)
        count += takes_part(confirming, contest) ? won_anew : 0;
    size_t watched = group->costs.problems > 0 ? group->costs.problems : 1;
    return count * (double)group->parallel_lanes * (double)stage_ns(group, STAGE_WATCH) /
           (double)watched;
}

/* Leaves the costliest contests to the next run until two processes fit into the budget, since one
 * alone confirms nothing. Returns whether any contest is left. */
static bool choose_contests(const struct confirming *confirming)
{
    const struct group *group = confirming->group;
    for (;;) {
        struct contest *costliest = NULL;
        for (struct contest *contest = group->contests; contest; contest = contest->next)
            if (takes_part(confirming, contest) &&
                (!costliest || contest_process_ns(contest) > contest_process_ns(costliest)))
                costliest = contest;
        if (!costliest ||
            budget_fits(group, STAGE_CONFIRM, 2 * processes_ns(confirming) + settle_ns(confirming)))
            return costliest != NULL;
        costliest->left_out = true;
    }
}

/* Runs one fresh process over the part's contests, the last first: large inputs of a kind also
 * serve smaller sizes. */
static enum status one_process(struct confirming *confirming, struct error *error)
{
    struct group *group = confirming->group;
    struct lane *lane = confirming->lane;
    struct arena scratch = {0};
    double spent_ns = 0; /* spent again by a second process */
    const int64_t processes = group->session->options->protocol.confirm_processes;
    const bool is_spare = worker_head(lane->worker)->spares > 0;
    int64_t left_ns = lane_leave(lane);
    int64_t started_ns = clock_budget_ns();
    enum status status = worker_fresh(lane->worker, error);
    lane_enter(lane, left_ns, &lane->measuring_ns);
    group->costs.fresh_ns =
        clock_budget_ns() - started_ns + (is_spare ? group->costs.spared_ns : 0);
    lane->known = NULL;
    if (status != STATUS_OK)
        return lane_lose(lane, error);
    if (budget_fits(group, STAGE_CONFIRM, 2 * processes_ns(confirming) + settle_ns(confirming)))
        budget_reserve(lane, processes - confirming->process);
    for (struct contest *contest = group->last_contest; status == STATUS_OK && contest;
         contest = contest->previous) {
        if (!takes_part(confirming, contest))
            continue;
        bool first = confirming->process == 1;
        double again_ns =
            first ? budget_start_ns(lane) + spent_ns + contest_process_ns(contest) : 0;
        if (!budget_fits(group, STAGE_CONFIRM,
                         contest_process_ns(contest) + again_ns + settle_ns(confirming))) {
            contest->left_out |= first;
            continue;
        }
        started_ns = clock_budget_ns();
        group->position.problem_key = contest->work.problem.key;
        group->position.n = contest->work.problem.n;
        group->position.best_ns = (double)NAN;
        group->position.best_key = contest->winner.key;
        group->position.rounds = group->position.dropped = 0;
        group->session->progress.process = confirming->process;
        group->session->progress.process_count = (int)processes;
        session_progress(group, "confirm");
        status = confirm_in(confirming, contest, &scratch, error);
        contest->process_ns = clock_budget_ns() - started_ns;
        spent_ns += (double)contest->process_ns;
        arena_free(&scratch);
    }
    arena_free(&scratch);
    return status;
}

/* Chooses the winner after at least two processes, since one alone confirms nothing, and drops a
 * winner that was wrong. */
static enum status settle(struct contest *contest, struct lane *lane, struct error *error)
{
    bool found = false;
    if (contest->processes >= 2)
        TRY(contest_choose(contest, lane, "confirm", &found, error));
    bool winner_is_out = false;
    for (size_t i = 0; i < contest->finalist_count; i++)
        winner_is_out |= !finalist_can_win(&contest->finalists[i]) &&
                         strcmp(contest->finalists[i].key, contest->winner.key) == 0;
    if (found || !winner_is_out)
        return STATUS_OK;
    contest->winner.announced = false;
    return store_winner_drop(contest->work.store, contest->work.environment_id,
                             contest->work.problem_id, contest->work.options->l2_mode,
                             objective_text(contest->work.objective), error);
}

/* Runs the processes: the second as far as the budget goes, later ones only if time is left. */
static enum status run_processes(struct confirming *confirming, struct error *error)
{
    struct group *group = confirming->group;
    int64_t processes = group->session->options->protocol.confirm_processes;
    enum status status = STATUS_OK;
    if (!choose_contests(confirming))
        return STATUS_OK;
    for (int p = 1; status == STATUS_OK && p <= processes; p++) {
        if (!budget_fits(group, STAGE_CONFIRM,
                         settle_ns(confirming) + (p > 2 ? processes_ns(confirming) : 0)))
            break;
        confirming->process = p;
        status = one_process(confirming, error);
    }
    if (status != STATUS_NO_TIME)
        return status;
    error_clear(error);
    return STATUS_OK;
}

/* Races the next candidates of contests whose finalists were all wrong; *more_raced: a new winner
 * needs a confirmation. */
static enum status race_again(struct group *group, bool *more_raced, struct error *error)
{
    enum status status = STATUS_OK;
    *more_raced = false;
    for (struct contest *contest = group->contests; contest; contest = contest->next) {
        bool found = false;
        bool none =
            !contest->confirmed && contest->finalist_count > 0 && !has_finalist(contest, false);
        contest->confirmed = true;
        if (status != STATUS_OK || !none)
            continue;
        status = contest_compete(contest, &found, error);
        contest->confirmed = !found;
        *more_raced |= found;
    }
    return status;
}

/* Rejects candidates that were wrong at another size of the problem, and races the next ones if
 * these include a winner. *more: another candidate has won. */
static enum status drop_refuted(struct group *group, bool *more, struct error *error)
{
    enum status status = STATUS_OK;
    for (struct contest *contest = group->contests; status == STATUS_OK && contest;
         contest = contest->next) {
        const struct work *work = &contest->work;
        bool is_out = false;
        bool found = false;
        status = sweep_take_refuted(work, contest->sweep, error);
        for (size_t i = 0; status == STATUS_OK && i < contest->finalist_count; i++) {
            struct finalist *finalist = &contest->finalists[i];
            if (finalist->rejection || !finalist->slot.candidate->rejected)
                continue;
            finalist->rejection = finalist->slot.candidate->rejected;
            contest_note_rejection(contest, finalist);
            is_out |= strcmp(finalist->key, contest->winner.key) == 0;
        }
        if (status != STATUS_OK || !is_out)
            continue;
        contest->winner.announced = false;
        status = store_winner_drop(work->store, work->environment_id, work->problem_id,
                                   work->options->l2_mode, objective_text(work->objective), error);
        if (status == STATUS_OK && !budget_ended(work->session, STAGE_CONFIRM) && group_lane(group))
            status = contest_compete(contest, &found, error);
        if (status == STATUS_NO_TIME) {
            error_clear(error);
            status = STATUS_OK;
        }
        contest->confirmed = !found;
        *more |= found;
    }
    return status;
}

static enum status confirm_on(void *context, struct lane *lane, struct error *error)
{
    struct confirming *confirming = context;
    confirming->lane = lane;
    for (struct contest *contest = confirming->group->contests; contest; contest = contest->next)
        if (contest->place == confirming->place && !contest->confirmed) {
            /* The race's measurements are in the store; another stage begins. */
            for (size_t i = 0; i < contest->finalist_count; i++) {
                contest->finalists[i].slot.sample_count = 0;
                contest->finalists[i].slot.spent_ns = 0;
                contest->finalists[i].raced_out = false;
                contest->finalists[i].settled = false;
            }
            contest_reset_states(contest);
            contest->twins.count = 0;
            contest->processes = 0;
            contest->left_out = false;
        }
    enum status status = run_processes(confirming, error);
    if (lane->worker)
        worker_end_spares(lane->worker);
    for (struct contest *contest = confirming->group->contests; contest; contest = contest->next) {
        struct error settling = {0};
        if (contest->place == confirming->place && !contest->confirmed)
            status = first_failure(status, settle(contest, lane, &settling), &settling, error);
    }
    return status;
}

/* Assigns the costliest contests first, each to the part with the least load. Returns the number of
 * parts used. */
static size_t place_contests(const struct group *group)
{
    enum { UNPLACED = SESSION_DEVICES_MAX };
    double part_ns[SESSION_DEVICES_MAX] = {0};
    const size_t parts = group_width(group);
    size_t used = 0;
    for (struct contest *contest = group->contests; contest; contest = contest->next)
        contest->place = UNPLACED;
    for (;;) {
        struct contest *costliest = NULL;
        size_t place = 0;
        for (struct contest *contest = group->contests; contest; contest = contest->next)
            if (!contest->confirmed && contest->place == UNPLACED &&
                (!costliest || contest_process_ns(contest) > contest_process_ns(costliest)))
                costliest = contest;
        if (!costliest)
            return used;
        for (size_t i = 1; i < parts; i++)
            place = part_ns[i] < part_ns[place] ? i : place;
        costliest->place = place;
        part_ns[place] += contest_process_ns(costliest) + 1;
        used = place >= used ? place + 1 : used;
    }
}

/* Confirms all contests, each problem on one device, all devices at once. */
enum status group_confirm(struct group *group, struct error *error)
{
    struct confirming parts[SESSION_DEVICES_MAX];
    const bool confirms = group->session->options->protocol.confirm_processes > 0;
    for (bool more_raced = group->contests != NULL; more_raced;) {
        bool more = false;
        TRY(drop_refuted(group, &more, error));
        more_raced = more;
        if (!confirms)
            continue;
        const size_t count = place_contests(group);
        for (size_t i = 0; i < count; i++)
            parts[i] =
                (struct confirming){.group = group,
                                    .place = i,
                                    .job = {.task = confirm_on,
                                            .context = &parts[i],
                                            .next = i + 1 < count ? &parts[i + 1].job : NULL}};
        group_do(group, count > 0 ? &parts[0].job : NULL);
        enum status status = STATUS_OK;
        for (size_t i = 0; i < count; i++)
            status = first_failure(status, parts[i].job.status, &parts[i].job.error, error);
        TRY(status);
        TRY(race_again(group, &more_raced, error));
        TRY(drop_refuted(group, &more_raced, error));
    }
    return STATUS_OK;
}
