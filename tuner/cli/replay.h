/* `--device replay[:WHICH][,clock]`, or replay_cpu: a recording in place of a device. */
#ifndef TUNE_CLI_REPLAY_H
#define TUNE_CLI_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/arena.h"
#include "tuner/base/error.h"
#include "tuner/base/launch.h"
#include "tuner/base/temporary.h"
#include "tuner/device/recording.h"
#include "tuner/store/store.h"

struct replay {
    const struct recording *recording; /* NULL: no replay */
    struct recording made;
    const char *source; /* file in place of all sources, with a hash as text */
    bool has_clock;     /* as requested */
    bool cpus;          /* likewise: of CPUs, also where there is one of a GPU */
    struct temporary folder;
    struct arena arena;
};

/* Opens the recording of a --device value (device_replayed_name): "" (the newest shipped one of a
 * GPU), "nvidia-h200" (a shipped one), "FILE.db", "t4.json.gz"; ",clock" may follow. Makes the
 * recording in a folder of its own and leads the children there. STATUS_NOT_FOUND: no such
 * recording. Closed by replay_close, also after a failure; `replay` is zero before, except for
 * `cpus`. */
enum status replay_open(struct replay *replay, const char *which, enum l2_mode mode, uint64_t seed,
                        struct error *error);
/* Finds the database of a --prior value: a database, possibly packed by xz or gzip, or the name of
 * a shipped recording. *database: this one, or an unpacked copy that lives until replay_close,
 * which is called also after a failure. */
enum status replay_find_database(struct replay *replay, const char *which, const char **database,
                                 struct error *error);
void replay_close(struct replay *replay);

/* Refuses a database with replayed numbers (STATUS_BAD_INPUT; `doing`: the option that accepts
 * them), or one with measured ones. */
enum status replay_check_measured(struct store *store, const char *path, const char *doing,
                                  struct error *error);
enum status replay_check_replayed(struct store *store, const char *path, struct error *error);
/* Opens a database for reading (reading_open), and refuses replayed numbers unless `replayed`. */
enum status replay_open_measured(const char *path, bool replayed, const char *doing,
                                 struct store **out, struct error *error);

#endif
