/* Misses of production: problems that a record of look-ups (libtuned/tuned_record.h) asks for. */
#ifndef TUNE_CLI_MISSES_H
#define TUNE_CLI_MISSES_H

#include "tuner/base/error.h"

struct experiment_list;

/* Keeps, of the selected problems, the misses in list->record, at their sizes; gives experiments
 * the sizes that they lack; orders all by the number of look-ups, the most first, experiments by
 * their first problem. Prints the selection, and the misses of no experiment. STATUS_NOT_FOUND if
 * all misses are of other problems. */
enum status misses_select(struct experiment_list *list, struct error *error);

#endif
