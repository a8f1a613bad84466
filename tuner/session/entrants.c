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
                                    struct candidate *candidate, double *value, struct error *error)
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

/* In the order of the space; baselines that are no points of it behind. */
static bool is_before(const struct candidate *a, const struct candidate *b)
{
    return a->point != b->point ? a->point < b->point : strcmp(a->key, b->key) < 0;
}

/* `first` takes the place of the candidate that was measured. */
static void replace_measured(struct sweep *sweep, struct candidate *first)
{
    struct candidate *measured = first->same_as;
    first->status = measured->status;
    first->median_ns = measured->median_ns;
    first->runs = measured->runs;
    first->rejected = measured->rejected;
    first->same_as = NULL;
    measured->status = TRIAL_SKIPPED;
    measured->same_as = first;
    if (sweep->best == measured)
        sweep->best = first;
}

/* Of configurations that launch the same, the first of the space stands for all, whichever of them
 * the sweep came to first: another tuning names the same one. */
static void name_first(struct sweep *sweep)
{
    for (size_t i = 0; i < sweep->table.count; i++) {
        struct candidate *candidate = sweep->table.items[i];
        while (candidate->same_as && candidate->same_as->same_as)
            candidate->same_as = candidate->same_as->same_as;
        if (candidate->same_as && is_before(candidate, candidate->same_as))
            replace_measured(sweep, candidate);
    }
    for (size_t i = 0; i < sweep->table.count; i++) {
        struct candidate *candidate = sweep->table.items[i];
        while (candidate->same_as && candidate->same_as->same_as)
            candidate->same_as = candidate->same_as->same_as;
        struct candidate *measured = candidate->same_as ? candidate->same_as : candidate;
        measured->stands_for_baseline |= candidate->is_baseline;
        measured->asked |= candidate->asked;
        measured->asked_incumbent |= candidate->asked_incumbent;
    }
}

static enum status list_entries(struct sweep *sweep, struct lane *lane, struct entry *entries,
                                size_t *count, struct error *error)
{
    *count = 0;
    for (size_t i = 0; i < sweep->table.count; i++) {
        struct candidate *candidate = sweep->table.items[i];
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
                           NULL, error);
}

/* Who has that key, or stands for it; NULL: nobody here. */
static const struct candidate *find_named(const struct sweep *sweep, const char *key)
{
    const struct candidate *candidate = table_at_key(&sweep->table, key);
    return candidate && candidate->same_as ? candidate->same_as : candidate;
}

static void add(struct contest *contest, struct candidate *candidate, bool is_incumbent,
                bool is_baseline)
{
    struct finalist *finalist = &contest->finalists[contest->finalist_count];
    finalist->runner.candidate = candidate;
    finalist->runner.outcome.status = TRIAL_OK;
    finalist->is_incumbent = is_incumbent;
    finalist->is_baseline = is_baseline;
    contest->finalist_count++;
}

static void add_those_near(struct contest *contest, const struct entry *entries, size_t count,
                           const char *incumbent)
{
    const struct sweep *sweep = contest->sweep;
    const struct protocol *protocol = &sweep->group->session->options->protocol;
    bool needs_energy = objective_needs_energy(sweep->objective);
    const struct candidate *named = find_named(sweep, incumbent);
    size_t near = 0;
    for (size_t i = 0; i < count; i++) {
        const struct candidate *candidate = entries[i].candidate;
        bool in = sweep->group->session->options->only_count > 0 ? candidate->asked
                  : needs_energy
                      ? near < (size_t)protocol->energy_candidates
                      : entries[i].value <= entries[0].value + log1p(protocol->sweep_slower);
        bool is_incumbent = candidate == named || candidate->asked_incumbent;
        in = in && near < ENTRANTS_MAX - EXPERIMENT_BASELINES_MAX;
        near += in ? 1 : 0;
        bool is_baseline = candidate->stands_for_baseline;
        if (in || is_incumbent || is_baseline)
            add(contest, entries[i].candidate, is_incumbent, is_baseline);
    }
}

enum status contest_enter(struct contest *contest, struct lane *lane, struct error *error)
{
    struct sweep *sweep = contest->sweep;
    struct text incumbent = {0};
    size_t count = 0;
    struct entry *entries = malloc((sweep->table.count + 1) * sizeof *entries);
    enum status status = entries ? STATUS_OK : error_no_memory(error);
    if (status == STATUS_OK)
        status = sweep_tell(sweep, lane, true, error);
    name_first(sweep);
    if (status == STATUS_OK)
        status = list_entries(sweep, lane, entries, &count, error);
    if (status == STATUS_OK)
        status = find_incumbent(sweep, &incumbent, error);
    contest->candidate_count = count;
    if (status == STATUS_OK && !(contest->finalists = calloc(count + 1, sizeof(struct finalist))))
        status = error_no_memory(error);
    if (status == STATUS_OK) {
        add_those_near(contest, entries, count, text_string(&incumbent));
        contest_shrink(contest);
    }
    text_free(&incumbent);
    free(entries);
    return status;
}
