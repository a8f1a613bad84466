/* Few configurations for all sizes of several names, looked at between those that were tuned. */
#ifndef TUNE_SESSION_BOXES_H
#define TUNE_SESSION_BOXES_H

#include "tuner/session/work.h"

/* Covers the sizes that `work`'s problem is of (its key but for the shape); without a lane by what
 * is known. */
enum status boxes_cover(const struct work *work, struct lane *lane, struct error *error);

#endif
