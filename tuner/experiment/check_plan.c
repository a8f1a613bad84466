/* {launches: [...]}, {configuration: ...}: expected elements from another plan. */
#include <string.h>

#include "tuner/experiment/check.h"
#include "tuner/experiment/plan.h"

static bool read_other_launches(struct file_reader *reader, const struct node *node,
                                const struct node *value, struct check_rule *check)
{
    (void)node;
    check->launches = arena_alloc(reader->arena, LAUNCHES_MAX, sizeof *check->launches);
    if (!check->launches)
        return out_of_memory(reader);
    return read_launch_list(reader, value, check->launches, &check->launch_count);
}

static bool read_configuration(struct file_reader *reader, const struct node *node,
                               const struct node *value, struct check_rule *check)
{
    (void)node;
    if (value->kind == NODE_MAPPING)
        return read_setting(reader, value, "configuration", &check->setting);
    TRY_OR_FALSE(need_kind(reader, value, NODE_SCALAR, "configuration"));
    return strcmp(value->text, "default") == 0 ||
           node_error(reader, value,
                      "configuration is 'default', or a mapping with a value for each parameter");
}

/* Makes the configuration of the check's plan. */
static bool make_reference(const struct point *point, const struct check_rule *rule,
                           struct maker *maker, struct configuration *out)
{
    struct point other = *point;
    struct maker others;
    other.configuration = NULL;
    other.active_blocks = 1;
    TRY_OR_FALSE(point_begin(&other, maker->arena, maker->error, &others));
    if (rule->setting.given ? !make_configuration(&others, rule->setting.values, out)
                            : experiment_default(point->experiment, point->problem, point->facts,
                                                 out, maker->error) != STATUS_OK)
        return false;
    for (size_t i = 0; point->configuration && i < out->count; i++)
        if (slot_set_has(&rule->per, SLOT_PARAMETERS + i))
            out->values[i] = point->configuration->values[i];
    return true;
}

enum status point_reference(const struct point *point, struct arena *arena,
                            struct configuration *out, bool *found, struct error *error)
{
    const struct experiment *experiment = point->experiment;
    struct maker maker;
    *found = point->configuration == NULL;
    for (size_t i = 0; i < experiment->check_count; i++)
        *found = *found && experiment->checks[i].kind == &check_by_configuration &&
                 experiment->checks[i].setting.given == experiment->checks[0].setting.given;
    if (!*found)
        return STATUS_OK;
    return point_begin(point, arena, error, &maker) &&
                   make_reference(point, &experiment->checks[0], &maker, out)
               ? STATUS_OK
               : error->status;
}

/* Makes the other plan, of one configuration whichever is checked, so that one result serves all. A
 * grid made of resident blocks takes one per SM, since the number of resident blocks is known of
 * the checked configuration only. */
static bool make_other(struct maker *maker, const struct point *point,
                       const struct check_rule *rule, enum element_type type,
                       struct output_check *out)
{
    const struct experiment *experiment = maker->experiment;
    struct launch_list list = launches_of(experiment);
    struct configuration configuration;
    struct point other = *point;
    struct maker others;
    other.active_blocks = 1;
    TRY_OR_FALSE(make_reference(point, rule, maker, &configuration));
    if (rule->launch_count > 0)
        list = (struct launch_list){rule->launches, rule->launch_count};
    struct launch_plan *plan = arena_alloc(maker->arena, 1, sizeof *plan);
    if (!plan)
        return maker_no_memory(maker);
    out->plan = plan;
    other.configuration = &configuration;
    TRY_OR_FALSE(point_begin(&other, maker->arena, maker->error, &others) &&
                 make_binary(&others, point->facts, list, &out->binary) &&
                 make_plan(&others, list, plan));
    /* Checks that the results can be compared. Results of different types are compared by value,
     * with the tolerance of the less precise type. */
    const struct argument *expected = &plan->arguments[rule->output];
    const struct argument_rule *output = &maker->experiment->arguments[rule->output];
    const int64_t count = check_known_count(maker, rule);
    if (count != 0 && count != expected->count)
        return maker_error(maker, output->count.place,
                           "'%s' has %s here and %lld in the reference's configuration: "
                           "they cannot be compared; use a C function as the reference, or check "
                           "an output with the same count everywhere",
                           output->name, count_text((uint64_t)count, "element").text,
                           (long long)expected->count);
    if (element_is_real(type) != element_is_real(expected->type))
        return maker_error(maker, output->place,
                           "the elements of '%s' are %s here and %s in the reference's "
                           "configuration: reals and integers cannot be compared; let a "
                           "function be the reference",
                           output->name, element_name(type), element_name(expected->type));
    if (!rule->tolerance.given && default_tolerance(expected->type) > out->tolerance.magnitude)
        out->tolerance.magnitude = default_tolerance(expected->type);
    return true;
}

const struct check_kind check_by_launches = {
    .key = "launches",
    .reference = REFERENCE_PLAN,
    .read = read_other_launches,
    .make = make_other,
};
const struct check_kind check_by_configuration = {
    .key = "configuration",
    .reference = REFERENCE_PLAN,
    .read = read_configuration,
    .make = make_other,
};
