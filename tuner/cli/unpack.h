/* Captures unpacked as experiments, for `tune run --binary` and `tune init --capture`. */
#ifndef TUNE_CLI_UNPACK_H
#define TUNE_CLI_UNPACK_H

#include "frontends/capture/captured.h"
#include "tuner/base/text.h"
#include "tuner/cli/replays.h"

/* Writes the experiment of a kernel without source, and all files for this, into FILE.captured/
 * beside the capture, a folder of ours alone. `replays`: the launches are replayed on a GPU, if
 * present (replays.h), on `device` where that names one. */
enum status binary_experiment(const char *capture, const char *kernel, bool replays,
                              const char *device, struct unpacked *out, struct error *error);
/* Reads the time of a draft: 60 s, or TUNE_DRAFT_S. *deadline_ns: its end, if it begins now. */
enum status draft_time(int64_t *seconds, int64_t *deadline_ns, struct error *error);
/* Makes an experiment's name from the file's: letters, digits and _, beginning with a letter. NULL:
 * no memory. */
const char *experiment_name_of(struct arena *arena, const char *path);
/* Reads facts of a kernel's image, by any kind of device that can; `device`: the one of the
 * launches, or NULL. */
bool read_image(const struct captured_kernel *kernel, const struct captured_device *device,
                struct image_kernel *out);
/* Reports the result of replaying on stderr. */
void replayed_note(const struct captured_set *set, enum replayed replayed);
/* Reports on stderr the unpacked size and folder, and omissions. */
void unpacked_note(const struct captured_set *set, const char *folder, int64_t bytes);

#endif
