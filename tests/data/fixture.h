/* Between the files of make_fixture. */
#ifndef TUNE_TESTS_DATA_FIXTURE_H
#define TUNE_TESTS_DATA_FIXTURE_H

#include "tuner/store/store.h"

enum { SM_COUNT = 100, CONFIGURATIONS_MAX = 256, FINALISTS = 4, SAMPLES = 6 };

struct shape {
    const char *variant;
    int64_t block, blocks_per_sm, vector, loads;
    int64_t configuration_id;
    int64_t grid;
    double time_ns; /* NaN: failed */
    int64_t trial_id, same_as;
};

struct fixture {
    struct store *store;
    struct error error;
    int64_t environment_id, experiment_id, run_id;
    struct shape shapes[CONFIGURATIONS_MAX];
    size_t shape_count;
};

/* Ends the program when a call failed. */
void must(struct fixture *f, enum status status);

/* Data behind a choice. `finalists`: FINALISTS of the space, then the baselines. */
struct choice {
    const char *problem_key;
    int64_t problem_id, n;
    const struct shape *finalists[FINALISTS + 2];
    size_t count;
    const struct shape *winner;
};
/* Rounds of the race and of two processes that confirmed, contenders, and the winner. */
void put_choice(struct fixture *f, const struct choice *choice);
/* Stores two ranges over the three sizes of a problem key: the second has the larger two. */
void put_ranges(struct fixture *f, const char *problem_key, const int64_t sizes[3],
                const int64_t configuration_ids[3]);

#endif
