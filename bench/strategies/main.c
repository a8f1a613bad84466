/* bench_strategies: how close the strategies of search come to the best, on problems whose
 * configurations were all measured: a database of `tune run` is read, and each strategy is played
 * against the times in it. Nothing is measured.
 *
 *   bench_strategies --db tune.db --csv strategies.csv
 *
 * As in a run, several points are without their result at a time: a strategy is asked until it has
 * none for now, and told the oldest. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/strategies/recorded.h"
#include "tuner/base/clock.h"

static const char help[] =
    "usage: bench_strategies --db FILE [options]\n\n"
    "Plays the search strategies against the times that a database of tune has.\n\n"
    "  --db FILE          read, never changed ...\n"
    "  --upgrade          ... unless an older tune made it: brought up to date, a copy kept\n"
    "  --problem KEY      this problem only: reduce.sum.i32\n"
    "  --n N              this size only\n"
    "  --most N           problems: those with the most configurations (3)\n"
    "  --strategy NAME    this one only; may be repeated\n"
    "  --seeds N          how often each is played (20)\n"
    "  --trials P         trials that a strategy is told it has, in % of the space (10)\n"
    "  --ahead N          points without a result at a time, at most (256)\n"
    "  --csv FILE         every game: the best time of the space over the best found\n";

enum { PROBLEMS_MAX = 256, STRATEGIES_MAX = 16, SEEDS_MAX = 1000, AHEAD_MAX = 1024 };
/* Shares of the space after which a game is looked at. */
static const double shares[] = {0.01, 0.05, 0.10};
enum { SHARES = sizeof shares / sizeof shares[0] };

struct options {
    const char *db, *problem, *n, *csv;
    bool upgrade;
    size_t most, seeds, ahead;
    double trials; /* share of the space */
    const char *strategies[STRATEGIES_MAX];
    size_t strategy_count;
};

/* What came of one strategy on one problem or on all. */
struct outcome {
    double *found; /* seeds rows of SHARES: best over found; 0: nothing yet */
    size_t games;
    double ask_ns; /* a point, of asking and telling */
    const char *came_to;
};

static size_t points_of(double share, uint64_t count)
{
    const size_t points = (size_t)ceil(share * (double)count - 1e-9);
    return points > 0 ? points : 1;
}

/* One game; `found` gets a number for each share. */
static enum status play(const struct options *options, const struct recorded *recorded,
                        const char *strategy, uint64_t seed, struct outcome *outcome,
                        struct error *error)
{
    uint64_t pending[AHEAD_MAX];
    size_t first = 0, count = 0, told = 0;
    double best = (double)INFINITY;
    double *found = &outcome->found[outcome->games++ * SHARES];
    struct search *search = NULL;
    const size_t trials = points_of(options->trials, recorded->space.count);
    const struct search_options search_options = {
        .strategy = strategy, .trials = trials, .seed = seed};
    const int64_t start_ns = clock_now_ns();
    enum status status = search_create(&search_options, &recorded->space, &search, error);
    if (status != STATUS_OK)
        return status;
    for (;;) {
        uint64_t point = 0;
        while (count < options->ahead && search_ask(search, &point))
            pending[(first + count++) % AHEAD_MAX] = point;
        if (count == 0)
            break;
        point = pending[first];
        first = (first + 1) % AHEAD_MAX;
        count--;
        search_tell(search, point, recorded->times[point]);
        told++;
        best = fmin(best, recorded->times[point]);
        for (size_t i = 0; i < SHARES; i++)
            if (told <= points_of(shares[i], recorded->space.count))
                found[i] = isfinite(best) ? recorded->best / best : 0;
    }
    outcome->ask_ns += (double)(clock_now_ns() - start_ns) / (double)told;
    outcome->came_to = search_strategy(search);
    search_free(search);
    return STATUS_OK;
}

static int compare(const void *left, const void *right)
{
    const double a = *(const double *)left;
    const double b = *(const double *)right;
    return (a > b) - (a < b);
}

static void print_line(const char *name, const struct outcome *outcome, double *scratch)
{
    printf("  %-12s", name);
    for (size_t share = 0; share < SHARES; share++) {
        for (size_t i = 0; i < outcome->games; i++)
            scratch[i] = outcome->found[i * SHARES + share];
        qsort(scratch, outcome->games, sizeof scratch[0], compare);
        const size_t half = outcome->games / 2;
        const double median =
            outcome->games % 2 == 1 ? scratch[half] : 0.5 * (scratch[half - 1] + scratch[half]);
        printf("   %6.2f %6.2f", 100 * median, 100 * scratch[0]);
    }
    printf("   %8.1f", outcome->ask_ns / (double)outcome->games / 1000);
    if (outcome->came_to && strcmp(outcome->came_to, name) != 0)
        printf("  (%s)", outcome->came_to);
    printf("\n");
}

static void print_head(void)
{
    printf("  %-12s", "");
    for (size_t share = 0; share < SHARES; share++)
        printf("   %10.0f %% ", 100 * shares[share]);
    printf("\n  %-12s", "strategy");
    for (size_t share = 0; share < SHARES; share++)
        printf("   median  worst");
    printf("   us/point\n");
}

static void write_games(FILE *csv, const struct recorded_problem *problem,
                        const struct recorded *recorded, const char *strategy,
                        const struct outcome *outcome)
{
    for (size_t seed = 0; seed < outcome->games; seed++)
        for (size_t share = 0; share < SHARES; share++)
            fprintf(csv, "%s,%" PRId64 ",%" PRIu64 ",%zu,%s,%zu,%g,%zu,%.6f\n", problem->key,
                    problem->n, recorded->space.count, recorded->failed, strategy, seed + 1,
                    shares[share], points_of(shares[share], recorded->space.count),
                    outcome->found[seed * SHARES + share]);
}

struct bench {
    const struct options *options;
    struct store *store;
    FILE *csv; /* NULL: none */
    struct arena arena;
    struct recorded_problem problems[PROBLEMS_MAX];
    size_t problem_count;
    struct outcome all[STRATEGIES_MAX];
    double *scratch;
};

static enum status play_problem(struct bench *bench, const struct recorded_problem *problem,
                                struct error *error)
{
    const struct options *options = bench->options;
    struct recorded recorded;
    enum status status = recorded_read(bench->store, problem, &bench->arena, &recorded, error);
    if (status != STATUS_OK)
        return status;
    printf("%s n=%" PRId64 ": %" PRIu64 " configurations, %zu failed, best %.2f us\n", problem->key,
           problem->n, recorded.space.count, recorded.failed, recorded.best / 1000);
    print_head();
    for (size_t s = 0; status == STATUS_OK && s < options->strategy_count; s++) {
        struct outcome *all = &bench->all[s];
        struct outcome outcome = {.found = &all->found[all->games * SHARES]};
        for (size_t seed = 1; status == STATUS_OK && seed <= options->seeds; seed++)
            status = play(options, &recorded, options->strategies[s], seed, &outcome, error);
        if (status != STATUS_OK)
            break;
        all->games += outcome.games;
        all->ask_ns += outcome.ask_ns;
        print_line(options->strategies[s], &outcome, bench->scratch);
        if (bench->csv)
            write_games(bench->csv, problem, &recorded, options->strategies[s], &outcome);
    }
    printf("\n");
    (void)fflush(stdout);
    return status;
}

static enum status prepare(struct bench *bench, struct error *error)
{
    const struct options *options = bench->options;
    enum status status =
        recorded_list(bench->store, &bench->arena, options->problem, options->n, options->most,
                      bench->problems, &bench->problem_count, error);
    if (status != STATUS_OK)
        return status;
    if (bench->problem_count == 0)
        return error_set(error, STATUS_NOT_FOUND, "%s: no such problem was swept", options->db);
    const size_t games = bench->problem_count * options->seeds;
    bench->scratch = arena_alloc(&bench->arena, games, sizeof(double));
    for (size_t s = 0; s < options->strategy_count; s++) {
        bench->all[s].found = arena_alloc(&bench->arena, games * SHARES, sizeof(double));
        if (!bench->all[s].found || !bench->scratch)
            return error_no_memory(error);
    }
    if (options->csv) {
        bench->csv = fopen(options->csv, "w");
        if (!bench->csv)
            return error_set_errno(error, errno, "%s", options->csv);
        fprintf(bench->csv,
                "problem,n,configurations,failed,strategy,seed,share,trials,best_over_found\n");
    }
    return STATUS_OK;
}

static enum status run(const struct options *options, struct error *error)
{
    struct bench bench = {.options = options};
    /* Opened for reading first: an absent file is not to be made. */
    enum status status = store_open(options->db, STORE_READ, &bench.store, error);
    if (status == STATUS_BAD_INPUT && options->upgrade)
        status = store_open(options->db, STORE_CREATE, &bench.store, error);
    if (status == STATUS_OK)
        status = prepare(&bench, error);
    for (size_t i = 0; status == STATUS_OK && i < bench.problem_count; i++)
        status = play_problem(&bench, &bench.problems[i], error);
    if (status == STATUS_OK && bench.problem_count > 1) {
        printf("all %zu problems\n", bench.problem_count);
        print_head();
        for (size_t s = 0; s < options->strategy_count; s++)
            print_line(options->strategies[s], &bench.all[s], bench.scratch);
    }
    if (bench.csv && fclose(bench.csv) != 0 && status == STATUS_OK)
        status = error_set_errno(error, errno, "%s", options->csv);
    store_close(bench.store);
    arena_free(&bench.arena);
    return status;
}

static enum status read_count(const char *text, size_t most, size_t *out, struct error *error)
{
    char *end = NULL;
    errno = 0;
    const unsigned long value = strtoul(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || value == 0 || value > most)
        return error_set(error, STATUS_USAGE, "'%s' is no number from 1 to %zu", text, most);
    *out = value;
    return STATUS_OK;
}

static enum status read_share(const char *text, double *out, struct error *error)
{
    char *end = NULL;
    const double value = strtod(text, &end);
    if (end == text || *end != '\0' || !(value > 0 && value <= 100))
        return error_set(error, STATUS_USAGE, "'%s' is no percentage", text);
    *out = value / 100;
    return STATUS_OK;
}

static enum status add_strategy(struct options *options, const char *name, struct error *error)
{
    if (options->strategy_count == STRATEGIES_MAX)
        return error_set(error, STATUS_USAGE, "--strategy: at most %d", STRATEGIES_MAX);
    options->strategies[options->strategy_count++] = name;
    return STATUS_OK;
}

static const struct option long_options[] = {
    {"db", required_argument, NULL, 'd'},       {"problem", required_argument, NULL, 'p'},
    {"n", required_argument, NULL, 'n'},        {"most", required_argument, NULL, 'm'},
    {"strategy", required_argument, NULL, 's'}, {"seeds", required_argument, NULL, 'x'},
    {"trials", required_argument, NULL, 't'},   {"ahead", required_argument, NULL, 'a'},
    {"csv", required_argument, NULL, 'c'},      {"help", no_argument, NULL, 'h'},
    {"upgrade", no_argument, NULL, 'u'},        {NULL, 0, NULL, 0},
};

static enum status read_option(int letter, struct options *options, struct error *error)
{
    switch (letter) {
    case 'd':
        options->db = optarg;
        return STATUS_OK;
    case 'p':
        options->problem = optarg;
        return STATUS_OK;
    case 'n':
        options->n = optarg;
        return STATUS_OK;
    case 'c':
        options->csv = optarg;
        return STATUS_OK;
    case 'u':
        options->upgrade = true;
        return STATUS_OK;
    case 'm':
        return read_count(optarg, PROBLEMS_MAX, &options->most, error);
    case 'x':
        return read_count(optarg, SEEDS_MAX, &options->seeds, error);
    case 'a':
        return read_count(optarg, AHEAD_MAX, &options->ahead, error);
    case 't':
        return read_share(optarg, &options->trials, error);
    case 's':
        return add_strategy(options, optarg, error);
    default:
        return error_set(error, STATUS_USAGE, "see --help");
    }
}

int main(int count, char **arguments)
{
    struct options options = {.most = 3, .seeds = 20, .ahead = 256, .trials = 0.10};
    struct error error = {0};
    enum status status = STATUS_OK;
    int letter;
    while (status == STATUS_OK &&
           (letter = getopt_long(count, arguments, "h", long_options, NULL)) != -1) {
        if (letter == 'h') {
            fputs(help, stdout);
            return 0;
        }
        status = read_option(letter, &options, &error);
    }
    if (status == STATUS_OK && (!options.db || optind != count))
        status = error_set(&error, STATUS_USAGE, "--db FILE is needed; see --help");
    if (options.strategy_count == 0) {
        for (size_t i = 0; search_strategy_name(i); i++)
            options.strategies[options.strategy_count++] = search_strategy_name(i);
        options.strategies[options.strategy_count++] = "auto";
    }
    if (status == STATUS_OK)
        status = run(&options, &error);
    if (status == STATUS_OK)
        return 0;
    fprintf(stderr, "bench_strategies: %s\n", error.text);
    return status_exit_code(status);
}
