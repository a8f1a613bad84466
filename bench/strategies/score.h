/* The score by which the autotuning community compares strategies (Willemsen, Schoonhoven,
 * Filipovic, Tornede, van Nieuwpoort, van Werkhoven, "A methodology for comparing auto-tuning
 * optimization algorithms", 2024), over evaluations: the area between the best time so far and
 * the expected one of random sampling. 0: as random sampling; 1: the optimum from the start on. */
#ifndef TUNE_BENCH_STRATEGIES_SCORE_H
#define TUNE_BENCH_STRATEGIES_SCORE_H

#include "bench/strategies/recorded.h"

struct score {
    double median;  /* median of the points that did not fail; ns */
    double optimum; /* ns */
    /* Evaluations after which random sampling is expected to have come 50 % and 95 % of the way
     * from the median to the optimum; both 0 where that cannot be told apart. */
    size_t start, cut_off;
    double *expected; /* [b]: best of b random points without replacement; 1 .. cut_off */
    uint64_t trials;  /* trials announced to a game */
};

/* Belongs to the arena. */
enum status score_make(const struct recorded *recorded, struct arena *arena, struct score *score,
                       struct error *error);
/* Returns the score of one game; best[b] is the best of its first b evaluations, infinite while all
 * failed. A score over several seeds is the mean of theirs. NaN without a range. */
double score_of(const struct score *score, const double *best);

#endif
