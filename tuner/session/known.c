/* Candidates known before the search: baselines, results of earlier runs (finished trials, and
 * trials that never ended), and the run's picks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/text.h"
#include "tuner/experiment/recall.h"
#include "tuner/records/winners.h"
#include "tuner/session/check.h"
#include "tuner/session/recorded.h"
#include "tuner/session/sweep.h"
#include "tuner/store/elsewhere.h"

/* Trials that the program did not survive this often are not tried again. */
enum { ATTEMPTS_MAX = 2 };

/* ---- baselines, measured first ---- */

/* Replaces the parameter by the block size that the Occupancy API suggests for the first kernel,
 * compiled with the baseline's own value. */
static enum status suggest_block(const struct work *work, struct sweep *sweep, struct lane *lane,
                                 const struct baseline *baseline,
                                 struct configuration *configuration, struct error *error)
{
    struct track track = sweep_track(work, sweep, lane, "sweep");
    struct outsider outsider = {.configuration = *configuration};
    struct candidate candidate = {.outsider = &outsider, .point = NO_POINT, .binary = NO_BINARY};
    struct slot slot = {.candidate = &candidate, .outcome = {.status = TRIAL_OK}};
    enum status status = track_load(work, &track, &slot, error);
    if (status == STATUS_OK && slot.outcome.status != TRIAL_OK)
        status = error_set(error, STATUS_LAUNCH_FAILED, "%s", slot.outcome.detail);
    int32_t block = status == STATUS_OK ? slot.prepared->resources[0].suggested_block : 0;
    for (size_t i = 0; block > 0 && i < configuration->count; i++) {
        struct named_value *parameter = &configuration->values[i];
        if (strcmp(parameter->name, baseline->occupancy_parameter) == 0)
            parameter->value = value_integer(block);
    }
    slot_free(&slot);
    return status;
}

/* Adds the baseline: an existing candidate, a point of the space, or a candidate outside. */
static enum status add_baseline(const struct work *work, struct sweep *sweep,
                                const struct baseline *baseline, struct error *error)
{
    struct configuration configuration = baseline->configuration;
    struct candidate *candidate = NULL;
    struct lane *lane = group_lane(work->group);
    if (!lane)
        return error_set(error, STATUS_DEVICE_LOST, "no device is left");
    enum status status = STATUS_OK;
    if (work->options->recording) {
        bool found = false;
        status =
            recorded_baseline(work, baseline->name, &sweep->arena, &configuration, &found, error);
        if (status != STATUS_OK || !found)
            return status;
    } else if (baseline->occupancy_parameter)
        status = suggest_block(work, sweep, lane, baseline, &configuration, error);
    if (status == STATUS_COMPILE_FAILED || status == STATUS_LAUNCH_FAILED) {
        session_note(work->session, "baseline '%s' is left out: %s", baseline->name, error->text);
        error_clear(error);
        return STATUS_OK;
    }
    if (status == STATUS_OK)
        status = sweep_candidate_of(work, sweep, &configuration, &candidate, error);
    if (status != STATUS_OK)
        return status;
    candidate->wanted |= WANTED_BASELINE;
    return store_baseline(work->store, work->environment_id, work->problem_id, baseline->name,
                          baseline->about, candidate->configuration_id, error);
}

enum status sweep_add_baselines(const struct work *work, struct sweep *sweep, struct error *error)
{
    struct baseline *baselines = calloc(EXPERIMENT_BASELINES_MAX, sizeof *baselines);
    size_t count = 0;
    if (!baselines)
        return error_no_memory(error);
    enum status status = experiment_baselines(work->experiment, &work->problem, work->facts,
                                              baselines, &count, error);
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        status = add_baseline(work, sweep, &baselines[i], error);
    free(baselines);
    return status;
}

/* ---- runs of a few configurations ---- */

bool session_has_size(const struct session_options *options, const struct problem *problem)
{
    for (size_t i = 0; i < options->size_count; i++)
        if (options->sizes[i] == problem->n)
            return true;
    return options->size_count == 0 || problem->shape;
}

bool session_picks_problem(const struct session_options *options, const struct problem *problem)
{
    for (size_t i = 0; i < options->pick_count; i++)
        if (options->picks[i].n == problem->n &&
            strcmp(options->picks[i].problem_key, problem->key) == 0)
            return true;
    return options->pick_count == 0;
}

/* Matches the longest value of a dimension at the start of `text`. Returns the length; 0: none. */
static size_t match_value(const struct space *space, size_t dimension, const char *text,
                          struct value *out)
{
    size_t longest = 0;
    for (size_t i = 0; i < space_value_count(space, dimension); i++) {
        char digits[VALUE_TEXT_BYTES];
        struct value value = space_value(space, dimension, i);
        const char *shown = value.kind == VALUE_TEXT ? value.text : digits;
        if (value.kind != VALUE_TEXT && !value_format(value, digits, sizeof digits))
            continue;
        size_t length = strlen(shown);
        if (length > longest && strncmp(text, shown, length) == 0 &&
            (text[length] == ' ' || text[length] == '\0')) {
            longest = length;
            *out = value;
        }
    }
    return longest;
}

/* Parses "variant=last_block block=256" by the present values of the parameters. */
static bool parse_key(const struct work *work, const struct sweep *sweep, const char *key,
                      struct configuration *configuration)
{
    const char *at = key;
    *configuration = (struct configuration){.count = space_dimension_count(sweep->space)};
    for (size_t i = 0; i < configuration->count; i++) {
        struct named_value *value = &configuration->values[i];
        value->name = experiment_head(work->experiment)->parameter_names[i];
        size_t name = strlen(value->name);
        if (strncmp(at, value->name, name) != 0 || at[name] != '=')
            return false;
        at += name + 1;
        size_t length = match_value(sweep->space, i, at, &value->value);
        at += length;
        if (length == 0 || (*at != '\0' && i + 1 == configuration->count))
            return false;
        at += *at == ' ' ? 1 : 0;
    }
    return *at == '\0';
}

static enum status take_pick(const struct work *work, struct sweep *sweep,
                             const struct session_pick *pick, struct error *error)
{
    struct configuration configuration;
    struct candidate *candidate = candidates_at_key(&sweep->candidates, pick->configuration);
    uint64_t point = 0;
    if (!candidate && parse_key(work, sweep, pick->configuration, &configuration) &&
        space_find(sweep->space, &configuration, &point))
        TRY(sweep_candidate(work, sweep, point, &candidate, error));
    if (!candidate) {
        problem_note(work->session, &work->problem, "'%s' is no configuration of %s",
                     pick->configuration, experiment_head(work->experiment)->path);
        return STATUS_OK;
    }
    candidate->wanted |= WANTED_PICKED | (pick->incumbent ? WANTED_INCUMBENT : 0);
    candidate->wanted &= ~(unsigned)WANTED_FIRST;
    candidate->wanted |= candidate->state == CANDIDATE_DONE ? 0 : WANTED_FIRST;
    return STATUS_OK;
}

/* ---- earlier runs ---- */

struct known {
    const struct work *work;
    struct sweep *sweep;
    struct lane *lane;
    struct arena scratch;
    size_t stale;
};

/* Finds the candidate of a stored trial by parameter values: a point of the space or a
 * baseline; NULL: neither. */
static enum status find_candidate(struct known *known, const char *key, const char *parameters,
                                  int64_t configuration_id, struct candidate **candidate,
                                  struct error *error)
{
    struct configuration configuration;
    struct sweep *sweep = known->sweep;
    uint64_t point = 0;
    char found[CONFIGURATION_KEY_BYTES];
    bool right = false;
    *candidate = candidates_outside(&sweep->candidates, key);
    if (*candidate)
        return STATUS_OK;
    TRY(recall_configuration(known->work->experiment, parameters, &known->scratch, &configuration,
                             &right, error));
    if (!right || !space_find(sweep->space, &configuration, &point))
        return STATUS_OK;
    if (!configuration_key(&configuration, found) || strcmp(found, key) != 0)
        return STATUS_OK;
    *candidate = candidates_at_point(&sweep->candidates, point);
    if (*candidate)
        return STATUS_OK;
    *candidate = candidates_add(&sweep->candidates, &configuration, key, point);
    if (!*candidate)
        return error_no_memory(error);
    (*candidate)->configuration_id = configuration_id;
    return STATUS_OK;
}

/* Takes a trial as known if run with the machine code that would run today. */
static enum status take_known(void *context, const struct store_known_trial *trial,
                              struct error *error)
{
    struct known *known = context;
    const struct work *work = known->work;
    struct sweep *sweep = known->sweep;
    const struct session_options *options = work->options;
    struct candidate *candidate = NULL;
    enum status status = find_candidate(known, trial->configuration_key, trial->parameters,
                                        trial->configuration_id, &candidate, error);
    if (status == STATUS_OK && candidate && candidate->state != CANDIDATE_DONE)
        status = sweep_request_binary(known->work, sweep, candidate, false, error);
    arena_free(&known->scratch);
    if (status != STATUS_OK || !candidate || candidate->state == CANDIDATE_DONE)
        return status;
    const struct binary *binary = candidate_binary(work, candidate);
    if (binary && !trial->binary_hash[0]) { /* failed through no fault of the kernel */
        candidate->wanted |= WANTED_FIRST;
        return STATUS_OK;
    }
    if (strcmp(binary ? binary->hash : "", trial->binary_hash) != 0) {
        known->stale++;
        return STATUS_OK;
    }
    if ((options->retry_mask >> trial->status & 1) == 0) {
        bool ok = trial->status == TRIAL_OK;
        candidate->status = trial->status;
        candidate->trial_id = trial->trial_id;
        candidate->twin_trial_id = trial->same_as_trial_id;
        candidate->median_ns = ok ? trial->median_ns : (double)NAN;
        /* A candidate that an earlier run's gauntlet rejected is not launched again. */
        if (ok && trial->rejected && verdict_holds(work, trial->rejected)) {
            candidate->rejected = arena_strdup(&sweep->arena, trial->rejected);
            if (!candidate->rejected)
                return error_no_memory(error);
        }
        struct prepared *prepared = NULL; /* for the objective, without the binary */
        if (!work_is_about_time(work) && !objective_needs_energy(work->objective)) {
            prepared = prepared_create(&sweep->candidates, candidate);
            if (!prepared)
                return error_no_memory(error);
            prepare_without_binary(work, prepared);
        }
        candidate->value = candidate_search_value(work, candidate, prepared);
        prepared_free(prepared);
        sweep->points += candidate->point != NO_POINT && !(candidate->wanted & WANTED_BASELINE);
        work->session->summary->trials_known++;
        work->session->summary->known_failures[trial->status] +=
            ok || trial->status == TRIAL_SKIPPED ? 0 : 1;
        return sweep_take_trial(work, sweep, candidate, error);
    }
    candidate->wanted |= WANTED_FIRST;
    return STATUS_OK;
}

/* Sets aside a trial that was running when the machine went down, or twice when the program did. */
static enum status take_in_flight(void *context, const struct store_in_flight *row,
                                  struct error *error)
{
    struct known *known = context;
    const struct work *work = known->work;
    struct sweep *sweep = known->sweep;
    struct candidate *candidate = NULL;
    enum status status = find_candidate(known, row->configuration_key, row->parameters,
                                        row->configuration_id, &candidate, error);
    if (status == STATUS_OK && candidate)
        status = sweep_request_binary(work, sweep, candidate, false, error);
    arena_free(&known->scratch);
    if (status != STATUS_OK)
        return status;
    const char *boot_id = work->group->machine->boot_id;
    bool other_start = boot_id[0] && strcmp(row->boot_id, boot_id) != 0;
    if (!candidate || candidate->state == CANDIDATE_DONE)
        return store_in_flight_clear(work->store, work->environment_id, work->problem_id,
                                     row->configuration_id, error);
    if (!other_start && row->attempts < ATTEMPTS_MAX)
        return STATUS_OK;
    struct worker_outcome outcome = {.status = TRIAL_CRASHED};
    (void)string_format(outcome.detail, sizeof outcome.detail,
                        "it was running when %s (%s); '--retry crashed' tries it again",
                        other_start ? "the machine went down" : "tune was killed, twice",
                        row->started_at);
    problem_note(work->session, &work->problem, "'%s' is set aside: %s", row->configuration_key,
                 outcome.detail);
    status = sweep_record(work, sweep, known->lane, candidate, &outcome, error);
    return status == STATUS_OK
               ? store_in_flight_clear(work->store, work->environment_id, work->problem_id,
                                       row->configuration_id, error)
               : status;
}

/* Wants the winner of a mode, also under another driver, or before a change of the file, before
 * unknown points, which a partial search may not reach. A winner outside the run's limits of values
 * races as well, since the fastest known configuration wins. */
static enum status take_incumbent(struct known *known, enum l2_mode mode, struct error *error)
{
    struct sweep *sweep = known->sweep;
    const struct work *work = known->work;
    struct configuration configuration;
    struct candidate *candidate = NULL;
    struct text key = {0};
    struct text parameters = {0};
    uint64_t point = 0;
    bool found = false;
    enum status status =
        store_incumbent(work->store, work->environment_id, work->problem_id, mode,
                        objective_text(work->objective), &found, &key, &parameters, error);
    if (status == STATUS_OK && found)
        status = recall_configuration(work->experiment, text_string(&parameters), &known->scratch,
                                      &configuration, &found, error);
    bool inside = status == STATUS_OK && found && space_find(sweep->space, &configuration, &point);
    if (status == STATUS_OK && found && !inside)
        status = space_admits(work->experiment, &work->problem, work->facts, &configuration, &found,
                              error);
    if (status == STATUS_OK && found)
        status = sweep_candidate_of(work, sweep, &configuration, &candidate, error);
    if (candidate)
        candidate->wanted |= WANTED_FIRST;
    if (candidate && !inside && mode == work->options->l2_mode)
        problem_note(work->session, &work->problem,
                     "--only leaves out the winner that is known, %s: it races, too",
                     text_string(&key));
    arena_free(&known->scratch);
    text_free(&key);
    text_free(&parameters);
    return status;
}

enum status sweep_take_known(const struct work *work, struct sweep *sweep, struct error *error)
{
    const struct session *session = work->session;
    struct known known = {.work = work, .sweep = sweep, .lane = group_lane(work->group)};
    if (!known.lane)
        return error_set(error, STATUS_DEVICE_LOST, "no device is left");
    /* Winners with launches issued otherwise are tried, too, so that each can be compared. */
    for (int i = 0; i < ISSUES && session->options->pick_count == 0; i++)
        TRY(take_incumbent(&known, l2_mode_as(session->options->l2_mode, (enum issue)i), error));
    TRY(store_known_trials(work->store, work->environment_id, work->problem_id, "sweep",
                           session->options->l2_mode, take_known, &known, error));
    /* Each known duplicate points to the candidate whose trial was measured. */
    struct index by_trial = {0};
    size_t place = 0;
    bool fits = true;
    for (size_t i = 0; fits && i < sweep->candidates.count; i++)
        if (sweep->candidates.items[i]->state == CANDIDATE_DONE)
            fits = index_put(&by_trial, (uint64_t)sweep->candidates.items[i]->trial_id, i);
    for (size_t i = 0; fits && i < sweep->candidates.count; i++) {
        struct candidate *candidate = sweep->candidates.items[i];
        if (candidate->twin_trial_id == 0)
            continue;
        if (index_find(&by_trial, (uint64_t)candidate->twin_trial_id, &place) && place != i)
            candidate->same_as = sweep->candidates.items[place];
    }
    index_free(&by_trial);
    if (!fits)
        return error_no_memory(error);
    for (size_t i = 0; i < session->options->pick_count; i++) {
        const struct session_pick *pick = &session->options->picks[i];
        if (pick->n == work->problem.n && strcmp(pick->problem_key, work->problem.key) == 0)
            TRY(take_pick(work, sweep, pick, error));
    }
    TRY(store_in_flight_each(work->store, work->environment_id, work->problem_id, take_in_flight,
                             &known, error));
    if (known.stale > 0)
        problem_note(
            session, &work->problem,
            "%s %s stale, since source, flags or compiler changed: not counted as measured",
            count_text(known.stale, "trial").text, known.stale == 1 ? "is" : "are");
    return STATUS_OK;
}

/* ---- other sizes and devices ---- */

struct elsewhere {
    const struct work *work;
    struct sweep *sweep;
    struct arena scratch;
    size_t trials;
    struct index sources; /* nearest first: this run's sources are even, the others odd */
    size_t nearer;        /* sources of this database */
    const char *database; /* NULL: this run's own */
    struct text devices;  /* devices of the trials */
};

/* Passes a trial to the search if this space has the point. */
static enum status take_elsewhere(void *context, const struct store_trial_elsewhere *trial,
                                  struct error *error)
{
    struct elsewhere *elsewhere = context;
    const struct sweep *sweep = elsewhere->sweep;
    struct configuration configuration;
    uint16_t values[EXPERIMENT_PARAMETERS_MAX];
    uint64_t point = 0, ids[3] = {(uint64_t)trial->environment_id, (uint64_t)trial->problem_id,
                                  elsewhere->database ? 1 : 0};
    bool right = false;
    enum status status = recall_configuration(elsewhere->work->experiment, trial->parameters,
                                              &elsewhere->scratch, &configuration, &right, error);
    const bool is_point =
        status == STATUS_OK && right && space_find(sweep->space, &configuration, &point);
    arena_free(&elsewhere->scratch);
    if (!is_point)
        return status;
    const uint64_t id = hash_u64(ids, sizeof ids, 0);
    size_t source = 2 * elsewhere->nearer + (elsewhere->database ? 1 : 0);
    if (!index_find(&elsewhere->sources, id, &source)) {
        if (!index_put(&elsewhere->sources, id, source))
            return error_no_memory(error);
        elsewhere->nearer++;
    }
    space_values(sweep->space, point, values);
    search_tell_elsewhere(sweep->search, source, values, trial->median_ns);
    elsewhere->trials++;
    if (!strstr(text_string(&elsewhere->devices), trial->device))
        text_printf(&elsewhere->devices, "%s%s", elsewhere->devices.length > 0 ? ", " : "",
                    trial->device);
    return STATUS_OK;
}

/* Passes a database's trials to the search, and notes the number. */
static enum status seed_from(struct elsewhere *elsewhere, struct store *store,
                             int64_t environment_id, int64_t problem_id, struct error *error)
{
    const struct work *work = elsewhere->work;
    const struct store_elsewhere here = {
        .environment_id = environment_id,
        .problem_id = problem_id,
        .experiment = experiment_head(work->experiment)->name,
        .key = work->problem.key,
        .n = work->problem.n,
        .device_kind = work->options->device_kind,
        .device = facts_text(work->facts, "name", ""),
        .without_device = elsewhere->database && work->options->prior_of_others,
        .l2_mode = work->options->l2_mode,
    };
    elsewhere->trials = elsewhere->nearer = 0;
    text_clear(&elsewhere->devices);
    TRY(store_trials_elsewhere(store, &here, take_elsewhere, elsewhere, error));
    struct session_summary *summary = work->session->summary;
    if (elsewhere->trials > 0 &&
        is_first_problem(elsewhere->database ? &summary->began_prior : &summary->began_elsewhere))
        problem_note(
            work->session, &work->problem,
            "the search begins with the results of %s of other sizes, problems or "
            "devices%s%s (%s)",
            count_text(elsewhere->trials, "trial").text, elsewhere->database ? ", out of " : "",
            elsewhere->database ? elsewhere->database : "", text_string(&elsewhere->devices));
    return STATUS_OK;
}

/* Most winners passed to a search, beside a share of the points. */
enum { WINNERS_MAX = 16 };

enum status sweep_seed_winners(const struct work *work, struct sweep *sweep, struct error *error)
{
    const struct session_options *options = work->options;
    struct winner_elsewhere *winners = NULL;
    struct arena arena = {0};
    struct text devices = {0};
    const uint64_t share = sweep->allowance.points_most / SEARCH_WINNERS_SHARE;
    const size_t most = share > WINNERS_MAX          ? WINNERS_MAX
                        : share < SEARCH_WINNERS_MIN ? SEARCH_WINNERS_MIN
                                                     : (size_t)share;
    size_t count = 0, named = 0;
    /* A search of all points gains nothing, and a replay is to find the winner. */
    if (!options->winners || options->recording || options->pick_count > 0 ||
        !work_is_about_time(work) ||
        (options->budget_ns == 0 && sweep->allowance.points_most >= sweep->space_count))
        return STATUS_OK;
    enum status status = winners_nearest(options->winners, work->experiment, &work->problem,
                                         work->facts, &arena, &winners, &count, error);
    for (size_t i = 0; status == STATUS_OK && i < count && named < most; i++) {
        const bool is_portable = strcmp(winners[i].device, "*") == 0;
        const char *device = is_portable ? "portable" : winners[i].device;
        struct configuration configuration;
        uint64_t point = 0;
        /* Portable winners also rest on this device's results. */
        if (options->prior_of_others &&
            (is_portable || strcmp(device, facts_text(work->facts, "name", "")) == 0))
            continue;
        if (!parse_key(work, sweep, winners[i].configuration, &configuration) ||
            !space_find(sweep->space, &configuration, &point) ||
            !search_tell_winner(sweep->search, point))
            continue;
        named++;
        if (!strstr(text_string(&devices), device))
            text_printf(&devices, "%s%s", devices.length > 0 ? ", " : "", device);
    }
    if (named > 0 && is_first_problem(&work->session->summary->tried_winners))
        problem_note(
            work->session, &work->problem,
            "the search tries %zu that won elsewhere, out of %s (%s); --prior none leaves them out",
            named, options->winners_path, text_string(&devices));
    text_free(&devices);
    arena_free(&arena);
    return status;
}

enum status sweep_seed_elsewhere(const struct work *work, struct sweep *sweep, size_t *trials,
                                 struct error *error)
{
    struct elsewhere elsewhere = {.work = work, .sweep = sweep};
    /* Runs of picked configurations search no space. */
    if (work->options->pick_count > 0 || !work_is_about_time(work) ||
        !search_learns_from_elsewhere(sweep->search))
        return STATUS_OK;
    enum status status =
        seed_from(&elsewhere, work->store, work->environment_id, work->problem_id, error);
    *trials = elsewhere.trials;
    elsewhere.database = work->options->prior ? work->options->prior_path : NULL;
    if (status == STATUS_OK && elsewhere.database)
        status = seed_from(&elsewhere, work->options->prior, 0, 0, error);
    *trials += elsewhere.database ? elsewhere.trials : 0;
    text_free(&elsewhere.devices);
    index_free(&elsewhere.sources);
    arena_free(&elsewhere.scratch);
    return status;
}
