/* Launches that a GPU does not take, whatever their kernel. */
#ifndef TUNE_BASE_LIMITS_H
#define TUNE_BASE_LIMITS_H

#include "tuner/base/facts.h"
#include "tuner/base/launch.h"

/* Limits of a GPU by axis, and its SMs; 0: not known. */
struct launch_limits {
    int64_t grid[3], block[3], sm_count;
};
struct launch_limits launch_limits(const struct facts *facts);
/* Whether a GPU of these limits does not take it, given how many blocks of its kernel are resident
 * on each SM: `why` says what is wrong with its grid or block. active_blocks_per_sm <= 0: not
 * known. */
bool launch_refused(const struct launch *launch, const struct launch_limits *limits,
                    int32_t active_blocks_per_sm, char *why, size_t bytes);

#endif
