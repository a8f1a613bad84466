/* Of a configuration what tells one winner of a problem from another. */
#include <stdlib.h>
#include <string.h>

#include "tuner/base/text.h"
#include "tuner/cli/show.h"

const char *show_json_text(const json_t *value, struct arena *arena)
{
    if (json_is_string(value))
        return arena_strdup(arena, json_string_value(value));
    char *dumped = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
    const char *text = dumped ? arena_strdup(arena, dumped) : NULL;
    free(dumped);
    return text;
}

static bool is_shared(json_t *const *parameters, size_t count, const char *name)
{
    bool same = count > 1;
    for (size_t i = 1; i < count; i++)
        same = same && json_equal(json_object_get(parameters[0], name),
                                  json_object_get(parameters[i], name));
    return same;
}

bool show_append_parameters(struct text *out, json_t *const *parameters, size_t count, size_t at,
                            bool shared)
{
    struct arena arena = {0};
    const char *name = NULL;
    json_t *value = NULL;
    bool good = true;
    json_object_foreach(parameters[at], name, value)
    {
        if (is_shared(parameters, count, name) != shared)
            continue;
        const char *text = show_json_text(value, &arena);
        good = good && text;
        text_printf(out, "%s%s=%s", out->length > 0 ? (shared ? ", " : " ") : "", name,
                    text ? text : "");
    }
    arena_free(&arena);
    return good && !out->failed;
}
