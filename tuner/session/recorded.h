/* What a recording (tuner/device/recording.h) says of a run that replays it: which points there
 * are, which baselines, what a binary is of, and what things took. Without a recording nothing. */
#ifndef TUNE_SESSION_RECORDED_H
#define TUNE_SESSION_RECORDED_H

#include "tuner/session/work.h"

/* Leaves of the space what was recorded of the problem. STATUS_NOT_FOUND: nothing. */
enum status recorded_restrict(const struct session *session, const struct experiment *experiment,
                              const struct problem *problem, struct space *space,
                              struct error *error);

/* The baseline of that name as it was measured then, whatever the device would suggest; *found
 * false: it was not. Texts belong to the arena. */
enum status recorded_baseline(const struct work *work, const char *name, struct arena *arena,
                              struct configuration *out, bool *found, struct error *error);

/* Requests the name of a configuration's point in place of a binary. */
void recorded_binary(const struct work *work, const struct configuration *configuration,
                     struct binary_request *out);

/* Charges to limits of time what a trial took then, or so many blocks of a visit (0: a trial). */
void recorded_charge(const struct work *work, const struct configuration *configuration,
                     uint32_t blocks);

#endif
