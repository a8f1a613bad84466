#include "tuner/stats/rounds.h"

#include <math.h>

#include "tuner/stats/estimate.h"

static const char *const names[ROUND_FAULTS] = {
    [ROUND_VALID] = "valid",
    [ROUND_THROTTLED] = "throttled",
    [ROUND_ANCHOR_MOVED] = "anchor_moved",
    [ROUND_CLOCK_MOVED] = "clock_moved",
    [ROUND_ECC] = "ecc",
    [ROUND_OTHER_PROCESS] = "other_process",
    [ROUND_INCOMPLETE] = "incomplete",
};

const char *round_fault_name(enum round_fault fault)
{
    return names[fault];
}

/* Ordinary conditions of these rounds, and the limits of deviations. */
struct limits {
    double anchor_ns, anchor_off_ns;
    double clock_mhz, clock_off_mhz;
};

/* Returns false for unknown values. */
static bool is_off(double first, double last, double centre, double allowed)
{
    return fabs(first - centre) > allowed || fabs(last - centre) > allowed;
}

static bool is_throttled(int64_t throttle)
{
    const int64_t faults =
        THROTTLE_HW_SLOWDOWN | THROTTLE_SW_THERMAL | THROTTLE_HW_THERMAL | THROTTLE_POWER_BRAKE;
    return throttle > 0 && (throttle & faults) != 0;
}

static enum round_fault round_fault(const struct round_record *round, const struct limits *limits,
                                    const struct protocol *protocol)
{
    const struct conditions *before = &round->before;
    const struct conditions *after = &round->after;
    if (is_throttled(before->throttle) || is_throttled(after->throttle))
        return ROUND_THROTTLED;
    if (is_off(round->anchor_first_ns, round->anchor_last_ns, limits->anchor_ns,
               limits->anchor_off_ns))
        return ROUND_ANCHOR_MOVED;
    if (is_off(before->sm_clock_mhz, after->sm_clock_mhz, limits->clock_mhz, limits->clock_off_mhz))
        return ROUND_CLOCK_MOVED;
    if (before->ecc_errors >= 0 && after->ecc_errors >= 0 &&
        before->ecc_errors != after->ecc_errors)
        return ROUND_ECC;
    /* Other processes belong to the place if the protocol does not wait for them, as on a CPU. */
    if (protocol->other_wait_ms > 0 &&
        (before->other_processes > round->others || after->other_processes > round->others))
        return ROUND_OTHER_PROCESS;
    return ROUND_VALID;
}

void rounds_judge(const struct round_record *rounds, size_t count, const struct protocol *protocol,
                  enum round_fault *faults)
{
    double anchors[2 * ESTIMATE_MAX], clocks[2 * ESTIMATE_MAX]; /* at begin and end of each round */
    size_t numbers = 0;
    if (count == 0)
        return;
    for (size_t i = 0; i < count && i < ESTIMATE_MAX; i++) {
        anchors[numbers] = rounds[i].anchor_first_ns;
        clocks[numbers++] = rounds[i].before.sm_clock_mhz;
        anchors[numbers] = rounds[i].anchor_last_ns;
        clocks[numbers++] = rounds[i].after.sm_clock_mhz;
    }
    struct limits limits = {.anchor_ns = median_of(anchors, numbers),
                            .clock_mhz = median_of(clocks, numbers)};
    limits.anchor_off_ns = fmax(protocol->anchor_shift * limits.anchor_ns,
                                protocol->anchor_mads * mad_of(anchors, numbers));
    limits.clock_off_mhz = protocol->clock_shift * limits.clock_mhz;
    for (size_t i = 0; i < count; i++) {
        if (faults[i] != ROUND_INCOMPLETE)
            faults[i] = round_fault(&rounds[i], &limits, protocol);
    }
}
