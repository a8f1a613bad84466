/* Compares two environments, an experiment before and after a change, or two databases: the
 * differences (board, driver, compiler, version), the winners that moved, by how much, and whether
 * that exceeds noise. From databases alone; by time. */
#ifndef TUNE_EXPLAIN_COMPARISON_H
#define TUNE_EXPLAIN_COMPARISON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/arena.h"
#include "tuner/base/error.h"
#include "tuner/store/store.h"

/* A device and its software. */
struct comparison_side {
    int64_t environment_id;
    const char *device, *uuid, *driver, *compiler, *tool_version, *host;
    const char *day;      /* day when its last winner was chosen: "2026-11-21" */
    const char *database; /* database's name; NULL: only one database */
};

/* How the winners' times differ. */
enum time_change {
    TIME_UNKNOWN, /* interval unknown, or a verdict is unstable */
    TIME_ALIKE,   /* not shown to differ by more than a tie */
    TIME_FASTER,
    TIME_SLOWER,
};
/* Outcome of the first side's winner on the second side. */
enum winner_move {
    WINNER_SAME,    /* won there, too, or launches equally */
    WINNER_AS_FAST, /* another won; shown to be as fast in shared rounds */
    WINNER_SLOWER,  /* another won; shown to be slower there */
    WINNER_OPEN,    /* another won; neither is shown */
    WINNER_ONCE,    /* another won; timed once, in the sweep */
    WINNER_UNTRIED, /* another won; no time there */
};

/* A problem with a winner on both sides. Unknown reals are NaN. */
struct compared_winner {
    const char *experiment, *problem, *l2_mode;
    int64_t n;
    const char *a_configuration, *b_configuration;
    const char *a_parameters, *b_parameters; /* the configurations as JSON objects */
    const char *a_trust, *b_trust;           /* "sound", "noisy", "unstable"; NULL: unknown */
    double a_ns, a_low_ns, a_high_ns;
    double b_ns, b_low_ns, b_high_ns;
    double a_delta, b_delta; /* delta: the difference that counts as none, relative */
    bool same, redefined;    /* redefined: the experiment's meaning of a trial had changed */
    double carried, carried_low,
        carried_high;           /* time of a's winner at b over b's, from shared rounds */
    double carried_once;        /* the ratio of two trials of the sweep */
    const char *carried_status; /* a's winner at b: "ok", else the reason; NULL: not tried */
    /* Made of these: */
    double ratio, ratio_low, ratio_high; /* b's time over a's; the bounds of the intervals' ends */
    enum time_change change;
    enum winner_move move;
    double loss, loss_low,
        loss_high;           /* loss of a's winner at b, relative; bounds from shared rounds */
    const char *differences; /* parameters of b's winner: "block=512 loads=8"; "": none */
};

struct comparison {
    struct comparison_side a, b; /* a came first, or is the device that was recorded first */
    const char *device_kind;
    int64_t
        a_place; /* 2: a's winners are those before an experiment was changed, of b's environment */
    struct compared_winner *winners; /* sorted by experiment, problem, n */
    size_t winner_count;
    const char *names[2];     /* the sides in sentences: "before" and "now", or devices' names */
    const char *sentences[4]; /* changes; times; winners; caution. NULL behind the last */
    size_t sentence_count;
};

/* Computes change, move and the numbers behind both from the values read. */
void judge_winner(struct compared_winner *winner);

/* A request to compare. Texts are borrowed while the comparisons are in use. */
struct comparison_request {
    struct store *store;
    struct store *before; /* another database with earlier measurements; NULL: none */
    const char *database; /* names of the two databases */
    const char *before_database;
    const char *words; /* a JSON array of experiment names and problem keys; NULL: all */
    const char *n;     /* one size; NULL: all */
};

/* Makes all comparisons of a database: each device's environments in order, changed experiments,
 * then devices of one kind. With `before`: each device's newest environment beside that of the same
 * device there, else of a device with the same name, else of the same kind. Arena memory. *count
 * may be 0. */
enum status explain_comparisons(const struct comparison_request *request, struct arena *arena,
                                struct comparison **comparisons, size_t *count,
                                struct error *error);

#endif
