/* The space: parameters are bound one after the other, depth first, and each constraint is looked
 * at as soon as the last parameter that it needs is bound, so that what it rules out is never
 * walked. Points are kept as small indices into the parameters' values. */
#include <stdlib.h>
#include <string.h>

#include "tuner/experiment/model.h"

enum {
    SPACE_POINTS_MAX = 4 << 20,
    SPACE_STEPS_MAX = 256 << 20, /* values tried; bounds the time that reading one space takes */
};

struct space {
    struct arena arena;
    const struct experiment *experiment;
    size_t parameter_count;
    struct value *values[EXPERIMENT_PARAMETERS_MAX]; /* evaluated, without repeats */
    size_t value_counts[EXPERIMENT_PARAMETERS_MAX];
    size_t product_count;
    uint16_t *points; /* parameter_count indices a point */
    size_t count;
    size_t capacity;
};

/* What becomes known, and what can be asked, once the parameter of a depth is bound. Depth 0 is
 * before any, depth i + 1 is after parameter i. */
struct stage {
    size_t derived[EXPERIMENT_DERIVED_MAX]; /* slots to forget when the parameter changes */
    size_t derived_count;
    size_t constraints[CONSTRAINTS_MAX];
    size_t constraint_count;
};

struct walk {
    struct space *space;
    struct environment environment;
    struct stage stages[EXPERIMENT_PARAMETERS_MAX + 1];
    uint16_t chosen[EXPERIMENT_PARAMETERS_MAX];
    uint64_t steps;
    uint64_t ruled_out[CONSTRAINTS_MAX]; /* how often each constraint said no */
    struct error *error;
};

static size_t depth_of(const struct experiment *experiment, struct slot_set uses)
{
    struct slot_set reached = slots_reached(experiment, uses);
    for (size_t i = experiment->parameter_count; i-- > 0;)
        if (slot_set_has(&reached, SLOT_PARAMETERS + i))
            return i + 1;
    return 0;
}

static void place_stages(const struct experiment *experiment, struct walk *walk)
{
    for (size_t i = 0; i < experiment->derived_count; i++) {
        struct stage *stage =
            &walk->stages[depth_of(experiment, experiment->reach[SLOT_DERIVED + i])];
        stage->derived[stage->derived_count++] = SLOT_DERIVED + i;
    }
    for (size_t i = 0; i < experiment->constraint_count; i++) {
        struct stage *stage = &walk->stages[depth_of(experiment, experiment->constraints[i].uses)];
        stage->constraints[stage->constraint_count++] = i;
    }
}

static enum status check_stage(struct walk *walk, size_t depth, bool *legal)
{
    const struct experiment *experiment = walk->space->experiment;
    const struct stage *stage = &walk->stages[depth];
    for (size_t i = 0; i < stage->derived_count; i++)
        walk->environment.bound[stage->derived[i]] = false;
    *legal = true;
    for (size_t i = 0; i < stage->constraint_count && *legal; i++) {
        size_t index = stage->constraints[i];
        enum status status =
            formula_truth(&experiment->constraints[index], &walk->environment, legal, walk->error);
        if (status != STATUS_OK)
            return status;
        walk->ruled_out[index] += !*legal;
    }
    return STATUS_OK;
}

static enum status keep_point(struct walk *walk)
{
    struct space *space = walk->space;
    if (space->count == SPACE_POINTS_MAX)
        return place_error(walk->error, STATUS_BAD_INPUT, space->experiment->parameters_place,
                           "more than %d legal configurations: give fewer values or more "
                           "constraints",
                           SPACE_POINTS_MAX);
    if (space->count == space->capacity) {
        size_t capacity = space->capacity ? space->capacity * 2 : 1024;
        uint16_t *points =
            realloc(space->points, capacity * space->parameter_count * sizeof *points);
        if (!points)
            return error_no_memory(walk->error);
        space->points = points;
        space->capacity = capacity;
    }
    memcpy(space->points + space->count * space->parameter_count, walk->chosen,
           space->parameter_count * sizeof *walk->chosen);
    space->count++;
    return STATUS_OK;
}

static enum status walk_parameter(struct walk *walk, size_t depth)
{
    struct space *space = walk->space;
    if (depth == space->parameter_count)
        return keep_point(walk);
    for (size_t i = 0; i < space->value_counts[depth]; i++) {
        if (++walk->steps > SPACE_STEPS_MAX)
            return place_error(walk->error, STATUS_BAD_INPUT, space->experiment->parameters_place,
                               "too many values to try: put the parameters that constraints name "
                               "first, or give fewer values");
        walk->chosen[depth] = (uint16_t)i;
        environment_bind(&walk->environment, SLOT_PARAMETERS + depth, space->values[depth][i]);
        bool legal = false;
        enum status status = check_stage(walk, depth + 1, &legal);
        if (status == STATUS_OK && legal)
            status = walk_parameter(walk, depth + 1);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

/* Texts are copied, since those of facts live only as long as the caller's. */
static enum status keep_value(struct space *space, size_t parameter, struct value value,
                              struct error *error)
{
    struct value *values = space->values[parameter];
    for (size_t i = 0; i < space->value_counts[parameter]; i++)
        if (same_value(values[i], value))
            return STATUS_OK;
    if (value.kind == VALUE_TEXT) {
        value.text = arena_strdup(&space->arena, value.text);
        if (!value.text)
            return error_no_memory(error);
    }
    values[space->value_counts[parameter]++] = value;
    return STATUS_OK;
}

static enum status evaluate_values(struct space *space, struct environment *environment,
                                   struct error *error)
{
    const struct experiment *experiment = space->experiment;
    space->product_count = 1;
    for (size_t i = 0; i < experiment->parameter_count; i++) {
        const struct named_list *parameter = &experiment->parameters[i];
        space->values[i] = arena_alloc(&space->arena, parameter->count, sizeof(struct value));
        if (!space->values[i])
            return error_no_memory(error);
        for (size_t j = 0; j < parameter->count; j++) {
            struct value value;
            enum status status =
                expression_evaluate(parameter->values[j].tree, environment, &value, error);
            if (status == STATUS_OK)
                status = check_value(value, parameter->values[j].place, error);
            if (status == STATUS_OK)
                status = keep_value(space, i, value, error);
            if (status != STATUS_OK)
                return status;
        }
        if (__builtin_mul_overflow(space->product_count, space->value_counts[i],
                                   &space->product_count))
            space->product_count = SIZE_MAX;
    }
    return STATUS_OK;
}

static enum status empty_space(const struct walk *walk, const struct problem *problem)
{
    const struct experiment *experiment = walk->space->experiment;
    size_t worst = 0;
    for (size_t i = 1; i < experiment->constraint_count; i++)
        if (walk->ruled_out[i] > walk->ruled_out[worst])
            worst = i;
    return place_error(walk->error, STATUS_BAD_INPUT, experiment->constraints[worst].place,
                       "the constraints leave no configuration for %s with %s = %lld; this one "
                       "ruled out most",
                       problem->key, problem->size_name, (long long)problem->n);
}

static enum status fill_space(struct walk *walk, const struct problem *problem,
                              const struct facts *facts)
{
    struct space *space = walk->space;
    environment_start(&walk->environment, space->experiment, problem, facts);
    place_stages(space->experiment, walk);
    bool legal = false;
    enum status status = evaluate_values(space, &walk->environment, walk->error);
    if (status == STATUS_OK)
        status = check_stage(walk, 0, &legal);
    if (status == STATUS_OK && legal)
        status = walk_parameter(walk, 0);
    if (status == STATUS_OK && space->count == 0)
        status = empty_space(walk, problem);
    return status;
}

enum status space_create(const struct experiment *experiment, const struct problem *problem,
                         const struct facts *facts, struct space **out, struct error *error)
{
    struct space *space = calloc(1, sizeof *space);
    struct walk *walk = calloc(1, sizeof *walk);
    enum status status = STATUS_OK;
    if (!space || !walk) {
        status = error_no_memory(error);
    } else {
        space->experiment = experiment;
        space->parameter_count = experiment->parameter_count;
        walk->space = space;
        walk->error = error;
        status = fill_space(walk, problem, facts);
    }
    free(walk);
    if (status == STATUS_OK)
        *out = space;
    else
        space_free(space);
    return status;
}

void space_free(struct space *space)
{
    if (!space)
        return;
    arena_free(&space->arena);
    free(space->points);
    free(space);
}

uint64_t space_count(const struct space *space)
{
    return space->count;
}

uint64_t space_product_count(const struct space *space)
{
    return space->product_count;
}

void space_configuration(const struct space *space, uint64_t index, struct configuration *out)
{
    const uint16_t *point = space->points + index * space->parameter_count;
    out->count = space->parameter_count;
    for (size_t i = 0; i < space->parameter_count; i++)
        out->values[i] = (struct named_value){.name = space->experiment->parameters[i].name,
                                              .value = space->values[i][point[i]]};
}

/* ---- one point, without the others ---- */

static enum status find_value(const struct named_list *parameter, struct value value,
                              struct environment *environment, bool *found, struct error *error)
{
    *found = false;
    for (size_t i = 0; i < parameter->count && !*found; i++) {
        struct value candidate;
        enum status status =
            expression_evaluate(parameter->values[i].tree, environment, &candidate, error);
        if (status != STATUS_OK)
            return status;
        *found = same_value(candidate, value);
    }
    return STATUS_OK;
}

static const struct named_value *find_parameter(const struct configuration *configuration,
                                                const char *name)
{
    for (size_t i = 0; i < configuration->count; i++)
        if (strcmp(configuration->values[i].name, name) == 0)
            return &configuration->values[i];
    return NULL;
}

/* Whether each parameter has one of its values, and nothing else has one; then binds them. */
static enum status bind_values(const struct experiment *experiment,
                               const struct configuration *configuration,
                               struct environment *environment, bool *among, struct error *error)
{
    *among = configuration->count == experiment->parameter_count;
    for (size_t i = 0; i < experiment->parameter_count && *among; i++) {
        const struct named_list *parameter = &experiment->parameters[i];
        const struct named_value *given = find_parameter(configuration, parameter->name);
        *among = given != NULL;
        if (!given)
            break;
        enum status status = find_value(parameter, given->value, environment, among, error);
        if (status != STATUS_OK)
            return status;
        environment_bind(environment, SLOT_PARAMETERS + i, given->value);
    }
    return STATUS_OK;
}

/* In the order in which the walk comes upon them: one may guard another against an error. */
static enum status keeps_constraints(const struct experiment *experiment,
                                     struct environment *environment, bool *keeps,
                                     struct error *error)
{
    size_t depths[CONSTRAINTS_MAX];
    for (size_t i = 0; i < experiment->constraint_count; i++)
        depths[i] = depth_of(experiment, experiment->constraints[i].uses);
    *keeps = true;
    for (size_t depth = 0; depth <= experiment->parameter_count; depth++)
        for (size_t i = 0; i < experiment->constraint_count && *keeps; i++) {
            if (depths[i] != depth)
                continue;
            enum status status =
                formula_truth(&experiment->constraints[i], environment, keeps, error);
            if (status != STATUS_OK)
                return status;
        }
    return STATUS_OK;
}

enum status space_admits(const struct experiment *experiment, const struct problem *problem,
                         const struct facts *facts, const struct configuration *configuration,
                         bool *admits, struct error *error)
{
    struct environment environment;
    environment_start(&environment, experiment, problem, facts);
    enum status status = bind_values(experiment, configuration, &environment, admits, error);
    if (status == STATUS_OK && *admits)
        status = keeps_constraints(experiment, &environment, admits, error);
    return status;
}
