/* Options from the file tune.yaml in the current folder or the nearest one above, else of
 * $XDG_CONFIG_HOME/tune (~/.config/tune). One file is read, never two. */
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

/* Adds the file's options in front of the command's arguments, which later ones replace; all in the
 * arena. Names the added options and the file on standard error. A file that is another user's, or
 * that others may write, is left out; one with an unknown option is STATUS_BAD_INPUT. */
enum status defaults_add(struct arena *arena, const struct command *command, int argc, char **argv,
                         struct defaults *out, struct error *error);

#endif
