/* The domain of a configuration: the sizes at which it may be used. Constraints define where the
 * configuration is legal, checks of results where these were right. */
#ifndef TUNE_EXPERIMENT_DOMAIN_H
#define TUNE_EXPERIMENT_DOMAIN_H

#include "tuner/experiment/experiment.h"

/* Result of the checks: multiples of a number from one size to another, or only the measured sizes.
 * Each of several names has a number. */
struct domain {
    int64_t multiple, least, most;     /* 1, 1 and 0 (no end): all sizes */
    bool is_listed;                    /* the measured sizes only */
    int64_t multiples[SIZE_NAMES_MAX]; /* for sizes of several names; 0 and 1: any size */
};
#define DOMAIN_OF_ALL ((struct domain){.multiple = 1, .least = 1})

static inline bool domain_is_whole(const struct domain *domain)
{
    bool is_whole =
        domain->multiple <= 1 && domain->least <= 1 && domain->most <= 0 && !domain->is_listed;
    for (size_t i = 0; i < SIZE_NAMES_MAX; i++)
        is_whole = is_whole && domain->multiples[i] <= 1;
    return is_whole;
}
/* Returns whether the domain contains n, a size that was not measured. */
static inline bool domain_has(const struct domain *domain, int64_t n)
{
    return !domain->is_listed && n % domain->multiple == 0 && n >= domain->least &&
           (domain->most <= 0 || n <= domain->most);
}
/* Returns the domain's next size from n on; 0: none. */
int64_t domain_next(const struct domain *domain, int64_t n);
/* Returns whether the domain contains the problem's size, or sizes of several names. */
bool domain_has_problem(const struct domain *domain, const struct problem *problem);
/* Moves sizes of several names up to multiples. */
void domain_next_sizes(const struct domain *domain, int64_t sizes[SIZE_NAMES_MAX]);
/* Writes the numbers of several names as the database has them, "1x4" with any size for the first;
 * in the arena. NULL: any size for each, or no memory. */
const char *domain_multiples(const struct domain *domain, struct arena *arena);
/* Reads these numbers; NULL: any size for each. */
void domain_set_multiples(struct domain *domain, const char *text);
/* Returns the greatest number that divides both; the other one if one is 0. */
uint64_t common_divisor(uint64_t a, uint64_t b);
/* Returns the intersection. */
struct domain domain_meet(const struct domain *a, const struct domain *b);

/* Returns the launches, a bit each, whose `when` holds: the numbers of a kernel's launches in
 * tuned.conf depend on them. 0 where there are no such numbers, and where a `when` has no value. */
unsigned domain_launches(const struct experiment *experiment, const struct problem *problem,
                         const struct facts *facts, const struct configuration *configuration);

/* Returns whether a constraint, the values of a parameter, or the launches depend on the size. */
bool domain_depends_on_size(const struct experiment *experiment);

/* Writes the domain as a formula over n and other sizes, in the language of tuned.conf, which
 * libtuned evaluates: the constraints with the configuration's values substituted, the result of
 * the checks, and where the launches are those of the problem's own size. "" means all sizes.
 * Constraints that do not hold at that size are left out, since a baseline need not satisfy them.
 * *out is NULL if a constraint or a `when` cannot be written; it belongs to the arena. */
enum status domain_formula(const struct experiment *experiment, const struct problem *problem,
                           const struct facts *facts, const struct configuration *configuration,
                           const struct domain *checked, struct arena *arena, const char **out,
                           struct error *error);

/* Collects candidate formulas for derived values and numbers of launches over the sizes: their
 * expressions with the configuration's values substituted, as far as they can be written; in the
 * arena. Whether they hold at each size must be tested. Returns their number, at most `most`. */
size_t domain_numbers(const struct experiment *experiment, const struct problem *problem,
                      const struct facts *facts, const struct configuration *configuration,
                      struct arena *arena, const char **out, size_t most);

#endif
