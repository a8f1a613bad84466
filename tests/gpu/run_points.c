/* Runs points of an experiment's spaces on a device and compares the results with the reference:
 *
 *   run_points EXPERIMENT [--device N] [--sizes N,N...] [--each PARAMETER,...] [--problem TEXT]
 *              [--share] [--list]
 *
 * EXPERIMENT: a file, or one of the data folder ($TUNE_DATA_DIR). For each problem (whose key
 * contains TEXT) at each size, enough points that each value of each parameter (of those named)
 * legal there occurs; --share: in one of the problems. Each runs at every size at which it is
 * legal, from two starts of its vectors, twice in a row, between guard bands. One line a point, and
 * a summary.
 *
 * Everything happens in one process (except the C compiler), so that it can run under
 * compute-sanitizer: `compute-sanitizer --tool memcheck --error-exitcode 1 run_points
 * configs/reduce.yaml --each variant --share`. Exit code 77: no device. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/gpu/binaries.h"
#include "tests/gpu/data.h"
#include "tests/gpu/points.h"
#include "tuner/base/files.h"
#include "tuner/base/temporary.h"
#include "tuner/base/text.h"
#include "tuner/device/traits.h"

enum { EXIT_SKIPPED = 77, EXIT_USAGE = 2 };

static const int64_t usual_sizes[] = {1000003, 65537, 4097, 1000, 33, 31, 1};
static const int64_t usual_bytes_max = INT64_C(64) << 20;

struct running {
    const struct device_api *api;
    int index; /* index of the device */
    struct device *device;
    struct facts facts;
    struct experiment *experiment;
    struct arena arena;
    struct temporary folder;
    struct points points;
    struct binaries binaries;
    struct input inputs[ARGUMENTS_MAX];
    size_t runs, failed_points;
};

/* A point at one size, and its binaries. */
struct place {
    struct point point;
    struct problem problem;
    size_t binary;
    size_t check_count;
    struct output_check checks[CHECKS_MAX];
    size_t references[CHECKS_MAX]; /* binaries of the checks that have one */
};

/* Finds the place of a point; false if the point is not legal at the size. */
static enum status find_place(struct running *running, const struct chosen *chosen, int64_t n,
                              struct place *place, bool *admits, struct error *error)
{
    struct binary_request request = {0};
    enum status status = points_admit(&running->points, chosen, n, &place->problem, admits, error);
    if (status != STATUS_OK || !*admits)
        return status;
    place->point = (struct point){.experiment = running->experiment,
                                  .problem = &place->problem,
                                  .facts = &running->facts,
                                  .configuration = &chosen->configuration};
    status = point_binary(&place->point, &running->arena, &request, error);
    if (status == STATUS_OK)
        status = binaries_find(&running->binaries, running->api, &request, &place->binary, error);
    if (status == STATUS_OK)
        status =
            point_checks(&place->point, &running->arena, place->checks, &place->check_count, error);
    for (size_t i = 0; status == STATUS_OK && i < place->check_count; i++) {
        const struct output_check *check = &place->checks[i];
        const bool by_function = check->kind == REFERENCE_FUNCTION;
        if (check->kind != REFERENCE_FILL)
            status =
                binaries_find(&running->binaries, by_function ? device_kind("cpu") : running->api,
                              &check->binary, &place->references[i], error);
    }
    return status;
}

static enum status compile_all(struct running *running, struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < running->points.count; i++)
        for (size_t s = 0; s < running->points.size_count && status == STATUS_OK; s++) {
            struct place place;
            bool admits = false;
            status = find_place(running, &running->points.list[i], running->points.sizes[s], &place,
                                &admits, error);
        }
    if (status == STATUS_OK)
        binaries_compile(&running->binaries, 0);
    return status;
}

static enum status outputs_hold(struct running *running, const struct launch_plan *plan,
                                const struct wanted *wanted, size_t count, struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        status = wanted_holds(running->api, running->device, &wanted[i], plan, error);
    return status;
}

/* Runs twice: the second run finds the scratch of the first. A run that changes its own inputs
 * makes the second one meaningless. */
static enum status run_twice(struct running *running, const struct place *place,
                             const struct launch_plan *plan, const void *const *inputs,
                             const struct wanted *wanted, struct error *error)
{
    const struct device_api *api = running->api;
    char detail[ERROR_TEXT_BYTES] = "";
    double elapsed_ns = 0;
    bool intact = true;
    enum status status = api->bind(running->device, plan, inputs, 1, NULL, error);
    if (status == STATUS_OK)
        status = api->run(running->device, plan, RUN_FIRST, &elapsed_ns, error);
    if (status == STATUS_OK)
        status = outputs_hold(running, plan, wanted, place->check_count, error);
    const bool again = !plan_has_updates(plan);
    if (status == STATUS_OK && again)
        status = api->run(running->device, plan, RUN_AGAIN, &elapsed_ns, error);
    if (status == STATUS_OK && again) {
        status = outputs_hold(running, plan, wanted, place->check_count, error);
        if (status != STATUS_OK && string_format(detail, sizeof detail, "%s", error->text))
            status = error_set(error, status, "the second run: %s", detail);
    }
    if (status == STATUS_OK)
        status = api->guards_intact(running->device, plan, &intact, detail, sizeof detail, error);
    return status == STATUS_OK && !intact ? error_set(error, STATUS_BAD_INPUT, "%s", detail)
                                          : status;
}

static enum status load(struct running *running, struct place *place, struct arena *arena,
                        struct error *error)
{
    const struct binary *binaries = running->binaries.list;
    struct launch kernels[LAUNCHES_MAX];
    struct kernel_resources resources = {.active_blocks_per_sm = -1};
    size_t count = 0;
    if (binaries[place->binary].status != STATUS_OK)
        return error_set(error, binaries[place->binary].status, "%s",
                         binaries[place->binary].error.text);
    enum status status = running->api->load(running->device, binaries[place->binary].path, error);
    if (status == STATUS_OK)
        status = point_kernels(&place->point, arena, kernels, &count, error);
    for (size_t i = count; i-- > 0 && status == STATUS_OK;) /* the first one's are kept */
        status = running->api->resources(running->device, &kernels[i], &resources, error);
    if (status != STATUS_OK)
        return status;
    if (resources.active_blocks_per_sm == 0)
        return error_set(error, STATUS_LAUNCH_FAILED, "no block fits");
    place->point.active_blocks =
        resources.active_blocks_per_sm > 0 ? resources.active_blocks_per_sm : 1;
    return STATUS_OK;
}

/* Moves the vectors' starts from the allocator's to `starts` times their alignment later. */
static void move_starts(struct launch_plan *plan, uint32_t starts)
{
    for (size_t i = 0; i < plan->argument_count; i++)
        if (role_is_vector(plan->arguments[i].role))
            plan->arguments[i].offset_bytes = plan->arguments[i].alignment_bytes * starts;
}

static enum status make_wanted(struct running *running, const struct place *place,
                               const struct launch_plan *plan, const void *const *inputs,
                               struct wanted wanted[CHECKS_MAX], struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < place->check_count; i++) {
        const struct output_check *check = &place->checks[i];
        const struct binary *binary =
            check->kind != REFERENCE_FILL ? &running->binaries.list[place->references[i]] : NULL;
        if (binary && binary->status != STATUS_OK)
            return error_set(error, binary->status, "the reference: %s", binary->error.text);
        status = wanted_make(running->api, running->device, check, binary ? binary->path : NULL,
                             plan, inputs, &wanted[i], error);
    }
    /* One of another plan has loaded another binary. */
    if (status == STATUS_OK)
        status =
            running->api->load(running->device, running->binaries.list[place->binary].path, error);
    return status;
}

static enum status run_place(struct running *running, struct place *place, struct error *error)
{
    struct arena arena = {0};
    struct launch_plan plan;
    const void *inputs[ARGUMENTS_MAX];
    struct wanted wanted[CHECKS_MAX] = {{0}};
    enum status status = load(running, place, &arena, error);
    if (status == STATUS_OK)
        status = point_plan(&place->point, &arena, &plan, error);
    if (status == STATUS_OK)
        status = inputs_make(running->inputs, &plan, inputs, error);
    if (status == STATUS_OK)
        status = make_wanted(running, place, &plan, inputs, wanted, error);
    for (uint32_t i = 0; i < 2 && status == STATUS_OK; i++) {
        const uint32_t starts = i == 0 ? 0 : 1 + (uint32_t)(running->runs % 3);
        move_starts(&plan, starts);
        status = run_twice(running, place, &plan, inputs, wanted, error);
        running->runs += 2;
    }
    for (size_t i = 0; i < CHECKS_MAX; i++)
        wanted_free(&wanted[i]);
    arena_free(&arena);
    return status;
}

/* Runs a point at all its sizes. Fails only if the device is lost. */
static enum status run_point(struct running *running, const struct chosen *chosen,
                             struct error *error)
{
    char key[CONFIGURATION_KEY_BYTES];
    struct text sizes = {0};
    bool right = true;
    enum status status = STATUS_OK;
    if (!configuration_key(&chosen->configuration, key))
        key[0] = '\0';
    for (size_t s = 0; s < running->points.size_count && status == STATUS_OK; s++) {
        struct place place;
        bool admits = false;
        struct error wrong = {0};
        const int64_t n = running->points.sizes[s];
        status = find_place(running, chosen, n, &place, &admits, error);
        if (status != STATUS_OK || !admits)
            continue;
        text_printf(&sizes, "%s%lld", sizes.length > 0 ? "," : "", (long long)n);
        const enum status ran = run_place(running, &place, &wrong);
        if (ran == STATUS_OK)
            continue;
        printf("FAILED %s %s=%lld %s: %s\n", chosen->problem.key, place.problem.size_name,
               (long long)n, key, wrong.text);
        right = false;
        if (ran == STATUS_DEVICE_LOST || ran == STATUS_NO_MEMORY)
            status = error_set(error, ran, "%s", wrong.text);
    }
    if (right)
        printf("ok %s %s=%s %s\n", chosen->problem.key, chosen->problem.size_name,
               text_string(&sizes), key);
    (void)fflush(stdout);
    running->failed_points += !right;
    text_free(&sizes);
    return status;
}

static void list_points(const struct points *points)
{
    for (size_t i = 0; i < points->count; i++) {
        char key[CONFIGURATION_KEY_BYTES];
        const struct chosen *chosen = &points->list[i];
        if (configuration_key(&chosen->configuration, key))
            printf("%s %s<=%lld %s\n", chosen->problem.key, chosen->problem.size_name,
                   (long long)chosen->problem.n, key);
    }
    printf("%zu points\n", points->count);
}

static enum status run_all(struct running *running, struct error *error)
{
    const struct warm_up none = {0};
    enum status status = compile_all(running, error);
    if (status == STATUS_OK)
        status = running->api->open(running->index, &none, &running->device, NULL, error);
    for (size_t i = 0; i < running->points.count && status == STATUS_OK; i++)
        status = run_point(running, &running->points.list[i], error);
    printf("%s: %zu points, %zu failed (%zu binaries, %zu runs)\n",
           experiment_head(running->experiment)->name, running->points.count,
           running->failed_points, running->binaries.count, running->runs);
    return status;
}

/* Loads a file, or one named relative to the data folder. */
static enum status load_experiment(struct running *running, const char *name, struct error *error)
{
    const char *folder = NULL;
    const char *path = name;
    int devices = 0;
    enum status status = data_folder(&running->arena, &folder, error);
    if (status == STATUS_OK && !file_exists(name))
        path = arena_printf(&running->arena, "%s/%s", folder, name);
    if (status == STATUS_OK && !path)
        status = error_no_memory(error);
    if (status == STATUS_OK)
        status = experiment_load(path, folder, &running->experiment, error);
    if (status != STATUS_OK)
        return status;
    running->api = device_kind(experiment_head(running->experiment)->device->section);
    if (!running->api)
        return error_set(error, STATUS_UNAVAILABLE, "built without CUDA");
    status = running->api->count(&devices, error);
    if (status == STATUS_OK && running->index >= devices)
        status = error_set(error, STATUS_UNAVAILABLE, "no device %d", running->index);
    if (status == STATUS_OK)
        status = running->api->describe(running->index, NULL, &running->facts, error);
    return status;
}

static enum status start_binaries(struct running *running, struct error *error)
{
    const char *folder = getenv("TMPDIR");
    const char *prefix =
        arena_printf(&running->arena, "%s/run_points.", folder && *folder ? folder : "/tmp");
    if (!prefix)
        return error_no_memory(error);
    running->binaries.arena = &running->arena;
    running->binaries.folder = running->folder.path;
    return temporary_folder_make(prefix, &running->folder, error);
}

static int run(struct running *running, const char *name, bool list)
{
    struct error error = {0};
    enum status status = load_experiment(running, name, &error);
    running->points.experiment = running->experiment;
    running->points.facts = &running->facts;
    running->points.arena = &running->arena;
    if (status == STATUS_OK)
        status = points_choose(&running->points, &error);
    if (status == STATUS_OK && list)
        list_points(&running->points);
    if (status == STATUS_OK && !list)
        status = start_binaries(running, &error);
    if (status == STATUS_OK && !list)
        status = run_all(running, &error);
    if (status == STATUS_OK && running->points.count == 0)
        status = error_set(&error, STATUS_BAD_INPUT, "there are no such points");
    if (status != STATUS_OK)
        printf("%s: %s\n", status == STATUS_UNAVAILABLE ? "skipped" : "FAILED", error.text);
    if (status == STATUS_UNAVAILABLE)
        return EXIT_SKIPPED;
    return status == STATUS_OK && running->failed_points == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

static void free_all(struct running *running)
{
    if (running->device)
        running->api->close(running->device);
    inputs_free(running->inputs);
    if (running->folder.path[0])
        temporary_folder_remove(&running->folder);
    points_free(&running->points);
    binaries_free(&running->binaries);
    experiment_free(running->experiment);
    facts_free(&running->facts);
    arena_free(&running->arena);
}

static int descending(const void *a, const void *b)
{
    const int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left < right) - (left > right);
}

static bool read_sizes(struct points *points, const char *text)
{
    char *end = NULL;
    points->size_count = 0;
    points->bytes_max = 0;
    do {
        const long long n = strtoll(text, &end, 10);
        if (end == text || n < 1 || points->size_count == SIZES_MAX)
            return false;
        points->sizes[points->size_count++] = n;
        text = end + 1;
    } while (*end == ',');
    qsort(points->sizes, points->size_count, sizeof points->sizes[0], descending);
    return *end == '\0';
}

/* Reads the options; returns the experiment's name, or NULL for a wrong command line. */
static const char *read_options(struct running *running, int count, char **words, bool *list)
{
    const char *name = NULL;
    for (int i = 1; i < count; i++) {
        const char *word = words[i];
        const char *value = i + 1 < count ? words[i + 1] : NULL;
        if (strcmp(word, "--list") == 0 || strcmp(word, "--share") == 0) {
            *(word[2] == 'l' ? list : &running->points.share) = true;
            continue;
        }
        if (word[0] != '-') {
            if (name)
                return NULL;
            name = word;
            continue;
        }
        if (!value)
            return NULL;
        if (strcmp(word, "--device") == 0)
            running->index = (int)strtol(value, NULL, 10);
        else if (strcmp(word, "--each") == 0)
            running->points.each = arena_printf(&running->arena, ",%s,", value);
        else if (strcmp(word, "--problem") == 0)
            running->points.only = value;
        else if (strcmp(word, "--sizes") != 0 || !read_sizes(&running->points, value))
            return NULL;
        i++;
    }
    return name;
}

int main(int count, char **words)
{
    struct running *running = calloc(1, sizeof *running);
    bool list = false;
    int code = EXIT_USAGE;
    if (!running)
        return EXIT_FAILURE;
    running->points.size_count = sizeof usual_sizes / sizeof usual_sizes[0];
    memcpy(running->points.sizes, usual_sizes, sizeof usual_sizes);
    running->points.bytes_max = usual_bytes_max;
    const char *name = read_options(running, count, words, &list);
    if (name)
        code = run(running, name, list);
    else
        fprintf(stderr, "use: run_points EXPERIMENT [--device N] [--sizes N,N...] "
                        "[--each PARAMETER,...] [--problem TEXT] [--share] [--list]\n");
    free_all(running);
    free(running);
    return code;
}
