/* tuned.conf from the database: the winners of all its devices (docs/tuned-conf.md). For a problem
 * and size that was tuned in several environments of a device, or on several boards that are alike,
 * the newest winner counts. Equal winners give equal bytes. */
#ifndef TUNE_EXPORT_EXPORT_H
#define TUNE_EXPORT_EXPORT_H

#include <stddef.h>

#include "tuner/base/error.h"
#include "tuner/base/text.h"
#include "tuner/store/store.h"

/* Writes the file atomically, after libtuned has read it without complaint. STATUS_NO_WINNER when
 * the database has no winner: a file that is there is then left alone. */
enum status export_conf(struct store *store, const char *path, struct error *error);

/* The same as a text, appended to `out`. `entries` (may be NULL) is set to the number of entries.
 */
enum status export_conf_text(struct store *store, struct text *out, size_t *entries,
                             struct error *error);

#endif
