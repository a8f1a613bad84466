/* Few configurations for all sizes of several names, looked at between the tuned sizes. */
#ifndef TUNE_SESSION_BOXES_H
#define TUNE_SESSION_BOXES_H

#include "tuner/session/work.h"

/* Covers the sizes of the family of `work`'s problem (its key without the shape); without a lane by
 * the known results only. */
enum status boxes_cover(const struct work *work, struct lane *lane, struct error *error);

#endif
