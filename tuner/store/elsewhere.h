/* Trials of other sizes, devices and versions, which a search learns from. */
#ifndef TUNE_STORE_ELSEWHERE_H
#define TUNE_STORE_ELSEWHERE_H

#include "tuner/base/launch.h"
#include "tuner/store/store.h"

/* Place of the search that asks for these trials. */
struct store_elsewhere {
    int64_t environment_id, problem_id; /* 0: the other database's */
    const char *experiment;             /* experiment's name */
    const char *key;
    int64_t n;
    const char *device_kind;
    const char *device;  /* device's name */
    bool without_device; /* leave out trials of devices with that name */
    enum l2_mode l2_mode;
};
/* Reads the sweep trials of the same experiment at other sizes, for other problems, and in other
 * environments (devices of the same kind, drivers, compilers, versions): those of the
 * STORE_SOURCES_MAX nearest sources, nearest first. Distance is the ratio of sizes; times four for
 * another problem, times two for another environment, times four if its device has another name.
 * The store may be a STORE_COPY of any schema. */
enum { STORE_SOURCES_MAX = 8 };
struct store_trial_elsewhere {
    int64_t environment_id;
    int64_t problem_id;
    const char *device;     /* device's name */
    const char *parameters; /* JSON object */
    double median_ns;       /* NaN: failed */
};
typedef enum status store_take_elsewhere(void *context, const struct store_trial_elsewhere *trial,
                                         struct error *error);
enum status store_trials_elsewhere(struct store *store, const struct store_elsewhere *here,
                                   store_take_elsewhere *take, void *context, struct error *error);

#endif
