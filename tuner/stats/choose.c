#include "tuner/stats/choose.h"

#include <math.h>

/* Limit of evaluated processes. */
enum { PROCESSES_MAX = ESTIMATE_MAX };

static size_t levels_known(const struct contender *contender, size_t processes)
{
    size_t count = 0;
    for (size_t p = 0; p < processes; p++)
        count += isfinite(contender->levels[p]) ? 1 : 0;
    return count;
}

/* Finds the smallest mean among the eligible that were measured in the most processes: one that was
 * not measured where others were cannot be compared. */
static size_t find_fastest(const struct contender *contenders, size_t count, size_t processes)
{
    size_t most = 1;
    size_t fastest = count;
    double best = (double)INFINITY;
    for (size_t i = 0; i < count; i++) {
        size_t known = levels_known(&contenders[i], processes);
        if (contenders[i].eligible && known > most)
            most = known;
    }
    for (size_t i = 0; i < count; i++) {
        if (!contenders[i].eligible || levels_known(&contenders[i], processes) < most)
            continue;
        double level = mean_interval(contenders[i].levels, processes, 0.5).estimate;
        if (level < best) {
            best = level;
            fastest = i;
        }
    }
    return fastest;
}

/* Returns the interval of a - b, relative, paired by process. */
static struct interval difference_of(const struct contender *a, const struct contender *b,
                                     size_t processes, double confidence)
{
    double differences[PROCESSES_MAX];
    if (a == b)
        return (struct interval){0, 0, 0};
    for (size_t p = 0; p < processes; p++)
        differences[p] = a->levels[p] - b->levels[p];
    return interval_relative(mean_interval(differences, processes, confidence));
}

bool difference_is_tied(struct interval difference, double delta)
{
    return (isnan(difference.low) ? difference.estimate : difference.low) <= delta;
}

/* Returns the largest upper bound of the winner's difference to any of the others: the bound
 * against the truly fastest is among them. */
static struct interval claim_of(const struct contender *contenders, size_t count, size_t processes,
                                double confidence, const struct choice *choice)
{
    const struct contender *winner = &contenders[choice->winner];
    struct interval claim =
        difference_of(winner, &contenders[choice->fastest], processes, confidence);
    for (size_t i = 0; i < count; i++) {
        if (!contenders[i].eligible)
            continue;
        double high = difference_of(winner, &contenders[i], processes, confidence).high;
        claim.high = fmax(claim.high, high); /* fmax skips NaN */
    }
    if (processes < 2)
        claim.low = claim.high = (double)NAN;
    if (!bounds_are_narrow(1, 1 + claim.high)) /* says nothing */
        claim.high = (double)NAN;
    return claim;
}

void choose(struct contender *contenders, size_t count, size_t processes, double delta,
            double confidence, size_t incumbent, struct choice *choice)
{
    if (processes > PROCESSES_MAX)
        processes = PROCESSES_MAX;
    size_t fastest = find_fastest(contenders, count, processes);
    *choice = (struct choice){
        .fastest = fastest, .winner = count, .claim = {(double)NAN, (double)NAN, (double)NAN}};
    for (size_t i = 0; i < count; i++) {
        contenders[i].difference = (struct interval){(double)NAN, (double)NAN, (double)NAN};
        contenders[i].proven = contenders[i].tied = false;
        if (fastest == count)
            continue;
        struct interval difference =
            difference_of(&contenders[i], &contenders[fastest], processes, confidence);
        bool bounded = isfinite(difference.low);
        contenders[i].difference = difference;
        contenders[i].tied = difference_is_tied(difference, delta);
        contenders[i].proven = (bounded || processes < 2) &&
                               (bounded ? difference.high : difference.estimate) <= delta;
        choice->tied += contenders[i].eligible && contenders[i].tied ? 1 : 0;
    }
    if (fastest == count)
        return;
    const bool keeps =
        incumbent < count && contenders[incumbent].eligible && contenders[incumbent].proven;
    size_t winner = keeps ? incumbent : count;
    for (size_t i = 0; i < count && !keeps; i++)
        if (contenders[i].eligible && contenders[i].proven &&
            (winner == count || contenders[i].order < contenders[winner].order))
            winner = i;
    choice->winner = winner;
    choice->kept_incumbent = winner == incumbent;
    choice->claim = claim_of(contenders, count, processes, confidence, choice);
}

double choice_spread(const struct contender *contenders, size_t count, size_t processes,
                     const struct choice *choice, double near, double prior, size_t *degrees)
{
    double sum = prior * prior * CHOICE_PRIOR_DEGREES;
    *degrees = CHOICE_PRIOR_DEGREES;
    if (choice->fastest >= count || processes < 2)
        return prior;
    const double *fastest = contenders[choice->fastest].levels;
    for (size_t i = 0; i < count; i++) {
        double mean = 0;
        bool counts =
            contenders[i].eligible && i != choice->fastest && contenders[i].difference.low <= near;
        for (size_t p = 0; counts && p < processes; p++) {
            double difference = contenders[i].levels[p] - fastest[p];
            counts = isfinite(difference);
            mean += difference / (double)processes;
        }
        for (size_t p = 0; counts && p < processes; p++) {
            double off = contenders[i].levels[p] - fastest[p] - mean;
            sum += off * off;
        }
        *degrees += counts ? processes - 1 : 0;
    }
    return sqrt(sum / (double)*degrees);
}

struct interval choice_outsider(struct interval raced, double fastest_raced, double spread,
                                size_t degrees, double confidence)
{
    double reach = degrees > 0 ? student_quantile((1 + confidence) / 2, degrees) * spread : 0;
    double half = hypot((log1p(raced.high) - log1p(raced.low)) / 2, reach);
    double offset = isfinite(fastest_raced) ? log1p(fastest_raced) : 0;
    double estimate = log1p(raced.estimate) - offset;
    return interval_relative((struct interval){estimate, estimate - half, estimate + half});
}
