/* ConfigurationSpace: parameters, defaults and constraints; substitutions in expressions of Kernel
 * Tuner's dialect. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "frontends/t1/internal.h"

enum { RESTRICTIONS_MAX = 256 };

static const char *const parameters_origin = "ConfigurationSpace.TuningParameters";

static const json_t *parameters_of(const struct translation *t)
{
    return json_member(t->space, "TuningParameters");
}

const json_t *t1_parameter(const struct translation *t, const char *name)
{
    const json_t *parameter;
    size_t index;
    json_array_foreach(parameters_of(t), index, parameter)
    {
        if (json_has_text(parameter, "Name", name))
            return parameter;
    }
    return NULL;
}

/* ---- expressions ---- */

/* Returns the greatest or least value of a parameter as text; NULL after an error. */
static const char *parameter_bound(struct translation *t, const char *name, bool most)
{
    const struct scope scope = {.count = 0};
    const json_t *values = json_member(t1_parameter(t, name), "Values");
    const struct source_text source = {.place = {t->document->file, 0, 1},
                                       .text = json_is_string(values) ? json_string_value(values)
                                                                      : json_dumped(t, values)};
    const char *origin = t1_printf(t, "%s, '%s'", parameters_origin, name);
    struct arena *arena = &t->document->arena;
    struct environment *environment = arena_alloc(arena, 1, sizeof *environment);
    struct formula formula = {0};
    struct value *list = NULL;
    size_t count = 0;
    size_t best = 0;
    double bound = 0;
    char text[VALUE_TEXT_BYTES];
    if (!environment) {
        t->failed = true;
        (void)error_no_memory(t->error);
        return NULL;
    }
    environment->file = t->document->file;
    environment->scope = &scope;
    if (expression_parse_list(arena, &source, &scope, &formula, t->error) != STATUS_OK ||
        expression_evaluate_list(formula.tree, environment, arena, &list, &count, t->error) !=
            STATUS_OK) {
        (void)error_prefix(t->error, "%s: %s", t->path, origin);
        return NULL;
    }
    if (count > 1 && !strstr(text_string(&t->shaping), name))
        text_printf(&t->shaping, "%s%s", t->shaping.length ? ", " : "", name);
    for (size_t i = 0; i < count; i++) {
        double number = 0;
        if (!value_number(list[i], &number)) {
            count = 0;
        } else if (i == 0 || (most ? number > bound : number < bound)) {
            bound = number;
            best = i;
        }
    }
    if (count > 0 && value_format(list[best], text, sizeof text))
        return t1_printf(t, "%s", text);
    (void)t1_error(t, origin, "has no %s: its values are no numbers", most ? "maximum" : "minimum");
    return NULL;
}

/* Returns the replacement of the name of `length` at `text` and its suffix, which ends at *end;
 * NULL if the text stays. */
static const char *replacement(struct translation *t, const char *text, size_t length,
                               const char **end)
{
    char name[VALUE_TEXT_BYTES];
    const char *next = text + length + strspn(text + length, " \t\r\n\f\v");
    if (length == strlen("ProblemSize") && strncmp(text, "ProblemSize", length) == 0 &&
        *next == '[') {
        /* a number, a text, or a list of up to three of these */
        const json_t *sizes = json_member(t->kernel, "ProblemSize");
        char *after = NULL;
        unsigned long index = strtoul(next + 1, &after, 10);
        if (after == next + 1 || *after != ']' || index >= DIMENSIONS)
            return NULL;
        *end = after + 1;
        const json_t *size = json_is_array(sizes) ? json_array_get(sizes, index)
                             : index == 0         ? sizes
                                                  : NULL;
        return json_is_string(size) ? t1_printf(t, "(%s)", json_string_value(size))
               : size               ? json_number_text(t, size, true)
                                    : NULL;
    }
    const bool most = length == 3 && strncmp(text, "max", 3) == 0;
    if ((!most && !(length == 3 && strncmp(text, "min", 3) == 0)) || *next != '(')
        return NULL;
    next += 1 + strspn(next + 1, " ");
    size_t inner = 0;
    while (is_name_character(next[inner]))
        inner++;
    const char *close = next + inner + strspn(next + inner, " ");
    if (*close != ')' || !string_format(name, sizeof name, "%.*s", (int)inner, next))
        return NULL;
    /* An overlay may have turned the parameter into an axis or the size: one value at a time. */
    const bool fixed = json_member(json_member(t->tune, "axes"), name) ||
                       json_member(json_member(t->tune, "sizes"), name);
    if (!fixed && !t1_parameter(t, name))
        return NULL;
    *end = close + 1;
    return fixed ? t1_printf(t, "%s", name) : parameter_bound(t, name, most);
}

const char *t1_expression(struct translation *t, const char *origin, const char *text)
{
    struct text result = {0};
    if (t->dialect != T1_KERNEL_TUNER)
        return text;
    for (const char *c = text; *c && t->error->status == STATUS_OK;) {
        size_t length = 0;
        while (is_name_character(c[length]))
            length++;
        const char *end = c + (length ? length : 1);
        const char *replaced = length ? replacement(t, c, length, &end) : NULL;
        if (replaced)
            text_append(&result, replaced);
        else if (end == c + (length ? length : 1))
            text_append_bytes(&result, c, (size_t)(end - c));
        else if (t->error->status == STATUS_OK)
            (void)t1_error(t, origin, "ProblemSize has no such element");
        c = end;
    }
    const char *kept =
        t->error->status == STATUS_OK ? t1_printf(t, "%s", text_string(&result)) : NULL;
    t->failed |= result.failed;
    text_free(&result);
    return kept;
}

/* ---- parameters ---- */

static bool put_values(struct translation *t, struct node *parameters, const char *name,
                       const json_t *values, const char *origin)
{
    const char *text = json_string_value(values);
    const json_t *item;
    size_t index;
    if (text) {
        /* A list of plain numbers is also YAML. */
        const size_t length = strlen(text);
        const bool numbers = length > 2 && text[0] == '[' && text[length - 1] == ']' &&
                             strspn(text + 1, "0123456789, ") == length - 2 && !strstr(text, ",,");
        if (!numbers) {
            put_quoted(t, parameters, name, origin, text);
            return true;
        }
        struct node *list = put_list(t, parameters, name, origin);
        list->flow = true;
        for (text += strspn(text, "[, "); *text && *text != ']'; text += strspn(text, ", ")) {
            const size_t digits = strcspn(text, ",]");
            size_t end = digits;
            while (end > 0 && text[end - 1] == ' ')
                end--;
            put_text(t, list, NULL, origin, t1_printf(t, "%.*s", (int)end, text));
            text += digits;
        }
        return true;
    }
    if (!json_is_array(values) || json_array_size(values) == 0)
        return t1_error(t, origin, "must be a text with a list, such as \"[1, 2, 4]\"");
    json_array_foreach(values, index, item)
    {
        if (!json_is_number(item) && !json_is_string(item) && !json_is_boolean(item))
            return t1_error(t, origin, "item %zu is no number, text or boolean", index + 1);
    }
    put_json(t, parameters, name, origin, values, 0);
    return true;
}

/* Returns a parameter's default, or NULL. A quoted number is a number unless the parameter has
 * texts. */
static const char *default_text(struct translation *t, const json_t *parameter, bool *quoted)
{
    const json_t *value = json_member(parameter, "Default");
    const char *text = json_string_value(value);
    *quoted = false;
    if (json_is_boolean(value))
        return json_is_true(value) ? "true" : "false";
    if (!text)
        return json_number_text(t, value,
                                json_has_text(parameter, "Type", "int") ||
                                    json_has_text(parameter, "Type", "uint"));
    *quoted = json_has_text(parameter, "Type", "string") ||
              strspn(text, "0123456789.-+e") != strlen(text);
    return text;
}

/* Adds the defaults if every parameter has one. */
static void put_defaults(struct translation *t)
{
    const json_t *parameters = parameters_of(t);
    const json_t *parameter;
    size_t index;
    size_t known = 0;
    bool quoted = false;
    json_array_foreach(parameters, index, parameter)
    {
        known += default_text(t, parameter, &quoted) ? 1 : 0;
    }
    if (known < json_array_size(parameters)) {
        if (known > 0)
            t1_ignore(t, "ConfigurationSpace.TuningParameters[].Default (not all have one)");
        return;
    }
    struct node *defaults =
        put_mapping(t, t->root_node, "defaults", "ConfigurationSpace.TuningParameters[].Default");
    json_array_foreach(parameters, index, parameter)
    {
        const char *text = default_text(t, parameter, &quoted);
        (quoted ? put_quoted : put_text)(
            t, defaults, json_word(parameter, "Name"),
            t1_printf(t, "ConfigurationSpace.TuningParameters[%zu].Default", index), text);
    }
}

static bool put_parameters(struct translation *t)
{
    const json_t *parameters = parameters_of(t);
    const json_t *parameter;
    size_t index;
    if (!json_is_array(parameters) || json_array_size(parameters) == 0)
        return t1_error(t, parameters_origin, "must be a list of parameters");
    if (json_array_size(parameters) > EXPERIMENT_PARAMETERS_MAX)
        return t1_error(t, parameters_origin, "%zu of them; at most %d",
                        json_array_size(parameters), EXPERIMENT_PARAMETERS_MAX);
    struct node *mapping = put_mapping(t, t->root_node, "parameters", parameters_origin);
    json_array_foreach(parameters, index, parameter)
    {
        const char *origin = t1_printf(t, "%s[%zu]", parameters_origin, index);
        const char *name = NULL;
        if (!json_text(t, parameter, "Name", origin, &name))
            return false;
        if (!name || !is_name(name))
            return t1_error(t, origin, "Name must be a name: letters, digits and _, at most 63");
        if (t1_parameter(t, name) != parameter)
            return t1_error(t, origin, "there is a parameter '%s' before it", name);
        if (!put_values(t, mapping, name, json_member(parameter, "Values"),
                        t1_printf(t, "%s.Values", origin)))
            return false;
    }
    return true;
}

static bool put_conditions(struct translation *t)
{
    const char *whole = "ConfigurationSpace.Conditions";
    const json_t *conditions = json_member(t->space, "Conditions");
    const json_t *ours = json_member(t->tune, "constraints");
    const json_t *condition;
    size_t index;
    if (conditions && !json_is_array(conditions))
        return t1_error(t, whole, "must be a list");
    if (json_array_size(conditions) > RESTRICTIONS_MAX)
        return t1_error(t, whole, "%zu of them; at most %d", json_array_size(conditions),
                        RESTRICTIONS_MAX);
    if (json_array_size(conditions) + json_array_size(ours) == 0)
        return true;
    struct node *constraints = put_list(t, t->root_node, "constraints", whole);
    json_array_foreach(conditions, index, condition)
    {
        const char *origin = t1_printf(t, "%s[%zu].Expression", whole, index);
        const char *text = json_string_value(condition);
        if (!text && !json_text(t, condition, "Expression", origin, &text))
            return false;
        if (!text)
            return t1_error(t, origin, "is missing");
        text = t1_expression(t, origin, text);
        if (!text)
            return false;
        put_text(t, constraints, NULL, origin, text);
    }
    json_array_foreach(ours, index, condition)
    {
        put_json(t, constraints, NULL, t1_printf(t, "tune.constraints[%zu]", index), condition, 0);
    }
    return true;
}

bool t1_translate_space(struct translation *t)
{
    if (!put_parameters(t))
        return false;
    if (!put_ours(t, "defaults"))
        put_defaults(t);
    return put_conditions(t);
}
