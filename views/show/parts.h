/* Parts of `tune show` that the page has, too. */
#ifndef TUNE_SHOW_PARTS_H
#define TUNE_SHOW_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/text.h"
#include "tuner/terminal/rows.h"
#include "views/explain/comparison.h"
#include "views/explain/explain.h"

/* Checks that the words are experiments or problems of the database, or beginnings of their keys,
 * and appends them as a JSON array, a query's parameter. STATUS_NOT_FOUND with the nearest word. */
enum status show_list_words(struct store *store, const char *database, const char *const *words,
                            size_t count, struct text *json, struct error *error);

/* Adds the column `throttling`, the bits of `throttle` in words. Returns false if memory is short.
 */
bool show_name_throttling(struct rows *runs);
/* Append an array as printed by `tune show --why --json` and `--compare --json`. Return false if
 * memory is short. */
bool show_append_why(struct text *out, const struct explanation *explanations, size_t count);
bool show_append_compare(struct text *out, const struct comparison *comparisons, size_t count);

#endif
