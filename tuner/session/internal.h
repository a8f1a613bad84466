/* What the files of the session share. */
#ifndef TUNE_SESSION_INTERNAL_H
#define TUNE_SESSION_INTERNAL_H

#include "tuner/base/hash.h"
#include "tuner/session/binaries.h"
#include "tuner/session/session.h"

struct session {
    struct store *store;
    const struct session_options *options;
    const struct session_events *events;
    struct session_summary *summary;
    struct worker *worker;
    const struct facts *facts;
    struct binaries binaries;   /* of kernels */
    struct binaries references; /* of checks */
    int64_t environment_id;
    struct session_progress progress;
};

bool session_stopped(const struct session *session);
void session_note(const struct session *session, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void session_progress(struct session *session, const char *phase);

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
    int64_t same_as;      /* index of the candidate with the same launches; NO_CANDIDATE */
    uint64_t launch_hash; /* of what it launches; 0: unknown */
    bool is_baseline;
};

struct sweep {
    struct session *session;
    const struct experiment *experiment;
    int64_t experiment_id;
    struct problem problem;
    int64_t problem_id;
    struct arena arena;   /* lives as long as the sweep */
    struct arena scratch; /* emptied for each trial */
    struct space *space;
    struct candidate *candidates;
    size_t count;
    size_t best; /* index; count: none yet */
    bool problem_sent;
    size_t measured; /* trials of this run */
    int worker_restarts;
};

/* sweep.c: lists the candidates; an empty space is an error. */
enum status sweep_list(struct sweep *sweep, struct error *error);
/* Adds the baselines, takes known trials, measures the others. */
enum status sweep_problem(struct sweep *sweep, struct error *error);
void sweep_free(struct sweep *sweep);
/* Has the worker make the problem's inputs and expected results. */
enum status sweep_send_problem(struct sweep *sweep, struct error *error);

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
enum status sweep_load(struct sweep *sweep, const struct candidate *candidate,
                       struct loaded *loaded, struct worker_outcome *outcome, struct error *error);
/* Measures and stores one candidate. */
enum status sweep_try(struct sweep *sweep, struct candidate *candidate, struct error *error);
/* Runs one trial of a loaded plan, with the deadline that the best time so far suggests. */
enum status sweep_measure(struct sweep *sweep, const struct loaded *loaded, uint32_t blocks,
                          uint32_t runs, bool verify, double stop_above_ns,
                          struct worker_samples *samples, struct worker_outcome *outcome,
                          struct error *error);

/* baselines.c: adds the experiment's baselines to the candidates and the store. */
enum status sweep_add_baselines(struct sweep *sweep, struct error *error);

/* final.c: the fastest again, interleaved with the baselines; the winner. *found false: none. */
enum status sweep_choose(struct sweep *sweep, bool *found, struct error *error);

#endif
