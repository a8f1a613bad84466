/* Looking at an experiment, its problems and baselines. */
#include "tuner/experiment/experiment.h"

#include <string.h>

#include "tuner/base/text.h"
#include "tuner/experiment/maker.h"

const char *experiment_name(const struct experiment *experiment)
{
    return experiment->name;
}

const char *experiment_path(const struct experiment *experiment)
{
    return experiment->path;
}

const char *experiment_device_kind(const struct experiment *experiment)
{
    return experiment->device->section;
}

bool experiment_is_on_request(const struct experiment *experiment)
{
    return experiment->on_request;
}

bool experiment_has_size(const struct experiment *experiment)
{
    return experiment->has_size;
}

const char *experiment_definition_hash(const struct experiment *experiment)
{
    return experiment->definition_hash;
}

const char *experiment_content_hash(const struct experiment *experiment)
{
    return experiment->content_hash;
}

const char *experiment_text(const struct experiment *experiment)
{
    return experiment->text;
}

size_t experiment_parameter_count(const struct experiment *experiment)
{
    return experiment->parameter_count;
}

const char *experiment_parameter_name(const struct experiment *experiment, size_t index)
{
    return experiment->parameters[index].name;
}

static size_t axes_points(const struct experiment *experiment)
{
    size_t count = 1;
    for (size_t i = 0; i < experiment->axis_count; i++)
        count *= experiment->axes[i].count;
    return count;
}

size_t experiment_problem_count(const struct experiment *experiment)
{
    return axes_points(experiment) * experiment->size.count;
}

/* The last axis turns fastest. That the key fits was checked when the file was read. */
void problem_at_axes(const struct experiment *experiment, size_t index, struct problem *out)
{
    *out =
        (struct problem){.size_name = experiment->size.name, .axis_count = experiment->axis_count};
    for (size_t i = experiment->axis_count; i-- > 0;) {
        size_t count = experiment->axes[i].count;
        out->axes[i] = (struct named_value){.name = experiment->axes[i].name,
                                            .value = experiment->axis_values[i][index % count]};
        index /= count;
    }
    size_t length = strlen(experiment->name);
    (void)string_format(out->key, sizeof out->key, "%s", experiment->name);
    for (size_t i = 0; i < experiment->axis_count && length < sizeof out->key; i++) {
        char value[VALUE_TEXT_BYTES];
        (void)value_format(out->axes[i].value, value, sizeof value);
        (void)string_format(out->key + length, sizeof out->key - length, ".%s", value);
        length += strlen(value) + 1;
    }
}

void experiment_problem(const struct experiment *experiment, size_t index, struct problem *out)
{
    problem_at_axes(experiment, index / experiment->size.count, out);
    out->n = experiment->sizes[index % experiment->size.count];
}

void experiment_problem_at(const struct experiment *experiment, const struct problem *problem,
                           int64_t n, struct problem *out)
{
    *out = *problem;
    out->size_name = experiment->size.name;
    out->n = n;
}

bool configuration_key(const struct configuration *configuration, char out[CONFIGURATION_KEY_BYTES])
{
    size_t length = 0;
    out[0] = '\0';
    for (size_t i = 0; i < configuration->count; i++) {
        char value[VALUE_TEXT_BYTES];
        if (!value_format(configuration->values[i].value, value, sizeof value) ||
            !string_format(out + length, CONFIGURATION_KEY_BYTES - length, "%s%s=%s",
                           i > 0 ? " " : "", configuration->values[i].name, value))
            return false;
        length += strlen(out + length);
    }
    return true;
}

const char *experiment_unchecked(const struct experiment *experiment, size_t from, size_t *next)
{
    for (size_t i = from; i < experiment->argument_count; i++) {
        enum argument_role role = experiment->arguments[i].role;
        bool named = role != ARGUMENT_OUTPUT && role != ARGUMENT_UPDATE;
        for (size_t j = 0; j < experiment->check_count; j++)
            named |= experiment->checks[j].output == i;
        *next = i + 1;
        if (!named)
            return experiment->arguments[i].name;
    }
    return NULL;
}

enum status experiment_baselines(const struct experiment *experiment, const struct problem *problem,
                                 const struct facts *facts, struct baseline *out, size_t *count,
                                 struct error *error)
{
    struct maker maker;
    maker_start(&maker, experiment, problem, facts, NULL, error);
    *count = 0;
    for (size_t i = 0; i < experiment->baseline_count; i++) {
        const struct baseline_rule *rule = &experiment->baselines[i];
        struct baseline *baseline = &out[*count];
        bool applies = true;
        if (!make_truth(&maker, &rule->when, &applies))
            return error->status;
        if (!applies)
            continue;
        *baseline = (struct baseline){
            .name = rule->name, .about = rule->about, .occupancy_parameter = rule->occupancy};
        if (!make_configuration(&maker, rule->values, &baseline->configuration))
            return error->status;
        ++*count;
    }
    return STATUS_OK;
}
