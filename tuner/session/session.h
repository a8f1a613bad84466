/* A run: sweeps the problems of experiments on devices of one kind, chooses winners, keeps
 * everything in the store. Devices that are alike share the work on each problem. Prints nothing:
 * the caller is told through events. */
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

/* A configuration that is to be measured, by its key (configuration_key). */
struct session_pick {
    const char *problem_key;
    int64_t n;
    const char *configuration;
    bool incumbent; /* it stays to the end, and is kept while nothing is shown to be faster */
};

struct session_options {
    const char *device_kind;
    int device_indices[SESSION_DEVICES_MAX];
    size_t device_count; /* 0, where hosts are given: all of each host's */
    /* Where the devices are (tuner/worker/host.h); none: on this machine. Of one elsewhere the
     * devices may come late, go, and come again while the run goes on. */
    const struct host *const *hosts;
    size_t host_count;
    bool compiles_beside_measuring; /* as the device's interface says */
    uint64_t seed;
    enum l2_mode l2_mode;
    size_t compile_workers; /* of each group of like devices; 0: chosen from the number of cores */
    struct protocol protocol; /* of the device kind, with what the user has set */
    enum effort effort;       /* that the protocol began with */
    bool effort_given;        /* by the user: winners that are not sound are chosen again */
    int64_t budget_ns;        /* of wall time; 0: as long as it takes */
    const char *strategy;     /* of the search (search.h); NULL: "auto" */
    uint64_t points;          /* of a space that are tried at most; 0: all */
    double points_share;      /* the same as a share of its points; 0: not said so */
    double until;             /* as search_options has it; 0: not said so */
    struct store *prior;      /* of STORE_COPY: what searches begin with, too; NULL: none */
    const char *prior_path;
    bool prior_of_others; /* nothing of devices of this name, neither of `prior` nor of `winners` */
    const struct tuned *winners; /* libtuned's: of other devices, for searches to try; NULL: none */
    const char *winners_path;
    const char *objective; /* "time", "energy", "edp", a name of the experiment's or a formula */
    unsigned retry_mask;   /* bit s: trials known to have trial_status s are tried again */
    int64_t sizes[SESSION_SIZES_MAX]; /* only these n; none: all of the experiment */
    size_t size_count;
    /* Nothing but these and the baselines, all in rounds; no space is searched, and no ranges are
     * found. What is no configuration of its problem is told by a note. none: the whole space. */
    const struct session_pick *picks;
    size_t pick_count;
    /* That is played, with a file that stands for all sources: its text tells recordings apart.
     * NULL: devices are measured. */
    const struct recording *recording;
    const char *recording_source;
    bool recording_charges; /* what things took then goes off the budget */
    const char *command;    /* that asked for the run, quoted for a shell; may be NULL */
    const char
        *database; /* its path, for those who are told that the device is taken; may be NULL */
    const volatile sig_atomic_t *stop; /* becomes non-zero when the user wants to end */
};

/* What the time of a run goes into. */
enum session_stage {
    STAGE_START,  /* devices, ceilings, spaces */
    STAGE_SET_UP, /* of a problem, until its first trial: inputs, references, first binaries */
    STAGE_SWEEP,
    STAGE_RACE,
    STAGE_CHECK, /* of finalists: the gauntlet */
    STAGE_WATCH, /* of those who are to win */
    STAGE_CONFIRM,
    STAGE_RANGES, /* looks at and between sizes */
    STAGE_END,
    SESSION_STAGES
};

struct session_progress {
    const char *problem_key;
    int64_t n;
    size_t problem_index, problem_count;
    size_t points_done, points_total; /* over all problems, known ones counted as done */
    size_t failures;                  /* of this run */
    double best_ns;                   /* of this problem so far; NaN: none yet */
    const char *best_key;             /* its configuration */
    const char *phase;                /* "compile", "sweep", "race", "check", "confirm", "ranges" */
    bool measured;                    /* something was, in this run */
    int process, process_count;       /* of the confirmation */
    const char *strategy;             /* that this problem's space is searched by */
};

/* A choice. A problem's winner is told once the race has found it, and again when fresh processes
 * have confirmed it or chosen another. */
struct session_winner {
    const char *problem_key;
    int64_t n;
    const char *configuration;
    double median_ns;
    double value;      /* of the objective */
    size_t tied;       /* configurations that are as good, itself counted */
    bool confirmed;    /* by fresh processes */
    const char *trust; /* "sound", "noisy", "unstable" */
    const char *trust_reason;
};

/* Each may be NULL. `context` is handed through. */
struct session_events {
    void *context;
    void (*progress)(void *context, const struct session_progress *progress);
    /* One line that the user should see: a failure, a skipped problem, what is resumed. */
    void (*note)(void *context, const char *line);
    void (*winner)(void *context, const struct session_winner *winner);
    /* A line of what a host has done so far: once a minute and at the end, where hosts are given.
     */
    void (*host)(void *context, const char *line);
};

struct session_summary {
    int64_t run_id; /* 0: nothing was left to do */
    int64_t environment_id;
    size_t problems;
    size_t problems_without_winner;
    char unsupported[ERROR_TEXT_BYTES]; /* why the first of these has none, where nothing agrees
                                           with what its results are held against; "" */
    size_t problems_left_out;           /* not measured, or not raced, since the budget was spent */
    /* Over all problems, before and after constraints; UINT64_MAX when it is more. */
    uint64_t points_product, points_legal;
    size_t points;        /* tried or set aside by now, by this run or an earlier one */
    const char *strategy; /* that spaces were searched by; NULL: none was */
    /* Problems whose search tried part of the space, tried winners of elsewhere, began with trials
     * of elsewhere out of this database or of another, forgot these, expects how much better
     * others may be. A line tells the first of each. */
    size_t inputs_alike, searched_in_part, tried_winners, began_elsewhere, began_prior, misled,
        modelled;
    size_t unlaunchable;               /* set aside in this run: no block fits on the device ... */
    size_t duplicates;                 /* ... or its launches repeat another point's */
    size_t trials;                     /* measured in this run, duplicates and failures counted */
    size_t trials_known;               /* taken from an earlier run */
    size_t failures;                   /* of this run */
    size_t failed[TRIAL_STATUS_COUNT]; /* the same, by their status */
    size_t known_failures[TRIAL_STATUS_COUNT];   /* of earlier runs, by their status: left alone */
    size_t baselines_failed;                     /* problems without one, since it failed ... */
    char baseline_failure[VERDICT_REASON_BYTES]; /* ... and how the first did */
    size_t samples;
    size_t binaries_compiled, binaries_cached;
    size_t devices;
    int64_t wall_ns;
    int64_t measuring_ns, compile_wait_ns; /* of all devices together */
    int64_t stage_ns[SESSION_STAGES];      /* of all groups of like devices together */
    /* Of the winners chosen in this run. */
    size_t winners, tied; /* tied: winners that are not alone */
    size_t rounds, rounds_dropped;
    size_t verdicts[VERDICTS];               /* by enum verdict */
    char worst_reason[VERDICT_REASON_BYTES]; /* of the worst verdict */
    double floor_worst;                      /* the largest A/A floor, relative; NaN: none */
    size_t gauntlet_failures;                /* finalists that were thrown out */
    size_t ranges, sizes;                    /* ranges of sizes that cover the measured sizes */
    bool budget_spent;                       /* the budget ended something early */
};

/* An experiment of a run, with which of its problems are meant: those of `wanted`, which has one
 * for each (experiment_problem); NULL: all. Both are the caller's. */
struct session_experiment {
    struct experiment *experiment;
    const bool *wanted;
};

/* Runs the experiments (those of another device kind are an error). STATUS_INTERRUPTED after a
 * stop, STATUS_NO_WINNER when a problem is left without winner; the summary is filled in any case,
 * and what was measured is in the store. */
enum status session_run(struct store *store, const struct session_options *options,
                        const struct session_experiment *experiments, size_t experiment_count,
                        const struct session_events *events, struct session_summary *summary,
                        struct error *error);

#endif
