/* Captured launches replayed on a GPU as the program made them, before anything is tuned. */
#ifndef TUNE_CLI_REPLAYS_H
#define TUNE_CLI_REPLAYS_H

#include "frontends/capture/captured.h"
#include "tuner/base/text.h"

/* An experiment file as it was written. */
struct unpacked {
    struct text path, text;
};

/* Runs each launch of the experiment, which was made of the set, three times with
 * the default configuration in a process of its own, on `device` ("cuda:1"; NULL: the first). Sets
 * what follows of the set's vectors: what is only written, whether words are reals, and within
 * which tolerance replays and the program agree. *replayed: false where there is no GPU.
 * STATUS_BAD_INPUT: a replay leaves other results than the program did, or others each time in what
 * is no real; or the launch fails, with why. */
enum status replay_captured(const struct unpacked *is, const char *device, struct captured_set *set,
                            bool *replayed, struct error *error);

/* Runs the default configuration of a draft once at its first size, in a process of its own on the
 * first device. False: there is none. `text`: what is wrong with what it does; "": nothing that can
 * be seen. */
bool try_draft(const struct unpacked *is, char text[ERROR_TEXT_BYTES]);

#endif
