/* Few configurations for many sizes. */
#ifndef TUNE_STATS_RANGES_H
#define TUNE_STATS_RANGES_H

#include <stddef.h>

struct size_range {
    size_t first, last;   /* sizes, by index */
    size_t configuration; /* by index */
    double worst_loss; /* at its measured sizes: 0.01 is one percent slower than the best there */
};

/* Cuts the sizes into the fewest ranges whose configuration loses at most `within` at each; among
 * those cuts, the one with the smallest sum of worst losses. In a range, among the configurations
 * within `delta` of the smallest worst loss, the one that won most of its sizes, then the first in
 * order: for one size that is the winner. loss[size * configurations + c]: relative to the best at
 * that size, 0 for its winner; INFINITY if c is not usable. winners[size]: the winner by index;
 * `configurations` or more: none. NULL: all unknown. order[c]: place in the fixed order. A size
 * without any usable configuration is in no range. Returns the number of ranges, at most `sizes`; 0
 * and no ranges also without memory. */
size_t ranges_cover(const double *loss, const size_t *winners, size_t sizes, size_t configurations,
                    const size_t *order, double within, double delta, struct size_range *range);

#endif
