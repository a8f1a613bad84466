/* Configurations as the store has them. */
#ifndef TUNE_EXPORT_RECALL_H
#define TUNE_EXPORT_RECALL_H

#include <stdbool.h>

#include "tuner/base/arena.h"
#include "tuner/experiment/experiment.h"

/* Reads {"block":256,...}; texts belong to the arena. *found: it is one of the experiment's, each
 * parameter with a value. STATUS_NO_MEMORY is all that fails. */
enum status recall_configuration(const struct experiment *experiment, const char *parameters,
                                 struct arena *arena, struct configuration *out, bool *found,
                                 struct error *error);

#endif
