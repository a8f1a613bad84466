/* Winners that a tuned.conf has of an experiment, for searches to try. */
#ifndef TUNE_EXPORT_WINNERS_H
#define TUNE_EXPORT_WINNERS_H

#include "tuner/base/arena.h"
#include "tuner/experiment/experiment.h"

struct tuned;       /* libtuned's: a file that was read */
struct tuned_entry; /* a line of it */

/* Texts are the file's or the arena's. */
struct winner_elsewhere {
    const char *device; /* its name; "*": a portable section's */
    const char
        *configuration; /* "block=256 loads=4": each parameter that the experiment has today */
    /* 1: of the problem and its size, on this model of device. The ratio of the sizes, times 4 for
     * another problem, times 2 for another device of the same major compute capability or 4 for
     * any other. */
    double far;
};

/* All winners of the problem's experiment, the nearest first; in the arena. STATUS_NO_MEMORY is all
 * that fails. `facts` are of the device. */
enum status winners_nearest(const struct tuned *tuned, const struct experiment *experiment,
                            const struct problem *problem, const struct facts *facts,
                            struct arena *arena, struct winner_elsewhere **out, size_t *count,
                            struct error *error);

/* What was measured of size number `index`, n being 0, or the only one of it; -1: unknown. */
long long entry_measured_at(const struct tuned_entry *entry, size_t index);
/* The key of the experiment's problem that the entry was measured at, of sizes of several names
 * with these; NULL: the entry does not tell, or memory is short. */
const char *entry_problem_key(const struct tuned_entry *entry, const struct experiment *experiment,
                              struct arena *arena);

#endif
