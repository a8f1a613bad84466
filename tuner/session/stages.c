/* What the time of a group of devices goes into. */
#include "tuner/base/clock.h"
#include "tuner/session/internal.h"

enum session_stage stage_enter(struct group *group, enum session_stage stage)
{
    struct stage_clock *clock = &group->clock;
    enum session_stage before = clock->stage;
    int64_t now_ns = clock_running_ns();
    if (clock->since_ns != 0)
        clock->spent_ns[before] += now_ns - clock->since_ns;
    clock->stage = stage;
    clock->since_ns = now_ns;
    return before;
}

int64_t stage_ns(const struct group *group, enum session_stage stage)
{
    const struct stage_clock *clock = &group->clock;
    bool runs = clock->stage == stage && clock->since_ns != 0;
    return clock->spent_ns[stage] + (runs ? clock_running_ns() - clock->since_ns : 0);
}
