/* What a configuration means for the compiler: defines, flags, kernels; the figures. */
#include <string.h>

#include "tuner/experiment/plan.h"

enum status point_environment(const struct point *point, struct environment *environment,
                              struct error *error)
{
    environment_start(environment, point->experiment, point->problem, point->facts);
    if (point->active_blocks > 0)
        environment_bind(environment, SLOT_ACTIVE_BLOCKS, value_integer(point->active_blocks));
    if (!point->configuration)
        return STATUS_OK;
    return environment_configure(environment, point->experiment, point->configuration, error);
}

/* Texts of facts and configurations live as long as the caller's: what goes out is copied. */
static enum status copy_value(struct arena *arena, struct value *value, struct error *error)
{
    if (value->kind != VALUE_TEXT)
        return STATUS_OK;
    value->text = arena_strdup(arena, value->text);
    return value->text ? STATUS_OK : error_no_memory(error);
}

enum status make_defines(const struct define_list *defines, struct environment *environment,
                         struct arena *arena, struct binary_request *out, struct error *error)
{
    for (size_t i = 0; i < defines->count; i++) {
        struct value value;
        enum status status =
            expression_evaluate(defines->items[i].formula.tree, environment, &value, error);
        if (status == STATUS_OK)
            status = copy_value(arena, &value, error);
        if (status != STATUS_OK)
            return status;
        if (value.kind == VALUE_BOOLEAN) /* C has 1 and 0 */
            value = value_integer(value.integer);
        out->defines[out->define_count++] =
            (struct named_value){.name = defines->items[i].name, .value = value};
    }
    return STATUS_OK;
}

static void want_kernel(struct binary_request *request, const char *kernel)
{
    for (size_t i = 0; i < request->kernel_count; i++)
        if (strcmp(request->kernels[i], kernel) == 0)
            return;
    request->kernels[request->kernel_count++] = kernel;
}

static enum status make_kernels(struct launch_list list, struct environment *environment,
                                struct arena *arena, struct binary_request *out,
                                struct error *error)
{
    const struct launch_rule *rules[LAUNCHES_MAX];
    size_t count = 0;
    enum status status = applying_launches(list, environment, rules, &count, error);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        const char *kernel = NULL;
        status = template_text(&rules[i]->kernel, environment, arena, &kernel, error);
        if (status == STATUS_OK)
            want_kernel(out, kernel);
    }
    return status;
}

static enum status make_symbols(const struct experiment *experiment,
                                struct environment *environment, struct arena *arena,
                                struct binary_request *out, struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < experiment->argument_count && status == STATUS_OK; i++)
        if (experiment->arguments[i].symbol.count > 0)
            status = template_text(&experiment->arguments[i].symbol, environment, arena,
                                   &out->symbols[out->symbol_count++], error);
    return status;
}

/* Sources, folders, flags: what all binaries of the experiment's sources have. */
static enum status make_flags(const struct experiment *experiment, struct environment *environment,
                              struct arena *arena, struct binary_request *out, struct error *error)
{
    enum status status = STATUS_OK;
    out->unit_count = experiment->unit_count;
    memcpy(out->units, experiment->units, sizeof out->units);
    out->folder_count = experiment->folder_count;
    memcpy(out->folders, experiment->folders, sizeof out->folders);
    if (experiment->standard)
        out->flags[out->flag_count++] = experiment->standard;
    for (size_t i = 0; i < experiment->flag_count && status == STATUS_OK; i++)
        status = template_text(&experiment->flags[i], environment, arena,
                               &out->flags[out->flag_count++], error);
    return status;
}

enum status make_binary(const struct point *point, struct launch_list list,
                        struct environment *environment, struct arena *arena,
                        struct binary_request *out, struct error *error)
{
    const struct experiment *experiment = point->experiment;
    *out = (struct binary_request){.source_path = experiment->source};
    out->architecture = arena_strdup(arena, facts_text(point->facts, "architecture", "native"));
    if (!out->architecture)
        return error_no_memory(error);
    enum status status = make_defines(&experiment->defines, environment, arena, out, error);
    if (status == STATUS_OK)
        status = make_flags(experiment, environment, arena, out, error);
    if (status == STATUS_OK)
        status = make_kernels(list, environment, arena, out, error);
    if (status == STATUS_OK)
        status = make_symbols(experiment, environment, arena, out, error);
    return status;
}

enum status point_binary(const struct point *point, struct arena *arena, struct binary_request *out,
                         struct error *error)
{
    struct environment environment;
    enum status status = point_environment(point, &environment, error);
    if (status != STATUS_OK)
        return status;
    return make_binary(point, launches_of(point->experiment), &environment, arena, out, error);
}

enum status point_derived(const struct point *point, struct arena *arena, struct named_value *out,
                          size_t *count, struct error *error)
{
    const struct experiment *experiment = point->experiment;
    struct environment environment;
    enum status status = point_environment(point, &environment, error);
    *count = 0;
    for (size_t i = 0; i < experiment->derived_count && status == STATUS_OK; i++) {
        const struct named_formula *derived = &experiment->derived[i];
        struct named_value *value = &out[*count];
        if (derived->name[0] == '_')
            continue;
        value->name = derived->name;
        status = expression_evaluate(derived->formula.tree, &environment, &value->value, error);
        if (status == STATUS_OK)
            status = copy_value(arena, &value->value, error);
        *count += status == STATUS_OK;
    }
    return status;
}

static enum status point_amount(const struct point *point, const struct formula *formula,
                                const char *what, double *out, struct error *error)
{
    struct environment environment;
    *out = 0;
    if (!formula->tree)
        return STATUS_OK;
    enum status status = point_environment(point, &environment, error);
    struct value value;
    if (status == STATUS_OK)
        status = expression_evaluate(formula->tree, &environment, &value, error);
    if (status != STATUS_OK)
        return status;
    if (!value_number(value, out) || !(*out >= 0))
        return place_error(error, STATUS_BAD_INPUT, formula->place,
                           "%s must be a number of at least 0", what);
    return STATUS_OK;
}

enum status point_bytes(const struct point *point, double *out, struct error *error)
{
    return point_amount(point, &point->experiment->bytes, "bytes", out, error);
}

/* The arithmetic that works on numbers of a type: a sign makes no difference to it, and what is
 * narrower is widened to registers. */
static enum element_type arithmetic_of(enum element_type type)
{
    if (type == ELEMENT_BF16)
        return ELEMENT_F32;
    if (element_is_real(type))
        return type;
    return element_bytes(type) == 8 ? ELEMENT_I64 : ELEMENT_I32;
}

enum status problem_operations_type(const struct experiment *experiment,
                                    const struct problem *problem, struct environment *environment,
                                    enum element_type *out, struct error *error)
{
    enum element_type type = ELEMENT_F32;
    struct arena arena = {0};
    enum status status = STATUS_OK;
    if (experiment->operations_type.count > 0)
        status = named_type(&experiment->operations_type, environment, &arena, &type, error);
    else
        for (size_t i = 0; i < problem->axis_count; i++)
            if (strcmp(problem->axes[i].name, "type") == 0 &&
                problem->axes[i].value.kind == VALUE_TEXT)
                (void)element_from_name(problem->axes[i].value.text, &type);
    arena_free(&arena);
    *out = arithmetic_of(type);
    return status;
}

enum status point_operations(const struct point *point, double *operations, enum element_type *type,
                             struct error *error)
{
    struct environment environment;
    enum status status =
        point_amount(point, &point->experiment->operations, "operations", operations, error);
    if (status == STATUS_OK)
        status = point_environment(point, &environment, error);
    return status == STATUS_OK ? problem_operations_type(point->experiment, point->problem,
                                                         &environment, type, error)
                               : status;
}

const char *ceiling_name(enum ceiling ceiling)
{
    static const char *const names[CEILINGS] = {
        [CEILING_READ] = "read", [CEILING_WRITE] = "write", [CEILING_COPY] = "copy"};
    return names[ceiling];
}

enum status problem_ceiling(const struct experiment *experiment, struct environment *environment,
                            enum ceiling *out, struct error *error)
{
    const struct template *template = &experiment->ceiling;
    const char *names[CEILINGS];
    const char *name = NULL;
    struct arena arena = {0};
    *out = CEILING_READ;
    if (template->count == 0)
        return STATUS_OK;
    enum status status = template_text(template, environment, &arena, &name, error);
    bool found = false;
    for (int i = 0; status == STATUS_OK && i < CEILINGS; i++) {
        names[i] = ceiling_name((enum ceiling)i);
        if (strcmp(names[i], name) != 0)
            continue;
        *out = (enum ceiling)i;
        found = true;
    }
    if (status == STATUS_OK && !found)
        status =
            place_error(error, STATUS_BAD_INPUT, template->place, "no ceiling is named '%.60s'%s",
                        name, suggest(name, names, CEILINGS).text);
    arena_free(&arena);
    return status;
}

enum status point_ceiling(const struct point *point, enum ceiling *out, struct error *error)
{
    struct environment environment;
    enum status status = point_environment(point, &environment, error);
    return status == STATUS_OK ? problem_ceiling(point->experiment, &environment, out, error)
                               : status;
}
