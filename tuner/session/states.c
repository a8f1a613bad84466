/* Whether the best hold in other states of the cache: a winner is chosen from clean and cold
 * caches, and programs leave them dirty (whatever ran before wrote), or hot, where the input fits.
 * Finalists near the fastest are timed so in each process that confirms, in rounds of their own,
 * which are stages of their own in the store. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/session/check.h"

static const struct state {
    const char *stage;
    enum l2_mode mode;
} states[CACHE_STATES] = {{"dirty", L2_DIRTY}, {"hot", L2_HOT}};

/* Finalists that are farther from the fastest, in the run's own state, are not asked; nor are more
 * than so many. */
static const double hold_near = 0.01;
enum { HOLD_MOST = 6 };

const char *contest_state(const struct contest *contest, size_t state)
{
    const struct work *work = &contest->sweep->work;
    const bool fits = work->bytes_moved <= work_cache_bytes(work->facts);
    if (work->options->l2_mode != L2_COLD || work->options->recording ||
        objective_needs_energy(work->objective) || work->protocol->state_rounds == 0 ||
        (states[state].mode == L2_HOT && !fits))
        return NULL;
    return states[state].stage;
}

size_t contest_hold_visits(const struct contest *contest)
{
    size_t visits = 0;
    for (size_t s = 0; s < CACHE_STATES; s++)
        visits +=
            contest_state(contest, s) ? (size_t)contest->sweep->work.protocol->state_rounds : 0;
    return visits;
}

void contest_hold_anew(struct contest *contest)
{
    for (size_t i = 0; i < contest->finalist_count; i++) {
        struct finalist *finalist = &contest->finalists[i];
        for (size_t s = 0; s < CACHE_STATES; s++) {
            struct held *held = &finalist->held[s];
            slot_free(&held->slot);
            *held = (struct held){
                .slot = {.candidate = finalist->slot.candidate, .outcome = {.status = TRIAL_OK}},
                .difference = {(double)NAN, (double)NAN, (double)NAN}};
            for (size_t p = 0; p < LEVELS_MAX; p++)
                held->levels[p] = (double)NAN;
        }
    }
}

/* In the first process: by what it has shown, the fastest first, and the winner so far. */
static void choose_wanted(struct contest *contest, size_t state)
{
    const double reach = log1p(fmax(hold_near, 2 * contest->sweep->work.protocol->delta));
    double best = (double)INFINITY;
    for (size_t i = 0; i < contest->finalist_count; i++)
        if (finalist_can_win(&contest->finalists[i]))
            best = fmin(best, contest->finalists[i].levels[0]); /* fmin passes NaN over */
    for (size_t count = 0; count < HOLD_MOST; count++) {
        struct finalist *next = NULL;
        for (size_t i = 0; i < contest->finalist_count; i++) {
            struct finalist *finalist = &contest->finalists[i];
            if (finalist_can_win(finalist) && !finalist->held[state].wanted &&
                finalist->levels[0] <= best + reach &&
                (!next || finalist->levels[0] < next->levels[0]))
                next = finalist;
        }
        if (!next)
            break;
        next->held[state].wanted = true;
    }
    for (size_t i = 0; i < contest->finalist_count; i++)
        if (strcmp(contest->finalists[i].key, contest->winner_key) == 0)
            contest->finalists[i].held[state].wanted = true;
}

/* Puts rounds and trials into the store, however the rounds ended; what is wrong in this state is
 * wrong. */
static enum status keep(struct contest *contest, struct track *track, size_t state,
                        struct finalist *const *finalists, enum status status, struct error *error)
{
    struct store *store = contest->sweep->work.store;
    struct error keeping = {0};
    (void)track_judge(track);
    enum status kept = store_batch_begin(store, &keeping);
    if (kept == STATUS_OK) {
        kept = track_store(track, &keeping);
        for (size_t i = 0; kept == STATUS_OK && i < track->count; i++) {
            struct held *held = &finalists[i]->held[state];
            if (held->slot.outcome.status != TRIAL_OK)
                finalists[i]->slot.outcome = held->slot.outcome; /* contest_keep tells */
            if (held->slot.sample_count > 0)
                kept = slot_store(track, &held->slot, false, &held->trial_id, &keeping);
        }
        kept = store_batch_end(store, kept, &keeping);
    }
    return first_failure(status, kept, &keeping, error);
}

static enum status run_rounds(struct contest *contest, struct track *track, struct error *error)
{
    const size_t rounds = (size_t)track->work->protocol->state_rounds;
    bool *wanted = arena_alloc(&contest->arena, track->count + 1, sizeof *wanted);
    enum status status = wanted ? track_begin(track, false, error) : error_no_memory(error);
    for (size_t i = 0; wanted && i < track->count; i++)
        wanted[i] = true;
    for (size_t valid = 0;
         status == STATUS_OK && valid < rounds && track->round_count < rounds + rounds / 2 + 1;) {
        double twin_y = 0;
        if (session_stopped(track->work->session))
            return session_stop_error(error);
        status = track_round(track, wanted, track->count, &twin_y, error);
        valid = track_judge(track);
    }
    return status;
}

/* The rounds of one state in one process. */
static enum status hold_in(struct contest *contest, struct lane *lane, int process, size_t state,
                           struct error *error)
{
    struct track track = contest_track(contest, lane, states[state].stage);
    struct finalist **finalists =
        arena_alloc(&contest->arena, contest->finalist_count + 1, sizeof(struct finalist *));
    bool *central = arena_alloc(&contest->arena, contest->finalist_count + 1, sizeof *central);
    double *levels = arena_alloc(&contest->arena, contest->finalist_count + 1, sizeof *levels);
    if (!track.slots || !finalists || !central || !levels)
        return error_no_memory(error);
    track.mode = states[state].mode;
    track.process = process;
    track.random.seed = lane->session->options->seed ^ (uint64_t)contest->sweep->work.problem.n ^
                        ((uint64_t)process << 32) ^ ((uint64_t)(state + 1) << 48);
    track.count = 0;
    for (size_t i = 0; i < contest->finalist_count; i++) {
        struct finalist *finalist = &contest->finalists[i];
        struct held *held = &finalist->held[state];
        if (!held->wanted || !finalist_can_win(finalist) || finalist->settled)
            continue;
        held->slot.results = finalist->slot.results;
        central[track.count] = true;
        track.slots[track.count] = &held->slot;
        finalists[track.count++] = finalist;
    }
    enum status status = track.count > 0 ? run_rounds(contest, &track, error) : STATUS_OK;
    status = keep(contest, &track, state, finalists, status, error);
    if (status == STATUS_OK)
        status = track_levels(&track, central, 0, track.round_count, levels, error);
    for (size_t i = 0; status == STATUS_OK && i < track.count; i++)
        finalists[i]->held[state].levels[contest->processes] = levels[i];
    track_free(&track);
    return status;
}

enum status contest_hold(struct contest *contest, struct lane *lane, int process,
                         struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t s = 0; s < CACHE_STATES && status == STATUS_OK; s++) {
        if (!contest_state(contest, s))
            continue;
        if (contest->processes == 0)
            choose_wanted(contest, s);
        status = hold_in(contest, lane, process, s, error);
    }
    return status;
}

enum status contest_judge_states(struct contest *contest, struct contender *contenders,
                                 double delta, struct error *error)
{
    const size_t count = contest->finalist_count;
    const double confidence = contest->sweep->work.protocol->confidence;
    struct contender *there = calloc(count + 1, sizeof *there);
    if (!there)
        return error_no_memory(error);
    for (size_t i = 0; i < count; i++)
        contenders[i].standing = CONTENDER_HOLDS;
    for (size_t s = 0; s < CACHE_STATES; s++) {
        struct choice choice;
        if (contest->processes == 0 || !contest_state(contest, s))
            continue;
        for (size_t i = 0; i < count; i++) {
            there[i] = contenders[i];
            there[i].levels = contest->finalists[i].held[s].levels;
            there[i].eligible = contenders[i].eligible && contenders[i].tied;
        }
        choose(there, count, contest->processes, delta, confidence, count, &choice);
        for (size_t i = 0; i < count; i++) {
            struct held *held = &contest->finalists[i].held[s];
            held->difference = there[i].difference;
            held->tied = there[i].tied;
            contender_add_state(&contenders[i], &there[i]);
        }
    }
    free(there);
    return STATUS_OK;
}
