/* What earlier runs left: trials that need not be done again, and trials that never ended. */
#include <math.h>
#include <string.h>

#include "tuner/base/text.h"
#include "tuner/session/internal.h"

/* A trial that the program did not survive as often as this is not tried again. */
enum { ATTEMPTS_MAX = 2 };

struct known {
    struct sweep *sweep;
    struct lane *lane;
    size_t stale;
};

static struct candidate *find_key(struct sweep *sweep, const char *key)
{
    for (size_t i = 0; i < sweep->count; i++)
        if (strcmp(sweep->candidates[i].key, key) == 0)
            return &sweep->candidates[i];
    return NULL;
}

/* A trial counts as known while the machine code it ran is the one that would run today. */
static enum status take_known(void *context, const struct store_known_trial *trial,
                              struct error *error)
{
    (void)error;
    struct known *known = context;
    struct sweep *sweep = known->sweep;
    const struct session_options *options = sweep->group->session->options;
    struct candidate *candidate = find_key(sweep, trial->configuration_key);
    if (!candidate || candidate->done || (options->retry_mask >> trial->status & 1))
        return STATUS_OK;
    if (strcmp(sweep->group->binaries.items[candidate->binary].hash, trial->binary_hash) != 0) {
        known->stale++;
        return STATUS_OK;
    }
    candidate->done = true;
    candidate->status = trial->status;
    candidate->trial_id = trial->trial_id;
    candidate->twin_trial_id = trial->same_as_trial_id;
    candidate->median_ns = trial->status == TRIAL_OK ? trial->median_ns : (double)NAN;
    sweep->group->session->summary->trials_known++;
    sweep->group->session->progress.points_done++;
    if (trial->status == TRIAL_OK && !candidate->rejected &&
        (sweep->best == sweep->count ||
         trial->median_ns < sweep->candidates[sweep->best].median_ns))
        sweep->best = (size_t)(candidate - sweep->candidates);
    return STATUS_OK;
}

/* What an earlier run's gauntlet rejected is not launched to be rejected again. */
static enum status take_rejected(struct sweep *sweep, struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < sweep->count; i++) {
        struct candidate *candidate = &sweep->candidates[i];
        char detail[ERROR_TEXT_BYTES] = "";
        bool known = false;
        bool passed = false;
        status = store_gauntlet_get(sweep->group->session->store, sweep->group->environment_id,
                                    sweep->problem_id, candidate->configuration_id,
                                    sweep->group->binaries.items[candidate->binary].hash, &known,
                                    &passed, detail, error);
        if (status != STATUS_OK || !known || passed)
            continue;
        candidate->rejected = arena_strdup(&sweep->arena, detail);
        status = candidate->rejected ? STATUS_OK : error_no_memory(error);
    }
    return status;
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
    for (size_t i = 0; i < sweep->count && !candidate; i++)
        if (sweep->candidates[i].configuration_id == row->configuration_id)
            candidate = &sweep->candidates[i];
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
    enum status status = sweep_record(sweep, known->lane, candidate, &outcome, error);
    return status == STATUS_OK ? clear(known, row->configuration_id, error) : status;
}

/* A duplicate points to the trial that was measured: here, to its candidate. */
static void resolve_twins(struct sweep *sweep)
{
    for (size_t i = 0; i < sweep->count; i++) {
        struct candidate *candidate = &sweep->candidates[i];
        for (size_t j = 0; candidate->twin_trial_id != 0 && j < sweep->count; j++)
            if (sweep->candidates[j].trial_id == candidate->twin_trial_id && j != i)
                candidate->same_as = (int64_t)j;
    }
}

enum status sweep_take_known(struct sweep *sweep, struct error *error)
{
    const struct session *session = sweep->group->session;
    struct known known = {.sweep = sweep, .lane = group_lane(sweep->group)};
    if (!known.lane)
        return error_set(error, STATUS_DEVICE_LOST, "no device is left");
    enum status status = take_rejected(sweep, error);
    if (status == STATUS_OK)
        status = store_known_trials(session->store, sweep->group->environment_id, sweep->problem_id,
                                    "sweep", session->options->l2_mode, take_known, &known, error);
    resolve_twins(sweep);
    if (status == STATUS_OK)
        status = store_in_flight_each(session->store, sweep->group->environment_id,
                                      sweep->problem_id, take_in_flight, &known, error);
    if (status == STATUS_OK && known.stale > 0)
        session_note(session,
                     "%s n=%lld: %zu trials are stale, since source, flags or compiler changed; "
                     "they are measured again",
                     sweep->problem.key, (long long)sweep->problem.n, known.stale);
    return status;
}
