/* Which kernels tuned.conf has: few for all sizes and devices of a problem. */
#ifndef TUNE_EXPORT_PORTFOLIO_H
#define TUNE_EXPORT_PORTFOLIO_H

#include "views/export/internal.h"

enum { PORTFOLIO_MOST = 12 }; /* kernels of a problem */

/* Sets of rows of conf.sql `also`, and where another configuration is to stand there `pick` and
 * `loss`. What is pointed to lies in the arena. */
enum status portfolio_choose(struct experiments *experiments, const struct export_options *options,
                             struct arena *arena, struct conf_row *rows, size_t count,
                             struct error *error);

/* Whether a configuration's kernel is among those that were picked for the problem. */
bool portfolio_has(const struct experiments *experiments, const char *kind, const char *problem,
                   const char *parameters, const char *derived);
/* How many were picked for it. */
size_t portfolio_count(const struct experiments *experiments, const char *kind,
                       const char *problem);

#endif
