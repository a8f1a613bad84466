/* Which names tell one kernel from another. */
#include <stddef.h>

#include "tuner/experiment/model.h"

static struct slot_set all_parameters(const struct experiment *experiment)
{
    struct slot_set set = {0};
    for (size_t i = 0; i < experiment->parameter_count; i++)
        slot_set_add(&set, SLOT_PARAMETERS + i);
    return set;
}

/* What defines, flags and names of kernels name themselves, and what decides which are launched. */
static struct slot_set uses_of_compiling(const struct experiment *experiment)
{
    struct slot_set uses = {0};
    for (size_t i = 0; i < experiment->defines.count; i++)
        uses = slot_set_union(uses, experiment->defines.items[i].formula.uses);
    for (size_t i = 0; i < experiment->flag_count; i++)
        uses = slot_set_union(uses, experiment->flags[i].uses);
    for (size_t i = 0; i < experiment->launch_count; i++) {
        uses = slot_set_union(uses, experiment->launches[i].kernel.uses);
        uses = slot_set_union(uses, experiment->launches[i].when.uses);
    }
    return uses;
}

/* What a file only writes shorter (derived values that begin with _) stands for what it is made of.
 */
static struct slot_set spelt_out(const struct experiment *experiment, struct slot_set uses)
{
    struct slot_set all = uses;
    for (size_t i = 0; i < experiment->derived_count; i++)
        if (slot_set_has(&uses, SLOT_DERIVED + i) && experiment->derived[i].name[0] == '_')
            all = slot_set_union(all, experiment->reach[SLOT_DERIVED + i]);
    return all;
}

const char *experiment_compiled_name(const struct experiment *experiment, size_t index)
{
    const struct slot_set uses = spelt_out(experiment, uses_of_compiling(experiment));
    const struct slot_set parameters = all_parameters(experiment);
    for (size_t i = 0; i < experiment->parameter_count; i++)
        if (slot_set_has(&uses, SLOT_PARAMETERS + i) && index-- == 0)
            return experiment->parameters[i].name;
    for (size_t i = 0; i < experiment->derived_count; i++)
        if (slot_set_has(&uses, SLOT_DERIVED + i) && experiment->derived[i].name[0] != '_' &&
            slot_set_meets(&experiment->reach[SLOT_DERIVED + i], &parameters) && index-- == 0)
            return experiment->derived[i].name;
    return NULL;
}
