#include "tuner/base/launch.h"

const char *l2_mode_name(enum l2_mode mode)
{
    return mode == L2_HOT ? "hot" : "cold";
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
    case FILL_ZERO:
        break;
    }
    return "zero";
}
