/* Between the files of tune run. */
#ifndef TUNE_CLI_RUN_H
#define TUNE_CLI_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/text.h"
#include "tuner/cli/commands.h"
#include "tuner/cli/experiments.h"
#include "tuner/cli/hosts.h"
#include "tuner/cli/progress.h"
#include "tuner/cli/replay.h"
#include "tuner/cli/replays.h"
#include "tuner/device/device.h"
#include "tuner/session/session.h"

enum { RUN_DEVICES_MAX = SESSION_DEVICES_MAX, RUN_OBJECTIVE_BYTES = 512 };

/* Texts of the command line. */
struct run_text {
    const char *device;
    const char *database;
    const char *conf;   /* NULL: not given */
    const char *report; /* likewise */
    const char *port;   /* port of --watch; NULL: one of the usual ports */
    const char *l2, *as;
    const char *seed;
    const char *sizes;
    const char *recorded; /* record of look-ups */
    const char *jobs;
    const char *retry;
    const char *effort;
    const char *budget;
    const char *points;
    const char *until;
    const char *loss;
    const char *prior;
    const char *strategy;
    struct option_list set;
    const char *dialect;
    const char *binary, *kernel; /* a capture, and the name of a kernel */
    const char *architecture;    /* architecture of --dry-run; NULL: the present device's */
    bool dry_run;
    bool default_only; /* --dry-run: compile only the default configuration */
    bool all;          /* --dry-run: compile every point, not a sample */
    bool list_protocol;
    bool list_strategies;
    bool show_experiment;
    bool watch;
    bool quiet;
    bool no_report;
};

struct run_device {
    const struct device_api *api;
    int index; /* RUN_EVERY_DEVICE: all of a host's devices, once connected */
};
enum { RUN_EVERY_DEVICE = -1 };

struct run {
    struct run_text text;
    struct session_options session;
    unsigned issues;                     /* bits of --as (1 << issue); 0: as each experiment says */
    char objective[RUN_OBJECTIVE_BYTES]; /* as stored */
    int64_t started_ns;
    int64_t budget_ns; /* budget of all kinds of device together; 0: none */
    double loss;       /* share of --loss; 0: the protocol's */
    struct run_device devices[RUN_DEVICES_MAX];
    size_t device_count;
    struct host_list hosts;
    struct experiment_list experiments;
    char unsupported[ERROR_TEXT_BYTES]; /* reason from the summary of the first kind with one */
    struct {
        size_t problems, without_winner, left_out, trials;
        size_t failed[TRIAL_STATUS_COUNT]; /* in earlier runs, too */
        bool goes_on;                      /* repeating the command measures more */
        char step[VERDICT_REASON_BYTES];   /* else the suggested step; "": none */
    } ending;                              /* totals of all kinds, for the last line */
    bool several_issues;                   /* launches were issued otherwise than in a graph */
    bool others_won;                       /* some host has winners, even if another model failed */
    struct replay replay;                  /* recording of `--device replay` */
    struct progress_view view;
    struct watch *watch;    /* server of --watch's page; NULL: none */
    struct text command;    /* the command as typed, quoted for a shell */
    struct unpacked binary; /* the experiment of --binary */
};

/* Reads the command line into a zeroed run, including devices and experiments. STATUS_DONE: --help,
 * a list or --show-experiment was answered, or nothing was missed. The experiments are freed by
 * experiments_free. */
enum status run_parse(const struct command *command, int argc, char **argv, struct run *run,
                      struct error *error);

/* Notes the command for the database: argv[0] is the command's name, or the program's where none
 * was typed. The caller frees run->command. */
enum status run_note_command(struct run *run, const struct command *command, int argc, char **argv,
                             struct error *error);

/* Reads --as, --effort (`usual`: where not given) and --budget. */
enum status run_parse_measuring(struct run *run, enum effort usual, struct error *error);

/* Finds the requested devices; GPUs are counted by a child process. Opens the hosts, which
 * hosts_close ends. */
enum status run_parse_devices(struct run *run, struct error *error);

/* Returns what to do with the experiments where there is no GPU. */
const char *run_without_gpu(const struct run *run);

/* Tells whether devices of the kind are to be tuned. */
bool run_is_meant(const struct run *run, const struct device_api *api);
/* Selects the experiments of a kind that are to be timed with this issue of launches, borrowed;
 * returns their number. *issues: bits (1 << issue) of all of the kind. */
size_t run_experiments(const struct run *run, const char *kind, enum issue issue,
                       struct session_experiment out[EXPERIMENTS_MAX], unsigned *issues);
/* Finds the issue of launches of a kind's session; `turn` counts from 0 to RUN_TURNS - 1. In the
 * last, the first of several issues comes again, to try the others' winners. Returns false if the
 * turn has no session. */
enum { RUN_TURNS = ISSUES + 1 };
bool run_turn(const struct run *run, const char *kind, size_t turn, enum issue *issue);
/* Counts the sessions still to come: from this kind of device (of device_kinds) and turn on. */
int64_t run_sessions_left(const struct run *run, size_t first, size_t turn);

/* Returns the protocol for devices of `kind`: the effort's, changed by --set. */
enum status run_protocol(const struct run *run, const char *kind, struct protocol *out,
                         struct error *error);
/* Checks --set for every kind of device. */
enum status run_check_protocol(const struct run *run, struct error *error);
/* Prints the protocol's numbers with descriptions to stdout. */
enum status run_list_protocol(const struct run *run, struct error *error);

/* Lets the first Ctrl-C end a session after the trial in flight, through the returned `stop`; time
 * limits pause while the program is stopped. */
const volatile sig_atomic_t *run_catch_signals(void);

#endif
