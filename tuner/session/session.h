/* A run: sweeps the problems of experiments on devices of one kind, chooses winners, keeps
 * everything in the store. Like devices share the work on each problem. Prints nothing: events
 * inform the caller. */
#ifndef TUNE_SESSION_SESSION_H
#define TUNE_SESSION_SESSION_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/error.h"
#include "tuner/base/facts.h"
#include "tuner/base/launch.h"
#include "tuner/experiment/experiment.h"
#include "tuner/stats/protocol.h"
#include "tuner/stats/verdict.h"
#include "tuner/store/store.h"
#include "tuner/worker/worker.h"

enum { SESSION_SIZES_MAX = 64, SESSION_DEVICES_MAX = 64 };

struct recording;

/* A configuration to be measured, by its key (configuration_key). */
struct session_pick {
    const char *problem_key;
    int64_t n;
    const char *configuration;
    bool incumbent; /* stays to the end, and is kept unless another is shown to be faster */
};

struct session_options {
    const char *device_kind;
    int device_indices[SESSION_DEVICES_MAX];
    size_t device_count; /* 0, with hosts: all of each host's */
    /* Hosts of the devices (tuner/worker/host.h); none: this machine. Devices of other hosts may
     * come late, go, and come back during the run. */
    const struct host *const *hosts;
    size_t host_count;
    bool compiles_beside_measuring; /* set by the device's interface */
    uint64_t seed;
    enum l2_mode l2_mode;
    size_t compile_workers;   /* for each group of like devices; 0: by the number of cores */
    struct protocol protocol; /* the device kind's, with the user's settings */
    enum effort effort;       /* effort that the protocol began with */
    bool effort_given;        /* set by the user: winners that are not sound are chosen again */
    int64_t budget_ns;        /* wall time; 0: unlimited */
    const char *strategy;     /* the search's (search.h); NULL: "auto" */
    uint64_t points;          /* most points tried of a space; 0: all */
    double points_share;      /* share of the points instead; 0: not set */
    double until;             /* see search_options; 0: not set */
    struct store
        *prior; /* STORE_COPY of another database whose trials searches begin with; NULL: none */
    const char *prior_path;
    bool prior_of_others; /* excludes devices of this name from `prior` and `winners` */
    const struct tuned
        *winners; /* libtuned's winners of other devices, for searches to try; NULL: none */
    const char *winners_path;
    const char *objective; /* "time", "energy", "edp", a name of the experiment's or a formula */
    unsigned retry_mask;   /* bit s: retry trials known to have trial_status s */
    int64_t sizes[SESSION_SIZES_MAX]; /* only these n; none: all of the experiment */
    size_t size_count;
    bool are_looked_up; /* sizes out of a record: those that an experiment cannot have are left out
                         */
    /* Only these and the baselines are measured, all in rounds; no space is searched, and no ranges
     * are found. A note names picks that are no configuration of their problem. None: the whole
     * space. */
    const struct session_pick *picks;
    size_t pick_count;
    /* Recording to be played, with a file that stands for all sources: its text identifies the
     * recording. NULL: devices are measured. */
    const struct recording *recording;
    const char *recording_source;
    bool recording_charges; /* recorded times count against the budget */
    const char *command;    /* the run's command, quoted for a shell; may be NULL */
    const char *database;   /* its path, shown to others that find the device taken; may be NULL */
    const volatile sig_atomic_t *stop; /* non-zero once the user wants to end */
};

/* Stages of a run, for its times. */
enum session_stage {
    STAGE_START,  /* devices, ceilings, spaces */
    STAGE_SET_UP, /* a problem's inputs, references and first binaries, until its first trial */
    STAGE_SWEEP,
    STAGE_RACE,
    STAGE_CHECK, /* the gauntlet of finalists */
    STAGE_WATCH, /* the watch on coming winners */
    STAGE_CONFIRM,
    STAGE_RANGES, /* looks at and between sizes */
    STAGE_END,
    SESSION_STAGES
};

struct session_progress {
    const char *problem_key;
    int64_t n;
    size_t problem_index, problem_count;
    size_t points_done, points_total; /* over all problems, known ones included */
    size_t failures;                  /* this run's */
    double best_ns;                   /* this problem's so far; NaN: none yet */
    const char *best_key;             /* its configuration */
    const char *phase;                /* "compile", "sweep", "race", "check", "confirm", "ranges" */
    bool measured;                    /* this run has measured */
    int process, process_count;       /* processes of the confirmation */
    size_t rounds, dropped;           /* of a race or a confirming process: all, dropped ones */
    const char *strategy;             /* strategy of this problem's search */
};

/* A choice, reported once the race has found the winner, and again when fresh processes have
 * confirmed it or chosen another. */
struct session_winner {
    const char *problem_key;
    int64_t n;
    const char *configuration;
    double median_ns;
    double value;                 /* value of the objective */
    size_t as_fast, not_compared; /* others shown to be as fast; others not compared to the end */
    bool confirmed;               /* confirmed in fresh processes */
    const char *trust;            /* "sound", "noisy", "unstable" */
    const char *trust_reason;
};

/* Callbacks of a run; each may be NULL. `context` is passed to all. */
struct session_events {
    void *context;
    void (*progress)(void *context, const struct session_progress *progress);
    /* One line for the user: a failure, a skipped problem, resumed work. */
    void (*note)(void *context, const char *line);
    void (*winner)(void *context, const struct session_winner *winner);
    /* One line on a host's work so far: once a minute and at the end, if hosts are given. */
    void (*host)(void *context, const char *line);
};

struct session_summary {
    int64_t run_id; /* 0: everything was done before */
    int64_t environment_id;
    size_t problems;
    size_t problems_without_winner;
    char unsupported[ERROR_TEXT_BYTES]; /* reason that the first of these has none, if no candidate
                                           agrees with its reference; "" */
    size_t problems_left_out;           /* not measured, or not raced, as the budget was spent */
    /* Points over all problems, before and after constraints; UINT64_MAX: more than that. */
    uint64_t points_product, points_legal;
    size_t points;        /* tried or set aside so far, by this run or an earlier one */
    const char *strategy; /* strategy of the searches; NULL: none */
    /* Problems whose inputs are alike in all runs, whose search tried part of the space, tried
     * winners of elsewhere, began with trials of elsewhere in this database or another, dropped
     * these, or estimates how much better untried points may be. A note reports the first of each.
     */
    size_t inputs_alike, searched_in_part, tried_winners, began_elsewhere, began_prior, misled,
        modelled;
    size_t unlaunchable;               /* set aside in this run: no block fits on the device ... */
    size_t duplicates;                 /* ... or its launches repeat another point's */
    size_t trials;                     /* measured in this run, duplicates and failures included */
    size_t trials_known;               /* known from an earlier run */
    size_t failures;                   /* this run's */
    size_t failed[TRIAL_STATUS_COUNT]; /* failures, for each status */
    size_t known_failures[TRIAL_STATUS_COUNT];   /* earlier runs' failures by status: not retried */
    size_t baselines_failed;                     /* problems without a baseline, as it failed ... */
    char baseline_failure[VERDICT_REASON_BYTES]; /* ... and the first one's failure */
    size_t samples;
    size_t binaries_compiled, binaries_cached;
    size_t devices;
    int64_t wall_ns;
    int64_t measuring_ns, compile_wait_ns; /* all devices together */
    int64_t stage_ns[SESSION_STAGES];      /* all groups of like devices together */
    /* Counts of the winners chosen in this run. */
    size_t winners, tied; /* tied: winners with others as fast */
    size_t rounds, rounds_dropped;
    size_t verdicts[VERDICTS];                 /* count of each verdict in a headline ... */
    size_t unseen;                             /* ... not sure by the coverage of the space alone */
    char worst_reason[VERDICT_REASON_BYTES];   /* reason of the worst verdict on a choice */
    char worst_coverage[VERDICT_REASON_BYTES]; /* first space that was hardly seen or mostly failed
                                                */
    double floor_worst;                        /* largest A/A floor, relative; NaN: none */
    size_t gauntlet_failures;                  /* rejected finalists */
    size_t ranges, sizes;                      /* ranges that cover the measured sizes, and these */
    unsigned cut_short; /* a bit for each stage that the budget cut short; 0: none */
};

/* An experiment of a run, which belongs to the caller with all of this. */
struct session_experiment {
    struct experiment *experiment;
    const bool *wanted;  /* a flag for each problem (experiment_problem); NULL: all */
    const size_t *order; /* numbers of all problems, the first to be run first; NULL: as they are */
};

/* Runs the experiments (those of another device kind are an error). STATUS_INTERRUPTED after a
 * stop, STATUS_NO_WINNER if a problem has no winner; the summary is filled in any case, and all
 * measurements are in the store. */
enum status session_run(struct store *store, const struct session_options *options,
                        const struct session_experiment *experiments, size_t experiment_count,
                        const struct session_events *events, struct session_summary *summary,
                        struct error *error);
/* Returns STATUS_NOT_FOUND with the sizes of the requested problems. */
enum status session_no_such_size(const struct session_experiment *experiments, size_t count,
                                 struct error *error);

#endif
