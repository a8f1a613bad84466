#include "bench/strategies/score.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A game's announced trials: this share of the space, with a maximum, but no fewer than it is
 * judged by. */
static const double trials_share = 0.1;
static const uint64_t trials_most = 1000;
static const double start_share = 0.5, cut_off_share = 0.95;

static int compare(const void *left, const void *right)
{
    const double a = *(const double *)left;
    const double b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Returns the expected best: of the `valid` sorted times the i-th is the best of `drawn` of `count`
 * points with the probability C(count - i - 1, drawn - 1) / C(count, drawn); the median counts
 * while all failed. */
static double expected_best(const double *times, size_t valid, size_t count, size_t drawn,
                            double median)
{
    double probability = (double)drawn / (double)count; /* probability of the first */
    double rest = 1, sum = 0;
    for (size_t i = 0; i < valid; i++) {
        sum += probability * times[i];
        rest -= probability;
        /* C(count - i - 2, drawn - 1) / C(count - i - 1, drawn - 1) */
        const double left = (double)(count - i - 1);
        probability *= left > 0 ? (left - (double)(drawn - 1)) / left : 0;
        if (probability < 1e-18)
            break;
    }
    return sum + (rest > 0 ? rest : 0) * median;
}

enum status score_make(const struct recorded *recorded, struct arena *arena, struct score *score,
                       struct error *error)
{
    const size_t count = (size_t)recorded->space.count;
    const size_t valid = count - recorded->failed;
    double *times = arena_alloc(arena, valid + 1, sizeof times[0]);
    *score = (struct score){.expected = arena_alloc(arena, count + 1, sizeof(double))};
    if (!times || !score->expected)
        return error_no_memory(error);
    for (size_t i = 0, k = 0; i < count; i++)
        if (!isnan(recorded->times[i]))
            times[k++] = recorded->times[i];
    qsort(times, valid, sizeof times[0], compare);
    score->optimum = times[0];
    score->median = valid % 2 ? times[valid / 2] : 0.5 * (times[valid / 2 - 1] + times[valid / 2]);
    const double way = score->median - score->optimum;
    for (size_t drawn = 1; way > 0 && drawn < count && score->cut_off == 0; drawn++) {
        const double expected = expected_best(times, valid, count, drawn, score->median);
        const double come = (score->median - expected) / way;
        score->expected[drawn] = expected;
        if (score->start == 0 && come >= start_share)
            score->start = drawn;
        if (come >= cut_off_share)
            score->cut_off = drawn;
    }
    if (score->cut_off == 0)
        score->start = 0;
    const double share = ceil(trials_share * (double)count);
    score->trials = share < (double)trials_most ? (uint64_t)share : trials_most;
    if (score->trials < score->cut_off)
        score->trials = score->cut_off;
    return STATUS_OK;
}

double score_of(const struct score *score, const double *best)
{
    double sum = 0;
    for (size_t b = score->start; b > 0 && b <= score->cut_off; b++)
        sum += (score->expected[b] - (isfinite(best[b]) ? best[b] : score->median)) /
               (score->expected[b] - score->optimum);
    return score->cut_off > 0 ? sum / (double)(score->cut_off - score->start + 1) : (double)NAN;
}
