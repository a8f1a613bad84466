/* Files that are packed: by xz, with liblzma, which is linked; by gzip and zstd, with the programs
 * of that name. */
#ifndef TUNE_BASE_PACKED_H
#define TUNE_BASE_PACKED_H

#include <stdint.h>

#include "tuner/base/arena.h"
#include "tuner/base/error.h"

enum packing { PACKING_NONE, PACKING_ZSTD, PACKING_GZIP, PACKING_XZ };

/* By what the open file begins with. */
enum packing packing_of(int file);
/* The fastest that this machine can pack with. */
enum packing packing_here(void);

/* Reads a regular file from its start and writes what it holds to `output`, from where that stands.
 * A small file that would become a huge one is refused before it has: STATUS_BAD_INPUT, as where it
 * is damaged. STATUS_UNAVAILABLE: the program is not there. `path` is the input's, for messages. */
enum status packed_unpack(enum packing packing, int input, int output, const char *path,
                          struct error *error);
/* The same the other way round. */
enum status packed_pack(enum packing packing, int input, int output, const char *path,
                        struct error *error);
/* What a packed file holds goes to a new file `out`, whose folder is ours. */
enum status packed_unpack_to(const char *path, const char *out, struct error *error);

#endif
