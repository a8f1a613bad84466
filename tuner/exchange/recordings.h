/* Recordings (tuner/device/recording.h) out of a database, and out of others' files: what
 * `--device replay:FILE` plays. */
#ifndef TUNE_EXCHANGE_RECORDINGS_H
#define TUNE_EXCHANGE_RECORDINGS_H

#include "tuner/base/error.h"
#include "tuner/base/launch.h"
#include "tuner/device/recording.h"
#include "tuner/store/store.h"

/* What the GPU measured that a run on it is the newest of the database's, in this mode, and is not
 * itself replayed; where no GPU did, or `cpus`, the machine whose processors did. `name` is what
 * the recording is called: "nvidia-h200", "my.db". STATUS_NOT_FOUND: there is none. */
enum status recordings_take_database(struct store *store, const char *name, bool cpus,
                                     enum l2_mode mode, struct recording *out, struct error *error);

/* The points of a T4 file or of a cache of Kernel Tuner, as one problem of an experiment that has
 * just these parameters and values. `text` (NUL-terminated) is changed. */
enum status recordings_take_file(char *text, size_t length, const char *name, struct recording *out,
                                 struct error *error);

/* The day of the newest run on a GPU, or on `cpus` ("2026-11-21"), in a database of any schema; ""
 * without one. */
enum status recordings_day(struct store *store, bool cpus, char day[16], struct error *error);

#endif
