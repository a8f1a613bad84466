/* What a search can learn from: trials of other sizes, devices and versions. */
#ifndef TUNE_STORE_ELSEWHERE_H
#define TUNE_STORE_ELSEWHERE_H

#include "tuner/base/launch.h"
#include "tuner/store/store.h"

/* What the sweeps of the same key had at other sizes and in other environments (devices of the same
 * kind, drivers, compilers, versions): of the STORE_SOURCES_MOST nearest in size, with those of the
 * environment itself first. */
enum { STORE_SOURCES_MOST = 8 };
struct store_trial_elsewhere {
    int64_t environment_id;
    int64_t problem_id;
    const char *parameters; /* a JSON object */
    double median_ns;       /* NaN: it failed */
};
typedef enum status store_take_elsewhere(void *context, const struct store_trial_elsewhere *trial,
                                         struct error *error);
enum status store_trials_elsewhere(struct store *store, int64_t environment_id, int64_t problem_id,
                                   enum l2_mode mode, store_take_elsewhere *take, void *context,
                                   struct error *error);

#endif
