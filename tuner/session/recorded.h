/* A replayed recording (tuner/device/recording.h) in a run: its points, baselines, binaries and
 * times. Without a recording these functions do nothing. */
#ifndef TUNE_SESSION_RECORDED_H
#define TUNE_SESSION_RECORDED_H

#include "tuner/session/work.h"

/* Restricts the space to the recorded points of the problem. STATUS_NOT_FOUND: none. */
enum status recorded_restrict(const struct session *session, const struct experiment *experiment,
                              const struct problem *problem, struct space *space,
                              struct error *error);

/* Finds the recorded configuration of a baseline, whatever the device would suggest; *found false:
 * not recorded. Texts belong to the arena. */
enum status recorded_baseline(const struct work *work, const char *name, struct arena *arena,
                              struct configuration *out, bool *found, struct error *error);

/* Makes the request of a binary that consists of the configuration's name. */
void recorded_binary(const struct work *work, const struct configuration *configuration,
                     struct binary_request *out);

/* Charges the budget with the recorded time of a trial (`blocks` 0), of `blocks` blocks of a visit,
 * or of the window of a visit that measures energy. */
void recorded_charge(const struct work *work, const struct configuration *configuration,
                     uint32_t blocks);

#endif
