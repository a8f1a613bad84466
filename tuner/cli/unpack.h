/* Captures unpacked as experiments, for `tune run --binary` and `tune init --capture`. */
#ifndef TUNE_CLI_UNPACK_H
#define TUNE_CLI_UNPACK_H

#include "frontends/capture/captured.h"
#include "tuner/base/text.h"
#include "tuner/cli/replays.h"

/* Writes the experiment of a kernel without its source, and what it needs, into FILE.captured/
 * beside the capture, a folder of ours alone. `replays`: where there is a GPU the launches
 * are replayed on it (replays.h), on `device` where that names one. */
enum status binary_experiment(const char *capture, const char *kernel, bool replays,
                              const char *device, struct unpacked *out, struct error *error);
/* What an experiment of the file may be called: letters, digits and _, beginning with a letter.
 * NULL: no memory. */
const char *experiment_name_of(struct arena *arena, const char *path);
/* What a kernel's image tells, by whichever kind of device can read one; `device`: that it was
 * launched on, or NULL. */
bool image_told(const struct captured_kernel *kernel, const struct captured_device *device,
                struct image_kernel *out);
/* Tells what replaying came to, to stderr. */
void replayed_note(const struct captured_set *set, bool replayed);
/* Tells how much was unpacked where, and what was left out, to stderr. */
void unpacked_note(const struct captured_set *set, const char *folder, int64_t bytes);

#endif
