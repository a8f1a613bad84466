/* Reading whole configurations: the defaults, those of checks, baselines. */
#include <string.h>

#include "tuner/base/text.h"
#include "tuner/experiment/read.h"

/* A value for each parameter. */
static bool read_values(struct file_reader *reader, const struct node *set, const char *what,
                        const char *owner, struct formula values[EXPERIMENT_PARAMETERS_MAX])
{
    const struct experiment *experiment = reader->experiment;
    const char *words[EXPERIMENT_PARAMETERS_MAX];
    for (size_t i = 0; i < experiment->parameter_count; i++)
        words[i] = experiment->parameters[i].name;
    if (!check_keys(reader, set, what, words, experiment->parameter_count))
        return false;
    for (size_t i = 0; i < experiment->parameter_count; i++) {
        const struct node *value = node_get(set, words[i]);
        if (!value)
            return node_error(reader, set, "%s has no value for the parameter '%s'", owner,
                              words[i]);
        if (!read_value(reader, value, USE_DEVICE, &values[i]))
            return false;
    }
    return true;
}

bool read_setting(struct file_reader *reader, const struct node *node, const char *what,
                  struct setting *out)
{
    if (!node)
        return true;
    out->place = node->place;
    out->given = true;
    return read_values(reader, node, what, what, out->values);
}

static bool read_set(struct file_reader *reader, const struct node *set,
                     struct baseline_rule *baseline)
{
    char owner[VALUE_TEXT_BYTES + 32];
    (void)string_format(owner, sizeof owner, "the baseline '%s'", baseline->name);
    return read_values(reader, set, "set", owner, baseline->values);
}

static bool read_occupancy(struct file_reader *reader, const struct node *node,
                           struct baseline_rule *baseline)
{
    const struct experiment *experiment = reader->experiment;
    const char *words[EXPERIMENT_PARAMETERS_MAX];
    if (!node)
        return true;
    if (!experiment->device->has_occupancy)
        return node_error(reader, node, "only GPUs have the Occupancy API");
    if (!need_name(reader, node, "occupancy"))
        return false;
    for (size_t i = 0; i < experiment->parameter_count; i++) {
        words[i] = experiment->parameters[i].name;
        if (strcmp(words[i], node->text) == 0)
            baseline->occupancy = words[i];
    }
    return baseline->occupancy ||
           node_error(reader, node, "no parameter is named '%s'%s", node->text,
                      suggest(node->text, words, experiment->parameter_count).text);
}

static bool read_baseline(struct file_reader *reader, const struct node *node)
{
    struct experiment *experiment = reader->experiment;
    struct baseline_rule *baseline = &experiment->baselines[experiment->baseline_count];
    if (!CHECK_KEYS(reader, node, "a baseline", "!name", "about", "when", "occupancy", "!set"))
        return false;
    const struct node *name = node_get(node, "name");
    const struct node *about = node_get(node, "about");
    if (!need_name(reader, name, "the baseline's name"))
        return false;
    for (size_t i = 0; i < experiment->baseline_count; i++)
        if (strcmp(experiment->baselines[i].name, name->text) == 0)
            return node_error(reader, name, "a second baseline named '%s'", name->text);
    baseline->name = name->text;
    baseline->about = "";
    experiment->baseline_count++;
    return (!about || read_text(reader, about, "about", &baseline->about)) &&
           read_optional(reader, node, "when", USE_DEVICE, &baseline->when) &&
           read_occupancy(reader, node_get(node, "occupancy"), baseline) &&
           read_set(reader, node_get(node, "set"), baseline);
}

/* Who names no baseline wants to know what was gained over the defaults. */
static void take_defaults(struct experiment *experiment)
{
    struct baseline_rule *baseline = &experiment->baselines[0];
    if (!experiment->defaults.given)
        return;
    *baseline = (struct baseline_rule){.name = "defaults", .about = "the experiment's defaults"};
    memcpy(baseline->values, experiment->defaults.values, sizeof baseline->values);
    experiment->baseline_count = 1;
}

bool read_baselines(struct file_reader *reader, const struct node *node)
{
    if (!node) {
        take_defaults(reader->experiment);
        return true;
    }
    if (!need_items(reader, node, "baselines", EXPERIMENT_BASELINES_MAX))
        return false;
    for (const struct node *item = node->first; item; item = item->next)
        if (!read_baseline(reader, item))
            return false;
    return true;
}
