/* Reading what is checked, and the metrics. */
#include <string.h>

#include "tuner/experiment/read.h"

/* ---- the reference ---- */

/* Without defines of its own, the reference gets those of the experiment that are the same for
 * every configuration. */
static bool inherit_defines(struct file_reader *reader, struct define_list *out)
{
    const struct define_list *all = &reader->experiment->defines;
    out->items = arena_alloc(reader->arena, all->count + 1, sizeof *out->items);
    if (!out->items)
        return out_of_memory(reader);
    for (size_t i = 0; i < all->count; i++)
        if (within(reader->experiment, all->items[i].formula.uses, USE_PROBLEM))
            out->items[out->count++] = all->items[i];
    return true;
}

static bool read_function(struct file_reader *reader, const struct node *node,
                          struct check_rule *check)
{
    const struct node *source = node_get(node, "source");
    const struct node *defines = node_get(node, "defines");
    check->kind = REFERENCE_FUNCTION;
    if (!source)
        return node_error(reader, node, "check needs the key 'source': the reference's file");
    return read_source(reader, source, &check->source) &&
           read_template(reader, node_get(node, "reference"), "reference", USE_PROBLEM,
                         &check->reference) &&
           (defines ? read_defines(reader, defines, USE_PROBLEM, &check->defines)
                    : inherit_defines(reader, &check->defines));
}

static bool read_other_launches(struct file_reader *reader, const struct node *node,
                                struct check_rule *check)
{
    check->kind = REFERENCE_PLAN;
    check->launches = arena_alloc(reader->arena, LAUNCHES_MAX, sizeof *check->launches);
    if (!check->launches)
        return out_of_memory(reader);
    return read_launch_list(reader, node, check->launches, &check->launch_count);
}

static bool read_configuration(struct file_reader *reader, const struct node *node,
                               struct check_rule *check)
{
    check->kind = REFERENCE_PLAN;
    if (node->kind == NODE_MAPPING)
        return read_setting(reader, node, "configuration", &check->setting);
    if (!need_kind(reader, node, NODE_SCALAR, "configuration"))
        return false;
    return strcmp(node->text, "default") == 0 ||
           node_error(reader, node,
                      "configuration is 'default', or a mapping with a value for each parameter");
}

static const char *const kinds[] = {"reference", "launches", "configuration", "series", "file"};
enum { KINDS = sizeof kinds / sizeof *kinds };

static bool read_reference(struct file_reader *reader, const struct node *node,
                           struct check_rule *check)
{
    const char *kind = NULL;
    for (size_t i = 0; i < KINDS; i++) {
        if (!node_get(node, kinds[i]))
            continue;
        if (kind)
            return node_error(reader, node, "check has both '%s' and '%s'; it needs one", kind,
                              kinds[i]);
        kind = kinds[i];
    }
    if (!kind)
        return node_error(reader, node,
                          "check needs one of the keys reference, launches, configuration, series "
                          "and file");
    const struct node *value = node_get(node, kind);
    for (int i = 0; i < 2; i++) {
        static const char *const only[] = {"source", "defines"};
        if (node_get(node, only[i]) && strcmp(kind, "reference") != 0)
            return node_error(reader, node_get(node, only[i]),
                              "'%s' goes with 'reference', not with '%s'", only[i], kind);
    }
    if (strcmp(kind, "reference") == 0)
        return read_function(reader, node, check);
    if (strcmp(kind, "launches") == 0)
        return read_other_launches(reader, value, check);
    if (strcmp(kind, "configuration") == 0)
        return read_configuration(reader, value, check);
    if (strcmp(kind, "series") == 0) {
        check->kind = REFERENCE_SERIES;
        return read_series(reader, value, &check->series);
    }
    check->kind = REFERENCE_FILE;
    return read_template(reader, value, "file", USE_PROBLEM, &check->file);
}

/* ---- tolerances ---- */

static bool read_tolerance(struct file_reader *reader, const struct node *node,
                           struct tolerance_rule *out)
{
    struct {
        const char *key;
        struct formula *formula;
    } rows[] = {{"tolerance", &out->magnitude},
                {"absolute", &out->absolute},
                {"relative", &out->relative},
                {"ulps", &out->ulps},
                {"total", &out->total}};
    const struct node *total = node_get(node, "total");
    out->place = node->place;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct node *given = node_get(node, rows[i].key);
        if (!given)
            continue;
        out->given = true;
        if (total && given != total)
            return node_error(reader, given, "'total' stands alone: no '%s' beside it",
                              rows[i].key);
        if (!read_formula(reader, given, rows[i].key, USE_CONFIGURATION, rows[i].formula))
            return false;
    }
    return true;
}

/* ---- checks ---- */

static bool is_checked(const struct argument_rule *argument)
{
    return argument->role == ARGUMENT_OUTPUT || argument->role == ARGUMENT_UPDATE;
}

static bool read_output(struct file_reader *reader, const struct node *node,
                        struct check_rule *check)
{
    const struct experiment *experiment = reader->experiment;
    if (!find_argument(reader, node, &check->output))
        return false;
    if (!is_checked(&experiment->arguments[check->output]))
        return node_error(reader, node, "'%s' is not an output (output: true, or update: true)",
                          experiment->arguments[check->output].name);
    for (size_t i = 0; i < experiment->check_count; i++)
        if (&experiment->checks[i] != check && experiment->checks[i].output == check->output)
            return node_error(reader, node, "a second check of '%s'", node->text);
    return true;
}

static bool read_check(struct file_reader *reader, const struct node *node)
{
    struct check_rule *check = &reader->experiment->checks[reader->experiment->check_count];
    if (!CHECK_KEYS(reader, node, "check", "!output", "reference", "source", "defines", "launches",
                    "configuration", "series", "file", "tolerance", "absolute", "relative", "ulps",
                    "total"))
        return false;
    check->place = node->place;
    reader->experiment->check_count++;
    return read_reference(reader, node, check) && read_tolerance(reader, node, &check->tolerance) &&
           read_output(reader, node_get(node, "output"), check);
}

/* Where nothing is said, the default configuration is the reference of all that is written. */
static bool check_all(struct file_reader *reader, const struct node *root)
{
    struct experiment *experiment = reader->experiment;
    const struct node *arguments = node_get(root, "arguments");
    for (size_t i = 0; i < experiment->argument_count; i++) {
        if (!is_checked(&experiment->arguments[i]))
            continue;
        if (experiment->check_count == CHECKS_MAX)
            return node_error(reader, arguments,
                              "more than %d outputs and updates: say in 'check' which are compared",
                              CHECKS_MAX);
        experiment->checks[experiment->check_count++] =
            (struct check_rule){.place = experiment->arguments[i].place,
                                .output = i,
                                .kind = REFERENCE_PLAN,
                                .tolerance.place = experiment->arguments[i].place};
    }
    return experiment->check_count > 0 ||
           node_error(reader, arguments,
                      "nothing to check: an argument needs output: true or update: true");
}

bool read_checks(struct file_reader *reader, const struct node *root)
{
    const struct node *node = node_get(root, "check");
    if (!node)
        return check_all(reader, root);
    if (node->kind != NODE_LIST)
        return read_check(reader, node);
    if (!need_items(reader, node, "check", CHECKS_MAX))
        return false;
    for (const struct node *item = node->first; item; item = item->next)
        if (!read_check(reader, item))
            return false;
    return true;
}

/* ---- metrics ---- */

static bool read_own_metric(struct file_reader *reader, const struct node *key)
{
    struct experiment *experiment = reader->experiment;
    if (!need_name(reader, key, "the metric"))
        return false;
    if (experiment->metric_count == EXPERIMENT_METRICS_MAX)
        return node_error(reader, key,
                          "more than %d metrics besides bytes, ceiling, operations and "
                          "operations_type",
                          EXPERIMENT_METRICS_MAX);
    struct named_formula *metric = &experiment->metrics[experiment->metric_count++];
    metric->name = key->text;
    reader->scope = &experiment->objective_scope;
    bool right = read_formula(reader, key->value, key->text, USE_ALL, &metric->formula);
    reader->scope = &experiment->scope;
    return right;
}

static bool read_metric(struct file_reader *reader, const struct node *key)
{
    struct experiment *experiment = reader->experiment;
    const char *ceilings[CEILINGS];
    size_t type_count = 0;
    const char *const *types = element_names(&type_count);
    for (int i = 0; i < CEILINGS; i++)
        ceilings[i] = ceiling_name((enum ceiling)i);
    if (strcmp(key->text, "bytes") == 0)
        return read_formula(reader, key->value, "bytes", USE_DEVICE, &experiment->bytes);
    if (strcmp(key->text, "ceiling") == 0)
        return read_choice(reader, key->value, "ceiling", ceilings, CEILINGS, USE_PROBLEM,
                           &experiment->ceiling);
    if (strcmp(key->text, "operations") == 0)
        return read_formula(reader, key->value, "operations", USE_DEVICE, &experiment->operations);
    if (strcmp(key->text, "operations_type") == 0)
        return read_choice(reader, key->value, "type", types, type_count, USE_PROBLEM,
                           &experiment->operations_type);
    return read_own_metric(reader, key);
}

bool read_metrics(struct file_reader *reader, const struct node *node)
{
    if (!node)
        return true;
    if (!need_kind(reader, node, NODE_MAPPING, "metrics"))
        return false;
    for (const struct node *key = node->first; key; key = key->next)
        if (!read_metric(reader, key))
            return false;
    return true;
}
