/* Checks that need the whole file. */
#include <string.h>

#include "tuner/base/text.h"
#include "tuner/experiment/plan.h"
#include "tuner/experiment/read.h"

/* Returns the length of a value as written, at most; texts from facts count with this length,
 * too. */
static size_t value_length(const struct formula *formula)
{
    char text[VALUE_TEXT_BYTES] = "";
    if (formula->tree->kind == EXPRESSION_CONSTANT &&
        value_format(formula->tree->constant, text, sizeof text))
        return strlen(text);
    return 24;
}

static size_t longest_value(const struct named_list *list)
{
    size_t longest = list->list.tree ? 24 : 0;
    for (size_t i = 0; i < list->count; i++)
        if (value_length(&list->values[i]) > longest)
            longest = value_length(&list->values[i]);
    return longest;
}

/* Checks types, alignments and fills that depend on the axes alone, for each point of the axes, so
 * that a wrong one is found before a run. */
static bool check_axes_point(struct maker *maker)
{
    const struct experiment *experiment = maker->experiment;
    enum ceiling ceiling = CEILING_READ;
    enum element_type type = ELEMENT_I32;
    for (size_t i = 0; i < experiment->argument_count; i++) {
        const struct argument_rule *rule = &experiment->arguments[i];
        const struct slot_set both = slot_set_union(rule->type.uses, rule->alignment.uses);
        enum argument_fill fill = FILL_ZERO;
        uint32_t alignment = 0;
        type = ELEMENT_I32;
        if ((within(experiment, rule->type.uses, USE_AXES) && rule->type.count > 0 &&
             !make_type(maker, &rule->type, &type)) ||
            (within(experiment, both, USE_AXES) &&
             !make_alignment(maker, rule, type, &alignment)) ||
            (role_is_filled(rule->role) && within(experiment, rule->fill.word.uses, USE_AXES) &&
             !make_fill_kind(maker, &rule->fill, &fill)))
            return false;
    }
    return (!within(experiment, experiment->ceiling.uses, USE_AXES) ||
            make_ceiling(maker, &ceiling)) &&
           (!within(experiment, experiment->operations_type.uses, USE_AXES) ||
            make_operations_type(maker, &type));
}

static bool is_of_problem(const struct maker *maker, const struct formula *formula)
{
    return within(maker->experiment, formula->uses, USE_PROBLEM);
}

static bool check_problem(struct maker *maker)
{
    const struct experiment *experiment = maker->experiment;
    /* Counts and fills, as far as they depend on the problem only: ranges, files. */
    for (size_t i = 0; i < experiment->argument_count; i++) {
        const struct argument_rule *rule = &experiment->arguments[i];
        const struct fill_rule *fill = &rule->fill;
        struct argument argument = {.name = rule->name, .role = rule->role};
        const bool filled = role_is_filled(rule->role);
        if (!filled && (!role_is_vector(rule->role) || !is_of_problem(maker, &rule->count)))
            continue;
        TRY_OR_FALSE((!filled || make_type(maker, &rule->type, &argument.type)) &&
                     make_count(maker, rule, &argument.count));
        if (filled && is_of_problem(maker, &fill->low) && is_of_problem(maker, &fill->high) &&
            is_of_problem(maker, &fill->series) && !make_fill(maker, rule, &argument))
            return false;
    }
    for (size_t i = 0; i < experiment->check_count; i++)
        TRY_OR_FALSE(check_of_problem(maker, &experiment->checks[i]));
    return true;
}

bool check_whole(struct file_reader *reader)
{
    const struct experiment *experiment = reader->experiment;
    size_t count = experiment->size.count;
    for (size_t i = 0; i < experiment->axis_count; i++) {
        count *= experiment->axes[i].count; /* at most 256 * 64 before the comparison */
        if (count > PROBLEMS_MAX)
            return place_refuses(reader->error, experiment->axes[i].place, "more than %d problems",
                                 PROBLEMS_MAX);
    }
    /* Keys have a limited length. */
    size_t problem = strlen(experiment->head.name);
    size_t configuration = 0;
    for (size_t i = 0; i < experiment->axis_count; i++) {
        problem += 1 + longest_value(&experiment->axes[i]);
        if (problem >= PROBLEM_KEY_BYTES)
            return place_refuses(reader->error, experiment->axes[i].place,
                                 "the names of the problems have more than %d characters in all",
                                 PROBLEM_KEY_BYTES - 1);
    }
    for (size_t i = 0; i < experiment->head.parameter_count; i++) {
        const struct named_list *parameter = &experiment->parameters[i];
        configuration += 2 + strlen(parameter->name) + longest_value(parameter);
        if (configuration >= CONFIGURATION_KEY_BYTES)
            return place_refuses(
                reader->error, parameter->place,
                "the names and values of a configuration have more than %d characters in all",
                CONFIGURATION_KEY_BYTES - 1);
    }
    TRY_OR_FALSE(check_types(experiment, reader->formulas, reader->error));
    const size_t problems = experiment_problem_count(experiment);
    const size_t points = problems / experiment->size.count;
    for (size_t i = 0; i < points + problems; i++) {
        struct arena arena = {0};
        struct problem problem_here;
        struct maker maker;
        if (i < points)
            problem_at_axes(experiment, i, &problem_here);
        else
            experiment_problem(experiment, i - points, &problem_here);
        maker_start(&maker, experiment, &problem_here, NULL, &arena, reader->error);
        if (i < points) /* whatever the size */
            maker.environment.bound[SLOT_SIZE] = false;
        const bool right = i < points ? check_axes_point(&maker) : check_problem(&maker);
        arena_free(&arena);
        TRY_OR_FALSE(right);
    }
    for (size_t i = 0; i < experiment->objective_count; i++)
        TRY_OR_FALSE(check_number(experiment, &experiment->objectives[i].formula, reader->error));
    for (size_t i = 0; i < experiment->metric_count; i++)
        TRY_OR_FALSE(check_number(experiment, &experiment->metrics[i].formula, reader->error));
    return true;
}
