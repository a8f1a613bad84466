/* The context of the work on one problem, constant from its first trial to its winner. Functions
 * get it and do not change it. */
#ifndef TUNE_SESSION_WORK_H
#define TUNE_SESSION_WORK_H

#include "tuner/session/run.h"

struct work {
    struct group *group; /* group at work */
    struct session *session;
    struct store *store;
    const struct session_options *options;
    const struct protocol *protocol;
    const struct facts *facts; /* the group's devices' */
    int64_t environment_id;    /* environment of the trials */
    const struct experiment *experiment;
    int64_t experiment_id;
    const struct objective *objective; /* owned by the experiment's run */
    struct problem problem;
    int64_t problem_id;   /* 0: a size of looks only */
    double bytes_moved;   /* least bytes of a run; 0: not given */
    enum ceiling ceiling; /* ceiling of its throughput */
};

/* Increments *count; true the first time, so that a note is printed once. */
static inline bool is_first_problem(size_t *count)
{
    return (*count)++ == 0;
}

/* Makes the context of an experiment on a group, without a problem. */
static inline struct work work_of(struct group *group, const struct experiment *experiment,
                                  int64_t experiment_id, const struct objective *objective)
{
    const struct session *session = group->session;
    return (struct work){.group = group,
                         .session = group->session,
                         .store = session->store,
                         .options = session->options,
                         .protocol = &session->options->protocol,
                         .facts = group->facts,
                         .environment_id = group->environment_id,
                         .experiment = experiment,
                         .experiment_id = experiment_id,
                         .objective = objective};
}

/* Returns the point at which the configuration's expressions are evaluated. */
static inline struct point work_point(const struct work *work,
                                      const struct configuration *configuration,
                                      int64_t active_blocks)
{
    return (struct point){.experiment = work->experiment,
                          .problem = &work->problem,
                          .facts = work->facts,
                          .configuration = configuration,
                          .active_blocks = active_blocks};
}

#endif
