/* The domain of a configuration as tuned.conf has it. */
#ifndef TUNE_EXPORT_DOMAIN_H
#define TUNE_EXPORT_DOMAIN_H

#include "tuner/experiment/domain.h"

struct domain_text {
    const char *text; /* in the language of tuned.conf; "": all sizes; the arena's */
    bool is_listed;   /* the problem's own size alone: the checks leave no more, or the constraints
                         cannot be written so that libtuned reads them at each size as they are */
};
/* Of the configuration with what checks leave of it, at and around the problem's size. */
enum status domain_of(const struct experiment *experiment, const struct problem *problem,
                      const struct facts *facts, const struct configuration *configuration,
                      const struct domain *checked, struct arena *arena, struct domain_text *out,
                      struct error *error);

#endif
