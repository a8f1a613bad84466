/* Running a program with a library of ours in front (`tune capture`, `tune apply`). */
#ifndef TUNE_CLI_PRELOAD_H
#define TUNE_CLI_PRELOAD_H

#include "tuner/base/arena.h"
#include "tuner/base/process.h"
#include "tuner/base/temporary.h"

/* Finds the library: $TUNE_CAPTURE_LIBRARY, or the one installed or built with this program. */
enum status preload_library(struct arena *arena, const char **out, struct error *error);
/* Makes a folder for the files of processes: beside the final file, or (NULL) where temporary files
 * go. Absolute, as the program may change its folder. */
enum status preload_folder(const char *output, struct arena *arena, struct temporary *folder,
                           struct error *error);

/* Runs a program in our place: our files, our terminal, our process group. `words`: the program and
 * its arguments, NULL behind the last; `library` NULL: without one; `output`: a descriptor in place
 * of our standard output, -1: none. *wait_status as from waitpid. */
enum status preload_run(const char *const *words, const char *library,
                        const struct process_variable *variables, size_t count, int output,
                        int *wait_status, struct error *error);
/* Sets the error of a program without launches, with likely causes. wait_status: the end. */
enum status preload_no_launch(const char *program, int wait_status, struct error *error);

#endif
