/* The parties of a run: the session, groups of like devices, and a lane for each device. Like
 * devices form a group, which shares the work on each problem; groups work side by side. Each
 * device has a lane: a thread of this process that talks to the device's worker. One mutex guards
 * everything here, store and experiments included. A lane releases it while waiting for its worker
 * (lane_leave, lane_enter) or a compiler, which is most of the time. */
#ifndef TUNE_SESSION_RUN_H
#define TUNE_SESSION_RUN_H

#include <pthread.h>

#include "tuner/base/text.h"
#include "tuner/device/place.h"
#include "tuner/session/binaries.h"
#include "tuner/session/budget.h"
#include "tuner/session/session.h"
#include "tuner/worker/host.h"

enum { COMPILERS_MAX = 64 }; /* limit of a pool */

struct contest;
struct inputs;

/* A group's stage, and the time of each stage so far. While lanes run jobs of their own, time is
 * divided evenly among the stages of these jobs. */
struct stage_clock {
    enum session_stage stage;
    size_t lanes[SESSION_STAGES]; /* lanes with jobs, in each stage */
    int64_t since_ns;
    int64_t spent_ns[SESSION_STAGES];
};

struct lane {
    struct group *group;
    struct site *site;
    char name[96]; /* "cuda:0"; on another host "n1:cuda:0" */
    int index;     /* the device's index */
    struct worker *worker;
    struct host_lock lock;    /* device lock against other tuners */
    bool at_work;             /* in use by a thread */
    enum session_stage stage; /* the job's stage (jobs.h) */
    int64_t environment_id;   /* this device's, for its runs and ceilings */
    int64_t run_id;
    const struct inputs *known; /* inputs of the problem that the worker has made ... */
    bool has_expected;          /* ... with the expected results */
    int restarts_seen;
    size_t remark_noted_bytes; /* bytes of worker_head()->remark already noted */
    bool lost;                 /* the device is gone; `error` has the reason */
    bool may_return;           /* the device comes back if its host reconnects */
    bool needs_lock;           /* the lock went with its host's agent */
    int64_t lock_wait_end_ns;  /* end of waiting for another holder; 0: none seen */
    struct error error;
    char uuid[64]; /* the device's; "": not reached */
    size_t trials;
    int64_t measuring_ns;
    int64_t compile_wait_ns;
    int64_t start_ns;  /* time of the worker's first start */
    struct seat place; /* requested place of its worker */
    bool pinned;       /* and does */
    int64_t others;    /* other processes that stayed on the device for a whole wait */
    bool others_named; /* those that run on a device that is not awaited */
    pthread_t thread;
};

/* A host with its devices. */
struct site {
    struct session *session;
    const struct host *host;
    char name[80]; /* the host's; "n1#2" if two commands reach hosts of one name */
    struct lane *lanes[SESSION_DEVICES_MAX];
    size_t lane_count;
    struct placement placement;
    struct error place_error; /* reason for missing placement */
    pthread_t thread;         /* watches a host that comes and goes */
    bool has_thread;
    bool settled; /* its devices were started, or never will be */
    bool is_late; /* arrived during the run: sites.c begins its lanes and new groups */
    struct error error;
};

struct group {
    struct session *session;
    struct lane *lanes[SESSION_DEVICES_MAX];
    size_t lane_count;
    const struct facts *facts;     /* the first device's; alike for all */
    const struct machine *machine; /* the devices' machine */
    /* Environment of the group's first device. Trials and winners of all its devices are stored
     * under it; the run records the measuring device. */
    int64_t environment_id;
    struct binaries binaries;   /* of kernels */
    struct binaries references; /* of checks */
    bool ceilings_left; /* ceilings to be measured at the end, as the host was lost meanwhile */
    int wake_file;      /* an eventfd that wakes waiting lanes; -1: none */
    struct {
        struct space **items; /* one for each problem, in order; NULL once the sweep has taken it */
        size_t count, capacity, next;
    } spaces;
    struct {
        struct {
            const struct session_experiment *experiment;
            size_t turn;
        } * items;
        size_t count, capacity;
    } empty; /* requested problems without a legal configuration: left out */
    struct {
        const char *problem_key; /* "": none */
        int64_t n;
        const char *strategy; /* the search's */
        double best_ns;
        const char *best_key;
        size_t rounds, dropped; /* of this track */
    } position;                 /* for the progress */
    /* Highest bandwidth of any winner, by ceiling; the second array has only problems of more than
     * twice the caches. */
    double fastest_gbs[CEILINGS], fastest_uncached_gbs[CEILINGS];
    struct contest *swept[SESSION_DEVICES_MAX]; /* contests to race, all at once */
    size_t swept_count;
    size_t parallel_lanes;                   /* lanes with jobs of their own; 0: none */
    struct contest *contests, *last_contest; /* this run's, in order */
    struct {
        const struct session_experiment *experiment;
        size_t problem_index;  /* problem at work */
        size_t baseline_next;  /* next problem whose baselines are compiled ahead */
        size_t reference_next; /* next problem whose references are made ahead */
    } ahead;
    struct stage_clock clock;
    struct costs costs;   /* for sharing out the budget ... */
    size_t problems_left; /* ... problems not raced yet, the present one included */
    enum status status;
    struct error error;
    pthread_t thread;
    bool has_thread;
    struct sweeping *sweeping; /* present sweep; NULL: none */
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
    bool begun;                                /* started: later hosts are late */
    bool ending;                               /* shutting down: late hosts are no longer awaited */
    struct text protocol_text, objective_text; /* in the form of the store */
    bool needs_energy, energy_noted; /* some objective does; the counter's resolution was noted */
    int64_t watch_ms;                /* TUNE_WATCH_MS, the longest watch of a winner */
    int64_t timeout_floor_ms;        /* TUNE_TRIAL_TIMEOUT_MS, a trial's least limit; 0: default */
};
enum { WATCH_MOST_MS = 500 };

/* run.c: settings of the caller, and reports to it. */
enum status session_read_environment(struct session *session, struct error *error);
bool session_stopped(const struct session *session);
enum status session_stop_error(struct error *error);
void session_note(const struct session *session, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Notes a line that begins with the problem: "reduce.f32 n=4096: ...". */
void problem_note(const struct session *session, const struct problem *problem, const char *format,
                  ...) __attribute__((format(printf, 3, 4)));
void session_progress(struct group *group, const char *phase);
/* Reports a line for each host, if hosts are given and the last report is old enough (or `now`). */
void sites_report(struct session *session, bool now);

/* Returns the first failure: `status` with `error`, or else `later` with its own error. */
static inline enum status first_failure(enum status status, enum status later,
                                        const struct error *later_error, struct error *error)
{
    if (status == STATUS_OK && later != STATUS_OK)
        *error = *later_error;
    return status == STATUS_OK ? later : status;
}

/* Moves the group to a stage; returns the one before. */
enum session_stage stage_enter(struct group *group, enum session_stage stage);
/* Accounts stages for a lane with a job of its own (jobs.h), from its beginning, in the group's
 * stage, to its end. */
void lane_begin_stages(struct group *group, struct lane *lane);
enum session_stage lane_enter_stage(struct lane *lane, enum session_stage stage);
void lane_end_stages(struct group *group, const struct lane *lane);
int64_t stage_ns(const struct group *group, enum session_stage stage); /* spent so far */

/* Release and take the mutex around a blocking call. lane_enter adds the time since to *spent_ns,
 * and notes new remarks. */
int64_t lane_leave(struct lane *lane);
void lane_enter(struct lane *lane, int64_t left_ns, int64_t *spent_ns);
/* Notes that the lane's device is gone for good; returns the error's status. With STATUS_BAD_INPUT
 * the lane is kept, since the experiment is at fault; with STATUS_NO_TIME as well, since the budget
 * is spent. */
enum status lane_lose(struct lane *lane, const struct error *error);
/* Probes the device after a trial that crashed or hung; without an answer the lane is lost, else
 * the trial is at fault. */
enum status lane_probe_after(struct lane *lane, const struct worker_outcome *outcome,
                             struct error *error);
/* Return the time limit of a process's first run, and of `blocks` blocks of runs if the best so far
 * takes best_ns (0: unknown; `first`: includes uploads). */
int64_t session_first_timeout_ms(const struct session *session);
int64_t lane_timeout_ms(struct lane *lane, double best_ns, uint32_t blocks, bool first);

/* Returns the group's first lane that is not lost; NULL: none. */
struct lane *group_lane(const struct group *group);
size_t group_width(const struct group *group); /* number of lanes that are not lost; at least 1 */
void session_pause(struct session *session);   /* releases the mutex for a moment */
/* Takes finished compilations; if there are none, waits up to wait_ms, without the mutex, for one,
 * for another lane to take one, or for the end of a trial (group_wake). */
enum status group_await_compilers(struct group *group, struct binaries *binaries, int64_t wait_ms,
                                  struct error *error);
void group_wake(struct group *group);

/* lanes.c: Starts workers, takes locks, forms groups; ends all of them. Returns once the devices of
 * every host have started, or those of some while the others keep waiting: they join later
 * (sites.c). */
enum status lanes_start(struct session *session, struct error *error);
void lanes_stop(struct session *session);
/* Starts and places the missing workers of a site, without the mutex. */
void site_start(struct site *site);
/* Makes lanes for `count` devices of the site, with the mutex. */
enum status site_reserve(struct site *site, size_t count, struct error *error);
/* Adds the site's devices to their groups, and its compilers to these. */
enum status site_join(struct site *site, struct error *error);
/* Finds the number of the site's devices; asks the host without the mutex. */
enum status site_devices(const struct site *site, size_t *count, struct error *error);

/* sites.c: Runs in the thread of a site whose host comes and goes. */
void *site_keep(void *context);

/* session.c: Prepare a lane, and a group with its thread, before they measure. */
enum status lane_begin(struct lane *lane, struct error *error);
enum status group_begin(struct group *group, struct error *error);

/* ceilings.c: Measures ceilings once for each environment, and again when a reported winner exceeds
 * one. */
enum status session_know_ceilings(struct session *session, struct lane *lane, struct error *error);
enum status session_recheck_ceilings(struct session *session, struct group *group,
                                     struct error *error);

/* group.c: Counts the requested problems and makes their spaces; works on all of them. */
enum status group_count_work(struct group *group, struct error *error);
void group_run(struct group *group);

#endif
