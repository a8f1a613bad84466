#include "tuner/session/track.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tuner/base/array.h"
#include "tuner/base/clock.h"
#include "tuner/session/recorded.h"
#include "tuner/stats/race.h"

/* ---- a slot ---- */

void slot_drop_samples(struct slot *slot)
{
    free(slot->samples);
    slot->samples = NULL;
    slot->sample_count = slot->sample_capacity = 0;
}

void slot_free(struct slot *slot)
{
    slot_drop_samples(slot);
    prepared_free(slot->prepared);
    slot->prepared = NULL;
}

/* Adds a visit's samples to the slot; `energy_j` NaN: not measured. */
static enum status keep_samples(const struct track *track, struct slot *slot,
                                const struct worker_samples *samples, double energy_j,
                                struct error *error)
{
    if (!array_grow_by(&slot->samples, slot->sample_count, samples->count, &slot->sample_capacity,
                       sizeof *slot->samples))
        return error_no_memory(error);
    for (uint32_t i = 0; i < samples->count; i++)
        slot->samples[slot->sample_count++] = (struct store_sample){
            .process = track->process,
            .round = (int32_t)track->round_count,
            .runs = (int32_t)samples->runs,
            .elapsed_ns = samples->elapsed_ns[i],
            .energy_j = energy_j,
        };
    return STATUS_OK;
}

struct measured measured_none(void)
{
    return (struct measured){
        .times = summarize(NULL, 0), .energy_j = (double)NAN, .value = (double)NAN};
}

enum status slot_times(const struct slot *slot, struct measured *measured, struct error *error)
{
    double *times = malloc((slot->sample_count + 1) * sizeof *times);
    double *energies = malloc((slot->sample_count + 1) * sizeof *energies);
    enum status status = times && energies ? STATUS_OK : error_no_memory(error);
    size_t count = 0;
    *measured = measured_none();
    for (size_t i = 0; status == STATUS_OK && i < slot->sample_count; i++) {
        if (slot->samples[i].invalid)
            continue;
        times[count] = slot->samples[i].elapsed_ns;
        energies[count++] = slot->samples[i].energy_j;
    }
    if (status == STATUS_OK) {
        measured->times = summarize(times, count);
        measured->energy_j = count > 0 ? median_of(energies, count) : (double)NAN;
    }
    free(times);
    free(energies);
    return status;
}

enum status slot_measured(const struct work *work, const struct slot *slot,
                          struct measured *measured, struct error *error)
{
    double value = (double)NAN;
    TRY(slot_times(slot, measured, error));
    if (slot->outcome.status == TRIAL_OK && measured->times.median > 0)
        TRY(prepared_value(work, slot->prepared, measured->times.median, measured->energy_j, &value,
                           error));
    measured->value = exp(value);
    return STATUS_OK;
}

/* Stores the slot's trial. A sweep's value is the time, whatever the objective; other stages store
 * the plan only of trials that worked. */
enum status slot_store(const struct work *work, const struct track *track, const struct slot *slot,
                       const struct measured *measured, bool cheap, int64_t *trial_id,
                       struct error *error)
{
    const struct candidate *candidate = slot->candidate;
    const struct prepared *prepared = slot->prepared;
    const struct binary *binary = candidate_binary(work, candidate);
    bool ok = slot->outcome.status == TRIAL_OK;
    bool is_sweep = strcmp(track->stage, "sweep") == 0;
    struct named_value metrics[EXPERIMENT_METRICS_MAX];
    if (!prepared || prepared->plan.launch_count == 0 || (!ok && !is_sweep))
        prepared = NULL;
    const struct store_trial row = {
        .run_id = track->lane->run_id,
        .environment_id = work->environment_id,
        .problem_id = work->problem_id,
        .configuration_id = candidate->configuration_id,
        .stage = track->stage,
        .objective = is_sweep ? "time" : objective_text(work->objective),
        .l2_mode = work->options->l2_mode,
        .status = slot->outcome.status,
        .detail = slot->outcome.detail[0] ? slot->outcome.detail : NULL,
        .compile_log = binary && slot->outcome.status == TRIAL_COMPILE_FAILED ? binary->log : NULL,
        .same_as_trial_id = is_sweep && candidate->same_as ? candidate->same_as->trial_id : 0,
        .binary_hash = binary && !binary->killed && !slot->outcome.starved
                           ? binary->hash
                           : NULL, /* tried again later */
        .derived = prepared ? prepared->derived : NULL,
        .derived_count = prepared ? prepared->derived_count : 0,
        .metrics = metrics,
        .metric_count = prepared && ok ? prepared_metrics(work, prepared, measured->times.median,
                                                          measured->energy_j, metrics)
                                       : 0,
        .plan = prepared ? &prepared->plan : NULL,
        .resources = prepared ? prepared->resources : NULL,
        .samples = slot->samples,
        .sample_count = slot->sample_count,
        .median_ns = measured->times.median,
        .mad_ns = measured->times.mad,
        .min_ns = measured->times.minimum,
        .max_ns = measured->times.maximum,
        .energy_j = measured->energy_j,
        .value = is_sweep ? measured->times.median : measured->value,
        .deviation = is_sweep && ok ? slot->deviation : (double)NAN,
        .duration_ns = slot->spent_ns,
        .cheap = cheap || work->options->recording,
    };
    return store_trial(work->store, &row, trial_id, error);
}

/* Returns the checks to send with a task: those sent with the problem are left out. */
static struct worker_checks checks_beside(const struct check_set *set, bool wanted)
{
    return set && set->key[0] && wanted ? set->checks : (struct worker_checks){0};
}

/* ---- one slot alone ---- */

enum status track_load(const struct work *work, struct track *track, struct slot *slot,
                       struct error *error)
{
    if (!slot->prepared)
        slot->prepared = prepared_create(track->candidates, slot->candidate);
    if (!slot->prepared)
        return error_no_memory(error);
    return prepare_load(work, track->inputs, track->lane, slot->candidate, slot->prepared,
                        &slot->outcome, error);
}

/* Finds the checks of the slot's results. If these are invalid, the outcome reports that. */
static enum status find_checks(const struct work *work, const struct track *track,
                               struct slot *slot, const struct check_set **set, struct error *error)
{
    enum status status =
        inputs_checks(work, track->inputs, &slot->prepared->configuration, set, error);
    if (status != STATUS_BAD_INPUT)
        return status;
    slot->outcome.status = TRIAL_WRONG_RESULT;
    (void)string_format(slot->outcome.detail, sizeof slot->outcome.detail, "%s", error->text);
    error_clear(error);
    return STATUS_OK;
}

enum status track_time_alone(const struct work *work, struct track *track, struct slot *slot,
                             const struct timing *timing, struct error *error)
{
    enum { TRIES_MAX = 3 };
    struct lane *lane = track->lane;
    struct worker_samples samples = {0};
    const struct check_set *set = NULL;
    enum status status = find_checks(work, track, slot, &set, error);
    bool retry = slot->outcome.status == TRIAL_OK;
    for (int tries = 0; status == STATUS_OK && retry && tries < TRIES_MAX; tries++) {
        const int64_t usual_ms = lane_timeout_ms(lane, track->best_ns, timing->blocks, false);
        const struct worker_task task = {
            .binary_path = candidate_binary(work, slot->candidate)->path,
            .checks = checks_beside(set, true),
            .checks_key = set ? set->key : NULL,
            .plan = &slot->prepared->plan,
            .l2_mode = track->mode,
            .verify = true,
            .blocks = timing->blocks,
            .runs = timing->runs,
            .stop_above_ns = timing->stop_above_ns,
            .timeout_ms = budget_trial_ms(lane, track->best_ns, timing->blocks, usual_ms),
        };
        int64_t left_ns = lane_leave(lane);
        status = worker_trial(lane->worker, &task, &samples, &slot->outcome, error);
        lane_enter(lane, left_ns, &lane->measuring_ns);
        if (status != STATUS_OK)
            return lane_lose(lane, error);
        if (slot->outcome.status == TRIAL_TIMED_OUT && task.timeout_ms < usual_ms) {
            slot->outcome.starved = true;
            (void)string_format(slot->outcome.detail, sizeof slot->outcome.detail,
                                "no result after %lld ms, for which the budget left time; its "
                                "process was killed, and the next run tries it again",
                                (long long)task.timeout_ms);
        }
        status = lane_probe_after(lane, &slot->outcome, error);
        if (status == STATUS_OK)
            status = prepare_restore(work, track->inputs, slot->candidate, slot->prepared,
                                     &slot->outcome, &retry, error);
    }
    slot->runs = samples.runs;
    slot->deviation = samples.deviation;
    return status == STATUS_OK ? keep_samples(track, slot, &samples, (double)NAN, error) : status;
}

/* ---- in rounds ---- */

static enum status arm(const struct work *work, struct track *track, size_t index,
                       struct error *error)
{
    struct slot *slot = track->slots[index];
    if (slot->outcome.status == TRIAL_OK)
        TRY(track_load(work, track, slot, error));
    if (slot->outcome.status != TRIAL_OK)
        return STATUS_OK;
    const struct candidate *candidate = slot->candidate;
    struct calibration calibration = worker_head(track->lane->worker)->calibration;
    slot->runs = candidate->runs > 0 ? candidate->runs : 1;
    if (candidate->runs <= 1 && candidate->median_ns > 0) {
        slot->runs = block_runs(candidate->median_ns, calibration.tick_ns, work->protocol->block_ns,
                                BLOCK_RUNS_MAX);
    }
    const struct check_set *set = NULL;
    TRY(find_checks(work, track, slot, &set, error));
    if (slot->outcome.status != TRIAL_OK)
        return STATUS_OK;
    const struct worker_task task = {
        .binary_path = candidate_binary(work, slot->candidate)->path,
        .checks = checks_beside(set, track->lane->has_expected),
        .checks_key = set->key,
        .plan = &slot->prepared->plan,
        .l2_mode = track->mode,
        .runs = slot->runs,
        .results = &slot->results,
    };
    const enum status status = worker_arm(track->lane->worker, (uint32_t)index, &task, error);
    return status == STATUS_OK ? STATUS_OK : lane_lose(track->lane, error);
}

enum status track_begin(const struct work *work, struct track *track, bool check,
                        struct error *error)
{
    for (size_t i = 0; i < track->count; i++) /* results that vary by themselves need references */
        check = check || (track->slots[i]->results.unsteady && inputs_are_cheap(track->inputs));
    enum status status = inputs_send(work, track->inputs, track->lane, check, error);
    if (track->blocks == 0)
        track->blocks = (uint32_t)work->protocol->visit_blocks;
    /* A random order, so that the place of the code in memory is no property of a candidate. */
    size_t *order = malloc((track->count + 1) * sizeof *order);
    if (!order)
        return error_no_memory(error);
    for (size_t i = 0; i < track->count; i++)
        order[i] = i;
    random_shuffle(&track->random, order, track->count);
    for (size_t i = 0; status == STATUS_OK && i < track->count; i++)
        status = arm(work, track, order[i], error);
    free(order);
    return status;
}

/* Times one block with verified results, then the energy window, whose results are not verified. */
static enum status visit_energy(const struct work *work, struct track *track, size_t index,
                                struct worker_samples *samples, double *energy_j,
                                struct error *error)
{
    const struct protocol *protocol = work->protocol;
    struct slot *slot = track->slots[index];
    struct energy energy = {0};
    int64_t timeout_ms = lane_timeout_ms(track->lane, track->best_ns, 1, true);
    enum status status = worker_visit(track->lane->worker, (uint32_t)index, 1, timeout_ms, samples,
                                      &slot->outcome, error);
    samples->count = 0;
    if (status == STATUS_OK && slot->outcome.status == TRIAL_OK)
        status = worker_energy(track->lane->worker, (uint32_t)index, protocol->energy_window_ms,
                               timeout_ms + (int64_t)(4 * protocol->energy_window_ms), &energy,
                               &slot->outcome, error);
    if (status != STATUS_OK || slot->outcome.status != TRIAL_OK || !(energy.runs > 0))
        return status;
    *energy_j = energy.energy_j / energy.runs;
    track->energy_share = energy.resolution_j / energy.energy_j;
    samples->runs = energy.runs < (double)INT32_MAX ? (uint32_t)energy.runs : (uint32_t)INT32_MAX;
    samples->count = 1;
    samples->elapsed_ns[0] = energy.window_ns / energy.runs;
    return STATUS_OK;
}

/* Visits one slot once: *y stays NaN on failure. */
static enum status visit(const struct work *work, struct track *track, size_t index, double *y,
                         double *time_ns, struct error *error)
{
    struct lane *lane = track->lane;
    struct slot *slot = track->slots[index];
    struct worker_samples samples = {0};
    double energy_j = (double)NAN;
    int64_t timeout_ms =
        lane_timeout_ms(lane, track->best_ns, track->blocks, track->round_count == 0);
    enum status status = STATUS_OK;
    bool retry = true;
    for (int tries = 0; status == STATUS_OK && retry && tries < 2; tries++) {
        int64_t left_ns = lane_leave(lane);
        const int64_t started_ns = clock_budget_ns();
        if (objective_needs_energy(work->objective))
            status = visit_energy(work, track, index, &samples, &energy_j, error);
        else
            status = worker_visit(lane->worker, (uint32_t)index, track->blocks, timeout_ms,
                                  &samples, &slot->outcome, error);
        recorded_charge(work, &slot->prepared->configuration, track->blocks);
        slot->spent_ns += clock_budget_ns() - started_ns;
        lane_enter(lane, left_ns, &lane->measuring_ns);
        if (samples.results.outputs != 0) {
            slot->results = samples.results;
            slot->candidate->compared += samples.results.compared;
            track->unsure = track->unsure || samples.results.unsure;
        }
        if (status == STATUS_OK)
            status = prepare_restore(work, track->inputs, slot->candidate, slot->prepared,
                                     &slot->outcome, &retry, error);
    }
    if (status == STATUS_UNAVAILABLE)
        return status;
    char detail[ERROR_TEXT_BYTES];
    struct session *session = work->session;
    double window_ms = work->protocol->energy_window_ms;
    if (slot->outcome.status == TRIAL_WRONG_RESULT) {
        (void)string_format(detail, sizeof detail, "%s: %s", track->stage, slot->outcome.detail);
        (void)string_format(slot->outcome.detail, sizeof slot->outcome.detail, "%s", detail);
    }
    if (!session->energy_noted && track->energy_share > 0) {
        session->energy_noted = true;
        session_note(session,
                     "the energy counter's step is %.1f %% of a window of %.0f ms; --set "
                     "energy_window_ms=%.0f makes it half of that",
                     100 * track->energy_share, window_ms, 2 * window_ms);
    }
    if (status != STATUS_OK)
        return lane_lose(lane, error);
    status = lane_probe_after(lane, &slot->outcome, error);
    if (status != STATUS_OK) { /* the device's fault: another may try */
        slot->outcome = (struct worker_outcome){.status = TRIAL_OK};
        return status;
    }
    if (slot->outcome.status != TRIAL_OK || samples.count == 0)
        return STATUS_OK;
    *time_ns = median_of(samples.elapsed_ns, samples.count);
    work->session->summary->samples += samples.count;
    status = keep_samples(track, slot, &samples, energy_j, error);
    return status == STATUS_OK ? prepared_value(work, slot->prepared, *time_ns, energy_j, y, error)
                               : status;
}

static enum status take_moment(struct track *track, double *anchor_ns,
                               struct conditions *conditions, struct error *error)
{
    struct lane *lane = track->lane;
    struct worker_moment moment = {.anchor_ns = (double)NAN, .conditions = conditions_unknown()};
    int64_t left_ns = lane_leave(lane);
    enum status status = worker_moment(lane->worker, true, &moment, error);
    lane_enter(lane, left_ns, &lane->measuring_ns);
    *anchor_ns = moment.anchor_ns;
    *conditions = moment.conditions;
    return status == STATUS_OK ? STATUS_OK : lane_lose(lane, error);
}

/* Waits while another process uses the device, up to the protocol's limit or a tenth of the budget.
 * One that stays for so long is not awaited again: an idle program's context would end every race
 * without a round. */
static enum status wait_alone(const struct work *work, struct track *track,
                              struct round_record *record, struct error *error)
{
    struct session *session = work->session;
    struct lane *lane = track->lane;
    const struct timespec pause = {.tv_nsec = 200000000};
    const double other_wait_ms = work->protocol->other_wait_ms;
    const int64_t budget_ns = session->options->budget_ns;
    const double tenth_ms = budget_ns > 0 ? (double)budget_ns * 1e-7 : INFINITY;
    const int64_t limit_ms = (int64_t)fmin(other_wait_ms, tenth_ms);
    int64_t waited_ms = 0;
    while (record->before.other_processes > lane->others && !session_stopped(session) &&
           waited_ms < limit_ms) {
        int64_t idle_ns = 0;
        const int64_t left_ns = lane_leave(lane);
        (void)nanosleep(&pause, NULL);
        lane_enter(lane, left_ns, &idle_ns);
        waited_ms += 200;
        TRY(take_moment(track, &record->anchor_first_ns, &record->before, error));
    }
    if (limit_ms > 0 && waited_ms >= limit_ms && record->before.other_processes > lane->others) {
        lane->others = record->before.other_processes;
        session_note(session,
                     "%s: %s %s the device and did not leave it within %.3g s: rounds beside %s "
                     "count, but winners are nearly sure at best; end %s for sure ones",
                     lane->name, count_text((uint64_t)lane->others, "other process").text,
                     lane->others == 1 ? "uses" : "use", (double)limit_ms / 1e3,
                     lane->others == 1 ? "it" : "them", lane->others == 1 ? "it" : "them");
    }
    record->others = lane->others;
    return STATUS_OK;
}

/* Makes the visits of a round in random order, the twin's second one at a random place. */
static enum status visit_all(const struct work *work, struct track *track, const bool *wanted,
                             size_t twin_of, double *twin_y, double *first_ns, double *twin_ns,
                             struct error *error)
{
    size_t *order = malloc((track->count + 1) * sizeof *order);
    double *y = &track->y[track->round_count * track->count];
    size_t count = 0;
    enum status status = order ? STATUS_OK : error_no_memory(error);
    for (size_t i = 0; order && i < track->count; i++)
        if (wanted[i] && track->slots[i]->outcome.status == TRIAL_OK)
            order[count++] = i;
    if (order && twin_of < track->count && track->slots[twin_of]->outcome.status == TRIAL_OK)
        order[count++] = twin_of;
    if (order)
        random_shuffle(&track->random, order, count);
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        bool is_second = order[i] == twin_of && !isnan(y[twin_of]);
        double time_ns = (double)NAN;
        if (session_stopped(work->session))
            status = session_stop_error(error);
        else
            status =
                visit(work, track, order[i], is_second ? twin_y : &y[order[i]], &time_ns, error);
        if (order[i] == twin_of)
            *(is_second ? twin_ns : first_ns) = time_ns;
    }
    free(order);
    return status;
}

static void fill_row(const struct work *work, struct track *track, size_t twin_of, double first_ns,
                     double twin_ns)
{
    const struct session *session = work->session;
    const struct round_record *record = &track->records[track->round_count];
    track->rows[track->round_count] = (struct store_round){
        .run_id = track->lane->run_id,
        .problem_id = work->problem_id,
        .stage = track->stage,
        .objective = objective_text(work->objective),
        .process = track->process,
        .ordinal = (int32_t)track->round_count,
        .anchor_first_ns = record->anchor_first_ns,
        .anchor_last_ns = record->anchor_last_ns,
        .twin_configuration_id =
            twin_of < track->count ? track->slots[twin_of]->candidate->configuration_id : 0,
        .first_ns = first_ns,
        .twin_ns = twin_ns,
        .conditions = record->after,
        .at_ns = clock_budget_ns() - session->started_ns,
    };
}

enum status track_round(const struct work *work, struct track *track, const bool *wanted,
                        size_t twin_of, double *twin_y, struct error *error)
{
    double first_ns = (double)NAN;
    double twin_ns = (double)NAN;
    *twin_y = (double)NAN;
    /* All per-round arrays grow together; on failure the old capacity stands. */
    size_t capacities[5];
    for (size_t i = 0; i < COUNT(capacities); i++)
        capacities[i] = track->round_capacity;
    const size_t count = track->round_count;
    if (!array_grow(&track->records, count, &capacities[0], sizeof *track->records) ||
        !array_grow(&track->faults, count, &capacities[1], sizeof *track->faults) ||
        !array_grow(&track->rows, count, &capacities[2], sizeof *track->rows) ||
        !array_grow(&track->y, count, &capacities[3], track->count * sizeof *track->y) ||
        !array_grow(&track->twin, count, &capacities[4], sizeof *track->twin))
        return error_no_memory(error);
    track->round_capacity = capacities[0]; /* all are alike */
    struct round_record *record = &track->records[track->round_count];
    *record = (struct round_record){.anchor_first_ns = (double)NAN,
                                    .anchor_last_ns = (double)NAN,
                                    .before = conditions_unknown(),
                                    .after = conditions_unknown()};
    for (size_t i = 0; i < track->count; i++)
        track->y[track->round_count * track->count + i] = (double)NAN;
    enum status status = STATUS_OK;
    if (track->unsure && inputs_are_cheap(track->inputs)) {
        track->unsure = false;
        status = track_begin(work, track, true, error);
    }
    int restarts = worker_head(track->lane->worker)->restarts;
    if (status == STATUS_OK)
        status = take_moment(track, &record->anchor_first_ns, &record->before, error);
    if (status == STATUS_OK)
        status = wait_alone(work, track, record, error);
    if (status == STATUS_OK)
        status = visit_all(work, track, wanted, twin_of, twin_y, &first_ns, &twin_ns, error);
    if (status == STATUS_OK)
        status = take_moment(track, &record->anchor_last_ns, &record->after, error);
    if (status == STATUS_OK && !isnan(*twin_y)) {
        /* A draw decides which of the two visits is the twin: the second may find data that the
         * first left, which is no difference between a configuration and itself. */
        if (twin_of < track->count && random_below(&track->random, 2) != 0) {
            double *y = &track->y[track->round_count * track->count + twin_of];
            double kept_y = *y;
            double kept_ns = first_ns;
            *y = *twin_y;
            *twin_y = kept_y;
            first_ns = twin_ns;
            twin_ns = kept_ns;
        }
    }
    bool complete = status == STATUS_OK && restarts == worker_head(track->lane->worker)->restarts;
    track->faults[track->round_count] = complete ? ROUND_VALID : ROUND_INCOMPLETE;
    fill_row(work, track, twin_of, first_ns, twin_ns);
    track->twin[track->round_count] = (double)NAN;
    if (twin_of < track->count)
        track->twin[track->round_count] =
            *twin_y - track->y[track->round_count * track->count + twin_of];
    track->round_count++;
    return status;
}

/* Names other processes on a device that is shared, and so not awaited, once: where they run in
 * most rounds (`beside`), and these take long or are dropped. */
static void note_others(const struct work *work, const struct track *track, size_t dropped,
                        size_t beside)
{
    enum { LONG_S = 5, MANY = 8 };
    const struct store_round *rows = track->rows;
    const size_t count = track->round_count;
    const int64_t others = count > 0 ? track->records[count - 1].after.other_processes : 0;
    if (work->protocol->other_wait_ms > 0 || track->lane->others_named || others <= 0 ||
        2 * beside <= count ||
        (dropped <= MANY && rows[count - 1].at_ns - rows[0].at_ns < LONG_S * INT64_C(1000000000)))
        return;
    track->lane->others_named = true;
    session_note(work->session,
                 "%s: %s %s there: rounds take longer, and many are noisy or dropped; winners are "
                 "found sooner, and surer, without %s%s",
                 track->lane->name, count_text((uint64_t)others, "other process").text,
                 others == 1 ? "runs" : "run", others == 1 ? "it" : "them",
                 work->options->budget_ns > 0 ? "" : ", and --budget bounds the time");
}

size_t track_judge(const struct work *work, struct track *track)
{
    size_t valid = 0, beside = 0;
    for (size_t i = 0; i < track->round_count; i++)
        if (track->faults[i] != ROUND_INCOMPLETE)
            track->faults[i] = ROUND_VALID;
    rounds_judge(track->records, track->round_count, work->protocol, track->faults);
    for (size_t i = 0; i < track->round_count; i++) {
        bool counts = track->faults[i] == ROUND_VALID;
        track->rows[i].fault = counts ? NULL : round_fault_name(track->faults[i]);
        valid += counts ? 1 : 0;
        beside += track->records[i].after.other_processes > 0 ? 1 : 0;
    }
    for (size_t i = 0; i < track->count; i++) {
        struct slot *slot = track->slots[i];
        for (size_t j = 0; j < slot->sample_count; j++)
            if (slot->samples[j].process == track->process)
                slot->samples[j].invalid = track->faults[slot->samples[j].round] != ROUND_VALID;
    }
    work->group->position.rounds = track->round_count;
    work->group->position.dropped = track->round_count - valid;
    note_others(work, track, track->round_count - valid, beside);
    return valid;
}

enum status track_rounds(const struct work *work, struct track *track, const bool *wanted,
                         size_t twin_of, size_t rounds, struct error *error)
{
    for (size_t valid = 0; valid < rounds && track->round_count < rounds + rounds / 2 + 1;) {
        double twin_y = 0;
        if (session_stopped(work->session))
            return session_stop_error(error);
        TRY(track_round(work, track, wanted, twin_of, &twin_y, error));
        valid = track_judge(work, track);
        session_progress(work->group, work->session->progress.phase);
    }
    return STATUS_OK;
}

enum status track_race_round(const struct work *work, struct track *track, struct race *race,
                             const bool *wanted, size_t twin_of, struct error *error)
{
    double twin_y = (double)NAN;
    size_t round = 0;
    enum status status = track_round(work, track, wanted, twin_of, &twin_y, error);
    for (size_t i = 0; i < track->count; i++)
        if (track->slots[i]->outcome.status != TRIAL_OK)
            race_fail(race, i);
    if (status == STATUS_OK)
        status = race_add_round(race, &track->y[(track->round_count - 1) * track->count], twin_of,
                                twin_y, &round, error);
    if (status != STATUS_OK)
        return status;
    (void)track_judge(work, track);
    for (size_t i = 0; i < track->round_count; i++)
        race_set_valid(race, i, track->faults[i] == ROUND_VALID);
    return STATUS_OK;
}

enum status track_levels(const struct track *track, const bool *central, size_t first, size_t last,
                         double *levels, struct error *error)
{
    size_t room = track->count > last - first ? track->count : last - first;
    double *buffer = malloc((room + 1) * sizeof *buffer);
    double *centres = malloc((last - first + 1) * sizeof *centres);
    bool fits = buffer && centres;
    for (size_t i = first; fits && i < last; i++) {
        const double *y = &track->y[i * track->count];
        size_t count = 0;
        for (size_t f = 0; f < track->count; f++)
            if (!isnan(y[f]) && central[f])
                buffer[count++] = y[f];
        centres[i - first] = median_of(buffer, count);
    }
    for (size_t f = 0; fits && f < track->count; f++) {
        size_t count = 0;
        for (size_t i = first; i < last; i++) {
            double off = track->y[i * track->count + f] - centres[i - first];
            if (track->faults[i] == ROUND_VALID && !isnan(off))
                buffer[count++] = off;
        }
        levels[f] = core_mean(buffer, count);
    }
    free(buffer);
    free(centres);
    return fits ? STATUS_OK : error_no_memory(error);
}

enum status track_store(const struct work *work, const struct track *track, struct error *error)
{
    if (track->round_count == 0)
        return STATUS_OK;
    return store_rounds(work->store, track->rows, track->round_count, error);
}

void track_free(struct track *track)
{
    free(track->records);
    free(track->faults);
    free(track->rows);
    free(track->y);
    free(track->twin);
    *track = (struct track){0};
}
