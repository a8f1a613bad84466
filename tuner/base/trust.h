/* Rules for symbolic links: a link that another user could have placed to redirect our output is
 * never followed. */
#ifndef TUNE_BASE_TRUST_H
#define TUNE_BASE_TRUST_H

#include <stdbool.h>
#include <sys/types.h>

#include "tuner/base/arena.h"
#include "tuner/base/error.h"

/* Resolves links: returns `path` itself when no part is a link, else an absolute path (the arena's)
 * to the target. The last part need not exist. A link in a folder that others may write to (/tmp)
 * is followed only when we or the folder's owner made it; any other is refused with
 * STATUS_PERMISSION, whatever the kernel's own setting. */
enum status path_without_links(struct arena *arena, const char *path, const char **out,
                               struct error *error);

/* Returns whether another user than this one and root may write to the file or replace it, so that
 * its contents must not be run without confirmation. A group with the user's own number counts as
 * the user. */
bool path_is_open_to_others(const char *path);

/* Returns the mode of the path's folder; 0: the folder is not there. */
mode_t path_folder_mode(const char *path);

/* Returns whether others can replace the file: its folder is open to all, and not sticky. */
bool path_is_replaceable(const char *path);

#endif
