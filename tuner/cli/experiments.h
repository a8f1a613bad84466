/* Experiment files of a command line. */
#ifndef TUNE_CLI_EXPERIMENTS_H
#define TUNE_CLI_EXPERIMENTS_H

#include "frontends/t1/t1.h"
#include "tuner/base/error.h"
#include "tuner/cli/commands.h"
#include "tuner/experiment/experiment.h"
#include "tuner/session/session.h"

enum { EXPERIMENTS_MAX = 256 };

struct recording;

struct experiment_list {
    /* Dialect of T1 files, set before experiments_load. */
    enum t1_dialect dialect;
    struct option_list overlays;
    const char *sizes; /* value of --sizes, "4096,1024x512"; NULL: none */
    /* Record of look-ups whose misses are the selected problems (misses.h); NULL: none. */
    const char *record;
    bool is_quiet; /* prints no line on the record */
    /* Recording whose experiments replace the shipped ones, with just the recorded problems; NULL:
     * none. */
    const struct recording *recording;
    /* Text of the file at `unpacked_path`, which is not read again; NULL: none. */
    const char *unpacked_path, *unpacked_text;
    struct option_list limits; /* "block=64,128": values that parameters are limited to */
    struct experiment *items[EXPERIMENTS_MAX];
    bool *wanted[EXPERIMENTS_MAX];  /* for each experiment, the selected problems ... */
    size_t *order[EXPERIMENTS_MAX]; /* ... and their order; NULL: as they are */
    size_t count;
};

/* Loads the experiments of `names`: paths of files (with a '/' or ending in .yaml or, of T1,
 * .json), names of shipped experiments, or beginnings of problems' keys ("reduce.max",
 * "reduce.sum.f32"); none: the usual problems of all shipped ones except those with on_request. A
 * name stands for all files of that name, one for each kind of device; a beginning for those of the
 * files that have such problems. Freed by experiments_free, also after a failure. */
enum status experiments_load(const char *const *names, size_t name_count,
                             struct experiment_list *out, struct error *error);
void experiments_free(struct experiment_list *list);

/* Prints T1 files as experiment files to stdout. STATUS_USAGE when one of the names is no such
 * file. */
enum status experiments_print(const struct experiment_list *how, const char *const *names,
                              size_t name_count, struct error *error);

/* Selects the experiments for devices of `kind`, borrowed; returns their number. */
size_t experiments_of_kind(const struct experiment_list *list, const char *kind,
                           struct session_experiment out[EXPERIMENTS_MAX]);

/* Prints completions (complete.h) of `typed`: the shipped experiments' names and the problems' keys
 * up to the next dot, one a line to stdout; words may repeat. */
void experiments_complete(const char *typed);

#endif
