/* Configurations as the store has them. */
#include <jansson.h>

#include "tuner/export/recall.h"

/* False: no value of a parameter. */
static bool value_of(const json_t *json, struct arena *arena, struct value *out)
{
    if (json_is_integer(json))
        *out = value_integer((int64_t)json_integer_value(json));
    else if (json_is_real(json))
        *out = value_real(json_real_value(json));
    else if (json_is_boolean(json))
        *out = value_boolean(json_is_true(json));
    else if (json_is_string(json))
        *out = value_text(arena_strdup(arena, json_string_value(json)));
    else
        return false;
    return out->kind != VALUE_TEXT || out->text;
}

bool recall_configuration(const struct experiment *experiment, const char *parameters,
                          struct arena *arena, struct configuration *out)
{
    json_t *json = json_loads(parameters, 0, NULL);
    bool right =
        json_is_object(json) && json_object_size(json) == experiment_parameter_count(experiment);
    *out = (struct configuration){.count = experiment_parameter_count(experiment)};
    for (size_t i = 0; right && i < out->count; i++) {
        struct named_value *value = &out->values[i];
        value->name = experiment_parameter_name(experiment, i);
        right = value_of(json_object_get(json, value->name), arena, &value->value);
    }
    json_decref(json);
    return right;
}
