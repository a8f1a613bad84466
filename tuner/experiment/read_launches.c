/* Reading what is compiled and launched: defines, flags, arguments, launches, check, metrics. */
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
    if (!need_items(reader, node, "flags", FLAGS_MAX))
        return false;
    for (const struct node *item = node->first; item; item = item->next)
        if (!read_template(reader, item, "a flag", USE_CONFIGURATION,
                           &experiment->flags[experiment->flag_count++]))
            return false;
    return true;
}

/* ---- arguments ---- */

static bool read_role(struct file_reader *reader, const struct node *node,
                      struct argument_rule *argument)
{
    const struct node *output = node_get(node, "output");
    const struct node *scratch = node_get(node, "scratch");
    bool is_output = false;
    bool is_scratch = false;
    if ((output && !read_boolean(reader, output, "output", &is_output)) ||
        (scratch && !read_boolean(reader, scratch, "scratch", &is_scratch)))
        return false;
    if (is_output && is_scratch)
        return node_error(reader, node, "'%s' is both output and scratch", argument->name);
    argument->role = ARGUMENT_INPUT;
    if (node_get(node, "value"))
        argument->role = ARGUMENT_SCALAR;
    else if (is_output)
        argument->role = ARGUMENT_OUTPUT;
    else if (is_scratch)
        argument->role = ARGUMENT_SCRATCH;
    if (argument->role == ARGUMENT_SCALAR && (node_get(node, "count") || node_get(node, "fill") ||
                                              node_get(node, "alignment") || output || scratch))
        return node_error(reader, node,
                          "'%s' has a value, so it is a scalar: no count, fill, alignment, output "
                          "or scratch",
                          argument->name);
    if (argument->role != ARGUMENT_SCALAR && !node_get(node, "count"))
        return node_error(reader, node, "'%s' needs a count (a vector) or a value (a scalar)",
                          argument->name);
    if (argument->role != ARGUMENT_INPUT && node_get(node, "fill"))
        return node_error(reader, node_get(node, "fill"),
                          "only inputs are filled; '%s' is an output or scratch", argument->name);
    return true;
}

static bool read_fill(struct file_reader *reader, const struct node *node,
                      struct argument_rule *argument)
{
    const char *fills[ARGUMENT_FILLS];
    for (int i = 0; i < ARGUMENT_FILLS; i++)
        fills[i] = fill_name((enum argument_fill)i);
    const struct node *fill = node_get(node, "fill");
    if (!fill)
        return literal_template(reader, fill_name(FILL_RANDOM), node->place, &argument->fill);
    return read_choice(reader, fill, "fill", fills, ARGUMENT_FILLS, USE_PROBLEM, &argument->fill);
}

static bool read_argument(struct file_reader *reader, const struct node *node)
{
    struct experiment *experiment = reader->experiment;
    struct argument_rule *argument = &experiment->arguments[experiment->argument_count];
    if (!CHECK_KEYS(reader, node, "an argument", "!name", "!type", "count", "value", "fill",
                    "alignment", "output", "scratch"))
        return false;
    const struct node *name = node_get(node, "name");
    if (!need_name(reader, name, "the argument's name"))
        return false;
    for (size_t i = 0; i < experiment->argument_count; i++)
        if (strcmp(experiment->arguments[i].name, name->text) == 0)
            return node_error(reader, name, "a second argument named '%s'", name->text);
    argument->name = name->text;
    argument->place = node->place;
    experiment->argument_count++;
    size_t count = 0;
    const char *const *types = element_names(&count);
    if (!read_role(reader, node, argument))
        return false;
    /* An input is made once for a problem: what it is cannot depend on the configuration. */
    unsigned allowed = argument->role == ARGUMENT_INPUT ? USE_PROBLEM : USE_ALL;
    return read_choice(reader, node_get(node, "type"), "type", types, count,
                       allowed & ~(unsigned)USE_ACTIVE_BLOCKS, &argument->type) &&
           read_fill(reader, node, argument) &&
           read_optional(reader, node, "count", allowed, &argument->count) &&
           read_optional(reader, node, "alignment", USE_CONFIGURATION, &argument->alignment) &&
           read_optional(reader, node, "value", allowed, &argument->value);
}

bool read_arguments(struct file_reader *reader, const struct node *node)
{
    if (!need_items(reader, node, "arguments", ARGUMENTS_MAX))
        return false;
    for (const struct node *item = node->first; item; item = item->next)
        if (!read_argument(reader, item))
            return false;
    return true;
}

/* ---- launches ---- */

static bool find_argument(struct file_reader *reader, const struct node *node, size_t *out)
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

static bool read_launch_arguments(struct file_reader *reader, const struct node *node,
                                  struct launch_rule *launch)
{
    if (!node) { /* all, in their order */
        launch->argument_count = reader->experiment->argument_count;
        for (size_t i = 0; i < launch->argument_count; i++)
            launch->arguments[i] = (uint8_t)i;
        return true;
    }
    if (!need_items(reader, node, "arguments", ARGUMENTS_MAX))
        return false;
    for (const struct node *item = node->first; item; item = item->next) {
        size_t index = 0;
        if (!find_argument(reader, item, &index))
            return false;
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
                    "schedule", "arguments"))
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
                      "dependent", "arguments") &&
           read_extent(reader, node_get(node, "block"), "block", USE_CONFIGURATION, launch->block,
                       &launch->block_count) &&
           read_optional(reader, node, "shared", USE_CONFIGURATION, &launch->shared) &&
           read_optional(reader, node, "dependent", USE_CONFIGURATION, &launch->dependent);
}

static bool read_launch(struct file_reader *reader, const struct node *node)
{
    struct experiment *experiment = reader->experiment;
    struct launch_rule *launch = &experiment->launches[experiment->launch_count++];
    launch->place = node->place;
    if (experiment->launch_count == 1 && node_get(node, "dependent"))
        return node_error(reader, node_get(node, "dependent"),
                          "the first launch has none before it to depend on");
    bool cpu = strcmp(experiment->device_kind, "cpu") == 0;
    return (cpu ? read_cpu_launch(reader, node, launch) : read_gpu_launch(reader, node, launch)) &&
           read_optional(reader, node, "when", USE_CONFIGURATION, &launch->when) &&
           read_template(reader, node_get(node, "kernel"), "kernel", USE_CONFIGURATION,
                         &launch->kernel) &&
           read_extent(reader, node_get(node, "grid"), "grid", USE_ALL, launch->grid,
                       &launch->grid_count) &&
           read_launch_arguments(reader, node_get(node, "arguments"), launch);
}

bool read_launches(struct file_reader *reader, const struct node *node)
{
    if (!need_items(reader, node, "launches", LAUNCHES_MAX))
        return false;
    for (const struct node *item = node->first; item; item = item->next)
        if (!read_launch(reader, item))
            return false;
    return true;
}

/* ---- check and metrics ---- */

/* Without defines of its own, the reference gets those of the experiment that are the same for
 * every configuration. */
static bool inherit_defines(struct file_reader *reader, struct define_list *out)
{
    const struct define_list *all = &reader->experiment->defines;
    out->items = arena_alloc(reader->arena, all->count + 1, sizeof *out->items);
    if (!out->items)
        return out_of_memory(reader);
    for (size_t i = 0; i < all->count; i++)
        if (within(reader->experiment, all->items[i].formula.uses, USE_PROBLEM))
            out->items[out->count++] = all->items[i];
    return true;
}

bool read_check(struct file_reader *reader, const struct node *node)
{
    struct check_rule *check = &reader->experiment->check;
    if (!CHECK_KEYS(reader, node, "check", "!reference", "!source", "defines", "!output",
                    "tolerance"))
        return false;
    const struct node *defines = node_get(node, "defines");
    if (!read_source(reader, node_get(node, "source"), &check->source) ||
        !read_template(reader, node_get(node, "reference"), "reference", USE_PROBLEM,
                       &check->reference) ||
        !(defines ? read_defines(reader, defines, USE_PROBLEM, &check->defines)
                  : inherit_defines(reader, &check->defines)) ||
        !read_optional(reader, node, "tolerance", USE_CONFIGURATION, &check->tolerance) ||
        !find_argument(reader, node_get(node, "output"), &check->output))
        return false;
    if (reader->experiment->arguments[check->output].role != ARGUMENT_OUTPUT)
        return node_error(reader, node_get(node, "output"), "'%s' is not an output (output: true)",
                          reader->experiment->arguments[check->output].name);
    return true;
}

bool read_metrics(struct file_reader *reader, const struct node *node)
{
    struct experiment *experiment = reader->experiment;
    const char *ceilings[CEILINGS];
    for (int i = 0; i < CEILINGS; i++)
        ceilings[i] = ceiling_name((enum ceiling)i);
    if (!node)
        return true;
    if (!CHECK_KEYS(reader, node, "metrics", "bytes", "ceiling") ||
        !read_optional(reader, node, "bytes", USE_DEVICE, &experiment->bytes))
        return false;
    const struct node *ceiling = node_get(node, "ceiling");
    return !ceiling || read_choice(reader, ceiling, "ceiling", ceilings, CEILINGS, USE_PROBLEM,
                                   &experiment->ceiling);
}
