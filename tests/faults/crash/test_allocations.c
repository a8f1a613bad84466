/* Every place that allocates in a reader or writer fails, one after the other: the first and the
 * last allocation made through the same calls. Each time the result is an error, reported in a
 * line, without any allocation left; or SQLite, which can do without some, continues with the usual
 * result. Linked with --wrap, so that its libraries are included. */
#include <execinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontends/init/draft.h"
#include "libtuned/tuned.h"
#include "tuner/base/files.h"
#include "tuner/base/hash.h"
#include "tuner/base/json.h"
#include "tuner/experiment/experiment.h"
#include "tuner/experiment/point.h"
#include "tuner/store/evidence.h"
#include "tuner/store/measured.h"
#include "tuner/store/store.h"
#include "tuner/worker/message.h"
#include "views/export/export.h"

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *at, size_t bytes);
void __real_free(void *at);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *at, size_t bytes);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t bytes);
void __wrap_free(void *at);

/* Calls that tell two places apart: SQLite's, which call one another in thousands of ways, lie
 * between these. */
enum { INNER_CALLS = 4, OUTER_CALLS = 11, CALLS_MAX = 128 };

/* One allocation of a run. */
struct allocation {
    uint64_t calls; /* hash of its inner and outer return addresses */
    size_t number;  /* position in the run, from 1 */
};

static struct allocation *seen; /* allocations of the run that is watched */
static size_t seen_count, seen_capacity;
static bool watched;
static long until_failure; /* 0: none fails */
static long live;

/* Remembers the calls that lead to an allocation; ends the program if memory is short. */
static void watch_allocation(void)
{
    void *calls[CALLS_MAX];
    const size_t count = (size_t)backtrace(calls, CALLS_MAX);
    const size_t inner = count < INNER_CALLS ? count : INNER_CALLS;
    const size_t outer = count - inner < OUTER_CALLS ? count - inner : OUTER_CALLS;
    const uint64_t hash = hash_u64(calls + count - outer, outer * sizeof *calls,
                                   hash_u64(calls, inner * sizeof *calls, 0));
    if (seen_count == seen_capacity) {
        seen_capacity = 2 * seen_capacity + 1024;
        seen = __real_realloc(seen, seen_capacity * sizeof *seen);
        if (!seen)
            abort();
    }
    seen[seen_count] = (struct allocation){.calls = hash, .number = seen_count + 1};
    seen_count++;
}

static bool may_allocate(void)
{
    if (watched)
        watch_allocation();
    if (until_failure == 0 || --until_failure > 0)
        return true;
    return false;
}

static void *counted(void *at)
{
    live += at != NULL;
    return at;
}

void *__wrap_malloc(size_t bytes)
{
    return may_allocate() ? counted(__real_malloc(bytes)) : NULL;
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return may_allocate() ? counted(__real_calloc(count, bytes)) : NULL;
}

void *__wrap_realloc(void *at, size_t bytes)
{
    if (!may_allocate())
        return NULL;
    void *now = __real_realloc(at, bytes);
    live += !at && now;
    return now;
}

char *__wrap_strndup(const char *text, size_t bytes)
{
    size_t length = strnlen(text, bytes);
    char *copy = __wrap_malloc(length + 1);
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

char *__wrap_strdup(const char *text)
{
    return __wrap_strndup(text, strlen(text));
}

void __wrap_free(void *at)
{
    live -= at != NULL;
    __real_free(at);
}

/* ---- scenarios ---- */

static struct facts facts; /* facts of the device of all scenarios */
static char database[64];
static char database_folder[64];

/* Each returns a number that represents its result. */
typedef enum status scenario(uint64_t *result, struct error *error);

static enum status read_point(const struct point *point, uint64_t *result, struct error *error)
{
    struct arena arena = {0};
    struct binary_request request;
    struct launch_plan plan;
    struct named_value derived[EXPERIMENT_DERIVED_MAX];
    size_t derived_count = 0;
    struct output_check checks[CHECKS_MAX];
    size_t check_count = 0;
    enum status status = point_binary(point, &arena, &request, error);
    if (status == STATUS_OK)
        status = point_plan(point, &arena, &plan, error);
    if (status == STATUS_OK)
        status = point_derived(point, &arena, derived, &derived_count, error);
    if (status == STATUS_OK)
        status = point_checks(point, &arena, checks, &check_count, error);
    if (status == STATUS_OK)
        *result += request.define_count + 10 * plan.launch_count + 100 * plan.argument_count +
                   1000 * derived_count + 10000 * plan.launches[0].grid[0];
    arena_free(&arena);
    return status;
}

static enum status read_experiment(uint64_t *result, struct error *error)
{
    struct experiment *experiment = NULL;
    struct space *space = NULL;
    struct problem problem;
    enum status status = experiment_load(TEST_SOURCE_DIR "/configs/reduce.yaml", TEST_SOURCE_DIR,
                                         &experiment, error);
    if (status != STATUS_OK)
        return status;
    experiment_problem(experiment, 0, &problem);
    status = space_create(experiment, &problem, &facts, &space, error);
    if (status == STATUS_OK) {
        struct configuration configuration;
        struct point point = {.experiment = experiment,
                              .problem = &problem,
                              .facts = &facts,
                              .configuration = &configuration,
                              .active_blocks = 2};
        space_configuration(space, space_count(space) / 2, &configuration);
        *result = 1000000 * space_count(space);
        status = read_point(&point, result, error);
        space_free(space);
    }
    experiment_free(experiment);
    return status;
}

static enum status read_conf(uint64_t *result, struct error *error)
{
    static const char text[] = "tuned-conf 1\n\n"
                               "[cuda \"NVIDIA H200\"] compute_capability=9.0 sm_count=132\n"
                               "sum n=1024 block=256 label=\"a b\" | time_ns=1360\n"
                               "sum n=4096 block=512 | time_ns=1990\n\nend\n";
    const struct tuned_device device = {.kind = "cuda", .name = "NVIDIA H200"};
    struct tuned_answer answer;
    struct tuned_error refused;
    struct tuned *tuned = tuned_load_memory(text, sizeof text - 1, "conf", &refused);
    if (!tuned)
        return error_set(error, STATUS_NO_MEMORY, "%s", refused.text);
    (void)tuned_find(tuned, &device, "sum", 4096, &answer);
    *result = (uint64_t)tuned_integer(answer.entry, "block", 0);
    tuned_free(tuned);
    return STATUS_OK;
}

/* Drafts an experiment from a source's text; the compiler would tell of pointers and numbers. */
static enum status draft(const char *source, uint64_t *result, struct error *error)
{
    struct arena arena = {0};
    struct tokens tokens;
    struct text text = {0};
    struct source_signature *signature = arena_alloc(&arena, 1, sizeof *signature);
    struct draft_request *request = arena_alloc(&arena, 1, sizeof *request);
    enum status status = signature && request && tokens_read(&arena, source, &tokens)
                             ? declarations_read(&arena, &tokens, signature, error)
                             : error_no_memory(error);
    if (status == STATUS_OK) {
        struct kernel_signature *kernel = &signature->kernels[0];
        signature->chosen = kernel;
        for (size_t i = 0; i < kernel->template_count; i++)
            kernel->template[i].preset = "4";
        for (size_t i = 0; i < kernel->parameter_count; i++) {
            const bool is_pointer = strchr(kernel->parameters[i].text, '*') != NULL;
            kernel->parameters[i].kind = is_pointer ? PARAMETER_POINTER : PARAMETER_SCALAR;
            kernel->parameters[i].type = is_pointer ? ELEMENT_F32 : ELEMENT_I32;
            kernel->parameters[i].known = kernel->parameters[i].is_written = true;
            kernel->parameters[i].lanes = 1;
        }
        *request = (struct draft_request){
            .experiment = "e", .signature = signature, .binary = {.source_path = "k.cu"}};
        status = launches_read(&arena, "/nowhere/k.cu", &tokens, signature) &&
                         numbers_read(&arena, &tokens, signature)
                     ? draft_experiment(&arena, request, &text, error)
                     : error_no_memory(error);
    }
    if (status == STATUS_OK)
        *result += hash_u64(text_string(&text), text.length, 0);
    text_free(&text);
    arena_free(&arena);
    return status;
}

static enum status draft_experiments(uint64_t *result, struct error *error)
{
    static const char launched[] =
        "#ifndef BLOCK\n#define BLOCK 256\n#endif\n#define TILES(n) (((n) + 15) / 16)\n"
        "template <typename T, int V> __global__ void scale(const T *in, T *out, int n) {\n"
        "  for (int i = (blockIdx.x * blockDim.x + threadIdx.x) * V; i < n; i += gridDim.x * V)\n"
        "    out[i] = in[i];\n}\n"
        "void f() { int n = 1 << 20; dim3 grid(TILES(n), 1);\n"
        "  scale<float, 4><<<grid, BLOCK>>>(a, b, n); }\n";
    static const char plain[] =
        "#define TILE 16\n__global__ void two(const float *in, float *out, int w, int h) {\n"
        "  __shared__ float tile[TILE][TILE];\n"
        "  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;\n"
        "  if (x < w && y < h) out[y * w + x] = tile[threadIdx.y][threadIdx.x];\n}\n";
    const enum status status = draft(launched, result, error);
    return status == STATUS_OK ? draft(plain, result, error) : status;
}

static struct launch_plan some_plan(void)
{
    struct launch_plan plan = {.launch_count = 1, .argument_count = 1};
    plan.launches[0] = (struct launch){.kernel = "reduce<int>",
                                       .grid = {264, 2, 1},
                                       .block = {1024, 1, 1},
                                       .argument_count = 1,
                                       .threads = 1};
    plan.arguments[0] =
        (struct argument){.name = "in", .type = ELEMENT_F32, .role = ARGUMENT_INPUT, .count = 100};
    return plan;
}

static enum status pass_messages(uint64_t *result, struct error *error)
{
    struct arena arena = {0};
    const struct hello_message hello = {.facts = facts.items, .fact_count = facts.count};
    struct hello_message there;
    struct launch_plan plan = some_plan();
    struct launch_plan again;
    json_t *of_plan = message_encode(&message_plan, &plan);
    json_t *of_facts = message_encode(&message_hello, &hello);
    const struct binary_request request = {.source_path = "k.cu",
                                           .architecture = "sm_90",
                                           .defines = {{"BLOCK", value_integer(256)}},
                                           .define_count = 1,
                                           .flags = {"-O3"},
                                           .flag_count = 1,
                                           .kernels = {"reduce"},
                                           .kernel_count = 1};
    struct binary_request same = {0};
    json_t *of_request = message_encode(&message_binary_request, &request);
    enum status status = of_plan && of_facts && of_request ? STATUS_OK : error_no_memory(error);
    if (status == STATUS_OK)
        status = message_decode(&message_plan, of_plan, &arena, &again, error);
    if (status == STATUS_OK)
        status = message_decode(&message_hello, of_facts, &arena, &there, error);
    if (status == STATUS_OK)
        status = message_decode(&message_binary_request, of_request, &arena, &same, error);
    if (status == STATUS_OK)
        *result = 1000000 * again.launches[0].grid[0] + 1000 * again.argument_count +
                  there.fact_count +
                  100 * (same.define_count + same.flag_count + same.kernel_count);
    json_decref(of_plan);
    json_decref(of_facts);
    json_decref(of_request);
    arena_free(&arena);
    return status;
}

/* Reads and writes JSON: strings and numbers come out unchanged, or not at all. */
static enum status read_json(uint64_t *result, struct error *error)
{
    static const char text[] = "{\"name\": \"Intel(R) Xeon(R) Processor\", \"cores\": 1024, "
                               "\"clock\": 2.75, \"flags\": [\"avx\", \"avx512\"]}";
    json_t *json = json_read(text, 0, NULL);
    char *again = json ? json_dumps(json, JSON_COMPACT) : NULL;
    if (again)
        *result = hash_u64(again, strlen(again), 0);
    free(again);
    json_decref(json);
    return again ? STATUS_OK : error_no_memory(error);
}

static enum status store_rows(struct store *store, struct store_trial *trial, int64_t *experiment,
                              struct error *error)
{
    const struct store_environment environment = {
        .facts = &facts, .tool_version = "1", .host = "host"};
    const struct store_experiment row = {
        .name = "e", .device_kind = "cuda", .content_hash = "h", .path = "p", .text = "t"};
    const struct named_value values[] = {{"block", value_integer(256)}};
    struct store_problem problem = {.key = "reduce.sum", .n = 1000, .bytes_moved = 4000};
    enum status status = store_environment(store, &environment, &trial->environment_id, error);
    if (status == STATUS_OK)
        status = store_experiment(store, &row, experiment, error);
    problem.experiment_id = *experiment;
    if (status == STATUS_OK)
        status = store_problem(store, &problem, &trial->problem_id, error);
    if (status == STATUS_OK)
        status = store_configuration(store, *experiment, "block=256", values, 1,
                                     &trial->configuration_id, error);
    const struct store_run_start run = {.environment_id = trial->environment_id,
                                        .seed = 1,
                                        .effort = "quick",
                                        .objective = "time",
                                        .protocol = ""};
    if (status == STATUS_OK)
        status = store_run_start(store, &run, &trial->run_id, error);
    return status;
}

static enum status store_and_export(struct store *store, uint64_t *result, struct error *error)
{
    static const struct store_sample samples[] = {{.runs = 10, .elapsed_ns = 100.0},
                                                  {.runs = 10, .round = 1, .elapsed_ns = 101.0},
                                                  {.runs = 10, .round = 2, .elapsed_ns = 102.0}};
    const struct launch_plan plan = some_plan();
    struct store_trial trial = {.stage = "confirm",
                                .objective = "time",
                                .status = TRIAL_OK,
                                .binary_hash = "hash",
                                .plan = &plan,
                                .samples = samples,
                                .sample_count = 3,
                                .median_ns = 101,
                                .mad_ns = 1,
                                .min_ns = 100,
                                .max_ns = 102,
                                .duration_ns = 1};
    struct text text = {0};
    struct export_counts counts = {0};
    int64_t id = 0;
    int64_t experiment = 0;
    enum status status = store_rows(store, &trial, &experiment, error);
    if (status == STATUS_OK)
        status = store_trial(store, &trial, &id, error);
    const struct store_winner winner = {.environment_id = trial.environment_id,
                                        .problem_id = trial.problem_id,
                                        .objective = "time",
                                        .trial_id = id,
                                        .run_id = trial.run_id,
                                        .stage = "confirm",
                                        .candidate_count = 1,
                                        .trust = "sound"};
    const struct store_range range = {
        .n_low = 1, .n_high = 2000, .configuration_id = trial.configuration_id};
    const struct store_ranges ranges = {.environment_id = trial.environment_id,
                                        .experiment_id = experiment,
                                        .problem_key = "reduce.sum",
                                        .objective = "time",
                                        .run_id = trial.run_id,
                                        .ranges = &range,
                                        .count = 1};
    if (status == STATUS_OK)
        status = store_winner_put(store, &winner, error);
    if (status == STATUS_OK)
        status = store_ranges_put(store, &ranges, error);
    if (status == STATUS_OK)
        status = export_conf_text(store, &text, NULL, &counts, error);
    *result = counts.entries;
    text_free(&text);
    return status;
}

static enum status write_database(uint64_t *result, struct error *error)
{
    struct store *store = NULL;
    enum status status = store_open(database, STORE_CREATE, &store, error);
    if (status != STATUS_OK)
        return status;
    status = store_and_export(store, result, error);
    store_close(store);
    return status;
}

static enum status read_database(uint64_t *result, struct error *error)
{
    struct store *store = NULL;
    struct text text = {0};
    struct export_counts counts = {0};
    enum status status = store_open(database, STORE_READ, &store, error);
    if (status == STATUS_OK)
        status = export_conf_text(store, &text, NULL, &counts, error);
    *result = counts.entries;
    text_free(&text);
    store_close(store);
    return status;
}

/* ---- each place of each ---- */

static int complain(const char *name, size_t number, const char *what, const struct error *error)
{
    fprintf(stderr, "%s, allocation %zu: %s (%s: %s)\n", name, number, what,
            status_text(error->status), error->text);
    return 1;
}

static int by_calls(const void *left, const void *right)
{
    const struct allocation *a = left;
    const struct allocation *b = right;
    if (a->calls != b->calls)
        return a->calls < b->calls ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

/* Runs a scenario while its `number`-th allocation fails; 0 if the outcome is as it should be. */
static int try_one(const char *name, scenario *run, size_t number, uint64_t expected,
                   size_t *refused)
{
    struct error error = {0};
    uint64_t result = 0;
    const long before = live;
    until_failure = (long)number;
    const enum status status = run(&result, &error);
    until_failure = 0;
    *refused += status != STATUS_OK;
    if (live != before)
        return complain(name, number, "something is left allocated", &error);
    if (status == STATUS_OK && result != expected)
        return complain(name, number, "another result, and no error", &error);
    if (status != STATUS_OK && (error.status != status || !error.text[0]))
        return complain(name, number, "an error without words", &error);
    return 0;
}

/* Tries the first and the last allocation made through the same calls. */
static int try_all(const char *name, scenario *run, void (*prepare)(void))
{
    struct error error = {0};
    uint64_t expected = 0;
    size_t tried = 0, refused = 0;
    for (int warm = 0; warm < 3; warm++) {
        if (prepare)
            prepare();
        seen_count = 0;
        watched = warm == 2;
        const enum status status = run(&expected, &error);
        watched = false;
        if (status != STATUS_OK)
            return complain(name, 0, "it does not work at all", &error);
    }
    qsort(seen, seen_count, sizeof *seen, by_calls);
    for (size_t i = 0; i < seen_count; i++) {
        const bool first = i == 0 || seen[i - 1].calls != seen[i].calls;
        const bool last = i + 1 == seen_count || seen[i + 1].calls != seen[i].calls;
        if (!first && !last)
            continue;
        if (prepare)
            prepare();
        tried++;
        if (try_one(name, run, seen[i].number, expected, &refused) != 0)
            return 1;
    }
    printf("%-16s %6zu allocations, %5zu tried, refused %5zu times\n", name, seen_count, tried,
           refused);
    return refused > 0 ? 0 : complain(name, 0, "nothing was ever refused", &error);
}

static void remove_database(void)
{
    static const char *const ends[] = {"", "-wal", "-shm", "-journal"};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        char path[80];
        (void)snprintf(path, sizeof path, "%s%s", database, ends[i]);
        (void)unlink(path);
    }
}

int main(void)
{
    /* In memory where there is room: no power fails here, and a disk is waited for 20 times a run.
     */
    (void)snprintf(database_folder, sizeof database_folder, "%s/tune-allocations.XXXXXX",
                   access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (!mkdtemp(database_folder))
        return 1;
    (void)snprintf(database, sizeof database, "%.40s/tune.db", database_folder);
    facts_add_text(&facts, "kind", "cuda");
    facts_add_text(&facts, "name", "NVIDIA H200");
    facts_add_text(&facts, "uuid", "GPU-1");
    facts_add_text(&facts, "architecture", "sm_90");
    facts_add_text(&facts, "compute_capability", "9.0");
    facts_add_integer(&facts, "memory_bytes", 1LL << 37);
    facts_add_integer(&facts, "sm_count", 132);
    facts_add_integer(&facts, "max_threads_per_block", 1024);
    facts_add_integer(&facts, "max_threads_per_sm", 2048);
    facts_add_integer(&facts, "max_blocks_per_sm", 32);
    facts_add_integer(&facts, "shared_bytes_per_block", 49152);
    facts_add_integer(&facts, "warp_size", 32);
    int bad = try_all("experiment", read_experiment, NULL);
    bad += try_all("tuned.conf", read_conf, NULL);
    bad += try_all("drafts", draft_experiments, NULL);
    bad += try_all("JSON", read_json, NULL);
    bad += try_all("messages", pass_messages, NULL);
    bad += try_all("database, new", write_database, remove_database);
    bad += try_all("database, there", write_database, NULL);
    bad += try_all("database, read", read_database, NULL);
    remove_database();
    (void)rmdir(database_folder);
    facts_free(&facts);
    __real_free(seen);
    return bad > 0;
}
