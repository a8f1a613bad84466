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
    bool eligible;        /* may win: no baseline outside the space, nothing that failed */
    /* Out: */
    struct interval difference; /* relative, to the fastest eligible; 0 for itself */
    bool proven;                /* upper bound within delta: shown to be as fast as the fastest */
    bool tied;                  /* lower bound within delta: not shown to be slower */
};

struct choice {
    size_t fastest; /* smallest mean; count: none is eligible */
    size_t winner;  /* the incumbent if proven; else the first in order of the proven */
    bool kept_incumbent;
    size_t tied; /* eligible contenders that are tied, the winner counted */
    /* Of winner - fastest; but claim.high is the largest upper bound of the winner's difference to
     * any eligible contender, so that, at the confidence, none is faster by more than that. */
    struct interval claim;
};

/* The one relation by which something counts as as good as the fastest, or else as shown to be
 * slower: its difference does not lie beyond `delta` as a whole. Where there is no interval the
 * estimate decides. A gain over what is tied is not shown, however large its estimate. */
bool difference_is_tied(struct interval difference, double delta);

/* `incumbent`: index, or count for none. With fewer than two processes there are no intervals: then
 * proven and tied go by the estimate alone. */
void choose(struct contender *contenders, size_t count, size_t processes, double delta,
            double confidence, size_t incumbent, struct choice *choice);

/* How much a difference moves from process to process by chance, as those show it that are not
 * shown to be slower by more than `near` (ln): the root mean square deviation of their differences
 * to the fastest, with its degrees of freedom; `prior` counts as CHOICE_PRIOR_DEGREES of them. */
enum { CHOICE_PRIOR_DEGREES = 8 };
double choice_spread(const struct contender *contenders, size_t count, size_t processes,
                     const struct choice *choice, double near, double prior, size_t *degrees);
/* The difference to the fastest of a candidate that only one process, the race's, has seen: `raced`
 * is its difference to the race's leader, `fastest_raced` the fastest's; as wide as the race left
 * it and as processes differ. */
struct interval choice_outsider(struct interval raced, double fastest_raced, double spread,
                                size_t degrees, double confidence);

#endif
