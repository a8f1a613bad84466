/* Misses of production: problems that a record of look-ups (libtuned/tuned_record.h) asks for. */
#ifndef TUNE_CLI_MISSES_H
#define TUNE_CLI_MISSES_H

#include "tuner/base/error.h"

struct experiment_list;

/* Selects, of the problems that are selected, those that list->record asked for and missed, at its
 * sizes; gives experiments sizes that they lack; orders all by the number of look-ups, the most
 * first, experiments by their first problem. Prints what is selected, and what no experiment has.
 * STATUS_NOT_FOUND if there are misses, all of other problems. */
enum status misses_select(struct experiment_list *list, struct error *error);

#endif
