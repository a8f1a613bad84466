#include "tuner/session/prepare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/files.h"
#include "tuner/base/limits.h"
#include "tuner/session/recorded.h"

enum { RESTORES_MAX = 3 };

/* ---- binaries ---- */

enum status candidate_request_binary(const struct work *work, struct candidate *candidate,
                                     const struct configuration *configuration, bool wanted,
                                     struct error *error)
{
    struct arena scratch = {0};
    struct binary_request request;
    struct binaries *binaries = &work->group->binaries;
    if (candidate->broken || (candidate->binary != NO_BINARY &&
                              (!wanted || binaries_is_requested(binaries, candidate->binary))))
        return STATUS_OK;
    struct point point = work_point(work, configuration, 0);
    enum status status = STATUS_OK;
    if (work->options->recording)
        recorded_binary(work, configuration, &request);
    else
        status = point_binary(&point, &scratch, &request, error);
    if (status == STATUS_BAD_INPUT) { /* no reason to end: others may be right */
        candidate->broken = arena_strdup(&binaries->arena, error->text);
        error_clear(error);
        status = candidate->broken ? STATUS_OK : error_no_memory(error);
    } else if (status == STATUS_OK && wanted) {
        status = binaries_request(binaries, &request, &candidate->binary, error);
    } else if (status == STATUS_OK) {
        status = binaries_know(binaries, &request, &candidate->binary, error);
    }
    arena_free(&scratch);
    return status;
}

const struct binary *candidate_binary(const struct work *work, const struct candidate *candidate)
{
    return candidate->binary == NO_BINARY ? NULL : &work->group->binaries.items[candidate->binary];
}

static enum status fail(struct worker_outcome *outcome, enum trial_status status, const char *why)
{
    outcome->status = status;
    (void)string_format(outcome->detail, sizeof outcome->detail, "%s", why);
    return STATUS_OK;
}

/* Turns an error of one configuration's expressions into that trial's failure. */
static enum status blame(enum status status, struct worker_outcome *outcome, struct error *error)
{
    if (status != STATUS_BAD_INPUT)
        return status;
    (void)fail(outcome, TRIAL_LAUNCH_FAILED, error->text);
    error_clear(error);
    return STATUS_OK;
}

/* Waits for a binary; requests one that no known configuration needed before. */
static enum status await_binary(const struct work *work, struct candidate *candidate,
                                const struct prepared *prepared, struct worker_outcome *outcome,
                                struct error *error)
{
    struct group *group = work->group;
    enum status status =
        candidate_request_binary(work, candidate, &prepared->configuration, true, error);
    if (status == STATUS_OK && candidate->broken)
        return fail(outcome, TRIAL_LAUNCH_FAILED, candidate->broken);
    if (status == STATUS_OK)
        status = budget_await(group, &group->binaries, candidate->binary, error);
    if (status != STATUS_COMPILE_FAILED)
        return status;
    error_clear(error);
    return fail(outcome, TRIAL_COMPILE_FAILED, candidate_binary(work, candidate)->detail);
}

enum status prepare_restore(const struct work *work, const struct inputs *inputs,
                            struct candidate *candidate, const struct prepared *prepared,
                            struct worker_outcome *outcome, bool *restored, struct error *error)
{
    const struct binary *binary = candidate_binary(work, candidate);
    bool gone = false;
    *restored = false;
    if (outcome->status == TRIAL_OK || !binary || binary->state == BINARY_FAILED)
        return STATUS_OK;
    const char *path = binary->path;
    enum status status = inputs_restore(work, inputs, &gone, error);
    if (status != STATUS_OK || (!gone && file_exists(path)))
        return status;
    *outcome = (struct worker_outcome){.status = TRIAL_OK};
    status = await_binary(work, candidate, prepared, outcome, error);
    *restored = status == STATUS_OK && outcome->status == TRIAL_OK;
    return status;
}

/* ---- the plan ---- */

struct prepared *prepared_create(const struct candidates *candidates,
                                 const struct candidate *candidate)
{
    struct prepared *prepared = calloc(1, sizeof *prepared);
    const struct configuration *own = NULL;
    if (prepared)
        own = candidate_configuration(candidates, candidate, &prepared->configuration);
    if (prepared && own != &prepared->configuration)
        prepared->configuration = *own;
    return prepared;
}

void prepared_free(struct prepared *prepared)
{
    if (prepared)
        arena_free(&prepared->arena);
    free(prepared);
}

static enum status find_kernels(const struct work *work, struct prepared *prepared,
                                struct worker_outcome *outcome, struct error *error)
{
    if (prepared->kernel_count > 0)
        return STATUS_OK;
    struct point point = work_point(work, &prepared->configuration, 0);
    return blame(
        point_kernels(&point, &prepared->arena, prepared->kernels, &prepared->kernel_count, error),
        outcome, error);
}

/* Refuses invalid grids and blocks without the device. */
static void refuse_launches(const struct work *work, const struct prepared *prepared,
                            struct worker_outcome *outcome)
{
    const struct launch_limits limits = launch_limits(work->facts);
    char why[160];
    for (size_t i = 0; i < prepared->plan.launch_count; i++) {
        const struct launch *launch = &prepared->plan.launches[i];
        const int32_t active =
            i < prepared->kernel_count ? prepared->resources[i].active_blocks_per_sm : 0;
        if (!launch_refused(launch, &limits, active, why, sizeof why))
            continue;
        outcome->status = TRIAL_LAUNCH_FAILED;
        (void)string_format(outcome->detail, sizeof outcome->detail, "set aside: kernel %.80s: %s",
                            launch->kernel, why);
        return;
    }
}

/* Makes the plan for the active blocks of its first kernel. */
static enum status make_plan(const struct work *work, struct prepared *prepared,
                             struct worker_outcome *outcome, struct error *error)
{
    struct named_value derived[EXPERIMENT_DERIVED_MAX];
    int32_t active = prepared->resources[0].active_blocks_per_sm;
    struct point point = work_point(work, &prepared->configuration, active > 0 ? active : 1);
    prepared->launch_hash = 0;
    enum status status = point_plan(&point, &prepared->arena, &prepared->plan, error);
    if (status != STATUS_OK)
        prepared->plan.launch_count = 0;
    else
        status = point_derived(&point, &prepared->arena, derived, &prepared->derived_count, error);
    if (status != STATUS_OK) {
        prepared->derived_count = 0;
        return blame(status, outcome, error);
    }
    prepared->derived =
        arena_copy(&prepared->arena, derived, prepared->derived_count * sizeof derived[0]);
    if (!prepared->derived)
        return error_no_memory(error);
    refuse_launches(work, prepared, outcome);
    return STATUS_OK;
}

void prepare_without_binary(const struct work *work, struct prepared *prepared)
{
    struct worker_outcome outcome;
    struct error ignored = {0};
    prepared->resources[0] = (struct kernel_resources){
        .registers = -1, .static_shared_bytes = -1, .occupancy = -1, .active_blocks_per_sm = -1};
    (void)make_plan(work, prepared, &outcome, &ignored);
}

/* Reads all kernels' resources from the binary. Returns false if the binary does not contain these.
 */
static bool inspect_kernels(const struct work *work, const struct candidate *candidate,
                            struct prepared *prepared)
{
    struct binaries *binaries = &work->group->binaries;
    struct error ignored = {0};
    if (!binaries->api || !binaries->api->occupancy)
        return false;
    for (size_t i = 0; i < prepared->kernel_count; i++) {
        const struct launch *launch = &prepared->kernels[i];
        if (!binaries_inspect(binaries, candidate->binary, launch->kernel,
                              &prepared->resources[i]) ||
            binaries->api->occupancy(work->facts, launch, &prepared->resources[i], &ignored) !=
                STATUS_OK)
            return false;
    }
    return prepared->kernel_count > 0;
}

/* Returns the first kernel of which no block fits; kernel_count: none. */
static size_t first_unfit(const struct prepared *prepared)
{
    size_t i = 0;
    while (i < prepared->kernel_count && prepared->resources[i].active_blocks_per_sm != 0)
        i++;
    return i;
}

bool prepared_fits(const struct prepared *prepared)
{
    return first_unfit(prepared) == prepared->kernel_count;
}

enum status prepare_ahead(const struct work *work, const struct candidate *candidate,
                          struct prepared *prepared, struct worker_outcome *outcome,
                          struct error *error)
{
    const struct binary *binary = candidate_binary(work, candidate);
    if (!binary || binary->state != BINARY_READY)
        return STATUS_OK;
    TRY(find_kernels(work, prepared, outcome, error));
    if (outcome->status != TRIAL_OK || !inspect_kernels(work, candidate, prepared))
        return STATUS_OK;
    size_t i = first_unfit(prepared);
    if (i == prepared->kernel_count)
        return make_plan(work, prepared, outcome, error);
    const struct launch *unfit = &prepared->kernels[i];
    outcome->status = TRIAL_LAUNCH_FAILED;
    if (launch_cluster_blocks(unfit) > 1)
        (void)string_format(outcome->detail, sizeof outcome->detail,
                            "set aside: no cluster of %u blocks of %u threads fits on the device "
                            "(compute capability %s)",
                            launch_cluster_blocks(unfit), launch_block_threads(unfit),
                            facts_text(work->facts, "compute_capability", "unknown"));
    else
        (void)string_format(
            outcome->detail, sizeof outcome->detail,
            "set aside: no block of %u threads with %d registers each, %d + %u bytes "
            "of shared memory, fits on an SM",
            launch_block_threads(unfit), prepared->resources[i].registers,
            prepared->resources[i].static_shared_bytes, unfit->shared_bytes);
    return STATUS_OK;
}

/* Takes the device's resources, which override the binary's. */
static enum status take_resources(const struct work *work, struct prepared *prepared,
                                  const struct kernel_resources *resources,
                                  struct worker_outcome *outcome, struct error *error)
{
    bool as_planned =
        prepared->plan.launch_count > 0 &&
        prepared->resources[0].active_blocks_per_sm == resources[0].active_blocks_per_sm;
    memcpy(prepared->resources, resources, prepared->kernel_count * sizeof resources[0]);
    if (as_planned) {
        refuse_launches(work, prepared, outcome); /* for kernels after the first */
        return STATUS_OK;
    }
    if (resources[0].active_blocks_per_sm != 0)
        return make_plan(work, prepared, outcome, error);
    outcome->status = TRIAL_LAUNCH_FAILED;
    (void)string_format(outcome->detail, sizeof outcome->detail,
                        "no block of %u threads and %u bytes of shared memory fits on an SM",
                        launch_block_threads(&prepared->kernels[0]),
                        prepared->kernels[0].shared_bytes);
    return STATUS_OK;
}

enum status prepare_load(const struct work *work, const struct inputs *inputs, struct lane *lane,
                         struct candidate *candidate, struct prepared *prepared,
                         struct worker_outcome *outcome, struct error *error)
{
    struct kernel_resources resources[LAUNCHES_MAX];
    bool retry = true;
    enum status status = await_binary(work, candidate, prepared, outcome, error);
    if (status == STATUS_OK && outcome->status == TRIAL_OK)
        status = find_kernels(work, prepared, outcome, error);
    if (status != STATUS_OK || outcome->status != TRIAL_OK)
        return status;
    const char *path = candidate_binary(work, candidate)->path;
    for (int tries = 0; retry && tries < RESTORES_MAX; tries++) {
        int64_t left_ns = lane_leave(lane);
        status = worker_load(lane->worker, path, prepared->kernels, prepared->kernel_count,
                             resources, outcome, error);
        lane_enter(lane, left_ns, &lane->measuring_ns);
        if (status != STATUS_OK)
            return lane_lose(lane, error);
        status = prepare_restore(work, inputs, candidate, prepared, outcome, &retry, error);
    }
    if (status == STATUS_OK && outcome->status == TRIAL_OK)
        status = take_resources(work, prepared, resources, outcome, error);
    if (outcome->status != TRIAL_OK)
        prepared->plan.launch_count = 0; /* a plan made without the device is void */
    return status;
}

uint64_t prepared_launch_hash(struct prepared *prepared, const struct binary *binary)
{
    bool by_code = binary->code_hash[0] != '\0';
    if (prepared->launch_hash == 0)
        prepared->launch_hash =
            plan_hash(&prepared->plan, by_code ? binary->code_hash : binary->hash, by_code);
    return prepared->launch_hash;
}

/* ---- values of a run ---- */

static struct metrics metrics_of(const struct work *work, const struct prepared *prepared,
                                 double time_ns, double energy_j)
{
    return (struct metrics){
        .time_ns = time_ns,
        .energy_j = energy_j,
        .power_w = energy_j / (time_ns * 1e-9),
        .bytes = work->bytes_moved,
        .plan = &prepared->plan,
        .resources = &prepared->resources[0],
    };
}

static struct point prepared_point(const struct work *work, const struct prepared *prepared)
{
    int32_t active = prepared->resources[0].active_blocks_per_sm;
    return work_point(work, &prepared->configuration, active > 0 ? active : 0);
}

enum status prepared_value(const struct work *work, const struct prepared *prepared, double time_ns,
                           double energy_j, double *value, struct error *error)
{
    struct point point = prepared_point(work, prepared);
    struct metrics metrics = metrics_of(work, prepared, time_ns, energy_j);
    TRY(objective_value(work->objective, &point, &metrics, value, error));
    *value = log(*value);
    return STATUS_OK;
}

size_t prepared_metrics(const struct work *work, const struct prepared *prepared, double time_ns,
                        double energy_j, struct named_value out[EXPERIMENT_METRICS_MAX])
{
    struct named_metric named[EXPERIMENT_METRICS_MAX];
    struct point point = prepared_point(work, prepared);
    struct metrics metrics = metrics_of(work, prepared, time_ns, energy_j);
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

bool work_is_about_time(const struct work *work)
{
    return strcmp(objective_text(work->objective), "time") == 0;
}

double candidate_search_value(const struct work *work, const struct candidate *candidate,
                              const struct prepared *prepared)
{
    struct error ignored = {0};
    double value = (double)NAN;
    if (candidate->status != TRIAL_OK || !(candidate->median_ns > 0))
        return (double)NAN;
    if (work_is_about_time(work) || objective_needs_energy(work->objective))
        return candidate->median_ns;
    if (prepared_value(work, prepared, candidate->median_ns, (double)NAN, &value, &ignored) !=
        STATUS_OK)
        return (double)NAN;
    return exp(value);
}
