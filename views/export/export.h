/* tuned.conf from the database: the winners of all its devices (docs/tuned-conf.md). For a problem
 * that was tuned in several environments of a device, or on several boards that are alike, the
 * ranges of sizes that go with its newest winner count, and outside of them the newest winner of
 * each size. A line holds for the sizes of a range at which the derived values are the same. Equal
 * winners give equal bytes. */
#ifndef TUNE_EXPORT_EXPORT_H
#define TUNE_EXPORT_EXPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/arena.h"
#include "tuner/base/error.h"
#include "tuner/base/text.h"
#include "tuner/store/store.h"

struct export_options {
    const char *objective; /* winners by what: "time", "energy" ...; NULL: "time" */
    bool include_unstable; /* winners whose trust is 'unstable', too */
    /* A list of kernels that programs have compiled in, or a tuned.conf that names some: these are
     * preferred among those that are as fast. NULL: the list beside the headers, if it is there;
     * "": none. */
    const char *kernels;
    const char *installed; /* what it says, for the room itself */
};

struct export_counts {
    size_t entries;
    size_t unstable; /* winners that were left out because they are 'unstable' */
};

/* Writes the file atomically, after libtuned has read it without complaint. STATUS_NO_WINNER when
 * the database has none to write: a file that is there is then left alone. `options` (NULL: by
 * time, nothing unstable) and `counts` may be NULL; the counts are set even then. */
enum status export_conf(struct store *store, const char *path, const struct export_options *options,
                        struct export_counts *counts, struct error *error);

/* Where tuned.conf has another configuration than a winner, so that few kernels serve many sizes.
 */
struct export_pick {
    int64_t winner;         /* winners.id */
    const char *parameters; /* what it has, as a JSON object */
    double loss;            /* relative, to the winners of the sizes that have it, at most */
};
/* Of all winners that it has; in the arena. STATUS_OK and none where there is no winner. */
enum status export_picks(struct store *store, const struct export_options *options,
                         struct arena *arena, struct export_pick **picks, size_t *count,
                         struct error *error);

/* The same as a text, appended to `out`. */
enum status export_conf_text(struct store *store, struct text *out,
                             const struct export_options *options, struct export_counts *counts,
                             struct error *error);

#endif
