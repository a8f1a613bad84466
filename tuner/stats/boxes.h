/* Few configurations for sizes of several names, and which of them serves which box of sizes. */
#ifndef TUNE_STATS_BOXES_H
#define TUNE_STATS_BOXES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BOX_NAMES_MAX = 4 };

/* What is known: loss[spot * configurations + c] is relative to the best at that spot, INFINITY
 * where c cannot be used or nobody knows. A spot is a tuple of sizes; no two are alike. */
struct box_losses {
    const double *loss;
    size_t spots, configurations;
    double within; /* what one may lose; at a spot where all lose more, the least of them */
};

/* Marks the smallest set of configurations that serves each spot where any can be used: proven the
 * smallest, unless that would take too long. Of equal ones that which is found by taking what
 * serves most first, of these the first. Returns how many; 0 also when memory is short. */
size_t boxes_choose(const struct box_losses *losses, bool *chosen);

struct size_box {
    int64_t low[BOX_NAMES_MAX], high[BOX_NAMES_MAX]; /* both belong to it */
    size_t configuration;
    double worst_loss; /* at its spots */
};

/* Cuts the box around all spots where a chosen one can be used into boxes that leave no gap and do
 * not overlap, each with one configuration that serves all of its spots: by halves where fewest
 * spots are left wrong, in the geometric middle between two sizes. sizes[spot * names + i]. Returns
 * how many, at most as many as spots; 0 also when memory is short. */
size_t boxes_cut(const struct box_losses *losses, const bool *chosen, const int64_t *sizes,
                 size_t names, struct size_box *boxes);

/* How far apart two tuples are: the sum of the logarithms of their sizes' ratios. */
double boxes_distance(const int64_t *a, const int64_t *b, size_t names);
/* The last size that belongs to the lower of two, low < high: the geometric middle. */
int64_t boxes_middle(int64_t low, int64_t high);

#endif
