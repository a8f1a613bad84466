#include "tuner/stats/ranges.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sets examined before the smallest one so far is taken. */
enum { SETS_MAX = 20000 };

static double loss_at(const struct box_losses *losses, size_t spot, size_t configuration)
{
    const double loss = losses->loss[spot * losses->configurations + configuration];
    return isnan(loss) ? (double)INFINITY : loss;
}

/* Returns the least loss at a spot; INFINITY: none is usable there. `among` may be NULL. */
static double allowed_at(const struct box_losses *losses, size_t spot, const bool *among)
{
    double least = (double)INFINITY;
    for (size_t c = 0; c < losses->configurations; c++)
        if (!among || among[c])
            least = fmin(least, loss_at(losses, spot, c));
    return isinf(least) ? least : fmax(least, losses->within);
}

/* ---- ranges of one size ---- */

/* The best cover of the sizes before one. */
struct cover {
    size_t ranges;
    double loss;     /* sum of the ranges' smallest worst losses */
    size_t previous; /* start of the last range; no range when `skipped` */
    bool skipped;
};

/* Adds a size to a range with worst losses `worst`; returns the smallest of these, INFINITY when no
 * configuration is within bounds at all of its sizes. */
static double extend(const struct box_losses *losses, size_t size, double *worst)
{
    const double allowed = allowed_at(losses, size, NULL);
    double smallest = (double)INFINITY;
    for (size_t c = 0; c < losses->configurations; c++) {
        const double loss = loss_at(losses, size, c);
        worst[c] = loss <= allowed ? fmax(worst[c], loss) : (double)INFINITY;
        smallest = fmin(smallest, worst[c]);
    }
    return smallest;
}

/* Finds covers[i], 0 <= i <= sizes: the best cover of the sizes before i. */
static void find_covers(const struct box_losses *losses, struct cover *covers, double *worst)
{
    for (size_t i = 1; i <= losses->spots; i++)
        covers[i] = (struct cover){.ranges = losses->spots + 1};
    covers[0] = (struct cover){0};
    for (size_t first = 0; first < losses->spots; first++) {
        if (isinf(allowed_at(losses, first, NULL))) {
            covers[first + 1] = covers[first];
            covers[first + 1].previous = first;
            covers[first + 1].skipped = true;
            continue;
        }
        for (size_t c = 0; c < losses->configurations; c++)
            worst[c] = 0;
        for (size_t last = first; last < losses->spots; last++) {
            double smallest = extend(losses, last, worst);
            if (isinf(smallest))
                break;
            struct cover cover = {covers[first].ranges + 1, covers[first].loss + smallest, first,
                                  false};
            const struct cover *b = &covers[last + 1];
            if (cover.ranges < b->ranges || (cover.ranges == b->ranges && cover.loss < b->loss))
                covers[last + 1] = cover;
        }
    }
}

static struct size_range fill_range(const struct box_losses *losses, size_t first, size_t last,
                                    const size_t *winners, const size_t *order, double delta,
                                    double *worst)
{
    struct size_range range = {first, last, losses->configurations, (double)INFINITY};
    double smallest = (double)INFINITY;
    size_t most_won = 0;
    for (size_t c = 0; c < losses->configurations; c++)
        worst[c] = 0;
    for (size_t size = first; size <= last; size++)
        smallest = extend(losses, size, worst);
    for (size_t c = 0; c < losses->configurations; c++) {
        if (isinf(worst[c]) || worst[c] > smallest + delta)
            continue;
        size_t won = 0;
        for (size_t size = first; size <= last; size++)
            won += winners && winners[size] == c ? 1 : 0;
        if (range.configuration == losses->configurations || won > most_won ||
            (order && won == most_won && order[c] < order[range.configuration])) {
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
    const struct box_losses losses = {loss, sizes, configurations, within};
    struct cover *covers = calloc(sizes + 1, sizeof *covers);
    double *worst = calloc(configurations > 0 ? configurations : 1, sizeof *worst);
    size_t count = 0;
    if (covers && worst) {
        find_covers(&losses, covers, worst);
        count = covers[sizes].ranges;
        size_t place = count;
        for (size_t end = sizes; end > 0; end = covers[end].previous) {
            if (!covers[end].skipped)
                range[--place] = fill_range(&losses, covers[end].previous, end - 1, winners, order,
                                            delta, worst);
        }
    }
    free(covers);
    free(worst);
    return count;
}

/* ---- the smallest set for boxes ---- */

struct choosing {
    const struct box_losses *losses;
    bool *serves; /* [spot * configurations + c] */
    bool *served; /* spots that need none, or have one, at each depth */
    size_t *taken, *best;
    size_t best_count, sets;
};

static size_t count_gain(const struct choosing *choosing, const bool *served, size_t configuration)
{
    const struct box_losses *losses = choosing->losses;
    size_t gain = 0;
    for (size_t spot = 0; spot < losses->spots; spot++)
        gain += !served[spot] && choosing->serves[spot * losses->configurations + configuration];
    return gain;
}

/* Continues with each configuration that serves the hardest spot, the one that serves most first.
 */
static void choose_from(struct choosing *choosing, size_t depth)
{
    const struct box_losses *losses = choosing->losses;
    bool *served = choosing->served + depth * losses->spots;
    bool *next = served + losses->spots;
    /* The unserved spot that the fewest can serve; `spots`: all are served. */
    size_t hardest = losses->spots;
    size_t fewest = losses->configurations + 1;
    for (size_t spot = 0; spot < losses->spots; spot++) {
        size_t count = 0;
        for (size_t c = 0; c < losses->configurations; c++)
            count += choosing->serves[spot * losses->configurations + c];
        if (!served[spot] && count < fewest) {
            fewest = count;
            hardest = spot;
        }
    }
    const size_t spot = hardest;
    if (spot == losses->spots) {
        choosing->best_count = depth;
        memcpy(choosing->best, choosing->taken, depth * sizeof *choosing->best);
        return;
    }
    size_t last_gain = losses->spots + 1;
    size_t last = 0;
    while (depth + 1 < choosing->best_count && choosing->sets++ < SETS_MAX) {
        size_t found = losses->configurations;
        size_t found_gain = 0;
        for (size_t c = 0; c < losses->configurations; c++) {
            const size_t gain = choosing->serves[spot * losses->configurations + c]
                                    ? count_gain(choosing, served, c)
                                    : 0;
            const bool is_left = gain < last_gain || (gain == last_gain && c > last);
            if (is_left && gain > found_gain) {
                found = c;
                found_gain = gain;
            }
        }
        if (found == losses->configurations)
            return;
        last = found;
        last_gain = found_gain;
        choosing->taken[depth] = found;
        for (size_t i = 0; i < losses->spots; i++)
            next[i] = served[i] || choosing->serves[i * losses->configurations + found];
        choose_from(choosing, depth + 1);
    }
}

size_t boxes_choose(const struct box_losses *losses, bool *chosen)
{
    const size_t spots = losses->spots;
    const size_t count = losses->configurations;
    struct choosing choosing = {
        .losses = losses,
        .serves = calloc(spots * count + 1, sizeof(bool)),
        .served = calloc((spots + 2) * (spots + 1), sizeof(bool)),
        .taken = calloc(spots + 1, sizeof(size_t)),
        .best = calloc(spots + 1, sizeof(size_t)),
        .best_count = spots + 1,
    };
    memset(chosen, 0, count * sizeof *chosen);
    if (choosing.serves && choosing.served && choosing.taken && choosing.best) {
        for (size_t spot = 0; spot < spots; spot++) {
            const double allowed = allowed_at(losses, spot, NULL);
            choosing.served[spot] = isinf(allowed);
            for (size_t c = 0; c < count && !isinf(allowed); c++)
                choosing.serves[spot * count + c] = loss_at(losses, spot, c) <= allowed;
        }
        choose_from(&choosing, 0);
        for (size_t i = 0; i < choosing.best_count && choosing.best_count <= spots; i++)
            chosen[choosing.best[i]] = true;
    }
    free(choosing.serves);
    free(choosing.served);
    free(choosing.taken);
    free(choosing.best);
    return choosing.best_count <= spots ? choosing.best_count : 0;
}

/* ---- boxes ---- */

struct cutting {
    const struct box_losses *losses;
    const bool *chosen;
    const int64_t *sizes;
    size_t names;
    double *allowed; /* each spot's configuration */
    struct size_box *boxes;
    size_t count;
};

double boxes_distance(const int64_t *a, const int64_t *b, size_t names)
{
    double sum = 0;
    for (size_t i = 0; i < names; i++)
        sum += fabs(log((double)a[i]) - log((double)b[i]));
    return sum;
}

int64_t boxes_middle(int64_t low, int64_t high)
{
    const int64_t middle = (int64_t)floor(sqrt((double)low * (double)high));
    return middle < low ? low : middle >= high ? high - 1 : middle;
}

/* Returns the least number of spots that a single configuration leaves wrong; which: that
 * configuration, the one with the least worst loss among several. */
static size_t count_wrong(const struct cutting *cutting, const size_t *spots, size_t count,
                          size_t *configuration, double *worst)
{
    const struct box_losses *losses = cutting->losses;
    size_t fewest = count + 1;
    for (size_t c = 0; c < losses->configurations; c++) {
        size_t wrong = 0;
        double most = 0;
        for (size_t i = 0; i < count; i++) {
            const double loss = loss_at(losses, spots[i], c);
            wrong += loss > cutting->allowed[spots[i]];
            most = fmax(most, loss);
        }
        if (cutting->chosen[c] && (wrong < fewest || (wrong == fewest && most < *worst))) {
            fewest = wrong;
            *configuration = c;
            *worst = most;
        }
    }
    return fewest;
}

/* Moves the spots up to the size before the others; returns the number of these. */
static size_t divide(const struct cutting *cutting, size_t *spots, size_t count, size_t name,
                     int64_t end)
{
    size_t before = 0;
    for (size_t i = 0; i < count; i++)
        if (cutting->sizes[spots[i] * cutting->names + name] <= end) {
            const size_t spot = spots[i];
            spots[i] = spots[before];
            spots[before++] = spot;
        }
    return before;
}

/* Returns the smallest size of that name above `end`; INT64_MAX: none. */
static int64_t next_size(const struct cutting *cutting, const size_t *spots, size_t count,
                         size_t name, int64_t end)
{
    int64_t next = INT64_MAX;
    for (size_t i = 0; i < count; i++) {
        const int64_t size = cutting->sizes[spots[i] * cutting->names + name];
        next = size > end && size < next ? size : next;
    }
    return next;
}

static void cut(struct cutting *cutting, size_t *spots, size_t count, const struct size_box *box)
{
    size_t configuration = 0;
    double worst = (double)INFINITY;
    double widest = 0;
    size_t least = count_wrong(cutting, spots, count, &configuration, &worst);
    size_t name = cutting->names;
    int64_t end = 0;
    size_t fewest = count + 1;
    for (size_t i = 0; least > 0 && i < cutting->names; i++) {
        int64_t low = next_size(cutting, spots, count, i, INT64_MIN);
        int64_t high = next_size(cutting, spots, count, i, low);
        for (; high != INT64_MAX; low = high, high = next_size(cutting, spots, count, i, low)) {
            size_t ignored = 0;
            double loss = (double)INFINITY;
            double other = (double)INFINITY;
            const size_t before = divide(cutting, spots, count, i, low);
            const size_t wrong =
                count_wrong(cutting, spots, before, &ignored, &loss) +
                count_wrong(cutting, spots + before, count - before, &ignored, &other);
            const double gap = (double)high / (double)low;
            if (wrong < fewest || (wrong == fewest && gap > widest)) {
                fewest = wrong;
                widest = gap;
                name = i;
                end = boxes_middle(low, high);
            }
        }
    }
    if (name == cutting->names) { /* no spot is wrong, or the box cannot be cut */
        cutting->boxes[cutting->count] = *box;
        cutting->boxes[cutting->count++].configuration = configuration;
        return;
    }
    const size_t before = divide(cutting, spots, count, name, end);
    struct size_box part = *box;
    part.high[name] = end;
    cut(cutting, spots, before, &part);
    part = *box;
    part.low[name] = end + 1;
    cut(cutting, spots + before, count - before, &part);
}

/* Joins two boxes of one configuration that form a box. */
static bool join(struct size_box *a, const struct size_box *b, size_t names)
{
    size_t other = names;
    size_t differing = 0;
    for (size_t i = 0; i < names; i++)
        if (a->low[i] != b->low[i] || a->high[i] != b->high[i]) {
            differing++;
            other = i;
        }
    if (differing != 1 || a->configuration != b->configuration ||
        (a->high[other] + 1 != b->low[other] && b->high[other] + 1 != a->low[other]))
        return false;
    a->low[other] = a->low[other] < b->low[other] ? a->low[other] : b->low[other];
    a->high[other] = a->high[other] > b->high[other] ? a->high[other] : b->high[other];
    return true;
}

size_t boxes_cut(const struct box_losses *losses, const bool *chosen, const int64_t *sizes,
                 size_t names, struct size_box *boxes)
{
    struct cutting cutting = {
        .losses = losses,
        .chosen = chosen,
        .sizes = sizes,
        .names = names,
        .allowed = calloc(losses->spots + 1, sizeof(double)),
        .boxes = boxes,
    };
    size_t *spots = calloc(losses->spots + 1, sizeof *spots);
    struct size_box box = {.configuration = 0};
    size_t count = 0;
    for (size_t spot = 0; cutting.allowed && spots && spot < losses->spots; spot++) {
        cutting.allowed[spot] = allowed_at(losses, spot, chosen);
        if (isinf(cutting.allowed[spot]))
            continue;
        for (size_t i = 0; i < names; i++) {
            const int64_t size = sizes[spot * names + i];
            box.low[i] = count == 0 || size < box.low[i] ? size : box.low[i];
            box.high[i] = count == 0 || size > box.high[i] ? size : box.high[i];
        }
        spots[count++] = spot;
    }
    if (count > 0) {
        cut(&cutting, spots, count, &box);
        for (size_t i = 0; i < cutting.count; i++)
            for (size_t j = i + 1; j < cutting.count; j++)
                if (join(&cutting.boxes[i], &cutting.boxes[j], names)) {
                    cutting.boxes[j] = cutting.boxes[--cutting.count];
                    i = j = 0; /* a grown box may join others now */
                }
    }
    free(cutting.allowed);
    free(spots);
    return cutting.count;
}
