/* Which symbolic links are followed: never one that somebody else could have put there to have us
 * write elsewhere. */
#ifndef TUNE_BASE_TRUST_H
#define TUNE_BASE_TRUST_H

#include <stdbool.h>

#include "tuner/base/arena.h"
#include "tuner/base/error.h"

/* Gives the path without links: `path` itself where none of its parts is one, else an absolute path
 * (the arena's) to what the links lead to. The last part need not be there. A link in a folder that
 * others may write to (/tmp) is followed only when we or the folder's owner made it; another is
 * refused with STATUS_PERMISSION, whatever the kernel's own setting for that says. */
enum status path_without_links(struct arena *arena, const char *path, const char **out,
                               struct error *error);

/* Whether somebody else than we and root may write to the file or take its place: what it says is
 * then not to be run without being asked for. A group of the user's own number counts as the user.
 */
bool path_is_open_to_others(const char *path);

/* Whether others can make files in the folder that holds `path`, though not take ours away: /tmp
 * and its like. */
bool path_is_in_open_folder(const char *path);

/* Whether anybody can take it away and put another in its place: the folder that holds it is open
 * to all, and not sticky. */
bool path_is_replaceable(const char *path);

#endif
