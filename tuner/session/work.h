/* The context of the work on one problem: what stays the same from its first trial to its winner.
 * Everybody who needs it is given this, and changes nothing of it. */
#ifndef TUNE_SESSION_WORK_H
#define TUNE_SESSION_WORK_H

#include "tuner/session/run.h"

struct work {
    struct group *group; /* who does it */
    struct session *session;
    struct store *store;
    const struct session_options *options;
    const struct protocol *protocol;
    const struct facts *facts; /* of the group's devices */
    int64_t environment_id;    /* that trials count for */
    const struct experiment *experiment;
    int64_t experiment_id;
    const struct objective *objective; /* the experiment's run owns it */
    struct problem problem;
    int64_t problem_id;   /* 0: of a size that only a look is taken at */
    double bytes_moved;   /* at least, by a run; 0: not said */
    enum ceiling ceiling; /* what its throughput is held against */
};

/* Of an experiment on a group; the problem is to be set. */
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

/* What expressions of the configuration are evaluated at. */
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
