/* Names of tuned.conf as C has them. */
#ifndef TUNE_EXPORT_HEADER_NAMES_H
#define TUNE_EXPORT_HEADER_NAMES_H

#include <stdbool.h>

#include "tuner/base/arena.h"

/* A word that C and C++ take for a name, and that is none of their own. */
bool header_is_identifier(const char *word);
/* "cache.mode" is cache_mode; words of the language get a '_' behind. NULL: memory is short. */
const char *header_identifier(struct arena *arena, const char *name);
/* Whether the name is one of those that commas part; `names` may be NULL. */
bool header_lists(const char *names, const char *name);

#endif
