/* ConfigurationSpace: parameters, defaults and constraints; substitutions in expressions of Kernel
 * Tuner's dialect. */
#include <stdio.h>
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
    struct environment environment = {.file = t->document->file, .scope = &scope};
    struct formula formula = {0};
    struct value *list = NULL;
    size_t count = 0, best = 0;
    double bound = 0, number = 0;
    char text[VALUE_TEXT_BYTES];
    if (expression_parse(arena, &source, &scope, true, &formula, t->error) != STATUS_OK ||
        expression_evaluate_list(formula.tree, &environment, arena, &list, &count, t->error) !=
            STATUS_OK) {
        (void)error_prefix(t->error, "%s: %s", t->path, origin);
        return NULL;
    }
    if (count > 1 && !strstr(text_string(&t->shaping), name))
        text_printf(&t->shaping, "%s%s", t->shaping.length ? ", " : "", name);
    bool numbers = count > 0;
    for (size_t i = 0; i < count && numbers; i++) {
        numbers = value_number(list[i], &number);
        if (i == 0 || (most ? number > bound : number < bound)) {
            bound = number;
            best = i;
        }
    }
    if (numbers && value_format(list[best], text, sizeof text))
        return t1_printf(t, "%s", text);
    (void)t1_error(t, origin, "has no %s: its values are no numbers", most ? "maximum" : "minimum");
    return NULL;
}

const char *t1_expression(struct translation *t, const char *origin, const char *text)
{
    struct text result = {0};
    char word[VALUE_TEXT_BYTES], name[VALUE_TEXT_BYTES];
    if (t->dialect != T1_KERNEL_TUNER)
        return text;
    for (const char *c = text, *end = c; *c && t->error->status == STATUS_OK; c = end) {
        const char *replaced = NULL;
        const json_t *size = NULL;
        char index[2];
        int behind = 0;
        while (is_name_character(*end))
            end++;
        end += end == c;
        const size_t length = (size_t)(end - c);
        (void)string_format(word, sizeof word, "%.*s", (int)length, c);
        const bool most = strcmp(word, "max") == 0;
        if (strcmp(word, "ProblemSize") == 0 && sscanf(end, " [ %1[0-2]]%n", index, &behind) == 1 &&
            behind > 0) {
            size = json_item(json_member(t->kernel, "ProblemSize"), (size_t)(*index - '0'));
            replaced = json_is_string(size) ? t1_printf(t, "(%s)", json_string_value(size))
                                            : json_number_text(t, size, true);
            if (!replaced)
                (void)t1_error(t, origin, "ProblemSize has no such element");
        } else if ((most || strcmp(word, "min") == 0) &&
                   sscanf(end, " ( %63[A-Za-z0-9_] )%n", name, &behind) == 1 && behind > 0) {
            /* An overlay may have turned the parameter into an axis or the size: one value. */
            if (json_member(json_member(t->tune, "axes"), name) ||
                json_member(json_member(t->tune, "sizes"), name))
                replaced = t1_printf(t, "%s", name);
            else if (t1_parameter(t, name))
                replaced = parameter_bound(t, name, most);
        }
        end += replaced ? behind : 0;
        if (replaced)
            text_append(&result, replaced);
        else
            text_append_bytes(&result, c, length);
    }
    const char *kept =
        t->error->status == STATUS_OK ? t1_printf(t, "%s", text_string(&result)) : NULL;
    t->failed |= result.failed;
    text_free(&result);
    return kept;
}

bool t1_formula(struct translation *t, const json_t *value, const char *origin, const char **out)
{
    const char *text =
        json_is_string(value) ? json_string_value(value) : json_number_text(t, value, true);
    *out = text ? t1_expression(t, origin, text) : NULL;
    return *out || !value ||
           (t->error->status == STATUS_OK &&
            t1_error(t, origin, "must be a number or a text with an expression"));
}

/* ---- parameters ---- */

static bool put_values(struct translation *t, struct node *parameters, const char *name,
                       const json_t *values, const char *origin)
{
    const char *text = json_string_value(values);
    json_t *list =
        text && strspn(text, "[]0123456789, ") == strlen(text) ? json_read(text, 0, NULL) : NULL;
    const json_t *item;
    size_t index;
    if (text) {
        /* A list of plain numbers is also YAML. */
        if (json_array_size(list) > 0)
            put_json(t, parameters, name, origin, list, 0);
        else
            put_quoted(t, parameters, name, origin, text);
        json_decref(list);
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

/* Adds the defaults if every parameter has one. A quoted number is a number unless the parameter
 * has texts. */
static void put_defaults(struct translation *t)
{
    const char *origin = "ConfigurationSpace.TuningParameters[].Default";
    const json_t *parameter;
    size_t index, known = 0;
    json_array_foreach(parameters_of(t), index, parameter)
    {
        const json_t *value = json_member(parameter, "Default");
        known += value && !json_is_array(value) && !json_is_object(value);
    }
    if (known > 0 && known < index)
        t1_ignore(t, t1_printf(t, "%s (not all have one)", origin));
    if (known < index)
        return;
    struct node *defaults = put_mapping(t, t->root_node, "defaults", origin);
    json_array_foreach(parameters_of(t), index, parameter)
    {
        const json_t *value = json_member(parameter, "Default");
        const char *type = json_word(parameter, "Type"), *text = json_string_value(value);
        const bool quoted = text && (json_has_text(parameter, "Type", "string") ||
                                     strspn(text, "0123456789.-+e") != strlen(text));
        const bool integer = type && word_is_in(type, strlen(type), "int uint");
        const char *of = t1_printf(t, "%s[%zu].Default", parameters_origin, index);
        (quoted ? put_quoted : put_text)(t, defaults, json_word(parameter, "Name"), of,
                                         json_is_boolean(value)
                                             ? (json_is_true(value) ? "true" : "false")
                                         : text ? text
                                                : json_number_text(t, value, integer));
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
        TRY_OR_FALSE(json_text(t, parameter, "Name", origin, &name));
        if (!name || !is_name(name))
            return t1_error(t, origin, "Name must be a name: letters, digits and _, at most 63");
        if (t1_parameter(t, name) != parameter)
            return t1_error(t, origin, "there is a parameter '%s' before it", name);
        TRY_OR_FALSE(put_values(t, mapping, name, json_member(parameter, "Values"),
                                t1_printf(t, "%s.Values", origin)));
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
        TRY_OR_FALSE(text || json_text(t, condition, "Expression", origin, &text));
        if (!text)
            return t1_error(t, origin, "is missing");
        text = t1_expression(t, origin, text);
        TRY_OR_FALSE(text);
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
    TRY_OR_FALSE(put_parameters(t));
    if (!put_ours(t, "defaults"))
        put_defaults(t);
    return t->is_question || put_conditions(t);
}
