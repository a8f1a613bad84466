/* Which configuration is tried next. A strategy is a file here and a row in the table of search.c;
 * it sees numbers only. */
#ifndef TUNE_SEARCH_SEARCH_H
#define TUNE_SEARCH_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/error.h"

struct search;

/* Over points 0 .. count - 1. "exhaustive": all of them, in an order drawn from the seed. Unknown
 * strategy: STATUS_USAGE with the nearest name. Freed by search_free. */
enum status search_create(const char *strategy, size_t count, uint64_t seed, struct search **out,
                          struct error *error);
void search_free(struct search *search);

/* The next point; false when there is none (for now: results may bring more). A point is asked for
 * once. */
bool search_ask(struct search *search, size_t *point);
/* What became of a point: its time, or NaN when it has none. Any order. */
void search_tell(struct search *search, size_t point, double elapsed_ns);

#endif
