/* Configurations as the store has them. */
#include "tuner/experiment/recall.h"

#include <jansson.h>

#include "tuner/base/json.h"

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
        value->name = experiment_head(experiment)->parameter_names[i];
        *found = json_to_value(json_object_get(json, value->name), &value->value);
        if (*found && value->value.kind == VALUE_TEXT)
            fits = (value->value.text = arena_strdup(arena, value->value.text)) != NULL;
    }
    json_decref(json);
    *found = *found && fits; /* without memory some values are missing */
    return fits ? STATUS_OK : error_no_memory(error);
}
