/* Until when the parts of a run may go on, and what they are expected to take. Times are of
 * clock_running_ns; 0: for ever. */
#ifndef TUNE_SESSION_BUDGET_H
#define TUNE_SESSION_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/session/binaries.h"

struct group;
struct lane;
struct session;

/* Of what is done: what is to come is expected to cost as much. */
struct costs {
    size_t problems;          /* raced, or given up */
    double checks_guessed_ns; /* what their checks would take, had nothing been known */
    int64_t fresh_ns;         /* the last start of a worker, without a spare ... */
    int64_t spared_ns;        /* ... of which it takes a spare so much less */
    int64_t ceilings_ns;      /* 0: they were not measured */
    size_t trials;            /* of sweeps */
    size_t looks;
    double state_visit_ns; /* in another state of the cache; 0: none yet */
    size_t contests;       /* that wait to be confirmed ... */
    double confirm_ns;     /* ... and what one process takes over all of them */
};

/* What one problem gets of the budget. */
struct allowance {
    uint64_t points_most; /* of its space, that may be tried, those of earlier runs counted */
    int64_t setup_ns;     /* what its inputs and expected results took a worker; 0: not known yet */
    double run_ns;        /* of the best so far; 0: none */
    int64_t share_ns;     /* for sweep and race together */
    int64_t sweep_end_ns; /* no further trials after it; 0: none */
    int64_t race_end_ns;  /* when its share of the budget ends; 0: never */
};

int64_t budget_end_ns(const struct session *session);
/* Until when what was in hand at its end may go on: a tenth of it longer, or two seconds; then it
 * is given up (worker_end_by). */
int64_t budget_last_ns(const struct session *session);
/* What a problem that starts now gets; its own set-up and checks are not in it. */
void budget_share(const struct group *group, struct allowance *allowance);
/* The same once its first trial is done, when its own set-up is known. */
void budget_begin_sweep(const struct group *group, struct allowance *allowance);
int64_t budget_race_end_ns(const struct group *group, const struct allowance *allowance);
/* It is done, `checked` also by the gauntlet: counts for what the others are expected to cost. */
void budget_end_problem(struct group *group, const struct allowance *allowance, bool checked);
/* How many trials the problem's sweep has time for, about: as those so far went. */
uint64_t budget_trials(const struct group *group, const struct allowance *allowance);
bool budget_over(const struct session *session, int64_t end_ns);
/* Whether what follows a sweep that goes on (a race, checks of its finalists) would not end in
 * time. */
bool budget_sweep_ended(const struct group *group, const struct allowance *allowance);
/* The whole of it: nothing is begun any more. */
bool budget_ended(const struct session *session);
/* Whether what takes so long ends in time; if not, the budget counts as spent. */
bool budget_fits(const struct group *group, double cost_ns);
/* What ceilings cost, about, and whether they are left to the end, since that is much of it. */
double budget_ceilings_ns(const struct lane *lane);
bool budget_postpones_ceilings(const struct lane *lane);
/* Whether another problem's set-up and checks do, or a look at a size. */
bool budget_fits_problem(const struct group *group);
bool budget_fits_look(const struct group *group);
/* How many may race, of whom a visit takes so long, about: as many as have a few rounds in the
 * race's share, a handful at least. */
size_t budget_entrants(const struct group *group, const struct allowance *allowance,
                       double visit_ns);
/* How many have time left in the race's share for so many visits in other states of the cache,
 * which take several times as long as its own. */
size_t budget_screened(const struct group *group, const struct allowance *allowance,
                       double visit_ns, size_t visits);
/* How many of `most` finalists can be checked in time, two at least; and for how many of most_ms
 * who is to win can be watched. */
size_t budget_finalists(const struct group *group, const struct allowance *allowance, size_t most);
int64_t budget_watch_ms(const struct group *group, const struct allowance *allowance,
                        int64_t most_ms);
/* Under a budget, has the lane's worker have spares for so many processes to come (worker_reserve):
 * where the device is not timed next. */
void budget_reserve(const struct lane *lane, int64_t processes);
/* Waits for that binary, but no longer than the budget lasts (STATUS_NO_TIME), or until the user
 * stops. STATUS_COMPILE_FAILED with the compiler's word. */
enum status budget_await(struct group *group, struct binaries *binaries, size_t index,
                         struct error *error);

#endif
