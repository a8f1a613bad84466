/* Reading of problems and spaces: names, derived values, axes, sizes, parameters, constraints; and
 * of whole configurations: defaults, those of checks, baselines. */
#include "tuner/experiment/read.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/text.h"

static bool declare(struct file_reader *reader, const struct node *key, const char *subject,
                    size_t slot)
{
    static const char keywords[] = "and or not if else in for True False";
    struct scope *scope = &reader->experiment->scope;
    TRY_OR_FALSE(need_name(reader, key, subject));
    if (word_is_in(key->text, strlen(key->text), keywords))
        return node_error(reader, key, "'%s' is a word of expressions, not a name", key->text);
    if (function_find(key->text) >= 0)
        return node_error(reader, key, "'%s' is the name of a function", key->text);
    const size_t taken = scope_find(scope, key->text);
    if (taken < scope->count) {
        const bool fact = taken < SLOT_AXES || taken == SLOT_ACTIVE_BLOCKS;
        if (!fact || slot >= SLOT_DERIVED)
            return node_error(reader, key, "the name '%s' is taken by %s", key->text,
                              fact ? "facts of the device"
                                   : "another axis, size, parameter or derived value");
        scope->names[taken] = NULL; /* the file's names hide the device's facts */
    }
    scope->names[slot] = key->text;
    return true;
}

static bool declare_all(struct file_reader *reader, const struct node *node, const char *section,
                        const char *subject, size_t slot, size_t most)
{
    if (!node)
        return true;
    TRY_OR_FALSE(need_kind(reader, node, NODE_MAPPING, section));
    if (node->count > most)
        return node_error(reader, node, "%s has %zu names; the most is %zu", section, node->count,
                          most);
    for (const struct node *key = node->first; key; key = key->next)
        TRY_OR_FALSE(declare(reader, key, subject, slot++));
    return true;
}

/* Declares one name, or several, "m, n", whose values are tuples. */
static bool declare_sizes(struct file_reader *reader, const struct node *sizes)
{
    struct node *names = NULL;
    size_t count = 0;
    if (!sizes || sizes->kind != NODE_MAPPING || sizes->count != 1 ||
        !strchr(sizes->first->text, ','))
        return declare_all(reader, sizes, "sizes", "the size", SLOT_SIZE, 1);
    /* Split "m, n" into a node for each name. */
    names = arena_alloc(reader->arena, SIZE_NAMES_MAX, sizeof *names);
    if (!names)
        return out_of_memory(reader);
    for (const char *at = sizes->first->text; *at;) {
        const size_t length = strcspn(at, ", ");
        if (count == SIZE_NAMES_MAX)
            return node_error(reader, sizes->first, "more than %d names of sizes", SIZE_NAMES_MAX);
        struct node *name = &names[count++];
        *name = *sizes->first;
        name->text = arena_strndup(reader->arena, at, length);
        if (!name->text)
            return out_of_memory(reader);
        at += length;
        at += strspn(at, ", ");
    }
    for (size_t i = 0; i < count; i++)
        TRY_OR_FALSE(declare(reader, &names[i], "the size", SLOT_SIZE + i));
    reader->experiment->size_name_count = count;
    return true;
}

bool declare_names(struct file_reader *reader, const struct node *root)
{
    struct experiment *experiment = reader->experiment;
    struct scope *scope = &experiment->scope;
    scope->count = SLOT_COUNT;
    scope->lambdas = true;
    for (size_t i = 0; i < fact_name_count; i++)
        if (fact_names[i].owner == FACT_OF_ALL ||
            (fact_names[i].owner == FACT_OF_GPUS) == experiment->head.device->is_gpu)
            scope->names[SLOT_FACTS + i] = fact_names[i].name;
    if (experiment->head.device->is_gpu)
        scope->names[SLOT_ACTIVE_BLOCKS] = "active_blocks";
    return declare_all(reader, node_get(root, "axes"), "axes", "the axis", SLOT_AXES,
                       EXPERIMENT_AXES_MAX) &&
           declare_sizes(reader, node_get(root, "sizes")) &&
           declare_all(reader, node_get(root, "parameters"), "parameters", "the parameter",
                       SLOT_PARAMETERS, EXPERIMENT_PARAMETERS_MAX) &&
           declare_all(reader, node_get(root, "derived"), "derived", "the derived value",
                       SLOT_DERIVED, EXPERIMENT_DERIVED_MAX);
}

/* ---- derived values ---- */

struct visit {
    struct file_reader *reader;
    unsigned char state[EXPERIMENT_DERIVED_MAX]; /* 0: new, 1: in progress, 2: done */
};

static bool visit_derived(struct visit *visit, size_t index)
{
    struct experiment *experiment = visit->reader->experiment;
    const struct named_formula *derived = &experiment->derived[index];
    visit->state[index] = 1;
    struct slot_set reach = derived->formula.uses;
    for (size_t i = 0; i < experiment->derived_count; i++) {
        if (!slot_set_has(&derived->formula.uses, SLOT_DERIVED + i))
            continue;
        if (visit->state[i] == 1)
            return place_refuses(visit->reader->error, derived->formula.place,
                                 i == index ? "'%s' is made of itself"
                                            : "'%s' is made of '%s', which is made of it",
                                 derived->name, experiment->derived[i].name);
        if (visit->state[i] == 0 && !visit_derived(visit, i))
            return false;
        reach = slot_set_union(reach, experiment->reach[SLOT_DERIVED + i]);
    }
    slot_set_add(&reach, SLOT_DERIVED + index);
    experiment->reach[SLOT_DERIVED + index] = reach;
    visit->state[index] = 2;
    return true;
}

bool read_derived(struct file_reader *reader, const struct node *root)
{
    struct experiment *experiment = reader->experiment;
    const struct node *node = node_get(root, "derived");
    for (const struct node *key = node ? node->first : NULL; key; key = key->next) {
        struct named_formula *derived = &experiment->derived[experiment->derived_count];
        derived->name = key->text;
        TRY_OR_FALSE(read_formula(reader, key->value, key->text, USE_ALL, &derived->formula));
        experiment->definitions[SLOT_DERIVED + experiment->derived_count++] = derived->formula.tree;
    }
    struct visit visit = {.reader = reader};
    for (size_t i = 0; i < experiment->derived_count; i++)
        if (visit.state[i] == 0 && !visit_derived(&visit, i))
            return false;
    return true;
}

/* ---- lists of values ---- */

/* Evaluates an expression without variables. */
static bool constant_value(struct file_reader *reader, const struct formula *formula,
                           struct value *out)
{
    struct maker maker;
    maker_start(&maker, reader->experiment, NULL, NULL, NULL, reader->error);
    return make_value(&maker, formula, out);
}

static bool is_constant(const struct formula *formula)
{
    const struct slot_set none = {{0}};
    return memcmp(&formula->uses, &none, sizeof none) == 0;
}

/* Evaluates a list without variables now, to report errors early. */
static bool check_list(struct file_reader *reader, const struct formula *list)
{
    struct maker maker;
    struct arena arena = {0};
    struct value *values = NULL;
    size_t count = 0;
    maker_start(&maker, reader->experiment, NULL, NULL, &arena, reader->error);
    enum status status = expression_evaluate_list(list->tree, &maker.environment, &arena, &values,
                                                  &count, reader->error);
    if (status == STATUS_OK && count == 0)
        status = place_error(reader->error, STATUS_BAD_INPUT, list->place, "the list is empty");
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = check_value(values[i], list->place, reader->error);
    arena_free(&arena);
    return status == STATUS_OK;
}

static bool read_list(struct file_reader *reader, const struct node *key, size_t slot, size_t most,
                      unsigned allowed, struct named_list *out)
{
    const struct node *list = key->value;
    *out = (struct named_list){.name = key->text, .place = key->place, .slot = slot};
    TRY_OR_FALSE(need_items(reader, list, key->text, most));
    struct formula *values = arena_alloc(reader->arena, list->count, sizeof *values);
    if (!values)
        return out_of_memory(reader);
    out->values = values;
    for (const struct node *item = list->first; item; item = item->next)
        TRY_OR_FALSE(read_value(reader, item, allowed, &values[out->count++]));
    /* Evaluate values without variables now, to report errors early. */
    for (size_t i = 0; i < out->count; i++) {
        struct value value;
        if (!is_constant(&values[i]))
            continue;
        if (!constant_value(reader, &values[i], &value) ||
            check_value(value, values[i].place, reader->error) != STATUS_OK ||
            expression_constant(reader->arena, values[i].place, value, &values[i], reader->error) !=
                STATUS_OK)
            return false;
    }
    return true;
}

bool read_axes(struct file_reader *reader, const struct node *node)
{
    for (const struct node *key = node ? node->first : NULL; key; key = key->next) {
        const size_t index = reader->experiment->axis_count++;
        struct experiment *experiment = reader->experiment;
        struct named_list *axis = &experiment->axes[index];
        struct value *values = experiment->axis_values[index];
        TRY_OR_FALSE(read_list(reader, key, SLOT_AXES + index, AXIS_VALUES_MAX, 0, axis));
        for (size_t i = 0; i < axis->count; i++) {
            TRY_OR_FALSE(constant_value(reader, &axis->values[i], &values[i]));
            if (values[i].kind == VALUE_REAL)
                return place_refuses(reader->error, axis->values[i].place,
                                     "the value of an axis is a text or an integer");
            if (values[i].kind == VALUE_TEXT && strpbrk(values[i].text, "./:*<>,[]{}()&|!?%@"))
                return place_refuses(reader->error, axis->values[i].place,
                                     "the texts of an axis name a problem: letters, digits, _ + -");
            for (size_t j = 0; j < i; j++)
                if (value_equal(values[i], values[j]))
                    return place_refuses(reader->error, axis->values[i].place,
                                         "this value was given before");
        }
    }
    return true;
}

static int ascending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a;
    int64_t y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Reads sizes with several names as one more axis, whose values are part of the key: the only size
 * is 1. */
static bool read_shapes(struct file_reader *reader, const struct node *key)
{
    struct experiment *experiment = reader->experiment;
    const size_t index = experiment->axis_count;
    if (index == EXPERIMENT_AXES_MAX)
        return node_error(
            reader, key, "sizes of several names count as an axis, and at most %d axes are allowed",
            EXPERIMENT_AXES_MAX);
    struct named_list *axis = &experiment->axes[index];
    struct value *values = experiment->axis_values[index];
    TRY_OR_FALSE(need_items(reader, key->value, "sizes", AXIS_VALUES_MAX));
    struct formula *formulas = arena_alloc(reader->arena, key->value->count, sizeof *formulas);
    if (!formulas)
        return out_of_memory(reader);
    *axis = (struct named_list){
        .name = "size", .place = key->place, .slot = SLOT_AXES + index, .values = formulas};
    for (const struct node *item = key->value->first; item; item = item->next) {
        struct value *value = &values[axis->count];
        struct text text = {0};
        bool right = item->kind == NODE_LIST && item->count == experiment->size_name_count;
        if (!right)
            return node_error(reader, item, "a size is a list of %zu numbers",
                              experiment->size_name_count);
        for (const struct node *part = item->first; part && right; part = part->next) {
            struct maker maker;
            struct formula formula;
            int64_t number = 0;
            maker_start(&maker, experiment, NULL, NULL, NULL, reader->error);
            right = read_value(reader, part, 0, &formula) &&
                    make_integer(&maker, &formula, "a size", 1, INT64_MAX, &number);
            text_printf(&text, "%s%lld", part == item->first ? "" : "x", (long long)number);
        }
        const char *shape = text_to_arena(&text, reader->arena);
        *value = value_text(shape);
        TRY_OR_FALSE(right && (shape || out_of_memory(reader)));
        for (size_t j = 0; j < axis->count; j++)
            if (value_equal(*value, values[j]))
                return node_error(reader, item, "this size was given before");
        if (expression_constant(reader->arena, item->place, *value, &formulas[axis->count++],
                                reader->error) != STATUS_OK)
            return false;
    }
    experiment->axis_count++;
    return true;
}

bool read_sizes(struct file_reader *reader, const struct node *node)
{
    struct experiment *experiment = reader->experiment;
    struct named_list *size = &experiment->size;
    const bool several = experiment->size_name_count > 1;
    experiment->head.has_size = node != NULL && !several;
    if (!experiment->head.has_size) { /* a single problem */
        *size = (struct named_list){.name = "n", .slot = SLOT_SIZE, .count = 1};
        experiment->sizes[0] = 1;
        return !several || !node || read_shapes(reader, node->first);
    }
    if (node->count != 1)
        return node_error(reader, node,
                          "sizes have one name, such as n: [...], or several with tuples: "
                          "\"m, n\": [[1024, 512]]");
    TRY_OR_FALSE(read_list(reader, node->first, SLOT_SIZE, EXPERIMENT_SIZES_MAX, 0, size));
    struct maker maker;
    maker_start(&maker, experiment, NULL, NULL, NULL, reader->error);
    for (size_t i = 0; i < size->count; i++) {
        TRY_OR_FALSE(
            make_integer(&maker, &size->values[i], "a size", 1, INT64_MAX, &experiment->sizes[i]));
        for (size_t j = 0; j < i; j++)
            if (experiment->sizes[i] == experiment->sizes[j])
                return place_refuses(reader->error, size->values[i].place,
                                     "this size was given before");
    }
    qsort(experiment->sizes, size->count, sizeof *experiment->sizes, ascending);
    return true;
}

bool read_parameters(struct file_reader *reader, const struct node *node)
{
    struct experiment *experiment = reader->experiment;
    experiment->parameters_place = node->place;
    if (node->count == 0)
        return node_error(reader, node, "parameters must have at least one name");
    for (const struct node *key = node->first; key; key = key->next) {
        struct named_list *parameter = &experiment->parameters[experiment->head.parameter_count];
        experiment->head.parameter_names[experiment->head.parameter_count] = key->text;
        const size_t slot = SLOT_PARAMETERS + experiment->head.parameter_count++;
        if (key->value->kind != NODE_SCALAR) {
            TRY_OR_FALSE(read_list(reader, key, slot, DOCUMENT_ITEMS_MAX, USE_DEVICE, parameter));
            continue;
        }
        /* A text with a list expression: "[2**i for i in range(6)]". */
        *parameter = (struct named_list){.name = key->text, .place = key->place, .slot = slot};
        if (!read_list_formula(reader, key->value, key->text, USE_DEVICE, &parameter->list) ||
            (is_constant(&parameter->list) && !check_list(reader, &parameter->list)))
            return false;
    }
    return true;
}

bool read_constraints(struct file_reader *reader, const struct node *node)
{
    struct experiment *experiment = reader->experiment;
    if (!node)
        return true;
    TRY_OR_FALSE(need_items(reader, node, "constraints", EXPERIMENT_CONSTRAINTS_MAX));
    for (const struct node *item = node->first; item; item = item->next) {
        const size_t index = experiment->head.constraint_count++;
        TRY_OR_FALSE(read_formula(reader, item, "a constraint", USE_CONFIGURATION,
                                  &experiment->constraints[index]));
        experiment->head.constraints[index] = experiment->constraints[index].text;
    }
    return true;
}

/* ---- configurations ---- */

/* Reads a value for each parameter. */
static bool read_values(struct file_reader *reader, const struct node *set, const char *subject,
                        const char *owner, struct formula values[EXPERIMENT_PARAMETERS_MAX])
{
    const char *const *names = reader->experiment->head.parameter_names;
    const size_t count = reader->experiment->head.parameter_count;
    TRY_OR_FALSE(check_keys(reader, set, subject, names, count));
    for (size_t i = 0; i < count; i++) {
        const struct node *value = node_get(set, names[i]);
        if (!value)
            return node_error(reader, set, "%s has no value for the parameter '%s'", owner,
                              names[i]);
        TRY_OR_FALSE(read_value(reader, value, USE_DEVICE, &values[i]));
    }
    return true;
}

bool read_setting(struct file_reader *reader, const struct node *node, const char *subject,
                  struct setting *out)
{
    if (!node)
        return true;
    out->place = node->place;
    out->given = true;
    return read_values(reader, node, subject, subject, out->values);
}

bool find_parameter(struct file_reader *reader, const struct node *node, size_t *out)
{
    const char *const *names = reader->experiment->head.parameter_names;
    const size_t count = reader->experiment->head.parameter_count;
    *out = WORD_INDEX(node->text, names, count);
    return *out < count || node_error(reader, node, "no parameter is named '%.60s'%s", node->text,
                                      suggest(node->text, names, count).text);
}

bool read_baselines(struct file_reader *reader, const struct node *node)
{
    struct experiment *experiment = reader->experiment;
    if (!node && experiment->defaults.given) { /* users want to know the gain over the defaults */
        struct baseline_rule *baseline = &experiment->baselines[experiment->baseline_count++];
        *baseline =
            (struct baseline_rule){.name = "defaults", .about = "the experiment's defaults"};
        memcpy(baseline->values, experiment->defaults.values, sizeof baseline->values);
    }
    if (!node)
        return true;
    TRY_OR_FALSE(need_items(reader, node, "baselines", EXPERIMENT_BASELINES_MAX));
    for (const struct node *item = node->first; item; item = item->next) {
        struct baseline_rule *baseline = &experiment->baselines[experiment->baseline_count];
        TRY_OR_FALSE(
            CHECK_KEYS(reader, item, "a baseline", "!name", "about", "when", "occupancy", "!set"));
        const struct node *name = node_get(item, "name");
        const struct node *about = node_get(item, "about");
        const struct node *occupancy = node_get(item, "occupancy");
        char owner[VALUE_TEXT_BYTES + 32];
        size_t parameter = 0;
        TRY_OR_FALSE(need_name(reader, name, "the baseline's name"));
        for (size_t i = 0; i < experiment->baseline_count; i++)
            if (strcmp(experiment->baselines[i].name, name->text) == 0)
                return node_error(reader, name, "a second baseline named '%s'", name->text);
        baseline->name = name->text;
        baseline->about = "";
        experiment->baseline_count++;
        if ((about && !read_text(reader, about, "about", &baseline->about)) ||
            !read_optional(reader, item, "when", USE_DEVICE, &baseline->when))
            return false;
        if (occupancy && !experiment->head.device->has_occupancy)
            return node_error(reader, occupancy, "only GPUs have the Occupancy API");
        if (occupancy && (!need_name(reader, occupancy, "occupancy") ||
                          !find_parameter(reader, occupancy, &parameter)))
            return false;
        if (occupancy)
            baseline->occupancy = experiment->parameters[parameter].name;
        (void)string_format(owner, sizeof owner, "the baseline '%s'", baseline->name);
        TRY_OR_FALSE(read_values(reader, node_get(item, "set"), "set", owner, baseline->values));
    }
    return true;
}
