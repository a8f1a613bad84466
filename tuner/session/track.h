/* The measurer: candidates on one worker, each in a slot of it, timed alone or in rounds.
 *
 * The sweep has one slot, times it alone and stops when it is hopeless; a look has a few; a race
 * has all that could win; a confirmation has what is left of them, in a fresh process. */
#ifndef TUNE_SESSION_TRACK_H
#define TUNE_SESSION_TRACK_H

#include "tuner/base/random.h"
#include "tuner/session/prepare.h"
#include "tuner/stats/rounds.h"
#include "tuner/stats/summary.h"
#include "tuner/store/evidence.h"
#include "tuner/store/measured.h"

struct race;

/* A candidate that is measured, and what came of it so far. Zero but for the candidate at first. */
struct slot {
    struct candidate *candidate;
    struct prepared *prepared;     /* NULL: not yet */
    struct worker_outcome outcome; /* ok until it fails; then it is left out */
    uint32_t runs;                 /* a block */
    struct store_sample *samples;
    size_t sample_count, sample_capacity;
    int64_t spent_ns;
    struct worker_results results; /* by which its timed runs are known to be right */
};
void slot_drop_samples(struct slot *slot);
void slot_free(struct slot *slot);

struct track {
    struct inputs *inputs;
    const struct candidates *candidates; /* that the slots' are of */
    struct lane *lane;
    const char *stage; /* of its trials: "sweep", "look", "race", "confirm", "dirty", "hot" */
    int process;       /* of the confirmation; else 0 */
    enum l2_mode mode; /* of the caches, while it measures */
    struct slot **slots;
    size_t count;
    double best_ns; /* of the best so far, for limits of time; 0: unknown */
    struct random random;
    uint32_t blocks;     /* a visit; 0: as the protocol says */
    bool unsure;         /* somebody's results take references to be judged */
    double energy_share; /* the energy counter's step of a window's energy; 0: unknown */
    struct round_record *records;
    enum round_fault *faults;
    struct store_round *rows;
    double *y;    /* ln of the objective: [round * count + slot], NaN where it was not measured */
    double *twin; /* [round]: ln of the second visit over the first */
    size_t round_count, round_capacity;
};

/* Prepares the slot's candidate, once, and has the worker load it; what cannot be loaded is its
 * outcome. */
enum status track_load(const struct work *work, struct track *track, struct slot *slot,
                       struct error *error);
/* Times a loaded slot alone, as the sweep does. */
struct timing {
    uint32_t blocks;
    uint32_t runs;        /* a block; 0: to be found */
    double stop_above_ns; /* ends with the samples it has once one is slower; 0: never */
};
enum status track_time_alone(const struct work *work, struct track *track, struct slot *slot,
                             const struct timing *timing, struct error *error);

/* Has the worker know the problem, with `check` the expected results too, and every slot's plan. */
enum status track_begin(const struct work *work, struct track *track, bool check,
                        struct error *error);
/* One round of the slots with wanted[i], between two looks at the anchor, in random order;
 * `twin_of` (count: none) is visited twice, and its second y is *twin_y. */
enum status track_round(const struct work *work, struct track *track, const bool *wanted,
                        size_t twin_of, double *twin_y, struct error *error);
/* The same as a round of a race, which gets its values, who failed in it, and which of all rounds
 * count by now. */
enum status track_race_round(const struct work *work, struct track *track, struct race *race,
                             const bool *wanted, size_t twin_of, struct error *error);
/* Judges all rounds anew; marks samples of those that do not count. The number that counts. */
size_t track_judge(const struct work *work, struct track *track);
/* Sets levels[slot] to how far each slot is off the middle of those with `central[slot]`, over the
 * valid rounds first .. last - 1: ln, NaN where it was in none. */
enum status track_levels(const struct track *track, const bool *central, size_t first, size_t last,
                         double *levels, struct error *error);
/* Rows of rounds into the store. */
enum status track_store(const struct work *work, const struct track *track, struct error *error);
void track_free(struct track *track); /* but not its slots */

/* What the samples that count come to. */
struct measured {
    struct summary times;
    double energy_j; /* NaN: not measured */
    double value;    /* of the objective; NaN: none */
};
/* Returns the summary of no samples. */
struct measured measured_none(void);
/* Without the objective: its value is NaN. */
enum status slot_times(const struct slot *slot, struct measured *measured, struct error *error);
enum status slot_measured(const struct work *work, const struct slot *slot,
                          struct measured *measured, struct error *error);
/* Puts the slot's trial into the store; `cheap`: it can be had again without the device. */
enum status slot_store(const struct work *work, const struct track *track, const struct slot *slot,
                       const struct measured *measured, bool cheap, int64_t *trial_id,
                       struct error *error);

#endif
