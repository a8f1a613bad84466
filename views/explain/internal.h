/* Between the files of explain. */
#ifndef TUNE_EXPLAIN_INTERNAL_H
#define TUNE_EXPLAIN_INTERNAL_H

#include "tuner/base/text.h"
#include "tuner/store/query.h"
#include "views/explain/explain.h"

/* A configuration and its time in the sweep. */
struct swept {
    const char *parameters; /* a JSON object */
    int64_t measured_id;    /* the measured trial, shared by duplicates */
    double time_ns;
    int64_t busy; /* units kept busy by the blocks and threads; -1: unknown */
    int64_t id;   /* the trial itself */
};

/* Further input of the rules. NaN, -1 and NULL: unknown. */
struct background {
    const char *stage;      /* stage in which the winner was chosen */
    bool ceiling_given_up;  /* measured, but a winner was clearly faster */
    double low_ns, high_ns; /* NaN: unknown, or too far apart */
    double bytes_moved, operations;
    double node_gap_ns;     /* least cost of a launch */
    double cache_bytes;     /* capacity of the last cache before the memory */
    bool launches_overlap;  /* a launch may begin before the previous one ends */
    double elsewhere_share; /* largest share of the ceiling at a larger size of the problem, and
                               that size */
    int64_t elsewhere_n;
    double busier_loss; /* in the sweep: the best that keeps more units busy, against the winner */
};

enum { STAGES = 3 };
extern const char *const explain_stages[STAGES]; /* "confirm", "race", "sweep" */

/* A point in the database: times by explain_stages, and the standing among contenders. */
struct read_point {
    struct explain_point point;
    int64_t trial_ids[STAGES];
    double times_ns[STAGES];
    double values[STAGES]; /* objective's values; none in a sweep */
    double difference;     /* relative to the fastest contender; NaN: not a contender */
    double ratio, ratio_low, ratio_high; /* to the winner, in shared rounds */
    const char *paired_in;               /* the stage of these; NULL: there were none */
    int64_t active_blocks;               /* per SM */
};

/* Fills points: times in shared stages, differences to the winner, rates (compare.c). Returns false
 * if memory is short. */
bool compare_points(const struct read_point *read, size_t count,
                    const struct background *background, struct arena *arena,
                    struct explanation *explanation);

bool is_by_time(const struct explanation *explanation);

/* Finds the cost of changing each parameter of points[own], the winner (sensitivity.c). Returns
 * false if memory is short. */
bool find_sensitivities(const struct swept *points, size_t count, size_t own, struct arena *arena,
                        struct explanation *explanation);
/* Fills limit and writes the sentence to `text` (limit.c). */
void decide_limit(struct explanation *explanation, const struct background *background,
                  struct text *text);

/* Makes the sentences on why the winner wins (sentences.c). Returns false if memory is short. */
bool make_sentences(struct explanation *explanation, const struct background *background,
                    struct arena *arena);

/* Appends a sentence with formatted numbers (format.c). Doubles: %T a time in ns (1.27 us), %P a
 * share (0.42 %, 12.3 %, 230 %), %M a relative difference ("2.34 % more", "0.05 % less", "3.45
 * times as long"), %B bytes (32 KiB), %N three digits. %D an int64_t, %C an int64_t with its noun
 * ("1 block", "2 blocks"), %s a text. Other conversions set `failed`. */
void append_sentence(struct text *text, const char *format, ...);

#endif
