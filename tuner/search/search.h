/* Which configuration is tried next. A strategy is a file here and a row in the table of search.c;
 * it sees numbers only. */
#ifndef TUNE_SEARCH_SEARCH_H
#define TUNE_SEARCH_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/error.h"

struct search;

/* What a strategy sees of the space: numbers. Functions may be called at any time while the search
 * lives. */
struct search_space {
    const void *context;
    uint64_t count;    /* points 0 .. count - 1 */
    size_t dimensions; /* at most SEARCH_DIMENSIONS_MAX */
    const uint16_t *value_counts;
    /* The indices of a point's values. They are in the order in which the file lists the values:
     * mostly from small to large. */
    void (*values)(const void *context, uint64_t point, uint16_t *values);
    /* Which point has these values; false when none has. */
    bool (*find)(const void *context, const uint16_t *values, uint64_t *point);
    /* The number that a value of a parameter is, NaN for a text. NULL: no numbers are known. */
    double (*number)(const void *context, size_t dimension, uint16_t value);
    /* Whether all is there that a point needs to be tried: its binary was compiled, for this search
     * or another. Of points that promise as much those go first. NULL: nothing needs anything. */
    bool (*is_ready)(const void *context, uint64_t point);
};
enum { SEARCH_DIMENSIONS_MAX = 32 };

/* What "auto" is for, where nobody says how many trials may be had: each point of a space of up to
 * SEARCH_ALL_MAX; else so many trials. A search that begins with as many of elsewhere ends earlier
 * when it has settled: after so many at least, of which the last ones brought nothing better. */
enum {
    SEARCH_ALL_MAX = 1500,
    SEARCH_TRIALS = 300,
    SEARCH_TRIALS_BEGUN = 120,
    SEARCH_BEGUN = 100,
    SEARCH_SETTLED = 80
};

/* Of so many trials one may be a winner of elsewhere, but so many of them always. */
enum { SEARCH_WINNERS_SHARE = 10, SEARCH_WINNERS_MIN = 2 };

struct search_options {
    const char *strategy; /* "auto": by the size of the space and the number of trials */
    uint64_t trials; /* most points in all, those told of earlier among them; 0: all there are */
    uint64_t seed;   /* the same seed, space, options and results give the same points */
    /* Asks for no more when the chance of a point that is better by more than this share is a tenth
     * at most, by the strategy's model ("auto": that of one that has a model), and a quarter more
     * results have left it so. 0: goes on. */
    double until;
};

/* Unknown strategy: STATUS_USAGE with the nearest name; the same for `until` with one that has no
 * model. The space is copied, its context must live
 * on. Freed by search_free. */
enum status search_create(const struct search_options *options, const struct search_space *space,
                          struct search **out, struct error *error);
void search_free(struct search *search);
/* The strategy's name: what "auto" came to. */
const char *search_strategy(const struct search *search);

/* The next point; false when there is none for now: results that are still missing may bring more;
 * with none missing it is the end (all points or all trials were had, or memory is short). A point
 * is asked for once, and none that was told of. More than one may be without its result at a time;
 * strategies that learn wait at some number of them, so each must be told in the end. */
bool search_ask(struct search *search, uint64_t *point);
/* Whether a strategy that learns may have more points out than are good for it, where nobody would
 * have anything to do while it waits. False at first. */
void search_hurry(struct search *search, bool hurries);
/* Asks for no more once `least` points were had, when the last `settled` of them brought nothing
 * better than those before by half a percent, and 24 are within 2 % of the best. Before the first
 * ask. */
void search_end_when_settled(struct search *search, uint64_t least, uint64_t settled);
/* What became of a point: its objective (any real, smaller is better), or NaN when it failed or was
 * set aside. Any order. Also of points that were never asked for, which earlier runs left: these
 * are told first. A second time it changes nothing. */
void search_tell(struct search *search, uint64_t point, double value);

/* How likely a point that was not tried is better than the best by more than this share of it
 * (0.01: 1 %), as the strategy's model has it: normal, and independent between points, given those
 * that were told. NaN: the strategy has no model, or has learned too little yet. */
double search_chance_of_better(struct search *search, double share);

/* The share by which a point that was not tried is better at most, but with this probability (0.1:
 * with 90 % nothing is better by more). By the same model; NaN as there. */
double search_most_better(struct search *search, double probability);

/* A point that won elsewhere, whatever its time was: the nearest first, before the first ask. While
 * there are such, every other point is one (every fourth, where search_tell_elsewhere was called),
 * but a tenth of the trials at most. False: it was named before, or the strategy is a uniform
 * sample, which none of that is for. */
bool search_tell_winner(struct search *search, uint64_t point);

/* What is known of the kernel elsewhere: at another size, on another device, of another version or
 * driver. A search that models times begins where that was best, and finds out how much of it holds
 * here; others take no notice. To be told before the first ask. `source` tells such sets apart:
 * those of small numbers are tried first; within one, values compare: they are related to its own
 * best. `values` are indices as search_space has them, and need be no point of the space. NaN: it
 * failed. */
void search_tell_elsewhere(struct search *search, size_t source, const uint16_t *values,
                           double value);

/* Whether what was told of elsewhere did not hold here, so that the search forgot it. */
bool search_was_misled(const struct search *search);

/* Whether the strategy takes notice of that. */
bool search_learns_from_elsewhere(const struct search *search);

/* The strategies, for --help and completion: by index from 0; NULL past the end. */
const char *search_strategy_name(size_t index);
const char *search_strategy_about(size_t index);

#endif
