/* Between the files of explain. */
#ifndef TUNE_EXPLAIN_INTERNAL_H
#define TUNE_EXPLAIN_INTERNAL_H

#include "tuner/base/text.h"
#include "tuner/store/query.h"
#include "views/explain/explain.h"

/* A configuration as the sweep timed it. */
struct swept {
    const char *parameters; /* a JSON object */
    int64_t measured_id;    /* the trial that was measured: duplicates share it */
    double time_ns;
    int64_t busy; /* units that its blocks and threads can keep busy; -1: unknown */
    int64_t id;   /* the trial itself */
};

/* What the rules go by besides the points. NaN, -1 and NULL: unknown. */
struct background {
    const char *stage;      /* that the winner was chosen by */
    bool ceiling_given_up;  /* it was measured, and a winner moved clearly more */
    double low_ns, high_ns; /* NaN: not known, or so far apart that they say nothing */
    double bytes_moved, operations;
    double node_gap_ns;     /* what each launch costs at least */
    double cache_bytes;     /* of the cache before the memory */
    bool launches_overlap;  /* of several, one may begin before the one before it has ended */
    double elsewhere_share; /* the most of the ceiling at a larger size of the problem, and there */
    int64_t elsewhere_n;
    double busier_loss; /* in the sweep: the best that keeps more units busy, against the winner */
};

enum { STAGES = 3 };
extern const char *const explain_stages[STAGES]; /* "confirm", "race", "sweep" */

/* A point as the database has it: times by explain_stages, and where it stood among contenders. */
struct read_point {
    struct explain_point point;
    int64_t trial_ids[STAGES];
    double times_ns[STAGES];
    double values[STAGES];               /* of the objective; a sweep has none */
    double difference;                   /* relative, to the fastest contender; NaN: it was none */
    double ratio, ratio_low, ratio_high; /* to the winner in the rounds that they shared */
    const char *paired_in;               /* the stage of these; NULL: there were none */
    int64_t active_blocks;               /* per SM */
};

/* read.c: what the database knows of a winner. The rows of a query with the parameter :winner. */
enum status read_rows(struct store *store, struct store_reading reading, int64_t winner_id,
                      struct arena *arena, void *rows, size_t *count, struct error *error);
enum status read_winner(struct store *store, int64_t winner_id, struct arena *arena,
                        struct explanation *explanation, struct background *background,
                        struct error *error);
/* The winner first. */
enum status read_points(struct store *store, int64_t winner_id, struct arena *arena,
                        struct read_point **point, size_t *count, struct error *error);
enum status read_sweep(struct store *store, int64_t winner_id, struct arena *arena,
                       struct swept **swept, size_t *count, struct error *error);

/* compare.c: fills points: times in stages that both have, differences to the winner, rates. False
 * when memory is short. */
bool compare_points(const struct read_point *read, size_t count,
                    const struct background *background, struct arena *arena,
                    struct explanation *explanation);

bool is_by_time(const struct explanation *explanation);

/* sensitivity.c: what changing a parameter of points[own], the winner, costs. False when memory is
 * short. */
bool find_sensitivities(const struct swept *points, size_t count, size_t own, struct arena *arena,
                        struct explanation *explanation);
/* Appends those of the parameters (a JSON object) in which `other` differs, as it has them:
 * "block=64 loads=8"; how many. */
size_t put_differences(struct text *text, const char *parameters, const char *other);

/* limit.c: fills limit; the sentence goes to `text`. */
void decide_limit(struct explanation *explanation, const struct background *background,
                  struct text *text);

/* sentences.c: why it wins. False when memory is short. */
bool make_sentences(struct explanation *explanation, const struct background *background,
                    struct arena *arena);

/* format.c: a sentence with numbers as people read them. Of doubles: %T a time in ns (1.27 us), %P
 * a share (0.42 %, 12.3 %, 230 %), %M how much more a time is by its share ("2.34 % more", "0.05 %
 * less", "3.45 times as long"), %B bytes (32 KiB), %N a number of three digits. %D an int64_t, %C
 * one and the noun that it counts ("1 block", "2 blocks"), %s a text. Any other one is a failure.
 */
void say(struct text *text, const char *format, ...);

#endif
