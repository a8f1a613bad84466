/* What is served, out of the database, which is opened for each look and closed again. */
#ifndef TUNE_WATCH_SNAPSHOT_H
#define TUNE_WATCH_SNAPSHOT_H

#include "tuner/base/error.h"
#include "tuner/base/text.h"

/* Appends db/queries/watch.sql's JSON object, and what changes when the page does. */
enum status snapshot_live(const char *database, struct text *json, struct text *revision,
                          struct error *error);
/* Appends the page, whose scripts have that nonce, and which knows the revision that it is of. */
enum status snapshot_page(const char *database, const char *nonce, const char *revision,
                          struct text *page, struct error *error);
/* Appends what the page draws of, anew (report_data). */
enum status snapshot_data(const char *database, struct text *json, struct error *error);

#endif
