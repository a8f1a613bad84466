/* Between the files of tune check. */
#ifndef TUNE_CLI_CHECK_H
#define TUNE_CLI_CHECK_H

#include "libtuned/tuned.h"
#include "tuner/base/arena.h"
#include "tuner/base/array.h"
#include "tuner/cli/run.h"

enum { CHECK_REASON_BYTES = 1024 };

enum check_state { CHECK_HOLDS, CHECK_STALE, CHECK_BEATEN, CHECK_UNKNOWN, CHECK_NO_TIME };
enum { CHECK_STATES = CHECK_NO_TIME + 1 };

/* An entry of tuned.conf for the device that is being checked. */
struct check_entry {
    const struct tuned_entry *entry;
    const char *problem;
    int64_t n; /* size at which the evidence was measured */
    const struct experiment *experiment;
    const char *configuration; /* NULL: the experiment has no such configuration */
    enum check_state state;
    char reason[CHECK_REASON_BYTES];
    bool is_stale; /* measured with another version of the part named in `stale` */
    char stale[TUNED_REASON_BYTES];
    bool in_doubt;               /* one process spoke against the entry: several decide */
    bool is_confirmed;           /* several were */
    double time_ns;              /* NaN: not measured */
    double loss, low, high;      /* to the fastest, relative; NaN: unknown */
    double delta;                /* permitted loss, relative; NaN: not raced */
    const char *fastest, *named; /* configuration, and the baselines with that one; NULL: none */
};

struct check {
    struct run run; /* devices, protocol, progress */
    int64_t end_ns; /* end of the budget by clock_running_ns */
    const char *conf, *problem, *recorded;
    bool json;
    bool replayed; /* whether `recorded` may hold replayed numbers */
    struct tuned *tuned;
    struct arena arena;
    struct store *known; /* database of earlier runs, for runners-up; NULL: none */
    struct store *store; /* database of this run */
    const struct facts *facts;
    struct check_entry *entries; /* entries of the device */
    size_t entry_count;
    bool in_doubt_only; /* the second time */
    bool budget_spent;  /* the budget ended the last measurement */
    size_t counts[CHECK_STATES];
    size_t checked; /* entries of all devices */
    struct text lines;
};

/* Finds experiment and configuration of each entry; entries that cannot be checked get a reason. */
enum status check_find(struct check *check, const char *kind, struct error *error);
/* Collects the contestants: entries and runners-up of earlier runs. Belongs to the arena. */
enum status check_rivals(struct check *check, const char *kind, struct session_pick **out,
                         size_t *count, struct error *error);
/* Tells whether an entry is measured now: first every configuration, later those in doubt. */
bool check_concerns(const struct check *check, const struct check_entry *entry);
/* Reads the measurements of that environment, and judges each entry measured now. Entries that the
 * budget left unmeasured are neither right nor wrong. */
enum status check_judge(struct check *check, int64_t environment_id, struct error *error);
/* Marks entries as out of time that only one process found beaten, when no time was left to ask
 * others. */
void check_leave_doubts(struct check *check);
/* Counts the device's entries, and writes a line each to check->lines. */
void check_print(struct check *check);

#endif
