/* Writes tuned.conf from the database: the winners of all devices (docs/tuned-conf.md). For a
 * problem tuned in several environments of a device, or on several boards alike, the ranges of the
 * newest winner count, and outside of them the newest winner of each size. A line holds for the
 * sizes of a range with equal derived values. Equal winners give equal bytes. */
#ifndef TUNE_EXPORT_EXPORT_H
#define TUNE_EXPORT_EXPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/arena.h"
#include "tuner/base/error.h"
#include "tuner/base/text.h"
#include "tuner/store/store.h"

struct export_options {
    const char *objective; /* objective of the winners: "time", "energy" ...; NULL: "time" */
    bool include_unstable; /* winners whose trust is 'unstable', too */
    /* A list of kernels compiled into programs, or a tuned.conf naming some: preferred among
     * equally fast ones. NULL: the list beside the headers, if present; "": none. */
    const char *kernels;
    const char *installed; /* text of `kernels`, for internal use */
};

struct export_counts {
    size_t entries;
    size_t unstable; /* winners left out as 'unstable' */
};

/* Writes the file atomically, after libtuned has loaded the text. Returns STATUS_NO_WINNER if the
 * database has none; an existing file stays unchanged. `options` (NULL: by time, no unstable ones)
 * and `counts` may be NULL; counts are always set. */
enum status export_conf(struct store *store, const char *path, const struct export_options *options,
                        struct export_counts *counts, struct error *error);

/* Where tuned.conf has another configuration than a winner, so that few kernels serve many sizes.
 */
struct export_pick {
    int64_t winner;         /* winners.id */
    int64_t range;          /* ranges.id; -1: the size alone */
    int64_t trial;          /* trials.id of the configuration at the winner's size */
    const char *parameters; /* parameters as a JSON object */
    double loss;            /* greatest loss to the winners of the covered sizes */
};
/* Lists the picks of all winners, in the arena. Returns STATUS_OK and no picks if there is no
 * winner. */
enum status export_picks(struct store *store, const struct export_options *options,
                         struct arena *arena, struct export_pick **picks, size_t *count,
                         struct error *error);

/* Appends the file's text to `out`. */
enum status export_conf_text(struct store *store, struct text *out,
                             const struct export_options *options, struct export_counts *counts,
                             struct error *error);

#endif
