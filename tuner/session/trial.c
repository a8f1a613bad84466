/* One configuration: from its binary to a row of trials. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/clock.h"
#include "tuner/base/files.h"
#include "tuner/base/text.h"
#include "tuner/session/internal.h"
#include "tuner/stats/summary.h"

enum {
    BLOCKS_TO_JUDGE = 5, /* fewer say nothing about how far timings lie apart */
    TIMEOUT_FLOOR_MS = 5000,
    TIMEOUT_FIRST_MS = 15000, /* uploads of inputs and first use of the device are in it */
    TIMEOUT_FACTOR = 50,
    TIMEOUT_FLOOR_LEAST_MS = 100,
    RESTORES_MAX = 3,
};
/* Timings whose median absolute deviation is over this share of their median are not to be trusted.
 */
static const double unstable_share = 0.25;

const struct configuration *candidate_configuration(const struct sweep *sweep,
                                                    const struct candidate *candidate,
                                                    struct configuration *room)
{
    if (candidate->own)
        return candidate->own;
    space_configuration(sweep->space, candidate->point, room);
    return room;
}

struct point sweep_point(const struct sweep *sweep, const struct candidate *candidate,
                         int64_t active_blocks, struct configuration *room)
{
    return (struct point){
        .experiment = sweep->experiment,
        .problem = &sweep->problem,
        .facts = sweep->group->facts,
        .configuration = candidate_configuration(sweep, candidate, room),
        .active_blocks = active_blocks,
    };
}

static struct metrics metrics_of(const struct sweep *sweep, const struct loaded *loaded,
                                 double time_ns, double energy_j)
{
    return (struct metrics){
        .time_ns = time_ns,
        .energy_j = energy_j,
        .power_w = energy_j / (time_ns * 1e-9),
        .bytes = sweep->bytes_moved,
        .plan = &loaded->plan,
        .resources = &loaded->resources[0],
    };
}

static struct point loaded_point(const struct sweep *sweep, const struct candidate *candidate,
                                 const struct loaded *loaded, struct configuration *room)
{
    int32_t active = loaded->resources[0].active_blocks_per_sm;
    return sweep_point(sweep, candidate, active > 0 ? active : 0, room);
}

enum status sweep_value(const struct sweep *sweep, const struct candidate *candidate,
                        const struct loaded *loaded, double time_ns, double energy_j, double *value,
                        struct error *error)
{
    struct configuration room;
    struct point point = loaded_point(sweep, candidate, loaded, &room);
    struct metrics metrics = metrics_of(sweep, loaded, time_ns, energy_j);
    enum status status = objective_value(sweep->objective, &point, &metrics, value, error);
    if (status == STATUS_OK)
        *value = log(*value);
    return status;
}

double sweep_told(const struct sweep *sweep, const struct candidate *candidate,
                  const struct loaded *loaded)
{
    struct arena scratch = {0};
    struct loaded planned = {0};
    struct error ignored = {0};
    double value = (double)NAN;
    bool by_time = strcmp(objective_text(sweep->objective), "time") == 0;
    if (candidate->status != TRIAL_OK || !(candidate->median_ns > 0))
        return (double)NAN;
    if (by_time || objective_needs_energy(sweep->objective))
        return candidate->median_ns;
    if (!loaded) { /* what its binary needs is not known before it is loaded */
        struct configuration room;
        struct point point = sweep_point(sweep, candidate, 1, &room);
        planned.resources[0] = (struct kernel_resources){.registers = -1,
                                                         .static_shared_bytes = -1,
                                                         .occupancy = -1,
                                                         .active_blocks_per_sm = -1};
        if (point_plan(&point, &scratch, &planned.plan, &ignored) != STATUS_OK)
            planned.plan.launch_count = 0;
        loaded = &planned;
    }
    if (sweep_value(sweep, candidate, loaded, candidate->median_ns, (double)NAN, &value,
                    &ignored) != STATUS_OK)
        value = (double)NAN;
    arena_free(&scratch);
    return exp(value);
}

size_t sweep_metrics(const struct sweep *sweep, const struct candidate *candidate,
                     const struct loaded *loaded, double time_ns, double energy_j,
                     struct named_value out[EXPERIMENT_METRICS_MAX])
{
    struct named_metric named[EXPERIMENT_METRICS_MAX];
    struct configuration room;
    struct point point = loaded_point(sweep, candidate, loaded, &room);
    struct metrics metrics = metrics_of(sweep, loaded, time_ns, energy_j);
    struct error ignored = {0};
    size_t named_count = 0;
    size_t count = 0;
    if (!(time_ns > 0) ||
        point_metrics(&point, &metrics, named, &named_count, &ignored) != STATUS_OK)
        return 0;
    for (size_t i = 0; i < named_count; i++)
        if (isfinite(named[i].value))
            out[count++] = (struct named_value){named[i].name, value_real(named[i].value)};
    return count;
}

/* What is wrong with one configuration's expressions is that trial's failure, not the run's. */
static enum status blame(enum status status, struct worker_outcome *outcome, struct error *error)
{
    if (status != STATUS_BAD_INPUT)
        return status;
    outcome->status = TRIAL_LAUNCH_FAILED;
    (void)string_format(outcome->detail, sizeof outcome->detail, "%s", error->text);
    error_clear(error);
    return STATUS_OK;
}

/* A known configuration may not have been needed until now. */
static enum status have_binary(struct sweep *sweep, struct candidate *candidate,
                               struct worker_outcome *outcome, struct error *error)
{
    enum status status = sweep_binary(sweep, candidate, true, error);
    if (candidate->broken) {
        outcome->status = TRIAL_LAUNCH_FAILED;
        (void)string_format(outcome->detail, sizeof outcome->detail, "%s", candidate->broken);
        return status;
    }
    if (status == STATUS_OK)
        status = budget_await(sweep->group, &sweep->group->binaries, candidate->binary, error);
    if (status != STATUS_COMPILE_FAILED)
        return status;
    outcome->status = TRIAL_COMPILE_FAILED;
    (void)string_format(outcome->detail, sizeof outcome->detail, "%s",
                        candidate_binary(sweep, candidate)->detail);
    error_clear(error);
    return STATUS_OK;
}

enum status sweep_restore(struct sweep *sweep, struct candidate *candidate,
                          struct worker_outcome *outcome, bool *restored, struct error *error)
{
    const struct binary *binary = candidate_binary(sweep, candidate);
    bool gone = false;
    *restored = false;
    if (outcome->status == TRIAL_OK || !binary || binary->state == BINARY_FAILED)
        return STATUS_OK;
    enum status status = restore_references(sweep, &gone, error);
    if (status != STATUS_OK || (!gone && file_exists(binary->path)))
        return status;
    *outcome = (struct worker_outcome){.status = TRIAL_OK};
    status = have_binary(sweep, candidate, outcome, error);
    *restored = status == STATUS_OK && outcome->status == TRIAL_OK;
    return status;
}

enum status sweep_plan(struct sweep *sweep, struct arena *arena, const struct candidate *candidate,
                       const struct kernel_use *first, struct loaded *loaded,
                       struct worker_outcome *outcome, struct error *error)
{
    int64_t active = loaded->resources[0].active_blocks_per_sm;
    if (active == 0) {
        outcome->status = TRIAL_LAUNCH_FAILED;
        (void)string_format(outcome->detail, sizeof outcome->detail,
                            "no block of %u threads and %u bytes of shared memory fits on an SM",
                            first->block_threads, first->shared_bytes);
        return STATUS_OK;
    }
    struct configuration room;
    struct point point = sweep_point(sweep, candidate, active > 0 ? active : 1, &room);
    enum status status = point_plan(&point, arena, &loaded->plan, error);
    if (status == STATUS_OK)
        status = point_derived(&point, arena, loaded->derived, &loaded->derived_count, error);
    return blame(status, outcome, error);
}

enum status sweep_kernels(struct sweep *sweep, struct arena *arena,
                          const struct candidate *candidate, struct kernel_use uses[LAUNCHES_MAX],
                          size_t *count, struct worker_outcome *outcome, struct error *error)
{
    struct configuration room;
    struct point point = sweep_point(sweep, candidate, 0, &room);
    return blame(point_kernels(&point, arena, uses, count, error), outcome, error);
}

enum status sweep_load(struct sweep *sweep, struct lane *lane, struct arena *arena,
                       struct candidate *candidate, struct loaded *loaded,
                       struct worker_outcome *outcome, struct error *error)
{
    struct kernel_use uses[LAUNCHES_MAX];
    struct worker_kernel kernels[LAUNCHES_MAX];
    size_t count = 0;
    enum status status = have_binary(sweep, candidate, outcome, error);
    if (status == STATUS_OK && outcome->status == TRIAL_OK)
        status = sweep_kernels(sweep, arena, candidate, uses, &count, outcome, error);
    if (status != STATUS_OK || outcome->status != TRIAL_OK)
        return status;
    const char *path = candidate_binary(sweep, candidate)->path;
    for (size_t i = 0; i < count; i++)
        kernels[i] =
            (struct worker_kernel){uses[i].kernel, uses[i].block_threads, uses[i].shared_bytes};
    bool again = true;
    for (int tries = 0; again && tries < RESTORES_MAX; tries++) {
        int64_t left_ns = lane_leave(lane);
        status = worker_load(lane->worker, path, kernels, count, loaded->resources, outcome, error);
        lane_enter(lane, left_ns, &lane->measuring_ns);
        if (status != STATUS_OK)
            return lane_lose(lane, error);
        status = sweep_restore(sweep, candidate, outcome, &again, error);
    }
    if (status != STATUS_OK || outcome->status != TRIAL_OK)
        return status;
    return sweep_plan(sweep, arena, candidate, &uses[0], loaded, outcome, error);
}

/* TUNE_TRIAL_TIMEOUT_MS: the least time limit of a trial, for those who know their kernels. */
static int64_t timeout_floor_ms(int64_t otherwise)
{
    const char *given = getenv("TUNE_TRIAL_TIMEOUT_MS");
    long long floor_ms = given ? strtoll(given, NULL, 10) : 0;
    return floor_ms >= TIMEOUT_FLOOR_LEAST_MS && floor_ms < INT32_MAX ? floor_ms : otherwise;
}

int64_t sweep_timeout_ms(const struct sweep *sweep, struct lane *lane, uint32_t blocks, bool first)
{
    first = first || !sweep->best || sweep->measured == 0 ||
            lane->restarts_seen != worker_restarts(lane->worker);
    lane->restarts_seen = worker_restarts(lane->worker);
    if (first)
        return timeout_floor_ms(TIMEOUT_FIRST_MS);
    int64_t limit_ms =
        (int64_t)(TIMEOUT_FACTOR * sweep->best->median_ns * (double)(blocks + 4) * 1e-6);
    int64_t floor_ms = timeout_floor_ms(TIMEOUT_FLOOR_MS);
    return limit_ms > floor_ms ? limit_ms : floor_ms;
}

/* After a crash or a hang the device must be seen to work before the blame is laid: a device that
 * is gone for good takes whatever was running with it. */
enum status lane_probe(struct lane *lane, struct error *error)
{
    int64_t left_ns = lane_leave(lane);
    enum status status = worker_probe(lane->worker, error);
    lane_enter(lane, left_ns, &lane->measuring_ns);
    return status == STATUS_OK ? STATUS_OK : lane_lose(lane, error);
}

enum status sweep_measure(struct sweep *sweep, struct lane *lane, const struct loaded *loaded,
                          const struct timing *timing, struct worker_samples *samples,
                          struct worker_outcome *outcome, struct error *error)
{
    struct worker_trial trial = {
        .plan = &loaded->plan,
        .l2_mode = sweep->group->session->options->l2_mode,
        .verify = timing->verify,
        .blocks = timing->blocks,
        .runs = timing->runs,
        .stop_above_ns = timing->stop_above_ns,
        .timeout_ms = sweep_timeout_ms(sweep, lane, timing->blocks, false),
    };
    int64_t left_ns = lane_leave(lane);
    enum status status = worker_trial(lane->worker, &trial, samples, outcome, error);
    lane_enter(lane, left_ns, &lane->measuring_ns);
    if (status != STATUS_OK)
        return lane_lose(lane, error);
    if (outcome->status == TRIAL_CRASHED || outcome->status == TRIAL_TIMED_OUT)
        return lane_probe(lane, error);
    return STATUS_OK;
}

/* Fills the row from what happened, and puts it into the store. */
static enum status put(struct sweep *sweep, struct lane *lane, struct candidate *candidate,
                       const struct loaded *loaded, const struct worker_outcome *outcome,
                       const struct worker_samples *samples, int64_t started_ns, bool aside,
                       struct error *error)
{
    struct store_sample rows[WORKER_SAMPLES_MAX];
    double values[WORKER_SAMPLES_MAX];
    for (uint32_t i = 0; i < samples->count; i++) {
        values[i] = samples->elapsed_ns[i];
        rows[i] = (struct store_sample){.runs = (int32_t)samples->runs,
                                        .elapsed_ns = samples->elapsed_ns[i],
                                        .energy_j = (double)NAN};
    }
    struct summary summary = summarize(values, samples->count);
    const struct binary *binary = candidate_binary(sweep, candidate);
    struct named_value metrics[EXPERIMENT_METRICS_MAX];
    size_t metric_count =
        loaded && outcome->status == TRIAL_OK
            ? sweep_metrics(sweep, candidate, loaded, summary.median, (double)NAN, metrics)
            : 0;
    struct store_trial trial = {
        .run_id = lane->run_id,
        .environment_id = sweep->group->environment_id,
        .problem_id = sweep->problem_id,
        .configuration_id = candidate->configuration_id,
        .stage = "sweep",
        .objective = "time",
        .l2_mode = sweep->group->session->options->l2_mode,
        .status = outcome->status,
        .detail = outcome->detail[0] ? outcome->detail : NULL,
        .compile_log = binary && outcome->status == TRIAL_COMPILE_FAILED ? binary->log : NULL,
        .same_as_trial_id = candidate->same_as ? candidate->same_as->trial_id : 0,
        .binary_hash = binary && !binary->killed ? binary->hash : NULL, /* NULL: tried again */
        .derived = loaded ? loaded->derived : NULL,
        .derived_count = loaded ? loaded->derived_count : 0,
        .metrics = metrics,
        .metric_count = metric_count,
        .plan = loaded ? &loaded->plan : NULL,
        .resources = loaded ? loaded->resources : NULL,
        .samples = rows,
        .sample_count = samples->count,
        .median_ns = summary.median,
        .mad_ns = summary.mad,
        .min_ns = summary.minimum,
        .max_ns = summary.maximum,
        .energy_j = (double)NAN,
        .value = summary.median,
        .duration_ns = clock_now_ns() - started_ns,
        .cheap = aside,
    };
    candidate->done = true;
    candidate->status = outcome->status;
    candidate->median_ns = outcome->status == TRIAL_OK ? summary.median : (double)NAN;
    candidate->runs = samples->runs;
    candidate->value = sweep_told(sweep, candidate, loaded);
    enum status status =
        store_trial(sweep->group->session->store, &trial, &candidate->trial_id, error);
    if (status == STATUS_OK && !table_done(&sweep->table, candidate))
        return error_no_memory(error);
    return status;
}

static void count_trial(struct sweep *sweep, struct candidate *candidate)
{
    struct session *session = sweep->group->session;
    bool failed = candidate->status != TRIAL_OK && candidate->status != TRIAL_SKIPPED;
    sweep->measured++;
    sweep->group->costs.trials++;
    sweep->failures += failed ? 1 : 0;
    session->summary->trials++;
    session->summary->failures += failed ? 1 : 0;
    session->progress.points_done++;
    session->progress.failures += failed ? 1 : 0;
    sweep_compare(sweep, candidate);
}

enum status sweep_record(struct sweep *sweep, struct lane *lane, struct candidate *candidate,
                         const struct worker_outcome *outcome, struct error *error)
{
    struct worker_samples none = {0};
    enum status status =
        put(sweep, lane, candidate, NULL, outcome, &none, clock_now_ns(), false, error);
    if (status == STATUS_OK)
        count_trial(sweep, candidate);
    return status;
}

/* Written down before it is launched: whoever starts after a crash of the machine knows it. The
 * disk is waited for only while the binary is new to the device. */
static enum status announce(struct sweep *sweep, struct lane *lane,
                            const struct candidate *candidate, struct error *error)
{
    struct binary *binary = &sweep->group->binaries.items[candidate->binary];
    struct store_in_flight row = {
        .environment_id = sweep->group->environment_id,
        .problem_id = sweep->problem_id,
        .configuration_id = candidate->configuration_id,
        .run_id = lane->run_id,
        .boot_id = sweep->group->session->boot_id,
    };
    bool durable = !binary->has_run;
    binary->has_run = true;
    return store_in_flight_put(sweep->group->session->store, &row, durable, error);
}

bool timings_unstable(const struct summary *summary)
{
    return summary->count >= BLOCKS_TO_JUDGE && summary->mad > unstable_share * summary->median;
}

static bool is_unstable(const struct worker_samples *samples)
{
    double values[WORKER_SAMPLES_MAX];
    memcpy(values, samples->elapsed_ns, samples->count * sizeof values[0]);
    struct summary summary = summarize(values, samples->count);
    return timings_unstable(&summary);
}

/* Timings that lie far apart get a second chance: as many again. */
static enum status measure_again(struct sweep *sweep, struct lane *lane,
                                 const struct loaded *loaded, const struct timing *timing,
                                 struct worker_samples *samples, struct worker_outcome *outcome,
                                 struct error *error)
{
    struct worker_samples more = {0};
    struct timing same_runs = *timing;
    same_runs.runs = samples->runs;
    enum status status = sweep_measure(sweep, lane, loaded, &same_runs, &more, outcome, error);
    if (status != STATUS_OK || outcome->status != TRIAL_OK)
        return status;
    for (uint32_t i = 0; i < more.count && samples->count < WORKER_SAMPLES_MAX; i++)
        samples->elapsed_ns[samples->count++] = more.elapsed_ns[i];
    if (is_unstable(samples)) {
        outcome->status = TRIAL_UNSTABLE;
        (void)string_format(outcome->detail, sizeof outcome->detail,
                            "the median deviation of %u timings is over %.0f %% of their median",
                            samples->count, unstable_share * 100);
    }
    return STATUS_OK;
}

static enum status try_loaded(struct sweep *sweep, struct lane *lane, struct candidate *candidate,
                              struct loaded *loaded, struct worker_samples *samples,
                              struct worker_outcome *outcome, struct error *error)
{
    candidate->launch_hash = launch_hash(&loaded->plan, candidate_binary(sweep, candidate));
    if (sweep_repeats(sweep, candidate, outcome))
        return STATUS_OK;
    const struct protocol *protocol = &sweep->group->session->options->protocol;
    struct timing timing = {.blocks = (uint32_t)protocol->sweep_blocks, .verify = true};
    /* The hopeless cost one block. Where something else than time counts, nobody knows yet. */
    if (sweep->best && strcmp(objective_text(sweep->objective), "time") == 0)
        timing.stop_above_ns = (1 + protocol->sweep_slower) * sweep->best->median_ns;
    enum status status = announce(sweep, lane, candidate, error);
    bool again = true;
    for (int tries = 0; status == STATUS_OK && again && tries < RESTORES_MAX; tries++) {
        status = sweep_measure(sweep, lane, loaded, &timing, samples, outcome, error);
        if (status == STATUS_OK)
            status = sweep_restore(sweep, candidate, outcome, &again, error);
    }
    if (status == STATUS_OK && outcome->status == TRIAL_OK && is_unstable(samples))
        status = measure_again(sweep, lane, loaded, &timing, samples, outcome, error);
    sweep->group->session->summary->samples += samples->count;
    return status;
}

enum status sweep_try(struct sweep *sweep, struct lane *lane, struct candidate *candidate,
                      struct error *error)
{
    struct loaded loaded = {0};
    struct worker_samples samples = {0};
    struct worker_outcome outcome = {.status = TRIAL_OK};
    int64_t started_ns = clock_now_ns();
    bool aside = false;
    enum status status =
        sweep_foresee(sweep, &lane->scratch, candidate, &loaded, &outcome, &aside, error);
    if (status == STATUS_OK && !aside)
        status = sweep_load(sweep, lane, &lane->scratch, candidate, &loaded, &outcome, error);
    bool has_plan = status == STATUS_OK && outcome.status == TRIAL_OK;
    if (has_plan)
        status = try_loaded(sweep, lane, candidate, &loaded, &samples, &outcome, error);
    bool was_launched = has_plan && outcome.status != TRIAL_SKIPPED;
    has_plan = has_plan || loaded.plan.launch_count > 0;
    if (status == STATUS_OK)
        status = put(sweep, lane, candidate, has_plan ? &loaded : NULL, &outcome, &samples,
                     started_ns, aside, error);
    if (status == STATUS_OK && was_launched)
        status = store_in_flight_clear(sweep->group->session->store, sweep->group->environment_id,
                                       sweep->problem_id, candidate->configuration_id, error);
    arena_free(&lane->scratch);
    if (status == STATUS_OK)
        count_trial(sweep, candidate);
    return status;
}
