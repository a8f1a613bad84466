/* Compiles points of an experiment's spaces for architectures of which no device needs to be here:
 *   compile_points [--spills] EXPERIMENT.yaml COUNT ARCHITECTURE...
 * COUNT points an architecture, spread over the problems and their spaces, others for each; 0: all,
 * each different binary once, by as many processes as there are processors. A binary that does not
 * compile, or spills registers (unless --spills), fails. Exit code 77: no compiler here.
 *   compile_points --sources FILE HEADER PREFIX EXPERIMENT.yaml
 * writes FILE for the emulation: as many points as it takes for each value of each parameter to
 * occur, each as the defines of its binary, SOURCE, POINT (PREFIX and a number), and HEADER. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/gpu/points.h"
#include "tuner/base/files.h"
#include "tuner/base/hash.h"
#include "tuner/base/text.h"
#include "tuner/device/device.h"
#include "tuner/experiment/experiment.h"
#include "tuner/experiment/point.h"

enum { EXIT_SKIPPED = 77, JOBS_MAX = 256 };

/* Work for one architecture, or one process's part of it. */
struct work {
    const struct device_api *api;
    const struct experiment *experiment;
    struct facts facts;
    const char *architecture;
    size_t turn;          /* the architecture's number: each has other points */
    uint64_t part, parts; /* part of the binaries, by the hash of their distinguishing text */
    uint64_t *seen;       /* such hashes: a table of `capacity` places, a power of two; 0: free */
    size_t capacity, seen_count;
    size_t compiled, failed;
    bool spills; /* are no fault */
    bool unavailable;
};

/* Makes facts of a device for spaces: an H200's, except the architecture's name. */
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

    facts_add_text(facts, "kind", "cuda");
    facts_add_text(facts, "architecture", architecture);
    if (string_format(capability, sizeof capability, "%d.%d", number / 10, number % 10))
        facts_add_text(facts, "compute_capability", capability);
    for (size_t i = 0; i < sizeof integers / sizeof integers[0]; i++)
        facts_add_integer(facts, integers[i].key, integers[i].value);
}

/* Returns "BLOCK=256 LOADS=4 ... reduce_last_block": the text that distinguishes a binary. */
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

/* Returns false for a binary seen before; ends the program if memory is short. */
static bool is_new(struct work *work, uint64_t hash)
{
    hash += hash == 0;
    if (2 * work->seen_count >= work->capacity) {
        struct work grown = *work;
        grown.capacity = work->capacity ? 2 * work->capacity : 1024;
        grown.seen_count = 0;
        grown.seen = calloc(grown.capacity, sizeof *grown.seen);
        if (!grown.seen)
            exit(EXIT_FAILURE);
        for (size_t i = 0; i < work->capacity; i++)
            if (work->seen[i])
                (void)is_new(&grown, work->seen[i]);
        free(work->seen);
        *work = grown;
    }
    size_t at = (size_t)hash & (work->capacity - 1);
    for (; work->seen[at]; at = (at + 1) & (work->capacity - 1))
        if (work->seen[at] == hash)
            return false;
    work->seen[at] = hash;
    work->seen_count++;
    return true;
}

/* Compiles one binary and prints its errors; true without any. */
static bool compile_one(struct work *work, const struct binary_request *request, const char *key,
                        const char *path)
{
    struct error error = {0};
    struct text log = {0};
    const enum status status = work->api->compile(request, path, &log, &error);
    bool right = status == STATUS_OK;
    work->unavailable = status == STATUS_UNAVAILABLE;
    if (work->unavailable) {
        printf("skipped: %s\n", error.text);
    } else if (!right) {
        printf("FAILED %s %s: %s\n%s\n", request->architecture, key, error.text, text_string(&log));
    } else if (!work->spills) {
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

static enum status compile_point(struct work *work, const struct problem *problem,
                                 const struct space *space, size_t index, struct error *error)
{
    const char *folder = getenv("TMPDIR");
    char path[512];
    struct arena arena = {0};
    struct binary_request request = {0};
    struct configuration configuration;
    space_configuration(space, index, &configuration);
    const struct point point = {.experiment = work->experiment,
                                .problem = problem,
                                .facts = &work->facts,
                                .configuration = &configuration};
    enum status status = point_binary(&point, &arena, &request, error);
    const char *key = status == STATUS_OK ? request_key(&arena, &request) : NULL;
    if (status == STATUS_OK &&
        (!key || !string_format(path, sizeof path, "%s/compile_points.%ld.cubin",
                                folder ? folder : "/tmp", (long)getpid())))
        status = error_no_memory(error);
    const uint64_t hash = key ? hash_u64(key, strlen(key), 0) : 0;
    if (status == STATUS_OK && hash % work->parts == work->part && is_new(work, hash)) {
        work->compiled++;
        work->failed += !compile_one(work, &request, key, path);
    }
    arena_free(&arena);
    return status;
}

/* Compiles `wanted` points of a problem, the first one by `turn`; 0: all. */
static enum status compile_problem(struct work *work, size_t problem_index, size_t wanted,
                                   size_t turn, struct error *error)
{
    struct problem problem;
    struct space *space = NULL;
    experiment_problem(work->experiment, problem_index, &problem);
    enum status status = space_create(work->experiment, &problem, &work->facts, &space, error);
    const size_t count = status == STATUS_OK ? space_count(space) : 0;
    const size_t last = wanted == 0 || wanted > count ? count : wanted;
    for (size_t i = 0; i < last && status == STATUS_OK && !work->unavailable; i++)
        status =
            compile_point(work, &problem, space, (turn * 7919 + i * count / last) % count, error);
    space_free(space);
    return status;
}

/* Exit code. */
static int compile_part(struct work *work, size_t wanted)
{
    struct error error = {0};
    enum status status = STATUS_OK;
    const size_t problems = experiment_problem_count(work->experiment);
    const size_t steps = wanted == 0 ? problems : wanted;
    make_facts(&work->facts, work->architecture);
    for (size_t i = 0; i < steps && status == STATUS_OK && !work->unavailable; i++) {
        const size_t index =
            wanted == 0 ? i : ((2 * i + 1) * problems / (2 * steps) + work->turn) % problems;
        status = compile_problem(work, index, wanted == 0 ? 0 : 1, work->turn * steps + i, &error);
    }
    if (status != STATUS_OK)
        printf("FAILED %s: %s\n", work->architecture, error.text);
    else if (!work->unavailable)
        printf("%s: %zu binaries, %zu failed\n", work->architecture, work->compiled, work->failed);
    facts_free(&work->facts);
    free(work->seen);
    if (work->unavailable)
        return EXIT_SKIPPED;
    return status != STATUS_OK || work->failed > 0 || (wanted > 0 && work->compiled == 0);
}

static int compile_all(const struct work *whole)
{
    pid_t children[JOBS_MAX];
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const size_t jobs = processors < 1 ? 1 : processors > JOBS_MAX ? JOBS_MAX : (size_t)processors;
    int result = 0;
    (void)fflush(stdout);
    for (size_t i = 0; i < jobs; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            struct work part = *whole;
            part.part = i;
            part.parts = jobs;
            const int code = compile_part(&part, 0);
            (void)fflush(stdout);
            _exit(code);
        }
    }
    for (size_t i = 0; i < jobs; i++) {
        int state = 0;
        const bool ended = children[i] > 0 && waitpid(children[i], &state, 0) > 0;
        const int code = ended && WIFEXITED(state) ? WEXITSTATUS(state) : EXIT_FAILURE;
        result = code != 0 ? code : result;
    }
    return result;
}

/* Appends the source of one point, unless one with these defines is there. */
static enum status add_source(struct work *work, const struct chosen *chosen, const char *header,
                              const char *prefix, struct text *out, struct error *error)
{
    char value[VALUE_TEXT_BYTES];
    struct arena arena = {0};
    struct binary_request request = {0};
    struct text defines = {0};
    const struct point point = {.experiment = work->experiment,
                                .problem = &chosen->problem,
                                .facts = &work->facts,
                                .configuration = &chosen->configuration};
    const enum status status = point_binary(&point, &arena, &request, error);
    for (size_t i = 0; i < request.define_count && status == STATUS_OK; i++)
        if (value_format(request.defines[i].value, value, sizeof value))
            text_printf(&defines, "#define %s %s\n", request.defines[i].name, value);
    if (status == STATUS_OK && is_new(work, hash_u64(defines.data, defines.length, 0))) {
        text_printf(out, "\n#define SOURCE \"%s\"\n#define POINT %s%zu\n%s#include \"%s\"\n",
                    request.source_path, prefix, work->compiled++, text_string(&defines), header);
        for (size_t i = 0; i < request.define_count; i++)
            text_printf(out, "#undef %s\n", request.defines[i].name);
        text_printf(out, "#undef POINT\n#undef SOURCE\n");
    }
    text_free(&defines);
    arena_free(&arena);
    return status;
}

/* Writes the file of a family's points, if its content is new; an exit code. */
static int write_sources(char **arguments, const struct experiment *experiment)
{
    enum { SIZE = 1 << 28 }; /* large enough for each value to be legal */
    const char *path = arguments[0];
    struct error error = {0};
    struct arena arena = {0};
    struct text out = {0};
    struct work work = {.experiment = experiment, .parts = 1};
    make_facts(&work.facts, "sm_90");
    struct points points = {.experiment = experiment,
                            .facts = &work.facts,
                            .arena = &arena,
                            .sizes = {SIZE},
                            .size_count = 1};
    text_printf(&out, "// Written by compile_points from %s.\n", arguments[3]);
    enum status status = points_choose(&points, &error);
    for (size_t i = 0; i < points.count && status == STATUS_OK; i++)
        status = add_source(&work, &points.list[i], arguments[1], arguments[2], &out, &error);
    if (status == STATUS_OK && work.compiled == 0)
        status = error_set(&error, STATUS_BAD_INPUT, "%s has no points", arguments[3]);
    if (status == STATUS_OK && out.failed)
        status = error_no_memory(&error);
    char *before = NULL;
    size_t length = 0;
    struct error absent = {0};
    const bool same =
        file_read(&arena, path, SIZE_MAX / 2, &before, &length, &absent) == STATUS_OK &&
        length == out.length && memcmp(before, out.data, length) == 0;
    if (status == STATUS_OK && !same) /* what includes the file is compiled again */
        status = file_write_atomically(path, out.data, out.length, &error);
    if (status != STATUS_OK)
        printf("FAILED %s\n", error.text);
    free(work.seen);
    text_free(&out);
    points_free(&points);
    facts_free(&work.facts);
    arena_free(&arena);
    return status == STATUS_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int count, char **arguments)
{
    struct experiment *experiment = NULL;
    struct error error = {0};
    const struct device_api *api = device_kind("cuda");
    int result = 0;
    const bool sources = count == 6 && strcmp(arguments[1], "--sources") == 0;
    const bool spills = count > 1 && strcmp(arguments[1], "--spills") == 0;
    if (sources) {
        if (experiment_load(arguments[5], TEST_SOURCE_DIR, &experiment, &error) == STATUS_OK)
            result = write_sources(arguments + 2, experiment);
        else
            result = EXIT_FAILURE, printf("FAILED %s\n", error.text);
        experiment_free(experiment);
        return result;
    }
    arguments += spills;
    count -= spills;

    if (count < 4) {
        fprintf(stderr, "use: compile_points [--spills] EXPERIMENT COUNT ARCHITECTURE...\n");
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
    const size_t wanted = (size_t)atol(arguments[2]);
    for (int i = 3; i < count && result != EXIT_SKIPPED; i++) {
        struct work work = {.api = api,
                            .experiment = experiment,
                            .architecture = arguments[i],
                            .turn = (size_t)i - 3,
                            .parts = 1,
                            .spills = spills};
        const int one = wanted > 0 ? compile_part(&work, wanted) : compile_all(&work);
        result = one != 0 ? one : result;
    }
    experiment_free(experiment);
    return result;
}
