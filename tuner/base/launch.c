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
