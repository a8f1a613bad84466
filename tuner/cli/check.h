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
const char *check_state_name(enum check_state state); /* "holds", "no longer holds" ... */

/* An entry of tuned.conf for the device that is being checked. */
struct check_entry {
    const struct tuned_entry *entry;
    const char *problem;
    int64_t n; /* where its evidence was measured */
    const struct experiment *experiment;
    const char *configuration; /* NULL: it is none of the experiment's */
    enum check_state state;
    char reason[CHECK_REASON_BYTES];
    bool is_stale; /* measured with something else: `stale` says what */
    char stale[TUNED_REASON_BYTES];
    bool in_doubt;               /* one process spoke against it: several are to be asked */
    bool is_confirmed;           /* several were */
    double time_ns;              /* NaN: not measured */
    double loss, low, high;      /* to the fastest, relative; NaN: unknown */
    double delta;                /* what it may lose, relative; NaN: not raced */
    const char *fastest, *named; /* its configuration, and which baselines that is; NULL: none */
};

struct check {
    struct run run; /* devices, protocol, progress */
    int64_t end_ns; /* where there is a budget: clock_running_ns when it is spent */
    const char *conf, *problem, *recorded;
    bool json;
    bool replayed; /* `recorded` may hold what was replayed */
    struct tuned *tuned;
    struct arena arena;
    struct store *known; /* of earlier runs, for the runners-up; NULL: none */
    struct store *store; /* of this one */
    const struct facts *facts;
    struct check_entry *entries; /* of the device */
    size_t entry_count;
    bool in_doubt_only; /* the second time */
    bool budget_spent;  /* it ended what was measured last */
    size_t counts[CHECK_STATES];
    size_t checked; /* of all devices */
    struct text lines;
};

/* Finds experiment and configuration of each entry; what cannot be checked is told why. */
enum status check_find(struct check *check, const char *kind, struct error *error);
/* All that are to race: the entries and who came near them in earlier runs. Belongs to the arena.
 */
enum status check_rivals(struct check *check, const char *kind, struct session_pick **out,
                         size_t *count, struct error *error);
/* Whether an entry is measured now: all that are configurations, then those in doubt. */
bool check_concerns(const struct check *check, const struct check_entry *entry);
/* Reads what was measured in that environment, and judges each entry that it concerns. What was not
 * come to, because the budget was spent, is neither right nor wrong. */
enum status check_judge(struct check *check, int64_t environment_id, struct error *error);
/* What one process alone speaks against, and nobody had time to ask others. */
void check_leave_doubts(struct check *check);
/* Counts the device's entries, and writes them to check->lines. */
void check_print(struct check *check);

#endif
