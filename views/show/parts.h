/* Parts of `tune show --json`, drawn by the page. */
#ifndef TUNE_SHOW_PARTS_H
#define TUNE_SHOW_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/text.h"
#include "views/explain/comparison.h"
#include "views/explain/explain.h"

/* Append an array as printed by `tune show --why --json` and `--compare --json`. Return false if
 * memory is short. */
bool show_append_why(struct text *out, const struct explanation *explanations, size_t count);
bool show_append_compare(struct text *out, const struct comparison *comparisons, size_t count);

#endif
