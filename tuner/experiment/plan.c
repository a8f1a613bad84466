/* What a configuration means for the launcher: grids, blocks, launches. */
#include "tuner/experiment/plan.h"

#include <string.h>

struct launch_list launches_of(const struct experiment *experiment)
{
    return (struct launch_list){experiment->launches, experiment->launch_count};
}

enum status applying_launches(struct launch_list list, struct environment *environment,
                              const struct launch_rule *out[LAUNCHES_MAX], size_t *count,
                              struct error *error)
{
    *count = 0;
    for (size_t i = 0; i < list.count; i++) {
        bool applies = true;
        enum status status = formula_truth(&list.rules[i].when, environment, &applies, error);
        if (status != STATUS_OK)
            return status;
        if (applies)
            out[(*count)++] = &list.rules[i];
    }
    if (*count == 0)
        return place_error(error, STATUS_BAD_INPUT, list.rules[0].place,
                           "the configuration launches nothing: every `when` is false");
    return STATUS_OK;
}

static enum status make_extent(const struct formula formulas[3], const char *what,
                               struct environment *environment, uint32_t out[3],
                               struct error *error)
{
    int64_t product = 1;
    for (size_t i = 0; i < 3; i++) {
        int64_t extent = 1;
        enum status status =
            formula_integer(&formulas[i], what, 1, INT32_MAX, 1, environment, &extent, error);
        if (status != STATUS_OK)
            return status;
        out[i] = (uint32_t)extent;
        if (__builtin_mul_overflow(product, extent, &product))
            product = INT64_MAX;
    }
    if (product > INT32_MAX)
        return place_error(error, STATUS_BAD_INPUT, formulas[0].place,
                           "the %s has more than %d in all", what, INT32_MAX);
    return STATUS_OK;
}

static enum status make_shape(const struct launch_rule *rule, struct environment *environment,
                              struct launch *out, struct error *error)
{
    int64_t shared = 0;
    enum status status = make_extent(rule->block, "block", environment, out->block, error);
    if (status == STATUS_OK)
        status =
            formula_integer(&rule->shared, "shared", 0, INT32_MAX, 0, environment, &shared, error);
    out->shared_bytes = (uint32_t)shared;
    return status;
}

enum status point_kernels(const struct point *point, struct arena *arena,
                          struct kernel_use out[LAUNCHES_MAX], size_t *count, struct error *error)
{
    const struct launch_rule *rules[LAUNCHES_MAX];
    struct environment environment;
    *count = 0;
    enum status status = point_environment(point, &environment, error);
    if (status == STATUS_OK)
        status =
            applying_launches(launches_of(point->experiment), &environment, rules, count, error);
    for (size_t i = 0; i < *count && status == STATUS_OK; i++) {
        struct launch shape = {0};
        status = template_text(&rules[i]->kernel, &environment, arena, &out[i].kernel, error);
        if (status == STATUS_OK)
            status = make_shape(rules[i], &environment, &shape, error);
        out[i].block_threads = shape.block[0] * shape.block[1] * shape.block[2];
        out[i].shared_bytes = shape.shared_bytes;
    }
    return status;
}

static enum status make_schedule(const struct launch_rule *rule, struct environment *environment,
                                 struct arena *arena, enum schedule *out, struct error *error)
{
    const char *name = NULL;
    enum status status = template_text(&rule->schedule, environment, arena, &name, error);
    if (status != STATUS_OK)
        return status;
    for (enum schedule schedule = SCHEDULE_STATIC; schedule <= SCHEDULE_QUEUED; schedule++) {
        *out = schedule;
        if (strcmp(name, schedule_name(schedule)) == 0)
            return STATUS_OK;
    }
    return place_error(error, STATUS_BAD_INPUT, rule->schedule.place,
                       "no schedule is named '%.60s': static or queued", name);
}

enum { CPU_THREADS_MAX = 65536 };

static enum status make_launch(const struct launch_rule *rule, struct environment *environment,
                               struct arena *arena, struct launch *out, struct error *error)
{
    *out = (struct launch){.argument_count = rule->argument_count};
    memcpy(out->arguments, rule->arguments, sizeof out->arguments);
    enum status status = template_text(&rule->kernel, environment, arena, &out->kernel, error);
    if (status == STATUS_OK)
        status = make_extent(rule->grid, "grid", environment, out->grid, error);
    if (status == STATUS_OK)
        status = make_shape(rule, environment, out, error);
    if (status == STATUS_OK && rule->dependent.tree)
        status = formula_truth(&rule->dependent, environment, &out->dependent, error);
    int64_t repeat = 1;
    if (status == STATUS_OK)
        status =
            formula_integer(&rule->repeat, "repeat", 1, REPEAT_MAX, 1, environment, &repeat, error);
    out->repeat = (uint32_t)repeat;
    if (status != STATUS_OK || !rule->threads.tree)
        return status;
    int64_t threads = 0;
    status = formula_integer(&rule->threads, "threads", 1, CPU_THREADS_MAX, 1, environment,
                             &threads, error);
    out->threads = (uint32_t)threads;
    if (status == STATUS_OK)
        status = make_schedule(rule, environment, arena, &out->schedule, error);
    return status;
}

enum status make_plan(const struct experiment *experiment, struct launch_list list,
                      const struct problem *problem, struct environment *environment,
                      struct arena *arena, struct launch_plan *out, struct error *error)
{
    const struct launch_rule *rules[LAUNCHES_MAX];
    size_t count = 0;
    *out = (struct launch_plan){0};
    enum status status = applying_launches(list, environment, rules, &count, error);
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = make_launch(rules[i], environment, arena, &out->launches[i], error);
    if (status == STATUS_OK && out->launches[0].dependent)
        status = place_error(error, STATUS_BAD_INPUT, rules[0]->dependent.place,
                             "of this configuration's launches this is the first: there is none "
                             "before it to depend on");
    for (size_t i = 0; i < experiment->argument_count && status == STATUS_OK; i++)
        status = make_argument(experiment, &experiment->arguments[i], problem, environment, arena,
                               &out->arguments[i], error);
    out->launch_count = count;
    out->argument_count = experiment->argument_count;
    return status;
}

enum status point_plan(const struct point *point, struct arena *arena, struct launch_plan *out,
                       struct error *error)
{
    struct environment environment;
    enum status status = point_environment(point, &environment, error);
    if (status != STATUS_OK)
        return status;
    return make_plan(point->experiment, launches_of(point->experiment), point->problem,
                     &environment, arena, out, error);
}
