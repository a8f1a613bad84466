#include "tests/gpu/points.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/text.h"
#include "tuner/experiment/point.h"

enum { VALUES_MAX = 1024 };

/* The values that a space holds, by parameter. */
struct cover {
    const struct space *space;
    size_t parameters;
    size_t values[EXPERIMENT_PARAMETERS_MAX]; /* different ones of each parameter */
    struct value value[EXPERIMENT_PARAMETERS_MAX][VALUES_MAX];
    bool covered[EXPERIMENT_PARAMETERS_MAX][VALUES_MAX];
    size_t missing;   /* values that are not covered */
    uint16_t *points; /* [configuration][parameter]: index of the value */
};

static size_t find_value(const struct cover *cover, size_t parameter, struct value value)
{
    size_t i = 0;
    while (i < cover->values[parameter] && !value_equal(cover->value[parameter][i], value))
        i++;
    return i;
}

static bool is_meant(const struct points *points, size_t parameter)
{
    char name[128];
    return !points->each ||
           (string_format(name, sizeof name, ",%s,",
                          experiment_head(points->experiment)->parameter_names[parameter]) &&
            strstr(points->each, name));
}

static enum status read_space(const struct points *points, struct cover *cover, struct error *error)
{
    const size_t count = space_count(cover->space);
    cover->parameters = experiment_head(points->experiment)->parameter_count;
    cover->points = calloc(count * cover->parameters + 1, sizeof *cover->points);
    if (!cover->points)
        return error_no_memory(error);
    for (size_t i = 0; i < count; i++) {
        struct configuration configuration;
        space_configuration(cover->space, i, &configuration);
        for (size_t p = 0; p < cover->parameters; p++) {
            const size_t at = find_value(cover, p, configuration.values[p].value);
            if (at == VALUES_MAX)
                return error_set(error, STATUS_INTERNAL, "more than %d values", VALUES_MAX);
            cover->points[i * cover->parameters + p] = (uint16_t)at;
            if (at < cover->values[p])
                continue;
            cover->value[p][cover->values[p]++] = configuration.values[p].value;
            cover->covered[p][at] = !is_meant(points, p);
            cover->missing += !cover->covered[p][at];
        }
    }
    return STATUS_OK;
}

static void mark(struct cover *cover, const struct configuration *configuration)
{
    for (size_t p = 0; p < cover->parameters; p++) {
        const size_t at = find_value(cover, p, configuration->values[p].value);
        if (at == cover->values[p] || cover->covered[p][at])
            continue;
        cover->covered[p][at] = true;
        cover->missing--;
    }
}

static enum status add_point(struct points *points, const struct problem *problem,
                             const struct configuration *configuration, struct error *error)
{
    if (points->count == points->capacity) {
        const size_t capacity = points->capacity ? 2 * points->capacity : 64;
        struct chosen *list = realloc(points->list, capacity * sizeof *list);
        if (!list)
            return error_no_memory(error);
        points->list = list;
        points->capacity = capacity;
    }
    struct chosen *chosen = &points->list[points->count];
    *chosen = (struct chosen){
        .problem = *problem, .n_max = points->n_max, .configuration = *configuration};
    for (size_t p = 0; p < configuration->count; p++) {
        struct value *value = &chosen->configuration.values[p].value;
        if (value->kind == VALUE_TEXT)
            value->text = arena_strdup(points->arena, value->text);
        if (value->kind == VALUE_TEXT && !value->text)
            return error_no_memory(error);
    }
    points->count++;
    return STATUS_OK;
}

/* Returns point `i` of an order in which neighbours have little in common. */
static size_t scattered(size_t i, size_t count)
{
    static const size_t stride = 1000003; /* a prime: all of a space are met */
    return (size_t)((uint64_t)i * (count % stride ? stride : 1) + count / 3) % count;
}

/* Takes those that cover most first, and one at least when there is none yet. */
static enum status take(struct points *points, struct cover *cover, const struct problem *problem,
                        bool none, struct error *error)
{
    const size_t count = space_count(cover->space);
    if (none && cover->missing == 0) {
        struct configuration configuration;
        space_configuration(cover->space, scattered(points->count, count), &configuration);
        return add_point(points, problem, &configuration, error);
    }
    for (size_t wanted = cover->parameters; wanted > 0 && cover->missing > 0; wanted--)
        for (size_t i = 0; i < count && cover->missing > 0; i++) {
            const size_t index = scattered(i, count);
            const uint16_t *point = cover->points + index * cover->parameters;
            struct configuration configuration;
            size_t gained = 0;
            for (size_t p = 0; p < cover->parameters; p++)
                gained += !cover->covered[p][point[p]];
            if (gained < wanted)
                continue;
            space_configuration(cover->space, index, &configuration);
            mark(cover, &configuration);
            const enum status status = add_point(points, problem, &configuration, error);
            if (status != STATUS_OK)
                return status;
        }
    return STATUS_OK;
}

enum status points_admit(const struct points *points, const struct chosen *chosen, int64_t n,
                         struct problem *problem, bool *admits, struct error *error)
{
    *problem = problem_at(&chosen->problem, n);
    *admits = false;
    return n > chosen->n_max ? STATUS_OK
                             : space_admits(points->experiment, problem, points->facts,
                                            &chosen->configuration, admits, error);
}

/* Marks points chosen at other sizes, or of other problems if values are shared, that are legal
 * here as well. `first` is the first point of this problem. */
static enum status mark_chosen(const struct points *points, size_t first, struct cover *cover,
                               const struct problem *at, bool *none, struct error *error)
{
    enum status status = STATUS_OK;
    *none = true;
    for (size_t i = points->share ? 0 : first; i < points->count && status == STATUS_OK; i++) {
        struct problem problem;
        bool admits = false;
        status = points_admit(points, &points->list[i], at->n, &problem, &admits, error);
        if (status != STATUS_OK || !admits)
            continue;
        mark(cover, &points->list[i].configuration);
        *none = *none && i < first;
    }
    return status;
}

/* Tells whether the problem's vectors are small enough, with a configuration of its space. */
static enum status is_small(const struct points *points, const struct cover *cover,
                            const struct problem *problem, bool *small, struct error *error)
{
    struct arena arena = {0};
    struct configuration configuration;
    struct launch_plan plan;
    double bytes = 0;
    const struct point point = {.experiment = points->experiment,
                                .problem = problem,
                                .facts = points->facts,
                                .configuration = &configuration,
                                .active_blocks = 1};
    *small = true;
    if (points->bytes_max == 0 || space_count(cover->space) == 0)
        return STATUS_OK;
    space_configuration(cover->space, 0, &configuration);
    const enum status status = point_plan(&point, &arena, &plan, error);
    for (size_t i = 0; status == STATUS_OK && i < plan.argument_count; i++)
        if (plan.arguments[i].role != ARGUMENT_SCALAR)
            bytes +=
                (double)plan.arguments[i].count * (double)element_bytes(plan.arguments[i].type);
    *small = bytes <= (double)points->bytes_max;
    arena_free(&arena);
    return status;
}

static enum status choose_at(struct points *points, size_t first, const struct problem *problem,
                             struct error *error)
{
    struct space *space = NULL;
    struct cover *cover = calloc(1, sizeof *cover);
    bool small = false;
    bool none = true;
    if (!cover)
        return error_no_memory(error);
    enum status status = space_create(points->experiment, problem, points->facts, &space, error);
    cover->space = space;
    if (status == STATUS_NOT_FOUND) { /* the constraints leave no configuration */
        error_clear(error);
        free(cover);
        return STATUS_OK;
    }
    if (status == STATUS_OK)
        status = is_small(points, cover, problem, &small, error);
    if (small && points->n_max == 0)
        points->n_max = problem->n;
    if (status == STATUS_OK && small)
        status = read_space(points, cover, error);
    if (status == STATUS_OK && small)
        status = mark_chosen(points, first, cover, problem, &none, error);
    if (status == STATUS_OK && small)
        status = take(points, cover, problem, none, error);
    free(cover->points);
    free(cover);
    space_free(space);
    return status;
}

enum status points_choose(struct points *points, struct error *error)
{
    enum status status = STATUS_OK;
    const size_t problems = experiment_problem_count(points->experiment);
    char before[PROBLEM_KEY_BYTES] = "";
    for (size_t i = 0; i < problems && status == STATUS_OK; i++) {
        struct problem problem;
        const size_t first = points->count;
        experiment_problem(points->experiment, i, &problem);
        if (strcmp(problem.key, before) == 0 ||
            (points->only && !strstr(problem.key, points->only)))
            continue;
        memcpy(before, problem.key, sizeof before);
        points->n_max = 0;
        for (size_t s = 0; s < points->size_count && status == STATUS_OK; s++) {
            struct problem at;
            at = problem_at(&problem, points->sizes[s]);
            status = choose_at(points, first, &at, error);
        }
    }
    return status;
}

void points_free(struct points *points)
{
    free(points->list);
    points->list = NULL;
}
