/* ConfigurationSpace: parameters, their defaults and defines, constraints. */
#include <string.h>

#include "tuner/exchange/internal.h"

/* A list of numbers as it stands is a list of YAML, too. */
static bool is_number_list(const char *text)
{
    size_t length = strlen(text);
    return length > 2 && text[0] == '[' && text[length - 1] == ']' &&
           strspn(text + 1, "0123456789, ") == length - 2 && !strstr(text, ",,");
}

static bool write_values(struct translation *t, const json_t *parameter, const char *name,
                         const char *origin)
{
    const json_t *values = json_member(parameter, "Values");
    origin = t1_printf(t, "%s.Values", origin);
    if (json_is_string(values)) {
        const char *text = json_string_value(values);
        yaml_line(t, origin, "  %s: %s", yaml_scalar(t, name),
                  is_number_list(text) ? text : yaml_quoted(t, text));
        return true;
    }
    if (!json_is_array(values) || json_array_size(values) == 0)
        return t1_error(t, origin, "must be a text with a list, such as \"[1, 2, 4]\"");
    size_t index;
    const json_t *item;
    json_array_foreach(values, index, item)
    {
        if (!json_is_number(item) && !json_is_string(item) && !json_is_boolean(item))
            return t1_error(t, origin, "item %zu is no number, text or boolean", index + 1);
    }
    yaml_line(t, origin, "  %s: %s", yaml_scalar(t, name), yaml_of_json(t, values));
    return true;
}

static bool write_parameter(struct translation *t, size_t index, const json_t *parameter)
{
    const char *origin = t1_printf(t, "ConfigurationSpace.TuningParameters[%zu]", index);
    const char *name = NULL;
    if (!json_text(t, parameter, "Name", origin, &name))
        return false;
    if (!name || !is_name(name))
        return t1_error(t, origin, "Name must be a name: letters, digits and _, at most 63");
    if (t1_parameter(t, name) != parameter)
        return t1_error(t, origin, "there is a parameter '%s' before it", name);
    return write_values(t, parameter, name, origin);
}

static bool write_parameters(struct translation *t)
{
    const json_t *parameters = json_member(t->space, "TuningParameters");
    const json_t *parameter;
    size_t index;
    if (!json_is_array(parameters) || json_array_size(parameters) == 0)
        return t1_error(t, "ConfigurationSpace.TuningParameters", "must be a list of parameters");
    if (json_array_size(parameters) > T1_PARAMETERS_MAX)
        return t1_error(t, "ConfigurationSpace.TuningParameters", "%zu of them; at most %d",
                        json_array_size(parameters), T1_PARAMETERS_MAX);
    yaml_line(t, "ConfigurationSpace.TuningParameters", "parameters:");
    json_array_foreach(parameters, index, parameter)
    {
        if (!write_parameter(t, index, parameter))
            return false;
    }
    return true;
}

static bool has_type(const json_t *parameter, const char *type)
{
    const char *its = json_string_value(json_object_get(parameter, "Type"));
    return its && strcmp(its, type) == 0;
}

/* A number in quotes is a number, unless the parameter is of texts. */
static const char *default_text(struct translation *t, const json_t *parameter)
{
    const json_t *value = json_member(parameter, "Default");
    if (json_is_boolean(value))
        return json_is_true(value) ? "true" : "false";
    if (!json_is_string(value))
        return json_number_text(t, value,
                                has_type(parameter, "int") || has_type(parameter, "uint"));
    const char *text = json_string_value(value);
    return has_type(parameter, "string") || strspn(text, "0123456789.-+e") != strlen(text)
               ? yaml_quoted(t, text)
               : text;
}

/* All or nothing: half a configuration is none. */
static void write_defaults(struct translation *t)
{
    const json_t *parameters = json_member(t->space, "TuningParameters");
    const json_t *parameter;
    size_t index;
    size_t known = 0;
    json_array_foreach(parameters, index, parameter)
    {
        known += default_text(t, parameter) ? 1 : 0;
    }
    if (known < json_array_size(parameters)) {
        if (known > 0)
            t1_ignore(t, "ConfigurationSpace.TuningParameters[].Default (not all have one)");
        return;
    }
    yaml_line(t, "ConfigurationSpace.TuningParameters[].Default", "defaults:");
    json_array_foreach(parameters, index, parameter)
    {
        yaml_line(t, t1_printf(t, "ConfigurationSpace.TuningParameters[%zu].Default", index),
                  "  %s: %s", yaml_scalar(t, json_string_value(json_object_get(parameter, "Name"))),
                  default_text(t, parameter));
    }
}

static bool write_condition(struct translation *t, size_t index, const json_t *condition)
{
    const char *text = NULL;
    const char *origin = t1_printf(t, "ConfigurationSpace.Conditions[%zu].Expression", index);
    if (json_is_string(condition))
        text = json_string_value(condition);
    else if (!json_text(t, condition, "Expression", origin, &text))
        return false;
    if (!text)
        return t1_error(t, origin, "is missing");
    text = t1_expression(t, origin, text);
    if (text)
        yaml_line(t, origin, "  - %s", yaml_scalar(t, text));
    return text != NULL;
}

static bool write_conditions(struct translation *t)
{
    const json_t *conditions = json_member(t->space, "Conditions");
    const json_t *ours = json_member(t->tune, "constraints");
    const json_t *condition;
    size_t index;
    if (conditions && !json_is_array(conditions))
        return t1_error(t, "ConfigurationSpace.Conditions", "must be a list");
    if (json_array_size(conditions) > T1_CONDITIONS_MAX)
        return t1_error(t, "ConfigurationSpace.Conditions", "%zu of them; at most %d",
                        json_array_size(conditions), T1_CONDITIONS_MAX);
    if (json_array_size(conditions) + json_array_size(ours) == 0)
        return true;
    yaml_line(t, "ConfigurationSpace.Conditions", "constraints:");
    json_array_foreach(conditions, index, condition)
    {
        if (!write_condition(t, index, condition))
            return false;
    }
    json_array_foreach(ours, index, condition)
    {
        yaml_line(t, t1_printf(t, "tune.constraints[%zu]", index), "  - %s",
                  yaml_of_json(t, condition));
    }
    return true;
}

bool t1_write_space(struct translation *t)
{
    if (!write_parameters(t))
        return false;
    if (!yaml_overridden(t, "defaults"))
        write_defaults(t);
    return write_conditions(t);
}
