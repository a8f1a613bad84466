/* Recordings (tuner/device/recording.h) from a database, or from other tools' files, for `--device
 * replay:FILE`. */
#ifndef TUNE_EXCHANGE_RECORDINGS_H
#define TUNE_EXCHANGE_RECORDINGS_H

#include "tuner/base/error.h"
#include "tuner/base/launch.h"
#include "tuner/device/recording.h"
#include "tuner/store/store.h"

/* Takes the measurements of the GPU with the database's newest run in this mode that is no replay;
 * without a GPU, or with `cpus`, of the machine whose CPU has this run. `name`: the recording's
 * name, "nvidia-h200", "my.db". STATUS_NOT_FOUND: none. */
enum status recordings_take_database(struct store *store, const char *name, bool cpus,
                                     enum l2_mode mode, struct recording *out, struct error *error);

/* Takes the points of a T4 file or a Kernel Tuner cache, as one problem of an experiment with
 * exactly these parameters and values. `text` (NUL-terminated) is changed. */
enum status recordings_take_file(char *text, size_t length, const char *name, struct recording *out,
                                 struct error *error);

/* Finds the day of the newest run on a GPU, or on `cpus` ("2026-11-21"), in a database of any
 * schema; "" without one. */
enum status recordings_day(struct store *store, bool cpus, char day[16], struct error *error);

#endif
