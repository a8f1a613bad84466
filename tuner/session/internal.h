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
#include "tuner/base/index.h"
#include "tuner/base/lock.h"
#include "tuner/base/random.h"
#include "tuner/base/text.h"
#include "tuner/device/place.h"
#include "tuner/search/search.h"
#include "tuner/session/binaries.h"
#include "tuner/session/budget.h"
#include "tuner/session/session.h"
#include "tuner/session/table.h"
#include "tuner/stats/choose.h"
#include "tuner/stats/rounds.h"
#include "tuner/stats/summary.h"

struct contest;
struct group;
struct race;
struct sweep;

/* In which stage a group is, and what the stages took before. */
struct stage_clock {
    enum session_stage stage;
    int64_t since_ns;
    int64_t spent_ns[SESSION_STAGES];
};

/* Which sizes an experiment promises, where its constraints do not say it. */
struct promise {
    const struct experiment *experiment; /* NULL: nothing has shown that it does not promise all */
    int64_t divisor, least;              /* multiples of this, from this on */
    bool none;                           /* none but a problem's own */
};

struct lane {
    struct group *group;
    char name[32]; /* "cuda:0" */
    int index;     /* of the device */
    struct worker *worker;
    struct lock *lock;      /* on the device, against another tuner */
    int64_t environment_id; /* of this device: its runs and ceilings */
    int64_t run_id;
    struct arena scratch;     /* emptied for each trial */
    const struct sweep *told; /* the sweep whose problem the worker knows ... */
    bool told_check;          /* ... with the expected results */
    int restarts_seen;
    bool lost; /* its device does not come back; `error` says why */
    struct error error;
    int64_t measuring_ns;
    int64_t compile_wait_ns;
    int64_t start_ns;  /* what its worker's first start took */
    struct seat place; /* where its worker was asked to sit */
    bool pinned;       /* and does */
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
    const char *strategy;       /* and by what its space is searched */
    int64_t n;
    double best_ns;
    const char *best_key;
    /* Of winners, by ceiling: bytes over time; of those with over twice what the caches hold. */
    double fastest_gbs[CEILINGS], fastest_uncached_gbs[CEILINGS];
    struct contest *contests, *last_contest; /* of this run, in order */
    struct stage_clock clock;
    struct promise promise;
    struct costs costs;   /* for sharing out the budget ... */
    size_t problems_left; /* not raced yet, the present one counted */
    enum status status;
    struct error error;
    pthread_t thread;
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
    struct placement placement;
    struct text protocol_text, objective_text; /* as they are stored */
    bool energy_told;                          /* how finely energy can be read */
    char boot_id[64]; /* of the machine's present start; "" where it cannot be read */
};

/* report.c */
bool session_stopped(const struct session *session);
enum status session_stop_error(struct error *error);
void session_note(const struct session *session, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void session_progress(struct group *group, const char *phase);

/* stages.c: from now on the group is in that stage; returns the one that it was in. */
enum session_stage stage_enter(struct group *group, enum session_stage stage);
/* What the group has spent in it so far. */
int64_t stage_ns(const struct group *group, enum session_stage stage);

/* Around what blocks. lane_enter adds the time since to *spent_ns. */
int64_t lane_leave(struct lane *lane);
void lane_enter(struct lane *lane, int64_t left_ns, int64_t *spent_ns);
/* Notes that the lane's device is gone for good; returns the error's status. With STATUS_BAD_INPUT
 * it is not: what is wrong is the experiment. */
enum status lane_lose(struct lane *lane, const struct error *error);

/* ceilings.c: once for each environment, once more when a winner, as told, broke through. */
enum status session_know_ceilings(struct session *session, struct lane *lane, struct error *error);
enum status session_recheck_ceilings(struct session *session, struct group *group,
                                     struct error *error);
void session_take_rate(const struct sweep *sweep, double median_ns);

/* lanes.c: starts workers, takes locks, forms groups; ends all. */
enum status lanes_start(struct session *session, struct error *error);
void lanes_stop(struct session *session);
/* The group's first lane that is not lost; NULL: none. */
struct lane *group_lane(const struct group *group);

struct sweep {
    struct group *group;
    const struct experiment *experiment;
    int64_t experiment_id;
    const struct objective *objective; /* the experiment's run owns it */
    struct problem problem;
    int64_t problem_id;
    double bytes_moved;   /* at least, by a run; 0: not said */
    enum ceiling ceiling; /* what its throughput is held against */
    struct arena arena;   /* lives as long as the sweep */
    struct space *space;
    uint64_t space_count; /* legal configurations */
    uint16_t value_counts[EXPERIMENT_PARAMETERS_MAX];
    struct table table;
    struct candidate any;   /* stands for the problem where every configuration means the same */
    struct candidate *best; /* NULL: none yet */
    struct worker_problem *description; /* what workers are told; NULL: not made yet */
    struct search *search;
    uint64_t points_most; /* of the space, that may be tried, those of earlier runs counted */
    uint64_t points;      /* that were, or are in the window: baselines not counted */
    /* What is to be tried, in order; the first `first_count` before all others. */
    struct candidate **window;
    size_t window_count, window_capacity;
    size_t in_hand;    /* taken from the window by lanes */
    bool searched_all; /* the search has no more: no budget cut it */
    size_t baselines_left;
    size_t measured;                 /* trials of this run */
    size_t known;                    /* of earlier ones */
    size_t failures;                 /* of all */
    size_t unlaunchable, duplicates; /* set aside in this run, without the device */
    int64_t deadline_ns;             /* no further trials after it; 0: none */
    int64_t race_end_ns;             /* when the problem's share of the budget ends; 0: never */
    int64_t share_ns;                /* of the budget, for sweep and race together */
    int64_t tell_ns;                 /* what inputs and expected results took the worker */
    bool failed;                     /* a lane met an error that ends the run */
    int64_t reference_ns;            /* that its references took; 0: not known */
    bool alike;                      /* no copy of the inputs differs from another */
};

/* open.c: makes the problem's space; an empty one is an error. */
enum status sweep_open(struct sweep *sweep, struct error *error);
/* The candidate of a point, or of a configuration that may be one. Made when it is new. */
enum status sweep_candidate(struct sweep *sweep, uint64_t point, struct candidate **out,
                            struct error *error);
enum status sweep_candidate_of(struct sweep *sweep, const struct configuration *configuration,
                               struct candidate **out, struct error *error);
/* Which binary it needs; with `wanted` it is looked for or compiled. A configuration whose
 * expressions fail is `broken`, which is no error. */
enum status sweep_binary(struct sweep *sweep, struct candidate *candidate, bool wanted,
                         struct error *error);
const struct binary *candidate_binary(const struct sweep *sweep,
                                      const struct candidate *candidate); /* NULL: none */
/* How many points of a space may be tried. */
uint64_t session_points(const struct session_options *options, uint64_t space_count);
/* A better one than the best so far? */
void sweep_compare(struct sweep *sweep, struct candidate *candidate);

/* sweep.c: adds the baselines, takes known trials, measures what the search asks for. */
enum status sweep_problem(struct sweep *sweep, struct error *error);
void sweep_free(struct sweep *sweep);

/* window.c: what is tried next, and what is compiled for it meanwhile. */
enum status window_start(struct sweep *sweep, struct error *error);
enum status window_add(struct sweep *sweep, struct candidate *candidate, struct error *error);
/* Asks the search for more, and for their binaries. */
enum status window_fill(struct sweep *sweep, struct error *error);
/* The first whose binary is there, or never will be, in hand from now on; NULL: all are being
 * compiled. Baselines go first, but nobody waits for their compiler. */
struct candidate *window_take(struct sweep *sweep);
/* What a lost lane had in hand is left to the others. */
enum status window_put_back(struct sweep *sweep, struct candidate *candidate, struct error *error);
/* It was tried: the search is told. */
void window_done(struct sweep *sweep, struct candidate *candidate);

/* describe.c: has the lane's worker make the problem's inputs and, with `check`, the expected
 * results. */
enum status sweep_tell(struct sweep *sweep, struct lane *lane, bool check, struct error *error);
/* Those of the problem's that were taken out of the cache are compiled again. */
enum status restore_references(struct sweep *sweep, bool *gone, struct error *error);
/* Whether something failed for no more than that its binary or a reference had been taken out of
 * the cache: then they are there again, *outcome is ok, and what failed is to be done again. */
enum status sweep_restore(struct sweep *sweep, struct candidate *candidate,
                          struct worker_outcome *outcome, bool *restored, struct error *error);
/* What a worker is told of a check; compiles what that takes, and waits for it. */
enum status describe_check(struct sweep *sweep, const struct output_check *check,
                           struct worker_reference *out, struct error *error);

/* only.c: makes candidates of the configurations that the run is limited to. */
enum status sweep_take_only(struct sweep *sweep, struct error *error);
/* Whether the run is about such a problem. */
bool session_only_has(const struct session_options *options, const struct problem *problem);

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
/* What the candidate's expressions are evaluated at; the configuration goes to *room, unless the
 * candidate has its own. */
struct point sweep_point(const struct sweep *sweep, const struct candidate *candidate,
                         int64_t active_blocks, struct configuration *room);
const struct configuration *candidate_configuration(const struct sweep *sweep,
                                                    const struct candidate *candidate,
                                                    struct configuration *room);
/* The kernels that it launches. An expression that fails is the outcome, not an error. */
enum status sweep_kernels(struct sweep *sweep, struct arena *arena,
                          const struct candidate *candidate, struct kernel_use uses[LAUNCHES_MAX],
                          size_t *count, struct worker_outcome *outcome, struct error *error);
/* Plan and derived values for loaded->resources, whose first is the kernel use `first`'s; the same.
 */
enum status sweep_plan(struct sweep *sweep, struct arena *arena, const struct candidate *candidate,
                       const struct kernel_use *first, struct loaded *loaded,
                       struct worker_outcome *outcome, struct error *error);
/* Loads the candidate's binary, compiled now if nobody needed it before, asks for its resources and
 * forms its plan, which belongs to the arena. */
enum status sweep_load(struct sweep *sweep, struct lane *lane, struct arena *arena,
                       struct candidate *candidate, struct loaded *loaded,
                       struct worker_outcome *outcome, struct error *error);
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
/* The time limit of so many blocks; `first`: uploads may be in it. */
int64_t sweep_timeout_ms(const struct sweep *sweep, struct lane *lane, uint32_t blocks, bool first);
/* After a crash or a hang: whether the device still answers; if not, the lane is lost. */
enum status lane_probe(struct lane *lane, struct error *error);
/* Whether timings lie so far apart that they are not to be trusted. */
bool timings_unstable(const struct summary *summary);
/* Puts a trial of stage "sweep" without samples into the store. */
enum status sweep_record(struct sweep *sweep, struct lane *lane, struct candidate *candidate,
                         const struct worker_outcome *outcome, struct error *error);

/* foresee.c: what the binary tells without the device: that a block does not fit, or that another
 * candidate's launches are the same. *aside: the outcome says so. */
enum status sweep_foresee(struct sweep *sweep, struct arena *arena, struct candidate *candidate,
                          struct loaded *loaded, struct worker_outcome *outcome, bool *aside,
                          struct error *error);
/* Whether a candidate with its launch_hash was measured: then the outcome says so. */
bool sweep_repeats(struct sweep *sweep, struct candidate *candidate,
                   struct worker_outcome *outcome);
/* What a plan launches, as a number: plans with the same hash do the same work. */
uint64_t launch_hash(const struct launch_plan *plan, const struct binary *binary);

/* baselines.c: adds the experiment's baselines to the candidates and the store. */
enum status sweep_add_baselines(struct sweep *sweep, struct error *error);

/* ln of the objective of a run that takes time_ns and (NaN: not measured) energy_j. */
enum status sweep_value(const struct sweep *sweep, const struct candidate *candidate,
                        const struct loaded *loaded, double time_ns, double energy_j, double *value,
                        struct error *error);

/* What a search goes by: the objective where the time alone tells it, the time where energy counts.
 * `loaded` NULL: of an earlier run. NaN: it cannot be told, or the candidate failed. */
double sweep_told(const struct sweep *sweep, const struct candidate *candidate,
                  const struct loaded *loaded);
/* The experiment's own metrics of such a run, for the store: those that have a value; how many. */
size_t sweep_metrics(const struct sweep *sweep, const struct candidate *candidate,
                     const struct loaded *loaded, double time_ns, double energy_j,
                     struct named_value out[EXPERIMENT_METRICS_MAX]);

/* A configuration that is measured in rounds with others. */
struct runner {
    struct candidate *candidate;
    struct loaded loaded;
    uint32_t runs;
    struct worker_outcome outcome; /* ok until it fails; then it is left out */
    struct store_sample *samples;
    size_t sample_count, sample_capacity;
    int64_t spent_ns;
    struct worker_results results; /* by which its timed runs are known to be right */
};

/* track.c: rounds of one problem on one lane, in one process of its worker. */
struct track {
    struct sweep *sweep;
    struct lane *lane;
    const char *stage;
    int process;
    struct runner **runners;
    size_t count;
    struct random random;
    uint32_t blocks;     /* a visit; 0: as the protocol says */
    struct arena *arena; /* of the runners' plans */
    bool unsure;         /* somebody's results take references to be judged */
    double energy_share; /* the energy counter's step of a window's energy; 0: unknown */
    struct round_record *records;
    enum round_fault *faults;
    struct store_round *rows;
    double *y;    /* ln of the objective: [round * count + runner], NaN where it was not measured */
    double *twin; /* [round]: ln of the second visit over the first */
    size_t round_count, round_capacity;
};
/* Has the worker know the problem and every runner's plan, whose memory belongs to the arena. What
 * cannot be loaded is left out. */
enum status track_begin(struct track *track, struct arena *arena, bool check, struct error *error);
/* One round of the runners with wanted[i]; `twin_of` (count: none) is visited twice, and its second
 * y is *twin_y. */
enum status track_round(struct track *track, const bool *wanted, size_t twin_of, double *twin_y,
                        struct error *error);
/* The same as a round of a race, which gets its values, who failed in it, and which of all rounds
 * count by now. */
enum status track_race_round(struct track *track, struct race *race, const bool *wanted,
                             size_t twin_of, struct error *error);
/* Judges all rounds anew; marks samples of those that do not count. The number that counts. */
size_t track_judge(struct track *track);
/* Rows of rounds into the store. */
enum status track_store(const struct track *track, struct error *error);
void track_free(struct track *track); /* but not its runners */
/* Puts a trial with the runner's samples into the store. */
enum status runner_store(const struct track *track, const struct runner *runner, int64_t *trial_id,
                         struct error *error);
/* The median time of its valid samples and the objective of that. */
enum status runner_value(const struct sweep *sweep, const struct runner *runner, double *median_ns,
                         double *value, struct error *error);
void runner_free(struct runner *runner);

enum { RACE_PARTS = 5, LEVELS_MAX = 64 };
/* A configuration on its way to being the winner. */
struct finalist {
    struct runner runner;
    const char *out; /* why it cannot win; NULL: it can */
    bool is_incumbent, is_baseline;
    bool left;             /* the race: shown to be slower */
    struct interval raced; /* its difference to the race's leader */
    int64_t trial_id;
    /* ln of the objective against the others of the same process, NaN: missing. In the race each
     * part of its rounds stands for a process. */
    double levels[LEVELS_MAX];
    struct contender contender;
};

/* The choice for one problem, from the race to the confirmation. */
struct contest {
    struct contest *next, *previous;
    struct sweep *sweep;
    struct arena arena;
    struct finalist *finalists; /* as many as entered; after the race as many as are left */
    size_t finalist_count;
    /* Seen by the race alone, as far as it went to a look: ties among them are declared. */
    struct store_contender *others;
    size_t other_count;
    double *twins; /* differences of twins, ln */
    size_t twin_count;
    struct twin_floor floor;
    size_t rounds, rounds_dropped, faults[ROUND_FAULTS];
    size_t levels;      /* of each finalist */
    size_t processes;   /* that have confirmed */
    int64_t visit_ns;   /* what one took in its race's last round, with all its blocks ... */
    int64_t process_ns; /* ... and its rounds in the last process that confirmed; 0: none did */
    bool left_out;      /* of the confirmation, for want of time */
    size_t candidate_count;
    bool conditions_known;
    bool announced;
    bool confirmed; /* as far as it will be */
    size_t tied;    /* the winner counted */
    enum verdict verdict;
    char reason[VERDICT_REASON_BYTES]; /* of the verdict */
    char winner_key[CONFIGURATION_KEY_BYTES];
};

/* entrants.c: who races: all whose objective in the sweep is near the best, baselines, the
 * incumbent. They become the contest's finalists. */
enum status contest_enter(struct contest *contest, struct lane *lane, struct error *error);
/* race.c: from the sweep's fastest to finalists. A contest without finalists has no winner. */
enum status contest_race(struct contest *contest, struct lane *lane, struct error *error);
/* confirm.c: all contests of a group in fresh processes. */
enum status group_confirm(struct group *group, struct error *error);
/* What that is expected to take, those that have not raced yet included. */
double confirm_expected_ns(const struct sweep *sweep);
/* winner.c: chooses among the finalists by their levels, and puts the winner into the store; their
 * trials are there. *found false: none can win. */
enum status contest_choose(struct contest *contest, struct lane *lane, const char *stage,
                           bool *found, struct error *error);
/* winner.c: when the user stops before there is a winner: the best of the sweep so far. */
enum status sweep_choose_early(struct sweep *sweep, struct error *error);
/* order.c: sets contender.order, the fixed order: fewer launches, less shared memory, fewer
 * registers, smaller block, then the parameters in the order of the file. */
void contest_order(const struct sweep *sweep, struct finalist *finalists, size_t count);

/* contest.c */
bool finalist_can_win(const struct finalist *finalist);
struct contest *contest_create(struct sweep *sweep);
void contest_free(struct contest *contest);
/* Gives back the memory behind the finalists that there are; they may move. */
void contest_shrink(struct contest *contest);
/* The finalists' runners, for a track; the contest's arena owns the list. NULL: no memory. */
struct runner **contest_runners(struct contest *contest);
/* Puts a track's rounds and its runners' trials into the store, in one transaction; also when the
 * track was stopped. Returns `status` when that is not STATUS_OK. */
enum status contest_keep(struct contest *contest, struct track *track, enum status status,
                         struct error *error);
/* Takes finalists and everything measured out; what the gauntlet rejected stays known. */
void contest_reset(struct contest *contest);
/* Adds a judged track's rounds and twins. */
enum status contest_count_rounds(struct contest *contest, const struct track *track,
                                 struct error *error);
/* Level `level` of each finalist: the median over the valid rounds first .. last - 1 of what it is
 * off the median of all. */
void contest_set_levels(struct contest *contest, const struct track *track, size_t level,
                        size_t first, size_t last);

/* What an experiment says is checked for the sizes that it names: at others a file may be short, or
 * a formula have no value. Such a size is left out, which is no error. */
static inline bool is_no_size_of(enum status status)
{
    return status == STATUS_BAD_INPUT || status == STATUS_NOT_FOUND;
}

/* look.c: a short race of a few configurations at one size. */
enum { LOOK_MAX = 8 };
struct look {
    bool works;                       /* something was measured */
    size_t best;                      /* of the configurations */
    struct interval losses[LOOK_MAX]; /* of each, to the best: relative; NaN: it failed */
};
/* `like` tells experiment, objective and group. */
enum status look_at(const struct sweep *like, const struct problem *problem,
                    const struct configuration *const *configurations, size_t count,
                    struct look *look, struct error *error);
/* ranges.c: few configurations for all sizes of a problem key, looked at between the sizes. */
enum status group_ranges(struct group *group, const struct session_experiment *at,
                         int64_t experiment_id, const struct objective *objective,
                         struct error *error);

/* group.c: races, and whoever comes next where the best turn out to be wrong, until there is a
 * winner so far; *found false: nothing works. */
enum status contest_compete(struct contest *contest, bool *found, struct error *error);
/* All problems of all experiments on one group. */
enum status group_count_work(struct group *group, struct error *error);
void group_run(struct group *group);

#endif
