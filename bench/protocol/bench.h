/* Between the files of bench_protocol. */
#ifndef TUNE_BENCH_PROTOCOL_BENCH_H
#define TUNE_BENCH_PROTOCOL_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tuner/base/arena.h"
#include "tuner/base/lock.h"
#include "tuner/base/random.h"
#include "tuner/experiment/experiment.h"
#include "tuner/stats/protocol.h"
#include "tuner/stats/rounds.h"
#include "tuner/worker/worker.h"

enum { SIZES_MAX = EXPERIMENT_SIZES_MAX, CONFIGURATIONS_MAX = 64, CANDIDATES_MAX = 64 };
enum { REPEATS_MAX = 64, TIME_LIMIT_MS = 60000 };

struct options {
    const char *command;
    const char *device;
    const char *experiment; /* NULL: configs/reduce.yaml or configs/reduce_cpu.yaml */
    const char *problem;    /* NULL: the first of the experiment */
    int64_t sizes[SIZES_MAX];
    size_t size_count;
    const char *configurations[CONFIGURATIONS_MAX]; /* keys or names of baselines */
    size_t configuration_count;
    int64_t rounds; /* 0: as the command wants */
    int64_t candidates, screen, repeats, reference_rounds;
    double min_time_s, timeout_s, pause_s; /* nvbench's; between repetitions */
    int64_t seed;
    const char *out, *raw;
    bool keeps; /* keeps the device's graphs of a plan between visits */
    struct protocol protocol;
};

struct bench {
    const struct options *options;
    struct arena arena;
    struct experiment *experiment;
    struct problem problem; /* at any size */
    struct worker *worker;
    struct lock *lock;
    struct compile_pool *kernels, *references;
    const struct facts *facts;
    struct random random;
    FILE *out, *raw; /* raw may be NULL */
};

/* A configuration at one size, ready to be timed. Texts are the bench's. */
struct entry {
    struct configuration configuration;
    char key[CONFIGURATION_KEY_BYTES];
    size_t index; /* index in the space; its count for one from outside */
    const char *path;
    struct launch_plan plan;
    struct kernel_resources resources;
    uint32_t runs;  /* a block, cold */
    double time_ns; /* time of one run, from the first look at it; NaN: unusable */
};

/* ---- setup.c ---- */

enum status bench_open(struct bench *bench, const struct options *options, struct error *error);
void bench_close(struct bench *bench);
/* Fills in the experiment's sizes for missing ones. */
void bench_sizes(const struct bench *bench, const int64_t **sizes, size_t *count, int64_t *room);
/* Makes the inputs and expected results of a size; slots are forgotten. */
enum status bench_problem(struct bench *bench, int64_t n, struct problem *problem,
                          struct error *error);

/* ---- entries.c ---- */

/* Compiles all, then loads, verifies and times each with `blocks` blocks. Failed ones get time_ns
 * NaN and are reported on stderr. */
enum status entries_prepare(struct bench *bench, const struct problem *problem,
                            struct entry *entries, size_t count, uint32_t blocks,
                            struct error *error);
/* Finds a point of the space or a baseline by key or name, and prepares it. STATUS_NOT_FOUND. */
enum status entry_named(struct bench *bench, const struct problem *problem, const char *name,
                        struct entry *out, struct error *error);
/* Returns the first given configuration, else the baseline occupancy_api or the first. */
enum status entry_default(struct bench *bench, const struct problem *problem, struct entry *out,
                          struct error *error);
/* Computes the runs of a block in another mode, as in the protocol. */
enum status entry_runs(struct bench *bench, const struct entry *entry, enum l2_mode mode,
                       uint32_t *runs, struct error *error);
bool entries_launch_alike(const struct entry *a, const struct entry *b);
enum status entry_arm(struct bench *bench, uint32_t slot, const struct entry *entry,
                      enum l2_mode mode, uint32_t runs, struct error *error);

/* ---- rounds.c ---- */

enum status slot_visit(struct bench *bench, uint32_t slot, uint32_t blocks,
                       struct worker_samples *samples, struct error *error);
/* Times the anchor, each of the slots once in random order, and the anchor. levels[i]: median of ln
 * ns of slots[i]; blocks[i * visit_blocks ...]: its blocks in ns, if blocks is not NULL. */
enum status round_run(struct bench *bench, const uint32_t *slots, size_t count, double *levels,
                      double *blocks, struct round_record *record, struct error *error);

/* Rounds over the same slots. */
struct rounds {
    size_t count, slots, visit_blocks;
    struct round_record *records;
    enum round_fault *faults;
    double *levels; /* [round * slots + slot] */
    double *blocks; /* [(round * slots + slot) * visit_blocks + block] */
};
/* Slots 0 to slots - 1, judged at the end. Freed by rounds_free. */
enum status rounds_run(struct bench *bench, size_t slots, size_t count, struct rounds *out,
                       struct error *error);
void rounds_free(struct rounds *rounds);
size_t rounds_valid(const struct rounds *rounds);
/* Levels of one slot over the valid rounds; `out` has room for all. */
size_t rounds_levels(const struct rounds *rounds, size_t slot, double *out);
/* Levels of a - b over the valid rounds, at most `most` from the `first` on. */
size_t rounds_differences(const struct rounds *rounds, size_t a, size_t b, size_t first,
                          size_t most, double *out);

/* ---- stdrel.c ---- */

/* nvbench's stopping criterion "stdrel" over its samples. */
enum { STDREL_WINDOW = 512 };
struct stdrel {
    size_t samples;
    double total_ns, mean_ns, squares; /* squares: of the differences from the mean */
    double noise[STDREL_WINDOW];       /* relative deviation after each of the last samples */
    size_t noises;
};
void stdrel_add(struct stdrel *stdrel, double elapsed_ns);
bool stdrel_finished(const struct stdrel *stdrel, double min_time_s);

/* ---- commands ---- */

enum status bench_twin(struct bench *bench, struct error *error);
enum status bench_flush(struct bench *bench, struct error *error);
enum status bench_agree(struct bench *bench, struct error *error);

/* "2^24", "100000000" */
void size_text(int64_t n, char out[24]);

#endif
