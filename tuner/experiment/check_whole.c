/* What can only be checked when the whole file has been read. */
#include <string.h>

#include "tuner/base/text.h"
#include "tuner/experiment/plan.h"
#include "tuner/experiment/read.h"

static bool check_problem_count(struct file_reader *reader)
{
    const struct experiment *experiment = reader->experiment;
    size_t count = experiment->size.count;
    for (size_t i = 0; i < experiment->axis_count; i++) {
        count *= experiment->axes[i].count; /* at most 256 * 64 before it is compared */
        if (count > PROBLEMS_MAX) {
            (void)place_error(reader->error, STATUS_BAD_INPUT, experiment->axes[i].place,
                              "more than %d problems", PROBLEMS_MAX);
            return false;
        }
    }
    return true;
}

/* The length of a value as it is written, at most; texts that facts give are of this length too. */
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

static bool check_keys_fit(struct file_reader *reader)
{
    const struct experiment *experiment = reader->experiment;
    size_t problem = strlen(experiment->name);
    size_t configuration = 0;
    for (size_t i = 0; i < experiment->axis_count; i++) {
        problem += 1 + longest_value(&experiment->axes[i]);
        if (problem >= PROBLEM_KEY_BYTES) {
            (void)place_error(reader->error, STATUS_BAD_INPUT, experiment->axes[i].place,
                              "the names of the problems come to more than %d characters",
                              PROBLEM_KEY_BYTES - 1);
            return false;
        }
    }
    for (size_t i = 0; i < experiment->parameter_count; i++) {
        const struct named_list *parameter = &experiment->parameters[i];
        configuration += 2 + strlen(parameter->name) + longest_value(parameter);
        if (configuration >= CONFIGURATION_KEY_BYTES) {
            (void)place_error(reader->error, STATUS_BAD_INPUT, parameter->place,
                              "the names and values of a configuration come to more than %d "
                              "characters",
                              CONFIGURATION_KEY_BYTES - 1);
            return false;
        }
    }
    return true;
}

/* Types, alignments and fills that the axes alone decide, for each point of the axes: a wrong one
 * is found before anything runs. */
static bool check_arguments(struct file_reader *reader, struct environment *environment,
                            struct arena *arena)
{
    const struct experiment *experiment = reader->experiment;
    for (size_t i = 0; i < experiment->argument_count; i++) {
        const struct argument_rule *rule = &experiment->arguments[i];
        enum element_type type = ELEMENT_I32;
        enum argument_fill fill = FILL_ZERO;
        if (within(experiment, rule->type.uses, USE_AXES) && rule->type.count > 0 &&
            named_type(&rule->type, environment, arena, &type, reader->error) != STATUS_OK)
            return false;
        uint32_t alignment = 0;
        const struct slot_set both = slot_set_union(rule->type.uses, rule->alignment.uses);
        if (within(experiment, both, USE_AXES) &&
            argument_alignment(rule, type, environment, &alignment, reader->error) != STATUS_OK)
            return false;
        if (role_is_filled(rule->role) && within(experiment, rule->fill.word.uses, USE_AXES) &&
            argument_fill(&rule->fill, environment, arena, &fill, reader->error) != STATUS_OK)
            return false;
    }
    return true;
}

static bool check_axes_points(struct file_reader *reader)
{
    const struct experiment *experiment = reader->experiment;
    size_t points = experiment_problem_count(experiment) / experiment->size.count;
    bool right = true;
    for (size_t i = 0; i < points && right; i++) {
        struct environment environment;
        struct problem problem;
        struct arena arena = {0};
        problem_at_axes(experiment, i, &problem);
        environment_start(&environment, experiment, &problem, NULL);
        environment.bound[SLOT_SIZE] = false;
        enum ceiling ceiling = CEILING_READ;
        enum element_type type = ELEMENT_F32;
        right = check_arguments(reader, &environment, &arena) &&
                (!within(experiment, experiment->ceiling.uses, USE_AXES) ||
                 problem_ceiling(experiment, &environment, &ceiling, reader->error) == STATUS_OK) &&
                (!within(experiment, experiment->operations_type.uses, USE_AXES) ||
                 problem_operations_type(experiment, &problem, &environment, &type,
                                         reader->error) == STATUS_OK);
        arena_free(&arena);
    }
    return right;
}

static bool is_of_problem(const struct experiment *experiment, const struct formula *formula)
{
    return within(experiment, formula->uses, USE_PROBLEM);
}

/* What a vector is filled with, as far as the problem decides it: counts, ranges, files. */
static bool check_fill(struct file_reader *reader, const struct argument_rule *rule,
                       const struct problem *problem, struct environment *environment,
                       struct arena *arena)
{
    const struct experiment *experiment = reader->experiment;
    const struct fill_rule *fill = &rule->fill;
    struct argument argument = {.name = rule->name, .role = rule->role};
    enum status status = named_type(&rule->type, environment, arena, &argument.type, reader->error);
    if (status == STATUS_OK)
        status = argument_count(rule, environment, &argument.count, reader->error);
    if (status == STATUS_OK && is_of_problem(experiment, &fill->low) &&
        is_of_problem(experiment, &fill->high) && is_of_problem(experiment, &fill->series))
        status = make_fill(experiment, rule, problem, environment, arena, &argument, reader->error);
    return status == STATUS_OK;
}

static bool check_argument(struct file_reader *reader, const struct argument_rule *rule,
                           const struct problem *problem, struct environment *environment,
                           struct arena *arena)
{
    int64_t count = 0;
    if (role_is_filled(rule->role))
        return check_fill(reader, rule, problem, environment, arena);
    return !role_is_vector(rule->role) || !is_of_problem(reader->experiment, &rule->count) ||
           argument_count(rule, environment, &count, reader->error) == STATUS_OK;
}

/* Tolerances and the reference's file, likewise. */
static bool check_check(struct file_reader *reader, const struct check_rule *rule,
                        struct environment *environment, struct arena *arena)
{
    const struct experiment *experiment = reader->experiment;
    const struct argument_rule *output = &experiment->arguments[rule->output];
    const struct tolerance_rule *given = &rule->tolerance;
    const struct formula *const formulas[] = {&given->magnitude, &given->absolute, &given->relative,
                                              &given->ulps, &given->total};
    struct tolerance tolerance;
    enum element_type type = ELEMENT_I32;
    int64_t count = 0;
    const char *path = NULL;
    if (!within(experiment, output->type.uses, USE_PROBLEM))
        return true;
    enum status status = named_type(&output->type, environment, arena, &type, reader->error);
    for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++)
        if (!is_of_problem(experiment, formulas[i]))
            return status == STATUS_OK;
    if (status == STATUS_OK)
        status = check_tolerance(rule, type, environment, &tolerance, reader->error);
    if (status == STATUS_OK && rule->kind == REFERENCE_FILE &&
        is_of_problem(experiment, &output->count)) {
        status = file_path(experiment, &rule->file, environment, arena, &path, reader->error);
        if (status == STATUS_OK)
            status = argument_count(output, environment, &count, reader->error);
        if (status == STATUS_OK)
            status = file_holds(path, rule->file.place, count, type, reader->error);
    }
    return status == STATUS_OK;
}

static bool check_problem(struct file_reader *reader, size_t index)
{
    const struct experiment *experiment = reader->experiment;
    struct environment environment;
    struct problem problem;
    struct arena arena = {0};
    bool right = true;
    experiment_problem(experiment, index, &problem);
    environment_start(&environment, experiment, &problem, NULL);
    for (size_t i = 0; i < experiment->argument_count && right; i++)
        right = check_argument(reader, &experiment->arguments[i], &problem, &environment, &arena);
    for (size_t i = 0; i < experiment->check_count && right; i++)
        right = check_check(reader, &experiment->checks[i], &environment, &arena);
    arena_free(&arena);
    return right;
}

static bool check_problems(struct file_reader *reader)
{
    const size_t count = experiment_problem_count(reader->experiment);
    for (size_t i = 0; i < count; i++)
        if (!check_problem(reader, i))
            return false;
    return true;
}

static bool check_objectives(struct file_reader *reader)
{
    const struct experiment *experiment = reader->experiment;
    for (size_t i = 0; i < experiment->objective_count; i++)
        if (!check_number(experiment, &experiment->objectives[i].formula, reader->error))
            return false;
    for (size_t i = 0; i < experiment->metric_count; i++)
        if (!check_number(experiment, &experiment->metrics[i].formula, reader->error))
            return false;
    return true;
}

bool check_whole(struct file_reader *reader)
{
    return check_problem_count(reader) && check_keys_fit(reader) &&
           check_types(reader->experiment, reader->formulas, reader->error) &&
           check_axes_points(reader) && check_problems(reader) && check_objectives(reader);
}
