/* Questions answered without making the space, or about one constraint: whether a configuration is
 * a point, why the defaults are none, how many points a constraint excludes. */
#include <stdlib.h>
#include <string.h>

#include "tuner/experiment/space.h"

/* Finds whether a parameter has the value. */
static bool find_value(struct maker *maker, const struct named_list *parameter, struct value value,
                       bool *found)
{
    struct arena arena = {0};
    struct value *values = NULL;
    size_t count = parameter->count;
    bool right = !parameter->list.tree ||
                 expression_evaluate_list(parameter->list.tree, &maker->environment, &arena,
                                          &values, &count, maker->error) == STATUS_OK;
    *found = false;
    for (size_t i = 0; i < count && right && !*found; i++) {
        struct value candidate = values ? values[i] : value;
        right = values || make_value(maker, &parameter->values[i], &candidate);
        *found = right && value_equal(candidate, value);
    }
    arena_free(&arena);
    return right;
}

/* Returns whether the constraint can be evaluated and is false. */
static bool rules_out(struct maker *maker, const struct formula *constraint)
{
    struct error *error = maker->error;
    bool keeps = true;
    maker->error = NULL;
    const bool is_decided = make_truth(maker, constraint, &keeps);
    maker->error = error;
    return is_decided && !keeps;
}

enum status space_admits(const struct experiment *experiment, const struct problem *problem,
                         const struct facts *facts, const struct configuration *configuration,
                         bool *admits, struct error *error)
{
    struct value values[EXPERIMENT_PARAMETERS_MAX];
    uint8_t depths[EXPERIMENT_CONSTRAINTS_MAX] = {0};
    struct maker maker;
    maker_start(&maker, experiment, problem, facts, NULL, error);
    /* A point has a known value for each parameter, and no others. */
    *admits = configuration->count == experiment->head.parameter_count;
    for (size_t i = 0; i < experiment->head.parameter_count && *admits; i++) {
        const struct named_list *parameter = &experiment->parameters[i];
        const struct value *given = configuration_value(configuration, i, parameter->name);
        *admits = given != NULL;
        if (given && !find_value(&maker, parameter, *given, admits))
            return error->status;
        if (*admits)
            values[i] = *given;
    }
    /* A constraint is evaluated once the last parameter that it depends on is bound. */
    for (size_t i = 0; i < experiment->head.constraint_count; i++) {
        const struct slot_set reached = slots_reached(experiment, experiment->constraints[i].uses);
        size_t depth = experiment->head.parameter_count;
        while (depth > 0 && !slot_set_has(&reached, SLOT_PARAMETERS + depth - 1))
            depth--;
        depths[i] = (uint8_t)depth;
    }
    for (size_t i = 0; i <= experiment->head.parameter_count && *admits; i++) {
        if (i > 0)
            environment_bind(&maker.environment, SLOT_PARAMETERS + i - 1, values[i - 1]);
        /* The constraints of this depth, then those that are already false whatever their other
         * parameters: in the order in which a space is made, since one may guard another against an
         * error. */
        for (size_t j = 0; j < experiment->head.constraint_count && *admits; j++)
            if (depths[j] == i && !make_truth(&maker, &experiment->constraints[j], admits))
                return error->status;
        for (size_t j = 0; j < experiment->head.constraint_count && *admits; j++)
            *admits = depths[j] <= i || !rules_out(&maker, &experiment->constraints[j]);
    }
    return STATUS_OK;
}

enum status experiment_defaults_reason(const struct experiment *experiment,
                                       const struct problem *problem, const struct facts *facts,
                                       struct arena *arena, const char **out, struct error *error)
{
    struct configuration configuration;
    struct maker maker;
    bool admits = true;
    *out = NULL;
    if (!experiment->defaults.given)
        return STATUS_OK;
    maker_start(&maker, experiment, problem, facts, arena, error);
    if (!make_configuration(&maker, experiment->defaults.values, &configuration))
        return error->status;
    TRY(space_admits(experiment, problem, facts, &configuration, &admits, error));
    if (admits)
        return STATUS_OK;
    for (size_t i = 0; i < configuration.count && !*out; i++) {
        const struct named_value *given = &configuration.values[i];
        char text[VALUE_TEXT_BYTES] = "";
        bool found = false;
        if (!find_value(&maker, &experiment->parameters[i], given->value, &found))
            return error->status;
        (void)value_format(given->value, text, sizeof text);
        if (!found)
            *out = arena_printf(arena, "%s = %s is not among its values", given->name, text);
        environment_bind(&maker.environment, SLOT_PARAMETERS + i, given->value);
    }
    for (size_t i = 0; i < experiment->head.constraint_count && !*out; i++)
        if (rules_out(&maker, &experiment->constraints[i]))
            *out = arena_printf(arena, "the constraint '%s' rules them out",
                                experiment->constraints[i].text);
    if (!*out)
        *out = "a constraint rules them out";
    return STATUS_OK;
}

/* ---- constraints ---- */

enum status space_constraint_keeps(const struct experiment *experiment,
                                   const struct problem *problem, const struct facts *facts,
                                   size_t index, uint64_t *kept, struct error *error)
{
    struct space *space = NULL;
    struct experiment *alone = malloc(sizeof *alone);
    TRY_MEMORY(alone);
    *alone = *experiment;
    alone->constraints[0] = experiment->constraints[index];
    alone->head.constraint_count = 1;
    enum status status = space_create(alone, problem, facts, &space, error);
    *kept = status == STATUS_OK ? space_count(space) : 0;
    if (status == STATUS_NOT_FOUND) {
        error_clear(error);
        status = STATUS_OK;
    }
    space_free(space);
    free(alone);
    return status;
}
