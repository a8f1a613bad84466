/* Configurations as the store has them. */
#ifndef TUNE_EXPORT_RECALL_H
#define TUNE_EXPORT_RECALL_H

#include <stdbool.h>

#include "tuner/base/arena.h"
#include "tuner/experiment/experiment.h"

/* Reads {"block":256,...}; texts belong to the arena. False when it is none of the experiment's, or
 * memory is short. */
bool recall_configuration(const struct experiment *experiment, const char *parameters,
                          struct arena *arena, struct configuration *out);

#endif
