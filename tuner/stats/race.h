/* Racing: many candidates are measured in rounds, and those that are shown to be slower leave.
 * Numbers in, decisions out; who measures is of no concern here. */
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

/* `protocol` is copied. */
enum status race_create(const struct protocol *protocol, size_t count, struct race **out,
                        struct error *error);
void race_free(struct race *race);
/* The fixed order of the candidates (a place for each, 0 first; copied), when those alive at the
 * end are to be narrowed down to protocol.finalists: who cannot come to be among them leaves at a
 * look. Without it all stay that are not shown to be slower. */
enum status race_set_order(struct race *race, const size_t *order, struct error *error);

/* One round: y[i] = ln of candidate i's objective, NaN where it was not measured. `twin_of` was
 * measured a second time in the round: twin_y (NaN: no twin). Returns the round's number from 0. At
 * most ESTIMATE_MAX rounds; STATUS_INTERNAL beyond. */
enum status race_add_round(struct race *race, const double *y, size_t twin_of, double twin_y,
                           size_t *round, struct error *error);
/* Rounds found invalid (later, too) count for nothing; all are valid at first. */
void race_set_valid(struct race *race, size_t round, bool valid);
void race_fail(struct race *race, size_t candidate);

/* Screens, and at the number of valid rounds of a look (or with `last_look`, now) races. What has
 * left stays out. The number of those that left by this call. */
size_t race_judge(struct race *race, bool last_look);
/* One is left, the last look is done, or all that are left are shown to be within delta or over. */
bool race_over(const struct race *race);
/* Valid rounds that the next look waits for; 0: none is left. */
size_t race_next_look(const struct race *race);

size_t race_valid_rounds(const struct race *race);
size_t race_alive(const struct race *race);
enum race_fate race_fate(const struct race *race, size_t candidate);
/* The alive candidate with the smallest paired estimate; the count when none is alive. */
size_t race_leader(const struct race *race);
/* Of candidate - leader, over the valid rounds in which both were measured, at race_z: relative,
 * 0.01 is one percent slower (exp(d) - 1). */
struct interval race_difference(const struct race *race, size_t candidate);
/* Between two candidates, likewise: a - b. */
struct interval race_between(const struct race *race, size_t a, size_t b, double z);
/* At most `most` (>= 1) of those alive, to be confirmed: the leader, then by order[candidate]
 * (NULL: as they come) those whose estimate is within race_delta of it, then the others by
 * estimate. Among equals the fixed order decides already here: by estimate, two tunings of the same
 * candidates would confirm different ones, and then choose differently. `out` has room for `most`.
 */
enum status race_finalists(const struct race *race, const size_t *order, size_t most, size_t *out,
                           size_t *count, struct error *error);
/* Of all twins so far. */
struct twin_floor race_floor(const struct race *race);
/* What counts as a tie now, with the A/A floor so far. */
double race_delta(const struct race *race);

#endif
