/* What the files of the session share.
 *
 * Devices that are alike form a group, which shares the work on each problem; groups go side by
 * side. Each device has a lane: a thread of this process that talks to the device's worker. One
 * mutex guards everything here, store and experiments included; it is held except while a lane
 * waits for its worker (lane_leave, lane_enter), which is nearly always. */
#ifndef TUNE_SESSION_INTERNAL_H
#define TUNE_SESSION_INTERNAL_H

#include <pthread.h>

#include "tuner/base/hash.h"
#include "tuner/base/lock.h"
#include "tuner/search/search.h"
#include "tuner/session/binaries.h"
#include "tuner/session/session.h"
#include "tuner/trial/summary.h"

struct group;
struct sweep;

struct lane {
    struct group *group;
    char name[32]; /* "cuda:0" */
    int index;     /* of the device */
    struct worker *worker;
    struct lock *lock;      /* on the device, against another tuner */
    int64_t environment_id; /* of this device: its runs and ceilings */
    int64_t run_id;
    struct arena scratch;     /* emptied for each trial */
    const struct sweep *told; /* the sweep whose problem the worker knows */
    int restarts_seen;
    bool lost; /* its device does not come back; `error` says why */
    struct error error;
    int64_t measuring_ns;
    int64_t compile_wait_ns;
    pthread_t thread;
};

struct group {
    struct session *session;
    struct lane *lanes[SESSION_DEVICES_MAX];
    size_t lane_count;
    const struct facts *facts; /* of its first device; alike for all */
    /* Trials and winners of the group count for its first device's environment, whichever device
     * measured them: the run tells that. */
    int64_t environment_id;
    struct binaries binaries;   /* of kernels */
    struct binaries references; /* of checks */
    const char *problem_key;    /* what it works on, for the progress */
    int64_t n;
    double best_ns;
    const char *best_key;
    double fastest_gbs; /* of the winners: bytes that must move over their time */
    enum status status;
    struct error error;
    pthread_t thread;
};

struct session {
    struct store *store;
    const struct session_options *options;
    const struct session_events *events;
    struct session_summary *summary;
    struct experiment *const *experiments;
    size_t experiment_count;
    pthread_mutex_t mutex;
    struct lane lanes[SESSION_DEVICES_MAX];
    size_t lane_count;
    struct group groups[SESSION_DEVICES_MAX];
    size_t group_count;
    struct session_progress progress;
    char boot_id[64]; /* of the machine's present start; "" where it cannot be read */
};

/* report.c */
bool session_stopped(const struct session *session);
enum status session_stop_error(struct error *error);
void session_note(const struct session *session, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void session_progress(struct group *group, const char *phase);

/* Around what blocks. lane_enter adds the time since to *spent_ns. */
int64_t lane_leave(struct lane *lane);
void lane_enter(struct lane *lane, int64_t left_ns, int64_t *spent_ns);
/* Notes that the lane's device is gone for good; returns the error's status. */
enum status lane_lose(struct lane *lane, const struct error *error);

/* lanes.c: starts workers, takes locks, forms groups; ends all. */
enum status lanes_start(struct session *session, struct error *error);
void lanes_stop(struct session *session);
/* The group's first lane that is not lost; NULL: none. */
struct lane *group_lane(const struct group *group);

enum { NO_CANDIDATE = -1 };

/* One configuration in the sweep of one problem. */
struct candidate {
    struct configuration configuration;
    char key[CONFIGURATION_KEY_BYTES];
    int64_t configuration_id;
    size_t binary;
    bool done;
    enum trial_status status;
    double median_ns; /* NaN: none */
    uint32_t runs;    /* runs a block that its time asks for; 0: unknown */
    int64_t trial_id;
    int64_t twin_trial_id; /* of a known duplicate: the trial that was measured; 0: none */
    int64_t same_as;       /* index of the candidate with the same launches; NO_CANDIDATE */
    uint64_t launch_hash;  /* of what it launches; 0: unknown */
    bool is_baseline;
};

enum { LOOKAHEAD = 256 };

struct sweep {
    struct group *group;
    const struct experiment *experiment;
    int64_t experiment_id;
    struct problem problem;
    int64_t problem_id;
    double bytes_moved; /* at least, by a run; 0: not said */
    struct arena arena; /* lives as long as the sweep */
    struct space *space;
    struct candidate *candidates;
    size_t count;
    size_t best;                        /* index; count: none yet */
    struct worker_problem *description; /* what workers are told; NULL: not made yet */
    struct search *search;
    size_t window[LOOKAHEAD]; /* points asked for and not tried yet, in order */
    size_t window_count;
    size_t measured; /* trials of this run */
    bool failed;     /* a lane met an error that ends the run */
};

/* sweep.c: lists the candidates; an empty space is an error. */
enum status sweep_list(struct sweep *sweep, struct error *error);
/* Adds the baselines, takes known trials, measures the others. */
enum status sweep_problem(struct sweep *sweep, struct error *error);
void sweep_free(struct sweep *sweep);

/* describe.c: has the lane's worker make the problem's inputs and expected results. */
enum status sweep_tell(struct sweep *sweep, struct lane *lane, struct error *error);

/* known.c: takes what is in the store, and sets aside what was running when the machine went down.
 */
enum status sweep_take_known(struct sweep *sweep, struct error *error);

/* trial.c: everything of one configuration up to its plan. */
struct loaded {
    struct launch_plan plan;
    struct kernel_resources resources[LAUNCHES_MAX];
    struct named_value derived[EXPERIMENT_DERIVED_MAX];
    size_t derived_count;
};
struct point sweep_point(const struct sweep *sweep, const struct candidate *candidate,
                         int64_t active_blocks);
/* Loads the candidate's binary, asks for its resources and forms its plan. */
enum status sweep_load(struct sweep *sweep, struct lane *lane, const struct candidate *candidate,
                       struct loaded *loaded, struct worker_outcome *outcome, struct error *error);
/* Measures and stores one candidate. After the loss of the lane the candidate is as it was. */
enum status sweep_try(struct sweep *sweep, struct lane *lane, struct candidate *candidate,
                      struct error *error);
/* How a trial is timed. */
struct timing {
    uint32_t blocks;
    uint32_t runs; /* 0: to be found */
    bool verify;
    double stop_above_ns; /* 0: never */
};
/* Runs one trial of a loaded plan, with the deadline that the best time so far suggests; afterwards
 * the device is known to answer. */
enum status sweep_measure(struct sweep *sweep, struct lane *lane, const struct loaded *loaded,
                          const struct timing *timing, struct worker_samples *samples,
                          struct worker_outcome *outcome, struct error *error);
/* Whether timings lie so far apart that they are not to be trusted. */
bool timings_unstable(const struct summary *summary);
/* Puts a trial of stage "sweep" without samples into the store. */
enum status sweep_record(struct sweep *sweep, struct lane *lane, struct candidate *candidate,
                         const struct worker_outcome *outcome, struct error *error);

/* baselines.c: adds the experiment's baselines to the candidates and the store. */
enum status sweep_add_baselines(struct sweep *sweep, struct error *error);

/* final.c: the fastest again, interleaved with the baselines; the winner. *found false: none. */
enum status sweep_choose(struct sweep *sweep, bool *found, struct error *error);

/* group.c: all problems of all experiments on one group. */
enum status group_count_work(struct group *group, struct error *error);
void group_run(struct group *group);

#endif
