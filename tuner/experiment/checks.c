/* What a configuration's outputs are held against. */
#include <math.h>
#include <string.h>

#include "tuner/experiment/plan.h"

/* ---- tolerances ---- */

static enum status make_ulps(const struct check_rule *rule, enum element_type type,
                             struct environment *environment, uint32_t *out, struct error *error)
{
    int64_t ulps = 0;
    enum status status =
        formula_integer(&rule->tolerance.ulps, "ulps", 0, UINT32_MAX, 0, environment, &ulps, error);
    if (status == STATUS_OK && ulps > 0 && !element_is_real(type))
        status = place_error(error, STATUS_BAD_INPUT, rule->tolerance.ulps.place,
                             "ulps are of reals, and the output's elements are %s: use 'absolute'",
                             element_name(type));
    *out = (uint32_t)ulps;
    return status;
}

/* What another plan leaves is rounded otherwise when it adds in another order. */
static double usual_tolerance(enum element_type type)
{
    if (!element_is_real(type))
        return 0;
    return type == ELEMENT_F64 ? 1e-9 : type == ELEMENT_F32 ? 1e-4 : 1e-2;
}

enum status check_tolerance(const struct check_rule *rule, enum element_type type,
                            struct environment *environment, struct tolerance *out,
                            struct error *error)
{
    const struct tolerance_rule *given = &rule->tolerance;
    *out = (struct tolerance){0};
    if (!given->given) {
        out->magnitude = rule->kind == REFERENCE_PLAN ? usual_tolerance(type) : 0;
        return STATUS_OK;
    }
    const struct {
        const char *what;
        const struct formula *formula;
        double *out;
    } rows[] = {{"the tolerance", &given->magnitude, &out->magnitude},
                {"absolute", &given->absolute, &out->absolute},
                {"relative", &given->relative, &out->relative},
                {"total", &given->total, &out->total}};
    enum status status = make_ulps(rule, type, environment, &out->ulps, error);
    for (size_t i = 0; i < sizeof rows / sizeof *rows && status == STATUS_OK; i++)
        status = formula_real(rows[i].formula, rows[i].what, 0, HUGE_VAL, 0, environment,
                              rows[i].out, error);
    return status;
}

/* ---- references ---- */

static enum status make_function(const struct experiment *experiment, const struct check_rule *rule,
                                 struct environment *environment, struct arena *arena,
                                 struct binary_request *binary, const char **function,
                                 struct error *error)
{
    *binary = (struct binary_request){.source_path = rule->source,
                                      .architecture = "native",
                                      .folder_count = experiment->folder_count};
    memcpy(binary->folders, experiment->folders, sizeof binary->folders);
    enum status status = make_defines(&rule->defines, environment, arena, binary, error);
    if (status == STATUS_OK)
        status = template_text(&rule->reference, environment, arena, function, error);
    binary->kernels[0] = *function;
    binary->kernel_count = status == STATUS_OK ? 1 : 0;
    return status;
}

/* The output has as many elements in the reference as in the configuration, where that is known. */
static enum status same_count(const struct check_rule *rule, const struct argument_rule *output,
                              const struct launch_plan *plan, struct environment *environment,
                              struct error *error)
{
    struct error unknown = {0};
    int64_t count = 0;
    const int64_t expected = plan->arguments[rule->output].count;
    if (argument_count(output, environment, &count, &unknown) != STATUS_OK || count == expected)
        return STATUS_OK; /* point_plan says what is wrong */
    return place_error(
        error, STATUS_BAD_INPUT, output->count.place,
        "'%s' has %lld elements here and %lld in the reference's configuration: they "
        "cannot be compared",
        output->name, (long long)count, (long long)expected);
}

/* Another plan is that of one configuration, whichever is checked, so that one result serves all.
 * Where a grid is made of the resident blocks it takes one per SM: how many there are is known of
 * the checked configuration only. */
static enum status make_other(const struct point *point, const struct check_rule *rule,
                              struct arena *arena, struct output_check *out, struct error *error)
{
    const struct experiment *experiment = point->experiment;
    struct configuration configuration;
    struct environment environment;
    struct point other = *point;
    enum status status =
        rule->setting.given
            ? setting_values(experiment, &rule->setting, point->problem, point->facts,
                             &configuration, error)
            : experiment_default(experiment, point->problem, point->facts, &configuration, error);
    if (status != STATUS_OK)
        return status;
    other.configuration = &configuration;
    other.active_blocks = 1;
    struct launch_list list = launches_of(experiment);
    if (rule->launch_count > 0)
        list = (struct launch_list){rule->launches, rule->launch_count};
    struct launch_plan *plan = arena_alloc(arena, 1, sizeof *plan);
    if (!plan)
        return error_no_memory(error);
    out->plan = plan;
    status = point_environment(&other, &environment, error);
    if (status == STATUS_OK)
        status = make_binary(&other, list, &environment, arena, &out->binary, error);
    if (status == STATUS_OK)
        status = make_plan(experiment, list, point->problem, &environment, arena, plan, error);
    return status;
}

static enum status make_series(const struct experiment *experiment, const struct check_rule *rule,
                               struct environment *environment, struct arena *arena,
                               const char **out, struct error *error)
{
    struct error unknown = {0};
    int64_t count = 0;
    if (argument_count(&experiment->arguments[rule->output], environment, &count, &unknown) !=
        STATUS_OK)
        count = 0; /* point_plan says what is wrong */
    return series_text(experiment, &rule->series, count, environment, arena, out, error);
}

static enum status make_file(const struct experiment *experiment, const struct check_rule *rule,
                             enum element_type type, struct environment *environment,
                             struct arena *arena, const char **out, struct error *error)
{
    struct error unknown = {0};
    int64_t count = 0;
    enum status status = file_path(experiment, &rule->file, environment, arena, out, error);
    if (status != STATUS_OK || argument_count(&experiment->arguments[rule->output], environment,
                                              &count, &unknown) != STATUS_OK)
        return status;
    return file_holds(*out, rule->file.place, count, type, error);
}

static enum status make_check(const struct point *point, const struct check_rule *rule,
                              struct environment *environment, struct arena *arena,
                              struct output_check *out, struct error *error)
{
    const struct experiment *experiment = point->experiment;
    const struct argument_rule *output = &experiment->arguments[rule->output];
    enum element_type type = ELEMENT_I32;
    *out = (struct output_check){.output = rule->output, .kind = rule->kind};
    enum status status = named_type(&output->type, environment, arena, &type, error);
    if (status == STATUS_OK)
        status = check_tolerance(rule, type, environment, &out->tolerance, error);
    if (status != STATUS_OK)
        return status;
    switch (rule->kind) {
    case REFERENCE_FUNCTION:
        return make_function(experiment, rule, environment, arena, &out->binary, &out->reference,
                             error);
    case REFERENCE_SERIES:
        return make_series(experiment, rule, environment, arena, &out->reference, error);
    case REFERENCE_FILE:
        return make_file(experiment, rule, type, environment, arena, &out->reference, error);
    case REFERENCE_PLAN:
        break;
    }
    status = make_other(point, rule, arena, out, error);
    if (status == STATUS_OK)
        status = same_count(rule, output, out->plan, environment, error);
    return status;
}

enum status point_checks(const struct point *point, struct arena *arena,
                         struct output_check out[CHECKS_MAX], size_t *count, struct error *error)
{
    const struct experiment *experiment = point->experiment;
    struct environment environment;
    *count = 0;
    enum status status = point_environment(point, &environment, error);
    for (size_t i = 0; i < experiment->check_count && status == STATUS_OK; i++)
        status =
            make_check(point, &experiment->checks[i], &environment, arena, &out[(*count)++], error);
    return status;
}
