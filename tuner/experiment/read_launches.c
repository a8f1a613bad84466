/* Reading what is compiled and launched: defines, flags, launches. */
#include "tuner/experiment/read.h"

#include <string.h>

bool read_defines(struct file_reader *reader, const struct node *node, unsigned allowed,
                  struct define_list *out)
{
    if (!node)
        return true;
    if (!need_kind(reader, node, NODE_MAPPING, "defines"))
        return false;
    if (node->count > DEFINES_MAX)
        return node_error(reader, node, "%zu defines; the most is %d", node->count, DEFINES_MAX);
    out->items = arena_alloc(reader->arena, node->count, sizeof *out->items);
    if (!out->items)
        return out_of_memory(reader);
    for (const struct node *key = node->first; key; key = key->next) {
        struct named_formula *define = &out->items[out->count++];
        define->name = key->text;
        if (!need_name(reader, key, "the define") ||
            !read_formula(reader, key->value, "a define", allowed, &define->formula))
            return false;
    }
    return true;
}

bool read_flags(struct file_reader *reader, const struct node *node)
{
    struct experiment *experiment = reader->experiment;
    if (!node)
        return true;
    if (!need_items(reader, node, "flags", FLAGS_MAX - (experiment->standard ? 1 : 0)))
        return false;
    for (const struct node *item = node->first; item; item = item->next) {
        if (!read_template(reader, item, "a flag", USE_CONFIGURATION,
                           &experiment->flags[experiment->flag_count++]))
            return false;
        if (experiment->standard &&
            (strncmp(item->text, "-std", 4) == 0 || strncmp(item->text, "--std", 5) == 0))
            return node_error(reader, item, "the standard is given twice: here and by 'std'");
    }
    return true;
}

/* ---- launches ---- */

bool find_argument(struct file_reader *reader, const struct node *node, size_t *out)
{
    const struct experiment *experiment = reader->experiment;
    const char *words[ARGUMENTS_MAX];
    if (!need_kind(reader, node, NODE_SCALAR, "an argument"))
        return false;
    for (*out = 0; *out < experiment->argument_count; (*out)++) {
        words[*out] = experiment->arguments[*out].name;
        if (strcmp(words[*out], node->text) == 0)
            return true;
    }
    return node_error(reader, node, "no argument is named '%.60s'%s", node->text,
                      suggest(node->text, words, experiment->argument_count).text);
}

/* All that are passed, in their order. */
static bool pass_all(struct file_reader *reader, struct launch_rule *launch)
{
    const struct experiment *experiment = reader->experiment;
    for (size_t i = 0; i < experiment->argument_count; i++)
        if (experiment->arguments[i].symbol.count == 0)
            launch->arguments[launch->argument_count++] = (uint8_t)i;
    return true;
}

static bool read_launch_arguments(struct file_reader *reader, const struct node *node,
                                  struct launch_rule *launch)
{
    if (!node)
        return pass_all(reader, launch);
    if (!need_items(reader, node, "arguments", ARGUMENTS_MAX))
        return false;
    for (const struct node *item = node->first; item; item = item->next) {
        size_t index = 0;
        if (!find_argument(reader, item, &index))
            return false;
        if (reader->experiment->arguments[index].symbol.count > 0)
            return node_error(reader, item,
                              "'%s' is copied into a symbol, so it is not passed to a kernel",
                              item->text);
        if (memchr(launch->arguments, (int)index, launch->argument_count))
            return node_error(reader, item, "'%s' is given to the kernel a second time",
                              item->text);
        launch->arguments[launch->argument_count++] = (uint8_t)index;
    }
    return true;
}

/* One expression, or a list of up to three. */
static bool read_extent(struct file_reader *reader, const struct node *node, const char *what,
                        unsigned allowed, struct formula out[3], size_t *count)
{
    *count = 0;
    if (!node)
        return true;
    if (node->kind != NODE_LIST) {
        *count = 1;
        return read_formula(reader, node, what, allowed, &out[0]);
    }
    if (!need_items(reader, node, what, 3))
        return false;
    for (const struct node *item = node->first; item; item = item->next)
        if (!read_formula(reader, item, what, allowed, &out[(*count)++]))
            return false;
    return true;
}

static bool read_cpu_launch(struct file_reader *reader, const struct node *node,
                            struct launch_rule *launch)
{
    const char *schedules[] = {schedule_name(SCHEDULE_STATIC), schedule_name(SCHEDULE_QUEUED)};
    const struct node *schedule = node_get(node, "schedule");
    if (!CHECK_KEYS(reader, node, "a launch on the CPU", "when", "!kernel", "!grid", "!threads",
                    "schedule", "repeat", "arguments"))
        return false;
    if (!read_optional(reader, node, "threads", USE_CONFIGURATION, &launch->threads))
        return false;
    if (!schedule)
        return literal_template(reader, schedules[0], node->place, &launch->schedule);
    return read_choice(reader, schedule, "schedule", schedules, 2, USE_CONFIGURATION,
                       &launch->schedule);
}

static bool read_gpu_launch(struct file_reader *reader, const struct node *node,
                            struct launch_rule *launch)
{
    return CHECK_KEYS(reader, node, "a launch", "when", "!kernel", "!grid", "!block", "shared",
                      "dependent", "repeat", "arguments") &&
           read_extent(reader, node_get(node, "block"), "block", USE_CONFIGURATION, launch->block,
                       &launch->block_count) &&
           read_optional(reader, node, "shared", USE_CONFIGURATION, &launch->shared) &&
           read_optional(reader, node, "dependent", USE_CONFIGURATION, &launch->dependent);
}

static bool read_launch(struct file_reader *reader, const struct node *node,
                        struct launch_rule *launch)
{
    launch->place = node->place;
    return (reader->experiment->device->is_gpu ? read_gpu_launch(reader, node, launch)
                                               : read_cpu_launch(reader, node, launch)) &&
           read_optional(reader, node, "when", USE_CONFIGURATION, &launch->when) &&
           read_template(reader, node_get(node, "kernel"), "kernel", USE_CONFIGURATION,
                         &launch->kernel) &&
           read_extent(reader, node_get(node, "grid"), "grid", USE_ALL, launch->grid,
                       &launch->grid_count) &&
           read_optional(reader, node, "repeat", USE_CONFIGURATION, &launch->repeat) &&
           read_launch_arguments(reader, node_get(node, "arguments"), launch);
}

bool read_launch_list(struct file_reader *reader, const struct node *node,
                      struct launch_rule out[LAUNCHES_MAX], size_t *count)
{
    if (!need_items(reader, node, "launches", LAUNCHES_MAX))
        return false;
    const struct node *dependent = node_get(node->first, "dependent");
    if (dependent)
        return node_error(reader, dependent, "the first launch has none before it to depend on");
    for (const struct node *item = node->first; item; item = item->next)
        if (!read_launch(reader, item, &out[(*count)++]))
            return false;
    return true;
}

bool read_launches(struct file_reader *reader, const struct node *node)
{
    struct experiment *experiment = reader->experiment;
    return read_launch_list(reader, node, experiment->launches, &experiment->launch_count);
}
