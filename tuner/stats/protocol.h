/* Every number of the measurement, with its default. Stored with each run. */
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
    /* Runs of a block fill block_ns, or at most block_most_ns. */
    double block_ns, block_most_ns;
    /* Sweep: blocks of a configuration; the first one is the last if it is slower than the best by
     * more than sweep_slower. */
    int64_t sweep_blocks;
    double sweep_slower;
    /* Race: y is the median of ln over visit_blocks blocks; over screen_blocks until the last
     * screen, for which less precision is enough. */
    int64_t visit_blocks, screen_blocks, noisy_blocks;
    int64_t screen_rounds[PROTOCOL_SCREENS]; /* valid rounds before each screen ... */
    double screen_slower[PROTOCOL_SCREENS]; /* ... which takes out candidates slower in each by more
                                               than this */
    int64_t look_rounds[PROTOCOL_LOOKS];    /* valid rounds, ascending; 0: no more looks */
    double race_z;                          /* normal quantile of the intervals */
    double delta;                           /* differences up to this are a tie */
    /* Tolerated lag in the race's process: such a candidate may be as fast in other processes. */
    double race_slack;
    /* Validity of a round. */
    double
        anchor_shift; /* the anchor's distance from the median: over max(this, anchor_mads MAD) */
    double anchor_mads;
    double clock_shift;   /* the SM clock's distance from the median */
    double dropped_most;  /* share of rounds; above, the result is unstable */
    double twin_bias;     /* a significant A/A difference above this: the harness is biased */
    double floor_most;    /* an A/A floor above this supports no choice; the widest tie band */
    double other_wait_ms; /* longest wait for another process to leave the device */
    /* Confirmation. */
    int64_t finalists;
    int64_t confirm_processes; /* 0: none */
    int64_t confirm_rounds;
    int64_t state_rounds; /* rounds of those near the best, in each other state of the cache */
    double confidence;    /* confidence of the claim: 0.99 */
    /* Prior for the spread of a difference between processes: counts as much as eight processes. */
    double process_spread;
    /* Energy. */
    int64_t energy_candidates, energy_rounds;
    double energy_window_ms;
    /* Ranges. */
    double within;        /* largest loss of a range's configuration at each measured size */
    int64_t look_between; /* unmeasured sizes looked at between two measured ones; 0: none */
};

/* Sets the defaults of an effort. is_shared: other programs run on the device, too (a CPU). */
void protocol_defaults(enum effort effort, bool is_shared, struct protocol *protocol);
bool effort_parse(const char *name, enum effort *out);
const char *effort_name(enum effort effort);

/* Returns the width of a tie at an A/A floor of `floor` (NaN: unknown): the larger of delta and the
 * floor, but at most floor_most, above which differences have no meaning. */
double protocol_tie_band(const struct protocol *protocol, double floor);

/* Parses "race_z=3.5", "screen_slower.1=0.1": the names above, elements of arrays from 0.
 * STATUS_USAGE with the nearest name, or the allowed range. */
enum status protocol_set(struct protocol *protocol, const char *assignment, struct error *error);
/* Formats "warm_window_ms=50 warm_settled=0.005 ...": exact, and readable by protocol_parse. */
void protocol_format(const struct protocol *protocol, struct text *text);
enum status protocol_parse(const char *text, struct protocol *protocol, struct error *error);
/* Formats the numbers of a stored text that are no defaults of its effort: "confirm_rounds=20
 * finalists=4"; a number that did not exist then is its default. False: the text or the effort is
 * not readable. */
bool protocol_changes(const char *stored, const char *effort, bool is_shared, struct text *out);
/* Calls `each` for every name with the value and a line of help, for --help and the store. */
void protocol_each(const struct protocol *protocol,
                   void (*each)(void *context, const char *name, const char *value,
                                const char *about),
                   void *context);

#endif
