/* Options that nobody typed: of the file tune.yaml in the current folder or the nearest one above
 * it, else of $XDG_CONFIG_HOME/tune (~/.config/tune). One file is read, never two. */
#ifndef TUNE_CLI_DEFAULTS_H
#define TUNE_CLI_DEFAULTS_H

#include "tuner/base/arena.h"
#include "tuner/base/error.h"
#include "tuner/cli/commands.h"

#define DEFAULTS_FILE "tune.yaml"

struct defaults {
    int argc;
    char **argv; /* as main's, ending in NULL */
};

/* The command's arguments with those of the file in front, which later ones replace; all in the
 * arena. Says on standard error which ones it took and where from. A file that is another user's,
 * or that others may write, is left out; one that names an unknown option is STATUS_BAD_INPUT. */
enum status defaults_add(struct arena *arena, const struct command *command, int argc, char **argv,
                         struct defaults *out, struct error *error);

#endif
