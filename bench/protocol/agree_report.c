/* How often the ways agree with themselves, and the losses of their winners. */
#include <math.h>
#include <string.h>

#include "bench/protocol/agree.h"

static const char *const way_names[WAYS] = {
    [WAY_MEAN7] = "mean_of_7",
    [WAY_STDREL] = "nvbench",
    [WAY_RACE] = "race",
    [WAY_TIES] = "race_ties",
};

/* Tells whether two verdicts agree: the same winner, or each other's winner declared tied. */
static bool agree(const struct verdict_of_way *a, const struct verdict_of_way *b, bool ties)
{
    return a->winner == b->winner || (ties && a->tied[b->winner] && b->tied[a->winner]);
}

static size_t tied_count(const struct candidates *field, const struct verdict_of_way *verdict)
{
    size_t count = 0;
    for (size_t i = 0; i < field->count; i++)
        count += verdict->tied[i];
    return count;
}

void agree_write(struct bench *bench, const struct candidates *fields, size_t count)
{
    const size_t repeats = (size_t)bench->options->repeats;
    fprintf(bench->out, "problem,n,repetition,way,winner,candidates,tied,regret_percent,seconds,"
                        "measured,timed_out\n");
    for (size_t i = 0; i < count; i++)
        for (size_t repeat = 0; repeat < repeats; repeat++)
            for (size_t way = 0; way < WAYS; way++) {
                const struct candidates *field = &fields[i];
                const struct verdict_of_way *verdict = &field->verdicts[repeat][way];
                fprintf(bench->out, "%s,%lld,%zu,%s,\"%s\",%zu,%zu,%.4f,%.4f,%zu,%d\n",
                        bench->problem.key, (long long)field->n, repeat + 1, way_names[way],
                        field->entries[verdict->winner].key, field->count,
                        tied_count(field, verdict), 100 * field->regret[verdict->winner],
                        verdict->seconds, verdict->measured, verdict->timed_out);
            }
}

struct summary_of_way {
    size_t all, all_or_tied; /* sizes where all repetitions agree */
    size_t pairs, pairs_alike, pairs_alike_or_tied;
    size_t verdicts, timed_out;
    double regret, most_regret, seconds;
};

static void add_size(struct summary_of_way *out, const struct candidates *field, size_t way,
                     size_t repeats)
{
    bool all = true, all_or_tied = true;
    for (size_t a = 0; a < repeats; a++) {
        const struct verdict_of_way *verdict = &field->verdicts[a][way];
        const double regret = field->regret[verdict->winner];
        out->regret += regret;
        out->most_regret = regret > out->most_regret ? regret : out->most_regret;
        out->seconds += verdict->seconds;
        out->timed_out += verdict->timed_out;
        out->verdicts++;
        for (size_t b = a + 1; b < repeats; b++) {
            const struct verdict_of_way *other = &field->verdicts[b][way];
            const bool alike = agree(verdict, other, false);
            const bool alike_or_tied = agree(verdict, other, true);
            out->pairs++;
            out->pairs_alike += alike;
            out->pairs_alike_or_tied += alike_or_tied;
            all = all && alike;
            all_or_tied = all_or_tied && alike_or_tied;
        }
    }
    out->all += all;
    out->all_or_tied += all_or_tied;
}

static double share(size_t part, size_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : (double)NAN;
}

static void print_way(const char *name, const struct summary_of_way *row, bool ties, size_t sizes)
{
    const size_t all = ties ? row->all_or_tied : row->all;
    const size_t pairs = ties ? row->pairs_alike_or_tied : row->pairs_alike;
    printf("%-34s %3zu of %-3zu %5.1f %%   %5.1f %%   %7.3f  %7.3f   %8.1f\n", name, all, sizes,
           share(all, sizes), share(pairs, row->pairs), 100 * row->regret / (double)row->verdicts,
           100 * row->most_regret, row->seconds);
}

void agree_print(const struct bench *bench, const struct candidates *fields, size_t count)
{
    const struct options *options = bench->options;
    char nvbench[64];
    struct summary_of_way rows[WAYS] = {0};
    for (size_t way = 0; way < WAYS; way++)
        for (size_t i = 0; i < count; i++)
            add_size(&rows[way], &fields[i], way, (size_t)options->repeats);
    (void)snprintf(nvbench, sizeof nvbench, "nvbench, min-time %g s%s", options->min_time_s,
                   rows[WAY_STDREL].timed_out ? " (1)" : "");
    printf("%s: %lld tunings of the up to %lld fastest at %zu sizes, each in a fresh process\n"
           "                                       the same in all    pairs       regret %%     "
           "measuring\n"
           "                                        of the sizes      alike     mean     most  "
           "        s\n",
           bench->problem.key, (long long)options->repeats, (long long)options->candidates, count);
    print_way("mean of 7 in a row", &rows[WAY_MEAN7], false, count);
    print_way(nvbench, &rows[WAY_STDREL], false, count);
    print_way("race, then the smallest", &rows[WAY_RACE], false, count);
    print_way("race, ties, fixed order", &rows[WAY_TIES], false, count);
    print_way("... the same or declared tied", &rows[WAY_TIES], true, count);
    if (rows[WAY_STDREL].timed_out)
        printf("(1) %zu of %zu met the time limit of %g s with some candidate\n",
               rows[WAY_STDREL].timed_out, rows[WAY_STDREL].verdicts, options->timeout_s);
}
