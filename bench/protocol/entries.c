/* Configurations: compiled, loaded, verified, timed once. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/protocol/bench.h"

#include "tuner/base/files.h"
#include "tuner/stats/estimate.h"

/* ---- compiling ---- */

/* Asks for the binaries that are not in the cache, each once. */
static enum status request_binaries(struct bench *bench, const struct problem *problem,
                                    struct entry *entries, size_t count, struct error *error)
{
    for (size_t i = 0; i < count; i++) {
        const struct point point = {bench->experiment, problem, bench->facts,
                                    &entries[i].configuration, 0};
        struct binary_request request;
        const char *hash = NULL;
        enum status status = point_binary(&point, &bench->arena, &request, error);
        if (status == STATUS_OK)
            status = binary_cache_path(&request, bench->facts, &bench->arena, &entries[i].path,
                                       &hash, error);
        if (status != STATUS_OK)
            return status;
        bool known = file_exists(entries[i].path);
        for (size_t j = 0; j < i && !known; j++)
            known = strcmp(entries[j].path, entries[i].path) == 0;
        if (!known)
            status = compile_pool_submit(bench->kernels, &request, entries[i].path, i, error);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

static enum status compile(struct bench *bench, const struct problem *problem,
                           struct entry *entries, size_t count, struct error *error)
{
    enum status status = request_binaries(bench, problem, entries, count, error);
    while (status == STATUS_OK && compile_pool_pending(bench->kernels) > 0) {
        struct compile_done done;
        bool got = false;
        status = compile_pool_wait(bench->kernels, -1, &done, &got, error);
        if (status == STATUS_OK && got && done.status != STATUS_OK)
            status = error_set(error, done.status, "%s: %s", entries[done.tag].key, done.detail);
    }
    return status;
}

/* ---- loading and timing ---- */

static enum status load(struct bench *bench, const struct problem *problem, struct entry *entry,
                        struct worker_outcome *outcome, struct error *error)
{
    struct launch kernels[LAUNCHES_MAX];
    struct kernel_resources resources[LAUNCHES_MAX];
    struct point point = {bench->experiment, problem, bench->facts, &entry->configuration, 0};
    size_t count = 0;
    enum status status = point_kernels(&point, &bench->arena, kernels, &count, error);
    if (status != STATUS_OK)
        return status;
    status = worker_load(bench->worker, entry->path, kernels, count, resources, outcome, error);
    if (status != STATUS_OK || outcome->status != TRIAL_OK)
        return status;
    entry->resources = resources[0];
    if (resources[0].active_blocks_per_sm == 0) {
        outcome->status = TRIAL_LAUNCH_FAILED;
        return STATUS_OK;
    }
    point.active_blocks =
        resources[0].active_blocks_per_sm > 0 ? resources[0].active_blocks_per_sm : 1;
    return point_plan(&point, &bench->arena, &entry->plan, error);
}

static enum status time_entry(struct bench *bench, const struct problem *problem,
                              struct entry *entry, uint32_t blocks, struct error *error)
{
    struct worker_outcome outcome = {.status = TRIAL_OK};
    struct worker_samples samples = {0};
    entry->time_ns = (double)NAN;
    enum status status = load(bench, problem, entry, &outcome, error);
    const struct worker_task task = {.binary_path = entry->path,
                                     .plan = &entry->plan,
                                     .l2_mode = L2_COLD,
                                     .verify = true,
                                     .blocks = blocks,
                                     .timeout_ms = TIME_LIMIT_MS};
    if (status == STATUS_OK && outcome.status == TRIAL_OK)
        status = worker_trial(bench->worker, &task, &samples, &outcome, error);
    if (status != STATUS_OK)
        return status;
    if (outcome.status != TRIAL_OK) {
        fprintf(stderr, "bench_protocol: left out: %s: %s: %s\n", entry->key,
                trial_status_name(outcome.status), outcome.detail);
        return STATUS_OK;
    }
    entry->runs = samples.runs;
    entry->time_ns = median_of(samples.elapsed_ns, samples.count);
    return STATUS_OK;
}

enum status entries_prepare(struct bench *bench, const struct problem *problem,
                            struct entry *entries, size_t count, uint32_t blocks,
                            struct error *error)
{
    enum status status = compile(bench, problem, entries, count, error);
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = time_entry(bench, problem, &entries[i], blocks, error);
    return status;
}

enum status entry_runs(struct bench *bench, const struct entry *entry, enum l2_mode mode,
                       uint32_t *runs, struct error *error)
{
    struct worker_outcome outcome = {.status = TRIAL_OK};
    struct worker_samples samples = {0};
    const struct worker_task task = {.binary_path = entry->path,
                                     .plan = &entry->plan,
                                     .l2_mode = mode,
                                     .blocks = 1,
                                     .timeout_ms = TIME_LIMIT_MS};
    enum status status = worker_trial(bench->worker, &task, &samples, &outcome, error);
    if (status == STATUS_OK && outcome.status != TRIAL_OK)
        status = error_set(error, STATUS_LAUNCH_FAILED, "%s: %s", entry->key, outcome.detail);
    *runs = samples.runs;
    return status;
}

enum status entry_arm(struct bench *bench, uint32_t slot, const struct entry *entry,
                      enum l2_mode mode, uint32_t runs, struct error *error)
{
    const struct worker_task task = {.binary_path = entry->path,
                                     .plan = &entry->plan,
                                     .l2_mode = mode,
                                     .runs = runs,
                                     .keeps = bench->options->keeps};
    return worker_arm(bench->worker, slot, &task, error);
}

static bool arguments_alike(const struct launch_plan *a, const struct launch_plan *b)
{
    if (a->argument_count != b->argument_count)
        return false;
    for (size_t i = 0; i < a->argument_count; i++)
        if (a->arguments[i].type != b->arguments[i].type ||
            a->arguments[i].count != b->arguments[i].count ||
            (a->arguments[i].role == ARGUMENT_SCALAR &&
             !value_equal(a->arguments[i].scalar, b->arguments[i].scalar)))
            return false;
    return true;
}

bool entries_launch_alike(const struct entry *a, const struct entry *b)
{
    if (strcmp(a->path, b->path) != 0 || a->plan.launch_count != b->plan.launch_count ||
        !arguments_alike(&a->plan, &b->plan))
        return false;
    for (size_t i = 0; i < a->plan.launch_count; i++) {
        const struct launch *x = &a->plan.launches[i], *y = &b->plan.launches[i];
        if (strcmp(x->kernel, y->kernel) != 0 || x->shared_bytes != y->shared_bytes ||
            x->threads != y->threads || x->schedule != y->schedule ||
            memcmp(x->grid, y->grid, sizeof x->grid) != 0 ||
            memcmp(x->block, y->block, sizeof x->block) != 0)
            return false;
    }
    return true;
}

/* ---- by name ---- */

static enum status find_point(struct bench *bench, const struct problem *problem, const char *key,
                              struct entry *out, bool *found, struct error *error)
{
    struct space *space = NULL;
    enum status status = space_create(bench->experiment, problem, bench->facts, &space, error);
    if (status != STATUS_OK)
        return status;
    *found = false;
    for (size_t i = 0; i < space_count(space) && !*found; i++) {
        space_configuration(space, i, &out->configuration);
        out->index = i;
        *found = configuration_key(&out->configuration, out->key) && strcmp(out->key, key) == 0;
    }
    for (size_t i = 0; *found && i < out->configuration.count; i++) {
        struct value *value = &out->configuration.values[i].value;
        if (value->kind == VALUE_TEXT && !(value->text = arena_strdup(&bench->arena, value->text)))
            status = error_no_memory(error);
    }
    space_free(space);
    return status;
}

/* Reads the Occupancy API's suggestion for the baseline's kernel. */
static enum status ask_occupancy(struct bench *bench, const struct problem *problem,
                                 const char *parameter, struct entry *entry, struct error *error)
{
    struct worker_outcome outcome = {.status = TRIAL_OK};
    enum status status = compile(bench, problem, entry, 1, error);
    if (status == STATUS_OK)
        status = load(bench, problem, entry, &outcome, error);
    if (status == STATUS_OK && outcome.status != TRIAL_OK)
        status = error_set(error, STATUS_LAUNCH_FAILED, "%s: %s", entry->key, outcome.detail);
    for (size_t i = 0; status == STATUS_OK && i < entry->configuration.count; i++)
        if (strcmp(entry->configuration.values[i].name, parameter) == 0 &&
            entry->resources.suggested_block > 0)
            entry->configuration.values[i].value = value_integer(entry->resources.suggested_block);
    return status;
}

/* Finds a baseline by its name, or the first for NULL. */
static enum status find_baseline(struct bench *bench, const struct problem *problem,
                                 const char *name, struct entry *out, bool *found,
                                 struct error *error)
{
    struct baseline baselines[EXPERIMENT_BASELINES_MAX];
    size_t count = 0;
    enum status status =
        experiment_baselines(bench->experiment, problem, bench->facts, baselines, &count, error);
    size_t at = 0;
    while (status == STATUS_OK && name && at < count && strcmp(baselines[at].name, name) != 0)
        at++;
    *found = status == STATUS_OK && at < count;
    if (!*found)
        return status;
    out->configuration = baselines[at].configuration;
    out->index = SIZE_MAX;
    (void)configuration_key(&out->configuration, out->key);
    if (baselines[at].occupancy_parameter)
        status = ask_occupancy(bench, problem, baselines[at].occupancy_parameter, out, error);
    (void)configuration_key(&out->configuration, out->key);
    return status;
}

static enum status make_ready(struct bench *bench, const struct problem *problem,
                              struct entry *entry, struct error *error)
{
    enum status status = entries_prepare(bench, problem, entry, 1, 3, error);
    if (status == STATUS_OK && isnan(entry->time_ns))
        status = error_set(error, STATUS_LAUNCH_FAILED, "%s cannot be measured", entry->key);
    return status;
}

enum status entry_named(struct bench *bench, const struct problem *problem, const char *name,
                        struct entry *out, struct error *error)
{
    bool found = false;
    *out = (struct entry){.time_ns = (double)NAN};
    enum status status = strchr(name, '=')
                             ? find_point(bench, problem, name, out, &found, error)
                             : find_baseline(bench, problem, name, out, &found, error);
    if (status == STATUS_OK && !found)
        return error_set(error, STATUS_NOT_FOUND,
                         "neither a configuration nor a baseline of %s, %s = %lld: '%s'",
                         problem->key, problem->size_name, (long long)problem->n, name);
    return status == STATUS_OK ? make_ready(bench, problem, out, error) : status;
}

enum status entry_default(struct bench *bench, const struct problem *problem, struct entry *out,
                          struct error *error)
{
    bool found = false;
    if (bench->options->configuration_count > 0)
        return entry_named(bench, problem, bench->options->configurations[0], out, error);
    *out = (struct entry){.time_ns = (double)NAN};
    enum status status = find_baseline(bench, problem, "occupancy_api", out, &found, error);
    if (status == STATUS_OK && !found)
        status = find_baseline(bench, problem, NULL, out, &found, error);
    if (status == STATUS_OK && !found)
        return error_set(error, STATUS_USAGE, "%s has no baseline: give --configuration",
                         experiment_head(bench->experiment)->path);
    return status == STATUS_OK ? make_ready(bench, problem, out, error) : status;
}
