/* Between the files of tune show --why. */
#ifndef TUNE_CLI_SHOW_WHY_H
#define TUNE_CLI_SHOW_WHY_H

#include "tuner/cli/show.h"
#include "tuner/explain/explain.h"

/* Its points beside one another, out of the rows [first, first + point_count) of `points`. */
enum status show_why_table(const struct explanation *explanation, const struct rows *points,
                           size_t first, struct error *error);
/* An array with one object per winner, to stdout. */
enum status show_why_json(const struct explanation *explanations, size_t count,
                          struct error *error);

#endif
