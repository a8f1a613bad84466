/* Racing: many candidates are measured in rounds, and leave once they are shown to be slower.
 * Numbers in, decisions out; the caller measures. */
#ifndef TUNE_STATS_RACE_H
#define TUNE_STATS_RACE_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/error.h"
#include "tuner/stats/estimate.h"
#include "tuner/stats/protocol.h"

enum race_fate {
    RACE_ALIVE,
    RACE_SCREENED, /* slower in every round by more than a screen allows */
    RACE_LOST,   /* at a look: the lower bound of its difference to the leader is over delta + slack
                  */
    RACE_BEHIND, /* at a look: no finalist any more, as enough others come before it */
    RACE_FAILED, /* taken out by the caller */
};

struct race;

/* Creates a race; copies `protocol`. */
enum status race_create(const struct protocol *protocol, size_t count, struct race **out,
                        struct error *error);
void race_free(struct race *race);
/* Sets the fixed order of the candidates (a place for each, 0 first; copied), if those alive at the
 * end are narrowed down to protocol.finalists: a candidate that cannot become one leaves at a look.
 * Without an order all stay that are not shown to be slower. */
enum status race_set_order(struct race *race, const size_t *order, struct error *error);

/* Adds one round: y[i] = ln of candidate i's objective, NaN: not measured. `twin_of` was measured a
 * second time in the round: twin_y (NaN: no twin). Returns the round's number from 0. At most
 * ESTIMATE_MAX rounds; STATUS_INTERNAL beyond. */
enum status race_add_round(struct race *race, const double *y, size_t twin_of, double twin_y,
                           size_t *round, struct error *error);
/* Sets whether a round is valid (also later); all are at first, and invalid ones do not count. */
void race_set_valid(struct race *race, size_t round, bool valid);
void race_fail(struct race *race, size_t candidate);

/* Screens, and races at the number of valid rounds of a look (or with `last_look`, now). Candidates
 * that have left stay out. Returns the number of those that left now. */
size_t race_judge(struct race *race, bool last_look);
/* Returns whether one is left, the last look is done, or all that are left are shown to be within
 * delta or over. */
bool race_over(const struct race *race);
/* Returns the number of valid rounds of the next look; 0: none is left. */
size_t race_next_look(const struct race *race);

size_t race_valid_rounds(const struct race *race);
size_t race_alive(const struct race *race);
enum race_fate race_fate(const struct race *race, size_t candidate);
/* Returns the alive candidate with the smallest paired estimate; the count: none is alive. */
size_t race_leader(const struct race *race);
/* Returns the interval of candidate - leader, over the valid rounds in which both were measured, at
 * race_z: relative, 0.01 is one percent slower (exp(d) - 1). */
struct interval race_difference(const struct race *race, size_t candidate);
/* Returns the interval between two candidates, likewise: a - b. */
struct interval race_between(const struct race *race, size_t a, size_t b, double z);
/* Lists at most `most` (>= 1) of those alive, to be confirmed: the leader, then by order[candidate]
 * (NULL: by index) those whose estimate is within race_delta of the leader, then the others by
 * estimate. Among equals the fixed order decides already here: by estimate, two tunings of the same
 * candidates would confirm different ones, and then choose differently. `out` has room for `most`.
 */
enum status race_finalists(const struct race *race, const size_t *order, size_t most, size_t *out,
                           size_t *count, struct error *error);
/* Returns the floor of all twins so far. */
struct twin_floor race_floor(const struct race *race);
/* Returns the width of a tie now, with the A/A floor so far. */
double race_delta(const struct race *race);

#endif
