/* Other states of the cache: candidates are first timed from a clean, cold cache, but programs
 * leave a dirty one (an earlier kernel wrote) or a hot one, if the input fits. The race's best are
 * timed so once, and the finalists near the fastest in each confirming process, in rounds of their
 * own, stored as stages of their own. The winner is the fastest in the mean over the states. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/clock.h"
#include "tuner/base/hash.h"
#include "tuner/session/check.h"

static const struct state {
    const char *stage;
    enum l2_mode mode;
} states[CACHE_STATES] = {{"dirty", L2_DIRTY}, {"hot", L2_HOT}};

/* Candidates slower than the fastest by more than this in the run's own state are not timed in
 * others; neither are more of the race's candidates or of the finalists than the limits. */
static const double state_near = 0.02;
enum { SCREENED_MAX = 32, STATE_FINALISTS_MAX = 8, VALUES_MAX = 512 };

const char *contest_state(const struct contest *contest, size_t state)
{
    const struct work *work = &contest->work;
    const bool fits = work->bytes_moved <= work_cache_bytes(work->facts);
    if (l2_state(work->options->l2_mode) != L2_COLD || work->options->recording ||
        objective_needs_energy(work->objective) || work->protocol->state_rounds == 0 ||
        (states[state].mode == L2_HOT && !fits))
        return NULL;
    return states[state].stage;
}

void contest_reset_states(struct contest *contest)
{
    for (size_t i = 0; i < contest->finalist_count; i++) {
        struct finalist *finalist = &contest->finalists[i];
        finalist->wanted = finalist->passed_over = false;
        for (size_t s = 0; s < CACHE_STATES; s++) {
            struct state_result *result = &finalist->in_state[s];
            slot_free(&result->slot);
            *result = (struct state_result){
                .slot = {.candidate = finalist->slot.candidate, .outcome = {.status = TRIAL_OK}},
                .difference = {(double)NAN, (double)NAN, (double)NAN}};
            for (size_t p = 0; p < LEVELS_MAX; p++)
                result->levels[p] = (double)NAN;
        }
    }
}

/* Marks the fastest finalist of each kernel that won another size of the problem in this run, to
 * measure the loss if few kernels serve many sizes. */
static void mark_kernels_of_others(struct contest *contest)
{
    const struct work *work = &contest->work;
    for (const struct contest *other = work->group->contests; other; other = other->next) {
        const struct binary *won = NULL;
        struct finalist *fastest = NULL;
        for (size_t i = 0; i < other->finalist_count && other != contest; i++)
            if (strcmp(other->finalists[i].key, other->winner.key) == 0)
                won = candidate_binary(&other->work, other->finalists[i].slot.candidate);
        if (!won || strcmp(other->work.problem.key, work->problem.key) != 0)
            continue;
        for (size_t i = 0; i < contest->finalist_count; i++) {
            struct finalist *finalist = &contest->finalists[i];
            const struct binary *binary = candidate_binary(work, finalist->slot.candidate);
            if (binary && strcmp(binary->hash, won->hash) == 0 && !isnan(finalist->levels[0]) &&
                (!fastest || finalist->levels[0] < fastest->levels[0]))
                fastest = finalist;
        }
        if (fastest)
            fastest->serves_others = true;
    }
}

/* Marks up to `most` finalists to be timed in other states: those chosen by the race's screening,
 * then the fastest by their first level, and the winner so far. With `diverse`: only the fastest
 * with each value of each parameter, since kernels of one kind behave alike, and kernels of other
 * sizes. */
static void choose_wanted(struct contest *contest, size_t most, bool diverse)
{
    const double reach = log1p(fmax(state_near, 2 * contest->work.protocol->delta));
    double best = (double)INFINITY;
    uint64_t seen[VALUES_MAX];
    size_t values = 0;
    for (size_t i = 0; i < contest->finalist_count; i++)
        if (finalist_can_win(&contest->finalists[i]))
            best = fmin(best, contest->finalists[i].levels[0]); /* fmin skips NaN */
    for (size_t count = 0; count < most;) {
        struct finalist *next = NULL;
        for (size_t i = 0; i < contest->finalist_count; i++) {
            struct finalist *finalist = &contest->finalists[i];
            if (finalist_can_win(finalist) && !finalist->wanted && !finalist->passed_over &&
                finalist->levels[0] <= best + reach &&
                (!next || (finalist->screened && !next->screened) ||
                 (finalist->screened == next->screened && finalist->levels[0] < next->levels[0])))
                next = finalist;
        }
        if (!next)
            break;
        /* "a=1 b=2" may have a value that no earlier key had. */
        const char *key = next->key;
        bool is_new = false;
        for (size_t length; *key; key += length + (key[length] == ' ')) {
            length = strcspn(key, " ");
            const uint64_t value = hash_u64(key, length, 0);
            size_t i = 0;
            while (i < values && seen[i] != value)
                i++;
            if (i < values || values == VALUES_MAX)
                continue;
            seen[values++] = value;
            is_new = true;
        }
        next->wanted = is_new || !diverse || next->serves_others;
        next->passed_over = !next->wanted;
        count += next->wanted;
    }
    for (size_t i = 0; i < contest->finalist_count; i++)
        if (strcmp(contest->finalists[i].key, contest->winner.key) == 0)
            contest->finalists[i].wanted = true;
}

/* Measures the rounds of one state in one process. */
static enum status time_state(struct contest *contest, struct lane *lane, int process, size_t state,
                              struct error *error)
{
    struct track track = contest_track(contest, lane, states[state].stage);
    struct finalist **finalists =
        arena_alloc(&contest->arena, contest->finalist_count + 1, sizeof(struct finalist *));
    bool *central = arena_alloc(&contest->arena, contest->finalist_count + 1, sizeof *central);
    double *levels = arena_alloc(&contest->arena, contest->finalist_count + 1, sizeof *levels);
    if (!track.slots || !finalists || !central || !levels)
        return error_no_memory(error);
    track.mode = l2_mode_as(states[state].mode, l2_issue(contest->work.options->l2_mode));
    track.process = process;
    track.random.seed = lane->site->session->options->seed ^ (uint64_t)contest->work.problem.n ^
                        ((uint64_t)process << 32) ^ ((uint64_t)(state + 1) << 48);
    track.count = 0;
    for (size_t i = 0; i < contest->finalist_count; i++) {
        struct finalist *finalist = &contest->finalists[i];
        struct state_result *result = &finalist->in_state[state];
        if (!finalist->wanted || !finalist_can_win(finalist) || finalist->settled)
            continue;
        result->slot.results = finalist->slot.results;
        central[track.count] = true;
        track.slots[track.count] = &result->slot;
        finalists[track.count++] = finalist;
    }
    enum status status = STATUS_OK;
    if (track.count > 0)
        status = track_begin(&contest->work, &track, false, error);
    if (status == STATUS_OK && track.count > 0)
        status = track_rounds(&contest->work, &track, central, track.count,
                              (size_t)contest->work.protocol->state_rounds, error);
    status = contest_keep(contest, &track, state, status, error);
    if (status == STATUS_OK)
        status = track_levels(&track, central, 0, track.round_count, levels, error);
    for (size_t i = 0; status == STATUS_OK && i < track.count; i++)
        finalists[i]->in_state[state].levels[contest->processes] = levels[i];
    track_free(&track);
    return status;
}

enum status contest_time_states(struct contest *contest, struct lane *lane, int process,
                                struct error *error)
{
    if (contest->processes == 0)
        choose_wanted(contest, STATE_FINALISTS_MAX, false);
    for (size_t s = 0; s < CACHE_STATES; s++)
        if (contest_state(contest, s))
            TRY(time_state(contest, lane, process, s, error));
    return STATUS_OK;
}

/* Returns the finalist's mean over the states in one process, its own level included, relative to
 * the reference's; NaN: not in the process. */
static double mean_over_states(const struct contest *contest, const struct finalist *finalist,
                               const struct finalist *reference, size_t process)
{
    double sum = finalist->levels[process] - reference->levels[process];
    size_t count = 1;
    for (size_t s = 0; s < CACHE_STATES; s++) {
        double level =
            finalist->in_state[s].levels[process] - reference->in_state[s].levels[process];
        if (!contest_state(contest, s) || isnan(level))
            continue;
        sum += level;
        count++;
    }
    return sum / (double)count;
}

enum status contest_screen_states(struct contest *contest, struct lane *lane, size_t keep_most,
                                  struct error *error)
{
    struct finalist *leader = NULL;
    if (!contest_state(contest, 0))
        return STATUS_OK;
    contest_reset_states(contest);
    for (size_t i = 0; i < contest->finalist_count; i++) {
        struct finalist *finalist = &contest->finalists[i];
        finalist->levels[0] = log1p(finalist->raced.estimate);
        if (finalist_can_win(finalist) && !isnan(finalist->levels[0]) &&
            (!leader || finalist->levels[0] < leader->levels[0]))
            leader = finalist;
    }
    struct group *group = contest->work.group;
    const size_t visits = (size_t)contest->work.protocol->state_rounds;
    const size_t most =
        budget_screened(group, &contest->sweep->allowance, (double)contest->visit_ns, visits);
    if (!leader || most < 2)
        return STATUS_OK;
    mark_kernels_of_others(contest);
    choose_wanted(contest, most < SCREENED_MAX ? most : SCREENED_MAX, true);
    const int64_t started_ns = clock_budget_ns();
    enum status status = time_state(contest, lane, 0, 0, error);
    size_t held = 0;
    for (size_t i = 0; i < contest->finalist_count; i++)
        held += contest->finalists[i].wanted;
    if (held > 0)
        group->costs.state_visit_ns =
            (double)(clock_budget_ns() - started_ns) / (double)(held * visits);
    for (size_t kept = 0; status == STATUS_OK && kept < keep_most; kept++) {
        struct finalist *next = NULL;
        double least = 0;
        for (size_t i = 0; i < contest->finalist_count; i++) {
            struct finalist *finalist = &contest->finalists[i];
            double mean = mean_over_states(contest, finalist, leader, 0);
            if (!finalist->wanted || finalist->screened || !finalist_can_win(finalist) ||
                isnan(finalist->in_state[0].levels[0]) || !(!next || mean < least))
                continue;
            next = finalist;
            least = mean;
        }
        if (!next)
            break;
        next->screened = true;
    }
    return status;
}

enum status contest_judge_states(struct contest *contest, struct contender *contenders,
                                 size_t fastest, double delta, struct error *error)
{
    size_t reference = fastest;
    const size_t count = contest->finalist_count;
    const double confidence = contest->work.protocol->confidence;
    struct contender *there = calloc(count + 1, sizeof *there);
    if (!there)
        return error_no_memory(error);
    for (size_t s = 0; s < CACHE_STATES; s++) {
        struct choice choice;
        if (!contest_state(contest, s))
            continue;
        for (size_t i = 0; i < count; i++) {
            there[i] = contenders[i];
            there[i].levels = contest->finalists[i].in_state[s].levels;
            there[i].eligible = contenders[i].eligible && contest->finalists[i].wanted;
        }
        choose(there, count, contest->processes, delta, confidence, count, &choice);
        for (size_t i = 0; i < count; i++) {
            contest->finalists[i].in_state[s].difference = there[i].difference;
            contest->finalists[i].in_state[s].tied = there[i].tied;
        }
    }
    for (size_t i = 0; i < count; i++)
        if (contest->finalists[i].wanted && contenders[i].eligible &&
            (!contest->finalists[reference].wanted ||
             contenders[i].difference.estimate < contenders[reference].difference.estimate))
            reference = i;
    for (size_t i = 0; i < count; i++) {
        struct finalist *finalist = &contest->finalists[i];
        for (size_t p = 0; p < contest->processes; p++)
            finalist->means[p] =
                mean_over_states(contest, finalist, &contest->finalists[reference], p);
        contenders[i].levels = finalist->means;
        contenders[i].eligible = contenders[i].eligible && finalist->wanted;
    }
    free(there);
    return STATUS_OK;
}
