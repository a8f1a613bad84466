/* A page that follows a run in a browser on this machine.
 *
 * `tune run --watch` starts a child that serves it (watch_begin); `tune watch` serves by itself
 * (watch_serve). Whoever serves only reads the database, listens on 127.0.0.1 alone, and runs when
 * nothing else wants the processor (SCHED_IDLE), so that what is measured is not disturbed. */
#ifndef TUNE_WATCH_WATCH_H
#define TUNE_WATCH_WATCH_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/error.h"
#include "tuner/base/text.h"

/* Where it is served unless a port is named, or on the next ones where others are. */
enum { WATCH_PORT = 7410, WATCH_PORTS_TRIED = 20, WATCH_URL_BYTES = 96 };

/* "8080", "0" for any that is free; NULL for what stands above. */
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
/* Hands the child a JSON object, which must be one line: how far the run is, in place of what was
 * said before (WATCH_STATE), or a line of its log (WATCH_EVENT). Never waits: what the child cannot
 * take is dropped. NULL is taken. */
enum watch_line { WATCH_STATE = 'S', WATCH_EVENT = 'E', WATCH_END = 'X' };
void watch_say(struct watch *watch, enum watch_line line, const struct text *json);
/* Pages that are open are told that the run is over, for which they get some seconds; ends the
 * child. NULL is taken. */
void watch_end(struct watch *watch);
/* The child: `tune __watch PORT DATABASE`. */
int watch_child(const char *port, const char *database);

/* ---- this process serves ---- */
/* Until *stop becomes non-zero; `ready` is told the address. */
enum status watch_serve(const char *database, const char *port, const volatile sig_atomic_t *stop,
                        void (*ready)(const char *url), struct error *error);

#endif
