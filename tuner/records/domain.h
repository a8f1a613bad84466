/* The domain of a configuration in tuned.conf. */
#ifndef TUNE_EXPORT_DOMAIN_H
#define TUNE_EXPORT_DOMAIN_H

#include "tuner/experiment/domain.h"

struct domain_text {
    const char *text; /* in the language of tuned.conf; "": all sizes; the arena's */
    bool is_listed;   /* only the problem's own size: the checks permit no other, or libtuned would
                         read the constraints differently at some size */
};
/* Finds the domain of a configuration within the sizes that checks permit, at and around the
 * problem's size. */
enum status domain_of(const struct experiment *experiment, const struct problem *problem,
                      const struct facts *facts, const struct configuration *configuration,
                      const struct domain *checked, struct arena *arena, struct domain_text *out,
                      struct error *error);

#endif
