/* End times of the parts of a run, and their expected costs. Times are those of clock_running_ns;
 * 0: no end. */
#ifndef TUNE_SESSION_BUDGET_H
#define TUNE_SESSION_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/session/binaries.h"
#include "tuner/session/session.h"

struct group;
struct lane;
struct session;

/* Costs so far; later parts are expected to cost as much. */
struct costs {
    size_t problems;          /* raced or given up */
    double checks_guessed_ns; /* expected time of their checks without any knowledge */
    int64_t own_checks_ns;    /* time of their checks at their own size, which must run */
    int64_t fresh_ns;         /* last start of a worker without a spare ... */
    int64_t spared_ns;        /* ... and the part that a spare saves */
    int64_t ceilings_ns;      /* 0: not measured */
    size_t trials;            /* of sweeps ... */
    double trials_ns;         /* ... and their time, waits for compilers left out */
    size_t looks;
    double state_visit_ns;   /* a visit in another state of the cache; 0: none yet */
    int64_t energy_visit_ns; /* a visit that measures energy; 0: none yet */
    size_t contests;         /* contests that wait for their confirmation ... */
    double confirm_ns;       /* ... and the time of one process over all of these */
};

/* One problem's part of the budget. */
struct allowance {
    uint64_t points_most; /* most points that may be tried, those of earlier runs included */
    size_t baselines;     /* candidates that race in any case */
    int64_t setup_ns;   /* a worker's time for its inputs and expected results; 0: not known yet */
    double run_ns;      /* the best so far; 0: none */
    int64_t share_ns;   /* sweep and race together */
    double sweep_share; /* the sweep's part of it */
    bool tries_few;     /* its sweep has time for few of the points */
    int64_t begun_ns;   /* end of the problem's set-up */
    int64_t sweep_end_ns; /* end of new trials; 0: none */
    int64_t race_end_ns;  /* end of its share of the budget; 0: never */
};

int64_t budget_end_ns(const struct session *session);
/* Returns the end of work that was running at the budget's end: a tenth of the budget later, or two
 * seconds. After that the work is given up (worker_end_by). */
int64_t budget_last_ns(const struct session *session);
/* Computes the share of a problem that starts now, without its own set-up and checks. */
void budget_share(const struct group *group, struct allowance *allowance);
/* Recomputes the share after the problem's first trial, when its set-up is known. */
void budget_begin_sweep(const struct group *group, struct allowance *allowance);
/* Recomputes it after further ones, as long as these tell more about the cost of a trial. */
void budget_learn(const struct group *group, struct allowance *allowance);
/* Returns the number of candidates to compile ahead, at most `most`: those for which the sweep has
 * time. If compilers use the cores that kernels are timed on, a batch before it is timed. */
size_t budget_batch(const struct group *group, const struct allowance *allowance, size_t most);
/* Returns whether a device without work should wait for compilers: a binary may be there before the
 * race has to begin. After the sweep's share, only for compilations that were under way at its end,
 * and only in the last problem: binaries that come later serve later ones. */
bool budget_awaits_compilers(const struct group *group, const struct allowance *allowance);
int64_t budget_race_end_ns(const struct group *group, const struct allowance *allowance);
/* Returns the budget in which the problems left can race by energy, if the present one is too
 * short; else 0. */
double budget_needed_ns(const struct group *group, const struct allowance *allowance);
/* Adds a finished problem to the costs; `checked`: the gauntlet has run. */
void budget_end_problem(struct group *group, const struct allowance *allowance, bool checked);
/* Returns the number of trials for which the problem's sweep has time, at the present cost of a
 * trial. */
uint64_t budget_trials(const struct group *group, const struct allowance *allowance);
/* Returns whether the end has passed (0: there is none); if so, notes that the stage was cut short.
 */
bool budget_over(const struct session *session, enum session_stage stage, int64_t end_ns);
/* Returns whether the work after a continued sweep (a race, checks of its finalists) would end too
 * late. */
bool budget_sweep_ended(const struct group *group, const struct allowance *allowance);
/* Returns whether the whole budget is spent, so that no part may begin. */
bool budget_ended(const struct session *session, enum session_stage stage);
/* Returns whether work of cost_ns ends in time; if not, notes that the stage was cut short. */
bool budget_fits(const struct group *group, enum session_stage stage, double cost_ns);
/* Returns the time to replace the lane's process now: less if a spare is under way. */
double budget_start_ns(const struct lane *lane);
/* Returns the end of checks that an answer does not need, those at other sizes: an even part of the
 * time for the problems left, up to half of which stays for the watch of this problem's winner and
 * for two confirming processes, in which this problem takes process_ns. *watch_at_ns: the latest
 * begin of the watch. Both 0: no end. */
int64_t budget_checks_end_ns(const struct group *group, const struct allowance *allowance,
                             double process_ns, int64_t *watch_at_ns);
/* Returns the expected cost of ceilings, and whether that is so large a part of the budget that
 * ceilings wait until the end. */
double budget_ceilings_ns(const struct lane *lane);
bool budget_postpones_ceilings(const struct lane *lane);
/* Returns whether another problem's set-up and checks at its own size fit, or a look at a size. */
bool budget_fits_problem(const struct group *group);
bool budget_fits_look(const struct group *group);
/* Returns the number of candidates, at visits of visit_ns, that have a few rounds each in the
 * race's share; a handful at least. A visit that measures energy takes as long as its window. */
size_t budget_entrants(const struct group *group, const struct allowance *allowance,
                       double visit_ns);
/* Returns the number of candidates for which the race's share has time left for `visits` visits in
 * other states of the cache, which take several times visit_ns. */
size_t budget_screened(const struct group *group, const struct allowance *allowance,
                       double visit_ns, size_t visits);
/* Returns the number of `most` finalists that can be checked in time, at least two; and the part of
 * most_ms for which the coming winner can be watched. */
size_t budget_finalists(const struct group *group, const struct allowance *allowance, size_t most);
int64_t budget_watch_ms(const struct group *group, const struct allowance *allowance,
                        int64_t most_ms);
/* Returns the time limit of a trial after the first one (best_ns 0: none yet) that may take
 * usual_ms: under a budget at most half of the rest, with time to start the process again and to
 * race, but enough for several such trials. */
int64_t budget_trial_ms(const struct lane *lane, double best_ns, uint32_t blocks, int64_t usual_ms);
/* Under a budget, makes the lane's worker keep spares for its next `processes` processes
 * (worker_reserve). For times at which the device is not timed next. */
void budget_reserve(const struct lane *lane, int64_t processes);
/* Waits for a binary until the budget ends (STATUS_NO_TIME) or the user stops.
 * STATUS_COMPILE_FAILED with the compiler's message. */
enum status budget_await(struct group *group, struct binaries *binaries, size_t index,
                         struct error *error);
/* Waits for a lane while a host of the group may still come back. The error says why the first one
 * was lost. */
enum status group_await_lane(struct group *group, struct lane **out, struct error *error);

#endif
