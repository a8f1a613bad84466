/* Compiles points of an experiment's spaces for architectures of which no device needs to be here:
 *   compile_points EXPERIMENT.yaml COUNT ARCHITECTURE...
 * COUNT different binaries an architecture, spread evenly over the spaces of all problems; 0: all.
 * A binary that does not compile, or spills registers, fails. Exit code 77: no compiler here. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tuner/base/files.h"
#include "tuner/base/text.h"
#include "tuner/device/device.h"
#include "tuner/experiment/experiment.h"

enum { EXIT_SKIPPED = 77, BINARIES_MAX = 8192 };

/* The different binaries of all spaces, on a device of one architecture. */
struct binaries {
    struct arena arena;
    struct facts facts;
    size_t count;
    struct binary_request requests[BINARIES_MAX];
    const char *keys[BINARIES_MAX];
};

/* What spaces ask of a device, as an H200 has it; of the architecture only its name differs. */
static void make_facts(struct facts *facts, const char *architecture)
{
    static const struct {
        const char *key;
        int64_t value;
    } integers[] = {
        {"sm_count", 132},
        {"max_threads_per_block", 1024},
        {"max_threads_per_sm", 1024},
        {"max_blocks_per_sm", 16},
        {"registers_per_sm", 65536},
        {"shared_bytes_per_block", 49152},
        {"shared_bytes_per_block_optin", 65536},
        {"shared_bytes_per_sm", 65536},
        {"l2_bytes", INT64_C(62914560)},
        {"memory_bytes", INT64_C(150000000000)},
        {"warp_size", 32},
    };
    char capability[16];
    const int number = atoi(architecture + strcspn(architecture, "0123456789"));

    facts_add_text(facts, "kind", "", "cuda");
    facts_add_text(facts, "architecture", "", architecture);
    if (string_format(capability, sizeof capability, "%d.%d", number / 10, number % 10))
        facts_add_text(facts, "compute_capability", "", capability);
    for (size_t i = 0; i < sizeof integers / sizeof integers[0]; i++)
        facts_add_integer(facts, integers[i].key, "", "", integers[i].value);
}

/* "BLOCK=256 LOADS=4 ... reduce_last_block": what tells one binary from another. */
static const char *request_key(struct arena *arena, const struct binary_request *request)
{
    char value[VALUE_TEXT_BYTES];
    const char *key = "";
    for (size_t i = 0; i < request->define_count && key; i++) {
        const struct named_value *define = &request->defines[i];
        const bool fits = value_format(define->value, value, sizeof value);
        key = arena_printf(arena, "%s%s=%s ", key, define->name, fits ? value : "?");
    }
    for (size_t i = 0; i < request->kernel_count && key; i++)
        key = arena_printf(arena, "%s%s ", key, request->kernels[i]);
    return key;
}

static enum status add_binary(struct binaries *binaries, const struct point *point,
                              struct error *error)
{
    struct binary_request request = {0};
    enum status status = point_binary(point, &binaries->arena, &request, error);
    if (status != STATUS_OK)
        return status;
    const char *key = request_key(&binaries->arena, &request);
    if (!key)
        return error_no_memory(error);
    for (size_t i = 0; i < binaries->count; i++)
        if (strcmp(binaries->keys[i], key) == 0)
            return STATUS_OK;
    if (binaries->count == BINARIES_MAX)
        return error_set(error, STATUS_INTERNAL, "more than %d binaries", BINARIES_MAX);
    binaries->requests[binaries->count] = request;
    binaries->keys[binaries->count++] = key;
    return STATUS_OK;
}

static enum status add_space(struct binaries *binaries, const struct experiment *experiment,
                             const struct problem *problem, struct error *error)
{
    struct space *space = NULL;
    enum status status = space_create(experiment, problem, &binaries->facts, &space, error);
    const size_t count = status == STATUS_OK ? space_count(space) : 0;
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        struct configuration configuration;
        space_configuration(space, i, &configuration);
        const struct point point = {.experiment = experiment,
                                    .problem = problem,
                                    .facts = &binaries->facts,
                                    .configuration = &configuration};
        status = add_binary(binaries, &point, error);
    }
    space_free(space);
    return status;
}

/* Prints what is wrong with it; true when nothing is. */
static bool compile_one(const struct device_api *api, const struct binary_request *request,
                        const char *key, const char *path, bool *unavailable)
{
    struct error error = {0};
    struct text log = {0};
    const enum status status = api->compile(request, path, &log, &error);
    bool right = status == STATUS_OK;
    *unavailable = status == STATUS_UNAVAILABLE;
    if (*unavailable) {
        printf("skipped: %s\n", error.text);
    } else if (!right) {
        printf("FAILED %s %s: %s\n%s\n", request->architecture, key, error.text, text_string(&log));
    } else {
        for (const char *at = text_string(&log); (at = strstr(at, " bytes spill ")); at++)
            right = right && at > log.data && at[-1] == '0' && (at[-2] < '0' || at[-2] > '9');
        if (!right)
            printf("FAILED %s %s: spills registers\n%s\n", request->architecture, key,
                   text_string(&log));
    }
    unlink(path);
    text_free(&log);
    return right;
}

static int compile_sample(const struct device_api *api, const struct binaries *binaries,
                          size_t wanted, const char *architecture)
{
    const char *folder = getenv("TMPDIR");
    char path[512];
    int failed = 0;
    const size_t count = wanted == 0 || wanted > binaries->count ? binaries->count : wanted;

    if (!string_format(path, sizeof path, "%s/compile_points.%ld.cubin", folder ? folder : "/tmp",
                       (long)getpid()))
        return EXIT_FAILURE;
    for (size_t i = 0; i < count; i++) {
        const size_t index = (2 * i + 1) * binaries->count / (2 * count);
        bool unavailable = false;
        failed += !compile_one(api, &binaries->requests[index], binaries->keys[index], path,
                               &unavailable);
        if (unavailable)
            return EXIT_SKIPPED;
    }
    printf("%s: %zu of %zu binaries, %d failed\n", architecture, count, binaries->count, failed);
    return failed > 0;
}

static int compile_for(const struct device_api *api, const struct experiment *experiment,
                       size_t wanted, const char *architecture)
{
    struct binaries *binaries = calloc(1, sizeof *binaries);
    struct error error = {0};
    enum status status = STATUS_OK;
    int result = EXIT_FAILURE;

    if (!binaries)
        return result;
    make_facts(&binaries->facts, architecture);
    for (size_t i = 0; i < experiment_problem_count(experiment) && status == STATUS_OK; i++) {
        struct problem problem;
        experiment_problem(experiment, i, &problem);
        status = add_space(binaries, experiment, &problem, &error);
    }
    if (status == STATUS_OK && binaries->count > 0)
        result = compile_sample(api, binaries, wanted, architecture);
    else
        printf("FAILED %s: %s\n", architecture,
               status == STATUS_OK ? "the spaces are empty" : error.text);
    facts_free(&binaries->facts);
    arena_free(&binaries->arena);
    free(binaries);
    return result;
}

int main(int count, char **arguments)
{
    struct experiment *experiment = NULL;
    struct error error = {0};
    const struct device_api *api = device_kind("cuda");
    int result = 0;

    if (count < 4) {
        fprintf(stderr, "use: compile_points EXPERIMENT COUNT ARCHITECTURE...\n");
        return 2;
    }
    if (!api) {
        printf("skipped: built without CUDA\n");
        return EXIT_SKIPPED;
    }
    if (experiment_load(arguments[1], TEST_SOURCE_DIR, &experiment, &error) != STATUS_OK) {
        printf("FAILED %s\n", error.text);
        return EXIT_FAILURE;
    }
    for (int i = 3; i < count && result != EXIT_SKIPPED; i++) {
        const int one = compile_for(api, experiment, (size_t)atol(arguments[2]), arguments[i]);
        result = one != 0 ? one : result;
    }
    experiment_free(experiment);
    return result;
}
