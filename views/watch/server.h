/* The server: one thread, on 127.0.0.1, until the run ends or a user stops it. */
#ifndef TUNE_WATCH_SERVER_H
#define TUNE_WATCH_SERVER_H

#include <signal.h>

#include "tuner/base/error.h"
#include "views/watch/watch.h"

struct server_options {
    const char *database;
    struct watch_port port;
    int input; /* lines from watch_begin's process, each an `enum watch_line` and JSON; the server
                  ends with the input; -1: none */
    const volatile sig_atomic_t *stop; /* may be NULL */
    void *context;
    void (*ready)(void *context, const char *url);
};
enum status server_run(const struct server_options *options, struct error *error);

#endif
