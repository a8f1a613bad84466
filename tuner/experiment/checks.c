/* What a configuration's outputs are held against: reading it, and what it means. A kind of check
 * is a row of `kinds`, with how it is read and made; what is true of its reference is a row of
 * tuner/base/reference.c, and what makes the expected elements one of
 * tuner/worker/measure_expected.c. */
#include <math.h>
#include <string.h>

#include "tuner/base/text.h"
#include "tuner/experiment/plan.h"
#include "tuner/experiment/read.h"

enum { COMPANIONS_MAX = 2 };
struct check_kind {
    const char *key;                        /* of the check */
    const char *companions[COMPANIONS_MAX]; /* keys that go with it alone */
    enum reference_kind reference;
    bool of_problem; /* what it means does not depend on the configuration nor on the device */
    /* `value` is the key's. */
    bool (*read)(struct file_reader *reader, const struct node *check, const struct node *value,
                 struct check_rule *out);
    /* `out` has all but what the kind makes of it. */
    bool (*make)(struct maker *maker, const struct point *point, const struct check_rule *rule,
                 enum element_type type, struct output_check *out);
};

/* ---- parameters that a check is made anew for ---- */

static bool read_per(struct file_reader *reader, const struct node *node, struct slot_set *out)
{
    const struct experiment *experiment = reader->experiment;
    const char *words[EXPERIMENT_PARAMETERS_MAX];
    if (!node)
        return true;
    if (!need_items(reader, node, "per", EXPERIMENT_PARAMETERS_MAX))
        return false;
    for (size_t i = 0; i < experiment->parameter_count; i++)
        words[i] = experiment->parameters[i].name;
    for (const struct node *item = node->first; item; item = item->next) {
        size_t i = 0;
        if (!need_kind(reader, item, NODE_SCALAR, "a parameter"))
            return false;
        while (i < experiment->parameter_count && strcmp(words[i], item->text) != 0)
            i++;
        if (i == experiment->parameter_count)
            return node_error(reader, item, "no parameter is named '%.60s'%s", item->text,
                              suggest(item->text, words, experiment->parameter_count).text);
        slot_set_add(out, SLOT_PARAMETERS + i);
    }
    return true;
}

/* Whether all parameters that it comes to need are among those of `per`. */
static bool is_within_per(const struct experiment *experiment, struct slot_set uses,
                          const struct slot_set *per)
{
    const struct slot_set reached = slots_reached(experiment, uses);
    for (size_t i = 0; i < experiment->parameter_count; i++)
        if (slot_set_has(&reached, SLOT_PARAMETERS + i) && !slot_set_has(per, SLOT_PARAMETERS + i))
            return false;
    return within(experiment, uses, USE_PROBLEM | USE_PARAMETERS);
}

static bool need_within_per(struct file_reader *reader, const struct node *node,
                            struct slot_set uses, const struct check_rule *check)
{
    return is_within_per(reader->experiment, uses, &check->per) ||
           node_error(reader, node,
                      "a parameter that the reference depends on stands in 'per': per: [NAME]");
}

bool point_check_key(const struct point *point, char out[CONFIGURATION_KEY_BYTES])
{
    const struct experiment *experiment = point->experiment;
    struct configuration key = {.count = 0};
    for (size_t i = 0; point->configuration && i < experiment->parameter_count; i++)
        for (size_t j = 0; j < experiment->check_count; j++)
            if (slot_set_has(&experiment->checks[j].per, SLOT_PARAMETERS + i)) {
                key.values[key.count++] = point->configuration->values[i];
                break;
            }
    return configuration_key(&key, out);
}

/* ---- a function in C ---- */

static bool read_function(struct file_reader *reader, const struct node *node,
                          const struct node *value, struct check_rule *check)
{
    const struct node *source = node_get(node, "source");
    const struct node *defines = node_get(node, "defines");
    if (!source)
        return node_error(reader, node, "check needs the key 'source': the reference's file");
    const unsigned allowed = USE_PROBLEM | USE_PARAMETERS;
    if (!read_source(reader, source, &check->source) ||
        !read_template(reader, value, "reference", allowed, &check->reference) ||
        !need_within_per(reader, value, check->reference.uses, check))
        return false;
    if (defines && !read_defines(reader, defines, allowed, &check->defines))
        return false;
    for (size_t i = 0; defines && i < check->defines.count; i++)
        if (!need_within_per(reader, defines, check->defines.items[i].formula.uses, check))
            return false;
    if (defines)
        return true;
    /* Without defines of its own it gets those that are the same for every configuration. */
    const struct define_list *all = &reader->experiment->defines;
    check->defines.items = arena_alloc(reader->arena, all->count + 1, sizeof *all->items);
    if (!check->defines.items)
        return out_of_memory(reader);
    for (size_t i = 0; i < all->count; i++)
        if (is_within_per(reader->experiment, all->items[i].formula.uses, &check->per))
            check->defines.items[check->defines.count++] = all->items[i];
    return true;
}

static bool make_function(struct maker *maker, const struct point *point,
                          const struct check_rule *rule, enum element_type type,
                          struct output_check *out)
{
    (void)point;
    (void)type;
    const struct experiment *experiment = maker->experiment;
    out->binary = (struct binary_request){.source_path = rule->source,
                                          .architecture = "native",
                                          .folder_count = experiment->folder_count};
    memcpy(out->binary.folders, experiment->folders, sizeof out->binary.folders);
    if (!make_defines(maker, &rule->defines, &out->binary) ||
        !make_text(maker, &rule->reference, &out->reference))
        return false;
    out->binary.kernels[0] = out->reference;
    out->binary.kernel_count = 1;
    return true;
}

/* ---- another plan ---- */

static bool read_other_launches(struct file_reader *reader, const struct node *node,
                                const struct node *value, struct check_rule *check)
{
    (void)node;
    check->launches = arena_alloc(reader->arena, LAUNCHES_MAX, sizeof *check->launches);
    if (!check->launches)
        return out_of_memory(reader);
    return read_launch_list(reader, value, check->launches, &check->launch_count);
}

static bool read_configuration(struct file_reader *reader, const struct node *node,
                               const struct node *value, struct check_rule *check)
{
    (void)node;
    if (value->kind == NODE_MAPPING)
        return read_setting(reader, value, "configuration", &check->setting);
    if (!need_kind(reader, value, NODE_SCALAR, "configuration"))
        return false;
    return strcmp(value->text, "default") == 0 ||
           node_error(reader, value,
                      "configuration is 'default', or a mapping with a value for each parameter");
}

/* The output's count in this configuration; 0 where that cannot be told: make_plan says why. */
static int64_t known_count(struct maker *maker, const struct check_rule *rule)
{
    struct error *error = maker->error;
    struct error unknown;
    int64_t count = 0;
    maker->error = &unknown;
    const bool known = make_count(maker, &maker->experiment->arguments[rule->output], &count);
    maker->error = error;
    return known ? count : 0;
}

/* Another plan is that of one configuration, whichever is checked, so that one result serves all.
 * Where a grid is made of the resident blocks it takes one per SM: how many there are is known of
 * the checked configuration only. */
static bool make_other(struct maker *maker, const struct point *point,
                       const struct check_rule *rule, enum element_type type,
                       struct output_check *out)
{
    (void)type;
    const struct experiment *experiment = maker->experiment;
    const struct argument_rule *output = &experiment->arguments[rule->output];
    struct launch_list list = launches_of(experiment);
    struct configuration configuration;
    struct point other = *point;
    struct maker others;
    other.configuration = NULL;
    other.active_blocks = 1;
    if (!point_begin(&other, maker->arena, maker->error, &others))
        return false;
    if (rule->setting.given ? !make_configuration(&others, rule->setting.values, &configuration)
                            : experiment_default(experiment, point->problem, point->facts,
                                                 &configuration, maker->error) != STATUS_OK)
        return false;
    for (size_t i = 0; point->configuration && i < configuration.count; i++)
        if (slot_set_has(&rule->per, SLOT_PARAMETERS + i))
            configuration.values[i] = point->configuration->values[i];
    if (rule->launch_count > 0)
        list = (struct launch_list){rule->launches, rule->launch_count};
    struct launch_plan *plan = arena_alloc(maker->arena, 1, sizeof *plan);
    if (!plan)
        return maker_no_memory(maker);
    out->plan = plan;
    other.configuration = &configuration;
    if (!point_begin(&other, maker->arena, maker->error, &others) ||
        !make_binary(&others, point->facts, list, &out->binary) || !make_plan(&others, list, plan))
        return false;
    const int64_t count = known_count(maker, rule);
    const int64_t expected = plan->arguments[rule->output].count;
    return count == 0 || count == expected ||
           maker_error(maker, output->count.place,
                       "'%s' has %lld elements here and %lld in the reference's configuration: "
                       "they cannot be compared",
                       output->name, (long long)count, (long long)expected);
}

/* ---- a series, a file ---- */

static bool read_expected_series(struct file_reader *reader, const struct node *node,
                                 const struct node *value, struct check_rule *check)
{
    (void)node;
    return read_series(reader, value, &check->series);
}

static bool make_expected_series(struct maker *maker, const struct point *point,
                                 const struct check_rule *rule, enum element_type type,
                                 struct output_check *out)
{
    (void)point;
    (void)type;
    return make_series(maker, &rule->series, known_count(maker, rule), &out->reference);
}

static bool read_expected_file(struct file_reader *reader, const struct node *node,
                               const struct node *value, struct check_rule *check)
{
    (void)node;
    return read_template(reader, value, "file", USE_PROBLEM, &check->file);
}

static bool make_expected_file(struct maker *maker, const struct point *point,
                               const struct check_rule *rule, enum element_type type,
                               struct output_check *out)
{
    (void)point;
    return make_file_path(maker, &rule->file, &out->reference) &&
           file_holds(maker, out->reference, rule->file.place, known_count(maker, rule), type);
}

static const struct check_kind kinds[] = {
    {"reference", {"source", "defines"}, REFERENCE_FUNCTION, false, read_function, make_function},
    {"launches", {NULL}, REFERENCE_PLAN, false, read_other_launches, make_other},
    {"configuration", {NULL}, REFERENCE_PLAN, false, read_configuration, make_other},
    {"series", {NULL}, REFERENCE_SERIES, false, read_expected_series, make_expected_series},
    {"file", {NULL}, REFERENCE_FILE, true, read_expected_file, make_expected_file},
};
enum { KINDS = sizeof kinds / sizeof *kinds, KIND_CONFIGURATION = 2 };

bool check_uses_default(const struct check_rule *rule)
{
    return rule->kind->reference == REFERENCE_PLAN && !rule->setting.given;
}

/* ---- tolerances ---- */

static const struct tolerance_key {
    const char *key, *name; /* in errors */
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
        if (!read_formula(reader, given, row->key, USE_CONFIGURATION,
                          (struct formula *)((char *)out + row->rule)))
            return false;
    }
    return true;
}

static bool make_tolerance(struct maker *maker, const struct check_rule *rule,
                           enum element_type type, struct tolerance *out)
{
    const struct tolerance_rule *given = &rule->tolerance;
    int64_t ulps = 0;
    *out = (struct tolerance){0};
    if (!given->given) {
        /* What another plan leaves is rounded otherwise when it adds in another order. */
        if (rule->kind->reference == REFERENCE_PLAN && element_is_real(type))
            out->magnitude = type == ELEMENT_F64 ? 1e-9 : type == ELEMENT_F32 ? 1e-4 : 1e-2;
        return true;
    }
    if (!make_integer(maker, &given->ulps, "ulps", 0, UINT32_MAX, &ulps))
        return false;
    if (ulps > 0 && !element_is_real(type))
        return maker_error(maker, given->ulps.place,
                           "ulps are of reals, and the output's elements are %s: use 'absolute'",
                           element_name(type));
    out->ulps = (uint32_t)ulps;
    for (size_t i = 0; i < REAL_TOLERANCES; i++)
        if (!make_real(maker, tolerance_formula(given, i), tolerance_keys[i].name, 0, HUGE_VAL,
                       (double *)(void *)((char *)out + tolerance_keys[i].made)))
            return false;
    return true;
}

/* ---- reading ---- */

static bool is_checked(const struct argument_rule *argument)
{
    return argument->role == ARGUMENT_OUTPUT || argument->role == ARGUMENT_UPDATE;
}

static bool no_kind(struct file_reader *reader, const struct node *node)
{
    struct text keys = {0};
    for (size_t i = 0; i < KINDS; i++)
        text_printf(&keys, "%s%s", i == 0 ? "" : i + 1 < KINDS ? ", " : " and ", kinds[i].key);
    (void)node_error(reader, node, "check needs one of the keys %s", text_string(&keys));
    text_free(&keys);
    return false;
}

static bool read_reference(struct file_reader *reader, const struct node *node,
                           struct check_rule *check)
{
    for (size_t i = 0; i < KINDS; i++) {
        if (!node_get(node, kinds[i].key))
            continue;
        if (check->kind)
            return node_error(reader, node, "check has both '%s' and '%s'; it needs one",
                              check->kind->key, kinds[i].key);
        check->kind = &kinds[i];
    }
    if (!check->kind)
        return no_kind(reader, node);
    for (size_t i = 0; i < KINDS; i++)
        for (size_t k = 0; k < COMPANIONS_MAX && kinds[i].companions[k]; k++)
            if (node_get(node, kinds[i].companions[k]) && check->kind != &kinds[i])
                return node_error(reader, node_get(node, kinds[i].companions[k]),
                                  "'%s' goes with '%s', not with '%s'", kinds[i].companions[k],
                                  kinds[i].key, check->kind->key);
    return check->kind->read(reader, node, node_get(node, check->kind->key), check);
}

/* {unchecked: [NAME, ...]} */
static bool read_unchecked(struct file_reader *reader, const struct node *node)
{
    struct experiment *experiment = reader->experiment;
    const struct node *list = node_get(node, "unchecked");
    if (!CHECK_KEYS(reader, node, "what is not checked", "!unchecked") ||
        !need_items(reader, list, "unchecked", ARGUMENTS_MAX))
        return false;
    for (const struct node *item = list->first; item; item = item->next) {
        size_t index = 0;
        if (!find_argument(reader, item, &index))
            return false;
        if (!is_checked(&experiment->arguments[index]))
            return node_error(reader, item, "'%s' is no output, so nothing checks it", item->text);
        experiment->arguments[index].unchecked = true;
    }
    return true;
}

static bool read_check(struct file_reader *reader, const struct node *node)
{
    struct experiment *experiment = reader->experiment;
    struct check_rule *check = &experiment->checks[experiment->check_count];
    const char *keys[2 + TOLERANCES + KINDS * (1 + COMPANIONS_MAX)] = {"!output", "per"};
    size_t key_count = 2;
    if (node->kind == NODE_MAPPING && node_get(node, "unchecked"))
        return read_unchecked(reader, node);
    for (size_t i = 0; i < KINDS; i++) {
        keys[key_count++] = kinds[i].key;
        for (size_t k = 0; k < COMPANIONS_MAX && kinds[i].companions[k]; k++)
            keys[key_count++] = kinds[i].companions[k];
    }
    for (size_t i = 0; i < TOLERANCES; i++)
        keys[key_count++] = tolerance_keys[i].key;
    if (!check_keys(reader, node, "check", keys, key_count))
        return false;
    const struct node *output = node_get(node, "output");
    check->place = node->place;
    if (!read_per(reader, node_get(node, "per"), &check->per) ||
        !read_reference(reader, node, check) || !read_tolerance(reader, node, &check->tolerance) ||
        !find_argument(reader, output, &check->output))
        return false;
    if (!is_checked(&experiment->arguments[check->output]))
        return node_error(reader, output, "'%s' is not an output (output: true, or update: true)",
                          experiment->arguments[check->output].name);
    for (size_t i = 0; i < experiment->check_count; i++)
        if (experiment->checks[i].output == check->output)
            return node_error(reader, output, "a second check of '%s'", output->text);
    experiment->check_count++;
    return true;
}

/* Where nothing is said, the default configuration is the reference of all that is written. */
static bool check_all(struct file_reader *reader, const struct node *root)
{
    struct experiment *experiment = reader->experiment;
    const struct node *arguments = node_get(root, "arguments");
    for (size_t i = 0; i < experiment->argument_count; i++) {
        if (!is_checked(&experiment->arguments[i]) || experiment->arguments[i].unchecked)
            continue;
        if (experiment->check_count == CHECKS_MAX)
            return node_error(reader, arguments,
                              "more than %d outputs and updates: say in 'check' which are compared",
                              CHECKS_MAX);
        experiment->checks[experiment->check_count++] =
            (struct check_rule){.place = experiment->arguments[i].place,
                                .output = i,
                                .kind = &kinds[KIND_CONFIGURATION],
                                .tolerance.place = experiment->arguments[i].place};
    }
    return experiment->check_count > 0 ||
           node_error(reader, arguments,
                      "nothing to check: an argument needs output: true or update: true");
}

bool read_checks(struct file_reader *reader, const struct node *root)
{
    const struct experiment *experiment = reader->experiment;
    const struct node *node = node_get(root, "check");
    if (node && node->kind != NODE_LIST && !read_check(reader, node))
        return false;
    if (node && node->kind == NODE_LIST && !need_items(reader, node, "check", CHECKS_MAX))
        return false;
    for (const struct node *item = node && node->kind == NODE_LIST ? node->first : NULL; item;
         item = item->next)
        if (!read_check(reader, item))
            return false;
    for (size_t i = 0; i < experiment->check_count; i++) {
        const struct argument_rule *output = &experiment->arguments[experiment->checks[i].output];
        if (output->unchecked)
            return node_error(reader, node, "'%s' is checked, and it is said not to be",
                              output->name);
    }
    return experiment->check_count > 0 || check_all(reader, root);
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
    if (!make_type(maker, &output->type, &type))
        return false;
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
        *check = (struct output_check){.output = rule->output, .kind = rule->kind->reference};
        if (!make_type(&maker, &experiment->arguments[rule->output].type, &type) ||
            !make_tolerance(&maker, rule, type, &check->tolerance) ||
            !rule->kind->make(&maker, point, rule, type, check))
            return error->status;
    }
    return STATUS_OK;
}
