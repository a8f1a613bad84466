/* Who races. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/text.h"
#include "tuner/session/internal.h"

enum { ENTRANTS_MAX = WORKER_SLOTS - 8 };

struct entry {
    struct candidate *candidate;
    double value; /* ln of the objective in the sweep; where energy counts, of the time */
};

static int by_value(const void *left, const void *right)
{
    const struct entry *a = left;
    const struct entry *b = right;
    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    return strcmp(a->candidate->key, b->candidate->key);
}

/* What the sweep's time says of the objective; NaN: the configuration does not load any more. */
static enum status sweep_time_value(struct sweep *sweep, struct lane *lane,
                                    const struct candidate *candidate, double *value,
                                    struct error *error)
{
    struct loaded loaded = {0};
    struct worker_outcome outcome = {.status = TRIAL_OK};
    bool is_time = strcmp(objective_text(sweep->objective), "time") == 0;
    *value = log(candidate->median_ns);
    if (is_time || objective_needs_energy(sweep->objective))
        return STATUS_OK;
    enum status status =
        sweep_load(sweep, lane, &lane->scratch, candidate, &loaded, &outcome, error);
    *value = (double)NAN;
    if (status == STATUS_OK && outcome.status == TRIAL_OK)
        status =
            sweep_value(sweep, candidate, &loaded, candidate->median_ns, (double)NAN, value, error);
    arena_free(&lane->scratch);
    return status;
}

/* Of configurations that launch the same, the first of the space stands for all, whichever of them
 * the sweep came to first: another tuning names the same one. */
static void name_first(struct sweep *sweep)
{
    for (size_t i = 0; i < sweep->count; i++) {
        struct candidate *first = &sweep->candidates[i];
        size_t measured = (size_t)first->same_as;
        if (first->same_as == NO_CANDIDATE || measured <= i || measured >= sweep->count)
            continue;
        struct candidate *other = &sweep->candidates[measured];
        first->status = other->status;
        first->median_ns = other->median_ns;
        first->runs = other->runs;
        first->rejected = other->rejected;
        first->same_as = NO_CANDIDATE;
        other->status = TRIAL_SKIPPED;
        other->same_as = (int64_t)i;
        for (size_t j = 0; j < sweep->count; j++)
            if (sweep->candidates[j].same_as == (int64_t)measured)
                sweep->candidates[j].same_as = (int64_t)i;
        if (sweep->best == measured)
            sweep->best = i;
    }
}

static enum status list_entries(struct sweep *sweep, struct lane *lane, struct entry *entries,
                                size_t *count, struct error *error)
{
    *count = 0;
    for (size_t i = 0; i < sweep->count; i++) {
        struct candidate *candidate = &sweep->candidates[i];
        double value = (double)NAN;
        if (!candidate->done || candidate->status != TRIAL_OK || candidate->rejected ||
            !(candidate->median_ns > 0))
            continue;
        enum status status = sweep_time_value(sweep, lane, candidate, &value, error);
        if (status != STATUS_OK)
            return status;
        if (!isnan(value))
            entries[(*count)++] = (struct entry){.candidate = candidate, .value = value};
    }
    qsort(entries, *count, sizeof *entries, by_value);
    return STATUS_OK;
}

/* The newest winner of this problem, also under another driver or version of tune: its key. */
static enum status find_incumbent(const struct sweep *sweep, struct text *key, struct error *error)
{
    bool found = false;
    const struct session *session = sweep->group->session;
    return store_incumbent(session->store, sweep->group->environment_id, sweep->problem_id,
                           session->options->l2_mode, objective_text(sweep->objective), &found, key,
                           error);
}

static bool stands_for_baseline(const struct sweep *sweep, const struct candidate *candidate)
{
    int64_t index = candidate - sweep->candidates;
    if (candidate->is_baseline)
        return true;
    for (size_t i = 0; i < sweep->count; i++)
        if (sweep->candidates[i].is_baseline && sweep->candidates[i].same_as == index)
            return true;
    return false;
}

static bool is_or_repeats(const struct sweep *sweep, const struct candidate *candidate,
                          const char *key)
{
    int64_t index = candidate - sweep->candidates;
    if (strcmp(candidate->key, key) == 0)
        return true;
    for (size_t i = 0; i < sweep->count; i++)
        if (sweep->candidates[i].same_as == index && strcmp(sweep->candidates[i].key, key) == 0)
            return true;
    return false;
}

static enum status add(struct contest *contest, struct candidate *candidate, bool is_incumbent,
                       bool is_baseline, struct error *error)
{
    struct finalist *finalist = &contest->finalists[contest->finalist_count];
    finalist->runner.candidate = candidate;
    finalist->runner.outcome.status = TRIAL_OK;
    finalist->is_incumbent = is_incumbent;
    finalist->is_baseline = is_baseline;
    finalist->levels = arena_alloc(&contest->arena, LEVELS_MAX, sizeof *finalist->levels);
    if (!finalist->levels)
        return error_no_memory(error);
    contest->finalist_count++;
    return STATUS_OK;
}

static enum status add_those_near(struct contest *contest, const struct entry *entries,
                                  size_t count, const char *incumbent, struct error *error)
{
    const struct sweep *sweep = contest->sweep;
    const struct protocol *protocol = &sweep->group->session->options->protocol;
    bool needs_energy = objective_needs_energy(sweep->objective);
    size_t near = 0;
    for (size_t i = 0; i < count; i++) {
        bool in = needs_energy
                      ? near < (size_t)protocol->energy_candidates
                      : entries[i].value <= entries[0].value + log1p(protocol->sweep_slower);
        bool is_incumbent = *incumbent && is_or_repeats(sweep, entries[i].candidate, incumbent);
        in = in && near < ENTRANTS_MAX - EXPERIMENT_BASELINES_MAX;
        near += in ? 1 : 0;
        bool is_baseline = stands_for_baseline(sweep, entries[i].candidate);
        if (!in && !is_incumbent && !is_baseline)
            continue;
        enum status status = add(contest, entries[i].candidate, is_incumbent, is_baseline, error);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

enum status contest_enter(struct contest *contest, struct lane *lane, struct error *error)
{
    struct sweep *sweep = contest->sweep;
    struct text incumbent = {0};
    size_t count = 0;
    struct entry *entries = malloc((sweep->count + 1) * sizeof *entries);
    enum status status = entries ? STATUS_OK : error_no_memory(error);
    if (status == STATUS_OK)
        status = sweep_tell(sweep, lane, true, error);
    name_first(sweep);
    if (status == STATUS_OK)
        status = list_entries(sweep, lane, entries, &count, error);
    if (status == STATUS_OK)
        status = find_incumbent(sweep, &incumbent, error);
    contest->candidate_count = count;
    contest->finalists = arena_alloc(&contest->arena, ENTRANTS_MAX + EXPERIMENT_BASELINES_MAX + 2,
                                     sizeof *contest->finalists);
    if (status == STATUS_OK && !contest->finalists)
        status = error_no_memory(error);
    if (status == STATUS_OK)
        status = add_those_near(contest, entries, count, text_string(&incumbent), error);
    text_free(&incumbent);
    free(entries);
    return status;
}
