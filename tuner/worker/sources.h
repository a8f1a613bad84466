/* Sources that this process has read. */
#ifndef TUNE_WORKER_SOURCES_H
#define TUNE_WORKER_SOURCES_H

#include "tuner/base/error.h"
#include "tuner/base/hash.h"
#include "tuner/base/launch.h"
#include "tuner/base/source.h"

struct known_source {
    struct source source;
    char hash[HASH_TEXT_BYTES]; /* hash of source.contents */
};

/* Reads a source as source_read_in does, with a request's folders, but only once while its files
 * are unchanged, since some hundred binaries of a problem share a source. *source lasts as long as
 * the process. May be called by several threads. */
enum status sources_find(const char *path, const struct binary_request *request,
                         const struct known_source **source, struct error *error);

#endif
