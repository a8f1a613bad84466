/* Numbers from environment variables. */
#ifndef TUNE_BASE_ENVIRONMENT_H
#define TUNE_BASE_ENVIRONMENT_H

#include <stdint.h>

#include "tuner/base/error.h"

/* The decimal number in the variable, `otherwise` where it is unset or empty. Anything else, or a
 * number out of [low, high], is STATUS_BAD_INPUT and names the variable. */
enum status environment_integer(const char *name, int64_t low, int64_t high, int64_t otherwise,
                                int64_t *out, struct error *error);

#endif
