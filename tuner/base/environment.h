/* Numbers from environment variables. */
#ifndef TUNE_BASE_ENVIRONMENT_H
#define TUNE_BASE_ENVIRONMENT_H

#include <stdint.h>

#include "tuner/base/error.h"

/* Reads a decimal number from the variable; `otherwise` if the variable is unset or empty. Any
 * other text, or a number out of [low, high], is STATUS_BAD_INPUT with a message that names the
 * variable. */
enum status environment_integer(const char *name, int64_t low, int64_t high, int64_t otherwise,
                                int64_t *out, struct error *error);

#endif
