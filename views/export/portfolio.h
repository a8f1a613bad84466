/* Choice of few kernels for all sizes and devices of a problem. */
#ifndef TUNE_EXPORT_PORTFOLIO_H
#define TUNE_EXPORT_PORTFOLIO_H

#include "views/export/internal.h"

enum { PORTFOLIO_MAX = 12 }; /* kernels of a problem */

/* Sets `also` of rows of conf.sql, and `pick` and `loss` for replaced configurations. Texts are in
 * the arena. */
enum status portfolio_choose(struct experiments *experiments, const struct export_options *options,
                             struct arena *arena, struct conf_row *rows, size_t count,
                             struct error *error);

/* Returns true if the configuration's kernel is picked for the problem. */
bool portfolio_has(const struct experiments *experiments, const char *kind, const char *problem,
                   const char *parameters, const char *derived);
/* Returns how many kernels are picked for the problem. */
size_t portfolio_count(const struct experiments *experiments, const char *kind,
                       const char *problem);

#endif
