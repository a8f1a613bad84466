/* Looks between the measured sizes. With one name of sizes: within a range at the configuration,
 * which may fail there, and between two ranges for the size at which the second becomes better.
 * With several: half-way between neighbouring tuples; a result there cuts the boxes anew. */
#include <math.h>
#include <string.h>

#include "tuner/session/covering.h"

enum { BETWEEN_MAX = 8, ROUNDS_MAX = 4 };

/* ---- sizes of one name ---- */

/* Returns whether all configurations may be used at the size. */
static bool all_admit(struct covering *covering, int64_t n, const size_t *configurations,
                      size_t count)
{
    struct problem problem;
    problem = problem_at(&covering->work.problem, n);
    for (size_t i = 0; i < count; i++)
        if (!losses_admit(&covering->losses, &problem, configurations[i]))
            return false;
    return true;
}

/* Returns the next size from n on, before `end`, at which all configurations may be used; 0: none
 * is near. Multiples of likely divisors are tried. */
static int64_t next_size(struct covering *covering, int64_t n, int64_t end,
                         const size_t *configurations, size_t count)
{
    static const int64_t odd_parts[] = {1, 3, 5, 7, 9, 25, 125};
    int64_t nearest = 0;
    if (all_admit(covering, n, configurations, count))
        return n;
    for (size_t i = 0; i < sizeof odd_parts / sizeof odd_parts[0]; i++)
        for (int64_t divisor = odd_parts[i]; divisor <= 4096; divisor *= 2) {
            const int64_t size = (n + divisor - 1) / divisor * divisor;
            if (size > n && size < end && (nearest == 0 || size < nearest) &&
                all_admit(covering, size, configurations, count))
                nearest = size;
        }
    return nearest;
}

/* Lists candidates between two sizes: the two ranges' own, and the winners on both sides. *count:
 * those that serve other sizes than the measured ones; returns whether there are two at all. */
static bool list_around(const struct covering *covering, size_t size, size_t list[LOOK_MAX],
                        size_t *count)
{
    const struct losses *losses = &covering->losses;
    size_t all[LOOK_MAX];
    size_t found = 0;
    for (size_t i = size; i <= size + 1; i++)
        found = add_distinct(all, found, covering->boxes[covering->box_of[i]].configuration,
                             losses->count);
    for (size_t i = size; i <= size + 1; i++)
        found = add_distinct(all, found, losses->winners[i], losses->count);
    *count = 0;
    for (size_t i = 0; i < found; i++)
        if (!losses->items[all[i]].domain.is_listed)
            list[(*count)++] = all[i];
    return found >= 2;
}

/* Compares a range's configuration with the winners around at a size within; *failed: the
 * configuration fails there. */
static enum status look_inside(struct covering *covering, size_t size, bool *failed,
                               struct error *error)
{
    const int64_t *sizes = covering->losses.sizes;
    const int64_t points = covering->work.protocol->look_between;
    const double low = log((double)sizes[size]);
    const double high = log((double)sizes[size + 1]);
    int64_t before = sizes[size];
    for (int64_t i = 1; i <= points && i <= BETWEEN_MAX && !*failed; i++) {
        int64_t n = (int64_t)exp(low + (high - low) * (double)i / (double)(points + 1));
        size_t list[LOOK_MAX];
        size_t count = 0;
        struct look found;
        bool wrong = false;
        if (n <= before || !list_around(covering, size, list, &count) || count == 0)
            continue;
        n = next_size(covering, n, sizes[size + 1], list, count);
        if (n <= before || n >= sizes[size + 1])
            continue;
        if (!budget_fits_look(covering->work.group))
            break;
        before = n;
        TRY(covering_look(covering, &n, false, list, count, &found, &wrong, error));
        if (found.works && !wrong && !covering_keep(covering, &n, false, &found, list, 0))
            return error_no_memory(error);
        *failed = wrong || (found.works && isnan(found.losses[0].estimate));
        if (*failed && !wrong) {
            /* Confines a configuration that fails between two sizes to the side with more wins. */
            const size_t configuration = list[0];
            size_t won[2] = {0};
            for (size_t k = 0; k < covering->losses.spot_count; k++)
                won[k > size] += covering->losses.winners[k] == configuration ? 1 : 0;
            for (size_t k = 0; k < covering->losses.spot_count; k++)
                if ((k > size) == (won[1] < won[0]))
                    covering->losses.bound[k * covering->losses.count + configuration] =
                        (double)INFINITY;
        }
    }
    return STATUS_OK;
}

/* Bisects between two ranges to the size at which the second becomes better. */
static enum status find_end(struct covering *covering, size_t size, bool *wrong,
                            struct error *error)
{
    struct size_box *range = &covering->boxes[covering->box_of[size]];
    struct size_box *next = &covering->boxes[covering->box_of[size + 1]];
    int64_t low = covering->losses.sizes[size];      /* the first one is right here ... */
    int64_t high = covering->losses.sizes[size + 1]; /* ... and the second one here */
    const int64_t looks = covering->work.protocol->look_between + 2;
    size_t list[LOOK_MAX] = {0};
    size_t count = 0;
    (void)list_around(covering, size, list, &count);
    if (range->configuration == next->configuration ||
        covering_is_listed(covering, covering->box_of[size]) ||
        covering_is_listed(covering, covering->box_of[size + 1]))
        return STATUS_OK;
    for (int64_t i = 0; i < looks && count >= 2 && high - low > 1; i++) {
        struct look found;
        int64_t n = boxes_middle(low, high);
        n = next_size(covering, n <= low ? low + 1 : n, high, list, count);
        if (n <= low || n >= high || !budget_fits_look(covering->work.group))
            break;
        TRY(covering_look(covering, &n, false, list, count, &found, wrong, error));
        if (*wrong)
            return STATUS_OK;
        const bool failed[2] = {isnan(found.losses[0].estimate), isnan(found.losses[1].estimate)};
        if (!found.works || (failed[0] && failed[1]))
            break;
        const bool former = failed[1] || found.losses[0].estimate <= found.losses[1].estimate;
        if (!covering_keep(covering, &n, false, &found, list, former ? 0 : 1))
            return error_no_memory(error);
        low = former ? n : low;
        high = former ? high : n;
        range->high[0] = former ? low : high - 1;
        next->low[0] = range->high[0] + 1;
    }
    if (high > low) { /* the remaining gap is shared out */
        range->high[0] = boxes_middle(low, high);
        next->low[0] = range->high[0] + 1;
    }
    return STATUS_OK;
}

/* Looks between the sizes; *failed: a range's configuration fails inside, so that the ranges are
 * cut anew. */
static enum status look_between_sizes(struct covering *covering, bool *failed, struct error *error)
{
    *failed = false;
    for (size_t size = 0; !*failed && size + 1 < covering->losses.spot_count; size++) {
        if (!budget_fits_look(covering->work.group))
            break;
        if (covering->box_of[size] >= covering->box_count ||
            covering->box_of[size + 1] >= covering->box_count)
            continue;
        if (covering->box_of[size] == covering->box_of[size + 1])
            TRY(look_inside(covering, size, failed, error));
        else
            TRY(find_end(covering, size, failed, error));
    }
    return STATUS_OK;
}

/* ---- tuples of several names ---- */

/* Returns a size between two near the geometric middle: a multiple of `step`, 1 for an odd one, or
 * 0 for the one that shares the largest divisor with both, as many kernels only take multiples. */
static int64_t size_between(int64_t a, int64_t b, int64_t step)
{
    const int64_t low = a < b ? a : b;
    const int64_t high = a < b ? b : a;
    const int64_t middle = boxes_middle(low, high);
    if (high - low < 2)
        return low;
    for (int64_t shared = step != 0 ? step : (int64_t)common_divisor((uint64_t)low, (uint64_t)high);
         shared > 1; shared /= 2) {
        const int64_t size = (middle + shared / 2) / shared * shared;
        if (size > low && size < high)
            return size;
    }
    return (middle | 1) < high ? middle | 1 : middle > low ? middle : low + 1;
}

/* Finds a box's configuration that is legal at the sizes, that of the box which holds them if it
 * is. The number of configurations: none. */
static enum status find_usable(struct covering *covering, const int64_t *sizes, size_t *usable,
                               struct error *error)
{
    struct losses *losses = &covering->losses;
    struct problem there;
    TRY(losses_problem(losses, sizes, &there, error));
    *usable = losses->count;
    for (size_t i = 0; i < covering->box_count; i++)
        if ((*usable == losses->count || covering_holds(covering, i, sizes)) &&
            losses_admit(losses, &there, covering->boxes[i].configuration))
            *usable = covering->boxes[i].configuration;
    return STATUS_OK;
}

/* Adds a spot half-way to a neighbour: shared multiples for even numbers, odd sizes for odd ones,
 * or where constraints exclude these the next power of two's multiples. Others are compared there
 * with the box's configuration, or else with any usable one. */
static enum status add_between(struct covering *covering, size_t spot, size_t number,
                               struct error *error)
{
    struct losses *losses = &covering->losses;
    const size_t names = losses->names;
    const int64_t *own = losses->sizes + spot * names;
    int64_t sizes[SIZE_NAMES_MAX];
    size_t order[SPOTS_MAX];
    size_t usable = losses->count;
    if (number / 2 + 1 >= losses->measured)
        return STATUS_OK;
    covering_order(covering, own, order); /* the first is the spot itself */
    const int64_t *other = losses->sizes + order[number / 2 + 1] * names;
    enum { STEP_MAX = 4096 };
    const int64_t first = 1 - (int64_t)number % 2; /* odd sizes tell most, if time is short */
    for (int64_t step = first; usable == losses->count && step <= first * STEP_MAX; step *= 2) {
        for (size_t i = 0; i < names; i++)
            sizes[i] = size_between(own[i], other[i], step);
        for (size_t i = 0; i < losses->spot_count; i++)
            if (memcmp(losses->sizes + i * names, sizes, names * sizeof *sizes) == 0)
                return STATUS_OK;
        TRY(find_usable(covering, sizes, &usable, error));
        if (step == 0)
            break;
    }
    if (usable == losses->count || !losses_add_spot(losses, sizes, usable))
        return STATUS_OK;
    /* Where a configuration's domain ends, nothing counts against the configuration. */
    struct problem there;
    const size_t row = (losses->spot_count - 1) * losses->count;
    TRY(losses_problem(losses, sizes, &there, error));
    for (size_t i = 0; i < losses->count; i++)
        if (!losses->items[i].domain.is_listed &&
            !domain_has_problem(&losses->items[i].domain, &there))
            losses->loss[row + i] = losses->bound[row + i] = 0;
    return STATUS_OK;
}

/* Looks, at each spot between tuples, at usable configurations that had no look there: those of the
 * boxes, and the winners on either side. *looked: there were any. */
static enum status look_between_tuples(struct covering *covering, bool *looked, struct error *error)
{
    struct losses *losses = &covering->losses;
    *looked = false;
    for (size_t spot = losses->measured; spot < losses->spot_count; spot++) {
        const int64_t *sizes = losses->sizes + spot * losses->names;
        const size_t row = spot * losses->count;
        size_t list[LOOK_MAX] = {losses->winners[spot]};
        size_t order[SPOTS_MAX];
        size_t count = 1;
        struct problem there;
        if (!budget_fits_look(covering->work.group))
            break;
        TRY(losses_problem(losses, sizes, &there, error));
        covering_order(covering, sizes, order);
        for (size_t i = 0; i < covering->box_count + 2; i++) {
            const size_t c =
                i < 2 ? losses->winners[order[i]] : covering->boxes[i - 2].configuration;
            if (c < losses->count && !losses->looked[row + c] &&
                !losses->items[c].domain.is_listed && losses_admit(losses, &there, c))
                count = add_distinct(list, count, c, losses->count);
        }
        if (losses->items[list[0]].domain.is_listed || (count < 2 && losses->looked[row + list[0]]))
            continue;
        TRY(covering_look_at_spot(covering, spot, list, count, error));
        *looked = true;
    }
    return STATUS_OK;
}

enum status covering_look_between(struct covering *covering, struct error *error)
{
    struct losses *losses = &covering->losses;
    /* Without looks in between one odd tuple each all the same. */
    const size_t points = 2 * (size_t)covering->work.protocol->look_between + 1;
    const int most = losses->names > 1 ? ROUNDS_MAX : CUTS_MAX;
    enum status status = STATUS_OK;
    bool recut = true;
    for (size_t number = 0; losses->names > 1 && number < points; number++)
        for (size_t spot = 0; spot < losses->measured; spot++)
            TRY(add_between(covering, spot, number, error));
    for (int i = 0; status == STATUS_OK && recut && i < most; i++) {
        status = losses->names > 1 ? look_between_tuples(covering, &recut, error)
                                   : look_between_sizes(covering, &recut, error);
        if (recut)
            covering_cut(covering, losses->bound);
    }
    return status;
}
