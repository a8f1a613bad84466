/* A device's state at one moment, read around every round of timings. Reading needs no privileges;
 * values that the system does not report are unknown. */
#ifndef TUNE_BASE_CONDITIONS_H
#define TUNE_BASE_CONDITIONS_H

#include <stdint.h>

/* Reasons why a clock is throttled. An idle GPU, or one whose clocks an application has set, counts
 * as not throttled. */
enum throttle {
    THROTTLE_POWER_CAP =
        1 << 0, /* software power cap: ordinary under load; reported, rounds are kept */
    THROTTLE_HW_SLOWDOWN = 1 << 1,
    THROTTLE_SW_THERMAL = 1 << 2,
    THROTTLE_HW_THERMAL = 1 << 3,
    THROTTLE_POWER_BRAKE = 1 << 4,
    THROTTLE_SYNC_BOOST = 1 << 5, /* reported, rounds are kept */
};

/* NaN, or -1 in an integer: unknown. */
struct conditions {
    double sm_clock_mhz; /* CPU: the clock of the pinned core */
    double memory_clock_mhz;
    double temperature_c;
    double power_w;
    double energy_j;         /* a counter; only differences have a meaning */
    int64_t throttle;        /* bits of enum throttle */
    int64_t ecc_errors;      /* corrected and uncorrected, a counter */
    int64_t other_processes; /* computing on the device; CPU: runnable beside ours */
};

struct conditions conditions_unknown(void);
/* Returns "hardware thermal, power brake"; "nothing" for 0, "unknown" for -1. */
const char *throttle_text(int64_t throttle, char *out, int bytes);

#endif
