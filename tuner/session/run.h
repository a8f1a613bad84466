/* Who works in a run: the session, groups of devices that are alike, and a lane for each device.
 *
 * Devices that are alike form a group, which shares the work on each problem; groups go side by
 * side. Each device has a lane: a thread of this process that talks to the device's worker. One
 * mutex guards everything here, store and experiments included; it is held except while a lane
 * waits for its worker (lane_leave, lane_enter) or for a compiler, which is nearly always. */
#ifndef TUNE_SESSION_RUN_H
#define TUNE_SESSION_RUN_H

#include <pthread.h>

#include "tuner/base/text.h"
#include "tuner/device/place.h"
#include "tuner/session/binaries.h"
#include "tuner/session/budget.h"
#include "tuner/session/session.h"
#include "tuner/worker/host.h"

enum { COMPILERS_MAX = 64 }; /* as many as a pool takes */

struct contest;
struct group;
struct inputs;
struct session;
struct session_experiment;

/* In which stage a group is, and what the stages took before. While lanes are at jobs of their own,
 * the time is shared out evenly among the stages that these are in. */
struct stage_clock {
    enum session_stage stage;
    size_t lanes[SESSION_STAGES]; /* at jobs, in each stage */
    int64_t since_ns;
    int64_t spent_ns[SESSION_STAGES];
};

struct lane {
    struct session *session;
    struct group *group;
    struct site *site;
    char name[96]; /* "cuda:0"; of a host elsewhere "n1:cuda:0" */
    int index;     /* of the device */
    struct worker *worker;
    const struct host *host;  /* where its worker runs */
    struct host_lock lock;    /* on the device, against another tuner */
    bool at_work;             /* a thread works with it */
    enum session_stage stage; /* of its job (jobs.h) */
    int64_t environment_id;   /* of this device: its runs and ceilings */
    int64_t run_id;
    const struct inputs *known; /* the problem's inputs that the worker has made ... */
    bool knows_expected;        /* ... with the expected results */
    int restarts_seen;
    size_t remark_noted_bytes; /* so much of the worker's remark was told */
    bool lost;                 /* its device does not come back; `error` says why */
    bool may_return;           /* but with its host, should that */
    bool needs_lock;           /* its lock went with its host's agent */
    int64_t lock_wait_end_ns;  /* others may have it so long; 0: nobody was seen to */
    struct error error;
    char uuid[64]; /* of the device; "": it was not reached */
    size_t trials;
    int64_t measuring_ns;
    int64_t compile_wait_ns;
    int64_t start_ns;  /* what its worker's first start took */
    struct seat place; /* where its worker was asked to sit */
    bool pinned;       /* and does */
    pthread_t thread;
};

/* A host with its devices. */
struct site {
    struct session *session;
    const struct host *host;
    char name[80]; /* the host's; "n1#2" where two commands reach hosts of one name */
    struct lane *lanes[SESSION_DEVICES_MAX];
    size_t lane_count;
    struct placement placement;
    struct error place_error; /* why they cannot be placed */
    pthread_t thread;         /* of a host that comes and goes: looks after it */
    bool has_thread;
    bool settled; /* its devices were started, or never will be */
    bool is_late; /* it came when the run went on: sites.c begins its lanes, and groups they make */
    struct error error;
};

struct group {
    struct session *session;
    struct lane *lanes[SESSION_DEVICES_MAX];
    size_t lane_count;
    const struct facts *facts;     /* of its first device; alike for all */
    const struct machine *machine; /* that its devices are on */
    /* Trials and winners of the group count for its first device's environment, whichever device
     * measured them: the run tells that. */
    int64_t environment_id;
    struct binaries binaries;   /* of kernels */
    struct binaries references; /* of checks */
    bool ceilings_left;         /* its host was lost meanwhile: they are measured at the end */
    int wake_file;              /* an eventfd, by which lanes that wait are woken; -1: none */
    struct {
        struct space **items; /* one for each problem, in order; NULL once the sweep has taken it */
        size_t count, next;
    } spaces;
    struct {
        const char *problem_key; /* "": none */
        int64_t n;
        const char *strategy; /* of the search */
        double best_ns;
        const char *best_key;
    } position; /* for the progress */
    /* Of winners, by ceiling: bytes over time; of those with over twice what the caches hold. */
    double fastest_gbs[CEILINGS], fastest_uncached_gbs[CEILINGS];
    struct contest *swept[SESSION_DEVICES_MAX]; /* that are to race, all at once */
    size_t swept_count;
    size_t parallel_lanes;                   /* lanes that are at jobs of their own; 0: none */
    struct contest *contests, *last_contest; /* of this run, in order */
    struct {
        const struct session_experiment *experiment;
        size_t problem_index;  /* of the problem at work */
        size_t baseline_next;  /* next problem whose baselines are compiled ahead */
        size_t reference_next; /* next problem whose references are made ahead */
    } ahead;
    struct stage_clock clock;
    struct costs costs;   /* for sharing out the budget ... */
    size_t problems_left; /* not raced yet, the present one counted */
    enum status status;
    struct error error;
    pthread_t thread;
    bool has_thread;
    struct sweeping *sweeping; /* that lanes are at; NULL: none */
};

struct session {
    struct store *store;
    const struct session_options *options;
    const struct session_events *events;
    struct session_summary *summary;
    const struct session_experiment *experiments;
    size_t experiment_count;
    pthread_mutex_t mutex;
    struct lane lanes[SESSION_DEVICES_MAX];
    size_t lane_count;
    struct group groups[SESSION_DEVICES_MAX];
    size_t group_count;
    struct session_progress progress;
    int64_t started_ns;
    int64_t hosts_reported_ns; /* sites_report */
    struct site *sites;
    size_t site_count;
    bool begun;                                /* what comes now comes late */
    bool ending;                               /* nobody need come any more */
    struct text protocol_text, objective_text; /* as they are stored */
    bool energy_noted;                         /* how finely energy can be read */
    int64_t timeout_floor_ms; /* TUNE_TRIAL_TIMEOUT_MS: the least time limit of a trial; 0: usual */
};

/* run.c: what a session tells its caller, and what the caller asked of it. */
enum status session_read_environment(struct session *session, struct error *error);
bool session_stopped(const struct session *session);
enum status session_stop_error(struct error *error);
void session_note(const struct session *session, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void session_progress(struct group *group, const char *phase);

/* The first failure is the one that is told: `later` with its own error, behind `status` with
 * `error`. */
static inline enum status first_failure(enum status status, enum status later,
                                        const struct error *later_error, struct error *error)
{
    if (status == STATUS_OK && later != STATUS_OK)
        *error = *later_error;
    return status == STATUS_OK ? later : status;
}

/* From now on the group is in that stage; returns the one that it was in. */
enum session_stage stage_enter(struct group *group, enum session_stage stage);
/* The same of a lane that is at a job of its own (jobs.h), from its beginning, in the group's
 * stage, to its end. */
void lane_begin_stages(struct group *group, struct lane *lane);
enum session_stage lane_enter_stage(struct lane *lane, enum session_stage stage);
void lane_end_stages(struct group *group, const struct lane *lane);
/* What the group has spent in it so far. */
int64_t stage_ns(const struct group *group, enum session_stage stage);

/* Around what blocks. lane_enter adds the time since to *spent_ns, and notes remarks. */
int64_t lane_leave(struct lane *lane);
void lane_enter(struct lane *lane, int64_t left_ns, int64_t *spent_ns);
/* Notes that the lane's device is gone for good; returns the error's status. With STATUS_BAD_INPUT
 * it is not: what is wrong is the experiment; nor with STATUS_NO_TIME, when the budget is spent. */
enum status lane_lose(struct lane *lane, const struct error *error);
/* After a trial that crashed or hung: whether the device still answers; if not, the lane is lost.
 * The blame is laid only when it does: one that is gone for good takes whatever was running. */
enum status lane_probe_after(struct lane *lane, const struct worker_outcome *outcome,
                             struct error *error);
/* The time limit of what a process runs first; of so many blocks of runs, when the best so far
 * takes best_ns (0: unknown; `first`: uploads may be in it). */
int64_t session_first_timeout_ms(const struct session *session);
int64_t lane_timeout_ms(struct lane *lane, double best_ns, uint32_t blocks, bool first);

/* The group's first lane that is not lost; NULL: none. */
struct lane *group_lane(const struct group *group);
/* The same; when there is none, while a host of the group's may come again, waits for that. The
 * error says what became of the first. */
enum status group_await_lane(struct group *group, struct lane **out, struct error *error);
size_t group_width(const struct group *group); /* how many lanes are not lost; 1 at least */
/* Lets other threads have the mutex for a moment. */
void session_pause(struct session *session);
/* Takes what the compilers have ready; when nothing is, waits up to wait_ms for some of it, or for
 * another lane to do so, or to finish a trial (group_wake), without the mutex. */
enum status group_await_compilers(struct group *group, struct binaries *binaries, int64_t wait_ms,
                                  struct error *error);
void group_wake(struct group *group);

/* lanes.c: starts workers, takes locks, forms groups; ends all. Returns when the devices of every
 * host are there, or those of some are and the others keep waiting: they join later (sites.c). */
enum status lanes_start(struct session *session, struct error *error);
void lanes_stop(struct session *session);
/* Starts the workers of a site that are not there, and places them, without the mutex. */
void site_start(struct site *site);
/* Lanes for so many devices of it, with the mutex. */
enum status site_reserve(struct site *site, size_t count, struct error *error);
/* Its devices to their groups; these get its compilers. */
enum status site_join(struct site *site, struct error *error);
/* Tells a line a host, where hosts are given, if the last were told long enough ago (or `now`). */
void sites_report(struct session *session, bool now);
/* How many devices of it are meant; asked of the host without the mutex. */
enum status site_count(const struct site *site, size_t *count, struct error *error);

/* sites.c: the thread of a site whose host comes and goes. */
void *site_keep(void *context);
bool sites_awaited(const struct session *session); /* some host never came yet, and may */

/* session.c: what a lane, and a group, needs before it measures; then the group's thread. */
enum status lane_begin(struct lane *lane, struct error *error);
enum status group_begin(struct group *group, struct error *error);

/* ceilings.c: once for each environment, once more when a winner, as told, broke through. */
enum status session_know_ceilings(struct session *session, struct lane *lane, struct error *error);
enum status session_recheck_ceilings(struct session *session, struct group *group,
                                     struct error *error);

/* group.c: counts the problems that are asked for and makes their spaces; works on all of them. */
enum status group_count_work(struct group *group, struct error *error);
void group_run(struct group *group);

#endif
