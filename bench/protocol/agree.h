/* Between the files of the command agree. */
#ifndef TUNE_BENCH_PROTOCOL_AGREE_H
#define TUNE_BENCH_PROTOCOL_AGREE_H

#include "bench/protocol/bench.h"

enum way { WAY_MEAN7, WAY_STDREL, WAY_RACE, WAY_TIES, WAYS };

/* One verdict of one way of choosing. */
struct verdict_of_way {
    size_t winner;
    bool tied[CANDIDATES_MAX]; /* tied with the winner, which is included */
    double seconds;            /* of measuring */
    size_t measured;           /* samples or rounds, of all candidates together */
    bool timed_out;            /* WAY_STDREL: some candidate reached its time limit */
};

/* The candidates of one size. */
struct candidates {
    int64_t n;
    struct entry *entries;
    size_t count;
    size_t order[CANDIDATES_MAX]; /* place of each in the fixed order */
    struct verdict_of_way verdicts[REPEATS_MAX][WAYS];
    double levels[REPEATS_MAX][CANDIDATES_MAX]; /* reference: ln relative to candidate 0 */
    double regret[CANDIDATES_MAX];              /* loss by all of them; NaN without */
};

/* Makes the field: the fastest of a screen. Entries are the bench's arena's. agree_field.c */
enum status field_make(struct bench *bench, int64_t n, struct candidates *out, struct error *error);

/* Chooses by all ways once, in this process. The worker already has the problem. agree_ways.c */
enum status field_choose(struct bench *bench, struct candidates *field, size_t repeat,
                         struct error *error);

/* agree_report.c */
void agree_write(struct bench *bench, const struct candidates *fields, size_t count);
void agree_print(const struct bench *bench, const struct candidates *fields, size_t count);

#endif
