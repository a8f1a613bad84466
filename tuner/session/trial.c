/* One configuration: from its binary to a row of trials. */
#include <math.h>
#include <string.h>

#include "tuner/base/clock.h"
#include "tuner/base/text.h"
#include "tuner/session/internal.h"
#include "tuner/trial/summary.h"

enum {
    SWEEP_BLOCKS = 5,
    TIMEOUT_FLOOR_MS = 5000,
    TIMEOUT_FIRST_MS = 15000, /* uploads of inputs and first use of the device are in it */
    TIMEOUT_FACTOR = 50,
};
/* A configuration this much slower than the best ends with the samples it has. */
static const double stop_factor = 3.0;

struct point sweep_point(const struct sweep *sweep, const struct candidate *candidate,
                         int64_t active_blocks)
{
    return (struct point){
        .experiment = sweep->experiment,
        .problem = &sweep->problem,
        .facts = sweep->session->facts,
        .configuration = &candidate->configuration,
        .active_blocks = active_blocks,
    };
}

static void count_worker_time(struct sweep *sweep, int64_t started_ns)
{
    sweep->session->summary->measuring_ns += clock_now_ns() - started_ns;
}

enum status sweep_load(struct sweep *sweep, const struct candidate *candidate,
                       struct loaded *loaded, struct worker_outcome *outcome, struct error *error)
{
    struct kernel_use uses[LAUNCHES_MAX];
    struct worker_kernel kernels[LAUNCHES_MAX];
    size_t count = 0;
    struct point point = sweep_point(sweep, candidate, 0);
    enum status status = point_kernels(&point, &sweep->scratch, uses, &count, error);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < count; i++)
        kernels[i] =
            (struct worker_kernel){uses[i].kernel, uses[i].block_threads, uses[i].shared_bytes};
    int64_t started_ns = clock_now_ns();
    status =
        worker_load(sweep->session->worker, sweep->session->binaries.items[candidate->binary].path,
                    kernels, count, loaded->resources, outcome, error);
    count_worker_time(sweep, started_ns);
    if (status != STATUS_OK || outcome->status != TRIAL_OK)
        return status;
    int64_t active = loaded->resources[0].active_blocks_per_sm;
    if (active == 0) {
        outcome->status = TRIAL_LAUNCH_FAILED;
        (void)string_format(outcome->detail, sizeof outcome->detail,
                            "no block of %u threads and %u bytes of shared memory fits on an SM",
                            uses[0].block_threads, uses[0].shared_bytes);
        return STATUS_OK;
    }
    point.active_blocks = active > 0 ? active : 1;
    status = point_plan(&point, &sweep->scratch, &loaded->plan, error);
    if (status == STATUS_OK)
        status =
            point_derived(&point, &sweep->scratch, loaded->derived, &loaded->derived_count, error);
    return status;
}

static int64_t timeout_ms(const struct sweep *sweep, uint32_t blocks)
{
    if (sweep->measured == 0 || sweep->best == sweep->count ||
        sweep->worker_restarts != worker_restarts(sweep->session->worker))
        return TIMEOUT_FIRST_MS;
    double best_ns = sweep->candidates[sweep->best].median_ns;
    double limit_ms = TIMEOUT_FACTOR * best_ns * (double)(blocks + 4) * 1e-6;
    return limit_ms > TIMEOUT_FLOOR_MS ? (int64_t)limit_ms : TIMEOUT_FLOOR_MS;
}

enum status sweep_measure(struct sweep *sweep, const struct loaded *loaded, uint32_t blocks,
                          uint32_t runs, bool verify, double stop_above_ns,
                          struct worker_samples *samples, struct worker_outcome *outcome,
                          struct error *error)
{
    struct worker_trial trial = {
        .plan = &loaded->plan,
        .l2_mode = sweep->session->options->l2_mode,
        .verify = verify,
        .blocks = blocks,
        .runs = runs,
        .stop_above_ns = stop_above_ns,
        .timeout_ms = timeout_ms(sweep, blocks),
    };
    sweep->worker_restarts = worker_restarts(sweep->session->worker);
    int64_t started_ns = clock_now_ns();
    enum status status = worker_trial(sweep->session->worker, &trial, samples, outcome, error);
    count_worker_time(sweep, started_ns);
    return status;
}

/* What a plan launches, as a number: plans with the same hash do the same work. */
static uint64_t launch_hash(const struct launch_plan *plan, const char *binary_hash)
{
    struct text text = {0};
    text_printf(&text, "%s;", binary_hash);
    for (size_t i = 0; i < plan->launch_count; i++) {
        const struct launch *launch = &plan->launches[i];
        text_printf(&text, "%s %u,%u,%u %u,%u,%u %u %u %d", launch->kernel, launch->grid[0],
                    launch->grid[1], launch->grid[2], launch->block[0], launch->block[1],
                    launch->block[2], launch->shared_bytes, launch->threads, (int)launch->schedule);
        for (size_t j = 0; j < launch->argument_count; j++)
            text_printf(&text, " %u", launch->arguments[j]);
        text_append(&text, ";");
    }
    for (size_t i = 0; i < plan->argument_count; i++) {
        char scalar[VALUE_TEXT_BYTES] = "";
        if (plan->arguments[i].role == ARGUMENT_SCALAR)
            (void)value_format(plan->arguments[i].scalar, scalar, sizeof scalar);
        text_printf(&text, "%s=%s ", plan->arguments[i].name, scalar);
    }
    uint64_t hash = text.failed ? 0 : hash_u64(text.data, text.length, 0);
    text_free(&text);
    return hash;
}

static int64_t find_twin(const struct sweep *sweep, const struct candidate *candidate)
{
    for (size_t i = 0; candidate->launch_hash != 0 && i < sweep->count; i++) {
        const struct candidate *other = &sweep->candidates[i];
        if (other != candidate && other->done && other->same_as == NO_CANDIDATE &&
            other->launch_hash == candidate->launch_hash)
            return (int64_t)i;
    }
    return NO_CANDIDATE;
}

/* Fills the row from what happened, and puts it into the store. */
static enum status put(struct sweep *sweep, struct candidate *candidate,
                       const struct loaded *loaded, const struct worker_outcome *outcome,
                       const struct worker_samples *samples, int64_t started_ns,
                       struct error *error)
{
    struct store_sample rows[WORKER_SAMPLES_MAX];
    double values[WORKER_SAMPLES_MAX];
    for (uint32_t i = 0; i < samples->count; i++) {
        values[i] = samples->elapsed_ns[i];
        rows[i] = (struct store_sample){.runs = (int32_t)samples->runs,
                                        .elapsed_ns = samples->elapsed_ns[i]};
    }
    struct summary summary = summarize(values, samples->count);
    struct store_trial trial = {
        .run_id = sweep->session->summary->run_id,
        .environment_id = sweep->session->environment_id,
        .problem_id = sweep->problem_id,
        .configuration_id = candidate->configuration_id,
        .stage = "sweep",
        .l2_mode = sweep->session->options->l2_mode,
        .status = outcome->status,
        .detail = outcome->detail[0] ? outcome->detail : NULL,
        .same_as_trial_id =
            candidate->same_as == NO_CANDIDATE ? 0 : sweep->candidates[candidate->same_as].trial_id,
        .binary_hash = sweep->session->binaries.items[candidate->binary].hash,
        .derived = loaded ? loaded->derived : NULL,
        .derived_count = loaded ? loaded->derived_count : 0,
        .plan = loaded ? &loaded->plan : NULL,
        .resources = loaded ? loaded->resources : NULL,
        .samples = rows,
        .sample_count = samples->count,
        .median_ns = summary.median,
        .mad_ns = summary.mad,
        .min_ns = summary.minimum,
        .max_ns = summary.maximum,
        .duration_ns = clock_now_ns() - started_ns,
    };
    candidate->done = true;
    candidate->status = outcome->status;
    candidate->median_ns = outcome->status == TRIAL_OK ? summary.median : (double)NAN;
    candidate->runs = samples->runs;
    return store_trial(sweep->session->store, &trial, &candidate->trial_id, error);
}

static void count_trial(struct sweep *sweep, const struct candidate *candidate, size_t index)
{
    struct session_summary *summary = sweep->session->summary;
    bool failed = candidate->status != TRIAL_OK && candidate->status != TRIAL_SKIPPED;
    sweep->measured++;
    summary->trials++;
    summary->failures += failed ? 1 : 0;
    sweep->session->progress.points_done++;
    sweep->session->progress.failures += failed ? 1 : 0;
    if (candidate->status == TRIAL_OK &&
        (sweep->best == sweep->count ||
         candidate->median_ns < sweep->candidates[sweep->best].median_ns))
        sweep->best = index;
}

static enum status try_loaded(struct sweep *sweep, struct candidate *candidate,
                              struct loaded *loaded, struct worker_samples *samples,
                              struct worker_outcome *outcome, struct error *error)
{
    struct session *session = sweep->session;
    candidate->launch_hash =
        launch_hash(&loaded->plan, session->binaries.items[candidate->binary].hash);
    candidate->same_as = find_twin(sweep, candidate);
    if (candidate->same_as != NO_CANDIDATE) {
        outcome->status = TRIAL_SKIPPED;
        (void)string_format(outcome->detail, sizeof outcome->detail, "launches the same as '%s'",
                            sweep->candidates[candidate->same_as].key);
        return STATUS_OK;
    }
    double stop_above_ns = 0;
    if (sweep->best != sweep->count && !candidate->is_baseline)
        stop_above_ns = stop_factor * sweep->candidates[sweep->best].median_ns;
    enum status status =
        sweep_measure(sweep, loaded, SWEEP_BLOCKS, 0, true, stop_above_ns, samples, outcome, error);
    session->summary->samples += samples->count;
    return status;
}

enum status sweep_try(struct sweep *sweep, struct candidate *candidate, struct error *error)
{
    struct loaded loaded = {0};
    struct worker_samples samples = {0};
    struct worker_outcome outcome = {.status = TRIAL_OK};
    const struct binary *binary = &sweep->session->binaries.items[candidate->binary];
    int64_t started_ns = clock_now_ns();
    bool has_plan = false;
    enum status status = STATUS_OK;
    if (binary->state == BINARY_FAILED) {
        outcome.status = TRIAL_COMPILE_FAILED;
        (void)string_format(outcome.detail, sizeof outcome.detail, "%s", binary->detail);
    } else {
        status = sweep_load(sweep, candidate, &loaded, &outcome, error);
        has_plan = status == STATUS_OK && outcome.status == TRIAL_OK;
    }
    if (has_plan)
        status = try_loaded(sweep, candidate, &loaded, &samples, &outcome, error);
    if (status == STATUS_OK)
        status =
            put(sweep, candidate, has_plan ? &loaded : NULL, &outcome, &samples, started_ns, error);
    arena_free(&sweep->scratch);
    if (status == STATUS_OK)
        count_trial(sweep, candidate, (size_t)(candidate - sweep->candidates));
    return status;
}
