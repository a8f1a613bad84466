/* The sources that this process has read. */
#ifndef TUNE_WORKER_SOURCES_H
#define TUNE_WORKER_SOURCES_H

#include "tuner/base/error.h"
#include "tuner/base/hash.h"
#include "tuner/base/launch.h"
#include "tuner/base/source.h"

struct known_source {
    struct source source;
    char hash[HASH_TEXT_BYTES]; /* of its contents */
};

/* As source_read_in, with a request's folders, but read once while its files stay as they are: some
 * hundred binaries per problem are of one source. *source lasts as long as the process. May be
 * called by several threads. */
enum status sources_find(const char *path, const struct binary_request *request,
                         const struct known_source **source, struct error *error);

#endif
