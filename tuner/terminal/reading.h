/* Databases that a command reads. */
#ifndef TUNE_TERMINAL_READING_H
#define TUNE_TERMINAL_READING_H

#include "tuner/store/store.h"

/* Opens *path for reading, as it is at this moment. If *path is DEFAULT_DATABASE and only
 * replayed.db exists here, opens that, sets *path to its name, and says so. Says also if an older
 * database is read through a copy. */
enum status reading_open(const char **path, struct store **out, struct error *error);

#endif
