/* Runs that are limited to a few configurations. */
#include <string.h>

#include "tuner/session/internal.h"

bool session_only_has(const struct session_options *options, const struct problem *problem)
{
    for (size_t i = 0; i < options->only_count; i++)
        if (options->only[i].n == problem->n &&
            strcmp(options->only[i].problem_key, problem->key) == 0)
            return true;
    return options->only_count == 0;
}

/* The value of a dimension that the text goes on with, the longest; the length of it, 0: none. */
static size_t match_value(const struct space *space, size_t dimension, const char *text,
                          struct value *out)
{
    size_t longest = 0;
    for (size_t i = 0; i < space_value_count(space, dimension); i++) {
        char digits[VALUE_TEXT_BYTES];
        struct value value = space_value(space, dimension, i);
        const char *shown = value.kind == VALUE_TEXT ? value.text : digits;
        if (value.kind != VALUE_TEXT && !value_format(value, digits, sizeof digits))
            continue;
        size_t length = strlen(shown);
        if (length > longest && strncmp(text, shown, length) == 0 &&
            (text[length] == ' ' || text[length] == '\0')) {
            longest = length;
            *out = value;
        }
    }
    return longest;
}

/* "variant=last_block block=256", by the values that the parameters have today. */
static bool parse_key(const struct sweep *sweep, const char *key, struct configuration *out)
{
    const char *at = key;
    *out = (struct configuration){.count = space_dimension_count(sweep->space)};
    for (size_t i = 0; i < out->count; i++) {
        struct named_value *value = &out->values[i];
        value->name = experiment_parameter_name(sweep->experiment, i);
        size_t name = strlen(value->name);
        if (strncmp(at, value->name, name) != 0 || at[name] != '=')
            return false;
        at += name + 1;
        size_t length = match_value(sweep->space, i, at, &value->value);
        at += length;
        if (length == 0 || (*at != '\0' && i + 1 == out->count))
            return false;
        at += *at == ' ' ? 1 : 0;
    }
    return *at == '\0';
}

static enum status take(struct sweep *sweep, const struct session_only *only, struct error *error)
{
    struct configuration configuration;
    struct candidate *candidate = table_at_key(&sweep->table, only->configuration);
    uint64_t point = 0;
    enum status status = STATUS_OK;
    if (!candidate && parse_key(sweep, only->configuration, &configuration) &&
        space_find(sweep->space, &configuration, &point))
        status = sweep_candidate(sweep, point, &candidate, error);
    if (status != STATUS_OK)
        return status;
    if (!candidate) {
        session_note(sweep->group->session, "%s n=%lld: '%s' is no configuration of %s",
                     sweep->problem.key, (long long)sweep->problem.n, only->configuration,
                     experiment_path(sweep->experiment));
        return STATUS_OK;
    }
    candidate->asked = true;
    candidate->asked_incumbent |= only->incumbent;
    candidate->again = !candidate->done;
    return STATUS_OK;
}

enum status sweep_take_only(struct sweep *sweep, struct error *error)
{
    const struct session_options *options = sweep->group->session->options;
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < options->only_count; i++)
        if (options->only[i].n == sweep->problem.n &&
            strcmp(options->only[i].problem_key, sweep->problem.key) == 0)
            status = take(sweep, &options->only[i], error);
    return status;
}
