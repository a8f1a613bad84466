/* What earlier runs left: trials that need not be done again, and trials that never ended. */
#include <math.h>
#include <string.h>

#include "tuner/base/text.h"
#include "tuner/export/recall.h"
#include "tuner/session/internal.h"

/* A trial that the program did not survive as often as this is not tried again. */
enum { ATTEMPTS_MAX = 2 };

struct known {
    struct sweep *sweep;
    struct lane *lane;
    struct arena scratch;
    size_t stale;
};

/* What the store knows by its values: a point of the space, a baseline, or (NULL) nothing that is
 * asked for today. */
static enum status find_candidate(struct known *known, const char *key, const char *parameters,
                                  int64_t configuration_id, struct candidate **out,
                                  struct error *error)
{
    struct configuration configuration;
    struct sweep *sweep = known->sweep;
    uint64_t point = 0;
    char found[CONFIGURATION_KEY_BYTES];
    bool right = false;
    *out = table_outside(&sweep->table, key);
    if (*out)
        return STATUS_OK;
    enum status status = recall_configuration(sweep->experiment, parameters, &known->scratch,
                                              &configuration, &right, error);
    if (status != STATUS_OK || !right || !space_find(sweep->space, &configuration, &point))
        return status;
    if (!configuration_key(&configuration, found) || strcmp(found, key) != 0)
        return STATUS_OK;
    *out = table_at_point(&sweep->table, point);
    if (*out)
        return STATUS_OK;
    *out = table_add(&sweep->table, &configuration, key, point);
    if (!*out)
        return error_no_memory(error);
    (*out)->configuration_id = configuration_id;
    return STATUS_OK;
}

/* What an earlier run's gauntlet rejected is not launched to be rejected again. */
static enum status take_rejected(struct sweep *sweep, struct candidate *candidate,
                                 const struct store_known_trial *trial, struct error *error)
{
    if (!trial->rejected)
        return STATUS_OK;
    candidate->rejected = arena_strdup(&sweep->arena, trial->rejected);
    return candidate->rejected ? STATUS_OK : error_no_memory(error);
}

static enum status take_trial(struct sweep *sweep, struct candidate *candidate,
                              const struct store_known_trial *trial, struct error *error)
{
    candidate->done = true;
    candidate->status = trial->status;
    candidate->trial_id = trial->trial_id;
    candidate->twin_trial_id = trial->same_as_trial_id;
    candidate->median_ns = trial->status == TRIAL_OK ? trial->median_ns : (double)NAN;
    candidate->value = sweep_told(sweep, candidate, NULL);
    sweep->points += candidate->point != NO_POINT && !candidate->is_baseline ? 1 : 0;
    sweep->group->session->summary->trials_known++;
    sweep->group->session->progress.points_done++;
    enum status status =
        trial->status == TRIAL_OK ? take_rejected(sweep, candidate, trial, error) : STATUS_OK;
    sweep_compare(sweep, candidate);
    if (status == STATUS_OK && !table_done(&sweep->table, candidate))
        return error_no_memory(error);
    return status;
}

/* A trial counts as known while the machine code it ran is the one that would run today. */
static enum status take_known(void *context, const struct store_known_trial *trial,
                              struct error *error)
{
    struct known *known = context;
    struct sweep *sweep = known->sweep;
    const struct session_options *options = sweep->group->session->options;
    struct candidate *candidate = NULL;
    enum status status = find_candidate(known, trial->configuration_key, trial->parameters,
                                        trial->configuration_id, &candidate, error);
    if (status == STATUS_OK && candidate && !candidate->done)
        status = sweep_binary(sweep, candidate, false, error);
    arena_free(&known->scratch);
    if (status != STATUS_OK || !candidate || candidate->done)
        return status;
    const struct binary *binary = candidate_binary(sweep, candidate);
    if (binary && !trial->binary_hash[0]) { /* it came to none, by no fault of its own */
        candidate->again = true;
        return STATUS_OK;
    }
    if (strcmp(binary ? binary->hash : "", trial->binary_hash) != 0) {
        known->stale++;
        return STATUS_OK;
    }
    candidate->again = (options->retry_mask >> trial->status & 1) != 0;
    return candidate->again ? STATUS_OK : take_trial(sweep, candidate, trial, error);
}

static enum status clear(const struct known *known, int64_t configuration_id, struct error *error)
{
    return store_in_flight_clear(known->sweep->group->session->store,
                                 known->sweep->group->environment_id, known->sweep->problem_id,
                                 configuration_id, error);
}

/* What was in flight when the machine went down, or twice when the program did, is set aside. */
static enum status take_in_flight(void *context, const struct store_in_flight *row,
                                  struct error *error)
{
    struct known *known = context;
    struct sweep *sweep = known->sweep;
    const struct session *session = sweep->group->session;
    struct candidate *candidate = NULL;
    enum status status = find_candidate(known, row->configuration_key, row->parameters,
                                        row->configuration_id, &candidate, error);
    if (status == STATUS_OK && candidate)
        status = sweep_binary(sweep, candidate, false, error);
    arena_free(&known->scratch);
    if (status != STATUS_OK)
        return status;
    bool other_start = session->boot_id[0] && strcmp(row->boot_id, session->boot_id) != 0;
    if (!candidate || candidate->done)
        return clear(known, row->configuration_id, error);
    if (!other_start && row->attempts < ATTEMPTS_MAX)
        return STATUS_OK;
    struct worker_outcome outcome = {.status = TRIAL_CRASHED};
    (void)string_format(outcome.detail, sizeof outcome.detail,
                        "it was running when %s (%s); '--retry crashed' tries it again",
                        other_start ? "the machine went down" : "tune was killed, twice",
                        row->started_at);
    session_note(session, "%s n=%lld: '%s' is set aside: %s", sweep->problem.key,
                 (long long)sweep->problem.n, candidate->key, outcome.detail);
    status = sweep_record(sweep, known->lane, candidate, &outcome, error);
    return status == STATUS_OK ? clear(known, row->configuration_id, error) : status;
}

/* A duplicate points to the trial that was measured: here, to its candidate. */
static enum status resolve_twins(struct sweep *sweep, struct error *error)
{
    struct index by_trial = {0};
    size_t place = 0;
    bool fits = true;
    for (size_t i = 0; fits && i < sweep->table.count; i++)
        if (sweep->table.items[i]->done)
            fits = index_put(&by_trial, (uint64_t)sweep->table.items[i]->trial_id, i);
    for (size_t i = 0; fits && i < sweep->table.count; i++) {
        struct candidate *candidate = sweep->table.items[i];
        if (candidate->twin_trial_id == 0)
            continue;
        if (index_find(&by_trial, (uint64_t)candidate->twin_trial_id, &place) && place != i)
            candidate->same_as = sweep->table.items[place];
    }
    index_free(&by_trial);
    return fits ? STATUS_OK : error_no_memory(error);
}

/* What won under another driver, or before the file was changed, is tried before what nobody knows
 * anything of: a search that cannot try all would perhaps not come to it. */
static enum status take_incumbent(struct known *known, struct error *error)
{
    struct sweep *sweep = known->sweep;
    const struct session *session = sweep->group->session;
    struct configuration configuration;
    struct candidate *candidate = NULL;
    struct text key = {0};
    struct text parameters = {0};
    uint64_t point = 0;
    bool found = false;
    enum status status = store_incumbent(
        session->store, sweep->group->environment_id, sweep->problem_id, session->options->l2_mode,
        objective_text(sweep->objective), &found, &key, &parameters, error);
    if (status == STATUS_OK && found)
        status = recall_configuration(sweep->experiment, text_string(&parameters), &known->scratch,
                                      &configuration, &found, error);
    if (status == STATUS_OK && found && space_find(sweep->space, &configuration, &point))
        status = sweep_candidate(sweep, point, &candidate, error);
    if (candidate)
        candidate->again = true;
    arena_free(&known->scratch);
    text_free(&key);
    text_free(&parameters);
    return status;
}

enum status sweep_take_known(struct sweep *sweep, struct error *error)
{
    const struct session *session = sweep->group->session;
    struct known known = {.sweep = sweep, .lane = group_lane(sweep->group)};
    if (!known.lane)
        return error_set(error, STATUS_DEVICE_LOST, "no device is left");
    enum status status =
        store_known_trials(session->store, sweep->group->environment_id, sweep->problem_id, "sweep",
                           session->options->l2_mode, take_known, &known, error);
    if (status == STATUS_OK)
        status = resolve_twins(sweep, error);
    if (status == STATUS_OK)
        status = session->options->only_count > 0 ? sweep_take_only(sweep, error)
                                                  : take_incumbent(&known, error);
    if (status == STATUS_OK)
        status = store_in_flight_each(session->store, sweep->group->environment_id,
                                      sweep->problem_id, take_in_flight, &known, error);
    if (status == STATUS_OK && known.stale > 0)
        session_note(session,
                     "%s n=%lld: %zu trials are stale, since source, flags or compiler changed; "
                     "they count as not measured",
                     sweep->problem.key, (long long)sweep->problem.n, known.stale);
    return status;
}
