/* The validity of rounds: whole rounds are dropped, never single samples. */
#ifndef TUNE_STATS_ROUNDS_H
#define TUNE_STATS_ROUNDS_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/conditions.h"
#include "tuner/stats/protocol.h"

struct round_record {
    double anchor_first_ns, anchor_last_ns; /* NaN: not measured */
    struct conditions before, after;
    int64_t others; /* other processes that were awaited in vain: beside these the round counts */
};

enum round_fault {
    ROUND_VALID,
    ROUND_THROTTLED,     /* hardware slowdown, thermal, power brake */
    ROUND_ANCHOR_MOVED,  /* the anchor is off the median over all rounds */
    ROUND_CLOCK_MOVED,   /* the SM clock is off the median over all rounds */
    ROUND_ECC,           /* an error count moved */
    ROUND_OTHER_PROCESS, /* another process computed on the device */
    ROUND_INCOMPLETE,    /* the worker was lost, or the round was stopped; set by the caller */
};
enum { ROUND_FAULTS = 7 };
const char *round_fault_name(enum round_fault fault); /* "throttled" ... */

/* Judges all rounds measured so far by one process; unknown values are no fault. faults[i] that are
 * ROUND_INCOMPLETE already stay. */
void rounds_judge(const struct round_record *rounds, size_t count, const struct protocol *protocol,
                  enum round_fault *faults);

#endif
