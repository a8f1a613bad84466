/* bench_strategies: how close the strategies of search come to the best, on problems whose
 * configurations were all measured: each strategy is played against the times of a database of
 * `tune run`, of T4 files, caches of Kernel Tuner or tables. Nothing is measured.
 *
 *   bench_strategies --db tune.db --csv strategies.csv
 *   bench_strategies --jobs 8 convolution-A4000.csv gemm.t4.json
 *
 * Each game is played one by one, and late: as in a run, where compilers work in parallel, a
 * strategy is asked until it has nothing more for now, and told the oldest. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/strategies/score.h"
#include "bench/strategies/series.h"
#include "tuner/base/clock.h"
#include "tuner/base/files.h"
#include "tuner/base/text.h"
#include "tuner/exchange/csv.h"

static const char help[] =
    "usage: bench_strategies [options] [FILE ...]\n\n"
    "Plays the search strategies against spaces that were measured whole: T4 files, caches of\n"
    "Kernel Tuner, tables (CSV: parameters, time_ns; empty: failed) and databases of tune.\n\n"
    "  --db FILE          read, never changed ...\n"
    "  --upgrade          ... unless an older tune made it: brought up to date, a copy kept\n"
    "  --problem KEY      of the database: this problem only: reduce.sum.i32\n"
    "  --n N              this size only\n"
    "  --most N           problems: those with the most configurations (3)\n"
    "  --strategy NAME    this one only; may be repeated\n"
    "  --seeds N          how often each is played (25)\n"
    "  --trials P         trials that a strategy is told it has, in % of the space\n"
    "                     (10, at most 1,000 points, at least up to the score's cut-off)\n"
    "  --ahead N          points without a result at a time, at most, in the late games (256)\n"
    "  --jobs N           games at a time (1)\n"
    "  --reference FILE   scores of other tools, for the last table: CSV name,one_by_one,late\n"
    "  --prior FILE       the same kernel on another device, as FILEs are, or for --db a "
    "database,\n"
    "                     whose same problems are taken: told before each game\n"
    "  --series           the problems of --db one after the other, as in a run: `surrogate` "
    "learns\n"
    "                     of each from those before and from --prior, and shares binaries\n"
    "                     with them; \"problems\": of which half of the games came to 0.5 %,\n"
    "                     \"until\": trials of all up to there\n"
    "  --points N         trials of each problem of --series, at most\n"
    "  --settles          a series' searches end early, as those of a run that is told neither\n"
    "                     trials nor time\n"
    "  --winners FILE     a database whose winners are named to a series' searches, as a run\n"
    "                     names those that are shipped\n"
    "  --mislead          the prior is turned over: what was fast is slow\n"
    "  --until P          late games, too, that end when with 90 % nothing better by P % is left\n"
    "                     (tune run --until): how often that was right, and how often what the\n"
    "                     strategy said before of how much better the best may be with 90 %\n"
    "  --csv FILE         every late game: the best time of the space over the best found\n";

enum {
    PROBLEMS_MAX = 256,
    STRATEGIES_MAX = 16,
    SEEDS_MAX = 1000,
    AHEAD_MAX = 1024,
    JOBS_MAX = 256,
    POINTS_MAX = 1000000
};
/* Shares of the space after which a late game is looked at. */
static const double shares[] = {0.01, 0.05, 0.10};
enum { SHARES = sizeof shares / sizeof shares[0] };
static const double near_the_best = 1.005, until_chance = 0.1;
/* Results of games that end when the search is sure, after which its upper bound of the gain is
 * read. */
static const size_t looks[] = {16, 24, 32, 48, 64, 96, 128, 192, 256, 384};
enum { LOOKS = sizeof looks / sizeof looks[0] };

struct options {
    const char *db, *problem, *n, *csv, *reference, *prior, *winners;
    char **files;
    size_t file_count;
    bool upgrade, mislead, series, settles;
    size_t most, seeds, ahead, jobs, points;
    double trials; /* share of the space; 0: as the score defines it */
    double until;  /* share of the best; 0: not asked for */
    const char *strategies[STRATEGIES_MAX];
    size_t strategy_count;
};

/* One strategy, seed and space, one by one and late. */
struct game {
    double found[SHARES];     /* best of the space over the best found, late; 0: none yet */
    double score, score_late; /* NaN: the space has none */
    size_t until_after;       /* results, late, before the search was sure; 0: never */
    bool until_right;
    /* After that many results: the share by which the best may be better with 90 %, and by which it
     * is. NaN: not read, or not claimed. */
    double may_gain[LOOKS], gains[LOOKS];
    size_t near_after; /* results, one by one, before one is near the best; SIZE_MAX: never */
    double ask_ns;     /* a point, of asking and telling */
    const char *came_to;
    bool forgot[2]; /* results of --prior that did not hold: one by one, and late */
};
/* Outcome of one strategy on one problem or on all: one game a seed. */
struct outcome {
    struct game *games;
    size_t count;
};

static size_t points_of(double share, uint64_t count)
{
    const size_t points = (size_t)ceil(share * (double)count - 1e-9);
    return points > 0 ? points : 1;
}

enum sort { ONE_BY_ONE, LATE, UNTIL_SURE, SORTS };

/* The games of one strategy on one space, which several threads take from. */
struct match {
    const struct recorded *recorded;
    const struct recorded *prior; /* NULL: none */
    bool mislead;
    double until;
    const struct score *score;
    const char *strategy;
    uint64_t trials;
    size_t ahead; /* points ahead in the late games */
    size_t length, seeds;
    struct game *games;
    atomic_size_t next; /* game; the late ones come after those one by one, then those that end */
    atomic_int status;
    struct error error; /* error of the first failure */
};

static void tell_prior(const struct match *match, struct search *search)
{
    const struct recorded *prior = match->prior;
    uint16_t values[SEARCH_DIMENSIONS_MAX];
    for (uint64_t point = 0; prior && point < prior->space.count; point++)
        if (recorded_translate(prior, point, match->recorded, values))
            search_tell_elsewhere(search, 1, values,
                                  match->mislead ? prior->best / prior->times[point] * prior->best
                                                 : prior->times[point]);
}

/* Plays a game; best[b]: best of the first b results, of `length`. */
static enum status play(const struct match *match, enum sort sort, uint64_t seed, double *best,
                        struct game *game, struct error *error)
{
    uint64_t pending[AHEAD_MAX];
    size_t first = 0, count = 0, told = 0;
    struct search *search = NULL;
    const struct search_options options = {
        .strategy = match->strategy,
        .trials =
            sort == UNTIL_SURE && match->length > match->trials ? match->length : match->trials,
        .seed = seed,
        .until = sort == UNTIL_SURE ? match->until : 0};
    const size_t ahead = sort == ONE_BY_ONE ? 1 : match->ahead;
    const int64_t start_ns = clock_now_ns();
    enum status status = search_create(&options, &match->recorded->space, &search, error);
    if (status != STATUS_OK)
        return status;
    best[0] = (double)INFINITY;
    tell_prior(match, search);
    while (told < match->length) {
        uint64_t point = 0;
        while (count < ahead && search_ask(search, &point))
            pending[(first + count++) % AHEAD_MAX] = point;
        if (count == 0)
            break;
        point = pending[first];
        first = (first + 1) % AHEAD_MAX;
        count--;
        search_tell(search, point, match->recorded->times[point]);
        told++;
        best[told] = fmin(best[told - 1], match->recorded->times[point]);
        for (size_t look = 0; sort == UNTIL_SURE && look < LOOKS; look++)
            if (told == looks[look]) {
                game->may_gain[look] = search_most_better(search, until_chance);
                game->gains[look] = 1 - match->recorded->best / best[told];
            }
    }
    if (sort == UNTIL_SURE && told < match->length && told < match->recorded->space.count) {
        game->until_after = told;
        game->until_right = match->recorded->best >= best[told] * (1 - match->until);
    }
    game->ask_ns = told > 0 ? (double)(clock_now_ns() - start_ns) / (double)told : 0;
    game->came_to = search_strategy(search);
    game->forgot[sort == LATE] = search_was_misled(search);
    for (; told < match->length; told++)
        best[told + 1] = best[told];
    search_free(search);
    return STATUS_OK;
}

static void *play_games(void *opaque)
{
    struct match *match = opaque;
    double *best = malloc((match->length + 1) * sizeof best[0]);
    struct error error = {0};
    enum status status = best ? STATUS_OK : error_no_memory(&error);
    for (size_t i = 0; status == STATUS_OK;) {
        i = atomic_fetch_add(&match->next, 1);
        if (i >= (match->until > 0 ? SORTS : UNTIL_SURE) * match->seeds)
            break;
        const enum sort sort = (enum sort)(i / match->seeds);
        struct game *game = &match->games[i % match->seeds];
        struct game played = {0};
        for (size_t look = 0; look < LOOKS; look++)
            played.may_gain[look] = played.gains[look] = (double)NAN;
        status = play(match, sort, i % match->seeds + 1, best, &played, &error);
        if (status != STATUS_OK)
            break;
        if (sort == UNTIL_SURE) {
            game->until_after = played.until_after;
            game->until_right = played.until_right;
            memcpy(game->may_gain, played.may_gain, sizeof played.may_gain);
            memcpy(game->gains, played.gains, sizeof played.gains);
            continue;
        }
        if (sort == ONE_BY_ONE) {
            game->score = score_of(match->score, best);
            game->forgot[0] = played.forgot[0];
            game->near_after = 1;
            while (game->near_after <= match->length &&
                   !(best[game->near_after] <= match->recorded->best * near_the_best))
                game->near_after++;
            if (game->near_after > match->length)
                game->near_after = SIZE_MAX;
            continue;
        }
        game->score_late = score_of(match->score, best);
        game->forgot[1] = played.forgot[1];
        game->ask_ns = played.ask_ns;
        game->came_to = played.came_to;
        for (size_t s = 0; s < SHARES; s++) {
            const double found = best[points_of(shares[s], match->recorded->space.count)];
            game->found[s] = isfinite(found) ? match->recorded->best / found : 0;
        }
    }
    free(best);
    int none = STATUS_OK;
    if (status != STATUS_OK && atomic_compare_exchange_strong(&match->status, &none, (int)status))
        match->error = error;
    return NULL;
}

static enum status play_match(struct match *match, size_t jobs, struct error *error)
{
    pthread_t threads[JOBS_MAX];
    size_t started = 0;
    while (started + 1 < jobs && pthread_create(&threads[started], NULL, play_games, match) == 0)
        started++;
    (void)play_games(match);
    for (size_t i = 0; i < started; i++)
        (void)pthread_join(threads[i], NULL);
    if (atomic_load(&match->status) != STATUS_OK)
        *error = match->error;
    return (enum status)atomic_load(&match->status);
}

static int compare(const void *left, const void *right)
{
    const double a = *(const double *)left;
    const double b = *(const double *)right;
    return (a > b) - (a < b);
}

static double mean_score(const struct outcome *outcome, bool late)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < outcome->count; i++) {
        const double score = late ? outcome->games[i].score_late : outcome->games[i].score;
        sum += isnan(score) ? 0 : score;
        count += isnan(score) ? 0 : 1;
    }
    return count > 0 ? sum / (double)count : (double)NAN;
}

static void print_score(double score)
{
    if (isnan(score))
        printf("  %7s", "-");
    else
        printf("  %7.3f", score);
}

/* Prints the median of the games' results before one is near the best. */
static void print_near(const struct outcome *outcome, double *scratch)
{
    for (size_t i = 0; i < outcome->count; i++)
        scratch[i] = (double)outcome->games[i].near_after;
    qsort(scratch, outcome->count, sizeof scratch[0], compare);
    const double median = scratch[outcome->count / 2];
    if (median < (double)SIZE_MAX)
        printf("  %7.0f", median);
    else
        printf("  %7s", "-");
}

static void print_until(const char *name, double until, const struct outcome *outcome,
                        double *scratch)
{
    size_t claimed = 0, right = 0;
    for (size_t i = 0; i < outcome->count; i++)
        if (outcome->games[i].until_after > 0) {
            scratch[claimed++] = (double)outcome->games[i].until_after;
            right += outcome->games[i].until_right ? 1 : 0;
        }
    qsort(scratch, claimed, sizeof scratch[0], compare);
    printf("  %-12s   at most %g %% better with 90 %%: said in %zu of %zu games", name, 100 * until,
           claimed, outcome->count);
    if (claimed > 0)
        printf(", after %.0f results in the median, and right in %zu (%.0f %%)",
               scratch[claimed / 2], right, 100 * (double)right / (double)claimed);
    printf("\n");
    for (size_t look = 0; look < LOOKS; look++) {
        size_t held = 0;
        for (size_t i = claimed = 0; i < outcome->count; i++) {
            const struct game *game = &outcome->games[i];
            if (isnan(game->may_gain[look]))
                continue;
            scratch[claimed++] = game->may_gain[look];
            held += game->gains[look] <= game->may_gain[look] ? 1 : 0;
        }
        qsort(scratch, claimed, sizeof scratch[0], compare);
        if (claimed > 0)
            printf(
                "  %-12s   after %zu results: at most %.2f %% better with 90 %% in the median of "
                "%zu games, right in %zu (%.0f %%)\n",
                name, looks[look], 100 * scratch[claimed / 2], claimed, held,
                100 * (double)held / (double)claimed);
    }
}

static void print_line(const char *name, const struct outcome *outcome, double *scratch)
{
    double ask_ns = 0;
    const char *came_to = NULL;
    printf("  %-12s", name);
    for (size_t share = 0; share < SHARES; share++) {
        for (size_t i = 0; i < outcome->count; i++)
            scratch[i] = outcome->games[i].found[share];
        qsort(scratch, outcome->count, sizeof scratch[0], compare);
        const size_t half = outcome->count / 2;
        const double median =
            outcome->count % 2 == 1 ? scratch[half] : 0.5 * (scratch[half - 1] + scratch[half]);
        printf("   %6.2f %6.2f", 100 * median, 100 * scratch[0]);
    }
    for (size_t i = 0; i < outcome->count; i++) {
        ask_ns += outcome->games[i].ask_ns;
        came_to = outcome->games[i].came_to;
    }
    print_score(mean_score(outcome, false));
    print_score(mean_score(outcome, true));
    print_near(outcome, scratch);
    printf("   %8.1f", ask_ns / (double)outcome->count / 1000);
    if (came_to && strcmp(came_to, name) != 0)
        printf("  (%s)", came_to);
    printf("\n");
}

static void print_forgot(const char *name, const struct outcome *outcome)
{
    size_t counts[2] = {0};
    for (size_t i = 0; i < outcome->count; i++)
        for (size_t late = 0; late < 2; late++)
            counts[late] += outcome->games[i].forgot[late] ? 1 : 0;
    printf(
        "  %-12s   forgot what it was told of elsewhere in %zu of %zu games one by one, %zu late\n",
        name, counts[0], outcome->count, counts[1]);
}

static void print_head(void)
{
    printf("  %-12s", "");
    for (size_t share = 0; share < SHARES; share++)
        printf("   %10.0f %% ", 100 * shares[share]);
    printf("   score    score   to 0.5%%\n  %-12s", "strategy");
    for (size_t share = 0; share < SHARES; share++)
        printf("   median  worst");
    printf("  1 by 1     late   1 by 1   us/point\n");
}

struct bench {
    const struct options *options;
    FILE *csv; /* NULL: none */
    struct arena arena;
    struct outcome all[STRATEGIES_MAX];
    double *scratch;
    size_t spaces; /* played */
};

/* Writes games; a file of --csv has a name and no size. */
static void write_games(FILE *csv, const struct recorded *recorded, const char *strategy,
                        const struct outcome *outcome)
{
    const char *size = strstr(recorded->name, " n=");
    const int key_length = size ? (int)(size - recorded->name) : (int)strlen(recorded->name);
    for (size_t seed = 0; seed < outcome->count; seed++)
        for (size_t share = 0; share < SHARES; share++)
            fprintf(csv, "%.*s,%s,%" PRIu64 ",%zu,%s,%zu,%g,%zu,%.6f\n", key_length, recorded->name,
                    size ? size + strlen(" n=") : "", recorded->space.count, recorded->failed,
                    strategy, seed + 1, shares[share],
                    points_of(shares[share], recorded->space.count),
                    outcome->games[seed].found[share]);
}

static bool has_model(const struct recorded *recorded, const char *strategy)
{
    const struct search_options options = {.strategy = strategy};
    struct search *search = NULL;
    struct error ignored = {0};
    const bool has = search_create(&options, &recorded->space, &search, &ignored) == STATUS_OK &&
                     search_learns_from_elsewhere(search);
    search_free(search);
    return has || strcmp(strategy, "auto") == 0; /* auto takes one that has */
}

static enum status play_space(struct bench *bench, const struct recorded *recorded,
                              const struct recorded *prior, struct error *error)
{
    const struct options *options = bench->options;
    struct score score;
    enum status status = score_make(recorded, &bench->arena, &score, error);
    if (status != STATUS_OK)
        return status;
    size_t last = points_of(shares[SHARES - 1], recorded->space.count);
    if (options->until > 0 && last < looks[LOOKS - 1]) /* being sure takes time */
        last = recorded->space.count < looks[LOOKS - 1] ? (size_t)recorded->space.count
                                                        : looks[LOOKS - 1];
    printf("%s: %" PRIu64 " configurations, %zu failed, best %.2f us", recorded->name,
           recorded->space.count, recorded->failed, recorded->best / 1000);
    if (score.cut_off > 0)
        printf(", score from %zu to %zu evaluations", score.start, score.cut_off);
    printf("\n");
    print_head();
    bench->spaces++;
    for (size_t s = 0; s < options->strategy_count; s++) {
        struct outcome *all = &bench->all[s];
        const struct outcome outcome = {.games = &all->games[all->count], .count = options->seeds};
        struct match match = {
            .recorded = recorded,
            .prior = prior,
            .mislead = options->mislead,
            .until = has_model(recorded, options->strategies[s]) ? options->until : 0,
            .score = &score,
            .strategy = options->strategies[s],
            .trials = options->trials > 0 ? points_of(options->trials, recorded->space.count)
                                          : score.trials,
            .ahead = options->ahead,
            .length = last > score.cut_off ? last : score.cut_off,
            .seeds = options->seeds,
            .games = outcome.games,
        };
        status = play_match(&match, options->jobs, error);
        if (status != STATUS_OK)
            return status;
        all->count += outcome.count;
        print_line(options->strategies[s], &outcome, bench->scratch);
        if (prior && has_model(recorded, options->strategies[s]))
            print_forgot(options->strategies[s], &outcome);
        if (options->until > 0)
            print_until(options->strategies[s], options->until, &outcome, bench->scratch);
        if (bench->csv)
            write_games(bench->csv, recorded, options->strategies[s], &outcome);
        (void)fflush(stdout);
    }
    printf("\n");
    return STATUS_OK;
}

/* Reads the same problem from the database of --prior. */
static enum status read_prior_problem(struct bench *bench, const struct recorded_problem *problem,
                                      struct recorded *prior, bool *found, struct error *error)
{
    char size[24];
    struct store *store = NULL;
    struct recorded_problem same;
    size_t count = 0;
    (void)string_format(size, sizeof size, "%" PRId64, problem->n);
    enum status status = store_open(bench->options->prior, STORE_READ, &store, error);
    if (status == STATUS_OK)
        status = recorded_list(store, &bench->arena, problem->key, size, 1, &same, &count, error);
    *found = count > 0;
    if (status == STATUS_OK && *found)
        status = recorded_read(store, &same, &bench->arena, prior, error);
    store_close(store);
    return status;
}

static enum status play_database(struct bench *bench, struct error *error)
{
    const struct options *options = bench->options;
    struct recorded_problem *problems =
        arena_alloc(&bench->arena, PROBLEMS_MAX, sizeof problems[0]);
    struct store *store = NULL;
    size_t count = 0;
    if (!problems)
        return error_no_memory(error);
    /* Opened for reading first: an absent file is not to be made. */
    enum status status = store_open(options->db, STORE_READ, &store, error);
    if (status == STATUS_BAD_INPUT && options->upgrade)
        status = store_open(options->db, STORE_CREATE, &store, error);
    if (status == STATUS_OK)
        status = recorded_list(store, &bench->arena, options->problem, options->n, options->most,
                               problems, &count, error);
    if (status == STATUS_OK && count == 0)
        status = error_set(error, STATUS_NOT_FOUND, "%s: no such problem was swept", options->db);
    if (status == STATUS_OK && options->series) {
        const struct series series = {.store = store,
                                      .problems = problems,
                                      .count = count,
                                      .prior = options->prior,
                                      .winners = options->winners,
                                      .mislead = options->mislead,
                                      .seeds = options->seeds,
                                      .ahead = options->ahead,
                                      .share = options->trials > 0 ? options->trials : 0.1,
                                      .points = options->points,
                                      .settles = options->settles};
        status = play_series(&series, &bench->arena, error);
        count = 0;
    }
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        struct recorded recorded;
        struct recorded prior;
        bool found = false;
        status = recorded_read(store, &problems[i], &bench->arena, &recorded, error);
        if (status == STATUS_OK && options->prior)
            status = read_prior_problem(bench, &problems[i], &prior, &found, error);
        if (status == STATUS_OK)
            status = play_space(bench, &recorded, found ? &prior : NULL, error);
    }
    store_close(store);
    return status;
}

static enum status play_files(struct bench *bench, struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < bench->options->file_count; i++) {
        struct recorded recorded, prior;
        const char *elsewhere = bench->options->prior;
        status = recorded_read_file(bench->options->files[i], &bench->arena, &recorded, error);
        if (status == STATUS_OK && elsewhere)
            status = recorded_read_file(elsewhere, &bench->arena, &prior, error);
        if (status == STATUS_OK)
            status = play_space(bench, &recorded, elsewhere ? &prior : NULL, error);
    }
    return status;
}

/* A line of the last table. */
struct standing {
    const char *name;
    double score, score_late;
    bool reference;
};
enum { STANDINGS_MAX = STRATEGIES_MAX + 256 };

static int compare_standings(const void *left, const void *right)
{
    const struct standing *a = left;
    const struct standing *b = right;
    const double x = isnan(a->score) ? a->score_late : a->score;
    const double y = isnan(b->score) ? b->score_late : b->score;
    return (x < y) - (x > y);
}

static double score_field(const struct csv_record *record, size_t column)
{
    char *end = NULL;
    if (column >= record->count)
        return (double)NAN;
    const double score = strtod(record->fields[column], &end);
    return end == record->fields[column] ? (double)NAN : score;
}

/* Skips lines whose scores are no numbers, such as the first. */
static enum status read_references(struct bench *bench, struct standing *standings, size_t *count,
                                   struct error *error)
{
    const char *path = bench->options->reference;
    struct csv_reader reader;
    struct csv_record record;
    char *text = NULL;
    size_t length = 0;
    bool more = true;
    enum status status = file_read(&bench->arena, path, 1 << 20, &text, &length, error);
    if (status == STATUS_OK)
        status = csv_start(&reader, path, text, length, error);
    while (status == STATUS_OK && *count < STANDINGS_MAX) {
        status = csv_next(&reader, &record, &more, error);
        if (status != STATUS_OK || !more)
            break;
        const struct standing standing = {.name = record.fields[0],
                                          .score = score_field(&record, 1),
                                          .score_late = score_field(&record, 2),
                                          .reference = true};
        if (!isnan(standing.score) || !isnan(standing.score_late))
            standings[(*count)++] = standing;
    }
    return status;
}

static enum status print_standings(struct bench *bench, struct error *error)
{
    const struct options *options = bench->options;
    struct standing *standings = arena_alloc(&bench->arena, STANDINGS_MAX, sizeof standings[0]);
    size_t count = 0;
    if (!standings)
        return error_no_memory(error);
    for (size_t s = 0; s < options->strategy_count; s++)
        standings[count++] = (struct standing){.name = options->strategies[s],
                                               .score = mean_score(&bench->all[s], false),
                                               .score_late = mean_score(&bench->all[s], true)};
    enum status status = read_references(bench, standings, &count, error);
    if (status != STATUS_OK)
        return status;
    qsort(standings, count, sizeof standings[0], compare_standings);
    printf("\nby score, mean over %zu spaces and %zu seeds; (reference): as %s has it\n\n"
           "  %-26s   1 by 1     late\n",
           bench->spaces, options->seeds, options->reference, "strategy");
    for (size_t i = 0; i < count; i++) {
        printf("  %-26s", standings[i].name);
        print_score(standings[i].score);
        print_score(standings[i].score_late);
        printf("%s\n", standings[i].reference ? "  (reference)" : "");
    }
    return STATUS_OK;
}

static enum status prepare(struct bench *bench, struct error *error)
{
    const struct options *options = bench->options;
    const size_t spaces = options->file_count + (options->db ? options->most : 0);
    const size_t games = spaces * options->seeds;
    bench->scratch = arena_alloc(&bench->arena, games, sizeof(double));
    for (size_t s = 0; s < options->strategy_count; s++) {
        bench->all[s].games = arena_alloc(&bench->arena, games, sizeof(struct game));
        if (!bench->all[s].games || !bench->scratch)
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
    enum status status = prepare(&bench, error);
    if (status == STATUS_OK && options->db)
        status = play_database(&bench, error);
    if (status == STATUS_OK)
        status = play_files(&bench, error);
    if (status == STATUS_OK && bench.spaces > 1) {
        printf("all %zu problems\n", bench.spaces);
        print_head();
        for (size_t s = 0; s < options->strategy_count; s++) {
            print_line(options->strategies[s], &bench.all[s], bench.scratch);
            if (options->prior)
                print_forgot(options->strategies[s], &bench.all[s]);
        }
        for (size_t s = 0; options->until > 0 && s < options->strategy_count; s++)
            print_until(options->strategies[s], options->until, &bench.all[s], bench.scratch);
    }
    if (status == STATUS_OK && options->reference)
        status = print_standings(&bench, error);
    if (bench.csv && fclose(bench.csv) != 0 && status == STATUS_OK)
        status = error_set_errno(error, errno, "%s", options->csv);
    arena_free(&bench.arena);
    return status;
}

static enum status read_count(const char *text, size_t most, size_t *count, struct error *error)
{
    char *end = NULL;
    errno = 0;
    const unsigned long value = strtoul(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || value == 0 || value > most)
        return error_set(error, STATUS_USAGE, "'%s' is no number from 1 to %zu", text, most);
    *count = value;
    return STATUS_OK;
}

static enum status read_share(const char *text, double *share, struct error *error)
{
    char *end = NULL;
    const double value = strtod(text, &end);
    if (end == text || *end != '\0' || !(value > 0 && value <= 100))
        return error_set(error, STATUS_USAGE, "'%s' is no percentage", text);
    *share = value / 100;
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
    {"db", required_argument, NULL, 'd'},
    {"problem", required_argument, NULL, 'p'},
    {"n", required_argument, NULL, 'n'},
    {"most", required_argument, NULL, 'm'},
    {"strategy", required_argument, NULL, 's'},
    {"seeds", required_argument, NULL, 'x'},
    {"trials", required_argument, NULL, 't'},
    {"ahead", required_argument, NULL, 'a'},
    {"jobs", required_argument, NULL, 'j'},
    {"csv", required_argument, NULL, 'c'},
    {"reference", required_argument, NULL, 'r'},
    {"help", no_argument, NULL, 'h'},
    {"upgrade", no_argument, NULL, 'u'},
    {"prior", required_argument, NULL, 'o'},
    {"mislead", no_argument, NULL, 'l'},
    {"until", required_argument, NULL, 'w'},
    {"series", no_argument, NULL, 'e'},
    {"winners", required_argument, NULL, 'i'},
    {"points", required_argument, NULL, 'k'},
    {"settles", no_argument, NULL, 'g'},
    {NULL, 0, NULL, 0},
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
    case 'r':
        options->reference = optarg;
        return STATUS_OK;
    case 'o':
        options->prior = optarg;
        return STATUS_OK;
    case 'g':
        options->settles = true;
        return STATUS_OK;
    case 'k':
        return read_count(optarg, POINTS_MAX, &options->points, error);
    case 'i':
        options->winners = optarg;
        return STATUS_OK;
    case 'l':
        options->mislead = true;
        return STATUS_OK;
    case 'u':
        options->upgrade = true;
        return STATUS_OK;
    case 'e':
        options->series = true;
        return STATUS_OK;
    case 'm':
        return read_count(optarg, PROBLEMS_MAX, &options->most, error);
    case 'x':
        return read_count(optarg, SEEDS_MAX, &options->seeds, error);
    case 'a':
        return read_count(optarg, AHEAD_MAX, &options->ahead, error);
    case 'j':
        return read_count(optarg, JOBS_MAX, &options->jobs, error);
    case 'w':
        return read_share(optarg, &options->until, error);
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
    struct options options = {.most = 3, .seeds = 25, .ahead = 256, .jobs = 1};
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
    options.files = &arguments[optind];
    options.file_count = (size_t)(count - optind);
    if (status == STATUS_OK && !options.db && options.file_count == 0)
        status = error_set(&error, STATUS_USAGE, "--db FILE or a FILE is needed; see --help");
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
