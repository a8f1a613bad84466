/* The meaning of a configuration: defines, flags and kernels for the compiler; grids, blocks and
 * launches for the launcher; and the figures. */
#include "tuner/experiment/plan.h"

#include <string.h>

#include "tuner/base/files.h"
#include "tuner/base/hash.h"
#include "tuner/base/pack.h"

struct launch_list launches_of(const struct experiment *experiment)
{
    return (struct launch_list){experiment->launches, experiment->launch_count};
}

bool point_begin(const struct point *point, struct arena *arena, struct error *error,
                 struct maker *out)
{
    maker_start(out, point->experiment, point->problem, point->facts, arena, error);
    if (point->active_blocks > 0)
        environment_bind(&out->environment, SLOT_ACTIVE_BLOCKS,
                         value_integer(point->active_blocks));
    return !point->configuration || maker_configure(out, point->configuration);
}

/* Selects the launches whose `when` holds; none is an error. */
static bool applying_launches(struct maker *maker, struct launch_list list,
                              const struct launch_rule *out[LAUNCHES_MAX], size_t *count)
{
    *count = 0;
    for (size_t i = 0; i < list.count; i++) {
        bool applies = true;
        TRY_OR_FALSE(make_truth(maker, &list.rules[i].when, &applies));
        if (applies)
            out[(*count)++] = &list.rules[i];
    }
    return *count > 0 || maker_error(maker, list.rules[0].place,
                                     "the configuration launches nothing: every `when` is false");
}

/* ---- the compiler ---- */

/* Evaluates a value and copies a text, since texts of facts and configurations live only as long as
 * the caller's. */
static bool make_copy(struct maker *maker, const struct formula *formula, struct value *out)
{
    TRY_OR_FALSE(make_value(maker, formula, out));
    if (out->kind == VALUE_TEXT)
        out->text = arena_strdup(maker->arena, out->text);
    return out->kind != VALUE_TEXT || out->text || maker_no_memory(maker);
}

bool make_defines(struct maker *maker, const struct define_list *defines,
                  struct binary_request *out)
{
    for (size_t i = 0; i < defines->count; i++) {
        struct value value;
        TRY_OR_FALSE(make_copy(maker, &defines->items[i].formula, &value));
        if (value.kind == VALUE_BOOLEAN) /* C uses 1 and 0 */
            value = value_integer(value.integer);
        out->defines[out->define_count++] =
            (struct named_value){.name = defines->items[i].name, .value = value};
    }
    return true;
}

enum { FLAG_FILE_BYTES_MAX = 16 << 20 };

/* Adds a flag if it applies and is not empty. The contents of a file that it names are part of the
 * binary's identity. */
static bool make_flag(struct maker *maker, const struct flag_rule *rule, struct binary_request *out)
{
    const char *text = NULL, *path = NULL;
    bool applies = true;
    TRY_OR_FALSE(make_truth(maker, &rule->when, &applies));
    if (!applies)
        return true;
    TRY_OR_FALSE(make_text(maker, &rule->text, &text));
    if (rule->file.count > 0) {
        char *contents = NULL;
        size_t bytes = 0;
        char hash[HASH_TEXT_BYTES] = "";
        if (!make_file_path(maker, &rule->file, &path) ||
            (!maker->experiment->is_recorded &&
             file_read(maker->arena, path, FLAG_FILE_BYTES_MAX, &contents, &bytes, maker->error) !=
                 STATUS_OK))
            return false;
        hash_bytes(contents, bytes, hash);
        out->flag_files =
            arena_printf(maker->arena, "%s%s", out->flag_files ? out->flag_files : "", hash);
        text = arena_printf(maker->arena, "%s%s", text, path);
        if (!out->flag_files || !text)
            return maker_no_memory(maker);
    }
    if (text[0])
        out->flags[out->flag_count++] = text;
    return true;
}

bool make_binary(struct maker *maker, const struct facts *facts, struct launch_list list,
                 struct binary_request *out)
{
    const struct experiment *experiment = maker->experiment;
    *out = (struct binary_request){
        .source_path = experiment->source,
        .architecture = arena_strdup(maker->arena, facts_text(facts, "architecture", "native")),
        .compiler = experiment->head.compiler,
        .unit_count = experiment->unit_count,
        .folder_count = experiment->folder_count};
    memcpy(out->units, experiment->units, sizeof out->units);
    memcpy(out->folders, experiment->folders, sizeof out->folders);
    if (!out->architecture)
        return maker_no_memory(maker);
    TRY_OR_FALSE(make_defines(maker, &experiment->defines, out));
    if (experiment->standard)
        out->flags[out->flag_count++] = experiment->standard;
    for (size_t i = 0; i < experiment->flag_count; i++)
        TRY_OR_FALSE(make_flag(maker, &experiment->flags[i], out));
    const struct launch_rule *rules[LAUNCHES_MAX];
    size_t count = 0;
    TRY_OR_FALSE(applying_launches(maker, list, rules, &count));
    for (size_t i = 0; i < count; i++) {
        const char *kernel = NULL;
        bool known = false;
        TRY_OR_FALSE(make_text(maker, &rules[i]->kernel, &kernel));
        for (size_t j = 0; j < out->kernel_count; j++)
            known |= strcmp(out->kernels[j], kernel) == 0;
        if (!known)
            out->kernels[out->kernel_count++] = kernel;
    }
    for (size_t i = 0; i < count; i++) {
        if (rules[i]->workspace_of.count == 0)
            continue;
        if (out->kernel_count == LAUNCHES_MAX)
            return maker_error(maker, rules[i]->place, "more than %d functions in one run",
                               LAUNCHES_MAX);
        TRY_OR_FALSE(make_text(maker, &rules[i]->workspace_of, &out->kernels[out->kernel_count++]));
    }
    for (size_t i = 0; i < experiment->argument_count; i++)
        if (experiment->arguments[i].symbol.count > 0 &&
            !make_text(maker, &experiment->arguments[i].symbol, &out->symbols[out->symbol_count++]))
            return false;
    return true;
}

enum status point_binary(const struct point *point, struct arena *arena, struct binary_request *out,
                         struct error *error)
{
    struct maker maker;
    return point_begin(point, arena, error, &maker) &&
                   make_binary(&maker, point->facts, launches_of(point->experiment), out)
               ? STATUS_OK
               : error->status;
}

const char *experiment_compiled_name(const struct experiment *experiment, size_t index)
{
    /* Variables in defines, flags and kernel names, and in conditions of launches. A derived value
     * that begins with _ is an abbreviation, and is replaced by the variables in its definition. */
    struct slot_set uses = {0};
    for (size_t i = 0; i < experiment->defines.count; i++)
        uses = slot_set_union(uses, experiment->defines.items[i].formula.uses);
    for (size_t i = 0; i < experiment->flag_count; i++)
        uses = slot_set_union(uses, slot_set_union(experiment->flags[i].text.uses,
                                                   slot_set_union(experiment->flags[i].file.uses,
                                                                  experiment->flags[i].when.uses)));
    for (size_t i = 0; i < experiment->launch_count; i++) {
        uses = slot_set_union(uses, experiment->launches[i].kernel.uses);
        uses = slot_set_union(uses, experiment->launches[i].workspace_of.uses);
        uses = slot_set_union(uses, experiment->launches[i].when.uses);
    }
    const struct slot_set own = uses;
    for (size_t i = 0; i < experiment->derived_count; i++)
        if (slot_set_has(&own, SLOT_DERIVED + i) && experiment->derived[i].name[0] == '_')
            uses = slot_set_union(uses, experiment->reach[SLOT_DERIVED + i]);
    struct slot_set parameters = {0};
    for (size_t i = 0; i < experiment->head.parameter_count; i++) {
        slot_set_add(&parameters, SLOT_PARAMETERS + i);
        if (slot_set_has(&uses, SLOT_PARAMETERS + i) && index-- == 0)
            return experiment->parameters[i].name;
    }
    for (size_t i = 0; i < experiment->derived_count; i++)
        if (slot_set_has(&uses, SLOT_DERIVED + i) && experiment->derived[i].name[0] != '_' &&
            slot_set_meets(&experiment->reach[SLOT_DERIVED + i], &parameters) && index-- == 0)
            return experiment->derived[i].name;
    return NULL;
}

/* ---- the launcher ---- */

static bool make_extent(struct maker *maker, const struct formula formulas[3], const char *subject,
                        uint32_t out[3])
{
    int64_t product = 1;
    for (size_t i = 0; i < 3; i++) {
        int64_t extent = 1;
        TRY_OR_FALSE(make_integer(maker, &formulas[i], subject, 1, INT32_MAX, &extent));
        out[i] = (uint32_t)extent;
        if (__builtin_mul_overflow(product, extent, &product))
            product = INT64_MAX;
    }
    return product <= INT32_MAX ||
           maker_error(maker, formulas[0].place, "the %s has more than %d in all", subject,
                       INT32_MAX);
}

/* Makes all parts of a launch except the grid and those that depend on the order of launches. */
static bool make_shape(struct maker *maker, const struct launch_rule *rule, struct launch *out)
{
    int64_t shared = 0;
    out->is_function = rule->is_function;
    if (!make_text(maker, &rule->kernel, &out->kernel) ||
        !make_extent(maker, rule->block, "block", out->block) ||
        !make_extent(maker, rule->cluster, "cluster", out->cluster) ||
        (rule->cooperative.tree && !make_truth(maker, &rule->cooperative, &out->cooperative)) ||
        !make_integer(maker, &rule->shared, "shared", 0, INT32_MAX, &shared))
        return false;
    out->shared_bytes = (uint32_t)shared;
    return true;
}

enum status point_kernels(const struct point *point, struct arena *arena,
                          struct launch out[LAUNCHES_MAX], size_t *count, struct error *error)
{
    const struct launch_rule *rules[LAUNCHES_MAX];
    struct maker maker;
    *count = 0;
    if (!point_begin(point, arena, error, &maker) ||
        !applying_launches(&maker, launches_of(point->experiment), rules, count))
        return error->status;
    for (size_t i = 0; i < *count; i++) {
        out[i] = (struct launch){.grid = {1, 1, 1}};
        if (!make_shape(&maker, rules[i], &out[i]))
            return error->status;
    }
    return STATUS_OK;
}

static bool make_launch(struct maker *maker, const struct launch_rule *rule, struct launch *out)
{
    enum { CPU_THREADS_MAX = 65536 };
    int64_t repeat = 1;
    int64_t threads = 1;
    *out = (struct launch){.argument_count = rule->argument_count};
    memcpy(out->arguments, rule->arguments, sizeof out->arguments);
    out->swap_one = rule->swap[0];
    out->swap_other = rule->swap[1];
    if (!make_extent(maker, rule->grid, "grid", out->grid) || !make_shape(maker, rule, out) ||
        (rule->dependent.tree && !make_truth(maker, &rule->dependent, &out->dependent)) ||
        !make_integer(maker, &rule->repeat, "repeat", 1, REPEAT_MAX, &repeat))
        return false;
    out->repeat = (uint32_t)repeat;
    out->has_workspace = rule->workspace.tree || rule->workspace_of.count > 0;
    if (rule->workspace_of.count > 0 && !make_text(maker, &rule->workspace_of, &out->workspace_of))
        return false;
    out->threads = rule->is_function && !maker->experiment->head.device->is_gpu ? 1 : 0;
    if (!rule->threads.tree)
        return true;
    TRY_OR_FALSE(make_integer(maker, &rule->threads, "threads", 1, CPU_THREADS_MAX, &threads));
    out->threads = (uint32_t)threads;
    size_t schedule = 0;
    TRY_OR_FALSE(make_choice(maker, &rule->schedule, "schedule", schedule_names, 2, &schedule));
    out->schedule = (enum schedule)schedule;
    return true;
}

bool make_plan(struct maker *maker, struct launch_list list, struct launch_plan *out)
{
    const struct experiment *experiment = maker->experiment;
    const struct launch_rule *rules[LAUNCHES_MAX] = {NULL};
    *out = (struct launch_plan){.argument_count = experiment->argument_count};
    TRY_OR_FALSE(applying_launches(maker, list, rules, &out->launch_count));
    for (size_t i = 0; i < out->launch_count && rules[i]; i++)
        TRY_OR_FALSE(make_launch(maker, rules[i], &out->launches[i]));
    if (rules[0] && out->launches[0].dependent)
        return maker_error(maker, rules[0]->dependent.place,
                           "of this configuration's launches this is the first: there is none "
                           "before it to depend on");
    for (size_t i = 0; i < experiment->argument_count; i++)
        TRY_OR_FALSE(make_argument(maker, &experiment->arguments[i], &out->arguments[i]));
    /* The workspace has the bytes of the launch that wants most; at least 1, as any vector. */
    for (size_t i = 0; i < out->launch_count && rules[i]; i++) {
        int64_t bytes = 0;
        if (!out->launches[i].has_workspace)
            continue;
        TRY_OR_FALSE(
            make_integer(maker, &rules[i]->workspace, "workspace", 0, INT64_C(1) << 44, &bytes));
        launch_want_workspace(out, &out->launches[i], bytes);
    }
    /* Refuse two arguments with one variable: copied in turn, one would overwrite the other. */
    for (size_t i = 0; i < out->argument_count; i++)
        for (size_t j = 0; j < i && out->arguments[i].symbol; j++)
            if (out->arguments[j].symbol &&
                strcmp(out->arguments[i].symbol, out->arguments[j].symbol) == 0)
                return maker_error(maker, maker->experiment->arguments[i].symbol.place,
                                   "'%s' and '%s' are the same variable: an array that the kernel "
                                   "reads and writes is one argument with update: true",
                                   out->arguments[j].name, out->arguments[i].name);
    for (size_t i = 0; i < experiment->argument_count; i++)
        for (size_t j = 0; j < out->arguments[i].field_count; j++) {
            const struct field *field = &out->arguments[i].fields[j];
            const struct argument *vector =
                field->points_to ? &out->arguments[field->points_to - 1] : NULL;
            if (vector && (uint64_t)field->value.integer > argument_bytes(vector))
                return maker_error(maker, experiment->arguments[i].fields[j].value.place,
                                   "offset is %lld, and '%s' has only %zu bytes",
                                   (long long)field->value.integer, vector->name,
                                   argument_bytes(vector));
        }
    for (size_t i = 0; i < out->launch_count && rules[i]; i++) {
        const struct argument *one = &out->arguments[out->launches[i].swap_one];
        const struct argument *other = &out->arguments[out->launches[i].swap_other];
        if (one->count != other->count || one->type != other->type)
            return maker_error(maker, rules[i]->place,
                               "'%s' and '%s' change places: they need the same type and count",
                               one->name, other->name);
    }
    return true;
}

enum status point_plan(const struct point *point, struct arena *arena, struct launch_plan *out,
                       struct error *error)
{
    struct maker maker;
    return point_begin(point, arena, error, &maker) &&
                   make_plan(&maker, launches_of(point->experiment), out)
               ? STATUS_OK
               : error->status;
}

/* ---- the figures ---- */

enum status point_derived(const struct point *point, struct arena *arena, struct named_value *out,
                          size_t *count, struct error *error)
{
    const struct experiment *experiment = point->experiment;
    struct maker maker;
    *count = 0;
    if (!point_begin(point, arena, error, &maker))
        return error->status;
    for (size_t i = 0; i < experiment->derived_count; i++) {
        const struct named_formula *derived = &experiment->derived[i];
        if (derived->name[0] == '_')
            continue;
        out[*count].name = derived->name;
        if (!make_copy(&maker, &derived->formula, &out[*count].value))
            return error->status;
        ++*count;
    }
    return STATUS_OK;
}

static bool make_amount(struct maker *maker, const struct formula *formula, const char *subject,
                        double *out)
{
    struct value value;
    *out = 0;
    if (!formula->tree)
        return true;
    TRY_OR_FALSE(make_value(maker, formula, &value));
    return (value_number(value, out) && *out >= 0) ||
           maker_error(maker, formula->place, "%s must be a number of at least 0", subject);
}

bool make_operations_type(struct maker *maker, enum element_type *out)
{
    const struct experiment *experiment = maker->experiment;
    const struct problem *problem = maker->problem;
    enum element_type type = ELEMENT_F32;
    if (experiment->operations_type.count > 0) {
        TRY_OR_FALSE(make_type(maker, &experiment->operations_type, &type));
    } else {
        for (size_t i = 0; i < problem->axis_count; i++)
            if (strcmp(problem->axes[i].name, "type") == 0 &&
                problem->axes[i].value.kind == VALUE_TEXT)
                (void)element_from_name(problem->axes[i].value.text, &type);
    }
    /* The type of arithmetic for a type: signs make no difference, and narrow types are widened in
     * registers. */
    *out = type == ELEMENT_BF16       ? ELEMENT_F32
           : element_is_real(type)    ? type
           : element_bytes(type) == 8 ? ELEMENT_I64
                                      : ELEMENT_I32;
    return true;
}

const char *const ceiling_names[CEILINGS] = {
    [CEILING_READ] = "read", [CEILING_WRITE] = "write", [CEILING_COPY] = "copy"};

bool make_ceiling(struct maker *maker, enum ceiling *out)
{
    const struct template *template = &maker->experiment->ceiling;
    size_t index = CEILING_READ;
    if (template->count > 0 &&
        !make_choice(maker, template, "ceiling", ceiling_names, CEILINGS, &index))
        return false;
    *out = (enum ceiling)index;
    return true;
}

enum status point_figures(const struct point *point, struct figures *out, struct error *error)
{
    const struct experiment *experiment = point->experiment;
    struct arena arena = {0};
    struct maker maker;
    const bool right =
        point_begin(point, &arena, error, &maker) &&
        make_amount(&maker, &experiment->bytes, "bytes", &out->bytes) &&
        make_ceiling(&maker, &out->ceiling) &&
        make_amount(&maker, &experiment->operations, "operations", &out->operations) &&
        make_operations_type(&maker, &out->operations_type);
    arena_free(&arena);
    return right ? STATUS_OK : error->status;
}
