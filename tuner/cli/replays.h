/* Replays of captured launches on a GPU as in the program, before tuning. */
#ifndef TUNE_CLI_REPLAYS_H
#define TUNE_CLI_REPLAYS_H

#include "frontends/capture/captured.h"
#include "tuner/base/text.h"

/* An experiment file as written. */
struct unpacked {
    struct text path, text;
};

/* Replays and values end at a deadline of clock_now_ns; the rest is left out. */
enum replayed {
    REPLAYED_NOWHERE, /* there is no GPU */
    REPLAYED_LATE,    /* there was no time for one launch */
    REPLAYED_IN_PART,
    REPLAYED
};

/* Runs each launch of the experiment, which was made of the set, three times with the default
 * configuration in a process of its own, on `device` ("cuda:1"; NULL: the first). Sets the findings
 * about the set's vectors: written only, words that are reals, and the tolerance within which
 * replays and the program agree. STATUS_BAD_INPUT: a replay's results differ from the program's, or
 * from replay to replay in other data than reals; or the launch fails, with the reason. */
enum status replay_captured(const struct unpacked *is, const char *device, struct captured_set *set,
                            int64_t deadline_ns, enum replayed *replayed, struct error *error);

/* Runs the launch that is the default with each other value of each parameter, all others being the
 * default's, then some configurations of the right ones, on the first device; lists the values that
 * fail or leave other results, and those left out. The texts are the set's memory. */
enum status values_try(const struct unpacked *is, const struct captured_set *set,
                       int64_t deadline_ns, struct value_trials *out, struct error *error);

/* Runs the default configuration of a draft once at its first size, in a process of its own on the
 * first device. False: no device. `text`: faults seen in the results; "": none. */
bool try_draft(const struct unpacked *is, int64_t deadline_ns, char text[ERROR_TEXT_BYTES]);

#endif
