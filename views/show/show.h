/* `tune show`, and the table that `tune run` ends with. */
#ifndef TUNE_SHOW_SHOW_H
#define TUNE_SHOW_SHOW_H

#include "tuner/base/text.h"
#include "tuner/stats/verdict.h"
#include "tuner/store/store.h"
#include "tuner/terminal/command.h"

extern const struct command command_show;

/* Prints the winners by the objective, as `tune show` does. */
enum status show_winners_of(const char *database, const char *objective, struct error *error);

/* Appends a line on how winners of the objective depend on the issue of launches, without its end:
 * "3 of 22 problems have other winners ..."; nothing if no problem was tuned in several ways. */
enum status show_append_issues(struct store *store, const char *objective, struct text *line,
                               struct error *error);

/* Appends "20 of 22 problems: sure; 2 nearly sure". A winner without a verdict is not counted. */
void show_append_verdicts(struct text *line, const size_t counts[VERDICTS], size_t total);

#endif
