/* The domain of a configuration: the sizes at which it may be used. Constraints say where it is
 * legal, checks of its results where it was seen to be right. */
#ifndef TUNE_EXPERIMENT_DOMAIN_H
#define TUNE_EXPERIMENT_DOMAIN_H

#include "tuner/experiment/experiment.h"

/* What checks leave of it: multiples of a number from some size on, or the sizes that were measured
 * alone. */
struct domain {
    int64_t multiple, least; /* 1 and 1: all sizes */
    bool is_listed;          /* the sizes that were measured, and no other */
};
#define DOMAIN_OF_ALL ((struct domain){1, 1, false})

static inline bool domain_is_whole(const struct domain *domain)
{
    return domain->multiple <= 1 && domain->least <= 1 && !domain->is_listed;
}
/* Whether it has a size that was not measured. */
static inline bool domain_has(const struct domain *domain, int64_t n)
{
    return !domain->is_listed && n % domain->multiple == 0 && n >= domain->least;
}
/* The next size from n on that it has; 0: none. */
int64_t domain_next(const struct domain *domain, int64_t n);
/* What both leave. */
struct domain domain_meet(const struct domain *a, const struct domain *b);

/* Whether a constraint, or the values of a parameter, depend on the size. */
bool domain_depends_on_size(const struct experiment *experiment);

/* The domain as a formula over n and other sizes, in the language of tuned.conf, which libtuned
 * evaluates: the constraints with the configuration's values put in, and what checks leave. "" is
 * all sizes. Constraints that do not hold at the problem's own size are left out: a baseline need
 * not keep them. *out is NULL where a constraint cannot be written so. It belongs to the arena. */
enum status domain_formula(const struct experiment *experiment, const struct problem *problem,
                           const struct facts *facts, const struct configuration *configuration,
                           const struct domain *checked, struct arena *arena, const char **out,
                           struct error *error);

/* What derived values and numbers of launches may be over the sizes: their expressions with the
 * configuration's values put in, as far as these can be written so; in the arena. Nobody promises
 * that they give the same at each size: that is to be tried. Returns how many, at most `most`. */
size_t domain_numbers(const struct experiment *experiment, const struct problem *problem,
                      const struct facts *facts, const struct configuration *configuration,
                      struct arena *arena, const char **out, size_t most);

#endif
