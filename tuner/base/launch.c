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
    switch (fill) {
    case FILL_RANDOM:
        return "random";
    case FILL_RANDOM_EXACT:
        return "random_exact";
    case FILL_RANDOM_ODD:
        return "random_odd";
    case FILL_ZERO:
        break;
    }
    return "zero";
}
