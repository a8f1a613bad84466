/* How a run searches: --strategy, --points. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/text.h"
#include "tuner/cli/run.h"
#include "tuner/search/search.h"

enum { STRATEGIES_MAX = 32 };
static const char automatic[] = "auto";

static enum status parse_strategy(struct run *run, struct error *error)
{
    const char *names[STRATEGIES_MAX] = {automatic};
    const char *given = run->text.strategy;
    size_t count = 1;
    for (size_t i = 0; search_strategy_name(i) && count < STRATEGIES_MAX; i++)
        names[count++] = search_strategy_name(i);
    run->session.strategy = given ? given : automatic;
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], run->session.strategy) == 0)
            return STATUS_OK;
    const char *nearest = nearest_word(given, names, count);
    if (nearest)
        return error_set(error, STATUS_USAGE, "--strategy %s: did you mean '%s'?", given, nearest);
    return error_set(error, STATUS_USAGE, "--strategy %s: --list-strategies prints those there are",
                     given);
}

/* "5%", "0.1%" */
static enum status parse_share(struct run *run, struct error *error)
{
    char *end = NULL;
    double percent = strtod(run->text.points, &end);
    if (strcmp(end, "%") != 0 || !(percent > 0) || !(percent <= 100))
        return error_set(error, STATUS_USAGE,
                         "--points %s: write a share of the space above 0%% and up to 100%%",
                         run->text.points);
    run->session.points_share = percent / 100;
    return STATUS_OK;
}

enum status run_parse_search(struct run *run, struct error *error)
{
    long long number = 0;
    enum status status = parse_strategy(run, error);
    if (status != STATUS_OK || !run->text.points)
        return status;
    if (strchr(run->text.points, '%'))
        return parse_share(run, error);
    status = option_size("points", run->text.points, &number, error);
    run->session.points = (uint64_t)number;
    return status;
}

void run_list_strategies(void)
{
    printf("%-12s %s\n", automatic,
           "by the size of the space and what may be tried of it (the default)");
    for (size_t i = 0; search_strategy_name(i); i++)
        printf("%-12s %s\n", search_strategy_name(i), search_strategy_about(i));
}
