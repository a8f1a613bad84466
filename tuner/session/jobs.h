/* What the devices of a group do at once, each at something of its own. */
#ifndef TUNE_SESSION_JOBS_H
#define TUNE_SESSION_JOBS_H

#include "tuner/session/run.h"

typedef enum status lane_task(void *context, struct lane *lane, struct error *error);
/* A task for one lane, and what came of it. */
struct lane_job {
    struct lane_job *next;
    lane_task *task;
    void *context;
    bool taken;
    enum status status;
    struct error error;
};
/* Does the jobs of a list, each on one lane, all lanes at once; one whose device is lost meanwhile
 * from the start on another. Once one fails (but for STATUS_NO_TIME) no more are begun: these get
 * its error. */
void group_do(struct group *group, struct lane_job *jobs);
/* One alone. */
enum status on_some_lane(struct group *group, lane_task *task, void *context, struct error *error);

#endif
