/* The race: rounds of all possible winners, without candidates that are shown to be slower. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/clock.h"
#include "tuner/session/contest.h"
#include "tuner/stats/race.h"

/* Least rounds, also of a single finalist, for its time and its twin; and the finalists that are
 * kept for their mean over the states of the cache. */
enum { ROUNDS_MIN = 8, SCREENED_KEPT = 4 };

struct racing {
    struct contest *contest;
    struct race *race;
    struct track track;
    bool *wanted;
};

/* Returns the contender that is measured twice: the incumbent while in the race, else the leader.
 */
static size_t twin_of(const struct racing *racing)
{
    const struct contest *contest = racing->contest;
    for (size_t i = 0; i < contest->finalist_count; i++)
        if (contest->finalists[i].is_incumbent &&
            contest->finalists[i].slot.outcome.status == TRIAL_OK)
            return race_fate(racing->race, i) == RACE_ALIVE ? i : race_leader(racing->race);
    return race_leader(racing->race);
}

static enum status one_round(struct racing *racing, struct error *error)
{
    struct track *track = &racing->track;
    struct contest *contest = racing->contest;
    int64_t started_ns = clock_budget_ns();
    const struct protocol *protocol = contest->work.protocol;
    bool screening =
        !objective_needs_energy(contest->work.objective) &&
        race_valid_rounds(racing->race) < (size_t)protocol->screen_rounds[PROTOCOL_SCREENS - 1];
    track->blocks = contest_blocks(contest, screening);
    size_t visits = 1; /* the twin's */
    for (size_t i = 0; i < track->count; i++) {
        racing->wanted[i] = race_fate(racing->race, i) == RACE_ALIVE;
        visits += racing->wanted[i] ? 1 : 0;
    }
    enum status status = track_race_round(&contest->work, track, racing->race, racing->wanted,
                                          twin_of(racing), error);
    contest->visit_ns = (clock_budget_ns() - started_ns) * contest_blocks(contest, false) /
                        track->blocks / (int64_t)visits;
    return status;
}

/* Returns whether too many rounds were dropped to make up for: a machine that spoils all rounds is
 * reported. */
static bool too_many_dropped(const struct racing *racing)
{
    const struct protocol *protocol = &racing->contest->work.options->protocol;
    size_t rounds = racing->track.round_count;
    size_t dropped = rounds - race_valid_rounds(racing->race);
    const double most = fmin(2 * protocol->dropped_most, (1 + protocol->dropped_most) / 2);
    return rounds >= ESTIMATE_MAX || (dropped > 8 && (double)dropped > most * (double)rounds);
}

static enum status run_race(struct racing *racing, struct error *error)
{
    struct group *group = racing->contest->work.group;
    int64_t end_ns = budget_race_end_ns(group, &racing->contest->sweep->allowance);
    const int64_t left_ns = end_ns - clock_budget_ns();
    const int64_t share_ns = racing->contest->sweep->allowance.share_ns;
    if (end_ns != 0 && left_ns > 0 && contest_state(racing->contest, 0))
        end_ns -= left_ns / 4; /* for the other states of the cache */
    while (!(race_over(racing->race) && race_valid_rounds(racing->race) >= ROUNDS_MIN) &&
           race_alive(racing->race) > 0 && !too_many_dropped(racing)) {
        if (session_stopped(group->session))
            return session_stop_error(error);
        TRY(one_round(racing, error));
        (void)race_judge(racing->race, false);
        contest_progress(racing->contest, "race");
        /* On a busy machine a round takes seconds, and few are valid. */
        const size_t valid = race_valid_rounds(racing->race);
        const bool is_late =
            valid >= 1 && budget_over(group->session, STAGE_RACE, end_ns + share_ns);
        const bool enough = valid >= 3 || racing->track.round_count >= ROUNDS_MIN || is_late;
        if (budget_over(group->session, STAGE_RACE, end_ns) && enough)
            break;
    }
    (void)race_judge(racing->race, true);
    return STATUS_OK;
}

/* Measures energy, which takes a window each: few candidates, few rounds, none leaves. A round that
 * would not end in time does not begin. */
static enum status run_windows(struct racing *racing, struct error *error)
{
    struct group *group = racing->contest->work.group;
    int64_t rounds = racing->contest->work.protocol->energy_rounds;
    int64_t end_ns = budget_race_end_ns(group, &racing->contest->sweep->allowance);
    for (int64_t i = 0; i < rounds; i++) {
        if (session_stopped(group->session))
            return session_stop_error(error);
        const int64_t begun_ns = clock_budget_ns();
        TRY(one_round(racing, error));
        contest_progress(racing->contest, "race");
        group->costs.energy_visit_ns = racing->contest->visit_ns;
        const int64_t round_ns = clock_budget_ns() - begun_ns;
        if (end_ns > 0 && i + 1 < rounds &&
            budget_over(group->session, STAGE_RACE, end_ns - round_ns))
            break;
    }
    return STATUS_OK;
}

/* Returns the fixed order of the finalists, which the caller frees; NULL: no memory. */
static size_t *order_of(const struct contest *contest)
{
    size_t *order = calloc(contest->finalist_count + 1, sizeof *order);
    for (size_t i = 0; order && i < contest->finalist_count; i++)
        order[i] = contest->finalists[i].contender.order;
    return order;
}

/* Marks the finalists that go on: the fastest, the first in the fixed order of those that look as
 * fast, so that another tuning finds the same ones, the incumbent and the baselines. */
static enum status pick(const struct racing *racing, bool *chosen, struct error *error)
{
    const struct contest *contest = racing->contest;
    size_t count = contest->finalist_count;
    size_t most = (size_t)contest->work.protocol->finalists, screened = 0;
    most = budget_finalists(contest->work.group, &contest->sweep->allowance, most);
    for (size_t i = 0; i < count; i++)
        screened += contest->finalists[i].screened;
    most -= screened < most ? screened : most - 1;
    size_t *order = order_of(contest);
    size_t *picked = calloc(most + 1, sizeof *picked);
    size_t taken = 0;
    enum status status = order && picked ? STATUS_OK : error_no_memory(error);
    if (status == STATUS_OK)
        status = race_finalists(racing->race, order, most, picked, &taken, error);
    for (size_t i = 0; status == STATUS_OK && i < taken; i++)
        chosen[picked[i]] = true;
    for (size_t i = 0; i < count; i++) {
        const struct finalist *finalist = &contest->finalists[i];
        if (finalist->slot.outcome.status == TRIAL_OK &&
            (finalist->is_baseline || finalist->is_incumbent || finalist->screened))
            chosen[i] = true;
    }
    free(order);
    free(picked);
    return status;
}

/* Returns whether the race compared the candidate, which then has an interval. */
static bool is_seen(const struct racing *racing, size_t index)
{
    enum race_fate fate = race_fate(racing->race, index);
    return fate == RACE_ALIVE || fate == RACE_LOST || fate == RACE_BEHIND;
}

/* Keeps the chosen finalists, and remembers the others that the race compared. */
static enum status reduce(struct racing *racing, const bool *chosen, struct error *error)
{
    struct contest *contest = racing->contest;
    size_t kept = 0;
    size_t seen = 0;
    for (size_t i = 0; i < contest->finalist_count; i++)
        seen += is_seen(racing, i);
    contest->others = arena_alloc(&contest->arena, seen + 1, sizeof *contest->others);
    if (!contest->others)
        return error_no_memory(error);
    for (size_t i = 0; i < contest->finalist_count; i++) {
        struct finalist *finalist = &contest->finalists[i];
        if (!chosen[i]) {
            if (is_seen(racing, i)) {
                struct interval difference = finalist->raced;
                bool in = race_fate(racing->race, i) != RACE_LOST;
                contest->others[contest->other_count++] = (struct store_contender){
                    .configuration_id = finalist->slot.candidate->configuration_id,
                    .trial_id = finalist->trial_id,
                    .difference = difference.estimate,
                    .difference_low = difference.low,
                    .difference_high = difference.high,
                    .proven = false,
                    .tied = in && difference.low <= race_delta(racing->race),
                };
            }
            finalist_free(finalist);
            continue;
        }
        struct finalist copy = *finalist;
        if (kept != i)
            *finalist = (struct finalist){0};
        contest->finalists[kept++] = copy;
    }
    contest->finalist_count = kept;
    contest_shrink(contest);
    return STATUS_OK;
}

static enum status run_rounds(struct racing *racing, struct error *error)
{
    struct contest *contest = racing->contest;
    const struct work *work = &contest->work;
    TRY(track_begin(work, &racing->track, true, error));
    TRY(finalists_order(work, contest->finalists, contest->finalist_count, error));
    if (work->options->pick_count == 0) { /* a run of a few configurations needs each interval */
        size_t *order = order_of(contest);
        enum status status =
            order ? race_set_order(racing->race, order, error) : error_no_memory(error);
        free(order);
        TRY(status);
    }
    return objective_needs_energy(work->objective) ? run_windows(racing, error)
                                                   : run_race(racing, error);
}

static enum status race_with(struct racing *racing, struct lane *lane, struct error *error)
{
    struct contest *contest = racing->contest;
    const struct session_options *options = contest->work.options;
    racing->track = contest_track(contest, lane, "race");
    racing->track.random.seed =
        options->seed ^ (uint64_t)contest->work.problem.n ^ UINT64_C(0x7261636572);
    racing->wanted = calloc(contest->finalist_count + 1, sizeof *racing->wanted);
    if (!racing->track.slots || !racing->wanted)
        return error_no_memory(error);
    TRY(race_create(&options->protocol, contest->finalist_count, &racing->race, error));
    enum status status = run_rounds(racing, error);
    if (status == STATUS_OK || status == STATUS_INTERRUPTED || status == STATUS_NO_TIME)
        status = contest_keep(contest, &racing->track, CACHE_STATES, status, error);
    TRY(status);
    TRY(contest_count_rounds(contest, &racing->track, error));
    const struct sweep *sweep = contest->sweep;
    bool needs_energy = objective_needs_energy(contest->work.objective);
    bool *chosen = calloc(contest->finalist_count + 1, sizeof *chosen);
    if (!chosen)
        return error_no_memory(error);
    for (size_t i = 0; i < contest->finalist_count; i++) {
        struct finalist *finalist = &contest->finalists[i];
        finalist->raced_out = race_fate(racing->race, i) != RACE_ALIVE;
        finalist->raced = race_difference(racing->race, i);
        chosen[i] = needs_energy && finalist->slot.outcome.status == TRIAL_OK;
    }
    if (!budget_over(contest->work.session, STAGE_RACE,
                     budget_race_end_ns(contest->work.group, &sweep->allowance)))
        TRY_OR_CLEANUP(contest_screen_states(contest, racing->track.lane, SCREENED_KEPT, error));
    TRY_OR_CLEANUP(pick(racing, chosen, error));
    /* Each part of the race stands for a process; for energy, each round. */
    size_t rounds = racing->track.round_count;
    size_t parts = needs_energy ? rounds : RACE_PARTS;
    parts = parts > LEVELS_MAX ? LEVELS_MAX : parts;
    parts = parts > rounds ? rounds : parts;
    for (size_t i = 0; i < parts; i++)
        TRY_OR_CLEANUP(contest_set_levels(contest, &racing->track, i, rounds * i / parts,
                                          rounds * (i + 1) / parts, error));
    contest->levels = parts;
    TRY_OR_CLEANUP(reduce(racing, chosen, error));
cleanup:
    free(chosen);
    return status;
}

enum status contest_race(struct contest *contest, struct lane *lane, struct error *error)
{
    struct racing racing = {.contest = contest};
    enum status status = contest_enter(contest, lane, error);
    if (status == STATUS_OK && contest->finalist_count > 0)
        status = race_with(&racing, lane, error);
    race_free(racing.race);
    track_free(&racing.track);
    free(racing.wanted);
    return status;
}
