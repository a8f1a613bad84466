/* The commands that are files of this folder. */
#ifndef TUNE_CLI_COMMANDS_H
#define TUNE_CLI_COMMANDS_H

#include "tuner/terminal/command.h"

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
enum status report_write_of(const char *database, const char *output, bool no_figures,
                            struct error *error);

#endif
