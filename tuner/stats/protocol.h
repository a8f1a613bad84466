/* Every number that the measuring goes by, with its default. Stored with each run. */
#ifndef TUNE_STATS_PROTOCOL_H
#define TUNE_STATS_PROTOCOL_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/error.h"
#include "tuner/base/text.h"

enum effort { EFFORT_QUICK, EFFORT_NORMAL, EFFORT_THOROUGH };
enum { PROTOCOL_SCREENS = 3, PROTOCOL_LOOKS = 7 };

/* Shares are fractions: 0.0025 is a quarter of a percent. */
struct protocol {
    /* Warming up, see device.h. */
    double warm_window_ms, warm_settled, warm_least_ms, warm_most_ms, pause_ms;
    /* A block holds as many runs as fill block_ns, at most block_most_ns. */
    double block_ns, block_most_ns;
    /* Sweep: blocks of a configuration; it ends after the first when it is slower than the best by
     * more than sweep_slower. */
    int64_t sweep_blocks;
    double sweep_slower;
    /* Race: y is the median of ln over visit_blocks blocks; over screen_blocks until the last
     * screen, which needs no such precision. */
    int64_t visit_blocks, screen_blocks, noisy_blocks;
    int64_t screen_rounds[PROTOCOL_SCREENS]; /* after so many valid rounds ... */
    double screen_slower[PROTOCOL_SCREENS];  /* ... out when slower in each by more than this */
    int64_t look_rounds[PROTOCOL_LOOKS];     /* valid rounds, ascending; 0: no more looks */
    double race_z;                           /* normal quantile of the intervals */
    double delta;                            /* differences up to this are a tie */
    /* Who is slower by no more than this in the race's process may be as fast in others. */
    double race_slack;
    /* Validity of a round. */
    double anchor_shift; /* of the anchor from its median: over max(this, anchor_mads MAD) */
    double anchor_mads;
    double clock_shift;   /* of the SM clock from its median */
    double dropped_most;  /* share of rounds; above, the result is unstable */
    double twin_bias;     /* a significant A/A difference above this: the harness is biased */
    double floor_most;    /* an A/A floor above this supports no choice; the widest tie band */
    double other_wait_ms; /* how long to wait for another process to leave the device */
    /* Confirmation. */
    int64_t finalists;
    int64_t confirm_processes; /* 0: none */
    int64_t confirm_rounds;
    int64_t state_rounds; /* likewise of those near the best, in each other state of the cache */
    double confidence;    /* of the claim: 0.99 */
    /* How much a difference is taken to move from process to process before anything is known: it
     * counts as much as eight processes. */
    double process_spread;
    /* Energy. */
    int64_t energy_candidates, energy_rounds;
    double energy_window_ms;
    /* Ranges. */
    double within;        /* a range's configuration loses at most this at each measured size */
    int64_t look_between; /* unmeasured sizes looked at between two measured ones; 0: none */
};

/* Defaults of an effort. is_shared: other programs run on the device, too (a CPU). */
void protocol_defaults(enum effort effort, bool is_shared, struct protocol *protocol);
bool effort_parse(const char *name, enum effort *out);
const char *effort_name(enum effort effort);

/* What counts as a tie where the A/A floor is `floor` (NaN: unknown): the larger of delta and the
 * floor, but no more than floor_most, above which nothing is told apart. */
double protocol_tie_band(const struct protocol *protocol, double floor);

/* "race_z=3.5", "screen_slower.1=0.1": by the names above, elements of arrays from 0. STATUS_USAGE
 * with the nearest name, or the range that is allowed. */
enum status protocol_set(struct protocol *protocol, const char *assignment, struct error *error);
/* "warm_window_ms=50 warm_settled=0.005 ...": exact, and read by protocol_parse. */
void protocol_format(const struct protocol *protocol, struct text *text);
enum status protocol_parse(const char *text, struct protocol *protocol, struct error *error);
/* What of a stored text is not the default of its effort: "confirm_rounds=20 finalists=4"; a number
 * that was not there yet is. False: the text or the effort cannot be read. */
bool protocol_changes(const char *stored, const char *effort, bool is_shared, struct text *out);
/* Calls `each` for every name with its value and one line about it, for --help and the store. */
void protocol_each(const struct protocol *protocol,
                   void (*each)(void *context, const char *name, const char *value,
                                const char *about),
                   void *context);

#endif
