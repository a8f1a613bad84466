/* Configurations as the store has them. */
#include "tuner/experiment/recall.h"

#include <jansson.h>

#include "tuner/base/json.h"

/* Converts to a parameter's value; *found: `json` is one. False: out of memory. */
static bool value_of(const json_t *json, struct arena *arena, struct value *out, bool *found)
{
    *found = true;
    if (json_is_integer(json))
        *out = value_integer((int64_t)json_integer_value(json));
    else if (json_is_real(json))
        *out = value_real(json_real_value(json));
    else if (json_is_boolean(json))
        *out = value_boolean(json_is_true(json));
    else if (json_is_string(json))
        *out = value_text(arena_strdup(arena, json_string_value(json)));
    else
        *found = false;
    return !*found || out->kind != VALUE_TEXT || out->text;
}

enum status recall_configuration(const struct experiment *experiment, const char *parameters,
                                 struct arena *arena, struct configuration *out, bool *found,
                                 struct error *error)
{
    json_error_t why = {0};
    json_t *json = json_read(parameters, 0, &why);
    /* When memory is short, jansson has no code for that in some places, and reports wrong syntax
     * for a string, which the store's own JSON never has. */
    const enum json_error_code code = json_error_code(&why);
    bool fits = json || (code != json_error_unknown && code != json_error_out_of_memory &&
                         code != json_error_invalid_syntax);
    *found = json_is_object(json) &&
             json_object_size(json) == experiment_head(experiment)->parameter_count;
    *out = (struct configuration){.count = experiment_head(experiment)->parameter_count};
    for (size_t i = 0; fits && *found && i < out->count; i++) {
        struct named_value *value = &out->values[i];
        value->name = experiment_parameter_name(experiment, i);
        fits = value_of(json_object_get(json, value->name), arena, &value->value, found);
    }
    json_decref(json);
    *found = *found && fits; /* without memory some values are missing */
    return fits ? STATUS_OK : error_no_memory(error);
}
