/* A page that follows a run in a browser on this machine. `tune run --watch` starts a serving child
 * (watch_begin); `tune watch` serves in its own process (watch_serve). A server only reads the
 * database, listens on 127.0.0.1 alone, and runs only on an idle processor (SCHED_IDLE), so that
 * measurements are not disturbed. */
#ifndef TUNE_WATCH_WATCH_H
#define TUNE_WATCH_WATCH_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/error.h"
#include "tuner/base/text.h"

/* Default port; if taken, the next free one of WATCH_PORTS_TRIED. */
enum { WATCH_PORT = 7410, WATCH_PORTS_TRIED = 20, WATCH_URL_BYTES = 96 };

/* Ports to try: "8080", "0" for any free one; NULL for the default. */
struct watch_port {
    int first, count;
};
enum status watch_port_parse(const char *text, struct watch_port *out, struct error *error);

/* ---- a child that serves ---- */
struct watch;
/* Returns once the page can be had, at `url`. STATUS_UNAVAILABLE: this tune, or the machine, lacks
 * the library; STATUS_USAGE: the port is in use. The error names the option. */
enum status watch_begin(const char *database, const char *port, struct watch **out,
                        char url[WATCH_URL_BYTES], struct error *error);
/* Sends the child a one-line JSON object: the state of the run, replacing the last (WATCH_STATE),
 * or a line of the log (WATCH_EVENT). Never waits: if the pipe is full, the line is dropped.
 * `watch` may be NULL. */
enum watch_line { WATCH_STATE = 'S', WATCH_EVENT = 'E', WATCH_END = 'X' };
void watch_send(struct watch *watch, enum watch_line line, const struct text *json);
/* Waits at most half a minute until each open page has drawn the end of the run, then ends the
 * child. `watch` may be NULL. */
void watch_end(struct watch *watch);
/* Runs the child: `tune __watch PORT DATABASE`. */
int watch_child(const char *port, const char *database);

/* ---- this process serves ---- */
/* Serves until *stop becomes non-zero; `ready` receives the address. */
enum status watch_serve(const char *database, const char *port, const volatile sig_atomic_t *stop,
                        void (*ready)(const char *url), struct error *error);

#endif
