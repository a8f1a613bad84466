/* Between the files of tune show --why. */
#ifndef TUNE_CLI_SHOW_WHY_H
#define TUNE_CLI_SHOW_WHY_H

#include "tuner/cli/show.h"
#include "tuner/explain/explain.h"

/* An array with one object a winner, to stdout. */
enum status show_why_json(const struct explanation *explanations, size_t count,
                          struct error *error);

#endif
