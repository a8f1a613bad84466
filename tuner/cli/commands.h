/* Declarations shared by the files of the room: the commands, and helpers of several. */
#ifndef TUNE_CLI_COMMANDS_H
#define TUNE_CLI_COMMANDS_H

#include "tuner/base/arena.h"
#include "tuner/terminal/command.h"

struct capture;
struct experiment_list;

extern const struct command command_run;
extern const struct command command_init;
extern const struct command command_devices;
extern const struct command command_plot;
extern const struct command command_report;
extern const struct command command_watch;
extern const struct command command_export;
extern const struct command command_check;
extern const struct command command_hash;
extern const struct command command_merge;
extern const struct command command_import;
extern const struct command command_capture;
extern const struct command command_ab;
extern const struct command command_apply;

/* Writes the page of `tune report`, as `tune run` does in the end. */
enum status report_write_of(const char *database, const char *output, struct error *error);

/* Options from the file tune.yaml in the current folder or the nearest one above, else of
 * $XDG_CONFIG_HOME/tune (~/.config/tune). One file is read, never two. */
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

/* The hidden command behind the shells' completion: `tune __complete WORD...`, the words of a
 * command line after `tune`, of which the last is being typed. Prints the candidates for this word,
 * one per line: "WORD", or "WORD<tab>description"; then, where files are possible, ":files" with
 * the endings of those that fit (":files db"; none: any), or ":folders". */
void complete(const struct command *const *commands, size_t command_count, int word_count,
              char *const *words);

/* Keeps, of the selected problems, the misses in list->record, at their sizes; gives experiments
 * the sizes that they lack; orders all by the number of look-ups, the most first, experiments by
 * their first problem. Prints the selection, and the misses of no experiment. STATUS_NOT_FOUND if
 * all misses are of other problems. */
enum status misses_select(struct experiment_list *list, struct error *error);

/* Lists the launches on stdout. `command`: the program and its arguments, for the suggested next
 * line; NULL: those of the capture's first program. `path`: of the written file; NULL: none. */
enum status capture_list(const struct capture *capture, const char *const *command,
                         const char *path, struct error *error);

/* Runs a shell command, and keeps launches of the kernel in `output`; prints no list. *ran_ns: the
 * time that the command took. */
enum status capture_kernel(const char *command, const char *kernel, const char *output,
                           int64_t *ran_ns, struct error *error);

#endif
