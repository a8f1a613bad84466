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

/* Reads a source as source_read_in does, with a request's folders, but only once: all binaries of a
 * run are made of the same text, even if the files change or disappear meanwhile. *source lasts as
 * long as the process. May be called by several threads. */
enum status sources_find(const char *path, const struct binary_request *request,
                         const struct known_source **source, struct error *error);

/* Returns the path of a source that has changed since it was read, itself or a file that it
 * includes; NULL: none. */
const char *sources_changed(void);

#endif
