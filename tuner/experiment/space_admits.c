/* Whether a configuration is a point of a space, without the space. */
#include <stdlib.h>
#include <string.h>

#include "tuner/experiment/plan.h"
#include "tuner/experiment/space.h"

static const struct named_value *find_parameter(const struct configuration *configuration,
                                                const char *name)
{
    for (size_t i = 0; i < configuration->count; i++)
        if (strcmp(configuration->values[i].name, name) == 0)
            return &configuration->values[i];
    return NULL;
}

/* A short list is not made for one question. */
static enum status find_in_values(const struct named_list *parameter, struct value value,
                                  struct environment *environment, bool *found, struct error *error)
{
    *found = false;
    for (size_t i = 0; i < parameter->count && !*found; i++) {
        struct value candidate;
        enum status status =
            expression_evaluate(parameter->values[i].tree, environment, &candidate, error);
        if (status != STATUS_OK)
            return status;
        *found = value_equal(candidate, value);
    }
    return STATUS_OK;
}

static enum status find_in_list(const struct named_list *parameter, struct value value,
                                struct environment *environment, bool *found, struct error *error)
{
    struct arena arena = {0};
    struct value *values = NULL;
    size_t count = 0;
    enum status status =
        expression_evaluate_list(parameter->list.tree, environment, &arena, &values, &count, error);
    *found = false;
    for (size_t i = 0; i < count && status == STATUS_OK && !*found; i++)
        *found = value_equal(values[i], value);
    arena_free(&arena);
    return status;
}

/* Whether each parameter has one of its values, and nothing else has one. */
static enum status among_values(const struct experiment *experiment,
                                const struct configuration *configuration,
                                struct environment *environment,
                                struct value values[EXPERIMENT_PARAMETERS_MAX], bool *among,
                                struct error *error)
{
    *among = configuration->count == experiment->parameter_count;
    for (size_t i = 0; i < experiment->parameter_count && *among; i++) {
        const struct named_list *parameter = &experiment->parameters[i];
        const struct named_value *given = find_parameter(configuration, parameter->name);
        *among = given != NULL;
        if (!given)
            break;
        enum status status =
            parameter->list.tree
                ? find_in_list(parameter, given->value, environment, among, error)
                : find_in_values(parameter, given->value, environment, among, error);
        if (status != STATUS_OK)
            return status;
        values[i] = given->value;
    }
    return STATUS_OK;
}

/* The depth at which a constraint is asked: 1 + the last parameter that it needs. */
static size_t depth_of(const struct experiment *experiment, struct slot_set uses)
{
    const struct slot_set reached = slots_reached(experiment, uses);
    for (size_t i = experiment->parameter_count; i-- > 0;)
        if (slot_set_has(&reached, SLOT_PARAMETERS + i))
            return i + 1;
    return 0;
}

/* The constraints that are asked at this depth, then those that are false already, whatever they
 * still need: in the order of a space's making, since one may guard another against an error. */
static enum status keeps_at(const struct experiment *experiment, const uint8_t *depths,
                            size_t depth, struct environment *environment, bool *keeps,
                            struct error *error)
{
    struct error ignored;
    *keeps = true;
    for (size_t i = 0; i < experiment->constraint_count && *keeps; i++)
        if (depths[i] == depth) {
            enum status status =
                formula_truth(&experiment->constraints[i], environment, keeps, error);
            if (status != STATUS_OK)
                return status;
        }
    for (size_t i = 0; i < experiment->constraint_count && *keeps; i++)
        if (depths[i] > depth &&
            formula_truth(&experiment->constraints[i], environment, keeps, &ignored) != STATUS_OK)
            *keeps = true;
    return STATUS_OK;
}

enum status space_admits(const struct experiment *experiment, const struct problem *problem,
                         const struct facts *facts, const struct configuration *configuration,
                         bool *admits, struct error *error)
{
    struct environment environment;
    struct value values[EXPERIMENT_PARAMETERS_MAX];
    uint8_t depths[CONSTRAINTS_MAX];
    environment_start(&environment, experiment, problem, facts);
    enum status status =
        among_values(experiment, configuration, &environment, values, admits, error);
    for (size_t i = 0; i < experiment->constraint_count; i++)
        depths[i] = (uint8_t)depth_of(experiment, experiment->constraints[i].uses);
    for (size_t i = 0; i <= experiment->parameter_count && status == STATUS_OK && *admits; i++) {
        if (i > 0)
            environment_bind(&environment, SLOT_PARAMETERS + i - 1, values[i - 1]);
        status = keeps_at(experiment, depths, i, &environment, admits, error);
    }
    return status;
}

/* The first value that is none of its parameter's; *out stays NULL when there is none. */
static enum status foreign_value(const struct experiment *experiment,
                                 const struct configuration *configuration,
                                 struct environment *environment, struct arena *arena,
                                 const char **out, struct error *error)
{
    char text[VALUE_TEXT_BYTES];
    for (size_t i = 0; i < configuration->count && !*out; i++) {
        const struct named_list *parameter = &experiment->parameters[i];
        const struct named_value *given = &configuration->values[i];
        bool found = false;
        enum status status =
            parameter->list.tree
                ? find_in_list(parameter, given->value, environment, &found, error)
                : find_in_values(parameter, given->value, environment, &found, error);
        if (status != STATUS_OK)
            return status;
        if (!value_format(given->value, text, sizeof text))
            text[0] = '\0';
        if (!found)
            *out = arena_printf(arena, "%s = %s is not among its values", given->name, text);
        environment_bind(environment, SLOT_PARAMETERS + i, given->value);
    }
    return STATUS_OK;
}

enum status experiment_defaults_reason(const struct experiment *experiment,
                                       const struct problem *problem, const struct facts *facts,
                                       struct arena *arena, const char **out, struct error *error)
{
    struct configuration configuration;
    struct environment environment;
    struct error ignored;
    bool admits = true;
    *out = NULL;
    if (!experiment->defaults.given)
        return STATUS_OK;
    enum status status =
        setting_values(experiment, &experiment->defaults, problem, facts, &configuration, error);
    if (status == STATUS_OK)
        status = space_admits(experiment, problem, facts, &configuration, &admits, error);
    if (status != STATUS_OK || admits)
        return status;
    environment_start(&environment, experiment, problem, facts);
    status = foreign_value(experiment, &configuration, &environment, arena, out, error);
    for (size_t i = 0; i < experiment->constraint_count && status == STATUS_OK && !*out; i++) {
        bool keeps = true;
        if (formula_truth(&experiment->constraints[i], &environment, &keeps, &ignored) ==
                STATUS_OK &&
            !keeps)
            *out = arena_printf(arena, "the constraint '%s' rules them out",
                                experiment->constraints[i].text);
    }
    if (status == STATUS_OK && !*out)
        *out = "a constraint rules them out";
    return status;
}
