/* Databases that a command reads. */
#ifndef TUNE_TERMINAL_READING_H
#define TUNE_TERMINAL_READING_H

#include "tuner/store/store.h"

/* Opens *path. Where that is DEFAULT_DATABASE, which nobody typed, and lies here no more than that,
 * but replayed.db does, that is read in its place, *path names it, and it is told; so is that an
 * older one is read through a copy. */
enum status reading_open(const char **path, struct store **out, struct error *error);

#endif
