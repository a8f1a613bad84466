/* Launches that a GPU refuses whatever their kernel. */
#ifndef TUNE_BASE_LIMITS_H
#define TUNE_BASE_LIMITS_H

#include "tuner/base/facts.h"
#include "tuner/base/launch.h"

/* Limits of a GPU by axis, and its SMs; 0: unknown. */
struct launch_limits {
    int64_t grid[3], block[3], sm_count;
};
struct launch_limits launch_limits(const struct facts *facts);
/* Returns whether a GPU with these limits refuses the launch, and why. active_blocks_per_sm:
 * resident blocks of the kernel on each SM; <= 0: unknown. */
bool launch_refused(const struct launch *launch, const struct launch_limits *limits,
                    int32_t active_blocks_per_sm, char *why, size_t bytes);

#endif
