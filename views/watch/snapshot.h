/* Served data, read from the database, which is opened for each reading only. */
#ifndef TUNE_WATCH_SNAPSHOT_H
#define TUNE_WATCH_SNAPSHOT_H

#include "tuner/base/error.h"
#include "tuner/base/text.h"

/* Appends the JSON object of db/queries/watch.sql, and a revision that changes with the page. */
enum status snapshot_live(const char *database, struct text *json, struct text *revision,
                          struct error *error);
/* Appends the page, with `nonce` for the scripts and the revision of its data. */
enum status snapshot_page(const char *database, const char *nonce, const char *revision,
                          struct text *page, struct error *error);
/* Appends the page's current data (report_data). */
enum status snapshot_data(const char *database, struct text *json, struct error *error);

#endif
