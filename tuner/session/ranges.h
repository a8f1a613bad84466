/* Few configurations for all sizes of a problem, looked at between the sizes. */
#ifndef TUNE_SESSION_RANGES_H
#define TUNE_SESSION_RANGES_H

#include "tuner/session/work.h"

/* Covers the sizes of each requested problem key that has a new winner, or no valid ranges. */
enum status group_ranges(struct group *group, const struct session_experiment *at,
                         int64_t experiment_id, const struct objective *objective,
                         struct error *error);

#endif
