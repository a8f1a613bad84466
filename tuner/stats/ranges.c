#include "tuner/stats/ranges.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* The best cover of the sizes before one. */
struct cover {
    size_t ranges;
    double loss;     /* sum of the ranges' smallest worst losses */
    size_t previous; /* start of the last range; no range when `skipped` */
    bool skipped;
};

struct problem {
    const double *loss;
    const size_t *winners;
    size_t sizes, configurations;
    double within;
};

static double loss_at(const struct problem *problem, size_t size, size_t configuration)
{
    double loss = problem->loss[size * problem->configurations + configuration];
    return isnan(loss) ? (double)INFINITY : loss;
}

/* Returns the least loss at a size; INFINITY: none is usable. */
static double smallest_loss(const struct problem *problem, size_t size)
{
    double smallest = (double)INFINITY;
    for (size_t c = 0; c < problem->configurations; c++)
        smallest = fmin(smallest, loss_at(problem, size, c));
    return smallest;
}

/* Adds a size to a range with worst losses `worst`; returns the smallest of these, INFINITY when no
 * configuration is within bounds at all of its sizes. */
static double extend(const struct problem *problem, size_t size, double *worst)
{
    double allowed = fmax(problem->within, smallest_loss(problem, size));
    double smallest = (double)INFINITY;
    for (size_t c = 0; c < problem->configurations; c++) {
        double loss = loss_at(problem, size, c);
        worst[c] = loss <= allowed ? fmax(worst[c], loss) : (double)INFINITY;
        smallest = fmin(smallest, worst[c]);
    }
    return smallest;
}

static bool is_better(const struct cover *a, const struct cover *b)
{
    return a->ranges < b->ranges || (a->ranges == b->ranges && a->loss < b->loss);
}

/* Finds covers[i], 0 <= i <= sizes: the best cover of the sizes before i. */
static void find_covers(const struct problem *problem, struct cover *covers, double *worst)
{
    for (size_t i = 1; i <= problem->sizes; i++)
        covers[i] = (struct cover){.ranges = problem->sizes + 1};
    covers[0] = (struct cover){0};
    for (size_t first = 0; first < problem->sizes; first++) {
        if (isinf(smallest_loss(problem, first))) {
            covers[first + 1] = covers[first];
            covers[first + 1].previous = first;
            covers[first + 1].skipped = true;
            continue;
        }
        for (size_t c = 0; c < problem->configurations; c++)
            worst[c] = 0;
        for (size_t last = first; last < problem->sizes; last++) {
            double smallest = extend(problem, last, worst);
            if (isinf(smallest))
                break;
            struct cover cover = {covers[first].ranges + 1, covers[first].loss + smallest, first,
                                  false};
            if (is_better(&cover, &covers[last + 1]))
                covers[last + 1] = cover;
        }
    }
}

static size_t sizes_won(const struct problem *problem, size_t first, size_t last,
                        size_t configuration)
{
    size_t won = 0;
    for (size_t size = first; size <= last; size++)
        won += problem->winners && problem->winners[size] == configuration ? 1 : 0;
    return won;
}

static struct size_range fill_range(const struct problem *problem, size_t first, size_t last,
                                    const size_t *order, double delta, double *worst)
{
    struct size_range range = {first, last, problem->configurations, (double)INFINITY};
    double smallest = (double)INFINITY;
    size_t most_won = 0;
    for (size_t c = 0; c < problem->configurations; c++)
        worst[c] = 0;
    for (size_t size = first; size <= last; size++)
        smallest = extend(problem, size, worst);
    for (size_t c = 0; c < problem->configurations; c++) {
        if (isinf(worst[c]) || worst[c] > smallest + delta)
            continue;
        size_t won = sizes_won(problem, first, last, c);
        if (range.configuration == problem->configurations || won > most_won ||
            (won == most_won && order[c] < order[range.configuration])) {
            most_won = won;
            range.configuration = c;
            range.worst_loss = worst[c];
        }
    }
    return range;
}

size_t ranges_cover(const double *loss, const size_t *winners, size_t sizes, size_t configurations,
                    const size_t *order, double within, double delta, struct size_range *range)
{
    struct problem problem = {loss, winners, sizes, configurations, within};
    struct cover *covers = calloc(sizes + 1, sizeof *covers);
    double *worst = calloc(configurations > 0 ? configurations : 1, sizeof *worst);
    size_t count = 0;
    if (covers && worst) {
        find_covers(&problem, covers, worst);
        count = covers[sizes].ranges;
        size_t place = count;
        for (size_t end = sizes; end > 0; end = covers[end].previous) {
            if (!covers[end].skipped)
                range[--place] =
                    fill_range(&problem, covers[end].previous, end - 1, order, delta, worst);
        }
    }
    free(covers);
    free(worst);
    return count;
}
