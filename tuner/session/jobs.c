#include "tuner/session/jobs.h"

/* Returns the first failed job that keeps others from beginning; NULL: none. */
static const struct lane_job *failed_job(const struct lane_job *jobs)
{
    for (; jobs; jobs = jobs->next)
        if (jobs->taken && jobs->status != STATUS_OK && jobs->status != STATUS_NO_TIME)
            return jobs;
    return NULL;
}

static struct lane_job *next_job(struct lane_job *jobs)
{
    while (jobs && jobs->taken)
        jobs = jobs->next;
    return jobs;
}

static struct lane_job *take_job(struct lane_job *jobs)
{
    struct lane_job *job = next_job(jobs);
    if (job) {
        job->taken = true;
        job->status = STATUS_OK;
    }
    return job;
}

/* A lane's part in the jobs. */
struct job_share {
    struct group *group;
    struct lane_job *jobs, *first; /* all jobs; the lane's first one */
    struct lane *lane;
    pthread_t thread;
};

/* Runs jobs with the mutex held. A lost device leaves the job to the others. */
static void do_share(const struct job_share *share)
{
    struct lane *lane = share->lane;
    for (struct lane_job *job = share->first; job;) {
        error_clear(&job->error);
        job->status = job->task(job->context, lane, &job->error);
        job->taken = !lane->lost;
        job = lane->lost || failed_job(share->jobs) ? NULL : take_job(share->jobs);
    }
    lane_end_stages(share->group, lane);
    lane->at_work = false;
}

static void *run_share(void *context)
{
    const struct job_share *share = context;
    pthread_mutex_t *mutex = &share->group->session->mutex;
    (void)pthread_mutex_lock(mutex);
    do_share(share);
    (void)pthread_mutex_unlock(mutex);
    return NULL;
}

/* Takes the next job; the mutex is held until the share begins. */
static void begin_share(struct job_share *share)
{
    share->first = take_job(share->jobs);
    share->lane->at_work = true;
    lane_begin_stages(share->group, share->lane);
}

void group_do(struct group *group, struct lane_job *jobs)
{
    struct error error = {0};
    enum status status = STATUS_OK;
    while (status == STATUS_OK && next_job(jobs)) {
        struct lane *first = NULL;
        const struct lane_job *failed = NULL;
        status = group_await_lane(group, &first, &error);
        if (status == STATUS_OK) {
            struct job_share shares[SESSION_DEVICES_MAX] = {
                {.group = group, .jobs = jobs, .lane = first}};
            size_t count = 1;
            begin_share(&shares[0]);
            for (size_t i = 0; next_job(jobs) && i < group->lane_count; i++) {
                struct job_share *share = &shares[count];
                *share = (struct job_share){.group = group, .jobs = jobs, .lane = group->lanes[i]};
                if (share->lane == first || share->lane->lost ||
                    pthread_create(&share->thread, NULL, run_share, share) != 0)
                    continue;
                begin_share(share);
                count++;
            }
            group->parallel_lanes = count;
            do_share(&shares[0]);
            for (size_t i = 1; i < count; i++) {
                (void)pthread_mutex_unlock(&group->session->mutex);
                (void)pthread_join(shares[i].thread, NULL);
                (void)pthread_mutex_lock(&group->session->mutex);
            }
            group->parallel_lanes = 0;
            (void)stage_enter(group, first->stage);
        }
        if (status == STATUS_OK && (failed = failed_job(jobs)) != NULL) {
            status = failed->status;
            error = failed->error;
        }
    }
    for (struct lane_job *job = next_job(jobs); job; job = next_job(job->next)) {
        job->status = status;
        job->error = error;
    }
}

enum status on_some_lane(struct group *group, lane_task *task, void *context, struct error *error)
{
    struct lane_job job = {.task = task, .context = context};
    group_do(group, &job);
    if (job.status != STATUS_OK)
        *error = job.error;
    return job.status;
}
