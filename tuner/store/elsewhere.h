/* What a search can learn from: trials of other sizes, devices and versions. */
#ifndef TUNE_STORE_ELSEWHERE_H
#define TUNE_STORE_ELSEWHERE_H

#include "tuner/base/launch.h"
#include "tuner/store/store.h"

/* Where a search is: what is told to it is of elsewhere. */
struct store_elsewhere {
    int64_t environment_id, problem_id; /* 0: of another database */
    const char *experiment;             /* name */
    const char *key;
    int64_t n;
    const char *device_kind;
    const char *device;  /* its name */
    bool without_device; /* leaves out what devices of that name had */
    enum l2_mode l2_mode;
};
/* What the sweeps of the same experiment had: of its problem at other sizes, of its other problems,
 * and in other environments (devices of the same kind, drivers, compilers, versions). Of the
 * STORE_SOURCES_MOST nearest, by size above all, the nearest first: another problem counts as four
 * times as far, another environment as twice, and as four times where its device has another name.
 * The store may be of STORE_COPY, whatever its schema. */
enum { STORE_SOURCES_MOST = 8 };
struct store_trial_elsewhere {
    int64_t environment_id;
    int64_t problem_id;
    const char *device;     /* its name */
    const char *parameters; /* a JSON object */
    double median_ns;       /* NaN: it failed */
};
typedef enum status store_take_elsewhere(void *context, const struct store_trial_elsewhere *trial,
                                         struct error *error);
enum status store_trials_elsewhere(struct store *store, const struct store_elsewhere *here,
                                   store_take_elsewhere *take, void *context, struct error *error);

#endif
