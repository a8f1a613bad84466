#include "tuner/base/launch.h"

#include <string.h>

static const char *const l2_modes[L2_MODES] = {
    [L2_COLD] = "cold", [L2_HOT] = "hot", [L2_STREAM] = "stream", [L2_DIRTY] = "dirty"};

const char *l2_mode_name(enum l2_mode mode)
{
    return l2_modes[mode];
}

bool l2_mode_parse(const char *name, enum l2_mode *out)
{
    for (int i = 0; i < L2_MODES; i++) {
        if (strcmp(name, l2_modes[i]) == 0) {
            *out = (enum l2_mode)i;
            return true;
        }
    }
    return false;
}

const char *schedule_name(enum schedule schedule)
{
    return schedule == SCHEDULE_QUEUED ? "queued" : "static";
}

const char *fill_name(enum argument_fill fill)
{
    static const char *const names[ARGUMENT_FILLS] = {
        [FILL_ZERO] = "zero",
        [FILL_RANDOM] = "random",
        [FILL_RANDOM_EXACT] = "random_exact",
        [FILL_RANDOM_ODD] = "random_odd",
        [FILL_CONSTANT] = "constant",
        [FILL_UNIFORM] = "uniform",
        [FILL_NORMAL] = "normal",
        [FILL_SERIES] = "series",
        [FILL_FILE] = "file",
    };
    return names[fill];
}

bool role_is_vector(enum argument_role role)
{
    return role != ARGUMENT_SCALAR && role != ARGUMENT_STRUCT;
}

bool role_is_filled(enum argument_role role)
{
    return role == ARGUMENT_INPUT || role == ARGUMENT_UPDATE;
}

bool argument_is_bound(const struct argument *argument)
{
    return role_is_vector(argument->role) && !argument->symbol;
}

bool argument_rotates(const struct argument *argument)
{
    return role_is_filled(argument->role) && !argument->symbol;
}

bool argument_is_written(const struct argument *argument)
{
    return argument_is_bound(argument) && argument->role != ARGUMENT_INPUT;
}

void patch_vector(void *vector, enum element_type type, const struct patch *patch)
{
    const size_t bytes = element_bytes(type);
    for (uint32_t i = 0; i < patch->count; i++)
        memcpy((unsigned char *)vector + patch->at[i] * bytes, patch->values + i * bytes, bytes);
}

bool plan_has_updates(const struct launch_plan *plan)
{
    for (size_t i = 0; i < plan->argument_count; i++)
        if (plan->arguments[i].role == ARGUMENT_UPDATE)
            return true;
    return false;
}

uint32_t launch_repeats(const struct launch *launch)
{
    return launch->repeat > 0 ? launch->repeat : 1;
}

uint64_t plan_launches(const struct launch_plan *plan)
{
    uint64_t launches = 0;
    for (size_t i = 0; i < plan->launch_count; i++)
        launches += launch_repeats(&plan->launches[i]);
    return launches;
}
