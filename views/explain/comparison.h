/* Two environments side by side, or one before and after an experiment was changed, or as two
 * databases have it: what changed between them (board, driver, compiler, version), which winners
 * moved, by how much, and whether that is more than noise. Out of the databases alone; by time. */
#ifndef TUNE_EXPLAIN_COMPARISON_H
#define TUNE_EXPLAIN_COMPARISON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/arena.h"
#include "tuner/base/error.h"
#include "tuner/store/store.h"

/* A device with the software around it. */
struct comparison_side {
    int64_t environment_id;
    const char *device, *uuid, *driver, *compiler, *tool_version, *host;
    const char *day;      /* on which its last winner was chosen: "2026-11-21" */
    const char *database; /* that it is of; NULL: there is one */
};

/* How the winners' times differ. */
enum time_change {
    TIME_UNKNOWN, /* an interval says nothing, or a verdict is unstable */
    TIME_ALIKE,   /* not shown to differ by more than what counts as a tie */
    TIME_FASTER,
    TIME_SLOWER,
};
/* What became of the first side's winner at the second. */
enum winner_move {
    WINNER_SAME,    /* it won there, too, or launches the same as what did */
    WINNER_TIED,    /* another won, and it is not shown to be slower */
    WINNER_LOSES,   /* another won, and it is shown to be slower, in rounds that both were in */
    WINNER_ONCE,    /* another won; it was timed once, in the sweep */
    WINNER_UNTRIED, /* another won; it has no time there */
};

/* A problem that both have a winner for. Reals are NaN where they are not known. */
struct compared_winner {
    const char *experiment, *problem, *l2_mode;
    int64_t n;
    const char *a_configuration, *b_configuration;
    const char *a_parameters, *b_parameters; /* the same as JSON objects */
    const char *a_trust, *b_trust;           /* "sound", "noisy", "unstable"; NULL: unknown */
    double a_ns, a_low_ns, a_high_ns;
    double b_ns, b_low_ns, b_high_ns;
    double a_delta, b_delta; /* what counts as a tie, relative */
    bool same, redefined;    /* redefined: the experiment's meaning of a trial had changed */
    double carried, carried_low,
        carried_high;           /* what a's winner takes at b over b's, of shared rounds */
    double carried_once;        /* the same of two trials of the sweep */
    const char *carried_status; /* of a's winner at b: "ok", else why; NULL: it was not tried */
    /* Made of these: */
    double ratio, ratio_low, ratio_high; /* b's time over a's; the bounds of the intervals' ends */
    enum time_change change;
    enum winner_move move;
    double loss, loss_low,
        loss_high;           /* of a's winner at b, relative; bounds where rounds were shared */
    const char *differences; /* of b's winner: "block=512 loads=8"; "": none */
};

struct comparison {
    struct comparison_side a, b; /* a came first, or is the device that was recorded first */
    const char *device_kind;
    int64_t
        a_place; /* 2: a's winners are those before an experiment was changed, of b's environment */
    struct compared_winner *winners; /* by experiment, problem, n */
    size_t winner_count;
    const char *names[2]; /* of the sides in sentences: "before" and "now", or two devices' names */
    const char *sentences[4]; /* what changed; times; winners; what not to conclude. Fewer: NULL */
    size_t sentence_count;
};

/* Fills change, move and what they rest on, of what the database has. */
void judge_winner(struct compared_winner *winner);

/* "faster", "slower", "alike", "unknown"; "same", "tied", "loses", "timed once", "not tried". */
const char *time_change_name(enum time_change change);
const char *winner_move_name(enum winner_move move);

/* What is compared. Texts are borrowed for as long as the comparisons are used. */
struct comparison_request {
    struct store *store;
    struct store *before; /* another database, which has what was measured before; NULL: none */
    const char *database; /* their names, where there are two */
    const char *before_database;
    const char *words; /* a JSON array of experiment names and problem keys; NULL: all */
    const char *n;     /* one size; NULL: all */
};

/* All that a database has to compare: each device's environments in their order, changed
 * experiments, then devices of one kind. With `before`: each device's newest environment beside the
 * same device's of that database, else a device's of the same name, else of the same kind. Belongs
 * to the arena. None: *count is 0. */
enum status explain_comparisons(const struct comparison_request *request, struct arena *arena,
                                struct comparison **comparisons, size_t *count,
                                struct error *error);

#endif
