/* Checks of a configuration's outputs: reading them, and making them for a configuration. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/text.h"
#include "tuner/experiment/check.h"
#include "tuner/experiment/plan.h"

#define CHECK_ROW(name) &check_by_##name,
static const struct check_kind *const kinds[] = {CHECK_KINDS(CHECK_ROW)};
enum { KINDS = sizeof kinds / sizeof *kinds };

bool check_uses_default(const struct check_rule *rule)
{
    return rule->kind->reference == REFERENCE_PLAN && !rule->setting.given;
}

bool check_per_covers(const struct experiment *experiment, struct slot_set uses,
                      const struct slot_set *per)
{
    const struct slot_set reached = slots_reached(experiment, uses);
    for (size_t i = 0; i < experiment->head.parameter_count; i++)
        if (slot_set_has(&reached, SLOT_PARAMETERS + i) && !slot_set_has(per, SLOT_PARAMETERS + i))
            return false;
    return within(experiment, uses, USE_PROBLEM | USE_PARAMETERS);
}

bool check_require_per(struct file_reader *reader, const struct node *node, struct slot_set uses,
                       const struct check_rule *check)
{
    return check_per_covers(reader->experiment, uses, &check->per) ||
           node_error(reader, node,
                      "a parameter that the reference depends on stands in 'per': per: [NAME]");
}

/* Returns whether the checked output has one type and count for all configurations, or for all with
 * the same values of `per`. */
static bool has_one_form(const struct experiment *experiment, const struct check_rule *check)
{
    const struct argument_rule *output = &experiment->arguments[check->output];
    return check_per_covers(experiment, slot_set_union(output->type.uses, output->count.uses),
                            &check->per);
}

bool point_check_key(const struct point *point, char out[CONFIGURATION_KEY_BYTES])
{
    const struct experiment *experiment = point->experiment;
    struct configuration key = {.count = 0};
    for (size_t i = 0; point->configuration && i < experiment->head.parameter_count; i++)
        for (size_t j = 0; j < experiment->check_count; j++)
            if (slot_set_has(&experiment->checks[j].per, SLOT_PARAMETERS + i)) {
                key.values[key.count++] = point->configuration->values[i];
                break;
            }
    TRY_OR_FALSE(configuration_key(&key, out));
    /* Append the type and count of each output that changes them between configurations, since
     * its expectations are made for one form. */
    struct arena arena = {0};
    struct error ignored = {0};
    struct maker maker;
    bool fits = true;
    const bool begun = point->configuration && point_begin(point, &arena, &ignored, &maker);
    for (size_t i = 0; fits && begun && i < experiment->check_count; i++) {
        const struct check_rule *check = &experiment->checks[i];
        const struct argument_rule *output = &experiment->arguments[check->output];
        enum element_type type = ELEMENT_I32;
        const size_t length = strlen(out);
        if (has_one_form(experiment, check) || !make_type(&maker, &output->type, &type))
            continue;
        fits = string_format(out + length, CONFIGURATION_KEY_BYTES - length, "%s%s[%lld]=%s",
                             length > 0 ? " " : "", output->name,
                             (long long)check_known_count(&maker, check), element_name(type));
    }
    arena_free(&arena);
    return fits;
}

int64_t check_known_count(struct maker *maker, const struct check_rule *rule)
{
    struct error *error = maker->error;
    struct error unknown;
    int64_t count = 0;
    maker->error = &unknown;
    const bool known = make_count(maker, &maker->experiment->arguments[rule->output], &count);
    maker->error = error;
    return known ? count : 0;
}

/* ---- tolerances ---- */

static const struct tolerance_key {
    const char *key, *name; /* for errors */
    size_t rule, made;      /* offsets */
} tolerance_keys[] = {
    {"tolerance", "the tolerance", offsetof(struct tolerance_rule, magnitude),
     offsetof(struct tolerance, magnitude)},
    {"absolute", "absolute", offsetof(struct tolerance_rule, absolute),
     offsetof(struct tolerance, absolute)},
    {"relative", "relative", offsetof(struct tolerance_rule, relative),
     offsetof(struct tolerance, relative)},
    {"total", "total", offsetof(struct tolerance_rule, total), offsetof(struct tolerance, total)},
    {"ulps", "ulps", offsetof(struct tolerance_rule, ulps), 0},
};
enum {
    TOLERANCES = sizeof tolerance_keys / sizeof *tolerance_keys,
    REAL_TOLERANCES = TOLERANCES - 1 /* all but ulps */
};

static const struct formula *tolerance_formula(const struct tolerance_rule *rule, size_t index)
{
    return (const struct formula *)((const char *)rule + tolerance_keys[index].rule);
}

static bool read_tolerance(struct file_reader *reader, const struct node *node,
                           struct tolerance_rule *out)
{
    const struct node *total = node_get(node, "total");
    out->place = node->place;
    for (size_t i = 0; i < TOLERANCES; i++) {
        const struct tolerance_key *row = &tolerance_keys[i];
        const struct node *given = node_get(node, row->key);
        if (!given)
            continue;
        out->given = true;
        if (total && given != total)
            return node_error(reader, given, "'total' stands alone: no '%s' beside it", row->key);
        TRY_OR_FALSE(read_formula(reader, given, row->key, USE_CONFIGURATION,
                                  (struct formula *)((char *)out + row->rule)));
    }
    return true;
}

/* Returns the default tolerance: another plan rounds differently when it adds in another order. */
double default_tolerance(enum element_type type)
{
    return !element_is_real(type) ? 0
           : type == ELEMENT_F64  ? 1e-9
           : type == ELEMENT_F32  ? 1e-4
                                  : 1e-2;
}

static bool make_tolerance(struct maker *maker, const struct check_rule *rule,
                           enum element_type type, struct tolerance *out)
{
    const struct tolerance_rule *given = &rule->tolerance;
    int64_t ulps = 0;
    *out = (struct tolerance){0};
    if (!given->given) {
        if (rule->kind->reference == REFERENCE_PLAN)
            out->magnitude = default_tolerance(type);
        return true;
    }
    TRY_OR_FALSE(make_integer(maker, &given->ulps, "ulps", 0, UINT32_MAX, &ulps));
    if (ulps > 0 && !element_is_real(type))
        return maker_error(maker, given->ulps.place,
                           "ulps are of reals, and the output's elements are %s: use 'absolute'",
                           element_name(type));
    out->ulps = (uint32_t)ulps;
    for (size_t i = 0; i < REAL_TOLERANCES; i++)
        TRY_OR_FALSE(make_real(maker, tolerance_formula(given, i), tolerance_keys[i].name, 0,
                               HUGE_VAL, (double *)(void *)((char *)out + tolerance_keys[i].made)));
    return true;
}

/* ---- reading ---- */

static bool is_checked(const struct argument_rule *argument)
{
    return argument->role == ARGUMENT_OUTPUT || argument->role == ARGUMENT_UPDATE;
}

static bool read_reference(struct file_reader *reader, const struct node *node,
                           struct check_rule *check)
{
    for (size_t i = 0; i < KINDS; i++) {
        if (!node_get(node, kinds[i]->key))
            continue;
        if (check->kind)
            return node_error(reader, node, "check has both '%s' and '%s'; it needs one",
                              check->kind->key, kinds[i]->key);
        check->kind = kinds[i];
    }
    if (!check->kind) {
        struct text keys = {0};
        for (size_t i = 0; i < KINDS; i++)
            text_printf(&keys, "%s%s", i == 0 ? "" : i + 1 < KINDS ? ", " : " and ", kinds[i]->key);
        (void)node_error(reader, node, "check needs one of the keys %s", text_string(&keys));
        text_free(&keys);
        return false;
    }
    for (size_t i = 0; i < KINDS; i++)
        for (size_t k = 0; k < COMPANIONS_MAX && kinds[i]->companions[k]; k++)
            if (node_get(node, kinds[i]->companions[k]) && check->kind != kinds[i])
                return node_error(reader, node_get(node, kinds[i]->companions[k]),
                                  "'%s' goes with '%s', not with '%s'", kinds[i]->companions[k],
                                  kinds[i]->key, check->kind->key);
    return check->kind->read(reader, node, node_get(node, check->kind->key), check);
}

/* Finds the output or update of a check that names none: the only one. */
static bool find_only_output(struct file_reader *reader, const struct node *node, size_t *index)
{
    const struct experiment *experiment = reader->experiment;
    size_t count = 0;
    for (size_t i = 0; i < experiment->argument_count; i++)
        if (is_checked(&experiment->arguments[i])) {
            *index = i;
            count++;
        }
    return count == 1 ||
           node_error(reader, node,
                      count == 0
                          ? "nothing to check: an argument needs output: true or update: true"
                          : "check: several arguments are outputs: name one by 'output'");
}

static bool read_check(struct file_reader *reader, const struct node *node)
{
    struct experiment *experiment = reader->experiment;
    struct check_rule *check = &experiment->checks[experiment->check_count];
    const char *keys[2 + TOLERANCES + KINDS * (1 + COMPANIONS_MAX)] = {"output", "per"};
    size_t key_count = 2;
    if (node->kind == NODE_MAPPING && node_get(node, "unchecked")) {
        /* {unchecked: [NAME, ...]} */
        const struct node *list = node_get(node, "unchecked");
        TRY_OR_FALSE(CHECK_KEYS(reader, node, "outputs without a check", "!unchecked") &&
                     need_items(reader, list, "unchecked", ARGUMENTS_MAX));
        for (const struct node *item = list->first; item; item = item->next) {
            size_t index = 0;
            TRY_OR_FALSE(find_argument(reader, item, &index));
            if (!is_checked(&experiment->arguments[index]))
                return node_error(reader, item, "'%s' is no output, so nothing checks it",
                                  item->text);
            experiment->arguments[index].unchecked = true;
        }
        return true;
    }
    for (size_t i = 0; i < KINDS; i++) {
        keys[key_count++] = kinds[i]->key;
        for (size_t k = 0; k < COMPANIONS_MAX && kinds[i]->companions[k]; k++)
            keys[key_count++] = kinds[i]->companions[k];
    }
    for (size_t i = 0; i < TOLERANCES; i++)
        keys[key_count++] = tolerance_keys[i].key;
    TRY_OR_FALSE(check_keys(reader, node, "check", keys, key_count));
    const struct node *per = node_get(node, "per");
    TRY_OR_FALSE(!per || need_items(reader, per, "per", EXPERIMENT_PARAMETERS_MAX));
    for (const struct node *item = per ? per->first : NULL; item; item = item->next) {
        size_t parameter = 0;
        TRY_OR_FALSE(need_kind(reader, item, NODE_SCALAR, "a parameter") &&
                     find_parameter(reader, item, &parameter));
        slot_set_add(&check->per, SLOT_PARAMETERS + parameter);
    }
    const struct node *output = node_get(node, "output");
    check->place = node->place;
    if (!read_reference(reader, node, check) || !read_tolerance(reader, node, &check->tolerance) ||
        !(output ? find_argument(reader, output, &check->output)
                 : find_only_output(reader, node, &check->output)))
        return false;
    if (!is_checked(&experiment->arguments[check->output]))
        return node_error(reader, output, "'%s' is not an output (output: true, or update: true)",
                          experiment->arguments[check->output].name);
    for (size_t i = 0; i < experiment->check_count; i++)
        if (experiment->checks[i].output == check->output)
            return node_error(reader, output ? output : node, "a second check of '%s'",
                              experiment->arguments[check->output].name);
    experiment->check_count++;
    return true;
}

bool read_checks(struct file_reader *reader, const struct node *root)
{
    struct experiment *experiment = reader->experiment;
    const struct node *node = node_get(root, "check");
    if (node && node->kind != NODE_LIST && !read_check(reader, node))
        return false;
    if (node && node->kind == NODE_LIST && !need_items(reader, node, "check", CHECKS_MAX))
        return false;
    for (const struct node *item = node && node->kind == NODE_LIST ? node->first : NULL; item;
         item = item->next)
        TRY_OR_FALSE(read_check(reader, item));
    for (size_t i = 0; node && i < experiment->check_count; i++) {
        const struct argument_rule *output = &experiment->arguments[experiment->checks[i].output];
        if (output->unchecked)
            return node_error(reader, node, "'%s' is checked, and is listed as unchecked",
                              output->name);
    }
    if (experiment->check_count > 0)
        return true;
    /* Without `check` the default configuration is the reference of all outputs that are not listed
     * as unchecked. */
    const struct node *arguments = node_get(root, "arguments");
    bool unchecked = false;
    for (size_t i = 0; i < experiment->argument_count; i++) {
        unchecked |= experiment->arguments[i].unchecked;
        if (!is_checked(&experiment->arguments[i]) || experiment->arguments[i].unchecked)
            continue;
        if (experiment->check_count == CHECKS_MAX)
            return node_error(reader, arguments,
                              "more than %d outputs and updates: say in 'check' which are compared",
                              CHECKS_MAX);
        experiment->checks[experiment->check_count++] =
            (struct check_rule){.place = experiment->arguments[i].place,
                                .output = i,
                                .kind = &check_by_configuration,
                                .tolerance.place = experiment->arguments[i].place};
    }
    return experiment->check_count > 0 || unchecked ||
           node_error(reader, arguments,
                      "nothing to check: an argument needs output: true or update: true");
}

/* ---- making ---- */

bool check_of_problem(struct maker *maker, const struct check_rule *rule)
{
    const struct experiment *experiment = maker->experiment;
    const struct argument_rule *output = &experiment->arguments[rule->output];
    struct output_check made = {.output = rule->output};
    enum element_type type = ELEMENT_I32;
    if (!within(experiment, output->type.uses, USE_PROBLEM))
        return true;
    TRY_OR_FALSE(make_type(maker, &output->type, &type));
    for (size_t i = 0; i < TOLERANCES; i++)
        if (!within(experiment, tolerance_formula(&rule->tolerance, i)->uses, USE_PROBLEM))
            return true;
    return make_tolerance(maker, rule, type, &made.tolerance) &&
           (!rule->kind->of_problem || rule->kind->make(maker, NULL, rule, type, &made));
}

enum status point_checks(const struct point *point, struct arena *arena,
                         struct output_check out[CHECKS_MAX], size_t *count, struct error *error)
{
    const struct experiment *experiment = point->experiment;
    struct maker maker;
    *count = 0;
    if (!point_begin(point, arena, error, &maker))
        return error->status;
    for (; *count < experiment->check_count; ++*count) {
        const struct check_rule *rule = &experiment->checks[*count];
        struct output_check *check = &out[*count];
        enum element_type type = ELEMENT_I32;
        *check = (struct output_check){
            .output = rule->output, .kind = rule->kind->reference, .fill = rule->kind->fill};
        if (!make_type(&maker, &experiment->arguments[rule->output].type, &type) ||
            !make_tolerance(&maker, rule, type, &check->tolerance) ||
            !rule->kind->make(&maker, point, rule, type, check))
            return error->status;
    }
    return STATUS_OK;
}

enum status space_compares(const struct experiment *experiment, const struct problem *problem,
                           const struct facts *facts, struct space *space, struct error *error)
{
    enum { LOOKED_AT = 256 };
    const uint64_t count = space_count(space);
    const uint64_t step = count > LOOKED_AT ? count / LOOKED_AT : 1;
    struct output_check *checks = NULL;
    enum status status = STATUS_OK;
    bool one_form = true;
    for (size_t i = 0; i < experiment->check_count; i++)
        one_form = one_form && has_one_form(experiment, &experiment->checks[i]);
    if (!one_form && !(checks = calloc(CHECKS_MAX, sizeof *checks)))
        return error_no_memory(error);
    for (uint64_t i = 0; !one_form && status == STATUS_OK && i < count; i += step) {
        struct configuration configuration;
        struct arena arena = {0};
        size_t made = 0;
        space_configuration(space, i, &configuration);
        const struct point point = {experiment, problem, facts, &configuration, 1};
        status = point_checks(&point, &arena, checks, &made, error);
        arena_free(&arena);
    }
    free(checks);
    return status;
}
