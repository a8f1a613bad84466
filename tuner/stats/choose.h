/* The winner among finalists, each measured in several fresh processes. */
#ifndef TUNE_STATS_CHOOSE_H
#define TUNE_STATS_CHOOSE_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/stats/estimate.h"

struct contender {
    /* In: */
    const double *levels; /* one per process: ln of the objective, relative to the process's own
                             reference (the same for all contenders of a process); NaN: missing */
    size_t order;         /* place in the fixed order, 0 first; all different */
    bool eligible;        /* may win: neither a baseline outside the space nor failed */
    /* Out: */
    struct interval difference; /* relative, to the fastest eligible; 0 for itself */
    bool proven;                /* upper bound within delta: shown to be as fast as the fastest */
    bool tied;                  /* lower bound within delta: not shown to be slower */
};

struct choice {
    size_t fastest; /* smallest mean; count: none is eligible */
    size_t winner;  /* the incumbent if proven; else the first in order of the proven */
    bool kept_incumbent;
    size_t tied; /* eligible contenders that are tied, the winner included */
    /* Interval of winner - fastest; but claim.high is the largest upper bound of the winner's
     * difference to any eligible contender, so that, at the confidence, none is faster by more than
     * that. NaN: unknown, or so wide that it says nothing (bounds_are_narrow). */
    struct interval claim;
};

/* Returns whether a candidate is as good as the fastest, and not shown to be slower: its difference
 * is not beyond `delta` as a whole. Without an interval the estimate decides. A gain over a tied
 * candidate is not shown, however large its estimate. All comparisons use this one relation. */
bool difference_is_tied(struct interval difference, double delta);

/* Chooses the winner. `incumbent`: index, or count for none. With fewer than two processes there
 * are no intervals: then proven and tied follow from the estimate alone. */
void choose(struct contender *contenders, size_t count, size_t processes, double delta,
            double confidence, size_t incumbent, struct choice *choice);

/* Estimates the spread of a difference between processes from candidates that are not shown to be
 * slower by more than `near` (ln): the root mean square deviation of their differences to the
 * fastest, with its degrees of freedom; `prior` counts as CHOICE_PRIOR_DEGREES of these. */
enum { CHOICE_PRIOR_DEGREES = 8 };
double choice_spread(const struct contender *contenders, size_t count, size_t processes,
                     const struct choice *choice, double near, double prior, size_t *degrees);
/* Returns the difference to the fastest of a candidate that only the race's process measured:
 * `raced` is its difference to the race's leader, `fastest_raced` the fastest's; widened by the
 * spread between processes. */
struct interval choice_outsider(struct interval raced, double fastest_raced, double spread,
                                size_t degrees, double confidence);

#endif
