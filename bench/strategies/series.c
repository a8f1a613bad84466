#include "bench/strategies/series.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/index.h"
#include "tuner/store/elsewhere.h"

enum { PROBLEMS_MOST = 256, PENDING_MOST = 1024 };

/* A problem, and what was tried of it in this series. */
struct played {
    struct recorded recorded;
    uint64_t *tried;
    size_t tried_count;
    double best;
};

struct course {
    const struct series *series;
    struct played *problems;
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

/* The nearest of those before it, in the order in which store_trials_elsewhere has them. */
static void tell_earlier(const struct course *course, size_t current, struct search *search)
{
    bool told[PROBLEMS_MOST] = {false};
    const struct played *here = &course->problems[current];
    const struct recorded_problem *problems = course->series->problems;
    for (size_t source = 1; source <= STORE_SOURCES_MOST; source++) {
        size_t nearest = SIZE_MAX;
        for (size_t i = 0; i < current; i++)
            if (!told[i] &&
                (nearest == SIZE_MAX || distance(&problems[i], &problems[current]) <
                                            distance(&problems[nearest], &problems[current])))
                nearest = i;
        if (nearest == SIZE_MAX)
            return;
        told[nearest] = true;
        const struct played *from = &course->problems[nearest];
        for (size_t i = 0; i < from->tried_count; i++) {
            uint16_t values[SEARCH_DIMENSIONS_MAX];
            if (recorded_translate(&from->recorded, from->tried[i], &here->recorded, values))
                search_tell_elsewhere(search, source, values, from->recorded.times[from->tried[i]]);
        }
    }
}

static enum status play_one(struct course *course, size_t current, uint64_t seed,
                            struct error *error)
{
    struct played *here = &course->problems[current];
    struct view view = {.recorded = &here->recorded, .course = course};
    struct search_space space = here->recorded.space;
    space.context = &view;
    space.values = view_values;
    space.find = view_find;
    space.number = view_number;
    space.is_ready = course->prefers ? view_ready : NULL;
    const struct search_options options = {
        .strategy = "surrogate",
        .trials = (uint64_t)ceil(course->series->share * (double)space.count),
        .seed = seed,
    };
    struct search *search = NULL;
    uint64_t pending[PENDING_MOST];
    size_t first = 0, count = 0;
    enum status status = search_create(&options, &space, &search, error);
    if (status != STATUS_OK)
        return status;
    tell_earlier(course, current, search);
    here->tried_count = 0;
    here->best = (double)INFINITY;
    for (;;) {
        uint64_t point = 0;
        size_t place = 0;
        while (count < course->series->ahead && search_ask(search, &point)) {
            const uint64_t binary = here->recorded.binaries[point];
            if (!index_find(&course->made, binary, &place) &&
                !index_put(&course->made, binary, course->made.count))
                status = error_no_memory(error);
            pending[(first + count++) % PENDING_MOST] = point;
        }
        if (count == 0 || status != STATUS_OK)
            break;
        point = pending[first];
        first = (first + 1) % PENDING_MOST;
        count--;
        search_tell(search, point, here->recorded.times[point]);
        here->tried[here->tried_count++] = point;
        here->best = fmin(here->best, here->recorded.times[point]);
    }
    search_free(search);
    return status;
}

static enum status play_all(struct course *course, const char *name, struct error *error)
{
    size_t trials = 0, binaries = 0, near = 0, games = 0;
    double log_sum = 0, worst = 1;
    for (uint64_t seed = 1; seed <= course->series->seeds; seed++) {
        for (size_t i = 0; i < course->series->count; i++) {
            enum status status = play_one(course, i, seed, error);
            if (status != STATUS_OK)
                return status;
            const struct played *played = &course->problems[i];
            const double ratio = played->best / played->recorded.best;
            trials += played->tried_count;
            near += ratio <= 1.005 ? 1 : 0;
            games++;
            log_sum += log(ratio);
            worst = fmax(worst, ratio);
        }
        binaries += course->made.count;
        index_free(&course->made);
        course->made = (struct index){0};
    }
    const double seeds = (double)course->series->seeds;
    printf("  %-28s  %8.0f  %8.0f  %13.4f  %7.3f  %6.1f %%\n", name, (double)trials / seeds,
           (double)binaries / seeds, exp(log_sum / (double)games), worst,
           100 * (double)near / (double)games);
    return STATUS_OK;
}

/* As a run takes them. */
static int compare_problems(const void *left, const void *right)
{
    const struct recorded_problem *a = left;
    const struct recorded_problem *b = right;
    return (a->problem_id > b->problem_id) - (a->problem_id < b->problem_id);
}

enum status play_series(const struct series *series, struct arena *arena, struct error *error)
{
    struct course course = {.series = series,
                            .problems = arena_alloc(arena, series->count, sizeof(struct played))};
    enum status status = course.problems ? STATUS_OK : error_no_memory(error);
    qsort(series->problems, series->count, sizeof series->problems[0], compare_problems);
    for (size_t i = 0; status == STATUS_OK && i < series->count; i++) {
        struct played *played = &course.problems[i];
        status =
            recorded_read(series->store, &series->problems[i], arena, &played->recorded, error);
        if (status != STATUS_OK)
            break;
        played->tried = arena_alloc(arena, played->recorded.space.count, sizeof(uint64_t));
        if (!played->tried)
            status = error_no_memory(error);
    }
    if (status == STATUS_OK)
        printf("%zu problems, %g %% of each, mean of %zu series\n  %-28s  %8s  %8s  %13s  %7s  "
               "%8s\n",
               series->count, 100 * series->share, series->seeds, "", "trials", "binaries",
               "over the best", "worst", "to 0.5%");
    if (status == STATUS_OK)
        status = play_all(&course, "whichever promises most", error);
    course.prefers = true;
    if (status == STATUS_OK)
        status = play_all(&course, "binaries that exist first", error);
    index_free(&course.made);
    return status;
}
