/* Few configurations for many sizes, and the range of sizes that each one serves: with several
 * sizes a box. */
#ifndef TUNE_STATS_RANGES_H
#define TUNE_STATS_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
 * `configurations` or more: none. NULL: all unknown. order[c]: place in the fixed order; NULL: c. A
 * size without any usable configuration is in no range. Returns the number of ranges, at most
 * `sizes`; 0 and no ranges also without memory. */
size_t ranges_cover(const double *loss, const size_t *winners, size_t sizes, size_t configurations,
                    const size_t *order, double within, double delta, struct size_range *range);

enum { BOX_NAMES_MAX = 4 };

/* Known losses: loss[spot * configurations + c] is relative to the best at that spot, INFINITY if c
 * is not usable or unknown there. A spot is a tuple of sizes; all differ. */
struct box_losses {
    const double *loss;
    size_t spots, configurations;
    double within; /* largest accepted loss; the least one at a spot where all exceed it */
};

/* Marks the smallest set of configurations that serves each spot with a usable one: proven the
 * smallest, unless that would take too long. Among equal sets the one found by taking those that
 * serve most first, then the first. Returns the number; 0 also without memory. */
size_t boxes_choose(const struct box_losses *losses, bool *chosen);

struct size_box {
    int64_t low[BOX_NAMES_MAX], high[BOX_NAMES_MAX]; /* bounds, both inside */
    size_t configuration;
};

/* Cuts the box around all spots with a usable chosen configuration into boxes without gap or
 * overlap, each with one configuration that serves all of its spots: halved where the fewest spots
 * are left wrong, in the geometric middle between two sizes. sizes[spot * names + i]. Returns the
 * number of boxes, at most that of spots; 0 also without memory. */
size_t boxes_cut(const struct box_losses *losses, const bool *chosen, const int64_t *sizes,
                 size_t names, struct size_box *boxes);

/* Returns the distance of two tuples: the sum of the logarithms of the sizes' ratios. */
double boxes_distance(const int64_t *a, const int64_t *b, size_t names);
/* Returns the last size that belongs to the lower of two, low < high: the geometric middle. */
int64_t boxes_middle(int64_t low, int64_t high);

#endif
