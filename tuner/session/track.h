/* The measurer: candidates on one worker, each in a slot, timed alone or in rounds. The sweep times
 * one slot alone and stops early on a hopeless one; a look has a few slots; a race has all possible
 * winners; a confirmation has the remaining ones, in a fresh process. */
#ifndef TUNE_SESSION_TRACK_H
#define TUNE_SESSION_TRACK_H

#include "tuner/base/random.h"
#include "tuner/session/prepare.h"
#include "tuner/stats/rounds.h"
#include "tuner/stats/summary.h"
#include "tuner/store/evidence.h"
#include "tuner/store/measured.h"

struct race;

/* A candidate under measurement, and its results. All zero at first but for the candidate. */
struct slot {
    struct candidate *candidate;
    struct prepared *prepared;     /* NULL: not yet */
    struct worker_outcome outcome; /* ok until a failure, which excludes the slot */
    uint32_t runs;                 /* a block */
    struct store_sample *samples;
    size_t sample_count, sample_capacity;
    int64_t spent_ns;
    double deviation;              /* as in struct worker_samples */
    struct worker_results results; /* checksums of its right results */
};
void slot_drop_samples(struct slot *slot);
void slot_free(struct slot *slot);

struct track {
    struct inputs *inputs;
    const struct candidates *candidates; /* table of the slots' candidates */
    struct lane *lane;
    const char *stage; /* stage of its trials: "sweep", "look", "race", "confirm", "dirty", "hot" */
    int process;       /* confirming process; else 0 */
    enum l2_mode mode; /* state of the caches */
    struct slot **slots;
    size_t count;
    double best_ns; /* the best so far, for time limits; 0: unknown */
    struct random random;
    uint32_t blocks; /* blocks a visit; 0: the protocol's */
    bool unsure;     /* some results need references to be judged */
    double
        energy_share; /* step of the energy counter as a share of a window's energy; 0: unknown */
    struct round_record *records;
    enum round_fault *faults;
    struct store_round *rows;
    double *y;    /* ln of the objective: [round * count + slot], NaN: not measured */
    double *twin; /* [round]: ln of the second visit over the first */
    size_t round_count, round_capacity;
};

/* Prepares the slot's candidate once, and makes the worker load it; the outcome reports a failure.
 */
enum status track_load(const struct work *work, struct track *track, struct slot *slot,
                       struct error *error);
/* Settings for timing a loaded slot alone. */
struct timing {
    uint32_t blocks;
    uint32_t runs;        /* runs a block; 0: to be found */
    double stop_above_ns; /* limit at which a slower sample ends the timing; 0: never */
};
enum status track_time_alone(const struct work *work, struct track *track, struct slot *slot,
                             const struct timing *timing, struct error *error);

/* Makes the worker know the problem, with `check` also the expected results, and every slot's plan.
 */
enum status track_begin(const struct work *work, struct track *track, bool check,
                        struct error *error);
/* Measures one round of the slots with wanted[i], between two visits to the anchor, in random
 * order; `twin_of` (count: none) is visited twice, and *twin_y is its second y. */
enum status track_round(const struct work *work, struct track *track, const bool *wanted,
                        size_t twin_of, double *twin_y, struct error *error);
/* Measures until `rounds` are valid; up to half as many again replace dropped ones. */
enum status track_rounds(const struct work *work, struct track *track, const bool *wanted,
                         size_t twin_of, size_t rounds, struct error *error);
/* Measures a round of a race, and passes its values, failures and the validity of all rounds to the
 * race. */
enum status track_race_round(const struct work *work, struct track *track, struct race *race,
                             const bool *wanted, size_t twin_of, struct error *error);
/* Judges all rounds anew, and marks samples of invalid ones. Returns the number of valid rounds. */
size_t track_judge(const struct work *work, struct track *track);
/* Sets levels[slot] to the slot's offset from the middle of those with `central[slot]`, over the
 * valid rounds first .. last - 1: ln, NaN: in none. */
enum status track_levels(const struct track *track, const bool *central, size_t first, size_t last,
                         double *levels, struct error *error);
/* Stores the rows of rounds. */
enum status track_store(const struct work *work, const struct track *track, struct error *error);
void track_free(struct track *track); /* except its slots */

/* Summary of the valid samples. */
struct measured {
    struct summary times;
    double energy_j; /* NaN: not measured */
    double value;    /* value of the objective; NaN: none */
};
/* Returns the summary of no samples. */
struct measured measured_none(void);
/* Summarises the samples without the objective, whose value is NaN. */
enum status slot_times(const struct slot *slot, struct measured *measured, struct error *error);
enum status slot_measured(const struct work *work, const struct slot *slot,
                          struct measured *measured, struct error *error);
/* Stores the slot's trial; `cheap`: repeatable without the device. */
enum status slot_store(const struct work *work, const struct track *track, const struct slot *slot,
                       const struct measured *measured, bool cheap, int64_t *trial_id,
                       struct error *error);

#endif
