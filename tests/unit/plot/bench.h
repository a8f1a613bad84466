/* Shared by the tests of this room: a database in a folder of its own, with invented trials. */
#ifndef TUNE_TESTS_PLOT_BENCH_H
#define TUNE_TESTS_PLOT_BENCH_H

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/suite.h"
#include "tuner/base/files.h"
#include "tuner/store/evidence.h"
#include "tuner/store/measured.h"
#include "views/plot/plot.h"

struct bench {
    struct store *store;
    char folder[64];
    char out[80];
    char *path; /* earlier environment, to be restored */
    size_t wrote;
    size_t failed;
    char last_path[256];
    char *print; /* the last figure as characters; owned */
    struct error last_error;
    int64_t environment_id, experiment_id, run_id, problem_id;
    const char *objective; /* objective of the trials added; NULL: time */
};

static struct error error;

static inline void ok(enum status status)
{
    if (status != STATUS_OK)
        fail_msg("%s", error.text);
}

static inline void add_device(struct bench *bench, const char *kind, const char *name)
{
    struct facts facts = {0};
    char uuid[32];
    (void)snprintf(uuid, sizeof uuid, "UUID-%s", kind);
    facts_add_text(&facts, "kind", kind);
    facts_add_integer(&facts, "index", 0);
    facts_add_text(&facts, "name", name);
    facts_add_text(&facts, "uuid", uuid);
    facts_add_text(&facts, "architecture", "sm_90");
    facts_add_integer(&facts, "memory_bytes", 1 << 30);
    facts_add_integer(&facts, strcmp(kind, "cuda") == 0 ? "sm_count" : "cores", 10);
    ok(store_environment(bench->store, &(struct store_environment){&facts, "0.1", "host"},
                         &bench->environment_id, &error));
    facts_free(&facts);
    ok(store_experiment(bench->store,
                        &(struct store_experiment){"reduce", kind, kind, NULL, "reduce.yaml", ""},
                        &bench->experiment_id, &error));
    ok(store_run_start(
        bench->store,
        &(struct store_run_start){
            .environment_id = bench->environment_id, .seed = 1, .tick_ns = 1, .empty_pair_ns = 1},
        &bench->run_id, &error));
}

static inline void add_problem(struct bench *bench, const char *key, int64_t n)
{
    ok(store_problem(bench->store,
                     &(struct store_problem){.experiment_id = bench->experiment_id,
                                             .key = key,
                                             .n = n,
                                             .bytes_moved = 4.0 * (double)n,
                                             .ceiling = strstr(key, "f32") ? "write" : "read"},
                     &bench->problem_id, &error));
}

struct shot {
    const char *stage, *variant;
    int block;
    uint32_t grid;
    double gbs; /* 0: failed */
    int64_t same_as;
};

static inline int64_t configuration_of(struct bench *bench, const struct shot *shot)
{
    char key[512];
    (void)snprintf(key, sizeof key, "variant=%s block=%d", shot->variant, shot->block);
    const struct named_value values[] = {{"variant", value_text(shot->variant)},
                                         {"block", value_integer(shot->block)},
                                         {"schedule", value_text(shot->variant)}};
    int64_t id = 0;
    ok(store_configuration(bench->store, bench->experiment_id, key, values, 3, &id, &error));
    return id;
}

/* Adds a trial of 4 n bytes; the time follows from the throughput. */
static inline int64_t add_trial(struct bench *bench, int64_t n, bool gpu, const struct shot *shot)
{
    struct launch_plan plan = {.launch_count = 1};
    plan.launches[0] = (struct launch){.kernel = "k",
                                       .grid = {shot->grid, 1, 1},
                                       .block = {gpu ? (uint32_t)shot->block : 1, 1, 1},
                                       .threads = gpu ? 0 : 2};
    struct kernel_resources resources = {.registers = gpu ? 32 : -1,
                                         .occupancy = gpu ? shot->block / 1024.0 : -1};
    double time_ns = shot->gbs > 0 ? 4.0 * (double)n / shot->gbs : (double)NAN;
    const struct store_sample sample = {.runs = 1, .elapsed_ns = time_ns};
    const struct store_trial trial = {
        .run_id = bench->run_id,
        .environment_id = bench->environment_id,
        .problem_id = bench->problem_id,
        .configuration_id = configuration_of(bench, shot),
        .stage = shot->stage,
        .objective = bench->objective,
        .l2_mode = L2_COLD,
        .status = shot->gbs > 0 || shot->same_as ? TRIAL_OK : TRIAL_LAUNCH_FAILED,
        .same_as_trial_id = shot->same_as,
        .plan = &plan,
        .resources = &resources,
        .samples = &sample,
        .sample_count = shot->gbs > 0 ? 1 : 0,
        .median_ns = time_ns,
        .mad_ns = time_ns / 100,
        .min_ns = time_ns,
        .max_ns = time_ns,
    };
    int64_t id = 0;
    ok(store_trial(bench->store, &trial, &id, &error));
    return id;
}

static inline void add_size(struct bench *bench, const char *key, int64_t n, bool gpu)
{
    add_problem(bench, key, n);
    struct shot shots[] = {{"sweep", "atomic", 128, 20, 100, 0},
                           {"sweep", "tree", 256, 40, 400, 0},
                           {"sweep", "tree", 512, 40, 0, 0},
                           {"race", "tree", 256, 40, 390, 0},
                           {"sweep", "tree", 1024, 40, 0, 0}};
    int64_t first = add_trial(bench, n, gpu, &shots[0]);
    for (size_t i = 1; i < 4; i++)
        (void)add_trial(bench, n, gpu, &shots[i]);
    int64_t final = add_trial(bench, n, gpu, &shots[3]);
    /* A duplicate of the first, which is a baseline: the first one is marked. */
    shots[4].same_as = first;
    (void)add_trial(bench, n, gpu, &shots[4]);
    ok(store_baseline(bench->store, bench->environment_id, bench->problem_id, "textbook", "",
                      configuration_of(bench, &shots[4]), &error));
    ok(store_winner_put(bench->store,
                        &(struct store_winner){.environment_id = bench->environment_id,
                                               .problem_id = bench->problem_id,
                                               .trial_id = final,
                                               .run_id = bench->run_id,
                                               .stage = "race",
                                               .candidate_count = 3},
                        &error));
}

static inline void fill(struct bench *bench, const char *kind, const char *name)
{
    add_device(bench, kind, name);
    ok(store_ceilings_put(
        bench->store, bench->environment_id,
        &(struct store_ceilings){.buffer_bytes = 1, .read_gbs = 500, .write_gbs = 450}, &error));
    bool gpu = strcmp(kind, "cuda") == 0;
    add_size(bench, "reduce.sum.i32", 1024, gpu);
    add_size(bench, "reduce.sum.i32", 4096, gpu);
    add_size(bench, "reduce.sum.f32", 4096, gpu);
}

static inline int setup(void **state)
{
    struct bench *bench = calloc(1, sizeof *bench);
    assert_non_null(bench);
    (void)snprintf(bench->folder, sizeof bench->folder, "/tmp/test_plot.XXXXXX");
    assert_non_null(mkdtemp(bench->folder));
    assert_int_equal(chdir(bench->folder), 0);
    (void)snprintf(bench->out, sizeof bench->out, "%s/out", bench->folder);
    assert_int_equal(mkdir("tmp", 0700), 0);
    char temporary[80];
    (void)snprintf(temporary, sizeof temporary, "%s/tmp", bench->folder);
    assert_int_equal(setenv("TMPDIR", temporary, 1), 0);
    assert_int_equal(setenv("TUNE_DATA_DIR", TEST_SOURCE_DIR, 1), 0);
    bench->path = strdup(getenv("PATH"));
    ok(store_open("tune.db", STORE_CREATE, &bench->store, &error));
    *state = bench;
    return 0;
}

static inline size_t remove_below(const char *folder)
{
    DIR *listing = opendir(folder);
    size_t count = 0;
    const struct dirent *entry;
    while (listing && (entry = readdir(listing))) {
        if (entry->d_name[0] == '.' && strchr("./", entry->d_name[1] ? entry->d_name[1] : '.'))
            continue;
        char path[600];
        if (snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= (int)sizeof path)
            continue;
        struct stat info;
        if (lstat(path, &info) == 0 && S_ISDIR(info.st_mode))
            (void)remove_below(path);
        (void)remove(path);
        count++;
    }
    if (listing)
        (void)closedir(listing);
    return count;
}

static inline int teardown(void **state)
{
    struct bench *bench = *state;
    store_close(bench->store);
    size_t left = remove_below("tmp");
    assert_int_equal(setenv("PATH", bench->path, 1), 0);
    assert_int_equal(chdir("/"), 0);
    (void)remove_below(bench->folder);
    (void)rmdir(bench->folder);
    free(bench->path);
    free(bench->print);
    free(bench);
    assert_int_equal(left, 0); /* no file stays behind in TMPDIR */
    return 0;
}

static inline void wrote(void *context, const char *path)
{
    struct bench *bench = context;
    bench->wrote++;
    (void)snprintf(bench->last_path, sizeof bench->last_path, "%s", path);
}

static inline void print(void *context, const char *figure, const char *text)
{
    struct bench *bench = context;
    (void)figure;
    free(bench->print);
    bench->print = strdup(text);
}

static inline void failed(void *context, const char *figure, const struct error *own)
{
    struct bench *bench = context;
    (void)figure;
    bench->failed++;
    bench->last_error = *own;
}

static inline struct plot_request request_of(struct bench *bench, const char *figure,
                                             unsigned outputs)
{
    return (struct plot_request){.figure = figure,
                                 .folder = bench->out,
                                 .outputs = outputs,
                                 .context = bench,
                                 .wrote = wrote,
                                 .print = print,
                                 .failed = failed};
}

static inline void write_script(const char *name, const char *text)
{
    char path[300];
    (void)snprintf(path, sizeof path, "data/plots/%s", name);
    ok(file_write_atomically(path, text, strlen(text), &error));
}

/* A figure with all elements: points with their spread, marks, a ceiling. */
static const char own_sql[] =
    "-- Mine.\n-- needs: a known occupancy\n"
    "SELECT 'points' AS layer, json_extract(parameters, '$.variant') AS series, 0 AS rank, block "
    "AS x,"
    " gbs, low_gbs, high_gbs, 0 AS side, configuration FROM measured"
    " WHERE n = CAST(:n AS INTEGER) AND occupancy IS NOT NULL "
    "UNION ALL SELECT 'marks', name, rank, block, gbs, low_gbs, high_gbs, 0, configuration"
    " FROM marked WHERE n = CAST(:n AS INTEGER) "
    "UNION ALL SELECT 'ceiling', name, 0, NULL, gbs, NULL, NULL, NULL, NULL FROM ceiling "
    "ORDER BY layer, rank, series, gbs;";
static const char own_gp[] =
    "load 'plots/throughput.gp'\nbeside(x, side) = x\nload 'plots/marks.gp'\n"
    "set title sprintf(\"Mine: %s, n = %s\\n%s\", problem, n_text, measured_on)\n"
    "set xlabel 'block (threads)'\nset ylabel throughput_label\n"
    "set xrange [0:1100]\nset yrange [0:1.08 * top]\n"
    "plot for [i = 1:ceiling_series] ceiling_gbs with lines linecolor rgb ceiling_colour"
    " title ceiling_title, for [i = 0:points_series - 1] 'points.tsv' index i using 4:5"
    " with points linetype i + 1 pointsize scale title columnheader(2)\n";

static inline bool has_gnuplot(void)
{
    for (const char *part = getenv("PATH"); part && *part; part += *part == ':') {
        char path[512];
        size_t length = strcspn(part, ":");
        (void)snprintf(path, sizeof path, "%.*s/gnuplot", (int)length, part);
        if (access(path, X_OK) == 0)
            return true;
        part += length;
    }
    return false;
}

static inline void copy_script(const char *name)
{
    struct arena arena = {0};
    char path[600];
    char *text = NULL;
    (void)snprintf(path, sizeof path, "%s/plots/%s", TEST_SOURCE_DIR, name);
    ok(file_read(&arena, path, 1 << 20, &text, NULL, &error));
    write_script(name, text);
    arena_free(&arena);
}

/* Makes a folder with the test's own figure `own` and the shared scripts of the real ones (those
 * without a statement of their own). */
static inline void own_figures(void)
{
    const char *const folders[] = {"data/configs", "data/kernels", "data/plots"};
    for (size_t i = 0; i < 3; i++)
        ok(folder_make(folders[i], 0700, &error));
    DIR *listing = opendir(TEST_SOURCE_DIR "/plots");
    assert_non_null(listing);
    const struct dirent *entry;
    while ((entry = readdir(listing))) {
        char statement[600];
        const char *dot = strrchr(entry->d_name, '.');
        if (!dot || strcmp(dot, ".gp") != 0)
            continue;
        (void)snprintf(statement, sizeof statement, "%s/plots/%.*s.sql", TEST_SOURCE_DIR,
                       (int)(dot - entry->d_name), entry->d_name);
        if (!file_exists(statement))
            copy_script(entry->d_name);
    }
    (void)closedir(listing);
    copy_script("measured.sql");
    write_script("own.sql", own_sql);
    write_script("own.gp", own_gp);
    assert_int_equal(setenv("TUNE_DATA_DIR", "data", 1), 0);
}

/* Returns the rows of a figure, as --data writes them. The caller frees them. */
static inline char *data_of(struct bench *bench, const char *figure)
{
    struct plot_request request = request_of(bench, figure, PLOT_DATA);
    ok(plot_draw(bench->store, &request, &error));
    struct arena arena = {0};
    char *text = NULL;
    ok(file_read(&arena, bench->last_path, 1 << 20, &text, NULL, &error));
    text = strdup(text);
    arena_free(&arena);
    return text;
}

static inline size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
        count++;
    return count;
}

#endif
