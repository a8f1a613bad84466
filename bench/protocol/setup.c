/* Shared by all commands: experiment, worker, compilers, files. */
#include <string.h>
#include <unistd.h>

#include "bench/protocol/bench.h"

#include "tuner/base/files.h"
#include "tuner/device/device.h"
#include "tuner/device/place.h"
#include "tuner/device/traits.h"

enum { COMPILERS_MAX = 32 };

static enum status load_experiment(struct bench *bench, const char *kind, struct error *error)
{
    const char *data = NULL;
    const char *path = bench->options->experiment;
    enum status status = data_folder(&bench->arena, &data, error);
    if (status != STATUS_OK)
        return status;
    if (!path)
        path = arena_printf(&bench->arena, "%s/configs/%s.yaml", data,
                            strcmp(kind, "cpu") == 0 ? "reduce_cpu" : "reduce");
    if (!path)
        return error_no_memory(error);
    status = experiment_load(path, data, &bench->experiment, error);
    if (status == STATUS_OK && strcmp(experiment_head(bench->experiment)->device->section,
                                      device_traits(kind)->section) != 0)
        status = error_set(error, STATUS_USAGE, "%s is for the device %s: use --device", path,
                           experiment_head(bench->experiment)->device->section);
    return status;
}

static enum status find_problem(struct bench *bench, struct error *error)
{
    const char *key = bench->options->problem;
    const size_t count = experiment_problem_count(bench->experiment);
    for (size_t i = 0; i < count; i++) {
        experiment_problem(bench->experiment, i, &bench->problem);
        if (!key || strcmp(bench->problem.key, key) == 0)
            return STATUS_OK;
    }
    experiment_problem(bench->experiment, 0, &bench->problem);
    return error_set(error, STATUS_USAGE, "%s has no problem '%s'; its first is '%s'",
                     experiment_head(bench->experiment)->path, key, bench->problem.key);
}

/* Pins near the device; devices whose kernels run on these cores place their threads themselves. */
static enum status pin(struct bench *bench, const struct device_api *api,
                       struct placement *placement, struct error *error)
{
    const char *address = facts_text(bench->facts, "pci_address", NULL);
    bool pinned = false;
    *placement = (struct placement){.note = ""};
    if (!api->compiles_beside_measuring)
        return STATUS_OK;
    enum status status = place_devices(NULL, &address, 1, placement, error);
    const char *cpus = placement->devices[0].cpus;
    if (status == STATUS_OK && cpus[0])
        status = worker_pin(bench->worker, cpus, &pinned, error);
    if (status == STATUS_OK && !pinned)
        fprintf(stderr, "bench_protocol: the measuring process is not pinned: %s\n",
                placement->note);
    return status;
}

static enum status start(struct bench *bench, const struct device_api *api, int index,
                         struct error *error)
{
    struct placement placement;
    enum status status = worker_start(host_local(), api->kind, index, &bench->options->protocol,
                                      &bench->worker, error);
    if (status != STATUS_OK)
        return status;
    bench->facts = &worker_head(bench->worker)->facts;
    status = lock_take(facts_text(bench->facts, "uuid", api->kind), &bench->lock, error);
    if (status == STATUS_OK)
        status = pin(bench, api, &placement, error);
    if (status != STATUS_OK)
        return status;
    const char *cpus = placement.compilers.cpus[0] ? placement.compilers.cpus : NULL;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t compilers = cores < 1 ? 1 : cores > COMPILERS_MAX ? COMPILERS_MAX : (size_t)cores;
    status = compile_pool_start(host_local(), api->kind, compilers, cpus, &bench->kernels, error);
    if (status == STATUS_OK)
        status = compile_pool_start(host_local(), "cpu", 1, cpus, &bench->references, error);
    return status;
}

static enum status open_file(const char *path, FILE **out, struct error *error)
{
    if (!path)
        return STATUS_OK;
    *out = fopen(path, "w");
    return *out ? STATUS_OK : error_set(error, STATUS_IO, "%s cannot be written", path);
}

enum status bench_open(struct bench *bench, const struct options *options, struct error *error)
{
    const struct device_api *api = NULL;
    int index = 0;
    *bench = (struct bench){.options = options, .random = {.seed = (uint64_t)options->seed}};
    enum status status = device_parse(options->device, &api, &index, error);
    if (status == STATUS_OK)
        status = load_experiment(bench, api->kind, error);
    if (status == STATUS_OK)
        status = find_problem(bench, error);
    if (status == STATUS_OK)
        status = open_file(options->out, &bench->out, error);
    if (status == STATUS_OK)
        status = open_file(options->raw, &bench->raw, error);
    if (status == STATUS_OK)
        status = start(bench, api, index, error);
    return status;
}

void bench_close(struct bench *bench)
{
    if (bench->kernels)
        compile_pool_stop(bench->kernels);
    if (bench->references)
        compile_pool_stop(bench->references);
    if (bench->worker)
        worker_stop(bench->worker);
    lock_release(bench->lock);
    experiment_free(bench->experiment);
    if (bench->out)
        (void)fclose(bench->out);
    if (bench->raw)
        (void)fclose(bench->raw);
    arena_free(&bench->arena);
}

void bench_sizes(const struct bench *bench, const int64_t **sizes, size_t *count, int64_t *room)
{
    *sizes = bench->options->sizes;
    *count = bench->options->size_count;
    if (*count > 0)
        return;
    const size_t problems = experiment_problem_count(bench->experiment);
    for (size_t i = 0; i < problems && *count < SIZES_MAX; i++) {
        struct problem problem;
        experiment_problem(bench->experiment, i, &problem);
        if (strcmp(problem.key, bench->problem.key) == 0)
            room[(*count)++] = problem.n;
    }
    *sizes = room;
}

/* Makes the binary of a reference: a C function's, or the kernels' of another plan. */
static enum status make_binary(struct bench *bench, const struct output_check *check,
                               const char **path, struct error *error)
{
    struct compile_pool *pool = check->kind == REFERENCE_PLAN ? bench->kernels : bench->references;
    struct compile_done done = {.status = STATUS_INTERNAL};
    const char *hash = NULL;
    bool got = false;
    enum status status =
        binary_cache_path(&check->binary, bench->facts, &bench->arena, path, &hash, error);
    if (status != STATUS_OK || file_exists(*path))
        return status;
    status = compile_pool_submit(pool, &check->binary, *path, 0, error);
    if (status == STATUS_OK)
        status = compile_pool_wait(pool, -1, &done, &got, error);
    if (status == STATUS_OK && done.status != STATUS_OK)
        status = error_set(error, done.status, "the reference: %s", done.detail);
    return status;
}

static enum status make_references(struct bench *bench, const struct point *point,
                                   struct worker_checks *out, struct error *error)
{
    struct output_check checks[CHECKS_MAX];
    enum status status = point_checks(point, &bench->arena, checks, &out->count, error);
    for (size_t i = 0; i < out->count && status == STATUS_OK; i++) {
        const struct output_check *check = &checks[i];
        out->items[i] = (struct worker_reference){.kind = check->kind,
                                                  .fill = check->fill,
                                                  .name = check->reference,
                                                  .plan = check->plan,
                                                  .output = check->output,
                                                  .tolerance = check->tolerance};
        if (check->kind != REFERENCE_FILL)
            status = make_binary(bench, check, &out->items[i].path, error);
    }
    return status;
}

enum status bench_problem(struct bench *bench, int64_t n, struct problem *problem,
                          struct error *error)
{
    struct space *space = NULL;
    struct configuration any;
    struct launch_plan plan;
    struct worker_task what = {.plan = &plan};
    *problem = problem_at(&bench->problem, n);
    enum status status = space_create(bench->experiment, problem, bench->facts, &space, error);
    if (status != STATUS_OK)
        return status;
    space_configuration(space, 0, &any);
    const struct point point = {bench->experiment, problem, bench->facts, &any, 1};
    status = point_plan(&point, &bench->arena, &plan, error);
    if (status == STATUS_OK)
        status = make_references(bench, &point, &what.checks, error);
    if (status == STATUS_OK)
        status = worker_problem(bench->worker, &what, error);
    space_free(space);
    return status;
}

void size_text(int64_t n, char out[24])
{
    int power = 0;
    while (power < 62 && INT64_C(1) << power < n)
        power++;
    if (n >= 1024 && INT64_C(1) << power == n)
        (void)snprintf(out, 24, "2^%d", power);
    else
        (void)snprintf(out, 24, "%lld", (long long)n);
}
