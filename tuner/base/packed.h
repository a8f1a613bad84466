/* Packed files: xz by liblzma, which is linked; gzip and zstd by the programs of that name. */
#ifndef TUNE_BASE_PACKED_H
#define TUNE_BASE_PACKED_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/arena.h"
#include "tuner/base/error.h"

enum packing { PACKING_NONE, PACKING_ZSTD, PACKING_GZIP, PACKING_XZ };

/* Recognises the packing by the open file's first bytes. */
enum packing packing_of(int file);
/* Returns the fastest packing available on this machine. */
enum packing packing_here(void);

/* Packs a regular file, or unpacks it, from its start and writes to `output` at its position.
 * STATUS_TIMED_OUT at deadline_ns of clock_now_ns (0: after an hour of a program).
 * STATUS_BAD_INPUT: the file is damaged, or small and would become huge (stopped at the limit).
 * STATUS_UNAVAILABLE: the program is missing. `path` names the input in messages. */
enum status packed_run(enum packing packing, bool unpack, int input, int output,
                       int64_t deadline_ns, const char *path, struct error *error);
/* Unpacks a file to a new file `out`, whose folder must be ours. */
enum status packed_unpack_to(const char *path, const char *out, struct error *error);

#endif
