#include "tuner/base/conditions.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
    int64_t bit;
    const char *name;
} names[] = {
    {THROTTLE_POWER_CAP, "power cap"},         {THROTTLE_HW_SLOWDOWN, "hardware slowdown"},
    {THROTTLE_SW_THERMAL, "software thermal"}, {THROTTLE_HW_THERMAL, "hardware thermal"},
    {THROTTLE_POWER_BRAKE, "power brake"},     {THROTTLE_SYNC_BOOST, "sync boost"},
};

struct conditions conditions_unknown(void)
{
    return (struct conditions){
        .sm_clock_mhz = (double)NAN,
        .memory_clock_mhz = (double)NAN,
        .temperature_c = (double)NAN,
        .power_w = (double)NAN,
        .energy_j = (double)NAN,
        .throttle = -1,
        .ecc_errors = -1,
        .other_processes = -1,
    };
}

const char *throttle_text(int64_t throttle, char *out, int bytes)
{
    size_t length = 0;
    if (throttle <= 0) {
        (void)snprintf(out, (size_t)bytes, "%s", throttle < 0 ? "unknown" : "nothing");
        return out;
    }
    out[0] = '\0';
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!(throttle & names[i].bit))
            continue;
        (void)snprintf(out + length, (size_t)bytes - length, "%s%s", length ? ", " : "",
                       names[i].name);
        length = strlen(out);
    }
    return out;
}
