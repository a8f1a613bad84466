/* Winners that a tuned.conf has of an experiment, for searches to try. */
#ifndef TUNE_EXPORT_WINNERS_H
#define TUNE_EXPORT_WINNERS_H

#include "tuner/base/arena.h"
#include "tuner/experiment/experiment.h"

struct tuned;       /* libtuned's: a file that was read */
struct tuned_entry; /* an entry of tuned.conf */

/* Texts are the file's or the arena's. */
struct winner_elsewhere {
    const char *device; /* name of the device; "*": a portable section's */
    const char
        *configuration; /* "block=256 loads=4": each parameter that the experiment has today */
    /* Distance: 1 for this problem and size on this model of device. The ratio of the sizes, times
     * 4 for another problem, times 2 for another device of the same major compute capability or 4
     * for any other. */
    double far;
};

/* Finds all winners of the problem's experiment, the nearest first, in the arena. `facts` describe
 * the device. Fails only with STATUS_NO_MEMORY. */
enum status winners_nearest(const struct tuned *tuned, const struct experiment *experiment,
                            const struct problem *problem, const struct facts *facts,
                            struct arena *arena, struct winner_elsewhere **out, size_t *count,
                            struct error *error);

/* Returns the key of the problem at which the entry was measured, with these sizes if named; NULL:
 * not recorded, or memory is short. */
const char *entry_problem_key(const struct tuned_entry *entry, const struct experiment *experiment,
                              struct arena *arena);

#endif
