/* Jobs of a group's devices, one job for each device. */
#ifndef TUNE_SESSION_JOBS_H
#define TUNE_SESSION_JOBS_H

#include "tuner/session/run.h"

typedef enum status lane_task(void *context, struct lane *lane, struct error *error);
/* A task for one lane, and the result. */
struct lane_job {
    struct lane_job *next;
    lane_task *task;
    void *context;
    bool taken;
    enum status status;
    struct error error;
};
/* Runs the jobs of a list, each on one lane, all lanes at once; after the loss of the device a job
 * begins anew on another. After a failure (except STATUS_NO_TIME) no further job begins, and the
 * remaining ones get that error. */
void group_do(struct group *group, struct lane_job *jobs);
/* One alone. */
enum status on_some_lane(struct group *group, lane_task *task, void *context, struct error *error);

#endif
