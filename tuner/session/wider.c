/* A finalist for the sizes that the fastest ones lack: if these are in fours, programs with other
 * sizes get the fastest of the rest, which would lose any race and takes part in none. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/session/check.h"

/* Values that all finalists and all failed candidates have in common, one of which is the reason
 * for the domains. */
struct common {
    struct configuration values;
    bool is_known;
};

static void common_meet(struct common *common, const struct configuration *other)
{
    size_t kept = 0;
    if (!common->is_known)
        common->values = *other;
    common->is_known = true;
    for (size_t i = 0; i < common->values.count; i++) {
        const struct named_value *value = &common->values.values[i];
        for (size_t k = 0; k < other->count; k++)
            if (strcmp(value->name, other->values[k].name) == 0 &&
                value_equal(value->value, other->values[k].value)) {
                common->values.values[kept++] = *value;
                break;
            }
    }
    common->values.count = kept;
}

static bool common_has(const struct common *common, const struct configuration *other)
{
    struct common met = *common;
    common_meet(&met, other);
    return met.values.count == common->values.count;
}

/* Returns whether the candidate may be used at a size, as far as constraints and checks say. */
static bool may_serve(const struct contest *contest, const struct candidate *candidate, int64_t n)
{
    struct configuration room;
    return contest_has_size(contest, candidate, n) &&
           contest_allows(
               contest, candidate_configuration(&contest->sweep->candidates, candidate, &room), n);
}

/* Returns a size near the problem's that no finalist near the fastest serves; 0: none. */
static int64_t unserved_size(const struct contest *contest)
{
    const int64_t n = contest->work.problem.n;
    int64_t sizes[] = {n - 1, n + 1, n - 3, n - 2, n + 2, n - 4, n + 4, n - 8, n + 8};
    int64_t tuple[SIZE_NAMES_MAX];
    const size_t names = contest_sizes(contest, n, tuple);
    for (size_t i = 0; names > 0 && i < COUNT(sizes); i++) {
        (void)contest_sizes(contest, n, tuple);
        for (size_t k = 0; k < names; k++) /* all odd, then one after the other */
            tuple[k] = i == 0 || i == k + 1 ? (tuple[k] - 2) | 1 : tuple[k];
        sizes[i] = contest_tuple(contest, tuple);
        sizes[i] = sizes[i] == n ? 0 : sizes[i];
    }
    for (size_t i = 0; i < COUNT(sizes); i++) {
        bool is_served = sizes[i] < 1;
        for (size_t k = 0; k < contest->finalist_count && !is_served; k++)
            is_served = finalist_can_win(&contest->finalists[k]) &&
                        !contest->finalists[k].raced_out &&
                        may_serve(contest, contest->finalists[k].slot.candidate, sizes[i]);
        if (!is_served)
            return sizes[i];
    }
    return 0;
}

/* Returns the fastest candidate that may serve the size and lacks one of the common values, if
 * there are some; NULL: none is found. */
static struct candidate *fastest_for(const struct contest *contest, int64_t n,
                                     const struct common *common)
{
    enum { EVALUATED_MAX = 20000 }; /* a fraction of a second */
    const struct candidates *candidates = &contest->sweep->candidates;
    struct candidate *fastest = NULL;
    for (size_t i = 0, evaluated = 0; i < candidates->count && evaluated < EVALUATED_MAX; i++) {
        struct candidate *candidate = candidates->items[i];
        struct configuration room;
        if (!candidate_works(candidate) || candidate->same_as || candidate->point == NO_POINT ||
            !(candidate->median_ns > 0) || (fastest && candidate->median_ns >= fastest->median_ns))
            continue;
        evaluated++;
        const bool is_alike =
            common->values.count > 0 &&
            common_has(common, candidate_configuration(candidates, candidate, &room));
        fastest = !is_alike && may_serve(contest, candidate, n) ? candidate : fastest;
    }
    return fastest;
}

/* Adds a finalist of the candidate, loaded. */
static enum status add_finalist(struct contest *contest, struct lane *lane,
                                struct candidate *candidate, struct error *error)
{
    char room[CONFIGURATION_KEY_BYTES];
    struct track track = sweep_track(&contest->work, contest->sweep, lane, "race");
    struct finalist *more =
        realloc(contest->finalists, (contest->finalist_count + 1) * sizeof *more);
    TRY_MEMORY(more);
    contest->finalists = more;
    struct finalist *finalist = &more[contest->finalist_count];
    *finalist = (struct finalist){
        .slot = {.candidate = candidate, .outcome = {.status = TRIAL_OK}},
        .raced_out = true,
        .raced = {(double)NAN, (double)NAN, (double)NAN},
        .key = arena_strdup(&contest->arena,
                            candidate_key(&contest->sweep->candidates, candidate, room))};
    TRY_MEMORY(finalist->key);
    for (size_t i = 0; i < LEVELS_MAX; i++)
        finalist->levels[i] = finalist->means[i] = (double)NAN;
    contest->finalist_count++;
    return track_load(&contest->work, &track, &finalist->slot, error);
}

static void drop_last(struct contest *contest)
{
    finalist_free(&contest->finalists[--contest->finalist_count]);
}

/* Adds a loaded finalist that is right at *n; 0: none. */
static enum status add_wider(struct contest *contest, struct lane *lane, int64_t *n,
                             struct error *error)
{
    enum { TRIES_MAX = 16 };
    struct common common = {.is_known = false};
    *n = 0;
    if ((!experiment_head(contest->work.experiment)->has_size && !contest->work.problem.shape) ||
        contest->work.options->pick_count > 0 || objective_needs_energy(contest->work.objective))
        return STATUS_OK;
    const int64_t size = unserved_size(contest);
    for (size_t i = 0; i < contest->finalist_count; i++)
        if (finalist_can_win(&contest->finalists[i]) && !contest->finalists[i].raced_out)
            common_meet(&common, &contest->finalists[i].slot.prepared->configuration);
    if (size == 0 || !common.is_known)
        return STATUS_OK;
    const struct gauntlet_case test = {.n = size, .seed = (uint64_t)size, .ends = 1, .starts = 1};
    for (int tries = 0; tries < TRIES_MAX && !checks_are_over(contest, lane); tries++) {
        struct worker_outcome outcome = {.status = TRIAL_OK};
        bool applies = false;
        struct candidate *candidate = fastest_for(contest, size, &common);
        if (!candidate)
            return STATUS_OK;
        for (size_t i = 0; i < contest->finalist_count; i++)
            if (contest->finalists[i].slot.candidate == candidate)
                return STATUS_OK; /* a baseline, or raced and slower: measured in any case */
        TRY(add_finalist(contest, lane, candidate, error));
        struct slot *slot = &contest->finalists[contest->finalist_count - 1].slot;
        if (slot->outcome.status == TRIAL_OK)
            TRY(check_case(contest, lane, slot, &test, &applies, &outcome, error));
        if (applies && outcome.status == TRIAL_OK) {
            *n = size;
            return STATUS_OK;
        }
        if (slot->prepared)
            common_meet(&common, &slot->prepared->configuration);
        drop_last(contest);
        if (common.values.count == 0)
            return STATUS_OK;
    }
    return STATUS_OK;
}

enum status contest_widen(struct contest *contest, struct lane *lane, double process_ns,
                          struct error *error)
{
    enum { WIDER_TRIES = 4 };
    for (int i = 0; i < WIDER_TRIES; i++) {
        int64_t n = 0;
        TRY(add_wider(contest, lane, &n, error));
        if (n == 0)
            return STATUS_OK;
        TRY(contest_check_from(contest, lane, contest->finalist_count - 1, process_ns, error));
        const struct finalist *wider = &contest->finalists[contest->finalist_count - 1];
        if (finalist_can_win(wider) && may_serve(contest, wider->slot.candidate, n))
            return STATUS_OK;
        drop_last(contest);
    }
    return STATUS_OK;
}
