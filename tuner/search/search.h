/* The search: which configuration is tried next. A strategy is a file here and a row in the table
 * of search.c, and works on numbers only. */
#ifndef TUNE_SEARCH_SEARCH_H
#define TUNE_SEARCH_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/error.h"

struct search;

/* The space as a strategy sees it, in numbers. Its functions may be called while the search lives.
 */
struct search_space {
    const void *context;
    uint64_t count;    /* points 0 .. count - 1 */
    size_t dimensions; /* at most SEARCH_DIMENSIONS_MAX */
    const uint16_t *value_counts;
    /* Gets the indices of a point's values, in the order of the file: mostly from small to large.
     */
    void (*values)(const void *context, uint64_t point, uint16_t *values);
    /* Finds the point with these values; false: none. */
    bool (*find)(const void *context, const uint16_t *values, uint64_t *point);
    /* Returns the number of a parameter's value, NaN for a text. NULL: no numbers are known. */
    double (*number)(const void *context, size_t dimension, uint16_t value);
    /* Returns whether a point's binary is compiled already, for this search or another. Equally
     * promising points that are ready come first. NULL: all are ready. */
    bool (*is_ready)(const void *context, uint64_t point);
};
enum { SEARCH_DIMENSIONS_MAX = 32 };

/* Limits of "auto" if the user gives no number of trials: each point of a space of up to
 * SEARCH_ALL_MAX; else SEARCH_TRIALS. A search that begins with SEARCH_BEGUN trials of elsewhere
 * ends once it has settled: after SEARCH_TRIALS_BEGUN, if the last SEARCH_SETTLED gained nothing.
 */
enum {
    SEARCH_ALL_MAX = 1500,
    SEARCH_TRIALS = 300,
    SEARCH_TRIALS_BEGUN = 120,
    SEARCH_BEGUN = 100,
    SEARCH_SETTLED = 80
};

/* Share of the trials that may be winners of elsewhere, and their least number. */
enum { SEARCH_WINNERS_SHARE = 10, SEARCH_WINNERS_MIN = 2 };

struct search_options {
    const char *strategy; /* "auto": by the size of the space and the number of trials */
    uint64_t trials;      /* most points in all, known ones included; 0: all points */
    uint64_t seed;        /* equal seeds, spaces, options and results give equal points */
    /* Ends the search when the chance of a point that is better by this share is at most a tenth,
     * by the strategy's model ("auto" takes one with a model), and stays so for a quarter more
     * results. 0: no such end. */
    double until;
};

/* Creates a search. Unknown strategy: STATUS_USAGE with the nearest name; the same for `until` and
 * a strategy without a model. Copies the space, whose context must live on. Freed by search_free.
 */
enum status search_create(const struct search_options *options, const struct search_space *space,
                          struct search **out, struct error *error);
void search_free(struct search *search);
/* Returns the strategy's name, after the choice of "auto". */
const char *search_strategy(const struct search *search);

/* Gets the next point. False: none for now, as missing results may bring more; with none missing it
 * is the end (all points or trials are used, or memory is short). Each point is requested once, and
 * never after its result has arrived. Several may be pending; learning strategies wait at a limit,
 * so each point must get a result. */
bool search_ask(struct search *search, uint64_t *point);
/* Sets whether a learning strategy may exceed its limit of pending points because the caller would
 * be idle. False at first. */
void search_hurry(struct search *search, bool hurries);
/* Ends the search after at least `least` points, if the last `settled` gained no more than half a
 * percent and 24 are within 2 % of the best. Before the first ask. */
void search_end_when_settled(struct search *search, uint64_t least, uint64_t settled);
/* Ends the search: no further point is requested. */
void search_end(struct search *search);
/* Takes a point's result: its objective (any real, smaller is better), or NaN if it failed or was
 * set aside. In any order. Results of earlier runs, for points never requested, come first. A
 * second result changes nothing. */
void search_tell(struct search *search, uint64_t point, double value);

/* Returns the probability that an untried point is better than the best by more than `share` (0.01:
 * 1 %), by the strategy's model: normal, and independent between points, given the results. NaN: no
 * model, or too few results. */
double search_chance_of_better(struct search *search, double share);

/* Returns the largest gain of an untried point at this probability (0.1: with 90 % no point gains
 * more), by the same model; NaN as above. */
double search_most_better(struct search *search, double probability);

/* Takes a point that won elsewhere, the nearest first, before the first ask. While there are any,
 * every other point is one (every fourth after search_tell_elsewhere), up to a tenth of the trials.
 * False: a repetition, or the strategy is a uniform sample, which takes none. */
bool search_tell_winner(struct search *search, uint64_t point);

/* Takes a result of elsewhere: another size, device, version or driver; before the first ask. A
 * search that models times begins at the best of these, and finds out how well they predict its
 * own; other strategies ignore them. `source` identifies sets whose values compare, relative to the
 * set's best; small numbers are tried first. `values` are indices as in search_space, and need not
 * form a point. NaN: failed. */
void search_tell_elsewhere(struct search *search, size_t source, const uint16_t *values,
                           double value);

/* Returns whether results of elsewhere proved misleading and were dropped. */
bool search_was_misled(const struct search *search);

/* Returns whether the strategy uses results of elsewhere. */
bool search_learns_from_elsewhere(const struct search *search);

/* Return the strategies for --help and completion, by index from 0; NULL past the end. */
const char *search_strategy_name(size_t index);
const char *search_strategy_about(size_t index);

#endif
