#include "bench/strategies/series.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/index.h"
#include "tuner/store/elsewhere.h"

enum { PROBLEMS_MAX = 256, PENDING_MAX = 1024, WINNERS_MAX = 16 /* as a run */ };
static const double near_the_best = 1.005;

/* A problem, and its trials in this series, or elsewhere. */
struct played {
    struct recorded_problem problem;
    struct recorded recorded;
    uint64_t *tried;
    size_t tried_count;
    double best;
    uint64_t best_point; /* best of all recorded points */
    size_t near_after;   /* results before one is near the best; SIZE_MAX: none was */
    size_t near;         /* number of its games that came within 0.5 % of the best */
    bool forgot;         /* whether results from elsewhere were dropped in the last of them */
};

struct played_list {
    struct played *items;
    size_t count;
};

struct course {
    const struct series *series;
    struct played_list own, prior, winners;
    struct index made; /* binaries */
    bool prefers;      /* those */
};

/* A space as its search sees it: recorded, and with binaries. */
struct view {
    const struct recorded *recorded;
    const struct course *course;
};

static void view_values(const void *context, uint64_t point, uint16_t *values)
{
    const struct view *view = context;
    view->recorded->space.values(view->recorded, point, values);
}

static bool view_find(const void *context, const uint16_t *values, uint64_t *point)
{
    const struct view *view = context;
    return view->recorded->space.find(view->recorded, values, point);
}

static double view_number(const void *context, size_t dimension, uint16_t value)
{
    const struct view *view = context;
    return view->recorded->space.number(view->recorded, dimension, value);
}

static bool view_ready(const void *context, uint64_t point)
{
    const struct view *view = context;
    size_t place = 0;
    return index_find(&view->course->made, view->recorded->binaries[point], &place);
}

static double distance(const struct recorded_problem *one, const struct recorded_problem *other)
{
    const double ratio = fmax((double)one->n, 1) / fmax((double)other->n, 1);
    return fmax(ratio, 1 / ratio) * (strcmp(one->key, other->key) == 0 ? 1 : 4);
}

/* Takes the nearest of the first `count` that was not taken, as store_trials_elsewhere does. NULL:
 * none. */
static const struct played *take_nearest(const struct played_list *list, size_t count,
                                         const struct played *here, bool *taken)
{
    const struct played *nearest = NULL;
    for (size_t i = 0; i < count; i++)
        if (!taken[i] && (!nearest || distance(&list->items[i].problem, &here->problem) <
                                          distance(&nearest->problem, &here->problem)))
            nearest = &list->items[i];
    if (nearest)
        taken[nearest - list->items] = true;
    return nearest;
}

static void tell_nearest(const struct played_list *list, size_t count, const struct played *here,
                         size_t first, bool mislead, struct search *search)
{
    bool told[PROBLEMS_MAX] = {false};
    for (size_t source = 0; source < STORE_SOURCES_MAX; source++) {
        const struct played *nearest = take_nearest(list, count, here, told);
        for (size_t i = 0; nearest && i < nearest->tried_count; i++) {
            const uint64_t point = nearest->tried[i];
            const double time = nearest->recorded.times[point], best = nearest->recorded.best;
            uint16_t values[SEARCH_DIMENSIONS_MAX];
            if (recorded_translate(&nearest->recorded, point, &here->recorded, values))
                search_tell_elsewhere(search, 2 * source + first, values,
                                      mislead ? best / time * best : time);
        }
    }
}

/* Passes winners in the order of a tuned.conf's in a run. */
static void tell_winners(const struct played_list *list, const struct played *here, uint64_t trials,
                         struct search *search)
{
    bool named[PROBLEMS_MAX] = {false};
    const uint64_t share = trials / SEARCH_WINNERS_SHARE;
    const uint64_t most = share < SEARCH_WINNERS_MIN ? SEARCH_WINNERS_MIN
                          : share > WINNERS_MAX      ? WINNERS_MAX
                                                     : share;
    for (uint64_t told = 0; told < most;) {
        const struct played *nearest = take_nearest(list, list->count, here, named);
        uint16_t values[SEARCH_DIMENSIONS_MAX];
        uint64_t point = 0;
        if (!nearest)
            return;
        const struct search_space *space = &here->recorded.space;
        told +=
            recorded_translate(&nearest->recorded, nearest->best_point, &here->recorded, values) &&
                    space->find(space->context, values, &point) && search_tell_winner(search, point)
                ? 1
                : 0;
    }
}

static enum status play_one(struct course *course, size_t current, uint64_t seed,
                            struct error *error)
{
    struct played *here = &course->own.items[current];
    struct view view = {.recorded = &here->recorded, .course = course};
    struct search_space space = here->recorded.space;
    space.context = &view;
    space.values = view_values;
    space.find = view_find;
    space.number = view_number;
    space.is_ready = course->prefers ? view_ready : NULL;
    const struct series *series = course->series;
    const uint64_t share = (uint64_t)ceil(series->share * (double)space.count);
    const struct search_options options = {
        .strategy = "surrogate",
        .trials = series->points > 0 && series->points < share ? series->points : share,
        .seed = seed,
    };
    struct search *search = NULL;
    uint64_t pending[PENDING_MAX];
    size_t first = 0, count = 0;
    enum status status = search_create(&options, &space, &search, error);
    if (status != STATUS_OK)
        return status;
    tell_winners(&course->winners, here, options.trials, search);
    tell_nearest(&course->own, current, here, 0, false, search);
    tell_nearest(&course->prior, course->prior.count, here, 1, series->mislead, search);
    here->tried_count = 0;
    here->near_after = SIZE_MAX;
    if (series->settles && (current > 0 || course->prior.count > 0))
        search_end_when_settled(search, SEARCH_TRIALS_BEGUN, SEARCH_SETTLED);
    here->best = (double)INFINITY;
    for (;;) {
        uint64_t point = 0;
        size_t place = 0;
        while (count < course->series->ahead && search_ask(search, &point)) {
            const uint64_t binary = here->recorded.binaries[point];
            if (!index_find(&course->made, binary, &place) &&
                !index_put(&course->made, binary, course->made.count))
                status = error_no_memory(error);
            pending[(first + count++) % PENDING_MAX] = point;
        }
        if (count == 0 || status != STATUS_OK)
            break;
        point = pending[first];
        first = (first + 1) % PENDING_MAX;
        count--;
        search_tell(search, point, here->recorded.times[point]);
        here->tried[here->tried_count++] = point;
        here->best = fmin(here->best, here->recorded.times[point]);
        if (here->near_after == SIZE_MAX && here->best <= here->recorded.best * near_the_best)
            here->near_after = here->tried_count;
    }
    here->forgot = search_was_misled(search);
    search_free(search);
    return status;
}

static enum status play_all(struct course *course, const char *name, struct error *error)
{
    const struct played_list *own = &course->own;
    size_t trials = 0, binaries = 0, near = 0, games = 0, near_mostly = 0, forgot = 0, spent = 0;
    double log_sum = 0, worst = 1;
    for (uint64_t seed = 1; seed <= course->series->seeds; seed++) {
        for (size_t i = 0; i < own->count; i++) {
            enum status status = play_one(course, i, seed, error);
            if (status != STATUS_OK)
                return status;
            struct played *played = &own->items[i];
            const double ratio = played->best / played->recorded.best;
            trials += played->tried_count;
            const bool is_near = played->near_after < SIZE_MAX;
            played->near = (seed == 1 ? 0 : played->near) + (is_near ? 1 : 0);
            near += is_near ? 1 : 0;
            spent += is_near ? played->near_after : played->tried_count;
            forgot += played->forgot ? 1 : 0;
            games++;
            log_sum += log(ratio);
            worst = fmax(worst, ratio);
        }
        binaries += course->made.count;
        index_free(&course->made);
        course->made = (struct index){0};
    }
    const double seeds = (double)course->series->seeds;
    for (size_t i = 0; i < own->count; i++)
        near_mostly += 2 * own->items[i].near >= course->series->seeds ? 1 : 0;
    printf("  %-28s  %8.0f  %8.0f  %13.4f  %7.3f  %6.1f %%  %8zu  %6.0f  %6.1f %%\n", name,
           (double)trials / seeds, (double)binaries / seeds, exp(log_sum / (double)games), worst,
           100 * (double)near / (double)games, near_mostly, (double)spent / seeds,
           100 * (double)forgot / (double)games);
    return STATUS_OK;
}

/* Orders problems as a run does. */
static int compare_problems(const void *left, const void *right)
{
    const struct recorded_problem *a = left;
    const struct recorded_problem *b = right;
    return (a->problem_id > b->problem_id) - (a->problem_id < b->problem_id);
}

/* Reads all problems with their trials. */
static enum status read_list(struct store *store, const struct recorded_problem *problems,
                             size_t count, struct arena *arena, struct played_list *list,
                             struct error *error)
{
    list->items = arena_alloc(arena, count + 1, sizeof list->items[0]);
    if (!list->items)
        return error_no_memory(error);
    for (list->count = 0; list->count < count; list->count++) {
        struct played *played = &list->items[list->count];
        played->problem = problems[list->count];
        enum status status =
            recorded_read(store, &played->problem, arena, &played->recorded, error);
        if (status != STATUS_OK)
            return status;
        const uint64_t points = played->recorded.space.count;
        played->tried = arena_alloc(arena, points, sizeof(uint64_t));
        if (!played->tried)
            return error_no_memory(error);
        for (uint64_t point = 0; point < points; point++) {
            played->tried[played->tried_count++] = point;
            if (played->recorded.times[point] <= played->recorded.best)
                played->best_point = point;
        }
    }
    return STATUS_OK;
}

static enum status read_prior(const char *path, struct arena *arena, struct played_list *list,
                              struct error *error)
{
    struct recorded_problem *problems = arena_alloc(arena, PROBLEMS_MAX, sizeof problems[0]);
    struct store *store = NULL;
    size_t count = 0;
    if (!problems)
        return error_no_memory(error);
    enum status status = store_open(path, STORE_READ, &store, error);
    if (status == STATUS_OK)
        status = recorded_list(store, arena, NULL, NULL, PROBLEMS_MAX, problems, &count, error);
    if (status == STATUS_OK)
        status = read_list(store, problems, count, arena, list, error);
    store_close(store);
    return status;
}

enum status play_series(const struct series *series, struct arena *arena, struct error *error)
{
    struct course course = {.series = series};
    qsort(series->problems, series->count, sizeof series->problems[0], compare_problems);
    enum status status =
        read_list(series->store, series->problems, series->count, arena, &course.own, error);
    if (status == STATUS_OK && series->prior)
        status = read_prior(series->prior, arena, &course.prior, error);
    if (status == STATUS_OK && series->winners)
        status = read_prior(series->winners, arena, &course.winners, error);
    if (status == STATUS_OK)
        printf("%zu problems, %g %% of each, mean of %zu series\n  %-28s  %8s  %8s  %13s  %7s  "
               "%8s  %8s  %6s  %8s\n",
               series->count, 100 * series->share, series->seeds, "", "trials", "binaries",
               "over the best", "worst", "to 0.5%", "problems", "until", "forgot");
    if (status == STATUS_OK)
        status = play_all(&course, "whichever promises most", error);
    course.prefers = true;
    if (status == STATUS_OK)
        status = play_all(&course, "binaries that exist first", error);
    index_free(&course.made);
    return status;
}
