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
    const struct recording *recording; /* NULL: nothing is replayed */
    struct recording made;
    const char *source; /* a file that stands for all sources: its text is a hash */
    bool has_clock;     /* as it was asked for */
    bool cpus;          /* likewise: of CPUs, also where there is one of a GPU */
    struct temporary folder;
    struct arena arena;
};

/* What --device says, of device_replayed_name: "" (the newest of a GPU that is shipped),
 * "nvidia-h200" (a shipped one), "FILE.db", "t4.json.gz"; ",clock" may follow. Makes the recording
 * in a folder of its own and leads the children to it. STATUS_NOT_FOUND: there is no such
 * recording. Closed by replay_close, also after a failure; `replay` is zero before but for `cpus`.
 */
enum status replay_open(struct replay *replay, const char *which, enum l2_mode mode, uint64_t seed,
                        struct error *error);
/* What --prior says: a database, packed by xz or gzip or not, or the name of a shipped recording.
 * *database is it, or an unpacked copy that lives until
 * replay_close, which is called also after a failure. */
enum status replay_find_database(struct replay *replay, const char *which, const char **database,
                                 struct error *error);
void replay_close(struct replay *replay);

/* Replayed and measured numbers in one database, or replayed ones where measured ones are meant:
 * STATUS_BAD_INPUT when the database has the one where the other is wanted. */
enum status replay_check_measured(struct store *store, const char *path, const char *doing,
                                  struct error *error);
enum status replay_check_replayed(struct store *store, const char *path, struct error *error);

#endif
